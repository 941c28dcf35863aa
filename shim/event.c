/*
 * event.c - what the log says about an answer.
 */
#include <string.h>

#include "shim.h"

/* The calls that are events of their own. */
static const struct
{
	CallName call;
	LogLevel level;
	const char *event;
	const char *failure;
} events[] = {
	{CALL_CREATE, LOG_INFO, "creation of a resource", "error in the creation of a resource"},
	{CALL_UPDATE, LOG_INFO, "edit of a resource", "error in the edit of a resource"},
	{CALL_ACT, LOG_INFO, "edit of a resource", "error in the edit of a resource"},
	{CALL_RESTORE, LOG_INFO, "edit of a resource", "error in the edit of a resource"},
	{CALL_DELETE, LOG_INFO, "deletion of a resource", "error in the deletion of a resource"},
	{CALL_DEACTIVATE, LOG_INFO, "deletion of a resource", "error in the deletion of a resource"},
	{CALL_DOWNLOAD, LOG_VERBOSE, "download of a file", NULL},
	{CALL_ARCHIVE, LOG_VERBOSE, "download of a file", NULL},
};

void
event_answer(Request *request, struct MHD_Response *response)
{
	const Log *log = request->worker->settings->log;
	bool good = request->answer.status < 400;

	for (size_t i = 0; i < lengthof(events) && request->route != NULL; i++)
	{
		if (request->route->call != events[i].call)
			continue;
		if (good || events[i].failure != NULL)
			log_request(request, good ? events[i].level : LOG_ERROR,
						good ? events[i].event : events[i].failure, "%s", "");
	}
	/* that something is not built is no fault of the server */
	if (request->answer.status >= 500 && !request->told)
		log_request(request, request->answer.status == 501 ? LOG_WARN : LOG_ERROR, "error", "%s",
					"");
	log_request(request, LOG_VERBOSE, "response", "%s", "");
	if (!log_wants(log, LOG_SILLY))
		return;
	redact_request(request);
	redact_answer(request, response);
}
