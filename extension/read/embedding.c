/*
 * embedding.c
 *	  Links of a record, its relations, and the records that are embedded in it.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "utils/array.h"
#include "utils/hsearch.h"

#include "base/settings.h"
#include "base/state_action.h"
#include "read/read_internal.h"

/* Parts of a record, each linked if its column has a value. */
static const struct
{
	const char *resource;
	const char *name;
	const char *column; /* NULL: always */
	const char *
		made; /* one that has a value in its place where the service has made the record; NULL: none */
	bool address;	   /* the value is an address; link it only if it is the part's own */
	const char *other; /* resource that the caller's API key must allow, too */
} parts[] = {
	{"datasets", "download", NULL, NULL, false, "files"},
	{"files", "download", "sha256", NULL, false, "files"},
	{"files", "contents", "revision", NULL, false, "files"},
	{"categories", "image", "image", NULL, true, "categories"},
	{"organizations", "image", "image", NULL, true, "organizations"},
	{"maps", "geojson", "geojson", "extent", false, "maps"},
	{"maps", "image", "geojson", "extent", false, "maps"},
	{"maps", "issues", "incorrect", NULL, false, "files"},
	{"charts", "data", "data", NULL, false, "charts"},
	{"charts", "image", "data", NULL, false, "charts"},
};

static void
add_word(StringInfo links, const char *sign, const char *word)
{
	if (links->len > 0)
		appendStringInfoChar(links, ',');
	appendStringInfoString(links, sign);
	appendStringInfoString(links, word);
}

/* Return the text of a column of the record; NULL if it is null. */
static char *
text_at(const Rows *row, AttrNumber column)
{
	bool isnull;
	Datum value = heap_getattr(row->tuples[0], column, row->desc, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

/* Return whether the column of a part has a value that is not an address outside the record. */
static bool
has_part(const Resource *resource, const Rows *row, const char *column, size_t part)
{
	const Field *field =
		column ? cat_registry_column(unconstify(Resource *, resource), column) : NULL;
	const char *own;
	const char *address;

	if (!field || heap_attisnull(row->tuples[0], field->attno, row->desc))
		return false;
	if (!parts[part].address || field->kind != FIELD_TEXT)
		return !parts[part].address;
	own = psprintf("/%s/%s/%s", resource->name, text_at(row, resource->id), parts[part].name);
	address = strstr(text_at(row, field->attno), own);
	return address && strcmp(address, own) == 0;
}

static void
add_parts(StringInfo links, const RequestParams *params, const Rows *row)
{
	const Resource *resource = params->resource;

	for (size_t i = 0; i < lengthof(parts); i++)
		if (strcmp(parts[i].resource, resource->name) == 0 &&
			cat_consumer_may_ask(params->actor, parts[i].other) &&
			(!parts[i].column || has_part(resource, row, parts[i].column, i) ||
			 has_part(resource, row, parts[i].made, i)))
			add_word(links, "", parts[i].name);
}

/* Return the actions that the record's state allows; List of char *. */
static List *
actions_of(const Resource *resource, const Rows *row)
{
	const char *status = resource->status ? text_at(row, resource->status->attno) : NULL;
	bool hidden = resource->deactivates &&
				  !heap_attisnull(row->tuples[0], resource->deactivated_at, row->desc);
	List *actions = NIL;

	foreach_ptr(char, action, resource->actions)
	{
		if ((status && cat_state_action_allows(action, status)) ||
			cat_permission_is_named_only(action) || (hidden && strcmp(action, "restore") == 0) ||
			(!hidden && resource->deactivates && strcmp(action, "deactivate") == 0))
			actions = lappend(actions, action);
	}
	return actions;
}

static void
add_actions(StringInfo links, const RequestParams *params, const Rows *row)
{
	const Actor *actor = params->actor;
	const Resource *resource = params->resource;
	List *actions = actions_of(resource, row);
	const char *id;

	if (resource->read_only || actions == NIL)
		return;
	id = text_at(row, resource->id);
	actions = cat_permission_granted(actor, resource, id, actions);
	if (actions == NIL || !cat_consumer_may_change(actor, resource, id))
		return;
	foreach_ptr(char, action, actions)
	{
		if (cat_consumer_may_send(actor, cat_state_action_is(action) ? "PATCH" : "POST"))
			add_word(links, "+", action);
	}
}

/*
 * Return the links of the first row, separated by commas: path segments relative to the record,
 * with "+" before an action that the caller may perform now.  NULL if there are none.
 *
 * An earlier state has neither actions nor parts, which may no longer exist.
 */
const char *
cat_embedding_record_links(const RequestParams *params, const Rows *row)
{
	StringInfo links = makeStringInfo();

	if (params->resource->history_table)
		add_word(links, "", "versions");
	if (params->resource->logged && !params->resource->change &&
		params->access != ACCESS_OUTSIDER && cat_consumer_may_ask(params->actor, "logs"))
		add_word(links, "", "logs");
	if (row->whole && !params->as_of && !params->deleted)
	{
		add_parts(links, params, row);
		add_actions(links, params, row);
	}
	return links->len > 0 ? links->data : NULL;
}

/*
 * Return the names of the relations, separated by commas, without those in left_out.
 *
 * A name that contains a comma is left out.
 */
static char *
names_of(const Relations *relations, const Bitmapset *left_out)
{
	StringInfo names = makeStringInfo();

	for (int i = 0; i < relations->count; i++)
	{
		if (bms_is_member(i, left_out) || strchr(relations->each[i].relation->name, ','))
			continue;
		if (names->len > 0)
			appendStringInfoChar(names, ',');
		appendStringInfoString(names, relations->each[i].relation->name);
	}
	return names->data;
}

static void
add_relation(Relations *relations, const CatRelation *relation)
{
	Resource *target =
		relation->kind == RELATION_TO_ONE ? cat_registry_resource(relation->target) : NULL;
	/* a key that does not stand in the way of a deletion may name a deleted record */
	bool partial = target && (relation->deletion == 'n' ||
							  cat_visibility_is_partial(target, relations->access));

	relations->each[relations->count].relation = relation;
	relations->each[relations->count++].target = partial ? target : NULL;
	relations->hides |= partial;
}

const Relations *
cat_embedding_relations_begin(const Selection *selection)
{
	const Resource *resource = selection->resource;
	Relations *relations = palloc0(sizeof(Relations));

	relations->access = selection->access;
	relations->each = palloc(sizeof(Related) * (resource->nrelations + 1));
	for (int i = 0; i < resource->nrelations; i++)
		if (cat_visibility_relation(&resource->relations[i], selection->access))
			add_relation(relations, &resource->relations[i]);
	relations->all = names_of(relations, NULL);
	return relations;
}

/* Return whether a to-one relation leads to a visible record in its present state. */
static bool
leads_somewhere(const Related *related, const Rows *row, AccessLevel access)
{
	AttrNumber key = related->relation->key->attno;
	char *id;
	bool isnull;

	if (heap_attisnull(row->tuples[0], key, row->desc))
		return false;
	if (!related->target)
		return true;
	id = TextDatumGetCString(heap_getattr(row->tuples[0], key, row->desc, &isnull));
	return cat_rows_exists(related->target, id, access);
}

/*
 * Return the names of a record's relations, without to-one relations that lead to no visible
 * record.
 */
const char *
cat_embedding_relations_seen(const Relations *relations, const Rows *row)
{
	Bitmapset *nowhere = NULL;

	if (!row->whole)
		return relations->all;
	for (int i = 0; i < relations->count; i++)
		if (relations->each[i].relation->kind == RELATION_TO_ONE &&
			!leads_somewhere(&relations->each[i], row, relations->access))
			nowhere = bms_add_member(nowhere, i);
	return nowhere ? names_of(relations, nowhere) : relations->all;
}

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

/*
 * Number of keys from which on the statement is planned for them: only of a constant array does
 * PostgreSQL make a hash table where its plan filters by keys, as before tables are analyzed.
 */
#define PLANNED_KEYS 50

/* Read the related records of the keys; the last column of each row is its key. */
static Rows
related_rows(const Embed *embed, Datum keys, TimestampTz then)
{
	CatRelation *relation = embed->relation;
	Resource *target = embed->selection->resource;
	const ArrayType *list = DatumGetArrayTypeP(keys);
	long most = (long) cat_max_limit * EMBED_FACTOR;
	const char *wanted;
	SqlBuilder query;

	cat_sql_builder_begin(&query, embed->selection->access, then);
	wanted = cat_sql_builder_value(&query, TEXTARRAYOID, keys);
	if (ArrayGetNItems(ARR_NDIM(list), ARR_DIMS(list)) >= PLANNED_KEYS)
		query.plan = CURSOR_OPT_CUSTOM_PLAN;
	appendStringInfoString(&query.sql, "SELECT ");
	cat_sql_builder_columns(&query, embed->selection, "x");
	if (relation->kind == RELATION_MANY_TO_MANY)
		appendStringInfo(&query.sql,
						 ", j.%s::text FROM %s j JOIN %s x ON x.id = j.%s "
						 "WHERE j.%s = ANY (%s) AND j.deleted_at IS NULL AND ",
						 relation->near, cat_history_sql_via(&query, relation, NULL),
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
	foreach_ptr(Embed, embed, selection->embeds)
		if (strcmp(embed->relation->name, name) == 0)
			return embed;
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
	if (rows->count == 0)
		return;
	foreach_ptr(Embed, embed, selection->embeds)
	{
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
