/*
 * openapi_schema.c - schemas of the OpenAPI document, made from the descriptions of resources.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

const char *
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
