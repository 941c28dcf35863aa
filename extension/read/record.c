/*
 * record.c
 *	  One record: in its state at the instant of a read, by its id or slug.
 */
#include "catalogue.h"

#include "access/htup_details.h"

#include "base/base.h"
#include "read/read_internal.h"

char *
cat_record_id(const Resource *resource, const Rows *rows, int row)
{
	int column = cat_rows_column(rows, resource, NULL, "id") + 1;
	bool isnull;

	return TextDatumGetCString(heap_getattr(rows->tuples[row], column, rows->desc, &isnull));
}

bool
cat_record_is_reader(const Resource *resource, const Rows *rows)
{
	return strcmp(resource->name, "users") == 0 &&
		   strcmp(cat_record_id(resource, rows, 0), cat_security_context_reader()) == 0;
}

/* Return the slug field of a resource, NULL if it has none or the access level does not show it. */
static const Field *
slug_of(Resource *resource, AccessLevel access)
{
	const Field *slug = cat_registry_column(resource, "slug");

	return slug && slug->kind == FIELD_TEXT && cat_visibility_field(slug, access) ? slug : NULL;
}

/*
 * Return the id of the visible record that has a slug, palloc'd; NULL if there is none.
 *
 * If several records share the slug, the oldest one is taken.
 */
static char *
by_slug(Resource *resource, const char *word, AccessLevel access)
{
	const Field *slug = slug_of(resource, access);
	SqlBuilder query;

	if (!slug)
		return NULL;
	cat_sql_builder_begin(&query, access, 0);
	appendStringInfo(&query.sql, "SELECT t.id::text FROM %s t WHERE t.%s = %s AND ",
					 cat_history_sql_table(&query, resource), slug->quoted,
					 cat_sql_builder_param(&query, cat_compose_text(word)));
	cat_sql_builder_living(&query, resource, "t");
	appendStringInfoString(&query.sql, " ORDER BY t.created_at, t.id LIMIT 1");
	cat_sql_builder_run(&query);
	return SPI_processed > 0 ? cat_result_text(1) : NULL;
}

const char *
cat_record_named_id(Resource *resource, const char *word, AccessLevel access)
{
	char *id;

	if (!slug_of(resource, access) || cat_rows_exists(resource, word, access))
		return word;
	id = by_slug(resource, word, access);
	return id ? id : word;
}

/* Read the first state of a record that ended after the instant, as an access level sees it. */
static Rows
state_then(const RequestParams *params, const Resource *resource, const char *id,
		   AccessLevel access)
{
	SqlBuilder query;

	cat_sql_builder_begin(&query, access, params->then);
	cat_history_sql_states(&query, resource, id);
	appendStringInfoString(&query.sql, " LIMIT 1");
	cat_sql_builder_run(&query);
	return cat_rows_whole_of_statement(resource);
}

/*
 * Read the state of a record at the instant of the read: the first one that ended later, else the
 * present one.
 */
Rows
cat_record_then(const RequestParams *params, const Resource *resource, const char *id)
{
	bool outside = params->access == ACCESS_OUTSIDER;
	Rows present = cat_rows_by_id(resource, id, params->access);
	Rows rows;

	if (!params->then || !resource->history_table || (outside && present.count == 0))
		return present;
	/* few records have changed: the lists that outsiders see take a longer statement */
	rows = state_then(params, resource, id, outside ? ACCESS_ALL : params->access);
	if (rows.count == 0)
		return present;
	if (outside)
		rows = state_then(params, resource, id, ACCESS_OUTSIDER);
	if (heap_attisnull(rows.tuples[0], resource->created_at, resource->desc) ||
		!cat_seen_record(resource, rows.tuples[0], params->access))
		rows.count = 0;
	return rows;
}

Rows
cat_record_named(const RequestParams *params, const char *word)
{
	Rows rows = cat_record_then(params, params->resource, word);
	const char *id = NULL;

	if (rows.count == 0)
		id = by_slug(params->resource, word, params->access);
	return id ? cat_record_then(params, params->resource, id) : rows;
}

Rows *
cat_record_each(const RequestParams *params, const char *const *ids, int count)
{
	Rows *rows = palloc(sizeof(Rows) * (count + 1));

	if (!params->then)
		cat_rows_by_ids(params->resource, ids, count, params->access, rows);
	for (int i = 0; params->then && i < count; i++)
		rows[i] = cat_record_then(params, params->resource, ids[i]);
	return rows;
}

char *
cat_record_missing(const Resource *resource, const char *id)
{
	return psprintf("%s \"%s\" does not exist", resource->model, id);
}

pg_noreturn void
cat_record_not_found(const Resource *resource, const char *id)
{
	ereport(ERROR, (errcode(OD404), errmsg_internal("%s", cat_record_missing(resource, id))));
}

void
cat_record_require_owner(const ReadPlan *plan)
{
	const Source *source = &plan->source;

	if (cat_record_then(plan->params, source->resource, source->owner).count == 0)
		cat_record_not_found(source->resource, source->owner);
}
