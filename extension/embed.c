/*
 * embed.c
 *	  Related records of a page: one query a relation, never one a row.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* The column of a selection's rows in which a field stands, counted from 1. */
static int
column_of(const Selection *selection, const char *name)
{
	int column = 2;

	for (int i = -1; (i = bms_next_member(selection->fields, i)) >= 0; column++)
		if (strcmp(selection->resource->fields[i].name, name) == 0)
			return column;
	elog(ERROR, "key \"%s\" is not selected", name);
}

/* The values of a column as text[], nulls left out. */
static Datum
column_values(SPITupleTable *table, uint64 rows, int column)
{
	Datum *values = palloc(sizeof(Datum) * (rows + 1));
	int count = 0;

	for (uint64 i = 0; i < rows; i++)
	{
		bool isnull;
		Datum value = SPI_getbinval(table->vals[i], table->tupdesc, column, &isnull);

		if (!isnull)
			values[count++] = value;
	}
	return PointerGetDatum(construct_array(values, count, TEXTOID, -1, false, TYPALIGN_INT));
}

/* SQL that gives the related records of the keys $1, the key of each behind its columns. */
static char *
related_sql(const Embed *embed)
{
	const CatRelation *relation = embed->relation;
	const char *table = embed->selection->resource->table;
	CatQuery query;

	query_begin(&query, embed->selection->internal);
	appendStringInfoString(&query.sql, "SELECT ");
	query_columns(&query, embed->selection, "x");
	if (relation->kind == RELATION_TO_ONE)
		appendStringInfo(&query.sql, ", x.id::text FROM %s x WHERE x.id = ANY ($1) AND ", table);
	else if (relation->kind == RELATION_ONE_TO_MANY)
		appendStringInfo(&query.sql, ", x.%s::text FROM %s x WHERE x.%s = ANY ($1) AND ",
						 relation->near, table, relation->near);
	else
		appendStringInfo(&query.sql,
						 ", j.%s::text FROM %s j JOIN %s x ON x.id = j.%s "
						 "WHERE j.%s = ANY ($1) AND j.deleted_at IS NULL AND ",
						 relation->near, relation->via, table, relation->far, relation->near);
	query_living(&query, embed->selection->resource, "x");
	if (relation->kind == RELATION_MANY_TO_MANY)
		appendStringInfoString(&query.sql, " ORDER BY j.position, x.created_at, x.id");
	else if (relation->kind == RELATION_ONE_TO_MANY)
		appendStringInfoString(&query.sql, " ORDER BY x.created_at, x.id");
	return query.sql.data;
}

static void
add_row(Embed *embed, SPITupleTable *table, uint64 row)
{
	bool found;
	bool isnull;
	char key[ID_LENGTH + 1];
	Datum value = SPI_getbinval(table->vals[row], table->tupdesc, table->tupdesc->natts, &isnull);
	EmbedRow *entry;

	text_to_cstring_buffer(DatumGetTextPP(value), key, sizeof(key));
	entry = hash_search(embed->rows, key, HASH_ENTER, &found);
	if (!found)
		initStringInfo(&entry->json);
	else
		appendStringInfoChar(&entry->json, ',');
	json_record(&entry->json, embed->selection, table, row);
}

static void
fetch_one(Embed *embed, Datum keys, bool fresh)
{
	HASHCTL control = {
		.keysize = ID_LENGTH + 1, .entrysize = sizeof(EmbedRow), .hcxt = CurrentMemoryContext};
	Oid type = TEXTARRAYOID;
	SPITupleTable *table;
	uint64 rows;

	embed->rows =
		hash_create("catalogue embed", 32, &control, HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
	plan_run(related_sql(embed), 1, &type, &keys, NULL, fresh, 0);
	table = SPI_tuptable;
	rows = SPI_processed;
	embed_fetch(embed->selection, table, rows, fresh);
	for (uint64 i = 0; i < rows; i++)
		add_row(embed, table, i);
}

/* Read what the selection embeds in these rows, and in what is embedded. */
void
embed_fetch(const Selection *selection, SPITupleTable *table, uint64 rows, bool fresh)
{
	ListCell *cell;

	if (rows == 0)
		return;
	foreach(cell, selection->embeds)
	{
		Embed *embed = lfirst(cell);
		int column = embed->relation->kind == RELATION_TO_ONE
						 ? column_of(selection, embed->relation->name)
						 : 1;

		if (embed->selection)
			fetch_one(embed, column_values(table, rows, column), fresh);
	}
}
