/*
 * answer.c - an answer as a sheet: its rows, found by the paths of the service, and their columns.
 *
 * A row is an object, whose members are its cells, or an array of cells.  The names of the columns
 * are those of the members in the order in which they appear, or by position those that the title
 * path leads to.
 */
#include <stdio.h>
#include <string.h>

#include "answers/answer.h"
#include "rows/rows.h"

#define PLACES_MAXIMUM ((size_t) 1 << 30)

/* The columns of the rows. */
typedef struct Columns
{
	size_t width; /* how many there are */
	size_t named; /* the first of them, which have names of members */
	uint32_t names[NAMED_COLUMNS];
} Columns;

void
answer_refuse_memory(const Answer *answer)
{
	parse_refuse_file(answer->parse, "the answer takes more memory to read than one may have");
}

static void
close_answer(Parse *parse)
{
	Answer *answer = parse->open;

	if (answer->reader != NULL)
		answer->release(answer->reader);
	tree_free(&answer->tree);
	buffer_free(&answer->rows);
	buffer_free(&answer->titles);
}

Answer *
answer_begin(Parse *parse, bool gathers)
{
	Answer *answer = parse_allocate(parse, sizeof(Answer));

	answer->parse = parse;
	tree_begin(&answer->tree, gathers);
	buffer_init(&answer->rows, PLACES_MAXIMUM);
	buffer_init(&answer->titles, PLACES_MAXIMUM);
	parse->open = answer;
	parse->close = close_answer;
	return answer;
}

void
answer_check(const Answer *answer)
{
	if (answer->tree.reason != NULL)
		parse_refuse_file(answer->parse, answer->tree.reason);
}

void
answer_check_cell(const Answer *answer)
{
	const Buffer *cell = &answer->parse->cell;

	if (cell->failed && cell->length <= CONTENTS_CELL)
		answer_refuse_memory(answer);
}

/* Put a value into the open row; null is a cell that is not there. */
static void
put_value(const Answer *answer, Sheet *sheet, unsigned column, Node value)
{
	Buffer *text = &answer->parse->cell;

	if (value.type == JSON_NULL)
		return;
	if (!tree_is_outer(value))
	{
		sheet_cell(sheet, column, value.bytes, value.length);
		return;
	}
	text->length = 0;
	text->failed = false;
	tree_json(&answer->tree, value, text);
	answer_check_cell(answer);
	sheet_cell(sheet, column, text->data, text->length);
}

/* Give the members of a name a column. */
static void
number_column(Answer *answer, Columns *columns, uint32_t number)
{
	Name *name = &answer->tree.names[number];

	if (name->column > 0)
		return;
	if (columns->named == NAMED_COLUMNS)
		parse_refuse(answer->parse, "the rows of the answer have more than 1,024 columns");
	columns->names[columns->named++] = number;
	name->column = (uint32_t) columns->named;
}

/* The number of the name of the column of rows that are neither objects nor arrays. */
static uint32_t
single(Answer *answer)
{
	static const char name[] = "value";
	uint32_t number = tree_named(&answer->tree, name, strlen(name));

	answer_check(answer);
	return number;
}

/* Number the columns of a row. */
static void
number_columns(Answer *answer, Columns *columns, Node row)
{
	Walk walk = tree_walk(row);
	size_t cells = 0;

	if (!tree_is_outer(row))
		number_column(answer, columns, single(answer));
	for (; tree_next(&walk); cells++)
		if (walk.named)
			number_column(answer, columns, walk.name);
	if (row.type == JSON_ARRAY && cells > columns->width)
		columns->width = cells;
	if (columns->named > columns->width)
		columns->width = columns->named;
}

/* The row of titles: given ones by position, else the names of members, else numbers. */
static void
write_titles(Answer *answer, Sheet *sheet, const Columns *columns)
{
	size_t titles = answer_rows_count(&answer->titles);

	for (size_t i = 0; i < columns->width; i++)
	{
		char text[32];

		if (i < titles)
			put_value(answer, sheet, (unsigned) i, answer_rows_value(answer, &answer->titles, i));
		else if (i < columns->named)
		{
			const Name *name = &answer->tree.names[columns->names[i]];

			sheet_cell(sheet, (unsigned) i, answer->tree.texts.data + name->text, name->length);
		}
		else
		{
			snprintf(text, sizeof(text), "column %zu", i + 1);
			sheet_cell(sheet, (unsigned) i, text, strlen(text));
		}
	}
	sheet_row(sheet, 1);
}

static void
write_row(Answer *answer, Sheet *sheet, Node row)
{
	const Name *names = answer->tree.names;
	Walk walk = tree_walk(row);

	if (!tree_is_outer(row))
		put_value(answer, sheet, answer->tree.names[single(answer)].column - 1, row);
	for (unsigned i = 0; tree_next(&walk); i++)
		put_value(answer, sheet, walk.named ? names[walk.name].column - 1 : i, walk.value);
}

static void
write_rows(Answer *answer)
{
	Parse *parse = answer->parse;
	Columns *columns = parse_allocate(parse, sizeof(Columns));
	size_t count = answer_rows_count(&answer->rows);
	Sheet *sheet;

	for (size_t i = 0; i < count; i++)
		number_columns(answer, columns, answer_rows_value(answer, &answer->rows, i));
	if (columns->width > NAMED_COLUMNS)
		parse_refuse(parse, "the rows of the answer have more than 1,024 columns");
	if (columns->width == 0)
		parse_refuse(parse, "the rows of the answer are empty");
	parse->options.header = HEADER_FIRST;
	parse->options.skip = 0;
	sheet = sheet_begin(parse, 1, "", false);
	write_titles(answer, sheet, columns);
	for (size_t i = 0; i < count; i++)
	{
		write_row(answer, sheet, answer_rows_value(answer, &answer->rows, i));
		sheet_row(sheet, i + 2);
	}
	sheet_end(sheet);
}

/* Find the values at a path of the service; it may leave the outermost name out. */
static void
find(const Answer *answer, Node value, const char *path, Buffer *places)
{
	Walk walk = tree_walk(value);

	answer_rows_at(answer, value, path, places);
	if (places->length == 0 && walk.named && tree_next(&walk) && walk.at == walk.end)
		answer_rows_at(answer, walk.value, path, places);
	if (places->failed)
		answer_refuse_memory(answer);
	if (places->length == 0)
		parse_refuse(answer->parse, "the answer has nothing at \"%.200s\"", path);
}

void
answer_write(Answer *answer, Node value)
{
	const Options *options = &answer->parse->options;

	if (options->title_path != NULL)
		find(answer, value, options->title_path, &answer->titles);
	if (options->data_path != NULL)
		find(answer, value, options->data_path, &answer->rows);
	else
		answer_rows_at(answer, value, "", &answer->rows);
	answer_rows_of(answer, &answer->rows);
	if (answer->rows.failed)
		answer_refuse_memory(answer);
	if (answer->rows.length == 0)
		parse_refuse(answer->parse, "the answer has no rows");
	write_rows(answer);
}
