/*
 * sheet.c - collect rows in columns, with the issues of rows, and pack these (extension/rows/sheets/chunk.h).
 *
 * Cells are appended directly to their columns.  The cells of the open row can be removed again,
 * because the row may turn out to be empty or invalid.
 */
#include "rows/places.h"

/* The part of a column that belongs to the rows to send: all but the cell of the open row. */
typedef struct Sent
{
	size_t length;
	unsigned lengths_used;
} Sent;

static Sent
sent_part(Sheet *sheet, Column *column, unsigned rows)
{
	if (column->touched == rows + 1)
		return (Sent){column->kept_length, column->kept_lengths_used};
	column_fill(sheet, column, rows);
	return (Sent){column->length, column->lengths_used};
}

/* Remove the sent rows from a column, and free the memory of an unusually long cell. */
static void
begin_again(Sheet *sheet, Column *column, Sent sent)
{
	size_t usual = (4 << 20) / sheet->width;

	column->length -= sent.length;
	column->lengths_used -= sent.lengths_used;
	if (column->length > 0)
		memmove(column->bytes, column->bytes + sent.length, column->length);
	if (column->lengths_used > 0)
		memmove(column->lengths, column->lengths + sent.lengths_used, column->lengths_used);
	column->rows = column->lengths_used > 0;
	column->touched = column->rows;
	column->kept_length = column->kept_lengths_used = 0;
	if (column->capacity > usual && column->length < usual / 2)
	{
		column->capacity = usual;
		column->bytes = parse_resize(sheet->parse, column->bytes, usual + 16);
	}
}

/* Send the first rows of the chunk; the others become the next chunk. */
static void
column_pack_send(Sheet *sheet, unsigned rows)
{
	Buffer *frame;
	uint64_t offset;

	places_take(sheet, rows);
	frame = frame_begin(sheet->parse, FRAME_CHUNK);
	offset = CHUNK_HEAD + 4 * ((uint64_t) sheet->width + 1);
	frame_number(frame, sheet->sent + 1, 8);
	frame_number(frame, rows, 4);
	frame_number(frame, CHUNK_FORMAT, 1);
	frame_number(frame, rows, 4);
	frame_number(frame, sheet->width, 4);
	for (unsigned i = 0; i < sheet->width; i++)
	{
		Sent part = sent_part(sheet, sheet->columns[i], rows);

		frame_number(frame, offset, 4);
		offset += part.length + part.lengths_used;
	}
	frame_number(frame, offset, 4);
	for (unsigned i = 0; i < sheet->width; i++)
	{
		Column *column = sheet->columns[i];
		Sent part = sent_part(sheet, column, rows);

		buffer_append(frame, (const char *) column->lengths, part.lengths_used);
		buffer_append(frame, column->bytes, part.length);
	}
	frame_send(sheet->parse);
	for (unsigned i = 0; i < sheet->width; i++)
	{
		Column *column = sheet->columns[i];
		Sent part = sent_part(sheet, column, rows);

		profile_cells(&column->profile, sheet->sent + 1, column->lengths, column->bytes, rows);
		begin_again(sheet, column, part);
	}
	sheet->sent += rows;
	sheet->rows -= rows;
	sheet->size -= sheet->kept_size;
	sheet->kept_size = 0;
}

Sheet *
sheet_begin(Parse *parse, unsigned number, const char *name, bool hidden)
{
	Sheet *sheet = parse_allocate(parse, sizeof(Sheet));
	Buffer *frame = frame_begin(parse, FRAME_SHEET);

	sheet->parse = parse;
	parse->details.length = 0;
	buffer_format(frame, "{\"number\":%u,\"name\":", number);
	frame_text(parse, name, strlen(name), TITLE_MAXIMUM);
	buffer_format(frame, ",\"hidden\":%s}", hidden ? "true" : "false");
	frame_send(parse);
	return sheet;
}

static bool
has_title(const Sheet *sheet, unsigned index, const char *title, size_t length)
{
	const Column *column = sheet->columns[index];

	return column->title_length == length &&
		   (length == 0 || memcmp(column->title, title, length) == 0);
}

unsigned
sheet_column(Sheet *sheet, unsigned first, unsigned near, const char *title, size_t length)
{
	Column *column;
	uint32_t hash;

	title = clean_text(sheet->parse, title, &length, &sheet->flaw);
	if (near < sheet->width && has_title(sheet, near, title, length))
		return near;
	hash = text_hash(TEXT_HASH, title, length);
	for (unsigned i = near; i < sheet->width; i++)
		if (sheet->hashes[i] == hash && has_title(sheet, i, title, length))
			return i;
	for (unsigned i = first; i < near && i < sheet->width; i++)
		if (sheet->hashes[i] == hash && has_title(sheet, i, title, length))
			return i;
	if (sheet->width >= NAMED_COLUMNS)
	{
		sheet->fault = "the row has more than 1,024 columns";
		return CONTENTS_COLUMNS;
	}
	column_new(sheet);
	column = sheet->columns[sheet->width - 1];
	column->title = parse_allocate(sheet->parse, length + 1);
	memcpy(column->title, title, length);
	column->title_length = length;
	sheet->hashes[sheet->width - 1] = hash;
	return sheet->width - 1;
}

/*
 * Prepare the column for a cell of the open row; false, with the fault of the row set, if a limit
 * is exceeded.
 */
static inline bool
open_cell(Sheet *sheet, unsigned index, size_t length)
{
	bool shape = index + 1 == sheet->geography.geometry;
	Column *column;

	if (sheet->fault != NULL)
		return false;
	if (index >= CONTENTS_COLUMNS)
		sheet->fault = "the row has more than 16,384 columns";
	else if (length > (shape ? CONTENTS_GEOMETRY : CONTENTS_CELL))
		sheet->fault = "a cell of the row is longer than 1 MiB";
	else if (!shape &&
			 sheet->size - sheet->kept_size - sheet->geography.length + length > ROW_MAXIMUM)
		sheet->fault = "the row is longer than 2 MB";
	if (sheet->fault != NULL)
		return false;
	while (sheet->width <= index)
		column_new(sheet);
	column = sheet->columns[index];
	if (shape)
		sheet->geography.length = length;
	if (column->touched != sheet->rows + 1)
	{
		if (column->rows < sheet->rows)
			column_fill(sheet, column, sheet->rows);
		column->touched = sheet->rows + 1;
		column->kept_length = column->length;
		column->kept_lengths_used = column->lengths_used;
	}
	if (column->capacity - column->length < length || column->bytes == NULL)
		column_make_room(sheet, column, length);
	return true;
}

/* A file that is small because its cells repeat must not fill the database; an empty one takes room in
 * each row that is sent, too. */
static inline void
count_cell(Parse *parse, size_t length)
{
	uint64_t size = parse->source->size;

	parse->cells += length + 1;
	if (parse->cells > CELLS_MAXIMUM)
		parse_refuse_file(parse, "the cells hold more than 2 GB");
	if (size > 0 && parse->cells > CELLS_SMALL && parse->cells / CELLS_RATIO > size)
		parse_refuse_file(parse, "the cells hold more than 200 times the bytes of the file");
}

void
sheet_cell(Sheet *sheet, unsigned index, const char *bytes, size_t length)
{
	unsigned position = places_index(sheet, index);
	Column *column;

	count_cell(sheet->parse, length);
	/* a longer one is a geometry, or refused by open_cell() */
	if (length <= CONTENTS_CELL)
		bytes = clean_text(sheet->parse, bytes, &length, &sheet->flaw);
	if (sheet->lost || !open_cell(sheet, position, length))
		return;
	column = sheet->columns[position];
	if (column->rows > sheet->rows)
	{
		sheet->flaw = "a cell is there twice and only the first of them was taken";
		return;
	}
	memcpy(column->bytes + column->length, bytes, length);
	column->length += length;
	column_add_length(sheet, column, length + 1);
	sheet->size += length + 1 + (length + 1 >= 1 << 7) + (length + 1 >= 1 << 14);
	sheet->filled++;
	if (sheet->cells <= index)
		sheet->cells = index + 1;
}

void
sheet_text(Sheet *sheet, unsigned index)
{
	Buffer *text = &sheet->parse->cell;

	if (text->failed)
		sheet->fault = "a cell of the row is longer than 1 MiB";
	else
		sheet_cell(sheet, index, text->length > 0 ? text->data : "", text->length);
	text->failed = false;
}

void
sheet_detail(Parse *parse, const char *name, uint64_t number)
{
	if (number > 0)
		buffer_format(&parse->details, ",\"%s\":%llu", name, (unsigned long long) number);
}

static void
close_row(Sheet *sheet)
{
	sheet->cells = sheet->filled = sheet->merged = 0;
	sheet->fault = sheet->flaw = NULL;
	sheet->geography.length = 0;
	sheet->geography.open = (Extent){0};
	sheet->kept_size = sheet->size;
	sheet->kept_width = sheet->width;
}

static void
free_column(Parse *parse, Column *column)
{
	parse_release(parse, column->bytes);
	parse_release(parse, column->lengths);
	parse_release(parse, column->title);
	profile_end(&column->profile);
	parse_release(parse, column);
}

void
sheet_undo(Sheet *sheet)
{
	while (sheet->width > sheet->kept_width)
	{
		free_column(sheet->parse, sheet->columns[--sheet->width]);
		sheet->kept_size -= sheet->rows;
	}
	for (unsigned i = 0; i < sheet->width; i++)
	{
		Column *column = sheet->columns[i];

		if (column->touched != sheet->rows + 1)
			continue;
		column->length = column->kept_length;
		column->lengths_used = column->kept_lengths_used;
		column->rows = sheet->rows;
		column->touched = 0;
	}
	sheet->size = sheet->kept_size;
	close_row(sheet);
}

void
sheet_lose(Sheet *sheet, uint64_t line, const char *reason)
{
	Parse *parse = sheet->parse;

	if (sheet->lost)
		return;
	sheet->lost = true;
	sheet_undo(sheet);
	if (sheet->rows > 0)
		heading_take(sheet);
	if (parse->lost[0] == '\0')
		snprintf(parse->lost, sizeof(parse->lost), "%s", reason);
	/* the list of issues may be full */
	buffer_format(&parse->details, ",\"lost\":%s", sheet->kept > 0 ? "\"rows\"" : "\"all\"");
	sheet_issue(sheet, line, "%s; %s", reason,
				sheet->kept > 0 ? "the rows from here on were left out" : "the sheet was left out");
}

void
sheet_bad(Sheet *sheet, uint64_t line, const char *reason)
{
	sheet->bad++;
	sheet_issue(sheet, line, "%s; it was left out", reason);
	sheet_undo(sheet);
}

void
sheet_report(Sheet *sheet, const Waiting *row)
{
	merge_count(sheet, row);
	if (row->flaw != NULL)
		sheet_issue(sheet, row->line, "%s", row->flaw);
	if (sheet->even && row->cells != sheet->titles)
		sheet_issue(sheet, row->line, "the row has %u cells, the %s %u", row->cells,
					sheet->named ? "row of column names" : "first row", sheet->titles);
}

/* Send the rows of the chunk, if the row of titles is known. */
static void
send_rows(Sheet *sheet)
{
	heading_take(sheet);
	if (sheet->rows > 0)
		column_pack_send(sheet, sheet->rows);
}

/* The first rows that are examined before the titles are taken. */
static unsigned
rows_needed(const Options *options)
{
	if (options->header == HEADER_FOUND)
		return HEADING_ROWS;
	return options->header == HEADER_FIRST && options->header_rows > 0
			   ? (unsigned) options->header_rows
			   : 1;
}

/* The bytes of a chunk: fewer where geometries are to be converted, which makes them longer. */
static size_t
chunk_bytes(const Sheet *sheet)
{
	return sheet->parse->options.crs != NULL ? CHUNK_BYTES / 2 : CHUNK_BYTES;
}

/* Keep a valid row. */
static void
keep_row(Sheet *sheet, uint64_t line)
{
	Waiting row = {line, sheet->cells, sheet->merged, sheet->flaw};
	Parse *parse = sheet->parse;

	sheet->size += sheet->width - sheet->filled;
	if (sheet->rows > 0 && sheet->size > chunk_bytes(sheet) * 3 / 2)
		send_rows(sheet);
	if (sheet->headed)
		sheet_report(sheet, &row);
	else
		sheet->waiting[sheet->rows] = row;
	geography_keep(&sheet->geography);
	sheet->kept++;
	sheet->rows++;
	close_row(sheet);
	if (!sheet->headed && sheet->rows == rows_needed(&sheet->parse->options))
		heading_take(sheet);
	if (sheet->rows == CHUNK_ROWS || sheet->size > chunk_bytes(sheet))
		send_rows(sheet);
	if (parse->options.rows > 0 && sheet->kept == parse->options.rows)
	{
		sheet_end(sheet);
		parse_end(parse);
	}
}

void
sheet_row(Sheet *sheet, uint64_t line)
{
	bool first = !sheet->headed && sheet->rows == 0;

	if (sheet->flaw == NULL)
		sheet->flaw = sheet->parse->flaw;
	sheet->parse->flaw = NULL;
	merge_row(sheet, line);
	if (sheet->lost || line <= sheet->parse->options.skip)
		sheet_undo(sheet);
	else if (sheet->fault == NULL)
		keep_row(sheet, line);
	else if (first && sheet->parse->options.header != HEADER_NONE)
	{
		char reason[REASON_MAXIMUM];

		snprintf(reason, sizeof(reason), "the row of column names, line %llu, cannot be read: %s",
				 (unsigned long long) line, sheet->fault);
		sheet_lose(sheet, line, reason);
	}
	else
		sheet_bad(sheet, line, sheet->fault);
}

/* Write the frame that ends the sheet, with texts cut to maximum bytes. */
static Buffer *
write_end(Sheet *sheet, size_t maximum)
{
	Buffer *frame = frame_begin(sheet->parse, FRAME_END);
	Buffer *details = &sheet->parse->details;

	buffer_format(frame, "{\"rows\":%llu,\"badRows\":%llu,\"columns\":[",
				  (unsigned long long) sheet->kept, (unsigned long long) sheet->bad);
	for (unsigned i = 0; i < sheet->width; i++)
	{
		Column *column = sheet->columns[i];

		buffer_text(frame, i == 0 ? "{\"name\":" : ",{\"name\":");
		buffer_json(frame, column->name, strlen(column->name));
		buffer_text(frame, ",\"title\":");
		frame_text(sheet->parse, column->title_length == 0 ? "" : column->title,
				   column->title_length, maximum);
		profile_json(&column->profile, sheet->kept, frame);
		buffer_text(frame, "}");
	}
	buffer_text(frame, "],\"details\":{");
	if (details->length > 0)
		buffer_append(frame, details->data + 1, details->length - 1);
	buffer_text(frame, "}}");
	return frame;
}

/* Drop the last columns that have neither a title nor a cell; chunks keep their empty texts. */
static void
drop_columns(Sheet *sheet)
{
	while (sheet->width > 1 && sheet->columns[sheet->width - 1]->title_length == 0 &&
		   sheet->columns[sheet->width - 1]->profile.values == 0)
		free_column(sheet->parse, sheet->columns[--sheet->width]);
}

/* Tell the columns which sign stands before decimals in the others, if it is one. */
static void
share_decimal(Sheet *sheet)
{
	bool used[DECIMALS + 1] = {false};
	bool points = false;

	for (unsigned i = 0; i < sheet->width; i++)
	{
		const Profile *profile = &sheet->columns[i]->profile;
		Decimal decimal = profile_decimal(profile);

		used[decimal] = true;
		points |= decimal == DECIMAL_COMMA && profile->numbers_by[DECIMAL_COMMA].thousands == '.';
	}
	for (unsigned i = 0; i < sheet->width && used[DECIMAL_POINT] != used[DECIMAL_COMMA]; i++)
	{
		sheet->columns[i]->profile.usual = used[DECIMAL_COMMA] ? DECIMAL_COMMA : DECIMAL_POINT;
		sheet->columns[i]->profile.points = points;
	}
}

/* Report the columns that are text although most of their cells are numbers or dates, and those whose
 * numbers could mean others. */
static void
report_columns(Sheet *sheet)
{
	char note[REASON_MAXIMUM];
	bool text;

	for (unsigned i = 0; i < sheet->width; i++)
		if (profile_note(&sheet->columns[i]->profile, note, sizeof(note), &text))
			sheet_issue(sheet, sheet->head, "the column \"%s\"%s: %s", sheet->columns[i]->name,
						text ? " is text" : "", note);
}

/* Is a frame no longer than one without a geometry? */
static bool
is_usual(const Buffer *frame)
{
	return !frame->failed && frame->length <= FRAME_USUAL;
}

void
sheet_end(Sheet *sheet)
{
	size_t maximum = FRAME_USUAL;

	if (sheet->rows > 0)
		send_rows(sheet);
	drop_columns(sheet);
	heading_name_columns(sheet);
	share_decimal(sheet);
	report_columns(sheet);
	merge_end(sheet);
	places_end(sheet);
	geography_write(sheet);
	/* the titles may exceed the size of a frame */
	while (!is_usual(write_end(sheet, maximum)) && maximum > 0)
		maximum /= 2;
	if (maximum < FRAME_USUAL)
	{
		sheet_issue(sheet, sheet->head,
					"the titles of the columns are too long together and are cut");
		write_end(sheet, maximum);
	}
	frame_send(sheet->parse);
	sheet->parse->filled += sheet->headed && !sheet->lost;
	for (unsigned i = 0; i < sheet->width; i++)
		free_column(sheet->parse, sheet->columns[i]);
	parse_release(sheet->parse, sheet);
}
