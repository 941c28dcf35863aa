/*
 * import_rest.c
 *	  Properties of entries that no field has: optionals have them.
 *
 * They are plain JSON there, whatever form they had: names without prefixes, texts in place of
 * literals, and objects in place of references to them.
 */
#include "catalogue.h"

#include "miscadmin.h"

#include "utils/memutils.h"

#include "base/base.h"
#include "import/import_internal.h"

#define NAMES_MAX 100 /* names of properties that the report tells */
#define DEPTH_MAX 4	  /* objects in each other, and references that are followed */

/* Return the id of an object, NULL for none. */
static const char *
id_of(List *members)
{
	return cat_import_text(cat_import_property(members, "@id"));
}

/* Return the number of members that say something of an object; *last: the last one. */
static int
count_said(List *members, const Member **last)
{
	int count = 0;
	ListCell *cell;

	foreach(cell, members)
	{
		const Member *member = lfirst(cell);

		if (*member->name == '@')
			continue;
		*last = member;
		count++;
	}
	return count;
}

/* Return whether an object with an id exists only as a part of its owner. */
static bool
is_part(const char *id, const char *owner)
{
	size_t length = owner ? strlen(owner) : 0;

	return !id || strncmp(id, "_:", 2) == 0 ||
		   (length > 0 && strncmp(id, owner, length) == 0 && id[length] == '#');
}

/* Return whether an object is a record of a catalogue itself. */
static bool
is_record(List *members)
{
	static const char *const types[] = {"Catalog", "CatalogRecord", "Dataset", "Distribution",
										"DataService"};
	const char *type = cat_import_text(cat_import_property(members, "@type"));

	for (size_t i = 0; type && i < lengthof(types); i++)
		if (strcmp(cat_import_local_name(type), types[i]) == 0)
			return true;
	return false;
}

/* Return the text that stands for an object: a literal, the id of its owner, a record or of one of which
 * nothing is said, or the label of a part of which nothing else is; NULL where it says more. */
static const char *
text_of(List *members, const char *owner)
{
	const Member *literal = cat_import_property(members, "@value");
	const char *id = id_of(members);
	bool blank = id && strncmp(id, "_:", 2) == 0;
	const Member *last = NULL;
	int said = count_said(members, &last);

	if (literal || (said == 0 && !blank))
		return literal ? cat_import_text(literal) : id;
	if (id && owner && strcmp(id, owner) == 0)
		return id;
	if (said == 0 || (id && !blank && is_record(members)))
		return blank ? NULL : id;
	if (said > 1 || said == list_length(members) || !is_part(id, owner))
		return NULL;
	return cat_import_text(
		cat_import_property(list_make1(unconstify(Member *, last)), "prefLabel label name"));
}

static void append_plain(Import *import, ImportEntry *entry, StringInfo out, const Member *value,
						 const char *owner, int depth);

/* Return whether a value refers to the object with an id, which is no blank node. */
static bool
is_itself(const Member *value, const char *id)
{
	const char *text = id && strncmp(id, "_:", 2) != 0 ? cat_import_text(value) : NULL;

	return text && value->kind != MEMBER_ARRAY && strcmp(text, id) == 0;
}

/* Append an object, without its id where that says nothing to others. */
static void
append_object(Import *import, ImportEntry *entry, StringInfo out, List *members, const char *owner,
			  int depth)
{
	const char *id = id_of(members);
	HTAB *present = cat_import_map();
	ListCell *cell;

	appendStringInfoChar(out, '{');
	if (!is_part(id, owner))
		cat_json_text_member(out, "@id", id);
	/* a name without a prefix is that of the member which is called so, if there is one */
	cat_import_map_put(present, "@id", present);
	foreach(cell, members)
		cat_import_map_put(present, ((Member *) lfirst(cell))->name, lfirst(cell));
	foreach(cell, members)
	{
		Member *member = lfirst(cell);
		const char *name = cat_import_local_name(member->name);

		CHECK_FOR_INTERRUPTS();
		if (*member->name == '@')
			continue;
		if (member->kind == MEMBER_NULL || cat_import_map_get(present, name))
			name = member->name;
		cat_import_map_put(present, name, member);
		if (out->data[out->len - 1] != '{')
			appendStringInfoChar(out, ',');
		cat_json_text_string(out, name);
		appendStringInfoChar(out, ':');
		if (is_itself(member, id))
			cat_json_text_string(out, id);
		else
			append_plain(import, entry, out, member, owner, depth + 1);
	}
	appendStringInfoChar(out, '}');
}

/* Return whether a value is an object of JSON-LD with its address or text. */
static bool
is_node(const Member *value)
{
	return value->kind == MEMBER_OBJECT &&
		   cat_import_property(cat_body_members(value->raw, strlen(value->raw)), "@id @value");
}

/* Append the elements of an array, of which JSON-LD may have made one of a single value; texts in
 * several languages stay as they are. */
static void
append_array(Import *import, ImportEntry *entry, StringInfo out, const Member *value,
			 const char *owner, int depth)
{
	List *elements = cat_body_elements(value->raw);
	ListCell *cell;

	if (list_length(elements) == 1 && is_node(linitial(elements)))
	{
		append_plain(import, entry, out, linitial(elements), owner, depth + 1);
		return;
	}
	appendStringInfoChar(out, '[');
	foreach(cell, elements)
	{
		const Member *element = lfirst(cell);

		CHECK_FOR_INTERRUPTS();
		if (foreach_current_index(cell) > 0)
			appendStringInfoChar(out, ',');
		if (element->kind == MEMBER_OBJECT &&
			cat_import_property(cat_body_members(element->raw, strlen(element->raw)), "@language"))
			appendStringInfoString(out, cat_json_text_compact(element->raw));
		else
			append_plain(import, entry, out, element, owner, depth + 1);
	}
	appendStringInfoChar(out, ']');
}

/* Append a value; owner: the id of the object that has the property, NULL for none. */
static void
append_plain(Import *import, ImportEntry *entry, StringInfo out, const Member *value,
			 const char *owner, int depth)
{
	List *members = NIL;
	const Member *list;
	const char *text;

	if (value->kind == MEMBER_ARRAY && depth <= DEPTH_MAX)
	{
		append_array(import, entry, out, value, owner, depth);
		return;
	}
	if (depth <= DEPTH_MAX)
		members = cat_import_resolve(import, entry, value);
	list = cat_import_property(members, "@list @set");
	if (list)
	{
		append_plain(import, entry, out, list, owner, depth + 1);
		return;
	}
	text = members ? text_of(members, owner) : NULL;
	if (text)
		cat_json_text_string(out, text);
	else if (members)
		append_object(import, entry, out, members, owner, depth);
	else
		appendStringInfoString(out, cat_json_text_compact(value->raw));
}

static void
note_left_out(const Import *import, ImportEntry *entry, const Member *member)
{
	cat_import_note(entry, psprintf("%s%s: is left out", import->part, member->name));
}

/* Append a property of an object.  False, with a note, where it is too long to be kept. */
static bool
append_kept(Import *import, ImportEntry *entry, StringInfo out, const char *name,
			const Member *member, const char *owner)
{
	int before = out->len;
	bool kept = strlen(member->raw) <= VALUE_MAX;
	int begin;

	if (out->data[out->len - 1] != '{')
		appendStringInfoChar(out, ',');
	cat_json_text_string(out, name);
	appendStringInfoChar(out, ':');
	begin = out->len;
	if (kept)
		append_plain(import, entry, out, member, owner, 0);
	if (kept && out->len - begin <= VALUE_MAX)
		return true;
	out->len = before;
	out->data[before] = '\0';
	note_left_out(import, entry, member);
	return false;
}

void
cat_import_copy(Import *import, ImportEntry *entry, StringInfo out, List *members,
				const DcatProperty *properties, int count)
{
	for (int i = 0; i < count; i++)
	{
		const Member *member =
			properties[i].kept ? cat_import_property(members, properties[i].names) : NULL;

		if (!member)
			continue;
		append_kept(import, entry, out, properties[i].kept, member, id_of(members));
	}
}

void
cat_import_copy_more(Import *import, ImportEntry *entry, StringInfo out, List *members,
					 const DcatProperty *property, const char *text)
{
	int before = out->len;
	const char *name;
	const Member *said;

	cat_import_copy(import, entry, out, members, property, 1);
	name = text ? strstr(out->data + before, "\":") : NULL;
	said = name ? cat_body_value_if(name + 2, strlen(name + 2)) : NULL;
	if (!said || !said->text || strcmp(said->text, text) != 0)
		return;
	out->len = before;
	out->data[before] = '\0';
}

/* Return whether a member is one of some, of which each may be NULL. */
static bool
is_one_of(const Member *member, const Member *const *some, int count)
{
	for (int i = 0; i < count; i++)
		if (some[i] == member)
			return true;
	return false;
}

/* Return whether a member is one of the properties, but says nothing. */
static bool
is_empty(const Member *member, const DcatProperty *properties, int count)
{
	for (int i = 0; i < count && !cat_import_says(member); i++)
		if (cat_import_is_one(member, properties[i].names))
			return true;
	return member->kind == MEMBER_NULL;
}

/* Note the name of a property for the report, once. */
static void
note_name(Import *import, const char *name)
{
	MemoryContext former = MemoryContextSwitchTo(GetMemoryChunkContext(import->report));

	if (!cat_import_map_get(import->rest, name) && list_length(import->rest_names) < NAMES_MAX)
	{
		char *kept = pstrdup(name);

		cat_import_map_put(import->rest, kept, kept);
		import->rest_names = lappend(import->rest_names, kept);
	}
	MemoryContextSwitchTo(former);
}

void
cat_import_copy_rest(Import *import, ImportEntry *entry, StringInfo out, List *members,
					 const DcatProperty *properties, int count)
{
	HTAB *present = cat_import_map();
	const Member **read = palloc(sizeof(Member *) * (size_t) count);
	const char *owner = id_of(members);
	ListCell *cell;

	for (int i = 0; i < count; i++)
		read[i] = cat_import_property(members, properties[i].names);
	foreach(cell, cat_body_members(psprintf("%s}", out->data), out->len + 1))
		cat_import_map_put(present, ((Member *) lfirst(cell))->name, lfirst(cell));
	foreach(cell, members)
	{
		const Member *member = lfirst(cell);
		const char *name = cat_import_local_name(member->name);

		CHECK_FOR_INTERRUPTS();
		if (*name == '@' || is_one_of(member, read, count) || is_empty(member, properties, count))
			continue;
		if (cat_import_map_get(present, name))
			name = member->name;
		if (cat_import_map_get(present, name))
		{
			note_left_out(import, entry, member);
			continue;
		}
		if (!append_kept(import, entry, out, name, member, owner))
			continue;
		cat_import_map_put(present, name, lfirst(cell));
		note_name(import, name);
	}
}

char *
cat_import_rest_note(const Import *import)
{
	StringInfoData note;
	ListCell *cell;

	if (import->rest_names == NIL)
		return NULL;
	initStringInfo(&note);
	appendStringInfoString(&note, "these have no field and are in optionals: ");
	foreach(cell, import->rest_names)
		appendStringInfo(&note, "%s%s", foreach_current_index(cell) > 0 ? ", " : "",
						 (const char *) lfirst(cell));
	return note.data;
}
