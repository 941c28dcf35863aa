/*
 * rows.c
 *	  Rows of records, and reads of records by their ids.
 */
#include "catalogue.h"

#include "access/htup_details.h"

#include "registry/registry.h"
#include "registry/rows.h"

Rows
cat_rows_of_statement(void)
{
	Rows rows = {SPI_tuptable->tupdesc, SPI_tuptable->vals, (int) SPI_processed, false, false};

	return rows;
}

Rows
cat_rows_whole(const Resource *resource, int most)
{
	Rows rows = {resource->desc, palloc(sizeof(HeapTuple) * (most + 1)), 0, true, false};

	return rows;
}

/* Form a row of the resource's table from the first columns of a row of the last statement. */
static HeapTuple
whole_tuple(const Resource *resource, HeapTuple row)
{
	Datum *values = palloc0(sizeof(Datum) * resource->desc->natts);
	bool *nulls = palloc(sizeof(bool) * resource->desc->natts);

	memset(nulls, true, sizeof(bool) * resource->desc->natts);
	for (int i = 0; i < resource->nfields; i++)
	{
		int at = resource->fields[i].attno - 1;

		values[at] = SPI_getbinval(row, SPI_tuptable->tupdesc, i + 1, &nulls[at]);
	}
	return heap_form_tuple(resource->desc, values, nulls);
}

Rows
cat_rows_whole_of_statement(const Resource *resource)
{
	Rows rows = cat_rows_whole(resource, (int) SPI_processed);

	for (; rows.count < (int) SPI_processed; rows.count++)
		rows.tuples[rows.count] = whole_tuple(resource, SPI_tuptable->vals[rows.count]);
	return rows;
}

/* Set a row's ctid and inserting transaction, which the entity tag is computed from. */
static void
set_header(HeapTuple tuple, HeapTuple row, int ctid)
{
	TupleDesc desc = SPI_tuptable->tupdesc;
	bool isnull;

	tuple->t_self = *(ItemPointer) DatumGetPointer(SPI_getbinval(row, desc, ctid, &isnull));
	HeapTupleHeaderSetXmin(tuple->t_data,
						   DatumGetTransactionId(SPI_getbinval(row, desc, ctid + 1, &isnull)));
}

/* Read a record by its id with a statement. */
static Rows
query_by_id(const Resource *resource, const char *id, AccessLevel access)
{
	StringInfo sql = makeStringInfo();
	Rows rows;

	/* in the order that cat_rows_whole_of_statement() expects */
	for (int i = 0; i < resource->nfields; i++)
		appendStringInfo(sql, "%st.%s", i > 0 ? ", " : "SELECT ", resource->fields[i].quoted);
	appendStringInfo(sql, ", t.ctid, t.xmin FROM %s t WHERE t.id = $1 AND ", resource->table);
	cat_seen_write(sql, resource, "t", access);
	cat_statement_read(sql->data, text_param(id));
	rows = cat_rows_whole_of_statement(resource);
	if (rows.count > 0)
		set_header(rows.tuples[0], SPI_tuptable->vals[0], resource->nfields + 1);
	return rows;
}

/*
 * Read records by their ids with an index scan; false if a statement must be used.
 *
 * The table is opened once, and closed before anything else is read.
 */
static bool
scan_by_ids(const Resource *resource, const char *const *ids, int count, AccessLevel access,
			Rows *rows)
{
	CatScan scan;

	/* whose a record is may be told by another table */
	if ((resource->parent && cat_visibility_is_limited(resource, access)) ||
		!cat_index_scan_open(&scan, resource->relid, resource->key_index))
		return false;
	for (int i = 0; i < count; i++)
	{
		rows[i] = cat_rows_whole(resource, 1);
		cat_index_scan_seek(&scan, ids[i]);
		if (cat_index_scan_next(&scan, false) &&
			cat_seen_record(resource, ExecFetchSlotHeapTuple(scan.slot, false, NULL), access))
			rows[i].tuples[rows[i].count++] = ExecCopySlotHeapTuple(scan.slot);
	}
	cat_index_scan_close(&scan);
	return true;
}

void
cat_rows_by_ids(const Resource *resource, const char *const *ids, int count, AccessLevel access,
				Rows *rows)
{
	if (scan_by_ids(resource, ids, count, access, rows))
		return;
	for (int i = 0; i < count; i++)
		rows[i] = query_by_id(resource, ids[i], access);
}

Rows
cat_rows_by_id(const Resource *resource, const char *id, AccessLevel access)
{
	Rows rows;

	cat_rows_by_ids(resource, &id, 1, access, &rows);
	return rows;
}

bool
cat_rows_exists(const Resource *resource, const char *id, AccessLevel access)
{
	return cat_rows_by_id(resource, id, access).count == 1;
}

/* Return whether outsiders, or internal users, see a record, for functions of the owner in SQL. */
CAT_FUNCTION(catalogue_seen_by)
{
	const char *audience = text_to_cstring(PG_GETARG_TEXT_PP(ARG_SEEN_BY_AUDIENCE));
	bool seen;

	SPI_connect();
	seen = cat_rows_exists(
		cat_registry_resource(text_to_cstring(PG_GETARG_TEXT_PP(ARG_SEEN_BY_RESOURCE))),
		text_to_cstring(PG_GETARG_TEXT_PP(ARG_SEEN_BY_ID)),
		strcmp(audience, "outsiders") == 0 ? ACCESS_OUTSIDER
		: strcmp(audience, "all") == 0	   ? ACCESS_ALL
										   : ACCESS_INTERNAL);
	SPI_finish();
	PG_RETURN_BOOL(seen);
}

/* Return the condition that a record t is visible to outsiders. */
CAT_FUNCTION(catalogue_outsiders_condition)
{
	StringInfoData sql;

	initStringInfo(&sql);
	cat_seen_write(
		&sql,
		cat_registry_resource(text_to_cstring(PG_GETARG_TEXT_PP(ARG_OUTSIDERS_CONDITION_RESOURCE))),
		"t", ACCESS_OUTSIDER);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(sql.data, sql.len));
}

void
cat_rows_reverse(Rows *rows)
{
	for (int i = 0, j = rows->count - 1; i < j; i++, j--)
	{
		HeapTuple tuple = rows->tuples[i];

		rows->tuples[i] = rows->tuples[j];
		rows->tuples[j] = tuple;
	}
}

int
cat_rows_column(const Rows *rows, const Resource *resource, const Bitmapset *fields,
				const char *name)
{
	int column = 1;

	if (strcmp(name, "id") == 0)
		return rows->whole ? resource->id - 1 : 0;
	if (rows->whole)
		return cat_registry_field(unconstify(Resource *, resource), name)->attno - 1;
	for (int i = -1; (i = bms_next_member(fields, i)) >= 0; column++)
		if (strcmp(resource->fields[i].name, name) == 0)
			return column;
	elog(ERROR, "field \"%s\" is not selected", name);
}

void
cat_rows_values(const Rows *rows, const Resource *resource, int row, Datum *values, bool *nulls)
{
	heap_deform_tuple(rows->tuples[row], rows->desc, values, nulls);
	if (rows->whole && resource->deactivates)
	{
		int deleted = resource->deleted_at - 1;
		int deactivated = resource->deactivated_at - 1;

		if (nulls[deleted])
		{
			values[deleted] = values[deactivated];
			nulls[deleted] = nulls[deactivated];
		}
	}
}
