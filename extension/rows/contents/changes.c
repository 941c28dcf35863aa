/*
 * changes.c
 *	  Changes of a file's rows between two versions.
 *
 * Most rows of two versions are the same, and left out by digests (changed_rows.c); the others are joined
 * by the key.  Of several rows with the same key, the first ones of both versions correspond, and so on.
 */
#include "catalogue.h"

#include "rows/contents/changes_internal.h"

static const char *const words[] = {"from",	 "to",	 "key",		"sheet", "types",
									"limit", "skip", "version", NULL};

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

	foreach_ptr(const RequestWord, word, to->words)
	{
		if (strcmp(word->name, "from") == 0)
			from->params->version = cat_request_params_instant("from", word->value);
		else if (strcmp(word->name, "to") == 0)
			to->params->version = cat_request_params_instant("to", word->value);
		else if (strcmp(word->name, "key") == 0)
			query->key = word->value;
		else if (strcmp(word->name, "types") == 0)
			from->typed = to->typed = cat_request_params_boolean("types", word->value);
		else
			cat_ignored_add(to->params, word->name);
	}
}

/*
 * Read a query on changes, and determine the instants of the reads.
 *
 * Without "to" it is "version", which the links to further pages have, else the present.  Raises
 * OD422 if "from" or "key" is missing, or for an invalid value.  The caller releases the version of
 * VERSION_FROM, then that of the call.
 */
ChangesQuery *
cat_changes_query_read(ReadCall *call, const char *text)
{
	const Actor *actor = &call->actor;
	ChangesQuery *query = palloc0(sizeof(ChangesQuery));
	RequestParams *from;

	for (Version version = VERSION_FROM; version < VERSIONS; version++)
		query->versions[version] = cat_sheet_query_read(text, actor);
	from = query->versions[VERSION_FROM]->params;
	from->version = 0;
	read_words(query);
	cat_ignored_require_known(actor, query->versions[VERSION_TO]->params->ignored,
							  cat_query_string_words(words));
	if (!from->version)
		require("from");
	if (!query->key)
		require("key");
	cat_contents_begin(call, query->versions[VERSION_TO]);
	cat_read_version_acquire(from, list_make1(from->resource->name));
	return query;
}

/* Raise OD422 for a column that is not in both versions; the detail lists those that are. */
pg_noreturn static void
refuse_column(const ChangesQuery *query, const char *name)
{
	const Sheet *from = query->versions[VERSION_FROM]->sheet;
	const Sheet *to = query->versions[VERSION_TO]->sheet;
	StringInfo detail = makeStringInfo();
	bool any = false;

	appendStringInfoString(detail, "{\"columns\":[");
	for (int i = 0; i < to->ncolumns; i++)
		if (cat_sheet_lookup_column(from, to->columns[i].name) >= 0)
		{
			appendStringInfoString(detail, any ? "," : "");
			cat_json_text_string(detail, to->columns[i].name);
			any = true;
		}
	appendStringInfoString(detail, "]}");
	ereport(ERROR, (errcode(OD422), errmsg("invalid value for parameter \"key\": \"%s\"", name),
					errdetail_internal("%s", detail->data),
					errhint("It takes columns that the sheet has in both versions.")));
}

/* Find the columns of the key in both versions. */
static void
find_keys(ChangesQuery *query)
{
	foreach_ptr(char, word, cat_query_string_split(query->key, ','))
		for (Version version = VERSION_FROM; version < VERSIONS; version++)
		{
			int column = cat_sheet_lookup_column(query->versions[version]->sheet, word);

			if (column < 0)
				refuse_column(query, word);
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
	bool times = cat_cell_is_time(left) && cat_cell_is_time(right);

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

/* Find the columns of both versions: those of the later one, then the others of the earlier one. */
static void
find_columns(const ChangesQuery *query, VersionColumns columns[VERSIONS])
{
	const Sheet *from = query->versions[VERSION_FROM]->sheet;
	const Sheet *to = query->versions[VERSION_TO]->sheet;
	int *numbers[VERSIONS];
	int count = to->ncolumns;

	for (Version version = VERSION_FROM; version < VERSIONS; version++)
		numbers[version] = palloc(sizeof(int) * (size_t) (from->ncolumns + to->ncolumns + 1));
	for (int i = 0; i < to->ncolumns; i++)
	{
		numbers[VERSION_TO][i] = i;
		numbers[VERSION_FROM][i] = cat_sheet_lookup_column(from, to->columns[i].name);
	}
	for (int i = 0; i < from->ncolumns; i++)
		if (cat_sheet_lookup_column(to, from->columns[i].name) < 0)
		{
			numbers[VERSION_TO][count] = -1;
			numbers[VERSION_FROM][count++] = i;
		}
	for (Version version = VERSION_FROM; version < VERSIONS; version++)
		columns[version] = (VersionColumns){count, numbers[version]};
}

/*
 * Append the rows of a version that are not rows of the other one: their keys k0, k1 and so on, their
 * position (at) among those with the same key, and the text by which they are shown (line).
 */
static void
write_rows(SqlBuilder *query, const ChangesQuery *asked, Version version, const char *line)
{
	const char *scan = version == VERSION_FROM ? "$1" : "$2";
	const Sheet *sheet = asked->versions[version]->sheet;
	StringInfo keys = makeStringInfo();

	for (int i = 0; i < list_length(asked->keys[version]); i++)
		appendStringInfo(keys, "%sr.k%d", i > 0 ? ", " : "", i);
	appendStringInfo(&query->sql,
					 "(SELECT r.*, row_number() OVER (PARTITION BY %s ORDER BY r.n) AS at "
					 "FROM (SELECT r.n, %s AS line",
					 keys->data, line);
	/* What a column of the key is compared by, of the rows r; '' for an empty cell. */
	foreach_int(number, asked->keys[version])
		appendStringInfo(&query->sql,
						 ", coalesce(catalogue.cell_%s(%s, r.n, %d), '') COLLATE \"C\" AS k%d",
						 sheet->columns[number].kind == CELL_TEXT ? "text" : "key", scan, number,
						 foreach_current_index(number));
	/* the rows are read in the order in which they are stored, before they are sorted */
	appendStringInfo(&query->sql,
					 " FROM (SELECT catalogue.cell_rows_kept(%s, 1, -1) AS n) r OFFSET 0) r)",
					 scan);
}

/* Append FROM: earlier rows f joined with later rows t. */
static void
write_join(SqlBuilder *query, const ChangesQuery *asked, const char *const lines[VERSIONS])
{
	appendStringInfoString(&query->sql, " FROM ");
	write_rows(query, asked, VERSION_FROM, lines[VERSION_FROM]);
	appendStringInfoString(&query->sql, " f FULL JOIN ");
	write_rows(query, asked, VERSION_TO, lines[VERSION_TO]);
	appendStringInfoString(&query->sql, " t ON f.at = t.at");
	for (int i = 0; i < list_length(asked->keys[VERSION_TO]); i++)
		appendStringInfo(&query->sql, " AND f.k%d = t.k%d", i, i);
}

/* Add the scans of the versions as $1 and $2, which keep the rows that differ and write them by a function. */
static void
add_scans(SqlBuilder *query, const ChangesQuery *asked, WriteRow write)
{
	bool same = asked->versions[VERSION_FROM]->revision == asked->versions[VERSION_TO]->revision;
	VersionColumns columns[VERSIONS];
	ChunkScan *scans[VERSIONS];

	for (Version version = VERSION_FROM; version < VERSIONS; version++)
	{
		scans[version] = cat_sheet_scan_known(asked->versions[version]->sheet);
		scans[version]->write = write;
		scans[version]->asked = asked->versions[version];
		(void) cat_sql_builder_value(query, INT8OID, Int64GetDatum(scans[version]->number));
	}
	find_columns(asked, columns);
	cat_changed_rows_find(scans, columns, same);
}

/*
 * Begin a statement: its WITH clause has the changes c, with number in their order, change, before
 * and after.
 *
 * lines: what before and after are, of a row r.  write: writes a row.
 */
static void
begin(SqlBuilder *query, const ChangesQuery *asked, const char *const lines[VERSIONS],
	  WriteRow write)
{
	cat_sql_builder_begin(query, asked->versions[VERSION_TO]->params->access, 0);
	add_scans(query, asked, write);
	appendStringInfoString(&query->sql,
						   "WITH c AS (SELECT CASE WHEN f.n IS NULL THEN 'added' WHEN t.n IS NULL "
						   "THEN 'removed' ELSE 'changed' END AS change, f.line AS before, "
						   "t.line AS after, row_number() OVER (ORDER BY ");
	foreach_int(column, asked->keys[VERSION_TO])
		appendStringInfo(&query->sql, "nullif(coalesce(f.k%d, t.k%d), '') COLLATE \"%s\", ",
						 foreach_current_index(column), foreach_current_index(column),
						 asked->versions[VERSION_TO]->sheet->columns[column].kind == CELL_TEXT
							 ? "und-x-icu"
							 : "C");
	appendStringInfoString(&query->sql, "coalesce(f.at, t.at)) AS number");
	write_join(query, asked, lines);
	appendStringInfoString(&query->sql, ") ");
}

/* SQL of a change as a JSON object. */
#define CHANGE_SQL(before, after)                                             \
	"concat('{\"change\":\"', c.change, '\"', ',\"before\":' || " before ", " \
	"',\"after\":' || " after ", '}')"

/* Open the changes in their order as lines. */
SheetStream *
cat_changes_stream(const ChangesQuery *asked)
{
	static const char *const lines[] = {"catalogue.cell_row($1, r.n)",
										"catalogue.cell_row($2, r.n)"};
	SqlBuilder query;

	begin(&query, asked, lines, cat_sheet_row_write);
	appendStringInfoString(
		&query.sql, "SELECT c.number, " CHANGE_SQL("c.before", "c.after") " || E'\\n' FROM c");
	return cat_sheet_stream_lines(&query);
}

/* Read a page of changes with the counts of each kind, as cat_read_page() asks for. */
static void
read_page(ReadCall *call, void *changes)
{
	const ChangesQuery *asked = changes;
	CallReply *reply = &call->reply;
	/* the rows of the page alone are read again */
	static const char *const lines[] = {"r.n", "r.n"};
	const RequestParams *params = call->plan.params;
	SqlBuilder query;
	const char *shown;
	const char *rows;

	begin(&query, asked, lines, cat_sheet_row_write_page);
	shown = psprintf("FILTER (WHERE c.number > %s AND c.number - %s <= %d)",
					 cat_sql_builder_value(&query, INT8OID, Int64GetDatum(params->skip)),
					 cat_sql_builder_value(&query, INT8OID, Int64GetDatum(params->skip)),
					 params->limit);
	appendStringInfo(&query.sql,
					 "SELECT count(*), count(*) %s, string_agg(" CHANGE_SQL(
						 "catalogue.cell_row($1, c.before)",
						 "catalogue.cell_row($2, c.after)") ", ',' ORDER BY c.number) %s, concat("
															"'\"added\":', count(*) FILTER (WHERE "
															"c.change = 'added'), "
															"',\"removed\":', count(*) FILTER "
															"(WHERE c.change = 'removed'), "
															"',\"changed\":', count(*) FILTER "
															"(WHERE c.change = 'changed')) FROM c",
					 shown, shown);
	cat_sql_builder_run(&query);
	reply->count = cat_result_int64(1);
	reply->returned = (int) cat_result_int64(2);
	rows = cat_result_text(3);
	reply->data = makeStringInfo();
	appendStringInfo(reply->data, "[%s]", rows ? rows : "");
	reply->meta = cat_result_text(4);
}

CAT_FUNCTION(catalogue_contents_changes)
{
	ReadCall call = {0};
	ChangesQuery *query;
	const char *file;

	cat_call_reply_begin();
	cat_actor_read(fcinfo, ARG_CONTENTS_CHANGES_ACTOR, &call.actor);
	call.known = cat_call_reply_argument(fcinfo, ARG_CONTENTS_CHANGES_KNOWN);
	query =
		cat_changes_query_read(&call, cat_call_reply_argument(fcinfo, ARG_CONTENTS_CHANGES_QUERY));
	file = cat_record_named_id(call.plan.params->resource,
							   cat_call_reply_required(fcinfo, ARG_CONTENTS_CHANGES_FILE),
							   call.actor.access);
	cat_changes_query_find(query, file);
	call.reply.id = query->versions[VERSION_TO]->file;
	cat_read_page(&call, psprintf("changes %s", file), read_page, query);
	cat_read_version_release(query->versions[VERSION_FROM]->params);
	return cat_read_end(&call, fcinfo);
}
