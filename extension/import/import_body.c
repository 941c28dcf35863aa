/*
 * import_body.c
 *	  The body of the request that creates or changes a record of an entry.
 *
 * What users have changed in a record since an import stays, field by field.  After each change the
 * digests of the fields are kept; a field whose digest is another one has been changed by a user.
 */
#include "catalogue.h"

#include "common/hashfn.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "import/group_internal.h"
#include "import/records_internal.h"

/* The fields that an import writes, and their columns. */
static const struct
{
	const char *resource;
	const char *field;
	const char *column;
} fields[] = {
	{"datasets", "name", "name"},
	{"datasets", "description", "description"},
	{"datasets", "optionals", "optionals"},
	{"datasets", "organization", "organization"},
	{"datasets", "categories", "categories_ids"},
	{"datasets", "tags", "tags_ids"},
	{"files", "name", "name"},
	{"files", "description", "description"},
	{"files", "optionals", "optionals"},
	{"files", "type", "type"},
	{"files", "organization", "organization"},
	{"files", "updateFrequency", "update_frequency"},
	{"files", "url", "url"},
};

char *
cat_import_digest(const Rows *rows, const char *column)
{
	int number = SPI_fnumber(rows->desc, column);
	char *value = SPI_getvalue(rows->tuples[0], rows->desc, number);
	uint64 hash = value ? hash_bytes_extended((unsigned char *) value, (int) strlen(value), 0) : 0;

	return psprintf("%016llx", (unsigned long long) hash);
}

/* Read which fields of a record users have changed, besides those that the import takes. */
static List *
read_edited(const Import *import, const RecordBody *body)
{
	Rows rows = cat_import_rows(body->resource, body->id);
	List *base = cat_body_members(body->base, strlen(body->base));
	List *edited = NIL;

	for (size_t i = 0; rows.count > 0 && i < lengthof(fields); i++)
	{
		const Member *digest = strcmp(fields[i].resource, body->resource) == 0
								   ? cat_body_member(base, fields[i].field)
								   : NULL;

		if (digest && digest->text && !cat_query_string_has_word(import->take, fields[i].field) &&
			strcmp(digest->text, cat_import_digest(&rows, fields[i].column)) != 0)
			edited = lappend(edited, unconstify(char *, fields[i].field));
	}
	return edited;
}

/* Return the digests of the fields as they are now; of those that users have changed as they were. */
static const char *
digests_of(const RecordBody *body)
{
	Rows rows = cat_import_rows(body->resource, body->id);
	List *base = body->edited ? cat_body_members(body->base, strlen(body->base)) : NIL;
	StringInfoData digests;

	initStringInfo(&digests);
	for (size_t i = 0; rows.count > 0 && i < lengthof(fields); i++)
		if (strcmp(fields[i].resource, body->resource) == 0)
			appendStringInfo(&digests, "%c\"%s\":\"%s\"", digests.len == 0 ? '{' : ',',
							 fields[i].field,
							 cat_query_string_has_word(body->edited, fields[i].field)
								 ? cat_body_member(base, fields[i].field)->text
								 : cat_import_digest(&rows, fields[i].column));
	appendStringInfoString(&digests, digests.len == 0 ? "{}" : "}");
	return digests.data;
}

void
cat_import_body_begin(const Import *import, RecordBody *body, const char *resource, const char *id,
					  const char *base)
{
	initStringInfo(&body->text);
	body->resource = resource;
	body->id = id;
	body->base = base;
	body->edited = id && base ? read_edited(import, body) : NIL;
}

bool
cat_import_body_takes(const Import *import, const RecordBody *body, const char *name)
{
	if (!cat_query_string_has_word(body->edited, name))
		return true;
	import->entry->kept = lappend(import->entry->kept, psprintf("%s%s", import->part, name));
	return false;
}

/* Append the name of a member, and a colon. */
static void
begin_member(RecordBody *body, const char *name)
{
	appendStringInfo(&body->text, "%c\"%s\":", body->text.len == 0 ? '{' : ',', name);
}

void
cat_import_body_json(const Import *import, RecordBody *body, const char *name, const char *json)
{
	if (!cat_import_body_takes(import, body, name))
		return;
	begin_member(body, name);
	appendStringInfoString(&body->text, json);
}

void
cat_import_body_text(const Import *import, RecordBody *body, const char *name, const char *text)
{
	if (!cat_import_body_takes(import, body, name))
		return;
	begin_member(body, name);
	if (text)
		cat_json_text_string(&body->text, text);
	else
		appendStringInfoString(&body->text, "null");
}

const char *
cat_import_body_complete(const Import *import, RecordBody *body)
{
	if (!body->id)
		cat_import_body_new(import, body);
	if (body->text.len == 0)
		return NULL;
	appendStringInfoChar(&body->text, '}');
	return body->text.data;
}

void
cat_import_body_written(RecordBody *body, const char *id)
{
	body->id = id;
	body->base = digests_of(body);
}

const char *
cat_import_body_write(Import *import, RecordBody *body)
{
	const char *text = cat_import_body_complete(import, body);
	const char *id = body->id;

	if (text && id)
		cat_import_update(import, body->resource, id, text);
	else if (text)
		id = cat_import_create(import, body->resource, text);
	cat_import_body_written(body, id);
	return id;
}
