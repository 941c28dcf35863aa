/*
 * monitoring.c
 *	  What a monitoring system reads: metrics, and whether the service is ready.
 *
 * The texts are composed in SQL (sql/72-status.sql).  The caller is checked here.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "call/call.h"
#include "pg/pg.h"

PG_FUNCTION_INFO_V1(catalogue_library_version);
PG_FUNCTION_INFO_V1(catalogue_metrics);
PG_FUNCTION_INFO_V1(catalogue_ready);

/* Compiled in: a library that was replaced without ALTER EXTENSION UPDATE has another version. */
#define LIBRARY_VERSION "1.1"

/* microseconds for which a caller may keep the metrics */
#define PERIOD (5 * USECS_PER_SEC)

Datum
catalogue_library_version(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(LIBRARY_VERSION));
}

/* Raise an error unless the actor may read the metrics. */
static void
require_reader(const Actor *actor)
{
	if (actor->access != ACCESS_ALL && actor->user[0] == '\0' && actor->consumer[0] == '\0')
		ereport(ERROR, (errcode(OD401), errmsg("the metrics need the credential of a superadmin")));
	if (actor->access != ACCESS_ALL)
		ereport(ERROR, (errcode(OD403), errmsg("the metrics are for superadmins only")));
	cat_consumer_require(actor, "metrics");
}

Datum
catalogue_metrics(PG_FUNCTION_ARGS)
{
	CallReply reply = {0};
	Actor actor;

	cat_call_reply_begin();
	cat_actor_read(fcinfo, 0, &actor);
	if (PG_ARGISNULL(1) || !PG_GETARG_BOOL(1))
		require_reader(&actor);
	reply.etag = psprintf(INT64_FORMAT, (int64) (GetCurrentTimestamp() / PERIOD));
	if (!cat_call_reply_argument_is(fcinfo, 2, reply.etag))
	{
		cat_statement_run("SELECT catalogue.metrics_text()", 0, NULL, NULL, NULL, false, 0);
		reply.data = makeStringInfo();
		appendStringInfoString(reply.data, cat_result_text(1));
	}
	return cat_call_reply_end(fcinfo, &reply);
}

Datum
catalogue_ready(PG_FUNCTION_ARGS)
{
	Oid types[] = {TEXTOID};
	Datum values[1];
	CallReply reply = {0};

	cat_call_reply_begin();
	values[0] = CStringGetTextDatum(cat_call_reply_required(fcinfo, 0));
	cat_statement_run("SELECT r.report, r.failed FROM catalogue.readiness($1) r", 1, types, values,
					  NULL, false, 0);
	if (cat_result_bool(2))
		ereport(ERROR, (errcode(OD503), errmsg("the service is not ready"),
						errdetail_internal("%s", cat_result_text(1))));
	reply.data = makeStringInfo();
	appendStringInfoString(reply.data, cat_result_text(1));
	return cat_call_reply_end(fcinfo, &reply);
}
