/*
 * openapi.c - GET /openapi.json: the description of the service as OpenAPI 3.1, for the caller.
 *
 * It is made from the route table and from what the extension describes, so that it has what the
 * service has, tables that were exposed a moment ago as well.  Making it blocks the thread for some
 * milliseconds, so each thread caches the last documents by the state of the descriptions.
 */
#include <ctype.h>

#include "database/clients.h"
#include "request/openapi.h"

/* The word of a path that an operation is on; a copy, NULL for "/". */
static const char *
first_word(OpenApi *api, const char *path)
{
	size_t length = strcspn(path + 1, "/");

	return length > 0 ? arena_text(&api->request->arena, path + 1, length) : NULL;
}

/* The pattern with its first word, and the word ":relation", replaced. */
static const char *
expand(OpenApi *api, const char *pattern, const char *resource, const char *relation)
{
	const char *rest = pattern + strlen("/:resource");
	const char *end = strstr(rest, "/:relation");
	Arena *arena = &api->request->arena;

	if (end == NULL)
		return arena_format(arena, "/%s%s", resource, rest);
	return arena_format(arena, "/%s%.*s/%s", resource, (int) (end - rest), rest, relation);
}

/* The path with {name} for each :name. */
static const char *
template_of(OpenApi *api, const char *path)
{
	const char *text = "";

	while (*path != '\0')
	{
		size_t length = strcspn(path + 1, "/");

		text =
			path[1] == ':'
				? arena_format(&api->request->arena, "%s/{%.*s}", text, (int) length - 1, path + 2)
				: arena_format(&api->request->arena, "%s/%.*s", text, (int) length, path + 1);
		path += length + 1;
	}
	return text;
}

/* The identifier of an operation: the verb and the words of the path, such as getDatasetsById. */
static json_t *
operation_id(OpenApi *api, Verb verb, const char *path)
{
	char *text = arena_zeroed(&api->request->arena, 2 * strlen(path) + 20);
	char *end = text;
	bool upper = false;

	if (text == NULL)
		return json_null();
	for (const char *c = verb_names[verb]; *c != '\0'; c++)
		*end++ = (char) tolower((unsigned char) *c);
	for (; *path != '\0'; path++)
		if (*path == ':')
		{
			*end++ = 'B';
			*end++ = 'y';
		}
		else if (isalnum((unsigned char) *path))
		{
			*end++ = upper ? (char) toupper((unsigned char) *path) : *path;
			upper = false;
		}
		else
			upper = true;
	return json_string(text);
}

/* Refer to a parameter, which is added to the components; another one of its name has the function's
 * name added. */
static void
add_parameter(OpenApi *api, json_t *list, const char *name, const char *function, json_t *parameter)
{
	const json_t *former = json_object_get(api->parameters, name);

	if (former != NULL && !json_equal(former, parameter))
		name = arena_format(&api->request->arena, "%s.%s", name, function);
	json_object_set_new(api->parameters, name, parameter);
	json_array_append_new(list, openapi_reference("parameters", name));
}

static void
add_path_parameters(OpenApi *api, json_t *list, const char *path)
{
	for (; (path = strchr(path, ':')) != NULL; path++)
	{
		size_t length = strcspn(path + 1, "/");
		const char *name = arena_text(&api->request->arena, path + 1, length);
		bool is_id = strcmp(name, "id") == 0;

		add_parameter(api, list, name, "path",
					  json_pack("{s:s, s:s, s:b, s:s, s:{s:s}}", "name", name, "in", "path",
								"required", 1, "description",
								is_id ? "Id of a record, or its slug" : "Word of the path",
								"schema", "type", "string"));
	}
}

/* Add what a call reads from the query string. */
static void
add_query_parameters(OpenApi *api, json_t *list, const Route *route, const json_t *described)
{
	const char *function = call_specs[route->call].function;
	const json_t *parameters = json_object_get(
		json_object_get(described ? described : api->described, "parameters"), function);
	const char *name;
	json_t *facts;

	json_object_foreach((json_t *) parameters, name, facts)
	{
		add_parameter(api, list, name, function,
					  json_pack("{s:s, s:s, s:o}", "name", name, "in", "query", "schema",
								openapi_schema_value(facts)));
	}
	if (options_filters(described, route))
	{
		const char *schema = arena_format(&api->request->arena, "%sFilters",
										  json_string_value(json_object_get(described, "model")));

		add_parameter(api, list, schema, function,
					  json_pack("{s:s, s:s, s:s, s:b, s:o}", "name", "filters", "in", "query",
								"style", "form", "explode", 1, "schema",
								openapi_reference("schemas", schema)));
	}
}

static void
add_header(OpenApi *api, json_t *list, const char *name, const char *description)
{
	add_parameter(api, list, name, "header",
				  json_pack("{s:s, s:s, s:s, s:{s:s}}", "name", name, "in", "header", "description",
							description, "schema", "type", "string"));
}

static void
add_header_parameters(OpenApi *api, json_t *list, const Route *route)
{
	const char *function = call_specs[route->call].function;

	if (route->verb == VERB_GET)
		add_header(api, list, "If-None-Match", "Answer 304 if the state is still one of these");
	if (call_takes(&call_specs[route->call], ARGUMENT_MATCH))
		add_header(api, list, "If-Match", "Change only if the state is still one of these");
	if (route->verb == VERB_POST && idempotency_taken(&call_specs[route->call]))
		add_header(api, list, "Idempotency-Key", "Make the change once for this key in 24 hours");
	if (route->envelope == ENVELOPE_BYTES)
		add_header(api, list, "Range", "Only these bytes (RFC 9110)");
	add_parameter(api, list, "Prefer", function ? function : "page",
				  json_pack("{s:s, s:s, s:s, s:{s:s}}", "name", "Prefer", "in", "header",
							"description", negotiate_preferences(api->request, route), "schema",
							"type", "string"));
}

/* Add the types of bodies with a row for each record. */
static void
add_rows(json_t *content, const Route *route)
{
	const char *types = rows_body_types(route);

	while (types != NULL && *types != '\0')
	{
		size_t length = strcspn(types, ",");

		json_object_setn_new(content, types, length,
							 json_pack("{s:{s:s}}", "schema", "type", "string"));
		types += length;
		types += strspn(types, ", ");
	}
}

/* The content of a body, by media type; NULL: the call takes none. */
static json_t *
body_content(OpenApi *api, const Route *route, const json_t *described)
{
	const char *model = json_string_value(json_object_get(described, "model"));
	const char *form = form_type(api->request, route);
	const char *part = upload_part(api->request, route);
	const json_t *fields = json_object_get(described, route->action ? route->action : "");
	json_t *members;
	json_t *schema;
	json_t *content;

	if (route->call == CALL_UPLOAD_FINISH)
		return json_pack("{s:{s:{s:s}}}", "application/partial-upload", "schema", "type", "string");
	if (!call_takes(&call_specs[route->call], ARGUMENT_BODY))
		return NULL;
	members = options_parameters(api->request, route, described);
	schema = json_array_size(fields) > 0
				 ? openapi_reference("schemas",
									 arena_format(&api->request->arena, "%s%s", model,
												  route->call == CALL_CREATE ? "Create" : "Update"))
				 : openapi_schema_members(members);
	content = json_pack("{s:{s:o}}", "application/json", "schema", schema);
	if (part != NULL)
		form = "multipart/form-data";
	if (form != NULL)
		json_object_set_new(content, form,
							json_pack("{s:o}", "schema", openapi_schema_members(members)));
	json_decref(members);
	add_rows(content, route);
	return content;
}

static json_t *
operation_of(OpenApi *api, const Route *route, const char *path, const json_t *described)
{
	json_t *parameters = json_array();
	json_t *content = body_content(api, route, described);
	const char *word = first_word(api, path);
	const char *summary = call_specs[route->call].summary;
	json_t *operation =
		json_pack("{s:o, s:s, s:[s], s:o}", "operationId", operation_id(api, route->verb, path),
				  "summary", summary ? summary : "", "tags", word ? word : "service", "responses",
				  openapi_response_all(api, route, described));

	add_path_parameters(api, parameters, path);
	if (route->verb == VERB_GET)
		add_query_parameters(api, parameters, route, described);
	add_header_parameters(api, parameters, route);
	json_object_set_new(operation, "parameters", parameters);
	if (content != NULL)
		json_object_set_new(operation, "requestBody",
							json_pack("{s:b, s:o}", "required", 1, "content", content));
	if (route->open)
		json_object_set_new(operation, "security", json_array());
	return operation;
}

/* Add an operation, unless a route before this one in the table is on its path. */
static void
add_operation(OpenApi *api, const Route *route, const char *path, const json_t *described)
{
	const char *template = template_of(api, path);
	const char *verb = text_lower(&api->request->arena, verb_names[route->verb]);
	json_t *item = json_object_get(api->paths, template);

	if (item == NULL)
	{
		item = json_object();
		json_object_set_new(api->paths, template, item);
	}
	if (json_object_get(item, verb) == NULL)
		json_object_set_new(item, verb, operation_of(api, route, path, described));
}

/* Add a route of all resources, for one of them. */
static void
add_for_resource(OpenApi *api, const Route *route, const char *name, const json_t *described)
{
	size_t i;
	json_t *relation;

	if (!options_allows(described, route))
		return;
	api->request->resource = name;
	if (strstr(route->pattern, "/:relation") == NULL)
	{
		add_operation(api, route, expand(api, route->pattern, name, NULL), described);
		return;
	}
	json_array_foreach(json_object_get(described, "relations"), i, relation)
	{
		add_operation(api, route, expand(api, route->pattern, name, json_string_value(relation)),
					  described);
	}
}

/* Add a route of one path.  One that is on records is there only if the caller sees their resource. */
static void
add_fixed(OpenApi *api, const Route *route)
{
	const char *word = first_word(api, route->pattern);
	const json_t *resources = json_object_get(api->described, "resources");
	const json_t *described = word ? json_object_get(resources, word) : NULL;

	if (described == NULL && call_takes(&call_specs[route->call], ARGUMENT_ID) &&
		strstr(route->pattern, "/:id") != NULL)
		return;
	api->request->resource = word ? word : "";
	add_operation(api, route, route->pattern, described);
}

/* Add the paths of the route table, as far as the caller may use them. */
static void
openapi_path_all(OpenApi *api)
{
	const json_t *resources = json_object_get(api->described, "resources");
	const char *own = api->request->resource;
	const Route *route;
	const char *name;
	json_t *described;

	for (size_t i = 0; (route = route_at(i)) != NULL; i++)
	{
		if (!route_built(api->request, route))
			continue;
		if (strncmp(route->pattern, "/:resource", strlen("/:resource")) != 0)
		{
			add_fixed(api, route);
			continue;
		}
		json_object_foreach((json_t *) resources, name, described)
		{
			add_for_resource(api, route, name, described);
		}
	}
	api->request->resource = own;
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
