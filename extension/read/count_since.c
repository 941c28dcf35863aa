/*
 * count_since.c
 *	  Number of records in the present count that are not part of an earlier state.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "pg/pg.h"
#include "query/query.h"
#include "query/sql_builder.h"
#include "read/read_internal.h"

static const char living_sql[] =
	"SELECT coalesce(sum(c.living), 0)::bigint FROM catalogue.change c "
	"WHERE c.resource = $1 AND c.at > $2 AND c.living <> 0";

/* Return by how much the number of living records has grown since the instant of a read. */
static int64
living_since(const RequestParams *params)
{
	Oid types[] = {TEXTOID, TIMESTAMPTZOID};
	Datum values[] = {CStringGetTextDatum(params->resource->name),
					  TimestampTzGetDatum(params->then)};
	bool isnull;

	cat_statement_run(living_sql, 2, types, values, NULL, false, 0);
	return DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

/*
 * Return how many of the records that outsiders see now were not visible to them at the instant of
 * a read.
 */
static int64
shown_since(const RequestParams *params)
{
	SqlBuilder query;

	cat_sql_builder_begin(&query, params->access, params->then);
	appendStringInfo(&query.sql, "SELECT count(*) FROM %s p JOIN %s t ON t.id = p.id WHERE ",
					 cat_history_sql_past(&query, params->resource), params->resource->table);
	cat_sql_builder_living(&query, params->resource, "t");
	appendStringInfoString(&query.sql, " AND (p.created_at IS NOT NULL AND ");
	cat_sql_builder_living(&query, params->resource, "p");
	appendStringInfoString(&query.sql, ") IS NOT TRUE");
	return cat_count_cache_run(&query, params, cat_sql_builder_run);
}

/*
 * Return how many of the records counted now do not belong to the state at the instant of a read; 0
 * for a read of the present state.
 */
int64
cat_count_since(const RequestParams *params)
{
	if (!params->then)
		return 0;
	return params->access == ACCESS_OUTSIDER ? shown_since(params) : living_since(params);
}
