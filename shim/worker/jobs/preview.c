/*
 * preview.c - the frames of a child as a preview: the first rows of a sheet, which are not stored.
 *
 * Sizes are bounded here, since the child is not trusted.
 */
#include "jobs/contents.h"
#include "rows/cells.h"

#define COLUMNS 200 /* of a preview, at most */
#define ROWS 10
#define CELL 1000 /* bytes of a cell, at most, without the mark of what is cut */
#define ISSUES 20

/* The beginning of a text that is not cut within a character. */
static size_t
whole_length(const char *text, size_t length)
{
	if (length <= CELL)
		return length;
	for (length = CELL; length > 0 && (text[length] & 0xC0) == 0x80;)
		length--;
	return length;
}

/* A cell as JSON; a long one is cut.  NULL if it is no valid text. */
static json_t *
cell_of(const char *cell, size_t length)
{
	size_t whole = cell != NULL ? whole_length(cell, length) : 0;

	if (cell == NULL)
		return json_null();
	return json_sprintf("%.*s%s", (int) whole, cell, whole < length ? "\xE2\x80\xA6" : "");
}

/* How much a sheet is wanted: the one that the options name most, by its name or number, a hidden one least. */
static int
rank_of(const json_t *sheet, const char *chosen)
{
	const char *name = json_string_value(json_object_get(sheet, "name"));
	char number[24];

	snprintf(number, sizeof(number), "%lld",
			 (long long) json_integer_value(json_object_get(sheet, "number")));
	if (chosen != NULL &&
		(strcmp(chosen, number) == 0 || strcasecmp(chosen, name ? name : "") == 0))
		return 3;
	return json_is_true(json_object_get(sheet, "hidden")) ? 1 : 2;
}

bool
preview_sheet(json_t *preview, const Frame *frame)
{
	json_t *sheet = json_loadb(frame->data, frame->length, JSON_REJECT_DUPLICATES, NULL);
	json_t *name = json_object_get(sheet, "name");
	int rank = rank_of(sheet, json_string_value(json_object_get(preview, "chosen")));
	bool good = json_is_string(name);
	bool better = good && rank > json_integer_value(json_object_get(preview, "rank"));

	json_object_set_new(preview, "open", json_boolean(better));
	if (better)
	{
		json_object_set(preview, "sheet", name);
		json_object_set_new(preview, "rank", json_integer(rank));
		json_object_set_new(preview, "rows", json_array());
		json_object_set_new(preview, "issues", json_array());
	}
	json_decref(sheet);
	return good;
}

/* The list of the open sheet, NULL where that is not the one of the preview, or the list is full. */
static json_t *
open_list(json_t *preview, const char *name, size_t most)
{
	json_t *list = json_object_get(preview, name);

	return json_is_true(json_object_get(preview, "open")) && json_array_size(list) < most ? list
																						  : NULL;
}

bool
preview_rows(json_t *preview, const Frame *frame)
{
	json_t *rows = open_list(preview, "rows", ROWS);
	Cells cells = {0};
	bool good = rows == NULL ||
				(frame->length >= CHUNK_START &&
				 cells_open(&cells, frame->data + CHUNK_START, frame->length - CHUNK_START));

	for (uint32_t i = 0; rows != NULL && good && i < cells.rows && json_array_size(rows) < ROWS;
		 i++)
	{
		json_t *row = json_array();

		for (uint32_t column = 0; good && column < cells.count && column < COLUMNS; column++)
		{
			size_t length = 0;
			const char *cell = cells_next(&cells, column, &length);

			good = json_array_append_new(row, cell_of(cell, length)) == 0;
		}
		good = json_array_append_new(rows, row) == 0 && good;
	}
	cells_close(&cells);
	return good;
}

bool
preview_issue(json_t *preview, const Frame *frame)
{
	json_t *issue = json_loadb(frame->data, frame->length, JSON_REJECT_DUPLICATES, NULL);
	json_t *list = open_list(preview, "issues", ISSUES);
	bool good = json_is_string(json_object_get(issue, "reason"));

	if (good && list != NULL)
		good = json_array_append(list, issue) == 0;
	json_decref(issue);
	return good;
}

bool
preview_sheet_end(json_t *preview, const Frame *frame)
{
	json_t *summary = json_loadb(frame->data, frame->length, JSON_REJECT_DUPLICATES, NULL);
	json_t *columns = json_object_get(summary, "columns");
	bool good = json_is_array(columns);

	while (json_array_size(columns) > COLUMNS)
		json_array_remove(columns, json_array_size(columns) - 1);
	if (good && json_is_true(json_object_get(preview, "open")))
	{
		json_object_set(preview, "columns", columns);
		json_object_set(preview, "details", json_object_get(summary, "details"));
		json_object_set(preview, "rowCount", json_object_get(summary, "rows"));
	}
	json_object_set_new(preview, "open", json_false());
	json_decref(summary);
	return good;
}

char *
preview_text(json_t *preview)
{
	json_object_del(preview, "open");
	json_object_del(preview, "rank");
	json_object_del(preview, "chosen");
	return json_dumps(preview, JSON_COMPACT);
}
