/*
 * embedding.c
 *	  Embedded related records: one query per relation, not one per row.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"

#include "base/base.h"
#include "base/settings.h"
#include "query/sql_builder.h"
#include "read/read.h"
#include "read/read_internal.h"

/*
 * Maximum number of related records per relation of a page, as a multiple of the maximum page size.
 */
#define EMBED_FACTOR 10

/*
 * Maximum bytes of related records that a page, or a piece of an export, writes, with each copy: each
 * of a thousand records may have the same lists of others.
 */
#define EMBED_BYTES (64 * 1024 * 1024)

static int64 embedded_bytes; /* of the page that is being written */

/* Return the values of a column that are not null, as text[]. */
static Datum
column_values(const Rows *rows, const Resource *resource, int column)
{
	Datum *keys = palloc(sizeof(Datum) * (rows->count + 1));
	Datum *values = palloc(rows->desc->natts * sizeof(Datum));
	bool *nulls = palloc(rows->desc->natts * sizeof(bool));
	int count = 0;

	for (int i = 0; i < rows->count; i++)
	{
		cat_rows_values(rows, resource, i, values, nulls);
		if (!nulls[column])
			keys[count++] = values[column];
	}
	return cat_text_array_make(keys, count);
}

/* Read the related records of the keys; the last column of each row is its key. */
static Rows
related_rows(const Embed *embed, Datum keys, TimestampTz then)
{
	CatRelation *relation = embed->relation;
	Resource *target = embed->selection->resource;
	long most = (long) cat_max_limit * EMBED_FACTOR;
	const char *wanted;
	SqlBuilder query;

	cat_sql_builder_begin(&query, embed->selection->access, then);
	wanted = cat_sql_builder_value(&query, TEXTARRAYOID, keys);
	appendStringInfoString(&query.sql, "SELECT ");
	cat_sql_builder_columns(&query, embed->selection, "x");
	if (relation->kind == RELATION_MANY_TO_MANY)
		appendStringInfo(&query.sql,
						 ", j.%s::text FROM %s j JOIN %s x ON x.id = j.%s "
						 "WHERE j.%s = ANY (%s) AND j.deleted_at IS NULL AND ",
						 relation->near, cat_history_sql_via(&query, relation),
						 cat_history_sql_table(&query, target), relation->far, relation->near,
						 wanted);
	else
	{
		const char *key = relation->kind == RELATION_TO_ONE ? "id" : relation->near;

		appendStringInfo(&query.sql, ", x.%s::text FROM %s x WHERE x.%s = ANY (%s) AND ", key,
						 cat_history_sql_table(&query, target), key, wanted);
	}
	cat_sql_builder_living(&query, target, "x");
	if (relation->kind == RELATION_MANY_TO_MANY)
		appendStringInfoString(&query.sql, " ORDER BY j.position, x.created_at, x.id");
	else if (relation->kind == RELATION_ONE_TO_MANY)
		appendStringInfoString(&query.sql, " ORDER BY x.created_at, x.id");
	appendStringInfo(&query.sql, " LIMIT %ld", most + 1);
	cat_sql_builder_run(&query);
	if (SPI_processed > (uint64) most)
		ereport(ERROR,
				(errcode(OD422),
				 errmsg("relation \"%s\" has more than %ld records here", relation->name, most),
				 errhint("Ask for fewer records, or for the relation of one record, in pages.")));
	return cat_rows_of_statement();
}

/* Raises OD422 if the page writes too many bytes of related records. */
static void
count_bytes(const Embed *embed, int length)
{
	embedded_bytes += length;
	if (embedded_bytes > EMBED_BYTES)
		ereport(ERROR,
				(errcode(OD422),
				 errmsg("the records of relation \"%s\", with those related to them, take more "
						"than 64 MiB here",
						embed->relation->name),
				 errhint("Ask for fewer records, or for some fields of the relation.")));
}

static void
add_row(Embed *embed, const Rows *rows, int row)
{
	int before;
	bool found;
	bool isnull;
	char key[ID_LENGTH + 1];
	Datum value = SPI_getbinval(rows->tuples[row], rows->desc, rows->desc->natts, &isnull);
	EmbedRow *entry;

	text_to_cstring_buffer(DatumGetTextPP(value), key, sizeof(key));
	entry = hash_search(embed->rows, key, HASH_ENTER, &found);
	if (!found)
		initStringInfo(&entry->text);
	else
		appendStringInfoChar(&entry->text, ',');
	before = entry->text.len;
	(embed->write ? embed->write : cat_json_record)(&entry->text, embed->selection, rows, row);
	count_bytes(embed, entry->text.len - before);
}

static void fetch(const Selection *selection, const Rows *rows, TimestampTz then);

static void
fetch_one(Embed *embed, Datum keys, TimestampTz then)
{
	HASHCTL control = {
		.keysize = ID_LENGTH + 1, .entrysize = sizeof(EmbedRow), .hcxt = CurrentMemoryContext};
	Rows rows;

	embed->rows =
		hash_create("catalogue embed", 32, &control, HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
	rows = related_rows(embed, keys, then);
	fetch(embed->selection, &rows, then);
	for (int i = 0; i < rows.count; i++)
		add_row(embed, &rows, i);
}

/* Return the embedding of a relation, or NULL. */
Embed *
cat_embedding_named(const Selection *selection, const char *name)
{
	ListCell *cell;

	foreach(cell, selection->embeds)
	{
		Embed *embed = lfirst(cell);

		if (strcmp(embed->relation->name, name) == 0)
			return embed;
	}
	return NULL;
}

/* Return the embedded text for an id, of which a copy is written, or NULL. */
EmbedRow *
cat_embedding_row(const Embed *embed, Datum id)
{
	char key[ID_LENGTH + 1] = {0};
	EmbedRow *entry;

	if (!embed->rows)
		return NULL;
	text_to_cstring_buffer(DatumGetTextPP(id), key, sizeof(key));
	entry = hash_search(embed->rows, key, HASH_FIND, NULL);
	if (entry)
		count_bytes(embed, entry->text.len);
	return entry;
}

static void
fetch(const Selection *selection, const Rows *rows, TimestampTz then)
{
	ListCell *cell;

	if (rows->count == 0)
		return;
	foreach(cell, selection->embeds)
	{
		Embed *embed = lfirst(cell);
		bool to_one = embed->relation->kind == RELATION_TO_ONE;
		int column = cat_rows_column(rows, selection->resource, selection->fields,
									 to_one ? embed->relation->name : "id");

		if (embed->selection)
			fetch_one(embed, column_values(rows, selection->resource, column), then);
	}
}

void
cat_embedding_fetch(const Selection *selection, const Rows *rows, TimestampTz then)
{
	embedded_bytes = 0;
	fetch(selection, rows, then);
}
