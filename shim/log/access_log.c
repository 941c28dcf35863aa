/*
 * access_log.c - what the log says about an answer.
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

/* Path of the record that the request has created, "" where it has not. */
static const char *
created_path(const Request *request)
{
	const Answer *answer = &request->answer;

	if (answer->status != MHD_HTTP_CREATED || answer->location == NULL)
		return "";
	return answer->location + strlen(request->base) + 1;
}

/* Is it an error that a change was refused?  Who brings no credential, or a verb that is not there,
 * has not begun one. */
static bool
is_failure(const Request *request)
{
	int status = request->answer.status;

	return status != MHD_HTTP_METHOD_NOT_ALLOWED && status != MHD_HTTP_NOT_IMPLEMENTED &&
		   (status != MHD_HTTP_UNAUTHORIZED || request->user != NULL);
}

/* Tell of a call that is an event of its own. */
static void
tell_event(Request *request)
{
	bool good = request->answer.status < 400;

	for (size_t i = 0; i < lengthof(events) && request->route != NULL; i++)
	{
		if (request->route->call != events[i].call)
			continue;
		if (good)
			log_request(request, events[i].level, events[i].event, "%s", created_path(request));
		else if (events[i].failure != NULL && is_failure(request))
			log_request(request, LOG_ERROR, events[i].failure, "%s",
						request->answer.message ? request->answer.message : "");
	}
}

void
event_answer(Request *request, struct MHD_Response *response)
{
	const Log *log = request->worker->settings->log;
	const Answer *answer = &request->answer;
	const char *path = created_path(request);
	const char *message = answer->message ? answer->message : error_message_of(answer->status);

	tell_event(request);
	/* that something is not built is no fault of the server */
	if (answer->status >= 500 && answer->status != MHD_HTTP_NOT_IMPLEMENTED && !request->told)
		log_request(request, LOG_ERROR, "error", "%s", message);
	log_request(request, LOG_VERBOSE, "response", "%s%s%s", message, *path ? ": " : "", path);
	if (!log_wants(log, LOG_SILLY))
		return;
	redact_request(request);
	redact_answer(request, response);
}
