/*
 * list_page.c
 *	  Pages of lists: records, order and total, and the indexes that have them in order of creation.
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "utils/lsyscache.h"

#include "read/read_internal.h"

/*
 * An index on key, deleted_at, created_at and id has the living records of each key in order: in
 * the resource's table for records that refer by the key, in a join table for linked records.  A
 * statement that is sorted like the index reads only the records of the page, however many match.
 */

/* Maximum number of ids of one condition; each has a part in the statement. */
#define KEYS_MAX 16

/* Set the ids of a filter on a key of the record to its values; false if they are no ids. */
static bool
take_values(const RequestParams *params, Filter *filter)
{
	const Field *field = cat_registry_field(params->resource, linitial(filter->path));

	if (!field || field->kind != FIELD_ID || list_member_ptr(filter->values, NULL))
		return false;
	filter->nids = 0;
	filter->ids = palloc(sizeof(Datum) * list_length(filter->values));
	foreach_ptr(char, value, filter->values)
		filter->ids[filter->nids++] = CStringGetTextDatum(value);
	return true;
}

/* Look up the ids of a filter; return the relation that they are keys of, NULL if there is none. */
static const CatRelation *
keys_of(const RequestParams *params, Filter *filter)
{
	const CatRelation *relation = cat_registry_relation(params->resource, linitial(filter->path));

	if (!relation || relation->kind == RELATION_ONE_TO_MANY ||
		cat_comparison_is_range(filter->comparison))
		return NULL;
	cat_filter_look_up(params, filter);
	if (list_length(filter->path) == 1 ? !take_values(params, filter)
									   : filter->found_at != 1 || filter->none)
		return NULL;
	return filter->nids <= KEYS_MAX ? relation : NULL;
}

/*
 * Return whether all filters are on keys, and each of them is required, so that the list is read in
 * the order of creation rather than by the search index.
 */
static bool
list_lead_serves(const RequestParams *params)
{
	int own = 0;

	foreach_ptr(Filter, filter, params->filters)
	{
		own += filter->required ? 0 : 1;
		if (!keys_of(params, filter) || (own > 1 && !params->all))
			return false;
	}
	return true;
}

/* Prefer an index on a join table: it usually matches fewer rows. */
static bool
is_better(const CatRelation *relation, const Lead *lead, Oid table)
{
	return OidIsValid(relation->here.index) &&
		   (!lead->index || (lead->index->table == table && relation->here.table != table));
}

/* Set the keys and the index of the most selective filter. */
static void
lead_by_filter(Lead *lead, const RequestParams *params)
{
	foreach_ptr(Filter, filter, params->filters)
	{
		const CatRelation *relation = keys_of(params, filter);

		if (filter->comparison != COMPARE_EQUAL || filter->nids == 0 ||
			!is_better(relation, lead, params->resource->relid))
			continue;
		*lead = (Lead){.index = &relation->here,
					   .table = relation->via,
					   .key = relation->far ? relation->far : relation->near,
					   .count = filter->nids,
					   .keys = filter->ids,
					   .filter = filter};
	}
}

/* Return what a page in the order of creation is read by. */
static Lead
list_lead_find(const RequestParams *params, const Source *source)
{
	const CatRelation *relation = source->relation;
	Lead lead = {0};

	if (!relation && list_lead_serves(params))
		lead_by_filter(&lead, params);
	if (relation && OidIsValid(relation->there.index))
	{
		lead = (Lead){.index = &relation->there,
					  .table = relation->via,
					  .key = relation->near,
					  .count = 1,
					  .keys = palloc(sizeof(Datum))};
		lead.keys[0] = CStringGetTextDatum(source->owner);
	}
	lead.linked = lead.index && lead.index->table != params->resource->relid;
	lead.sorted =
		lead.index || (!relation && cat_visibility_is_keyed(params->resource, params->access));
	return lead;
}

static const char *
column(const Lead *lead, AttrNumber attno)
{
	return quote_identifier(get_attname(lead->index->table, attno, false));
}

/* Append the rows of one key: deleted_at, created_at and id of the records that it leads to. */
static void
write_rows(SqlBuilder *query, const Lead *lead, int number, const char *direction)
{
	const char *created_at = column(lead, lead->index->created_at);
	const char *id = column(lead, lead->index->id);

	appendStringInfo(&query->sql,
					 "%s(SELECT j.deleted_at, j.%s AS created_at, j.%s::text AS id FROM %s j "
					 "WHERE j.%s = %s AND j.deleted_at IS NULL",
					 number > 0 ? " UNION ALL " : "", created_at, id, lead->table, lead->key,
					 cat_sql_builder_value(query, TEXTOID, lead->keys[number]));
	if (query->access == ACCESS_OUTSIDER && lead->index->shown != 0)
		appendStringInfo(&query->sql, " AND j.%s", column(lead, lead->index->shown));
	/* rows in order can be merged */
	if (lead->count > 1 && direction)
		appendStringInfo(&query->sql, " ORDER BY j.deleted_at %s, j.%s %s, j.%s %s", direction,
						 created_at, direction, id, direction);
	appendStringInfoChar(&query->sql, ')');
}

/*
 * Append FROM and WHERE of a list whose records, t, are found by rows with keys, k.
 *
 * direction: of the list, "ASC" or "DESC".  OFFSET 0 has each record looked up by its id: without
 * statistics the planner might read all of them.
 */
static void
list_lead_write(SqlBuilder *query, const RequestParams *params, const Lead *lead,
				const char *direction)
{
	appendStringInfoString(&query->sql, " FROM (");
	for (int i = 0; i < lead->count; i++)
		write_rows(query, lead, i, direction);
	appendStringInfo(
		&query->sql,
		") k CROSS JOIN LATERAL (SELECT * FROM %s r WHERE r.id = k.id OFFSET 0) t WHERE ",
		params->resource->table);
	cat_sql_builder_living(query, params->resource, "t");
	query->met = lead->filter;
	cat_filter_write(query, params, "t");
}

/*
 * Return whether each row of a key stands for a record that the caller sees: a living row of a join
 * table belongs to a living record, and a flag says whether outsiders see that (after_change.c).
 */
static bool
stands_for_record(const RequestParams *params, const Lead *lead)
{
	const Resource *resource = params->resource;
	const char *id = column(lead, lead->index->id);

	if (cat_visibility_is_partial(resource, params->access))
		return params->access == ACCESS_OUTSIDER && lead->index->shown != 0;
	foreach_ptr(const Dependent, dependent, resource->dependents)
		if (dependent->is_join && strcmp(dependent->table, lead->table) == 0 &&
			strcmp(dependent->column, id) == 0)
			return dependent->deletion == 'c';
	return false;
}

/*
 * Write the statement that counts the records of a list by the rows of its keys alone; false, with
 * nothing written, if the records must be read.
 */
bool
cat_list_lead_count(SqlBuilder *query, const RequestParams *params, const Source *source)
{
	Lead lead;

	if (params->then || params->terms != NIL || params->window || params->deleted)
		return false;
	lead = list_lead_find(params, source);
	if (!lead.linked || list_length(params->filters) > (lead.filter ? 1 : 0) ||
		!stands_for_record(params, &lead) || !cat_index_scan_sees_all(params->resource->relid))
		return false;
	/* two keys may lead to the same record */
	appendStringInfo(&query->sql, "SELECT count(%s) FROM (",
					 lead.count > 1 ? "DISTINCT k.id" : "*");
	for (int i = 0; i < lead.count; i++)
		write_rows(query, &lead, i, NULL);
	appendStringInfoString(&query->sql, ") k");
	return true;
}

/* From this offset on, a page is reached from the end of the list if that is nearer. */
#define SKIP_FAR 1000

/* A range of a resource's records in the order of creation. */
typedef struct Slice
{
	bool backwards; /* from the end */
	int limit;
	int64 skip;
	bool at_cursor; /* begin behind the cursor of the request */
	bool whole;		/* read whole rows of the table, which the executor need not form anew */
} Slice;

/* Append FROM and WHERE of a list; the alias of its records is t. */
void
cat_list_page_source(SqlBuilder *query, const RequestParams *params, const Source *source)
{
	CatRelation *relation = source->relation;

	appendStringInfo(&query->sql, " FROM %s t", cat_history_sql_table(query, params->resource));
	if (relation && relation->kind == RELATION_MANY_TO_MANY)
		appendStringInfo(&query->sql, " JOIN %s j ON j.%s = t.id AND %s AND j.%s = %s",
						 cat_history_sql_via(query, relation), relation->far,
						 params->deleted ? "j.deleted_at IS NOT DISTINCT FROM t.deleted_at"
										 : "j.deleted_at IS NULL",
						 relation->near, cat_sql_builder_param(query, source->owner));
	appendStringInfoString(&query->sql, " WHERE ");
	cat_deleted_write(query, params);
	if (relation && relation->kind == RELATION_ONE_TO_MANY)
		appendStringInfo(&query->sql, " AND t.%s = %s", relation->near,
						 cat_sql_builder_param(query, source->owner));
	cat_filter_write(query, params, "t");
}

/* Return whether a list is in the order of creation. */
static bool
is_plain(const RequestParams *params)
{
	return params->orders == NIL && params->terms == NIL && !params->window && !params->deleted;
}

/* Append the columns of a list's records. */
static void
write_columns(SqlBuilder *query, const RequestParams *params, const Selection *selection)
{
	cat_sql_builder_columns(query, selection, "t");
	if (cat_order_has_cursor(params))
		cat_order_column(query, params, "t");
}

/*
 * Append a list in the order of creation, up to ORDER BY.  With a lead, deleted_at is sorted by as
 * well, because it is in the index.
 */
static void
write_in_order(SqlBuilder *query, const RequestParams *params, const Source *source,
			   const Selection *selection, const Slice *slice)
{
	const char *direction = params->resource->newest_first != slice->backwards ? "DESC" : "ASC";
	Lead lead = {0};
	/* Whether a list is of all records as they were, in the order of creation. */
	bool all_then = params->then && params->resource->history_table && !source->relation &&
					params->filters == NIL && is_plain(params);
	bool keyed;
	const char *from;

	if (!params->then)
		lead = list_lead_find(params, source);
	keyed = lead.linked || lead.count > 1;
	from = all_then || keyed ? "k" : "t";
	/* a record may be linked with several keys */
	if (lead.linked && lead.count > 1)
		appendStringInfoString(&query->sql, "DISTINCT ON (k.deleted_at, k.created_at, k.id) ");
	if (slice->whole)
		appendStringInfoString(&query->sql, "t.*");
	else
		write_columns(query, params, selection);
	if (keyed)
		list_lead_write(query, params, &lead, direction);
	else if (all_then)
		cat_history_sql_in_order(query, params->resource);
	else
		cat_list_page_source(query, params, source);
	if (slice->at_cursor)
		cat_order_behind(query, params, from);
	appendStringInfoString(&query->sql, " ORDER BY ");
	if (lead.sorted)
		appendStringInfo(&query->sql, "%s.deleted_at %s, ", from, direction);
	appendStringInfo(&query->sql, "%s.created_at %s, %s.id %s", from, direction, from, direction);
	/* an index is read in order, whatever the values; far into the list others may be faster */
	if (list_length(params->filters) <= (lead.filter ? 1 : 0) &&
		(lead.index || !source->relation) && slice->skip < SKIP_FAR)
		query->plan = CURSOR_OPT_GENERIC_PLAN;
}

/* Append the statement that reads a range of a list. */
static void
write_slice(SqlBuilder *query, const RequestParams *params, const Source *source,
			const Selection *selection, const Slice *slice)
{
	appendStringInfoString(&query->sql, "SELECT ");
	if (is_plain(params))
		write_in_order(query, params, source, selection, slice);
	else
	{
		write_columns(query, params, selection);
		cat_list_page_source(query, params, source);
		if (slice->at_cursor)
			cat_order_behind(query, params, "t");
		cat_order_write(query, params, "t", slice->backwards);
	}
	/* a literal, so that the planner knows it and a generic plan can be reused */
	appendStringInfo(&query->sql, " LIMIT %d", slice->limit);
	if (slice->skip > 0)
		appendStringInfo(&query->sql, " OFFSET %s::bigint",
						 cat_sql_builder_param(query, psprintf(INT64_FORMAT, slice->skip)));
}

/* Return the range of a list that a page is. */
static Slice
slice_of(const RequestParams *params)
{
	bool behind = params->cursor != NULL;

	return (Slice){behind && params->backwards, params->limit, behind ? 0 : params->skip, behind,
				   false};
}

void
cat_list_page_write(SqlBuilder *query, const RequestParams *params, const Source *source,
					const Selection *selection)
{
	Slice slice = slice_of(params);

	write_slice(query, params, source, selection, &slice);
}

/*
 * Read a range of all records in the order of creation by an index scan; false if a statement must be
 * used, which takes a third more time.
 */
static bool
scan_page(const RequestParams *params, const Source *source, const Slice *slice, Rows *rows)
{
	const Resource *resource = params->resource;
	bool backwards = resource->newest_first != slice->backwards;
	int64 skip = slice->skip;
	CatScan scan;

	if (!slice->whole || source->relation || params->filters != NIL ||
		cat_visibility_is_partial(resource, params->access) ||
		!cat_index_scan_open(&scan, resource->relid, resource->order_index))
		return false;
	cat_index_scan_seek_place(&scan, slice->at_cursor ? cat_order_place(params) : NIL, backwards);
	*rows = cat_rows_whole(resource, slice->limit);
	rows->has_cursor = true;
	while (rows->count < slice->limit && cat_index_scan_next(&scan, backwards))
	{
		CHECK_FOR_INTERRUPTS();
		if (skip-- <= 0)
			rows->tuples[rows->count++] = ExecCopySlotHeapTuple(scan.slot);
	}
	cat_index_scan_close(&scan);
	return true;
}

static Rows
query_page(const RequestParams *params, const Source *source, const Selection *selection,
		   const Slice *slice)
{
	SqlBuilder query;
	Rows rows;

	cat_sql_builder_begin(&query, selection->access, params->then);
	write_slice(&query, params, source, selection, slice);
	cat_sql_builder_run(&query);
	rows = cat_rows_of_statement();
	rows.has_cursor = cat_order_has_cursor(params);
	rows.whole = slice->whole;
	return rows;
}

/* Return whether the row counter has the number of the records. */
static bool
is_counted(const RequestParams *params, const Source *source)
{
	/* Whether the row counter has the number of visible records. */
	return !source->relation && params->filters == NIL && params->terms == NIL && !params->window &&
		   !params->deleted &&
		   (params->access == ACCESS_OUTSIDER ||
			params->resource->conditions[params->access] == NIL) &&
		   (!params->then || params->access != ACCESS_OUTSIDER ||
			(params->resource->history_table && !params->resource->change));
}

/* Return whether t.* has the columns of a table at their places: none was dropped. */
static bool
is_intact(const Resource *resource)
{
	for (int i = 0; i < resource->desc->natts; i++)
		if (TupleDescAttr(resource->desc, i)->attisdropped)
			return false;
	return true;
}

/* Count a range from the end of the list if that is nearer. */
static void
turn(Slice *slice, const RequestParams *params, const Source *source)
{
	int64 count;

	if (slice->backwards || slice->skip < SKIP_FAR || !is_plain(params) ||
		!is_counted(params, source))
		return;
	count = cat_list_page_count(params, source);
	if (slice->skip * 2 < count)
		return;
	slice->backwards = true;
	slice->limit = (int) Max(Min(count - params->skip, params->limit), 0);
	slice->skip = Max(count - params->skip - params->limit, 0);
}

Rows
cat_list_page_read(const RequestParams *params, const Source *source, const Selection *selection,
				   bool backwards)
{
	Slice slice = slice_of(params);
	Rows rows;

	slice.backwards |= backwards;
	slice.whole =
		is_plain(params) && !params->then && !params->partial && is_intact(params->resource);
	turn(&slice, params, source);
	if (cat_search_is_served(params) && !params->cursor &&
		!(is_plain(params) && list_lead_serves(params)))
		return cat_search_page_read(params, source, selection, backwards);
	if (!scan_page(params, source, &slice, &rows))
		rows = query_page(params, source, selection, &slice);
	if (slice.backwards && !backwards)
		cat_rows_reverse(&rows);
	return rows;
}

int64
cat_list_page_count(const RequestParams *params, const Source *source)
{
	if (is_counted(params, source))
	{
		Tally now = cat_row_counter_read(params->resource);

		/* The number of records that are visible at an access level. */
		return (params->access == ACCESS_OUTSIDER ? now.shown : now.living) -
			   cat_count_since(params);
	}
	return cat_search_page_count(params, source, SEARCH_NONE);
}

/* Return the total: known from the page itself if this is the last one, else counted. */
static int64
total(const RequestParams *params, const Source *source, int returned)
{
	if (!params->cursor && returned < params->limit && (returned > 0 || params->skip == 0))
		return params->skip + returned;
	return cat_list_page_count(params, source);
}

/* Return the cursor of a record of the page, NULL if the order has none. */
static char *
place_at(const RequestParams *params, const Rows *rows, int row)
{
	HeapTuple tuple = rows->tuples[row];
	int id = cat_rows_column(rows, params->resource, NULL, "id") + 1;
	int column = rows->whole ? params->resource->created_at : rows->desc->natts;
	bool isnull;
	Datum value;

	if (!rows->has_cursor)
		return NULL;
	value = SPI_getbinval(tuple, rows->desc, column, &isnull);
	return params->orders != NIL ? cat_cursor_encode(value)
								 : cat_cursor_of(cat_json_text_instant(DatumGetTimestampTz(value)),
												 SPI_getvalue(tuple, rows->desc, id));
}

/* Return the ids of the records of the page, separated by commas; NULL if they are deleted: then
 * they have no address. */
static const char *
ids_of(const RequestParams *params, const Rows *rows)
{
	int column = cat_rows_column(rows, params->resource, NULL, "id") + 1;
	StringInfoData ids;

	if (params->deleted)
		return NULL;
	initStringInfo(&ids);
	for (int i = 0; i < rows->count; i++)
		appendStringInfo(&ids, "%s%s", i > 0 ? "," : "",
						 SPI_getvalue(rows->tuples[i], rows->desc, column));
	return ids.data;
}

void
cat_list_page_answer(const RequestParams *params, const Source *source, const Selection *selection,
					 CallReply *reply)
{
	Rows rows = cat_list_page_read(params, source, selection, false);

	reply->data = makeStringInfo();
	cat_embedding_fetch(selection, &rows, params->then);
	cat_json_records(reply->data, selection, &rows);
	reply->count = total(params, source, rows.count);
	reply->links = ids_of(params, &rows);
	reply->returned = rows.count;
	if (rows.count > 0 && params->skip + rows.count < reply->count)
		reply->next = place_at(params, &rows, rows.count - 1);
	if (rows.count > 0 && params->skip > 0)
		reply->previous = place_at(params, &rows, 0);
}
