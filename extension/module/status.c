/*
 * status.c
 *	  Who may read the metrics and the check list, and whether the service is ready; the texts are composed in
 *	  status.sql and setup.sql.
 */
#include "catalogue.h"

#include "call/call.h"

/* Compiled in: a library that was replaced without ALTER EXTENSION UPDATE has another version. */
#define LIBRARY_VERSION "1.1"

/* microseconds for which a caller may keep the metrics */
#define PERIOD (5 * USECS_PER_SEC)

CAT_FUNCTION(catalogue_library_version)
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

CAT_REPLY(catalogue_metrics)
{
	Actor actor;

	cat_actor_read(fcinfo, ARG_METRICS_ACTOR, &actor);
	if (PG_ARGISNULL(ARG_METRICS_MONITOR) || !PG_GETARG_BOOL(ARG_METRICS_MONITOR))
		require_reader(&actor);
	reply->etag = psprintf(INT64_FORMAT, (int64) (GetCurrentTimestamp() / PERIOD));
	if (!cat_call_reply_argument_is(fcinfo, ARG_METRICS_KNOWN, reply->etag))
	{
		cat_statement_read("SELECT catalogue.metrics_text()");
		cat_call_reply_format(reply, "%s", cat_result_text(1));
	}
}

CAT_REPLY(catalogue_ready)
{
	cat_statement_read("SELECT r.report, r.failed FROM catalogue.readiness($1) r",
					   text_param(cat_call_reply_required(fcinfo, ARG_READY_VERSION)));
	if (cat_result_bool(2))
		ereport(ERROR, (errcode(OD503), errmsg("the service is not ready"),
						errdetail_internal("%s", cat_result_text(1))));
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}

CAT_REPLY(catalogue_setup)
{
	const char *base = cat_call_reply_required(fcinfo, ARG_SETUP_BASE);
	Actor actor;

	cat_actor_read(fcinfo, ARG_SETUP_ACTOR, &actor);
	if (actor.access != ACCESS_ALL && actor.user[0] == '\0')
		ereport(ERROR, (errcode(OD401), errmsg("a user is needed for this")));
	if (actor.access != ACCESS_ALL)
		ereport(ERROR, (errcode(OD403), errmsg("the check list is for superadmins only")));
	cat_consumer_require(&actor, "configs");
	cat_statement_read(
		"SELECT json_build_object('checks', (SELECT json_agg(s) FROM catalogue.setup_checks($1) "
		"s), "
		"'settings', (SELECT json_agg(json_build_object('key', d.key, 'type', d.type, 'category', "
		"d.category, 'value', d.value, 'description', d.english) ORDER BY d.place) "
		"FROM catalogue.default_configs() d))",
		text_param(base));
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}
