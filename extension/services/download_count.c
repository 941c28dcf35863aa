/*
 * download_count.c
 *	  Counts of downloads of files and archives.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "call/call.h"
#include "files/files.h"
#include "pg/pg.h"
#include "registry/registry.h"

PG_FUNCTION_INFO_V1(catalogue_count_download);
PG_FUNCTION_INFO_V1(catalogue_category_downloads);

Datum
catalogue_count_download(PG_FUNCTION_ARGS)
{
	Oid types[] = {TEXTOID, TEXTOID};
	Datum values[] = {PG_ARGISNULL(0) ? (Datum) 0 : PG_GETARG_DATUM(0),
					  PG_ARGISNULL(1) ? (Datum) 0 : PG_GETARG_DATUM(1)};
	const char nulls[] = {PG_ARGISNULL(0) ? 'n' : ' ', PG_ARGISNULL(1) ? 'n' : ' ', '\0'};
	CallReply reply = {0};

	cat_call_reply_begin();
	cat_blob_commit_later();
	cat_statement_run(
		"INSERT INTO catalogue.download_count (dataset, file, day, count) "
		"SELECT d.dataset, $1, (now() AT TIME ZONE 'UTC')::date, 1 FROM (SELECT coalesce($2, "
		"(SELECT f.dataset::text FROM catalogue.files f WHERE f.id = $1)) AS dataset) d "
		"WHERE d.dataset IS NOT NULL",
		2, types, values, nulls, true, 0);
	return cat_call_reply_end(fcinfo, &reply);
}

/* Return a statement for the downloads of visible datasets, in total and by category. */
static char *
downloads_sql(const Resource *datasets, const Resource *categories, AccessLevel access)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "WITH counted AS (SELECT c.dataset, sum(c.count) AS count FROM "
								 "catalogue.download_count c JOIN catalogue.datasets d ON d.id = "
								 "c.dataset WHERE ");
	cat_visibility_write(&sql, datasets, "d", access);
	appendStringInfoString(
		&sql, " GROUP BY c.dataset) SELECT 'total', coalesce(sum(count), 0)::text FROM counted "
			  "UNION ALL (SELECT t.id::text, coalesce(sum(n.count), 0)::text "
			  "FROM catalogue.categories t LEFT JOIN catalogue.datasets_categories j "
			  "ON j.category = t.id AND j.deleted_at IS NULL "
			  "LEFT JOIN counted n ON n.dataset = j.dataset WHERE ");
	cat_visibility_write(&sql, categories, "t", access);
	appendStringInfoString(&sql, " GROUP BY t.id, t.created_at ORDER BY t.created_at, t.id)");
	return sql.data;
}

Datum
catalogue_category_downloads(PG_FUNCTION_ARGS)
{
	CallReply reply = {0};
	Actor actor;

	cat_call_reply_begin();
	cat_actor_read(fcinfo, 0, &actor);
	cat_consumer_require(&actor, "categories");
	cat_statement_run(downloads_sql(cat_registry_resource("datasets"),
									cat_registry_resource("categories"), actor.access),
					  0, NULL, NULL, NULL, true, 0);
	reply.data = makeStringInfo();
	for (uint64 i = 0; i < SPI_processed; i++)
		appendStringInfo(reply.data, "%c\"%s\":%s", i == 0 ? '{' : ',',
						 SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1),
						 SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 2));
	appendStringInfoChar(reply.data, '}');
	return cat_call_reply_end(fcinfo, &reply);
}
