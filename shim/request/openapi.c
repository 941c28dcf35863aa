/*
 * openapi.c - GET /openapi.json: what this program tells of its routes, for catalogue.openapi(), which makes
 * the document; each thread keeps the last documents.
 */

#include <jansson.h>

#include "database/clients.h"
#include "request/request.h"

/*
 * The statuses of success of each envelope, and what "data" is in its JSON; NULL: it has none.  Of what is
 * created, 200 answers a body of rows.
 */
static const struct
{
	const char *statuses;
	const char *data; /* a word for catalogue.openapi_data() */
} successes[ENVELOPE_COUNT_OF] = {
	[ENVELOPE_LIST] = {"200 206", "records"},	 [ENVELOPE_ITEM] = {"200", "record"},
	[ENVELOPE_COUNT] = {"200", "count"},		 [ENVELOPE_RELATED] = {"200 206", "any"},
	[ENVELOPE_ROWS] = {"200 206", "objects"},	 [ENVELOPE_SEARCH] = {"200 206", "Found"},
	[ENVELOPE_CREATED] = {"201 200", "created"}, [ENVELOPE_WRITTEN] = {"200", "written"},
	[ENVELOPE_DELETED] = {"200", "written"},	 [ENVELOPE_LOGIN] = {"200", "Session"},
	[ENVELOPE_TOKEN] = {"200", "token"},		 [ENVELOPE_PLAIN] = {"200", "any"},
	[ENVELOPE_ENTRY] = {"200", "any"},			 [ENVELOPE_UPLOAD] = {"200 204", "any"},
	[ENVELOPE_BYTES] = {"200 202 206", NULL},	 [ENVELOPE_FEED] = {"200", NULL},
	[ENVELOPE_METRICS] = {"200", NULL},			 [ENVELOPE_DOCUMENT] = {"200", NULL},
	[ENVELOPE_TILE] = {"200 204", NULL},		 [ENVELOPE_ACCEPTED] = {"202", "written"},
	[ENVELOPE_IMPORT] = {"200 201 202", "any"},	 [ENVELOPE_STATIC_FILE] = {"200 206", NULL},
	[ENVELOPE_OPENAPI] = {"200", NULL},			 [ENVELOPE_DOCS] = {"200", NULL},
};

/* What catalogue.openapi() takes as a route. */
static json_t *
route_facts(Request *request, const Route *route)
{
	const CallSpec *call = &call_specs[route->call];
	/* an upload that is continued is complete, or not yet */
	bool continues = route->call == CALL_UPLOAD_FINISH;
	bool imports = route->call == CALL_IMPORT;
	const char *texts = continues ? "application/partial-upload"
						: imports ? upload_document_types(route)
								  : body_rows_types(route);

	return json_pack(
		"{s:s, s:s, s:s*, s:s*, s:s*, s:b, s:b, s:b, s:b, s:b, s:s*, s:s*, s:o, s:s, s:s*, s:o*, "
		"s:s*, s:s*}",
		"verb", verb_names[route->verb], "path", route->pattern, "action", route->action,
		"function", call->function, "summary", call->summary, "open", call->trait == TRAIT_OPEN,
		"of_record", call_takes(call, ARGUMENT_ID), "match", call_takes(call, ARGUMENT_MATCH),
		"once", route->verb == VERB_POST && call->trait == TRAIT_ONCE, "bytes",
		route->envelope == ENVELOPE_BYTES, "prefer", negotiate_preferences(request, route), "types",
		negotiate_types(request, route), "documents", negotiate_documents(request, route),
		"statuses", continues ? "200 201 202 204" : successes[route->envelope].statuses, "data",
		successes[route->envelope].data, "body",
		call_takes(call, ARGUMENT_BODY) ? options_parameters(request, route, NULL) : NULL, "form",
		imports ? "multipart/form-data" : body_form_type(request, route), "texts", texts);
}

/* What catalogue.openapi() takes as the service. */
static const char *
service_text(Request *request)
{
	const char *resource = request->resource;
	json_t *routes = json_array();
	const Route *route;

	request->resource = ""; /* what depends on the resource is told apart */
	for (size_t i = 0; (route = route_at(i)) != NULL; i++)
		if (route_built(request, route))
			json_array_append_new(routes, route_facts(request, route));
	request->resource = resource;
	return arena_json(&request->arena,
					  json_pack("{s:s, s:o, s:o, s:o, s:o}", "version", SHIM_VERSION, "messages",
								error_messages(), "parts", upload_parts(), "forms",
								body_form_types(), "routes", routes));
}

#define CACHED 4 /* documents of a thread: callers of different access levels and roles */

/* A document, and what it was made from besides the settings and the route table. */
typedef struct CachedDocument
{
	char *state; /* of the descriptions */
	char *base;
	char *text; /* NULL: unused */
} CachedDocument;

struct OpenApiCache
{
	CachedDocument documents[CACHED];
	size_t next; /* to be replaced */
};

/* The states of the documents in the cache with the links of the request, comma-separated. */
static const char *
states_known(Request *request)
{
	const struct OpenApiCache *cache = request->thread->openapi;
	const char *states = NULL;

	for (size_t i = 0; cache != NULL && i < CACHED; i++)
		if (cache->documents[i].text != NULL &&
			strcmp(cache->documents[i].base, request->base) == 0)
			states = arena_format(&request->arena, "%s%s%s", states ? states : "",
								  states ? "," : "", cache->documents[i].state);
	return states;
}

StageResult
openapi_call(Request *request, StageResult (*then)(Request *))
{
	request->details = service_text(request);
	request->known = states_known(request);
	return request_call_start_unchecked(request, CALL_OPENAPI, then);
}

static void
free_document(CachedDocument *document)
{
	free(document->state);
	free(document->base);
	free(document->text);
	*document = (CachedDocument){0};
}

/* Keep a document in place of the oldest one, if there is memory. */
static void
keep(HttpThread *thread, const char *state, const char *base, const Reply *reply)
{
	CachedDocument *document;

	if (thread->openapi == NULL)
		thread->openapi = calloc(1, sizeof(struct OpenApiCache));
	if (thread->openapi == NULL)
		return;
	document = &thread->openapi->documents[thread->openapi->next++ % CACHED];
	free_document(document);
	*document =
		(CachedDocument){strdup(state), strdup(base), strndup(reply->data, reply->data_length)};
	if (document->state == NULL || document->base == NULL || document->text == NULL)
		free_document(document);
}

void
openapi_forget(HttpThread *thread)
{
	for (size_t i = 0; thread->openapi != NULL && i < CACHED; i++)
		free_document(&thread->openapi->documents[i]);
	free(thread->openapi);
	thread->openapi = NULL;
}

void
openapi_answer(Request *request, const Reply *reply)
{
	const struct OpenApiCache *cache = request->thread->openapi;

	answer_status(request, MHD_HTTP_OK);
	if (reply->data != NULL)
	{
		request->answer.data = reply->data;
		request->answer.data_length = reply->data_length;
		keep(request->thread, reply->etag, request->base, reply);
		return;
	}
	for (size_t i = 0; cache != NULL && i < CACHED; i++)
		if (cache->documents[i].text != NULL &&
			strcmp(cache->documents[i].state, reply->etag) == 0 &&
			strcmp(cache->documents[i].base, request->base) == 0)
			buffer_text(&request->answer.head, cache->documents[i].text);
	/* another request has replaced it meanwhile */
	if (request->answer.head.length == 0)
		(void) error_set(request, MHD_HTTP_SERVICE_UNAVAILABLE, NULL);
}
