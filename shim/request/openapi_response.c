/*
 * openapi_response.c - responses of the OpenAPI document: by the envelope of a route, and errors.
 */
#include <stdio.h>
#include <string.h>

#include "answer/answer.h"
#include "request/openapi.h"

/* What "data" of an envelope is. */
typedef enum Data
{
	DATA_NONE,
	DATA_ANY,
	DATA_RECORD,
	DATA_RECORDS,
	DATA_OBJECTS,
	DATA_WRITTEN, /* the record, if it was requested */
	DATA_COUNT,
	DATA_FOUND,	  /* records of several resources */
	DATA_SESSION, /* a token, and whose it is */
	DATA_TOKEN
} Data;

/* The statuses of success of each envelope, and the data of its JSON. */
static const struct
{
	int statuses[3]; /* 0: no more; none: the envelope is not in the document */
	Data data;
} successes[ENVELOPE_COUNT_OF] = {
	[ENVELOPE_LIST] = {{200, 206}, DATA_RECORDS},
	[ENVELOPE_ITEM] = {{200}, DATA_RECORD},
	[ENVELOPE_COUNT] = {{200}, DATA_COUNT},
	[ENVELOPE_RELATED] = {{200, 206}, DATA_ANY},
	[ENVELOPE_ROWS] = {{200, 206}, DATA_OBJECTS},
	[ENVELOPE_SEARCH] = {{200, 206}, DATA_FOUND},
	[ENVELOPE_CREATED] = {{201}, DATA_WRITTEN},
	[ENVELOPE_WRITTEN] = {{200}, DATA_WRITTEN},
	[ENVELOPE_DELETED] = {{200}, DATA_WRITTEN},
	[ENVELOPE_LOGIN] = {{200}, DATA_SESSION},
	[ENVELOPE_TOKEN] = {{200}, DATA_TOKEN},
	[ENVELOPE_PLAIN] = {{200}, DATA_ANY},
	[ENVELOPE_ENTRY] = {{200}, DATA_ANY},
	[ENVELOPE_UPLOAD] = {{200, 204}, DATA_ANY},
	[ENVELOPE_BYTES] = {{200, 202, 206}, DATA_NONE},
	[ENVELOPE_FEED] = {{200}, DATA_NONE},
	[ENVELOPE_METRICS] = {{200}, DATA_NONE},
	[ENVELOPE_DOCUMENT] = {{200}, DATA_NONE},
	[ENVELOPE_TILE] = {{200, 204}, DATA_NONE},
	[ENVELOPE_ACCEPTED] = {{202}, DATA_WRITTEN},
	[ENVELOPE_IMPORT] = {{200, 202}, DATA_ANY},
	[ENVELOPE_STATIC_FILE] = {{200}, DATA_NONE},
	[ENVELOPE_OPENAPI] = {{200}, DATA_NONE},
};

/* Errors: which requests they answer. */
static const struct
{
	int status;
	bool of_reads;
	bool of_writes;
} errors[] = {
	{400, true, true},	{401, true, true},	{403, true, true}, {404, true, true},
	{406, true, true},	{409, true, true},	{412, true, true}, {413, false, true},
	{415, false, true}, {416, true, false}, {422, true, true}, {429, true, true},
	{500, true, true},	{501, true, true},	{503, true, true},
};

/* Header fields of answers. */
static const struct
{
	const char *name;
	const char *description;
} headers[] = {
	{"X-Request-Id", "Identifier of the request, as in the log"},
	{"ETag", "State of the representation, for If-None-Match and If-Match"},
	{"Link", "Pages of a list: first, prev, next, last (RFC 8288)"},
	{"Content-Range", "Which items these are, of how many: items 0-19/812"},
	{"Location", "Address of what was made"},
	{"Preference-Applied", "Preferences of Prefer that the answer follows (RFC 7240)"},
	{"Retry-After", "Seconds after which the request may be sent again"},
	{"WWW-Authenticate", "Credential that is needed"},
};

static json_t *
header_references(const char *const *names)
{
	json_t *references = json_object();

	for (; *names != NULL; names++)
		json_object_set_new(references, *names, openapi_reference("headers", *names));
	return references;
}

static json_t *
headers_of(int status, bool is_read)
{
	static const char *const reads[] = {"X-Request-Id", "ETag", "Link", "Preference-Applied", NULL};
	static const char *const pages[] = {"X-Request-Id",		  "ETag",		   "Link",
										"Preference-Applied", "Content-Range", NULL};
	static const char *const made[] = {"X-Request-Id", "Location", "Preference-Applied", NULL};
	static const char *const writes[] = {"X-Request-Id", "Preference-Applied", NULL};

	if (status == MHD_HTTP_PARTIAL_CONTENT)
		return header_references(pages);
	if (status == MHD_HTTP_CREATED || status == MHD_HTTP_ACCEPTED)
		return header_references(made);
	return header_references(is_read ? reads : writes);
}

/* The schema of "data"; NULL: the envelope has none. */
static json_t *
data_of(Data data, const json_t *described)
{
	const char *model = openapi_schema_model(described);

	switch (data)
	{
		case DATA_RECORD:
		case DATA_WRITTEN:
			return model ? openapi_reference("schemas", model) : json_object();
		case DATA_RECORDS:
			return json_pack("{s:s, s:o}", "type", "array", "items",
							 model ? openapi_reference("schemas", model) : json_object());
		case DATA_OBJECTS:
			return json_pack("{s:s, s:{s:s}}", "type", "array", "items", "type", "object");
		case DATA_COUNT:
			return json_pack("{s:s, s:[s], s:{s:{s:s}}}", "type", "object", "required", "count",
							 "properties", "count", "type", "integer");
		case DATA_FOUND:
			return openapi_reference("schemas", "Found");
		case DATA_SESSION:
			return openapi_reference("schemas", "Session");
		case DATA_TOKEN:
			return json_pack("{s:s}", "type", "string");
		case DATA_ANY:
			return json_object();
		case DATA_NONE:
			break;
	}
	return NULL;
}

/* The schema of a JSON answer. */
static json_t *
envelope_of(Data data, const json_t *described)
{
	json_t *properties = json_pack("{s:o, s:o}", "meta", openapi_reference("schemas", "Meta"),
								   "links", openapi_reference("schemas", "Links"));
	json_t *required = json_pack("[s, s]", "meta", "links");

	json_object_set_new(properties, "data", data_of(data, described));
	if (data != DATA_WRITTEN && data != DATA_ANY)
		json_array_append_new(required, json_string("data"));
	return json_pack("{s:s, s:o, s:o}", "type", "object", "required", required, "properties",
					 properties);
}

/* The content by media type; types: with a comma and a space between them. */
static json_t *
content_of(const char *types, Data data, const json_t *described)
{
	json_t *content = json_object();

	while (*types != '\0')
	{
		size_t length = strcspn(types, ",");
		bool enveloped =
			data != DATA_NONE && strncmp(types, "application/json", length) == 0 && length == 16;
		json_t *schema = enveloped ? envelope_of(data, described) : json_object();

		json_object_setn_new(content, types, length, json_pack("{s:o}", "schema", schema));
		types += length;
		types += strspn(types, ", ");
	}
	return content;
}

static void
add_errors(json_t *responses, bool is_read)
{
	for (size_t i = 0; i < lengthof(errors); i++)
	{
		char status[4];
		char name[20];

		if (is_read ? !errors[i].of_reads : !errors[i].of_writes)
			continue;
		snprintf(status, sizeof(status), "%d", errors[i].status);
		snprintf(name, sizeof(name), "Error%d", errors[i].status);
		json_object_set_new(responses, status, openapi_reference("responses", name));
	}
	/* such as 414, before the path is known */
	json_object_set_new(responses, "default", openapi_reference("responses", "Error"));
}

/* A response of success; types: of its content. */
static json_t *
success_of(int status, bool is_read, const char *types, Data data, const json_t *described)
{
	json_t *response = json_pack("{s:s, s:o}", "description", error_message_of(status), "headers",
								 headers_of(status, is_read));

	if (status != MHD_HTTP_NO_CONTENT)
		json_object_set_new(response, "content", content_of(types, data, described));
	return response;
}

/* The data of a route's answers; the record of some is one of another resource than that of the path. */
static Data
data_kind(const OpenApi *api, const Route *route)
{
	static const char *const files[] = {"restservices", "soapservices"};

	if (route->call == CALL_UNDO)
		return DATA_ANY;
	for (size_t i = 0; i < lengthof(files) && route->call == CALL_CREATE; i++)
		if (strcmp(api->request->resource, files[i]) == 0)
			return DATA_ANY;
	return successes[route->envelope].data;
}

json_t *
openapi_response_all(OpenApi *api, const Route *route, const json_t *described)
{
	const char *types = answer_types(api->request, route);
	/* while bytes are being made the answer is JSON, or a page */
	const char *later = route->envelope == ENVELOPE_BYTES ? "application/json, text/html" : types;
	bool is_read = route->verb == VERB_GET;
	json_t *responses = json_object();
	Data data = data_kind(api, route);
	/* an upload that is continued is complete, or not yet */
	static const int continued[lengthof(successes[0].statuses)] = {200, 201, 204};
	const int *statuses =
		route->call == CALL_UPLOAD_FINISH ? continued : successes[route->envelope].statuses;

	for (size_t i = 0; i < lengthof(successes[0].statuses) && statuses[i] != 0; i++)
	{
		char status[4];

		snprintf(status, sizeof(status), "%d", statuses[i]);
		json_object_set_new(responses, status,
							success_of(statuses[i], is_read,
									   statuses[i] == MHD_HTTP_ACCEPTED ? later : types, data,
									   described));
	}
	if (rows_body_types(route) != NULL)
		json_object_set_new(responses, "200",
							success_of(MHD_HTTP_OK, false, types, DATA_OBJECTS, NULL));
	/* an upload that is begun, to be continued */
	if (route->call == CALL_UPDATE && upload_part(api->request, route) != NULL)
		json_object_set_new(responses, "201",
							success_of(MHD_HTTP_CREATED, false, types, data, described));
	if (is_read)
		json_object_set_new(responses, "304", openapi_reference("responses", "NotModified"));
	add_errors(responses, is_read);
	return responses;
}

static json_t *
error_response(const char *description, const char *const *names)
{
	return json_pack("{s:s, s:o, s:{s:{s:o}}}", "description", description, "headers",
					 header_references(names), "content", "application/json", "schema",
					 openapi_reference("schemas", "Error"));
}

json_t *
openapi_response_errors(void)
{
	static const char *const plain[] = {"X-Request-Id", NULL};
	static const char *const waits[] = {"X-Request-Id", "Retry-After", NULL};
	static const char *const refusals[] = {"X-Request-Id", "WWW-Authenticate", NULL};
	json_t *responses = json_pack("{s:{s:s}, s:o}", "NotModified", "description",
								  error_message_of(MHD_HTTP_NOT_MODIFIED), "Error",
								  error_response("the request cannot be carried out", plain));

	for (size_t i = 0; i < lengthof(errors); i++)
	{
		int status = errors[i].status;
		bool later = status == MHD_HTTP_TOO_MANY_REQUESTS || status == MHD_HTTP_SERVICE_UNAVAILABLE;
		char name[20];

		snprintf(name, sizeof(name), "Error%d", status);
		json_object_set_new(responses, name,
							error_response(error_message_of(status), status == MHD_HTTP_UNAUTHORIZED
																		 ? refusals
																	 : later ? waits
																			 : plain));
	}
	return responses;
}

json_t *
openapi_response_headers(void)
{
	json_t *described = json_object();

	for (size_t i = 0; i < lengthof(headers); i++)
		json_object_set_new(
			described, headers[i].name,
			json_pack("{s:s, s:{s:s}}", "description", headers[i].description, "schema", "type",
					  strcmp(headers[i].name, "Retry-After") == 0 ? "integer" : "string"));
	return described;
}
