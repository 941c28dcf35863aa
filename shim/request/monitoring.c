/*
 * monitoring.c - GET /metrics and GET /health/ready: what a monitoring system reads.
 *
 * Both are answered while the database is away.  The metrics show traffic and internals, so they are
 * for superadmins, and for connections from addresses of a setting.
 */
#include "answer/answer.h"
#include "metrics/metrics.h"
#include "request/request.h"

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Answer with the counters, and with the figures of the database unless it is away. */
static StageResult
answer_metrics(Request *request, const Reply *reply)
{
	Metrics *metrics = request->worker->settings->metrics;
	Buffer *text = &request->answer.head;

	answer_status(request, MHD_HTTP_OK);
	request->answer.type = METRICS_TYPE;
	answer_field(request, "Cache-Control", "no-store");
	buffer_format(text,
				  "# HELP catalogue_up Whether the database has answered: 1 or 0.\n"
				  "# TYPE catalogue_up gauge\ncatalogue_up %d\n",
				  reply != NULL);
	metrics_write(text, metrics);
	if (reply != NULL && reply->data != NULL)
		metrics_figures_keep(metrics, reply->etag, reply->data, reply->data_length);
	if (reply != NULL)
		metrics_figures_write(text, metrics);
	return ANSWERED;
}

/* A monitoring system learns that the database is away; others get the error. */
static StageResult
metrics_ended(Request *request)
{
	CallError error;
	Reply reply;

	if (!error_find(request->call, &error) && reply_of_call(request->call, &reply) &&
		reply.etag != NULL)
		return answer_metrics(request, &reply);
	return proxy_monitors(request) ? answer_metrics(request, NULL) : result_check(request);
}

StageResult
monitoring_metrics(Request *request)
{
	request->known = metrics_figures_state(request->worker->settings->metrics, &request->arena);
	return call_start_unchecked(request, CALL_METRICS, metrics_ended);
}

/* If the database did not perform the checks, its own has failed. */
static StageResult
ready_ended(Request *request)
{
	static const Refusal away = {
		MHD_HTTP_SERVICE_UNAVAILABLE, "the service is not ready",
		"{\"checks\":{\"database\":\"the database did not answer\"},\"failed\":[\"database\"]}",
		NULL};
	CallError error;

	if (!error_find(request->call, &error))
		return NEXT;
	return error_own_status(&error) != 0 ? result_check(request) : error_again(request, &away);
}

StageResult
monitoring_ready(Request *request)
{
	return call_start_unchecked(request, CALL_READY, ready_ended);
}
