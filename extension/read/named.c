/*
 * named.c
 *	  The record that a word of a path names: by its id, else by its slug.
 */
#include "catalogue.h"

/* The slug of a resource as callers of that sight may ask for it, NULL where it has none. */
static const Field *
slug_of(Resource *resource, AccessLevel sight)
{
	const Field *slug = cat_registry_column(resource, "slug");

	return slug && slug->kind == FIELD_TEXT && cat_visibility_field(slug, sight) ? slug : NULL;
}

/*
 * The id of the record that has a slug, palloc'd; NULL where a caller of that sight sees none.
 *
 * Of several that share it the first one that was made.
 */
char *
cat_named_by_slug(Resource *resource, const char *word, AccessLevel sight)
{
	const Field *slug = slug_of(resource, sight);
	SqlBuilder query;

	if (!slug)
		return NULL;
	cat_sql_builder_begin(&query, sight, 0);
	appendStringInfo(&query.sql, "SELECT t.id::text FROM %s t WHERE t.%s = %s AND ",
					 cat_history_sql_table(&query, resource), slug->quoted,
					 cat_sql_builder_param(&query, word));
	cat_sql_builder_living(&query, resource, "t");
	appendStringInfoString(&query.sql, " ORDER BY t.created_at, t.id LIMIT 1");
	cat_sql_builder_run(&query);
	return SPI_processed > 0 ? cat_result_text(1) : NULL;
}

/*
 * The id of the record that a word names: the word itself, unless a caller of that sight sees no
 * record of this id, but one with this slug.
 *
 * A record that is hidden from the caller counts as one that is not there.
 */
const char *
cat_named_id(Resource *resource, const char *word, AccessLevel sight)
{
	Rows rows;
	char *id;

	if (!slug_of(resource, sight) ||
		(cat_row_fetch_by_id(resource, word, sight, &rows) && rows.count == 1))
		return word;
	id = cat_named_by_slug(resource, word, sight);
	return id ? id : word;
}
