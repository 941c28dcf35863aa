/*
 * named.c
 *	  Look-up of a record by the id or slug in a path.
 */
#include "catalogue.h"

#include "executor/spi.h"

#include "pg/pg.h"
#include "query/sql_builder.h"
#include "read/read.h"
#include "read/read_internal.h"
#include "registry/registry.h"
#include "registry/rows.h"

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
char *
cat_named_by_slug(Resource *resource, const char *word, AccessLevel access)
{
	const Field *slug = slug_of(resource, access);
	SqlBuilder query;

	if (!slug)
		return NULL;
	cat_sql_builder_begin(&query, access, 0);
	appendStringInfo(&query.sql, "SELECT t.id::text FROM %s t WHERE t.%s = %s AND ",
					 cat_history_sql_table(&query, resource), slug->quoted,
					 cat_sql_builder_param(&query, word));
	cat_sql_builder_living(&query, resource, "t");
	appendStringInfoString(&query.sql, " ORDER BY t.created_at, t.id LIMIT 1");
	cat_sql_builder_run(&query);
	return SPI_processed > 0 ? cat_result_text(1) : NULL;
}

const char *
cat_named_id(Resource *resource, const char *word, AccessLevel access)
{
	char *id;

	if (!slug_of(resource, access) || cat_rows_exists(resource, word, access))
		return word;
	id = cat_named_by_slug(resource, word, access);
	return id ? id : word;
}
