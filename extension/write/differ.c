/*
 * differ.c
 *	  Comparison of a row before and after an update.
 */
#include "catalogue.h"

#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "write/write_internal.h"

/* Longest JSON text of a value in the action log, in bytes. */
#define LOGGED_VALUE_LIMIT 10000

static bool
differs(Form_pg_attribute attribute, Datum old, bool old_is_null, Datum new, bool new_is_null)
{
	if (attribute->attisdropped)
		return false;
	return old_is_null != new_is_null ||
		   (!new_is_null && !datum_image_eq(old, new, attribute->attbyval, attribute->attlen));
}

/* Return which attributes differ between two rows, by attribute number minus one; palloc'd. */
bool *
cat_differ_columns(TupleDesc desc, const Datum *olds, const bool *old_nulls, const Datum *news,
				   const bool *new_nulls)
{
	bool *changed = palloc(desc->natts * sizeof(bool));

	for (int i = 0; i < desc->natts; i++)
		changed[i] = differs(TupleDescAttr(desc, i), olds[i], old_nulls[i], news[i], new_nulls[i]);
	return changed;
}

/*
 * Return whether two different values of a base type are equivalent: JSON that differs in white
 * space only.
 */
bool
cat_differ_alike(Oid type, Datum old, Datum new)
{
	if (type != JSONOID || !DatumGetPointer(old) || !DatumGetPointer(new))
		return false;
	return strcmp(cat_json_text_compact(TextDatumGetCString(old)),
				  cat_json_text_compact(TextDatumGetCString(new))) == 0;
}

/* Return whether an update changes a record, apart from updated_at. */
bool
cat_differ_records(const Resource *resource, const Datum *olds, const bool *old_nulls,
				   const Datum *news, const bool *new_nulls)
{
	for (int i = 0; i < resource->desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(resource->desc, i);

		if (attribute->attnum != resource->updated_at &&
			differs(attribute, olds[i], old_nulls[i], news[i], new_nulls[i]) &&
			!cat_differ_alike(getBaseType(attribute->atttypid), olds[i], news[i]))
			return true;
	}
	return false;
}

/* Return the name of a field as the API has it, NULL if it is never shown. */
static const char *
logged_name(const Resource *resource, const Field *field)
{
	if (field->attno == resource->updated_at)
		return NULL;
	/* the API shows it as deletedAt, which an undo must tell from a deletion */
	if (resource->deactivates && field->attno == resource->deactivated_at)
		return "deactivatedAt";
	for (int i = 0; i < resource->nrelations; i++)
		if (resource->relations[i].list == field)
			return resource->relations[i].name;
	return field->hidden && !field->write_only ? NULL : field->name;
}

/* Append a member with the value of a field in a row. */
static void
append_value(StringInfo out, const char *member, const Field *field, TupleTableSlot *slot)
{
	bool isnull;
	Datum value = slot_getattr(slot, field->attno, &isnull);

	appendStringInfo(out, "\"%s\":", member);
	if (isnull)
		appendStringInfoString(out, "null");
	else
		cat_json_value(out, field, value);
}

/* Append the values of a field before and after an update, unless they are not to be logged. */
static void
append_change(StringInfo out, const Field *field, bool omitted, TupleTableSlot *old,
			  TupleTableSlot *new)
{
	int start = out->len;

	if (!omitted)
	{
		appendStringInfoChar(out, '{');
		append_value(out, "before", field, old);
		appendStringInfoChar(out, ',');
		append_value(out, "after", field, new);
		appendStringInfoChar(out, '}');
	}
	if (!omitted && out->len - start <= LOGGED_VALUE_LIMIT)
		return;
	out->len = start;
	appendStringInfoString(out, "{\"omitted\":true}");
}

/* What an update changes, as a JSON object for the action log, palloc'd: each changed field, and
 * list of ids, with its values before and after, {"name":{"before":…,"after":…}}, without
 * updated_at and fields that are never shown, but with secrets, and deactivated_at as deactivatedAt.  Instead of secrets, of fields that are closed, of
 * values of a resource whose records may be hidden from users, and of values of more than 10,000
 * bytes it has {"omitted":true}. */
char *
cat_differ_json(const Resource *resource, TupleTableSlot *old, TupleTableSlot *new)
{
	bool partial = cat_visibility_is_partial(resource, ACCESS_INTERNAL);
	StringInfoData out;
	bool *changed;

	slot_getallattrs(old);
	slot_getallattrs(new);
	changed = cat_differ_columns(old->tts_tupleDescriptor, old->tts_values, old->tts_isnull,
								 new->tts_values, new->tts_isnull);
	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];
		const char *name = changed[field->attno - 1] ? logged_name(resource, field) : NULL;

		if (!name)
			continue;
		if (out.len > 1)
			appendStringInfoChar(&out, ',');
		cat_json_text_string(&out, name);
		appendStringInfoChar(&out, ':');
		append_change(&out, field, partial || field->write_only || field->closed != 0, old, new);
	}
	appendStringInfoChar(&out, '}');
	return out.data;
}
