/*
 * error.c - statuses, and errors as answers.
 *
 * For PostgreSQL's own errors a client gets the status and a message of this file, never that of
 * PostgreSQL.  The extension's errors (class OD) are meant for clients: their message is sent, and
 * their detail, if there is one, is the JSON object for "data".
 */

#include <jansson.h>

#include "answer/answer.h"
#include "log/log.h"

#define RETRY_AFTER 2		  /* seconds, if the database is not available or busy */
#define RETRY_AFTER_LOGINS 60 /* seconds, after too many failed logins */

static const struct
{
	int status;
	const char *code;
	const char *message;
} statuses[] = {
	{200, "OK", "the request was carried out"},
	{201, "CREATED", "the record was created"},
	{202, "ACCEPTED", "this is being made, please ask again"},
	{204, "NO_CONTENT", "the request was carried out"},
	{206, "PARTIAL_CONTENT", "these are a part of the records"},
	{304, "NOT_MODIFIED", "this is what you have"},
	{308, "PERMANENT_REDIRECT", "this has another address"},
	{400, "E_BAD_REQUEST", "the request is not valid"},
	{401, "E_UNAUTHORIZED", "a valid credential is needed"},
	{403, "E_FORBIDDEN", "this is not allowed to you"},
	{404, "E_NOT_FOUND", "there is no such thing"},
	{405, "E_NOT_ALLOWED", "this method is not offered here"},
	{406, "E_NOT_ACCEPTABLE", "none of the accepted types can be produced"},
	{409, "E_CONFLICT", "the state of the record does not allow this"},
	{412, "E_PRECONDITION_FAILED", "the record has changed in the meantime"},
	{413, "E_TOO_LARGE", "the body is too large"},
	{414, "E_TOO_LARGE", "the request target is too long"},
	{415, "E_UNSUPPORTED_MEDIA_TYPE", "the body must be sent as application/json"},
	{416, "E_RANGE_NOT_SATISFIABLE", "there are no such bytes"},
	{422, "E_UNPROCESSABLE_ENTITY", "a query parameter is not valid"},
	{429, "E_TOO_MANY_REQUESTS", "too many attempts"},
	{431, "E_TOO_LARGE", "the headers are too large"},
	{501, "E_NOT_IMPLEMENTED", "this is not implemented"},
	{503, "E_UNAVAILABLE", "the database is away or busy, please try again"},
	{500, "E_INTERNAL_SERVER_ERROR",
	 "the service failed"}, /* the last: of every other status, too */
};

/* The index of a status in the table; that of 500 if it is not there. */
static size_t
find_status(int status)
{
	size_t i = 0;

	while (i + 1 < lengthof(statuses) && statuses[i].status != status)
		i++;
	return i;
}

const char *
error_code_of(int status)
{
	return statuses[find_status(status)].code;
}

const char *
error_message_of(int status)
{
	return statuses[find_status(status)].message;
}

json_t *
error_messages(void)
{
	json_t *messages = json_object();
	char status[4];

	for (size_t i = 0; i < lengthof(statuses); i++)
	{
		snprintf(status, sizeof(status), "%d", statuses[i].status);
		json_object_set_new(messages, status, json_string(statuses[i].message));
	}
	return messages;
}

void
error_status_members(Buffer *buffer, int status)
{
	size_t i = find_status(status);

	buffer_text(buffer, "\"code\":\"");
	buffer_text(buffer, statuses[i].code);
	buffer_text(buffer, "\",\"message\":\"");
	buffer_text(buffer, statuses[i].message);
	buffer_text(buffer, "\"");
}

/* Is it a request of OGC API - Features, whose errors have a description, and 400 for a parameter? */
static bool
is_ogc(const Request *request)
{
	return request->resource != NULL && strcmp(request->resource, "ogc") == 0;
}

/*
 * Answer with an error; code and message may be NULL for those of the status, hint and data for none.
 */
static StageResult
error_code(Request *request, int status, const char *code, const char *message, const char *hint,
		   const char *data)
{
	Answer *answer = &request->answer;
	size_t i = find_status(status == 422 && is_ogc(request) ? MHD_HTTP_BAD_REQUEST : status);

	answer_free(answer);
	answer_init(answer);
	message = message ? message : statuses[i].message;
	answer->status = statuses[i].status;
	answer->code = code ? code : statuses[i].code;
	answer->message = arena_text(&request->arena, message, strlen(message));
	answer->faults = data ? arena_text(&request->arena, data, strlen(data)) : NULL;
	if (status == MHD_HTTP_UNAUTHORIZED)
		answer->authenticate = "Bearer";
	if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
		answer->retry_after = RETRY_AFTER;
	if (status == MHD_HTTP_TOO_MANY_REQUESTS)
		answer->retry_after = RETRY_AFTER_LOGINS;
	buffer_format(&answer->head, "{\"meta\":{\"code\":\"%s\",\"message\":", answer->code);
	buffer_json(&answer->head, message, strlen(message));
	if (hint != NULL)
	{
		answer->hint = arena_text(&request->arena, hint, strlen(hint));
		buffer_text(&answer->head, ",\"hint\":");
		buffer_json(&answer->head, hint, strlen(hint));
	}
	buffer_format(&answer->head, "},\"code\":\"%s\"", answer->code);
	if (is_ogc(request))
	{
		buffer_text(&answer->head, ",\"description\":");
		buffer_json(&answer->head, message, strlen(message));
	}
	buffer_text(&answer->head, ",\"data\":");
	buffer_text(&answer->head, data ? data : "{}");
	buffer_text(&answer->head, ",\"links\":{}}");
	return ANSWERED;
}

StageResult
error_set(Request *request, int status, const char *message)
{
	return error_code(request, status, NULL, message, NULL, NULL);
}

StageResult
error_hint(Request *request, int status, const char *hint)
{
	return error_code(request, status, NULL, NULL, hint, NULL);
}

StageResult
error_too_large(Request *request)
{
	return error_hint(request, 413,
					  arena_format(&request->arena, "A body may have %lld bytes.",
								   (long long) request->thread->settings->body_limit));
}

StageResult
error_faults(Request *request, int status, const char *message, const char *faults)
{
	return error_code(request, status, NULL, message, NULL, faults);
}

/* Seconds to wait, from the detail of an error; 0: it does not tell. */
static int
retry_after(const char *detail)
{
	static const char member[] = "{\"retryAfter\":";

	if (detail == NULL || strncmp(detail, member, strlen(member)) != 0)
		return 0;
	return (int) strtol(detail + strlen(member), NULL, 10);
}

StageResult
error_login(Request *request)
{
	return error_code(request, MHD_HTTP_UNAUTHORIZED, "E_USER_NOT_FOUND",
					  "wrong user name or password", NULL, NULL);
}

bool
error_find(const Call *call, CallError *error)
{
	CallRow row;

	*error = (CallError){0};
	if (call->outcome != RESULT_ANSWER)
		return true;
	if (PQresultStatus(call->result) != PGRES_TUPLES_OK)
	{
		error->sqlstate = PQresultErrorField(call->result, PG_DIAG_SQLSTATE);
		error->message = PQresultErrorField(call->result, PG_DIAG_MESSAGE_PRIMARY);
		error->detail = PQresultErrorField(call->result, PG_DIAG_MESSAGE_DETAIL);
		error->hint = PQresultErrorField(call->result, PG_DIAG_MESSAGE_HINT);
		return true;
	}
	if (!call_row(call, &row) || row.sqlstate == NULL)
		return false;
	error->sqlstate = row.sqlstate;
	error->message = row.bytes;
	return true;
}

int
error_own_status(const CallError *error)
{
	if (error->sqlstate == NULL || strncmp(error->sqlstate, "OD", 2) != 0)
		return 0;
	return (int) strtol(error->sqlstate + 2, NULL, 10);
}

const char *
error_own_detail(const CallError *error)
{
	return error->detail != NULL && *error->detail == '{' ? error->detail : NULL;
}

static void
answer_own(Request *request, const CallError *error)
{
	const char *detail = error_own_detail(error);
	int wait = retry_after(detail);

	/* hints of faults of the service are for its operator */
	(void) error_code(request, error_own_status(error), NULL, error->message,
					  error_own_status(error) < 500 ? error->hint : NULL, detail);
	if (wait > 0)
		request->answer.retry_after = wait;
}

/* Does the call carry a body, which may be the cause of an error? */
static bool
has_body(const CallSpec *spec)
{
	return call_takes(spec, ARGUMENT_BODY) || call_takes(spec, ARGUMENT_TEXTS);
}

/*
 * The details of a constraint of a table that was violated at the end of the transaction, since it is
 * deferred, or by another table than that of the record; NULL: it was none.
 */
static const char *
violated(Request *request, const Call *call)
{
	const char *sqlstate = PQresultErrorField(call->result, PG_DIAG_SQLSTATE);
	const char *name = PQresultErrorField(call->result, PG_DIAG_CONSTRAINT_NAME);

	if (sqlstate == NULL || strncmp(sqlstate, "23", 2) != 0 || name == NULL ||
		PQresultErrorField(call->result, PG_DIAG_TABLE_NAME) == NULL)
		return NULL;
	return arena_json(&request->arena, json_pack("{s:[{s:s, s:s}]}", name, "rule", "check",
												 "message", "is not met"));
}

/* Answer with an error that PostgreSQL raised. */
static void
answer_other(Request *request, const Call *call, const CallError *error)
{
	SqlState state = sqlstate_of(call->result, has_body(call->spec));

	(void) error_code(request, state.status, NULL, state.body ? "malformed JSON" : NULL, NULL,
					  violated(request, call));
	if (state.status >= 500)
		log_redact_request(request, LOG_ERROR, "database error", "%s: %s: %s", call->spec->function,
						   error->sqlstate ? error->sqlstate : "no SQLSTATE",
						   error->sqlstate ? error->message : "");
}

/* The messages for calls that PostgreSQL did not answer. */
static const char *const failures[] = {
	[RESULT_AWAY] = "the database is away, please try again",
	[RESULT_BUSY] = "the database is busy, please try again",
	[RESULT_READ_ONLY] = "the database can only be read at the moment, please try again",
	[RESULT_LATE] = "the database did not answer in time, please try again",
	[RESULT_UNKNOWN] = "the outcome of the request is not known, please look before trying again",
};

bool
error_in_body(const Call *call)
{
	return call->result != NULL && PQresultStatus(call->result) != PGRES_TUPLES_OK &&
		   sqlstate_of(call->result, has_body(call->spec)).body;
}

StageResult
error_answer(Request *request, const Call *call, const CallError *error)
{
	if (call->outcome != RESULT_ANSWER)
		return error_set(request, 503, failures[call->outcome]);
	if (error_own_status(error) != 0)
		answer_own(request, error);
	else
		answer_other(request, call, error);
	return ANSWERED;
}

bool
error_of(Request *request, const Call *call)
{
	CallError error;

	if (!error_find(call, &error))
		return false;
	(void) error_answer(request, call, &error);
	return true;
}

bool
error_of_call(Request *request)
{
	return error_of(request, request->call);
}
