/*
 * answer.c - an answer as a sheet: its rows, found by the paths of the service, and their columns.
 *
 * A row is an object, whose members are its cells, or an array of cells.  The names of the columns
 * are those of the members in the order in which they appear, or by position those that the title
 * path leads to.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/answers.h"
#include "rows/rows.h"

#define BLOCK 65536
#define ANSWER_MAXIMUM ((size_t) 1 << 30)
#define SINGLE "value" /* column of rows that are neither objects nor arrays */

void
answer_prepare(const Options *options)
{
	(void) options;
	json_object_seed(0);
}

void
answer_without_memory(Parse *parse)
{
	parse_refuse_file(parse, "the answer takes more memory to read than one may have");
}

static void
close_answer(Parse *parse)
{
	Answer *answer = parse->open;

	json_decref(answer->tree);
	buffer_free(&answer->bytes);
}

Answer *
answer_begin(Parse *parse)
{
	Answer *answer = parse_allocate(parse, sizeof(Answer));
	size_t got;

	buffer_init(&answer->bytes, ANSWER_MAXIMUM);
	parse->open = answer;
	parse->close = close_answer;
	do
	{
		if (!buffer_reserve(&answer->bytes, BLOCK))
			answer_without_memory(parse);
		got = parse_read(parse, answer->bytes.data + answer->bytes.length, BLOCK);
		answer->bytes.length += got;
		parse_progress(parse);
	} while (got > 0);
	if (answer->bytes.length == 0)
		parse_refuse(parse, "the answer is empty");
	return answer;
}

/* Write a number as short as it can be read back. */
static void
put_real(char *text, size_t size, double number)
{
	for (int digits = 15; digits <= 17; digits++)
	{
		snprintf(text, size, "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			return;
	}
}

/* Put a value into the open row; null is a cell that is not there. */
static void
put_value(Sheet *sheet, unsigned column, const json_t *value)
{
	char number[40];
	char *text;

	if (json_is_null(value) || value == NULL)
		return;
	if (json_is_string(value))
	{
		sheet_cell(sheet, column, json_string_value(value), json_string_length(value));
		return;
	}
	if (json_is_integer(value))
		snprintf(number, sizeof(number), "%lld", (long long) json_integer_value(value));
	else if (json_is_real(value))
		put_real(number, sizeof(number), json_real_value(value));
	else if (json_is_boolean(value))
		snprintf(number, sizeof(number), "%s", json_is_true(value) ? "true" : "false");
	else
	{
		text = json_dumps(value, JSON_COMPACT);
		if (text == NULL)
			answer_without_memory(sheet->parse);
		sheet_cell(sheet, column, text, strlen(text));
		free(text);
		return;
	}
	sheet_cell(sheet, column, number, strlen(number));
}

/* Number the members of all rows: an object of their names, each with its column. */
static json_t *
number_columns(Parse *parse, const json_t *rows)
{
	json_t *columns = json_object();
	const char *name;
	json_t *row;
	json_t *value;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		const char *only = json_is_object(row) || json_is_array(row) ? NULL : SINGLE;

		json_object_foreach(row, name, value)
		{
			if (json_object_get(columns, name) == NULL &&
				json_object_set_new(columns, name,
									json_integer((json_int_t) json_object_size(columns))) != 0)
				answer_without_memory(parse);
		}
		if (only != NULL && json_object_get(columns, only) == NULL)
			json_object_set_new(columns, only,
								json_integer((json_int_t) json_object_size(columns)));
		if (json_object_size(columns) > CONTENTS_COLUMNS)
			parse_refuse(parse, "the rows of the answer have more than 1,024 columns");
	}
	if (columns == NULL)
		answer_without_memory(parse);
	return columns;
}

static size_t
column_of(const json_t *columns, const char *name)
{
	return (size_t) json_integer_value(json_object_get(columns, name));
}

/* The most cells of rows that are arrays. */
static size_t
longest(const json_t *rows)
{
	size_t most = 0;
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		if (json_array_size(row) > most)
			most = json_array_size(row);
	}
	return most;
}

/* The row of titles: given ones by position, else the names of members, else numbers. */
static void
write_titles(Sheet *sheet, const json_t *columns, const json_t *titles, size_t width)
{
	const char *name;
	json_t *number;
	json_t *title;
	size_t i;

	json_array_foreach(titles, i, title)
	{
		if (i < width)
			put_value(sheet, (unsigned) i, title);
	}
	json_object_foreach((json_t *) (uintptr_t) columns, name, number)
	{
		if (column_of(columns, name) >= json_array_size(titles))
			sheet_cell(sheet, (unsigned) column_of(columns, name), name, strlen(name));
	}
	for (size_t at = json_array_size(titles) > json_object_size(columns)
						 ? json_array_size(titles)
						 : json_object_size(columns);
		 at < width; at++)
	{
		char text[24];

		snprintf(text, sizeof(text), "column %zu", at + 1);
		sheet_cell(sheet, (unsigned) at, text, strlen(text));
	}
	sheet_row(sheet, 1);
}

static void
write_row(Sheet *sheet, const json_t *columns, const json_t *row)
{
	const char *name;
	json_t *value;
	size_t i;

	if (!json_is_object(row) && !json_is_array(row))
		put_value(sheet, (unsigned) column_of(columns, SINGLE), row);
	json_object_foreach((json_t *) (uintptr_t) row, name, value)
	{
		put_value(sheet, (unsigned) column_of(columns, name), value);
	}
	json_array_foreach(row, i, value)
	{
		put_value(sheet, (unsigned) i, value);
	}
}

static void
write_rows(Parse *parse, const json_t *rows, const json_t *titles)
{
	json_t *columns = number_columns(parse, rows);
	size_t width =
		longest(rows) > json_object_size(columns) ? longest(rows) : json_object_size(columns);
	Sheet *sheet;
	json_t *row;
	size_t i;

	if (width > CONTENTS_COLUMNS)
		parse_refuse(parse, "the rows of the answer have more than 1,024 columns");
	if (width == 0)
		parse_refuse(parse, "the rows of the answer are empty");
	parse->options.header = HEADER_FIRST;
	parse->options.skip = 0;
	sheet = sheet_begin(parse, 1, "", false);
	write_titles(sheet, columns, titles, width);
	json_array_foreach(rows, i, row)
	{
		write_row(sheet, columns, row);
		sheet_row(sheet, i + 2);
	}
	sheet_end(sheet);
	json_decref(columns);
}

/* The values at a path of the service; the path may leave the root of the tree out. */
static json_t *
find(Parse *parse, const json_t *tree, const char *path)
{
	json_t *values = answer_rows_at(tree, path);

	if (json_array_size(values) == 0 && json_object_size(tree) == 1)
	{
		json_decref(values);
		values = answer_rows_at(
			json_object_iter_value(json_object_iter((json_t *) (uintptr_t) tree)), path);
	}
	if (values == NULL)
		answer_without_memory(parse);
	if (json_array_size(values) == 0)
		parse_refuse(parse, "the answer has nothing at \"%.200s\"", path);
	return values;
}

void
answer_write(Parse *parse, const json_t *tree)
{
	const char *data_path = parse->options.data_path;
	const char *title_path = parse->options.title_path;
	json_t *titles = title_path != NULL ? find(parse, tree, title_path) : NULL;
	json_t *rows = data_path != NULL ? find(parse, tree, data_path) : answer_rows_at(tree, "");

	rows = rows != NULL ? answer_rows_of(rows) : NULL;
	if (rows == NULL)
		answer_without_memory(parse);
	if (json_array_size(rows) == 0)
		parse_refuse(parse, "the answer has no rows");
	write_rows(parse, rows, titles);
	json_decref(rows);
	json_decref(titles);
}
