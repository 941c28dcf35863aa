/*
 * readme.c - the description in an archive: README.txt for people, and datapackage.json for
 * programs (Frictionless Data Package).
 *
 * It does not contain the time of its creation, so equal datasets have equal archives.
 */
#include <stdlib.h>
#include <string.h>

#include "jobs/jobs_internal.h"

#define TEXT_MAXIMUM (64 << 20)
#define NAME_MAXIMUM 120 /* maximum bytes of the name of a resource */

static const char *
text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text != NULL && *text != '\0' ? text : NULL;
}

static void
append_paragraph(Buffer *out, const json_t *object, const char *name)
{
	const char *text = text_of(object, name);

	if (text == NULL)
		return;
	buffer_text(out, text);
	buffer_text(out, "\n\n");
}

/* Append a line with a label and the texts of a list, if there are any. */
static void
append_list(Buffer *out, const char *word, const json_t *list)
{
	size_t index;
	const json_t *value;

	json_array_foreach(list, index, value)
	{
		buffer_text(out, index == 0 ? word : ", ");
		buffer_text(out, json_string_value(value) ? json_string_value(value) : "");
	}
	if (json_array_size(list) > 0)
		buffer_text(out, "\n");
}

static void
append_file(Buffer *out, const json_t *file)
{
	const char *entry = text_of(file, "entry");
	const char *name = text_of(file, "name");
	const char *digest = text_of(file, "sha256");
	const char *url = text_of(file, "url");

	buffer_text(out, "\n");
	buffer_text(out, entry ? entry : url ? url : "");
	buffer_text(out, "\n  ");
	buffer_text(out, name ? name : "");
	buffer_text(out, "\n");
	if (text_of(file, "description") != NULL)
	{
		buffer_text(out, "  ");
		buffer_text(out, text_of(file, "description"));
		buffer_text(out, "\n");
	}
	if (entry == NULL)
	{
		buffer_text(out, "  not in this archive: it is kept elsewhere\n");
		return;
	}
	buffer_format(out, "  %lld bytes",
				  (long long) json_integer_value(json_object_get(file, "size")));
	if (digest != NULL)
		buffer_format(out, ", SHA-256 %.64s", digest);
	buffer_text(out, "\n");
}

char *
readme_text(const json_t *manifest)
{
	const json_t *dataset = json_object_get(manifest, "dataset");
	const char *name = text_of(dataset, "name");
	Buffer out;
	size_t index;
	const json_t *file;

	buffer_init(&out, TEXT_MAXIMUM);
	buffer_text(&out, name ? name : "");
	buffer_text(&out, "\n\n");
	append_paragraph(&out, dataset, "description");
	append_paragraph(&out, dataset, "notes");
	append_list(&out, "Categories: ", json_object_get(dataset, "categories"));
	append_list(&out, "Tags: ", json_object_get(dataset, "tags"));
	buffer_text(&out, "\nFiles\n");
	json_array_foreach(json_object_get(manifest, "files"), index, file)
		append_file(&out, file);
	buffer_append(&out, "", 1);
	if (!out.failed)
		return out.data;
	buffer_free(&out);
	return NULL;
}

/* The name of a resource: letters of ASCII, digits and dashes, unique by its number. */
static json_t *
resource_name(const char *name, size_t index)
{
	char text[NAME_MAXIMUM + 24];
	size_t length = 0;

	for (; *name != '\0' && length < NAME_MAXIMUM; name++)
	{
		char letter = (char) (*name >= 'A' && *name <= 'Z' ? *name | 0x20 : *name);

		if (text_is_alphanumeric(&letter, 1))
			text[length++] = letter;
		else if (length > 0 && text[length - 1] != '-')
			text[length++] = '-';
	}
	while (length > 0 && text[length - 1] == '-')
		length--;
	memcpy(text + length, "", 1);
	return json_sprintf("%s%s%zu", text, length > 0 ? "-" : "file-", index + 1);
}

/* A column as a field of a Table Schema. */
static json_t *
field_of(const json_t *column)
{
	static const char *const types[][2] = {{"integer", "integer"},
										   {"decimal", "number"},
										   {"boolean", "boolean"},
										   {"date", "date"},
										   {"datetime", "datetime"}};
	json_t *field = json_object();
	const char *type = text_of(column, "type");
	const char *title = text_of(column, "title");
	const char *known = "string";

	for (size_t i = 0; type != NULL && i < lengthof(types); i++)
		if (strcmp(types[i][0], type) == 0)
			known = types[i][1];
	json_object_set_new(field, "name",
						json_string(title					  ? title
									: text_of(column, "name") ? text_of(column, "name")
															  : ""));
	json_object_set_new(field, "type", json_string(known));
	if (json_is_true(json_object_get(column, "decimalComma")))
		json_object_set_new(field, "decimalChar", json_string(","));
	if (text_of(column, "format") != NULL)
		json_object_set(field, "format", json_object_get(column, "format"));
	return field;
}

/* Add the delimiter, encoding and columns of a text file. */
static void
add_table(json_t *resource, const json_t *table)
{
	const json_t *details = json_object_get(table, "details");
	json_t *fields = json_array();
	size_t index;
	const json_t *column;

	json_array_foreach(json_object_get(table, "columns"), index, column)
		json_array_append_new(fields, field_of(column));
	json_object_set_new(resource, "profile", json_string("tabular-data-resource"));
	json_object_set_new(resource, "schema", json_pack("{s:o}", "fields", fields));
	if (text_of(details, "encoding") != NULL)
		json_object_set(resource, "encoding", json_object_get(details, "encoding"));
	if (text_of(details, "delimiter") != NULL)
		json_object_set_new(resource, "dialect",
							json_pack("{s:O}", "delimiter", json_object_get(details, "delimiter")));
}

static json_t *
resource_of(const json_t *file, size_t index)
{
	static const char *const same[][2] = {
		{"name", "title"}, {"description", "description"}, {"mediaType", "mediatype"}};
	const char *entry = text_of(file, "entry");
	const char *digest = text_of(file, "sha256");
	const char *name = text_of(file, "name");
	json_t *resource = json_object();

	json_object_set_new(resource, "name", resource_name(entry ? entry : name ? name : "", index));
	json_object_set(resource, "path", json_object_get(file, entry ? "entry" : "url"));
	for (size_t i = 0; i < lengthof(same); i++)
		if (text_of(file, same[i][0]) != NULL)
			json_object_set(resource, same[i][1], json_object_get(file, same[i][0]));
	if (entry == NULL)
		return resource;
	json_object_set(resource, "bytes", json_object_get(file, "size"));
	if (digest != NULL)
		json_object_set_new(resource, "hash", json_sprintf("sha256:%s", digest));
	if (json_is_object(json_object_get(file, "table")))
		add_table(resource, json_object_get(file, "table"));
	return resource;
}

char *
readme_package(const json_t *manifest)
{
	const json_t *dataset = json_object_get(manifest, "dataset");
	json_t *package = json_object();
	json_t *resources = json_array();
	size_t index;
	const json_t *file;
	char *text;

	json_object_set_new(package, "profile", json_string("data-package"));
	json_object_set(package, "name", json_object_get(dataset, "slug"));
	json_object_set(package, "id", json_object_get(dataset, "id"));
	json_object_set(package, "title", json_object_get(dataset, "name"));
	if (text_of(dataset, "description") != NULL)
		json_object_set(package, "description", json_object_get(dataset, "description"));
	json_object_set(package, "keywords", json_object_get(dataset, "tags"));
	json_array_foreach(json_object_get(manifest, "files"), index, file)
		json_array_append_new(resources, resource_of(file, index));
	json_object_set_new(package, "resources", resources);
	text = json_dumps(package, JSON_INDENT(2));
	json_decref(package);
	return text;
}
