/*
 * answer.c - an answer as a sheet: its rows, found by the paths of the service, and their columns.
 *
 * A row is an object, whose members are its cells, or an array of cells.  The names of the columns
 * are those of the members in the order in which they appear, or by position those that the title
 * path leads to.
 */

#include "answers/answer.h"
#include "answers/answers.h"
#include "rows/rows.h"

static void
add_offset(const Answer *answer, Buffer *offsets, Node value)
{
	uint32_t offset = (uint32_t) (value.start - answer->tree.values.data);

	buffer_append(offsets, (const char *) &offset, sizeof(offset));
}

/* Add the offset of a value, of an array those of its elements. */
static void
add(const Answer *answer, Buffer *offsets, Node value)
{
	Walk walk = tree_walk(value);

	if (value.type != JSON_ARRAY)
		add_offset(answer, offsets, value);
	else
		while (tree_next(&walk))
			add_offset(answer, offsets, walk.value);
}

/* The values at a dotted path from a value; a path through an array is one through each of its
 * elements. */
static void /* NOLINTNEXTLINE(misc-no-recursion): up to TREE_DEPTH */
answer_rows_at(const Answer *answer, Node value, const char *path, Buffer *offsets)
{
	size_t length = strcspn(path, ".");
	Walk walk = tree_walk(value);

	if (*path == '\0')
	{
		add(answer, offsets, value);
		return;
	}
	while (tree_next(&walk))
		if (!walk.named)
			answer_rows_at(answer, walk.value, path, offsets);
		else if (tree_is_named(&answer->tree, walk.name, path, length))
			answer_rows_at(answer, walk.value, path + length + (path[length] == '.'), offsets);
}

/* Is it an array with rows in it? */
static bool
has_rows(Node value)
{
	Node first;
	bool only;

	return value.type == JSON_ARRAY && tree_first(value, &first, &only) && tree_is_outer(first);
}

/*
 * Find the member of an object that has the rows: its only member, if that is an array or object,
 * else the first array of rows.  False: the object is a row itself.
 */
static bool
inner(Node object, Node *found)
{
	Walk walk = tree_walk(object);
	Node first;
	bool only = false;

	if (object.type != JSON_OBJECT || !tree_first(object, &first, &only))
		return false;
	while (tree_next(&walk))
		if (has_rows(walk.value) || (only && tree_is_outer(walk.value)))
		{
			*found = walk.value;
			return true;
		}
	return false;
}

/* How many offsets there are, and the value at one of them. */
static size_t
answer_rows_count(const Buffer *offsets)
{
	return offsets->length / sizeof(uint32_t);
}

static Node
answer_rows_value(const Answer *answer, const Buffer *offsets, size_t i)
{
	uint32_t offset;

	memcpy(&offset, offsets->data + i * sizeof(offset), sizeof(offset));
	return tree_at(answer->tree.values.data + offset);
}

/* Go on from the value that no path leads to, or that it leads to, to the rows in it. */
static void
answer_rows_of(const Answer *answer, Buffer *offsets)
{
	Node below;

	while (answer_rows_count(offsets) == 1 && inner(answer_rows_value(answer, offsets, 0), &below))
	{
		offsets->length = 0;
		add(answer, offsets, below);
	}
}

#define OFFSETS_MAXIMUM ((size_t) 1 << 30)

/* The columns of the rows. */
typedef struct Columns
{
	size_t width; /* how many there are */
	size_t named; /* the first of them, which have names of members */
	uint32_t names[NAMED_COLUMNS];
} Columns;

static void
close_answer(Parse *parse)
{
	Answer *answer = parse->open;

	if (answer->reader != NULL)
		unzip_abandon(answer->reader);
	tree_free(&answer->tree);
	buffer_free(&answer->rows);
	buffer_free(&answer->titles);
	buffer_free(&answer->text);
}

Answer *
answer_begin(Parse *parse, bool gathers, Unzip *reader)
{
	Answer *answer = parse_allocate(parse, sizeof(Answer));

	answer->parse = parse;
	answer->reader = reader;
	tree_begin(&answer->tree, parse, gathers);
	buffer_init(&answer->rows, OFFSETS_MAXIMUM);
	buffer_init(&answer->titles, OFFSETS_MAXIMUM);
	buffer_init(&answer->text, OFFSETS_MAXIMUM);
	parse->open = answer;
	parse->close = close_answer;
	return answer;
}

/* Refuse an answer where parse->cell has lost a part of a text; that of one which is longer than a
 * cell may be does not matter. */
static void
answer_check_cell(const Answer *answer)
{
	const Buffer *cell = &answer->parse->cell;

	if (cell->failed && cell->length <= CONTENTS_CELL)
		tree_refuse_memory(&answer->tree);
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

	return tree_named(&answer->tree, name, strlen(name));
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
find(const Answer *answer, Node value, const char *path, Buffer *offsets)
{
	Walk walk = tree_walk(value);

	answer_rows_at(answer, value, path, offsets);
	if (offsets->length == 0 && walk.named && tree_next(&walk) && walk.at == walk.end)
		answer_rows_at(answer, walk.value, path, offsets);
	if (offsets->failed)
		tree_refuse_memory(&answer->tree);
	if (offsets->length == 0)
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
		tree_refuse_memory(&answer->tree);
	if (answer->rows.length == 0)
		parse_refuse(answer->parse, "the answer has no rows");
	write_rows(answer);
}

/* Add the next value to the tree; of an array or object the beginning. */
static void
add_value(Answer *answer, Json *json)
{
	const Buffer *text = &answer->parse->cell;
	JsonType type = json_value(json);

	answer_check_cell(answer);
	if (type == JSON_OBJECT || type == JSON_ARRAY)
		tree_open(&answer->tree, type);
	else
		tree_value(&answer->tree, type, text->data, text->length);
}

/* Add the next member or element of what is open, or end that. */
static void
add_next(Answer *answer, Json *json)
{
	const Buffer *text = &answer->parse->cell;
	bool named = tree_open_type(&answer->tree) == JSON_OBJECT;

	if (!(named ? json_member(json) : json_element(json)))
	{
		tree_close(&answer->tree);
		return;
	}
	answer_check_cell(answer);
	if (named)
		tree_name(&answer->tree, text->data, text->length);
	add_value(answer, json);
}

void
answer_read_json(Parse *parse)
{
	Answer *answer = answer_begin(parse, false, NULL);
	Json *json = json_open(parse, "answer");
	const Tree *tree = &answer->tree;
	Node whole;

	add_value(answer, json);
	while (tree->depth > 0)
		add_next(answer, json);
	json_end(json);
	whole = tree_at(tree->values.data);
	if (!tree_is_outer(whole))
		parse_refuse(parse, "the answer has no rows");
	answer_write(answer, whole);
}
