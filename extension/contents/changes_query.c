/*
 * changes_query.c
 *	  Query string of a request for the changes of a file's rows.
 */
#include "catalogue.h"

#include "base/base.h"
#include "contents/changes.h"
#include "contents/contents.h"
#include "history/history.h"
#include "query/query.h"
#include "sheets/sheets.h"

static const char *const words[] = {"from",	 "to",	  "key",  "sheet",
									"types", "limit", "skip", "version"};

pg_noreturn static void
require(const char *name)
{
	ereport(ERROR, (errcode(OD422), errmsg("parameter \"%s\" is missing", name)));
}

/* Read the parameters that are not those of every page of rows; note unknown names. */
static void
read_words(ChangesQuery *query)
{
	SheetQuery *from = query->versions[VERSION_FROM];
	SheetQuery *to = query->versions[VERSION_TO];
	ListCell *cell;

	foreach(cell, to->words)
	{
		const SheetWord *word = lfirst(cell);

		if (strcmp(word->name, "from") == 0)
			from->params->version = cat_request_params_instant("from", word->value);
		else if (strcmp(word->name, "to") == 0)
			to->params->version = cat_request_params_instant("to", word->value);
		else if (strcmp(word->name, "key") == 0)
			query->key = word->value;
		else if (strcmp(word->name, "types") == 0)
			from->typed = to->typed = cat_sheet_query_types(word->value);
		else
			cat_ignored_add(to->params, word->name);
	}
}

/* Raise OD422 for unknown names under strict handling. */
static void
require_known(const RequestParams *params)
{
	List *names = NIL;

	for (size_t i = 0; i < lengthof(words); i++)
		names = lappend(names, unconstify(char *, words[i]));
	cat_ignored_require_known(params->actor, params->ignored, names);
}

/*
 * Read a query on changes, and determine the instants of the reads.
 *
 * Without "to" it is "version", which the links to further pages have, else the present.  Raises
 * OD422 if "from" or "key" is missing, or for an invalid value.
 */
ChangesQuery *
cat_changes_query_read(const char *text, const Actor *actor)
{
	ChangesQuery *query = palloc0(sizeof(ChangesQuery));

	for (Version version = VERSION_FROM; version < VERSIONS; version++)
		query->versions[version] = cat_sheet_query_read(text, actor);
	query->versions[VERSION_FROM]->params->version = 0;
	read_words(query);
	require_known(query->versions[VERSION_TO]->params);
	if (!query->versions[VERSION_FROM]->params->version)
		require("from");
	if (!query->key)
		require("key");
	for (Version version = VERSION_FROM; version < VERSIONS; version++)
	{
		RequestParams *params = query->versions[version]->params;

		cat_read_version_settle(params, list_make1(params->resource->name));
	}
	return query;
}

void
cat_changes_query_release(const ChangesQuery *query)
{
	cat_read_version_release(query->versions[VERSION_TO]->params);
	cat_read_version_release(query->versions[VERSION_FROM]->params);
}

/* Raise OD422 for a column that is not in both versions; the detail lists those that are. */
pg_noreturn static void
refuse_column(const ChangesQuery *query, const char *name)
{
	const Sheet *from = query->versions[VERSION_FROM]->sheet;
	const Sheet *to = query->versions[VERSION_TO]->sheet;
	StringInfoData detail;
	bool any = false;

	initStringInfo(&detail);
	appendStringInfoString(&detail, "{\"columns\":[");
	for (int i = 0; i < to->ncolumns; i++)
		if (cat_sheet_lookup_column(from, to->columns[i].name) >= 0)
		{
			appendStringInfoString(&detail, any ? "," : "");
			cat_json_text_string(&detail, to->columns[i].name);
			any = true;
		}
	appendStringInfoString(&detail, "]}");
	ereport(ERROR, (errcode(OD422), errmsg("invalid value for parameter \"key\": \"%s\"", name),
					errdetail_internal("%s", detail.data),
					errhint("It takes columns that the sheet has in both versions.")));
}

/* Find the columns of the key in both versions. */
static void
find_keys(ChangesQuery *query)
{
	ListCell *cell;

	foreach(cell, cat_query_string_split(query->key, ','))
		for (Version version = VERSION_FROM; version < VERSIONS; version++)
		{
			int column = cat_sheet_lookup_column(query->versions[version]->sheet, lfirst(cell));

			if (column < 0)
				refuse_column(query, lfirst(cell));
			query->keys[version] = lappend_int(query->keys[version], column);
		}
	if (query->keys[VERSION_TO] == NIL)
		refuse_column(query, query->key);
}

/* Return whether values of two types have one order: numbers, or dates and instants. */
static bool
have_order(CellKind left, CellKind right)
{
	bool numbers = (left == CELL_INTEGER || left == CELL_DECIMAL) &&
				   (right == CELL_INTEGER || right == CELL_DECIMAL);
	bool times = (left == CELL_DATE || left == CELL_DATETIME) &&
				 (right == CELL_DATE || right == CELL_DATETIME);

	return left == right || numbers || times;
}

/*
 * Compare the columns of the key as texts if their types have no common order: the columns of the sheet are
 * copied, since they may be cached.
 */
static void
unify_kinds(ChangesQuery *query)
{
	SheetColumn *columns[VERSIONS];

	for (Version version = VERSION_FROM; version < VERSIONS; version++)
	{
		Sheet *sheet = query->versions[version]->sheet;
		size_t size = sizeof(SheetColumn) * (size_t) (sheet->ncolumns + 1);

		columns[version] = palloc0(size);
		memcpy(columns[version], sheet->columns, sizeof(SheetColumn) * (size_t) sheet->ncolumns);
		sheet->columns = columns[version];
	}
	for (int i = 0; i < list_length(query->keys[VERSION_TO]); i++)
	{
		SheetColumn *from = &columns[VERSION_FROM][list_nth_int(query->keys[VERSION_FROM], i)];
		SheetColumn *to = &columns[VERSION_TO][list_nth_int(query->keys[VERSION_TO], i)];

		if (!have_order(from->kind, to->kind))
			from->kind = to->kind = CELL_TEXT;
	}
}

/* Find the file and its sheet in one version; its rows are shown whole. */
static void
find_version(SheetQuery *version, const char *file)
{
	cat_sheet_lookup_file(version, file);
	cat_sheet_lookup(version);
	version->shown = palloc(sizeof(bool) * (size_t) (version->sheet->ncolumns + 1));
	memset(version->shown, true, sizeof(bool) * (size_t) (version->sheet->ncolumns + 1));
}

/*
 * Find the two versions and the columns of the key.
 *
 * Raises the errors of cat_sheet_lookup_file() and cat_sheet_lookup(); OD422 for an unknown column.
 */
void
cat_changes_query_find(ChangesQuery *query, const char *file)
{
	for (Version version = VERSION_FROM; version < VERSIONS; version++)
		find_version(query->versions[version], file);
	find_keys(query);
	unify_kinds(query);
}
