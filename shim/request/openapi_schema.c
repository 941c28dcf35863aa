/*
 * openapi_schema.c - schemas and responses of the OpenAPI document.
 */

#include "request/openapi.h"

#define NAME_MAXIMUM 256 /* bytes of the name of a component */

/* The JSON schema of each type of a description. */
static const struct
{
	const char *name;
	const char *type; /* NULL: any value */
	const char *format;
} types[] = {
	{"string", "string", NULL},	  {"integer", "integer", NULL},		   {"number", "number", NULL},
	{"boolean", "boolean", NULL}, {"datetime", "string", "date-time"}, {"date", "string", "date"},
	{"email", "string", "email"}, {"file", "string", "binary"},		   {"array", "array", NULL},
	{"json", NULL, NULL},
};

/* Names of members of a description, and of the schema. */
static const struct
{
	const char *described;
	const char *schema;
} keywords[] = {
	{"enum", "enum"},		  {"default", "default"},	  {"description", "description"},
	{"readOnly", "readOnly"}, {"writeOnly", "writeOnly"}, {"reference", "x-reference"},
	{"unique", "x-unique"},
};

json_t *
openapi_reference(const char *kind, const char *name)
{
	char text[NAME_MAXIMUM];

	snprintf(text, sizeof(text), "#/components/%s/%s", kind, name);
	return json_pack("{s:s}", "$ref", text);
}

static const char *
text_of(const json_t *facts, const char *name)
{
	const char *text = json_string_value(json_object_get(facts, name));

	return text != NULL ? text : "";
}

/* Set the type and the format of a value; a type that is not in the table is a string. */
static void
set_type(json_t *schema, const char *type)
{
	size_t i = 0;

	while (i < lengthof(types) && strcmp(types[i].name, type) != 0)
		i++;
	if (i == lengthof(types))
		i = 0;
	if (types[i].type != NULL)
		json_object_set_new(schema, "type", json_string(types[i].type));
	if (types[i].format != NULL)
		json_object_set_new(schema, "format", json_string(types[i].format));
}

/* The schema of an element of an array: ids of records, or embedded records. */
static json_t *
element_of(const json_t *facts)
{
	const json_t *items = json_object_get(facts, "items");

	if (items != NULL)
		return openapi_schema_value(items);
	if (json_object_get(facts, "reference") != NULL)
		return json_pack("{s:[s,s]}", "type", "string", "object");
	return json_object();
}

/* The keyword for the "max" of a type. */
static const char *
maximum_of(const char *type)
{
	if (strcmp(type, "array") == 0)
		return "maxItems";
	return strcmp(type, "integer") == 0 ? "maximum" : "maxLength";
}

json_t *
openapi_schema_value(const json_t *facts)
{
	const char *type = text_of(facts, "type");
	const json_t *maximum = json_object_get(facts, "max");
	json_t *schema = json_object();

	set_type(schema, type);
	if (strcmp(type, "array") == 0)
		json_object_set_new(schema, "items", element_of(facts));
	if (maximum != NULL && strcmp(type, "json") != 0)
		json_object_set(schema, maximum_of(type), (json_t *) maximum);
	for (size_t i = 0; i < lengthof(keywords); i++)
		if (json_object_get(facts, keywords[i].described) != NULL)
			json_object_set(schema, keywords[i].schema,
							json_object_get(facts, keywords[i].described));
	return schema;
}

/* Let a value be null, and a reference an embedded record, as in answers. */
static void
widen(json_t *schema, const json_t *facts)
{
	json_t *type = json_object_get(schema, "type");
	json_t *values = json_object_get(schema, "enum");
	json_t *list;

	if (!json_is_string(type))
		return;
	list = json_pack("[O]", type);
	if (json_object_get(facts, "reference") != NULL &&
		strcmp(json_string_value(type), "string") == 0)
	{
		json_array_append_new(list, json_string("object"));
		json_object_del(schema, "maxLength");
	}
	json_array_append_new(list, json_string("null"));
	json_object_set_new(schema, "type", list);
	if (values != NULL)
	{
		list = json_copy(values);
		json_array_append_new(list, json_null());
		json_object_set_new(schema, "enum", list);
	}
}

/* A value that shows what a member takes. */
static json_t *
example_of(const json_t *facts, const char *name)
{
	const json_t *values = json_object_get(facts, "enum");
	const char *type = text_of(facts, "type");

	if (json_array_size(values) > 0)
		return json_incref(json_array_get(values, 0));
	if (json_object_get(facts, "reference") != NULL)
		return strcmp(type, "array") == 0 ? json_pack("[s]", "3rE2KsQdxhHGxBO")
										  : json_string("3rE2KsQdxhHGxBO");
	if (strcmp(type, "integer") == 0 || strcmp(type, "number") == 0)
		return json_integer(1);
	if (strcmp(type, "boolean") == 0)
		return json_true();
	if (strcmp(type, "array") == 0)
		return json_array();
	if (strcmp(type, "json") == 0)
		return json_object();
	if (strcmp(type, "datetime") == 0)
		return json_string("2026-01-31T12:00:00Z");
	if (strcmp(type, "date") == 0)
		return json_string("2026-01-31");
	return json_string(strcmp(type, "email") == 0 ? "name@example.org" : name);
}

json_t *
openapi_schema_members(const json_t *members)
{
	json_t *properties = json_object();
	json_t *required = json_array();
	json_t *example = json_object();
	json_t *schema = json_pack("{s:s, s:o}", "type", "object", "properties", properties);
	const char *name;
	json_t *facts;

	json_object_foreach((json_t *) members, name, facts)
	{
		json_object_set_new(properties, name, openapi_schema_value(facts));
		if (!json_is_true(json_object_get(facts, "required")))
			continue;
		json_array_append_new(required, json_string(name));
		json_object_set_new(example, name, example_of(facts, name));
	}
	if (json_array_size(required) > 0)
	{
		json_object_set(schema, "required", required);
		json_object_set_new(schema, "examples", json_pack("[O]", example));
	}
	json_decref(required);
	json_decref(example);
	return schema;
}

/* Add the relations that "include" and "fields" show: ids, or records with the members that are named. */
static void
add_relations(json_t *properties, const json_t *described)
{
	size_t i;
	json_t *name;

	json_array_foreach(json_object_get(described, "relations"), i, name)
	{
		if (json_object_get(properties, json_string_value(name)) == NULL)
			json_object_set_new(
				properties, json_string_value(name),
				json_pack("{s:[s, s, s, s]}", "type", "array", "object", "string", "null"));
	}
}

/* The schema of a record as answers have it; with "fields" in the query, members are missing. */
static json_t *
record_of(const json_t *described)
{
	json_t *properties = json_object();
	const char *name;
	json_t *facts;

	json_object_foreach(json_object_get(described, "fields"), name, facts)
	{
		json_t *schema;

		if (json_is_true(json_object_get(facts, "writeOnly")))
			continue;
		schema = openapi_schema_value(facts);
		if (strcmp(name, "id") != 0)
			widen(schema, facts);
		json_object_del(schema, "default");
		json_object_set_new(properties, name, schema);
	}
	add_relations(properties, described);
	return json_pack("{s:s, s:s, s:[s], s:o}", "type", "object", "description",
					 text_of(described, "description"), "required", "id", "properties", properties);
}

/* The schema of the filters of a resource; each becomes a parameter of its own. */
static json_t *
filters_of(const json_t *described)
{
	json_t *properties = json_object();
	const char *name;
	json_t *facts;

	json_object_foreach(json_object_get(described, "fields"), name, facts)
	{
		json_object_set_new(properties, name,
							json_pack("{s:s, s:s}", "type", "string", "description",
									  text_of(facts, "description")));
	}
	return json_pack("{s:s, s:s, s:o, s:{s:s}}", "type", "object", "description",
					 "Filters, each a parameter: name=value,value; name[gte], [lte], [gt], [lt], "
					 "[ne]; name.field for a related record",
					 "properties", properties, "additionalProperties", "type", "string");
}

/* The body of a change: the fields that the caller may write. */
static json_t *
body_of(const json_t *described, const char *action)
{
	const json_t *fields = json_object_get(described, "fields");
	json_t *members = json_object();
	json_t *schema;
	size_t i;
	json_t *name;

	json_array_foreach(json_object_get(described, action), i, name)
	{
		json_t *facts = json_object_get(fields, json_string_value(name));

		if (facts != NULL)
			json_object_set(members, json_string_value(name), facts);
	}
	schema = openapi_schema_members(members);
	if (strcmp(action, "update") == 0)
	{
		json_object_del(schema, "required");
		json_object_del(schema, "examples");
	}
	json_decref(members);
	return schema;
}

static void
add(OpenApi *api, const char *model, const char *suffix, json_t *schema)
{
	char name[NAME_MAXIMUM];

	snprintf(name, sizeof(name), "%s%s", model, suffix);
	json_object_set_new(api->schemas, name, schema);
}

/* The name of the schema of a record; NULL where the caller sees no records. */
static const char *
openapi_schema_model(const json_t *described)
{
	return json_object_size(json_object_get(described, "fields")) > 0
			   ? json_string_value(json_object_get(described, "model"))
			   : NULL;
}

void
openapi_schema_resource(OpenApi *api, const char *name, const json_t *described)
{
	const char *model = text_of(described, "model");

	if (openapi_schema_model(described) != NULL)
	{
		json_object_set_new(
			json_object_get(json_object_get(api->schemas, "Found"), "properties"), name,
			json_pack("{s:s, s:o}", "type", "array", "items", openapi_reference("schemas", model)));
		add(api, model, "", record_of(described));
		add(api, model, "Filters", filters_of(described));
	}
	if (json_array_size(json_object_get(described, "create")) > 0)
		add(api, model, "Create", body_of(described, "create"));
	if (json_array_size(json_object_get(described, "update")) > 0)
		add(api, model, "Update", body_of(described, "update"));
}

static const char shared[] =
	"{\"Meta\":{\"type\":\"object\",\"required\":[\"code\",\"message\"],\"properties\":{"
	"\"code\":{\"type\":\"string\"},\"message\":{\"type\":\"string\"},"
	"\"hint\":{\"type\":\"string\"},"
	"\"count\":{\"type\":\"integer\"},\"limit\":{\"type\":\"integer\"},"
	"\"start\":{\"type\":\"integer\"},\"end\":{\"type\":\"integer\"},"
	"\"page\":{\"type\":\"integer\"},\"pages\":{\"type\":\"integer\"},"
	"\"version\":{\"type\":[\"string\",\"null\"],\"format\":\"date-time\"},"
	"\"facets\":{\"type\":\"object\"},\"histograms\":{\"type\":\"object\"},"
	"\"nearest\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
	"\"added\":{\"type\":\"integer\"},\"removed\":{\"type\":\"integer\"},"
	"\"changed\":{\"type\":\"integer\"},\"correct\":{\"type\":\"integer\"},"
	"\"incorrect\":{\"type\":\"integer\"},\"columns\":{\"type\":\"array\"},"
	"\"rows\":{\"type\":\"integer\"},\"truncated\":{\"type\":\"boolean\"},"
	"\"ignored\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}},"
	"\"Links\":{\"type\":\"object\",\"description\":\"Addresses by name; some are objects of "
	"addresses\"},"
	"\"Found\":{\"type\":\"object\",\"description\":\"Records by resource; none of a resource in "
	"which nothing was found\",\"properties\":{}},"
	"\"Session\":{\"type\":\"object\",\"required\":[\"token\",\"user\",\"username\",\"role\"],"
	"\"properties\":{\"token\":{\"type\":\"string\"},\"user\":{\"type\":\"string\"},"
	"\"username\":{\"type\":\"string\"},\"role\":{\"type\":\"string\"}}},"
	"\"Faults\":{\"type\":\"object\",\"description\":\"Faults by field\",\"additionalProperties\":"
	"{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"rule\",\"message\"],"
	"\"properties\":{\"rule\":{\"type\":\"string\"},\"message\":{\"type\":\"string\"},\"value\":{}}"
	"}}},"
	"\"Error\":{\"type\":\"object\",\"required\":[\"meta\",\"code\",\"data\",\"links\"],"
	"\"properties\":{"
	"\"meta\":{\"$ref\":\"#/components/schemas/Meta\"},\"code\":{\"type\":\"string\"},"
	"\"data\":{\"description\":\"Faults of 400 and 422; of others facts, or nothing\",\"anyOf\":["
	"{\"$ref\":\"#/components/schemas/Faults\"},{\"type\":\"object\"}]},"
	"\"links\":{\"$ref\":\"#/components/schemas/Links\"}}}}";

void
openapi_schema_shared(OpenApi *api)
{
	json_t *schemas = json_loads(shared, 0, NULL);

	json_object_update(api->schemas, schemas);
	json_decref(schemas);
}

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
