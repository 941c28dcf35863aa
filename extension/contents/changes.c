/*
 * changes.c
 *	  Changes of a file's rows between two versions: rows added, removed and changed.
 *
 * The rows that differ are sorted by the key in both versions, and merged.
 */
#include "catalogue.h"

#include "utils/varlena.h"

#include "base/base.h"
#include "contents/changes.h"
#include "contents/contents.h"
#include "contents/contents_internal.h"
#include "sheets/sheets.h"

typedef enum Change
{
	CHANGE_ADDED,
	CHANGE_REMOVED,
	CHANGE_CHANGED,
	CHANGES
} Change;

static const char *const change_names[] = {
	[CHANGE_ADDED] = "added", [CHANGE_REMOVED] = "removed", [CHANGE_CHANGED] = "changed"};

/* The next row of a version; its text is that of the sort. */
typedef struct NextRow
{
	bool there;
	const char *text; /* the cells of the key, each after its length, and the row as JSON */
	int length;
} NextRow;

struct SheetChanges
{
	const ChangesQuery *query;
	SheetSort *sorts[VERSIONS];
	NextRow rows[VERSIONS];
	int64 counts[CHANGES];
};

static void
advance(SheetChanges *changes, Version version)
{
	NextRow *row = &changes->rows[version];
	int64 number;
	text *with;

	row->there = cat_sheet_sort_next(changes->sorts[version], &number, &with);
	if (!row->there)
		return;
	row->text = VARDATA_ANY(with);
	row->length = (int) VARSIZE_ANY_EXHDR(with);
}

/* Compare the versions in the current memory context. */
SheetChanges *
cat_changes_begin(const ChangesQuery *query)
{
	SheetChanges *changes = palloc0(sizeof(SheetChanges));

	changes->query = query;
	for (Version version = VERSION_FROM; version < VERSIONS; version++)
		changes->sorts[version] = cat_sheet_sort_begin(query->versions[version], 0, true);
	cat_changes_digest_sort(query, changes->sorts);
	for (Version version = VERSION_FROM; version < VERSIONS; version++)
	{
		cat_sheet_sort_perform(changes->sorts[version]);
		advance(changes, version);
	}
	return changes;
}

/* Take a cell of the key off a text; return its length. */
static int
take_cell(const char **text, const char **cell)
{
	int length;

	memcpy(&length, *text, sizeof(length));
	*cell = *text + sizeof(length);
	*text = *cell + length;
	return length;
}

/*
 * Compare two cells of the key in the order of the sort: those that are empty or not of the
 * column's type come last.
 */
static int
compare_cells(const SheetColumn *left_column, const char *left, int left_length,
			  const SheetColumn *right_column, const char *right, int right_length)
{
	CellValue values[VERSIONS];
	bool has_left = left_length > 0;
	bool has_right = right_length > 0;

	if (left_column->kind != CELL_TEXT)
	{
		has_left = has_left && cat_cell_value(left_column, left, left_length, &values[0]);
		has_right = has_right && cat_cell_value(right_column, right, right_length, &values[1]);
	}
	if (!has_left || !has_right)
		return has_right - has_left;
	if (left_column->kind == CELL_TEXT)
		return varstr_cmp(left, left_length, right, right_length, cat_fold_collation());
	return cat_cell_compare(left_column, &values[0], &values[1]);
}

/* Compare the next rows of the versions by their keys. */
static int
compare_keys(const SheetChanges *changes)
{
	const ChangesQuery *query = changes->query;
	const char *texts[VERSIONS] = {changes->rows[VERSION_FROM].text,
								   changes->rows[VERSION_TO].text};
	ListCell *from;
	ListCell *to;

	forboth(from, query->keys[VERSION_FROM], to, query->keys[VERSION_TO])
	{
		const char *left;
		const char *right;
		int left_length = take_cell(&texts[VERSION_FROM], &left);
		int right_length = take_cell(&texts[VERSION_TO], &right);
		int order = compare_cells(
			&query->versions[VERSION_FROM]->sheet->columns[lfirst_int(from)], left, left_length,
			&query->versions[VERSION_TO]->sheet->columns[lfirst_int(to)], right, right_length);

		if (order != 0)
			return order;
	}
	return 0;
}

/* Return the next change. */
static Change
next_change(const SheetChanges *changes)
{
	int order;

	if (!changes->rows[VERSION_FROM].there)
		return CHANGE_ADDED;
	if (!changes->rows[VERSION_TO].there)
		return CHANGE_REMOVED;
	order = compare_keys(changes);
	return order < 0 ? CHANGE_REMOVED : order > 0 ? CHANGE_ADDED : CHANGE_CHANGED;
}

/* Append the JSON of the next row of a version as a member. */
static void
append_row(StringInfo out, const char *name, const SheetChanges *changes, Version version)
{
	const char *text = changes->rows[version].text;
	const char *cell;

	for (int i = list_length(changes->query->keys[version]); i > 0; i--)
		(void) take_cell(&text, &cell);
	appendStringInfo(out, ",\"%s\":", name);
	appendBinaryStringInfo(
		out, text, (int) (changes->rows[version].text + changes->rows[version].length - text));
}

/* Append the next change, or pass over it if out is NULL; false at the end. */
bool
cat_changes_next(SheetChanges *changes, StringInfo out)
{
	Change change;

	if (!changes->rows[VERSION_FROM].there && !changes->rows[VERSION_TO].there)
		return false;
	change = next_change(changes);
	changes->counts[change]++;
	if (out)
	{
		appendStringInfo(out, "{\"change\":\"%s\"", change_names[change]);
		if (change != CHANGE_ADDED)
			append_row(out, "before", changes, VERSION_FROM);
		if (change != CHANGE_REMOVED)
			append_row(out, "after", changes, VERSION_TO);
		appendStringInfoChar(out, '}');
	}
	if (change != CHANGE_ADDED)
		advance(changes, VERSION_FROM);
	if (change != CHANGE_REMOVED)
		advance(changes, VERSION_TO);
	return true;
}

/* Return the numbers of changes so far as a member of "meta". */
char *
cat_changes_counts(const SheetChanges *changes)
{
	return psprintf("\"added\":" INT64_FORMAT ",\"removed\":" INT64_FORMAT
					",\"changed\":" INT64_FORMAT,
					changes->counts[CHANGE_ADDED], changes->counts[CHANGE_REMOVED],
					changes->counts[CHANGE_CHANGED]);
}

void
cat_changes_end(SheetChanges *changes)
{
	for (Version version = VERSION_FROM; version < VERSIONS; version++)
		cat_sheet_sort_end(changes->sorts[version]);
}
