/*
 * error.c - from what went wrong to status, code and body.
 *
 * Of PostgreSQL's own errors a client sees the status and a text of this file, never PostgreSQL's
 * words.  The extension's errors (class OD) are made for clients: their message is shown, and
 * their detail, when there is one, is the JSON object for "data".
 */
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#define RETRY_AFTER 2		  /* seconds: the database is away or busy */
#define RETRY_AFTER_LOGINS 60 /* so: too many failed logins, unless the detail tells */

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
	{500, "E_INTERNAL_SERVER_ERROR", "the service failed"},
	{501, "E_NOT_IMPLEMENTED", "this is not implemented"},
	{503, "E_UNAVAILABLE", "the database is away or busy, please try again"},
};

/* SQLSTATE, or what it begins with; the first row that fits decides. */
static const struct
{
	const char *state;
	bool body;			/* only of calls with a body, which is then to blame */
	const char *source; /* only from this function of PostgreSQL; NULL: from any */
	Outcome outcome;
	int status;
} states[] = {
	{"OD", false, NULL, OUTCOME_ANSWER, 0},
	{"22P02", true, NULL, OUTCOME_ANSWER, 400},
	{"22P05", true, NULL, OUTCOME_ANSWER, 400},
	{"22021", true, NULL, OUTCOME_ANSWER, 400},
	{"22032", true, NULL, OUTCOME_ANSWER, 400},
	{"22030", true, NULL, OUTCOME_ANSWER, 400},
	{"54001", true, NULL, OUTCOME_ANSWER, 400},
	{"22", false, NULL, OUTCOME_ANSWER, 400},
	{"23", false, NULL, OUTCOME_ANSWER, 400},
	{"40001", false, NULL, OUTCOME_RETRY, 503},
	{"40P01", false, NULL, OUTCOME_RETRY, 503},
	{"55P03", false, NULL, OUTCOME_ANSWER, 503},
	{"57014", false, NULL, OUTCOME_ANSWER, 503},
	{"53", false, NULL, OUTCOME_ANSWER, 503},
	{"57P", false, NULL, OUTCOME_BROKEN, 503},
	{"08", false, NULL, OUTCOME_BROKEN, 503},
	{"25006", false, NULL, OUTCOME_BROKEN, 503},
	{"25P03", false, NULL, OUTCOME_BROKEN, 503},
	{"26000", false, NULL, OUTCOME_BROKEN, 503},
	{"0A000", false, "RevalidateCachedQuery", OUTCOME_BROKEN, 503},
	{"42P01", false, NULL, OUTCOME_BROKEN, 503},
	{"42883", false, NULL, OUTCOME_BROKEN, 503},
	{"3F000", false, NULL, OUTCOME_BROKEN, 503},
	{"", false, NULL, OUTCOME_ANSWER, 500},
};

/* The place of a status in the table; that of 500 for one that is not there. */
static size_t
find_status(int status)
{
	size_t failed = 0;

	for (size_t i = 0; i < lengthof(statuses); i++)
	{
		if (statuses[i].status == status)
			return i;
		if (statuses[i].status == 500)
			failed = i;
	}
	return failed;
}

/* The place of an error in the table of states; its last row fits everything. */
static size_t
find_state(const PGresult *result, bool body)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *source = PQresultErrorField(result, PG_DIAG_SOURCE_FUNCTION);
	size_t i = 0;

	while (
		i + 1 < lengthof(states) &&
		(strncmp(state, states[i].state, strlen(states[i].state)) != 0 ||
		 (states[i].body && !body) ||
		 (states[i].source != NULL && (source == NULL || strcmp(source, states[i].source) != 0))))
		i++;
	return i;
}

/* What is to become of a call with this result. */
Outcome
error_outcome(const PGresult *result)
{
	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		return OUTCOME_ANSWER;
	/* an error without SQLSTATE is libpq's own: the connection is gone */
	if (PQresultErrorField(result, PG_DIAG_SQLSTATE) == NULL)
		return OUTCOME_BROKEN;
	return states[find_state(result, false)].outcome;
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

/* Answer with an error; code and message may be NULL for those of the status, data for none. */
static void
error_code(Request *request, int status, const char *code, const char *message, const char *data)
{
	Answer *answer = &request->answer;
	size_t i = find_status(status);

	answer_free(answer);
	answer_init(answer);
	if (request->transfer != NULL)
		request->transfer->fields = 0;
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
	buffer_format(&answer->head, "},\"code\":\"%s\",\"data\":", answer->code);
	buffer_text(&answer->head, data ? data : "{}");
	buffer_text(&answer->head, ",\"links\":{}}");
}

void
error_set(Request *request, int status, const char *message)
{
	error_code(request, status, NULL, message, NULL);
}

void
error_faults(Request *request, const char *message, const char *faults)
{
	error_code(request, MHD_HTTP_BAD_REQUEST, NULL, message, faults);
}

void
error_again(Request *request, const Refusal *refusal)
{
	error_code(request, refusal->status, NULL, refusal->message, refusal->faults);
}

/* How long the detail of an error tells to wait: seconds; 0 where it does not. */
static int
told_to_wait(const char *detail)
{
	static const char member[] = "{\"retryAfter\":";

	if (detail == NULL || strncmp(detail, member, strlen(member)) != 0)
		return 0;
	return (int) strtol(detail + strlen(member), NULL, 10);
}

void
error_login(Request *request)
{
	error_code(request, MHD_HTTP_UNAUTHORIZED, "E_USER_NOT_FOUND", "wrong user name or password",
			   NULL);
}

/* An error that the extension made for the client: the SQLSTATE spells the status. */
static void
answer_own(Request *request, const Call *call, const char *state, const char *message,
		   const char *detail)
{
	int status = (int) strtol(state + 2, NULL, 10);
	bool described = call->spec == &call_specs[CALL_DESCRIBE];
	int wait;

	if (detail != NULL && *detail != '{')
		detail = NULL;
	/* a further call takes the result away, and the detail with it */
	wait = told_to_wait(detail);
	if (status == MHD_HTTP_PERMANENT_REDIRECT)
		redirect_request(request, detail);
	else if (status == MHD_HTTP_METHOD_NOT_ALLOWED && !described)
		options_refuse(request);
	else
		error_code(request, status, NULL, message, detail);
	if (wait > 0)
		request->answer.retry_after = wait;
}

/* Does the call carry a body, which is then to blame for what cannot be read? */
static bool
has_body(const CallSpec *spec)
{
	return call_takes(spec, ARGUMENT_BODY) || call_takes(spec, ARGUMENT_TEXTS);
}

/* Answer with an error that PostgreSQL gave. */
static void
answer_result(Request *request, const Call *call)
{
	const CallSpec *spec = call->spec;
	const PGresult *result = call->result;
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	size_t i = state ? find_state(result, has_body(spec)) : lengthof(states) - 1;

	if (state != NULL && states[i].status == 0)
	{
		answer_own(request, call, state, PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY),
				   PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL));
		return;
	}
	error_set(request, states[i].status, states[i].body ? "malformed JSON" : NULL);
	/* PostgreSQL reads the body before the function looks at the path */
	if (states[i].body)
		redirect_refused(request);
	else if (states[i].status >= 500)
		log_request(request, LOG_ERROR, "database error", "%s: %s: %s", spec->function,
					state ? state : "no SQLSTATE",
					state ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : "");
}

/* What a call that got no answer from PostgreSQL comes to. */
static const char *const failures[] = {
	[RESULT_AWAY] = "the database is away, please try again",
	[RESULT_BUSY] = "the database is busy, please try again",
	[RESULT_LATE] = "the database did not answer in time, please try again",
	[RESULT_UNKNOWN] = "the outcome of the request is not known, please look before trying again",
};

void
error_password(Request *request, const Reply *reply)
{
	char *faults = strndup(reply->data, reply->data_length);

	error_faults(request, "invalid record: \"currentPassword\" is not the present password",
				 faults);
	free(faults);
}

bool
error_of(Request *request, const Call *call)
{
	CallRow row;

	if (call->outcome != RESULT_ANSWER)
		error_set(request, 503, failures[call->outcome]);
	else if (PQresultStatus(call->result) != PGRES_TUPLES_OK)
		answer_result(request, call);
	else if (call_row(call, &row) && row.state != NULL)
		answer_own(request, call, row.state, row.bytes, NULL);
	else
		return false;
	return true;
}

/*
 * Did the request's call fail?  Then the error is set, or a further call has been started that
 * will answer.
 */
bool
error_of_call(Request *request)
{
	return error_of(request, &request->call);
}
