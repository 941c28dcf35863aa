/*
 * status.c
 *	  Who may read the metrics and the check list, and whether the service is ready; the texts are composed in
 *	  status.sql and setup.sql.
 */
#include "catalogue.h"

#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "replication/walreceiver.h"

#include "call/call.h"
#include "query/query.h"

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

/*
 * Return the seconds that a standby is behind; 0 on a primary.
 *
 * One that has replayed all that it receives is not behind: while nothing is written, nothing comes.
 */
static double
lag(void)
{
	if (!RecoveryInProgress() ||
		(WalRcvStreaming() && GetWalRcvFlushRecPtr(NULL, NULL) == GetXLogReplayRecPtr(NULL)))
		return 0;
	return (double) (GetCurrentTimestamp() - GetLatestXTime()) / USECS_PER_SEC;
}

/* Return the parameter lag of a query; INT64_MAX: there is none. */
static int64
most_lag(const char *query)
{
	int64 most = PG_INT64_MAX;

	for (RequestWord word; cat_query_string_next(&query, &word.name, &word.value);)
	{
		if (strcmp(word.name, "lag") != 0)
			ereport(ERROR, (errcode(OD422), errmsg("unknown parameter \"%s\"", word.name),
							errhint("It takes lag.")));
		most = cat_request_params_count("lag", word.value);
	}
	return most;
}

CAT_REPLY(catalogue_health_read)
{
	int64 most = most_lag(cat_call_reply_argument(fcinfo, ARG_HEALTH_READ_QUERY));
	double behind = lag();

	if (behind > (double) most)
		ereport(ERROR, (errcode(OD503), errmsg("the standby is %.0f s behind", behind),
						errdetail_internal("{\"retryAfter\":1}")));
	cat_call_reply_format(reply, "{\"standby\":%s,\"lag\":%.1f}",
						  RecoveryInProgress() ? "true" : "false", behind);
}

CAT_REPLY(catalogue_wal_position)
{
	TimeLineID timeline;
	XLogRecPtr lsn =
		RecoveryInProgress() ? GetXLogReplayRecPtr(&timeline) : GetFlushRecPtr(&timeline);

	cat_call_reply_format(reply, "[%u,%llu]", timeline, (unsigned long long) lsn);
}

CAT_REPLY(catalogue_setup)
{
	const char *base = cat_call_reply_required(fcinfo, ARG_SETUP_BASE);
	Actor actor;

	cat_actor_read(fcinfo, ARG_SETUP_ACTOR, &actor);
	cat_permission_require_super(&actor, "configs", "the check list is for superadmins only");
	cat_statement_read(
		"SELECT json_build_object('checks', (SELECT json_agg(s) FROM catalogue.setup_checks($1) "
		"s), "
		"'settings', (SELECT json_agg(json_build_object('key', d.key, 'type', d.type, 'category', "
		"d.category, 'value', d.value, 'description', d.english) ORDER BY d.rank) "
		"FROM catalogue.default_configs() d))",
		text_param(base));
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}
