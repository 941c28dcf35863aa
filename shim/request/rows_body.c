/*
 * rows_body.c - bodies with a row for each record that is to be made: CSV, and JSON by lines.
 *
 * PostgreSQL reads them, if the caller may create such records: this program serves others meanwhile.
 */
#include <string.h>
#include <strings.h>

#include "answer/answer.h"
#include "request/request.h"

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
rows_body_types(const Route *made)
{
	return made->call == CALL_CREATE ? "text/csv, application/x-ndjson" : NULL;
}

/* Is the text of the type in UTF-8? */
static bool
is_utf8(const Element *type)
{
	size_t length;
	const char *charset = element_parameter(type, "charset", &length);

	return charset == NULL || element_equals(charset, length, "utf-8");
}

void
rows_body_choose(Request *request)
{
	const char *list = request->headers[HEADER_CONTENT_TYPE];
	Element type;

	if (request->route == NULL || request->route->call != CALL_CREATE || list == NULL ||
		!element_next(&list, &type) || *list != '\0' || !is_utf8(&type))
		return;
	for (size_t i = 0; i < lengthof(types); i++)
		if (element_equals(type.text, type.length, types[i].type))
		{
			request->rows = types[i].format;
			request->route = &route;
			request->usual_handling = types[i].handling;
		}
}

StageResult
rows_body_check(Request *request)
{
	static const char wrong[] = "the line is not valid UTF-8";
	const char *body = request->body.data;
	size_t length = request->body.length;
	int line = 1;

	if (length == 0 || (memchr(body, '\0', length) == NULL && text_valid_utf8(body, length)))
		return NEXT;
	for (size_t step; *body != '\0' && (step = text_character(body, length)) > 0; length -= step)
	{
		line += *body == '\n';
		body += step;
	}
	return error_faults(
		request, arena_format(&request->arena, "line %d: %s", line, wrong),
		arena_format(&request->arena,
					 "{\"faults\":[{\"line\":%d,\"status\":400,\"message\":\"%s\",\"data\":{}}]}",
					 line, wrong));
}
