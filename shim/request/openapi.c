/*
 * openapi.c - GET /openapi.json: the description of the service as OpenAPI 3.1, for the caller.
 *
 * It is made from the route table and from what the extension describes, so that it has what the
 * service has, tables that were exposed a moment ago as well.  Making it blocks the thread for some
 * milliseconds, so each thread caches the last documents by the state of the descriptions.
 */
#include <stdlib.h>
#include <string.h>

#include "answer/answer.h"
#include "request/openapi.h"

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

static const char about[] = "Datasets of a public-data catalogue, their files, charts and maps. "
							"Answers are JSON: meta, data "
							"and links. Each path has OPTIONS, and HEAD if it has GET; other verbs "
							"are 405 with Allow. This "
							"document has what the caller may do.";

/* Add a tag for each resource, and for each other first word of a path. */
static json_t *
tags_of(const OpenApi *api)
{
	const json_t *resources = json_object_get(api->described, "resources");
	json_t *tags = json_array();
	json_t *names = json_object();
	const char *path;
	json_t *item;

	json_object_foreach(api->paths, path, item)
	{
		const char *verb;
		json_t *operation;

		json_object_foreach(item, verb, operation)
		{
			json_object_set(
				names, json_string_value(json_array_get(json_object_get(operation, "tags"), 0)),
				json_object_get(operation, "summary"));
		}
	}
	json_object_foreach(names, path, item)
	{
		json_t *text = json_object_get(json_object_get(resources, path), "description");

		json_array_append_new(
			tags, json_pack("{s:s, s:O}", "name", path, "description", text != NULL ? text : item));
	}
	json_decref(names);
	return tags;
}

static json_t *
components_of(const OpenApi *api)
{
	json_t *components =
		json_pack("{s:O, s:O, s:o, s:o}", "schemas", api->schemas, "parameters", api->parameters,
				  "responses", openapi_response_errors(), "headers", openapi_response_headers());

	json_object_set_new(components, "securitySchemes",
						json_pack("{s:{s:s, s:s, s:s}, s:{s:s, s:s, s:s}}", "token", "type", "http",
								  "scheme", "bearer", "bearerFormat", "JWT", "key", "type",
								  "apiKey", "in", "header", "name", "apikey"));
	return components;
}

/* The whole document, for free(); NULL when there is no memory. */
static char *
document_text(Request *request, const json_t *described)
{
	OpenApi api = {request, described, json_object(), json_object(), json_object()};
	const char *name;
	json_t *resource;
	json_t *document;
	char *text;

	openapi_schema_shared(&api);
	json_object_foreach(json_object_get(described, "resources"), name, resource)
	{
		openapi_schema_resource(&api, name, resource);
	}
	openapi_path_all(&api);
	document = json_pack(
		"{s:s, s:{s:s, s:s, s:s, s:{s:s, s:s}}, s:[{s:s}], s:[{}, {s:[]}, {s:[]}], s:o, s:O, s:o}",
		"openapi", "3.1.0", "info", "title", "Data catalogue", "version", SHIM_VERSION,
		"description", about, "license", "name", "PostgreSQL License", "identifier", "PostgreSQL",
		"servers", "url", request->base, "security", "token", "key", "tags", tags_of(&api), "paths",
		api.paths, "components", components_of(&api));
	text = json_dumps(document, JSON_COMPACT);
	json_decref(document);
	json_decref(api.paths);
	json_decref(api.parameters);
	json_decref(api.schemas);
	return text;
}

/* The document of the cache for a state of the descriptions, and links with this base; NULL: none. */
static const char *
cached(const struct OpenApiCache *cache, const char *state, const char *base)
{
	for (size_t i = 0; cache != NULL && i < CACHED; i++)
		if (cache->documents[i].text != NULL && strcmp(cache->documents[i].state, state) == 0 &&
			strcmp(cache->documents[i].base, base) == 0)
			return cache->documents[i].text;
	return NULL;
}

static void
free_document(CachedDocument *document)
{
	free(document->state);
	free(document->base);
	free(document->text);
	*document = (CachedDocument){0};
}

/* Keep a document, which the cache frees, in place of the oldest one; false: no memory. */
static bool
keep(Worker *worker, const char *state, const char *base, char *text)
{
	CachedDocument *document;

	if (worker->openapi == NULL)
		worker->openapi = calloc(1, sizeof(struct OpenApiCache));
	if (worker->openapi == NULL)
		return false;
	document = &worker->openapi->documents[worker->openapi->next++ % CACHED];
	free_document(document);
	*document = (CachedDocument){strdup(state), strdup(base), text};
	if (document->state != NULL && document->base != NULL)
		return true;
	document->text = NULL;
	free_document(document);
	return false;
}

void
openapi_forget(Worker *worker)
{
	for (size_t i = 0; worker->openapi != NULL && i < CACHED; i++)
		free_document(&worker->openapi->documents[i]);
	free(worker->openapi);
	worker->openapi = NULL;
}

void
openapi_answer(Request *request, const Reply *reply)
{
	const char *known = cached(request->worker->openapi, reply->etag, request->base);
	json_t *described;
	char *text;

	answer_status(request, MHD_HTTP_OK);
	if (known != NULL)
	{
		buffer_text(&request->answer.head, known);
		return;
	}
	described = json_loadb(reply->data, reply->data_length, 0, NULL);
	text = described ? document_text(request, described) : NULL;
	json_decref(described);
	if (text == NULL)
	{
		(void) error_set(request, MHD_HTTP_INTERNAL_SERVER_ERROR, NULL);
		return;
	}
	buffer_text(&request->answer.head, text);
	if (!keep(request->worker, reply->etag, request->base, text))
		free(text);
}
