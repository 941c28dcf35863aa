/*
 * openapi.c - GET /openapi.json: the description of the service as OpenAPI 3.1, for the caller.
 *
 * It is made from the route table and from what the extension describes, so that it has what the
 * service has, tables that were exposed a moment ago as well.
 */
#include <stdlib.h>
#include <string.h>

#include "answer/answer.h"
#include "request/openapi.h"

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
		openapi_schema_resource(&api, resource);
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

void
openapi_answer(Request *request, const Reply *reply)
{
	json_t *described = json_loadb(reply->data, reply->data_length, 0, NULL);
	char *text = described ? document_text(request, described) : NULL;

	json_decref(described);
	if (text == NULL)
	{
		(void) error_set(request, MHD_HTTP_INTERNAL_SERVER_ERROR, NULL);
		return;
	}
	answer_status(request, MHD_HTTP_OK);
	buffer_text(&request->answer.head, text);
	free(text);
}
