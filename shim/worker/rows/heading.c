/*
 * heading.c - find the row of titles, and derive the names of columns from them.
 *
 * Unless a parse option determines it, the first rows are examined before they are stored:
 *
 *   - rows with at most one cell, and shorter rows that begin with #, above a wider table are the
 *     caption of the table, if the row after them looks like titles; each is reported;
 *   - there is no row of titles if the first row has values of the same kind as the rows after it,
 *     such as numbers above numbers, and no column has a text above other values;
 *   - otherwise the first row has the titles;
 *   - below a row of titles with merged cells, a row of texts or years is one of titles, too, if the rows
 *     after it have other values, or merged cells go down to it; the titles of a column are joined.
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

#define LEVELS 3		  /* maximum rows of titles that are joined */
#define UPPER_MAXIMUM 200 /* bytes of a title above the last one of a column */
#define YEAR 0x80		  /* flag of a number that could be a year, in Heading.looks */

typedef struct Heading
{
	const Sheet *sheet;
	unsigned rows;
	unsigned columns;
	unsigned char *looks; /* of all cells, row by row */
	unsigned filled[HEADING_ROWS];
	unsigned extent[HEADING_ROWS]; /* number of columns up to the last cell that is not empty */
	unsigned years[HEADING_ROWS];  /* cells that could be years */
	bool remark[HEADING_ROWS];	   /* the row begins with # */
	unsigned width;				   /* most frequent extent of a row */
} Heading;

/* A cell that was classified. */
static Look
look_at(const Heading *heading, unsigned row, unsigned column)
{
	return (Look) (heading->looks[row * heading->columns + column] & ~YEAR);
}

static bool
is_year(const Heading *heading, unsigned row, unsigned column)
{
	return (heading->looks[row * heading->columns + column] & YEAR) != 0;
}

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

bool
heading_is_label(const char *text, size_t length, DateOrder only)
{
	bool year = false;
	Look look = look_of(text, length, only, &year);
	const char *unit;
	Number number;

	if (look != LOOK_TEXT || !number_is_likely(text, length))
		return look != LOOK_NUMBER || year;
	/* as people write numbers: 1 234, 5 % */
	unit = number_unit(text, length);
	return !number_read(&number, text, length, '.', unit) &&
		   !number_read(&number, text, length, ',', unit);
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

		heading->looks[row * heading->columns + index] = (unsigned char) (look | (year ? YEAR : 0));
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
		counts[look_at(heading, i, column)]++;
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
		Look look = look_at(heading, row, i);
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

/* Does a row have cells, none of which is other than a text or a year? */
static bool
has_names(const Heading *heading, unsigned row)
{
	for (unsigned i = 0; i < heading->columns; i++)
	{
		Look look = look_at(heading, row, i);

		if (look != LOOK_EMPTY && look != LOOK_TEXT && !is_year(heading, row, i))
			return false;
	}
	return heading->filled[row] > 0;
}

/* Is a cell of another kind than those below it, as a title is? */
static bool
is_above_values(const Heading *heading, unsigned row, unsigned column)
{
	Look look = look_at(heading, row, column);
	Look usual = usual_look(heading, row, column);
	unsigned years = 0;
	unsigned numbers = 0;

	if (look == LOOK_EMPTY || usual == LOOK_TEXT)
		return false;
	for (unsigned i = row + 1; i < heading->rows; i++)
	{
		years += is_year(heading, i, column);
		numbers += look_at(heading, i, column) == LOOK_NUMBER;
	}
	return look == LOOK_TEXT || usual != LOOK_NUMBER || years * 2 < numbers;
}

/* Do the merged cells of a row stand over names in the next one, some of them over several? */
static bool
is_over_names(const Heading *heading, unsigned row, const MergeSource *sources)
{
	unsigned several = 0;

	for (unsigned i = 0; i < heading->columns; i++)
	{
		unsigned first = i;
		unsigned names = 0;

		if (look_at(heading, row, i) == LOOK_EMPTY || sources[i].row != row)
			continue;
		for (; i < heading->columns && sources[i].row == row && sources[i].column == first; i++)
			names += look_at(heading, row + 1, i) != LOOK_EMPTY;
		i--;
		if (i > first && names == 0)
			return false;
		several += i > first && names > 1;
	}
	return several > 0;
}

/* Is the row after a row of titles one of titles, too?  sources: of both. */
static bool
has_more_titles(const Heading *heading, unsigned row, const MergeSource *sources)
{
	const MergeSource *below = sources + heading->columns;

	if (row + 1 >= heading->rows || !has_names(heading, row) || !has_names(heading, row + 1) ||
		!is_over_names(heading, row, sources))
		return false;
	for (unsigned i = 0; i < heading->columns; i++)
		if ((below[i].row <= row && below[i].column == i &&
			 look_at(heading, below[i].row, i) == LOOK_TEXT) ||
			is_above_values(heading, row + 1, i))
			return true;
	return false;
}

/* The number of rows of titles from a row on. */
static unsigned
count_levels(const Heading *heading, unsigned row)
{
	unsigned rows = heading->rows - row < LEVELS ? heading->rows - row : LEVELS;
	MergeSource *sources = merge_sources(heading->sheet, row, rows);
	unsigned levels = 1;

	while (levels < rows &&
		   has_more_titles(heading, row + levels - 1, sources + (levels - 1) * heading->columns))
		levels++;
	parse_release(heading->sheet->parse, sources);
	return levels;
}

/* The cells of a row that have a value, with those that merged cells cover. */
static unsigned
count_covered(const Heading *heading, unsigned row)
{
	MergeSource *sources = merge_sources(heading->sheet, row, 1);
	unsigned covered = 0;

	for (unsigned i = 0; i < heading->columns; i++)
		covered += look_at(heading, row, sources[i].column) != LOOK_EMPTY;
	parse_release(heading->sheet->parse, sources);
	return covered;
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
	if (titles == 0 || count_covered(heading, titles) * 3 < heading->width * 2 ||
		looks_like_data(heading, titles))
		return 0;
	return titles;
}

/* A cell of the chunk; *length: 0 if it is empty. */
static const char *
cell_at(const Column *column, unsigned row, size_t *length)
{
	const unsigned char *length_at = column->lengths;
	size_t offset = 0;
	size_t coded = 0; /* the length of the cell plus one, 0 for no cell */

	for (unsigned i = 0; i <= row; i++)
	{
		offset += coded > 0 ? coded - 1 : 0;
		coded = i < column->rows ? text_number(&length_at) : 0;
	}
	*length = coded > 0 ? coded - 1 : 0;
	/* a column without any text has no bytes */
	return *length > 0 ? column->bytes + offset : "";
}

/* Join the titles of a column, but for one that is as the one above it. */
static void
take_title(Sheet *sheet, unsigned index, const MergeSource *sources, unsigned rows)
{
	Column *column = sheet->columns[index];
	const char *text[LEVELS];
	size_t length[LEVELS];
	size_t room = 1;
	unsigned parts = 0;

	for (unsigned i = 0; i < rows; i++)
	{
		const MergeSource *source = &sources[i * sheet->width + index];

		text[parts] = cell_at(sheet->columns[source->column], source->row, &length[parts]);
		if (i + 1 < rows)
			length[parts] = frame_cut(text[parts], length[parts], UPPER_MAXIMUM);
		if (length[parts] == 0 || (parts > 0 && length[parts] == length[parts - 1] &&
								   memcmp(text[parts], text[parts - 1], length[parts]) == 0))
			continue;
		room += length[parts++] + 1;
	}
	if (parts == 0)
		return;
	column->title = parse_allocate(sheet->parse, room);
	for (unsigned i = 0; i < parts; i++)
	{
		if (i > 0)
			column->title[column->title_length++] = ' ';
		memcpy(column->title + column->title_length, text[i], length[i]);
		column->title_length += length[i];
	}
}

/* Use the texts of some rows as titles. */
static void
take_titles(Sheet *sheet, unsigned row, unsigned rows)
{
	MergeSource *sources = merge_sources(sheet, row, rows);

	/* a single row has its own texts, also in merged cells */
	for (unsigned i = 0; rows == 1 && i < sheet->width; i++)
		sources[i] = (MergeSource){row, i};
	for (unsigned i = 0; i < sheet->width; i++)
		take_title(sheet, i, sources, rows);
	parse_release(sheet->parse, sources);
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
	if (column->lengths_used > 0)
		memmove(column->lengths, column->lengths + lengths, column->lengths_used);
	column->rows -= there;
	column->touched = open ? sheet->rows - rows + 1 : 0;
	if (!open)
		return column->length + column->lengths_used + (sheet->rows - rows - column->rows);
	column->kept_length -= bytes;
	column->kept_lengths_used -= lengths;
	return column->kept_length + column->kept_lengths_used;
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
	sheet->size = sheet->size - sheet->kept_size + left;
	sheet->kept_size = left;
	sheet->rows -= rows;
	sheet->kept -= rows;
}

/* Where the titles of the columns are. */
typedef struct HeadingPosition
{
	unsigned captions; /* rows above them */
	unsigned rows;	   /* 0: there are none */
	const char *reason;
} HeadingPosition;

/* Record in the details of the sheet which row has the titles, and why. */
static void
report_heading(const Sheet *sheet, const HeadingPosition *position)
{
	Buffer *details = &sheet->parse->details;

	if (sheet->named)
		buffer_format(
			details, ",\"header\":%llu",
			(unsigned long long) sheet->waiting[position->captions + position->rows - 1].line);
	else
		buffer_text(details, ",\"header\":false");
	for (unsigned i = 0; position->rows > 1 && i < position->rows; i++)
		buffer_format(details, i == 0 ? ",\"headerRows\":[%llu" : ",%llu",
					  (unsigned long long) sheet->waiting[position->captions + i].line);
	if (position->rows > 1)
		buffer_text(details, "]");
	sheet_detail(sheet->parse, "skip", sheet->parse->options.skip);
	for (unsigned i = 0; i < position->captions; i++)
		buffer_format(details, i == 0 ? ",\"titles\":[%llu" : ",%llu",
					  (unsigned long long) sheet->waiting[i].line);
	buffer_format(details, "%s,\"headerReason\":\"%s\"", position->captions > 0 ? "]" : "",
				  position->reason);
}

/* Find the rows of titles by the kinds of the cells. */
static void
find_heading(const Sheet *sheet, HeadingPosition *position)
{
	Heading heading = {.sheet = sheet, .rows = sheet->rows, .columns = sheet->width};

	heading.looks = parse_allocate(sheet->parse, (size_t) heading.rows * heading.columns + 1);
	for (unsigned i = 0; i < sheet->width; i++)
		look_at_column(&heading, sheet->columns[i], i);
	heading.width = usual_extent(&heading);
	position->captions = count_titles(&heading);
	if (position->captions == 0 && looks_like_data(&heading, 0))
		position->reason = "the first row has values of the same kinds as the rows behind it";
	else
	{
		position->rows = count_levels(&heading, position->captions);
		position->reason = position->rows > 1		? "merged cells stand over the names of columns"
						   : position->captions > 0 ? "the rows above it are a caption"
													: "it is the first row with anything in it";
	}
	parse_release(sheet->parse, heading.looks);
}

/* The rows of titles that options tell, of those from a row on. */
static unsigned
given_rows(const Sheet *sheet, unsigned row)
{
	const Options *options = &sheet->parse->options;
	unsigned rows = options->header_rows > 0 ? (unsigned) options->header_rows : 1;

	rows = rows < sheet->rows - row ? rows : sheet->rows - row;
	/* rows without a cell are not there */
	while (rows > 1 && options->header_row > 0 &&
		   sheet->waiting[row + rows - 1].line > options->header_row)
		rows--;
	return rows;
}

/* Find the rows of titles, or take those that options tell. */
static HeadingPosition
heading_position(const Sheet *sheet)
{
	HeadingPosition position = {.reason = said};

	if (sheet->parse->options.header == HEADER_FOUND)
		find_heading(sheet, &position);
	else if (sheet->parse->options.header == HEADER_FIRST)
		position.rows = 1;
	if (position.rows > 0 &&
		(sheet->parse->options.header_rows > 0 || sheet->parse->options.header == HEADER_FIRST))
		position.rows = given_rows(sheet, position.captions);
	return position;
}

void
heading_take(Sheet *sheet)
{
	unsigned rows = sheet->rows;
	HeadingPosition position;
	unsigned last; /* of the rows of titles, or else the first row */

	if (sheet->headed)
		return;
	position = heading_position(sheet);
	last = position.captions + (position.rows > 0 ? position.rows - 1 : 0);
	if (position.rows > 0)
		take_titles(sheet, position.captions, position.rows);
	report_heading(sheet, &position);
	sheet->titles = sheet->waiting[last].cells;
	sheet->headed = true;
	sheet->head = sheet->waiting[last].line;
	for (unsigned i = position.captions; i < position.captions + position.rows; i++)
		if (sheet->waiting[i].flaw != NULL)
			sheet_issue(sheet, sheet->waiting[i].line, "%s", sheet->waiting[i].flaw);
	if (position.rows > 0)
		title_check(sheet, sheet->head);
	for (unsigned i = 0; i < position.captions; i++)
		sheet_issue(sheet, sheet->waiting[i].line,
					"the row is above that of the column names and was left out");
	for (unsigned i = position.captions + position.rows; i < rows; i++)
		sheet_report(sheet, &sheet->waiting[i]);
	drop_rows(sheet, position.captions + position.rows);
	places_find(sheet);
}
