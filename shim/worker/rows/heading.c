/*
 * heading.c - find the row of titles, and derive the names of columns from them.
 *
 * Unless a parse option determines it, the first rows are examined before they are stored:
 *
 *   - rows with at most one cell, and shorter rows that begin with #, above a wider table are the
 *     caption of the table, if the row after them looks like titles; each is reported;
 *   - there is no row of titles if the first row has values of the same kind as the rows after it,
 *     such as numbers above numbers, and no column has a text above other values;
 *   - otherwise the first row has the titles.
 */
#include <search.h>

#include "rows/columns.h"

/*
 * ---- Names of columns, made of their titles ----
 *
 * A dot separates the words of a path, so it becomes a space, as do invisible characters.  A column
 * without a title is named "column"; of several columns with the same name all but the first get a
 * number.
 */

/* Length of the first character if a name has a space in its place; else 0. */
static size_t
blank_length(const char *text, size_t length)
{
	const unsigned char *c = (const unsigned char *) text;

	if (c[0] <= ' ' || c[0] == 0x7F || c[0] == '.')
		return 1;
	/* U+0080 to U+00A0 */
	if (length > 1 && c[0] == 0xC2 && c[1] <= 0xA0)
		return 2;
	/* U+2028, U+2029, U+FEFF */
	if (length > 2 && ((c[0] == 0xE2 && c[1] == 0x80 && (c[2] & 0xFE) == 0xA8) ||
					   (c[0] == 0xEF && c[1] == 0xBB && c[2] == 0xBF)))
		return 3;
	return 0;
}

/*
 * The name for a title, not unique yet: at most NAME_MAXIMUM bytes, trimmed.  *cut: the title is
 * longer.
 */
static size_t
plain_name(char *name, const char *title, size_t length, bool *cut)
{
	size_t used = 0;
	size_t i = 0;

	while (i < length && used < NAME_MAXIMUM)
	{
		size_t blank = blank_length(title + i, length - i);

		if (blank == 0)
			name[used++] = title[i++];
		else
		{
			if (used > 0 && name[used - 1] != ' ')
				name[used++] = ' ';
			i += blank;
		}
	}
	name[used] = '\0';
	while (i < length && blank_length(title + i, length - i) > 0)
		i += blank_length(title + i, length - i);
	*cut = i < length;
	/* do not split a character at the end */
	while (used > 0 && !text_valid_utf8(name, used))
		used--;
	while (used > 0 && name[used - 1] == ' ')
		used--;
	if (used == 0)
		used = (size_t) snprintf(name, NAME_MAXIMUM, "column");
	name[used] = '\0';
	return used;
}

static int
compare_names(const void *left, const void *right)
{
	return strcmp(((const Column *) left)->name, ((const Column *) right)->name);
}

static int
compare_titles(const void *left, const void *right)
{
	const Column *one = left;
	const Column *other = right;

	if (one->title_length != other->title_length)
		return one->title_length < other->title_length ? -1 : 1;
	return one->title_length > 0 ? memcmp(one->title, other->title, one->title_length) : 0;
}

/* Add a column, unless one that compares as it does is there; return the one that is. */
static Column *
add_column(Sheet *sheet, void **columns, Column *column, int (*compare)(const void *, const void *))
{
	Column **first = tsearch(column, columns, compare);

	if (first == NULL)
		parse_refuse_memory(sheet->parse);
	return *first;
}

static void
keep_column(void *column)
{
	(void) column;
}

/* Report titles that are longer than a name. */
static void
title_check(Sheet *sheet, uint64_t line)
{
	for (unsigned i = 0; i < sheet->titles; i++)
	{
		Column *column = sheet->columns[i];
		bool cut;

		plain_name(column->name, column->title, column->title_length, &cut);
		if (cut)
			sheet_issue(sheet, line, "column %u is called by the beginning of its title, \"%s\"",
						i + 1, column->name);
	}
}

void
heading_name_columns(Sheet *sheet)
{
	void *names = NULL;
	void *titles = NULL;

	for (unsigned turn = 0; turn < 2 * sheet->width; turn++)
	{
		unsigned i = turn < sheet->width ? turn : turn - sheet->width;
		Column *column = sheet->columns[i];
		bool cut;
		size_t length;
		unsigned number;

		if (column->own != (turn < sheet->width))
			continue;
		length = plain_name(column->name, column->title, column->title_length, &cut);
		/* the first number to try: of the columns with this title up to here, at least 2 */
		number = ++add_column(sheet, &titles, column, compare_titles)->like;
		number = number < 2 ? 2 : number;
		/* while the name is reserved, or that of an earlier column */
		while (strcmp(column->name, "_id") == 0 ||
			   add_column(sheet, &names, column, compare_names) != column)
			snprintf(column->name + length, sizeof(column->name) - length, "_%u", number++);
	}
	tdestroy(titles, keep_column);
	tdestroy(names, keep_column);
}

#define TITLES_MAXIMUM 30
#define YEAR_FIRST 1900
#define YEAR_LAST 2100

/* Kind of the value of a cell. */
typedef enum Look
{
	LOOK_EMPTY,
	LOOK_TEXT,
	LOOK_NUMBER,
	LOOK_MOMENT,
	LOOK_BOOLEAN,
	LOOKS
} Look;

typedef struct Heading
{
	unsigned rows;
	unsigned columns;
	unsigned char *looks; /* of all cells, row by row */
	unsigned filled[HEADING_ROWS];
	unsigned extent[HEADING_ROWS]; /* number of columns up to the last cell that is not empty */
	unsigned years[HEADING_ROWS];  /* cells that could be years */
	bool remark[HEADING_ROWS];	   /* the row begins with # */
	unsigned width;				   /* most frequent extent of a row */
} Heading;

static const char said[] = "parseOptions says so";

static Look
look_of(const char *text, size_t length, DateOrder only, bool *year)
{
	Number number;
	DateTime date_time;

	if (length == 0)
		return LOOK_EMPTY;
	if (number_read_plain(&number, text, length, '.') ||
		number_read_plain(&number, text, length, ','))
	{
		*year = !number.fraction && number.whole >= YEAR_FIRST && number.whole <= YEAR_LAST;
		return LOOK_NUMBER;
	}
	if (date_time_read(&date_time, text, length, only))
		return LOOK_MOMENT;
	if (profile_is_word(text, length, "true") || profile_is_word(text, length, "false"))
		return LOOK_BOOLEAN;
	return LOOK_TEXT;
}

/* Classify the cells of a column. */
static void
look_at_column(Heading *heading, const Column *column, unsigned index)
{
	const unsigned char *length_at = column->lengths;
	const char *bytes = column->bytes;

	for (unsigned row = 0; row < heading->rows && row < column->rows; row++)
	{
		size_t length = text_number(&length_at); /* of the cell plus one, 0 for no cell */
		bool year = false;
		Look look = length <= 1
						? LOOK_EMPTY
						: look_of(bytes, length - 1, column->profile.parse->options.dates, &year);

		heading->looks[row * heading->columns + index] = (unsigned char) look;
		heading->remark[row] |= index == 0 && length > 1 && *bytes == '#';
		if (look == LOOK_EMPTY)
			continue;
		bytes += length - 1;
		heading->years[row] += year;
		heading->filled[row]++;
		heading->extent[row] = index + 1;
	}
}

/* The most frequent extent of the rows; of several the greatest. */
static unsigned
usual_extent(const Heading *heading)
{
	unsigned best = 0;
	unsigned best_count = 0;

	for (unsigned i = 0; i < heading->rows; i++)
	{
		unsigned count = 0;

		for (unsigned j = 0; j < heading->rows; j++)
			count += heading->extent[j] == heading->extent[i];
		if (count > best_count || (count == best_count && heading->extent[i] > best))
		{
			best = heading->extent[i];
			best_count = count;
		}
	}
	return best;
}

/* The kind of nearly all cells of a column after a row; else LOOK_TEXT. */
static Look
usual_look(const Heading *heading, unsigned row, unsigned column)
{
	unsigned counts[LOOKS] = {0};
	unsigned all = 0;

	for (unsigned i = row + 1; i < heading->rows; i++)
		counts[heading->looks[i * heading->columns + column]]++;
	all = heading->rows - row - 1 - counts[LOOK_EMPTY];
	for (Look look = LOOK_NUMBER; look < LOOKS; look++)
		if (counts[look] > 0 && counts[look] * 10 >= all * 9)
			return look;
	return LOOK_TEXT;
}

/* Is a row of the same kind as those after it, rather than their titles? */
static bool
looks_like_data(const Heading *heading, unsigned row)
{
	unsigned same = 0;
	unsigned numbers = 0;

	if (heading->rows < row + 3)
		return false;
	for (unsigned i = 0; i < heading->columns; i++)
	{
		Look look = (Look) heading->looks[row * heading->columns + i];
		Look usual = usual_look(heading, row, i);

		numbers += look == LOOK_NUMBER;
		if (usual == LOOK_TEXT || look == LOOK_EMPTY)
			continue;
		if (look != usual)
			return false;
		same++;
	}
	/* years are often titles of columns */
	return same > 0 && (numbers == 0 || heading->years[row] < numbers);
}

/* The number of rows that are the caption of the table. */
static unsigned
count_titles(const Heading *heading)
{
	unsigned titles = 0;

	while (titles < TITLES_MAXIMUM && titles + 1 < heading->rows &&
		   (heading->filled[titles] <= 1 || heading->remark[titles]) &&
		   heading->extent[titles] < heading->width)
		titles++;
	if (titles == 0 || heading->filled[titles] * 3 < heading->width * 2 ||
		looks_like_data(heading, titles))
		return 0;
	return titles;
}

/* Use the texts of a row as titles. */
static void
take_titles(Sheet *sheet, unsigned row)
{
	for (unsigned i = 0; i < sheet->width; i++)
	{
		Column *column = sheet->columns[i];
		const unsigned char *length_at = column->lengths;
		size_t place = 0;
		size_t length = 0;

		for (unsigned j = 0; j <= row; j++)
		{
			place += length > 0 ? length - 1 : 0;
			length = j < column->rows ? text_number(&length_at) : 0;
		}
		if (length <= 1)
			continue;
		column->title_length = length - 1;
		column->title = parse_allocate(sheet->parse, length);
		memcpy(column->title, column->bytes + place, column->title_length);
	}
	sheet->named = true;
}

/* Remove the first rows of a column; return the bytes of the remaining rows. */
static size_t
drop_cells(Sheet *sheet, Column *column, unsigned rows)
{
	bool open = column->touched == sheet->rows + 1;
	unsigned closed = open ? sheet->rows : column->rows;
	unsigned there = rows < closed ? rows : closed;
	const unsigned char *length_at = column->lengths;
	size_t bytes = 0;
	unsigned lengths;

	for (unsigned i = 0; i < there; i++)
	{
		size_t length = text_number(&length_at); /* of the cell plus one, 0 for no cell */

		bytes += length > 0 ? length - 1 : 0;
	}
	lengths = (unsigned) (length_at - column->lengths);
	column->length -= bytes;
	column->lengths_used -= lengths;
	if (column->length > 0)
		memmove(column->bytes, column->bytes + bytes, column->length);
	memmove(column->lengths, column->lengths + lengths, column->lengths_used);
	column->rows -= there;
	column->touched = open ? sheet->rows - rows + 1 : 0;
	if (!open)
		return column->length + column->lengths_used + (sheet->rows - rows - column->rows);
	column->mark_length -= bytes;
	column->mark_lengths_used -= lengths;
	return column->mark_length + column->mark_lengths_used;
}

/* Remove the first rows of the chunk. */
static void
drop_rows(Sheet *sheet, unsigned rows)
{
	size_t left = 0;

	if (rows == 0)
		return;
	for (unsigned i = 0; i < sheet->width; i++)
		left += drop_cells(sheet, sheet->columns[i], rows);
	sheet->size = sheet->size - sheet->mark_size + left;
	sheet->mark_size = left;
	sheet->rows -= rows;
	sheet->kept -= rows;
}

/* Record in the details of the sheet which row has the titles, and why. */
static void
tell_heading(const Sheet *sheet, unsigned titles, const char *reason)
{
	Buffer *details = &sheet->parse->details;

	if (sheet->named)
		buffer_format(details, ",\"header\":%llu",
					  (unsigned long long) sheet->waiting[titles].line);
	else
		buffer_text(details, ",\"header\":false");
	sheet_detail(sheet->parse, "skip", sheet->parse->options.skip);
	for (unsigned i = 0; i < titles; i++)
		buffer_format(details, i == 0 ? ",\"titles\":[%llu" : ",%llu",
					  (unsigned long long) sheet->waiting[i].line);
	buffer_format(details, "%s,\"headerReason\":\"%s\"", titles > 0 ? "]" : "", reason);
}

/*
 * Find the row of titles by the kinds of the cells; *titles: rows of the caption above it; false if
 * there is none.
 */
static bool
find_heading(const Sheet *sheet, unsigned *titles, const char **reason)
{
	Heading heading = {.rows = sheet->rows, .columns = sheet->width};
	bool named;

	heading.looks = parse_allocate(sheet->parse, (size_t) heading.rows * heading.columns + 1);
	for (unsigned i = 0; i < sheet->width; i++)
		look_at_column(&heading, sheet->columns[i], i);
	heading.width = usual_extent(&heading);
	*titles = count_titles(&heading);
	named = *titles > 0 || !looks_like_data(&heading, 0);
	parse_release(sheet->parse, heading.looks);
	*reason = *titles > 0 ? "the rows above it are a caption"
			  : named	  ? "it is the first row with anything in it"
						  : "the first row has values of the same kinds as the rows behind it";
	return named;
}

void
heading_take(Sheet *sheet)
{
	HeaderPlace header = sheet->parse->options.header;
	unsigned titles = 0;
	unsigned dropped;
	unsigned rows = sheet->rows;
	const char *reason = said;
	bool named = header == HEADER_FIRST;

	if (sheet->headed)
		return;
	if (header == HEADER_FOUND)
		named = find_heading(sheet, &titles, &reason);
	if (named)
		take_titles(sheet, titles);
	tell_heading(sheet, titles, reason);
	dropped = named ? titles + 1 : 0;
	sheet->titles = sheet->waiting[titles].cells;
	sheet->headed = true;
	sheet->head = sheet->waiting[titles].line;
	if (named && sheet->waiting[titles].flaw != NULL)
		sheet_issue(sheet, sheet->head, "%s", sheet->waiting[titles].flaw);
	if (named)
		title_check(sheet, sheet->head);
	for (unsigned i = 0; i < titles; i++)
		sheet_issue(sheet, sheet->waiting[i].line,
					"the row is above that of the column names and was left out");
	for (unsigned i = dropped; i < rows; i++)
		sheet_tell(sheet, &sheet->waiting[i]);
	drop_rows(sheet, dropped);
}
