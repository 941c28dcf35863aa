/*
 * body.c - the body of a request, before its call: JSON, HTML forms, rows of CSV and of JSON by lines.
 *
 * The event loop itself parses such bodies, forms and logins, and serves nobody else meanwhile.
 * Therefore they are small.
 */

#include <jansson.h>

#include "database/clients.h"
#include "request/request.h"

/* Resources whose records may be created from a form, as deployed applications and pages do. */
static const char *const form_resources[] = {"tags", "questions"};

const char *
body_form_type(const Request *request, const Route *route)
{
	bool taken = route->call == CALL_SEND_EMAIL || route->call == CALL_FOLLOW ||
				 route->call == CALL_UNFOLLOW;

	for (size_t i = 0; route->call == CALL_CREATE && i < lengthof(form_resources); i++)
		taken |= request->resource != NULL && strcmp(form_resources[i], request->resource) == 0;
	return taken ? "application/x-www-form-urlencoded" : NULL;
}

json_t *
body_form_types(void)
{
	json_t *forms = json_object();

	for (size_t i = 0; i < lengthof(form_resources); i++)
		json_object_set_new(forms, form_resources[i],
							json_string("application/x-www-form-urlencoded"));
	return forms;
}

/* Lines of a form end with two characters, those of JSON with one. */
static void
end_lines(char *text)
{
	char *to = text;

	for (; *text != '\0'; text++)
		if (text[0] != '\r' || text[1] != '\n')
			*to++ = *text;
	*to = '\0';
}

/* Add the pairs "name=value" of a form to the object, but inputs that were left empty; returns the
 * fault, NULL for none: one is not text, or a name is there twice. */
static const char *
add_pairs(char *rest, json_t *object)
{
	char *pair;

	while ((pair = strtok_r(rest, "&", &rest)) != NULL)
	{
		char *value = strchr(pair, '=');

		if (value != NULL)
			*value++ = '\0';
		if (!text_form_unescape(pair) || (value != NULL && !text_form_unescape(value)) ||
			json_object_get(object, pair) != NULL)
			return "malformed form";
		if (value != NULL)
			end_lines(value);
		if (value != NULL && *value != '\0' &&
			json_object_set_new(object, pair, json_string(value)) != 0)
			return "malformed form";
	}
	return NULL;
}

StageResult
body_form_convert(Request *request)
{
	Buffer *body = &request->body.bytes;
	json_t *object = json_object();
	const char *fault;
	char *text;

	if (object == NULL)
		return error_set(request, 500, NULL);
	fault = add_pairs(body->data, object);
	text = fault == NULL ? json_dumps(object, JSON_COMPACT) : NULL;
	/* the answer to a browser is the page of its dataset, or the form again */
	if (text != NULL && strcmp(request->resource, "questions") == 0)
		request->body.asked = arena_text(&request->arena, text, strlen(text));
	json_decref(object);
	if (fault != NULL)
		return error_set(request, 400, fault);
	body->length = 0;
	if (text != NULL)
		buffer_append(body, text, strlen(text) + 1);
	body->length -= body->length > 0;
	body->failed |= text == NULL;
	free(text);
	return NEXT;
}

/*
 * ---- Bodies with a row for each record: CSV, and JSON by lines ----
 *
 * PostgreSQL reads the rows, if the caller may create such records: this program serves others meanwhile.
 */

typedef struct RowsType
{
	const char *type;
	const char *format;	  /* for PostgreSQL */
	const char *handling; /* unless the client prefers another one; NULL: as usual */
} RowsType;

static const RowsType types[] = {
	{"text/csv", "csv", "strict"},
	{"application/x-ndjson", "ndjson", NULL},
	{"application/jsonl", "ndjson", NULL}, /* another name of the same */
};

/* In place of the route that makes one record. */
static const Route route = {.verb = VERB_POST,
							.pattern = "/:resource",
							.call = CALL_CREATE_ROWS,
							.action = "create",
							.envelope = ENVELOPE_PLAIN};

const char *
body_rows_types(const Route *made)
{
	return made->call == CALL_CREATE ? "text/csv, application/x-ndjson" : NULL;
}

void
body_rows_choose(Request *request)
{
	const char *list = request->headers[HEADER_CONTENT_TYPE];
	const char *charset;
	Element type;
	size_t length;

	if (request->route == NULL || request->route->call != CALL_CREATE || list == NULL ||
		!element_next(&list, &type) || *list != '\0')
		return;
	charset = element_parameter(&type, "charset", &length);
	if (charset != NULL && !element_equals(charset, length, "utf-8"))
		return;
	for (size_t i = 0; i < lengthof(types); i++)
		if (element_equals(type.text, type.length, types[i].type))
		{
			request->body.rows = types[i].format;
			request->route = &route;
			request->usual.handling = types[i].handling;
		}
}

/* Refuse rows that are not text as PostgreSQL takes it; the line of the first fault is reported. */
static StageResult
rows_body_check(Request *request)
{
	static const char wrong[] = "the line is not valid UTF-8";
	const char *body = request->body.bytes.data;
	size_t length = request->body.bytes.length;
	int line = 1;

	if (length == 0 || (memchr(body, '\0', length) == NULL && text_valid_utf8(body, length)))
		return NEXT;
	for (size_t step; *body != '\0' && (step = text_character(body, length)) > 0; length -= step)
	{
		line += *body == '\n';
		body += step;
	}
	return error_faults(
		request, 400, arena_format(&request->arena, "line %d: %s", line, wrong),
		arena_format(&request->arena,
					 "{\"faults\":[{\"line\":%d,\"status\":400,\"message\":\"%s\",\"data\":{}}]}",
					 line, wrong));
}

#define SMALL_BODY 65536  /* bytes of a body that the event loop parses */
#define NAMES_MAXIMUM 100 /* unknown members that an answer names */

/* The names of the members as a JSON array, of the first ones if there are many. */
static json_t *
names_of(json_t *body)
{
	json_t *names = json_array();
	const char *name;
	json_t *value;

	json_object_foreach(body, name, value)
	{
		if (json_array_size(names) == NAMES_MAXIMUM)
			break;
		json_array_append_new(names, json_string(name));
	}
	return names;
}

/* Answer with a validation error for each name, like those of the extension for unknown names. */
static StageResult
refuse_members(Request *request, const json_t *names)
{
	json_t *faults = json_object();

	for (size_t i = 0; i < json_array_size(names); i++)
		json_object_set_new(
			faults, json_string_value(json_array_get(names, i)),
			json_pack("[{s:s, s:s}]", "rule", "unknown", "message", "is not known"));
	return error_faults(request, 400, "this takes no members in its body",
						arena_json(&request->arena, faults));
}

/* A body that no call takes: its members are ignored, or refused by strict handling. */
static StageResult
check_untaken(Request *request)
{
	const Buffer *buffer = &request->body.bytes;
	json_t *body = json_loadb(buffer->data, buffer->length, JSON_REJECT_DUPLICATES, NULL);
	StageResult progress = NEXT;
	json_t *names;

	if (!json_is_object(body))
		progress = error_set(request, 400, "the body is not a JSON object");
	else if (json_object_size(body) > 0)
	{
		names = names_of(body);
		if (request->strict)
			progress = refuse_members(request, names);
		else
			request->ignored = arena_json(&request->arena, json_incref(names));
		json_decref(names);
	}
	json_decref(body);
	return progress;
}

/* Does the event loop parse the body? */
static bool
parsed_here(const Request *request)
{
	CallName call = request->route->call;

	return request->body.form || call == CALL_LOGIN || call == CALL_CLIENT_TOKEN ||
		   !call_takes(&call_specs[call], ARGUMENT_BODY);
}

StageResult
body_prepare(Request *request)
{
	Buffer *body = &request->body.bytes;

	if (request->body.refused == 413)
		return error_too_large(request);
	if (request->body.refused != 0)
		return error_set(request, 503, "too many bytes of bodies are being received");
	if (body->length > SMALL_BODY && parsed_here(request))
		return error_set(request, 413, "the body of this request must have at most 65536 bytes");
	if (request->body.rows == NULL && body->length > 0 &&
		memchr(body->data, '\0', body->length) != NULL)
		return error_set(request, 400, "malformed JSON");
	if (body->length > 0 && !call_takes(&call_specs[request->route->call], ARGUMENT_BODY) &&
		check_untaken(request) != NEXT)
		return ANSWERED;
	/* libpq needs the body as a text that ends with a zero byte */
	buffer_append(body, "", 1);
	body->length -= body->failed ? 0 : 1;
	if (request->body.rows != NULL)
		return rows_body_check(request);
	return request->body.form ? body_form_convert(request) : NEXT;
}
