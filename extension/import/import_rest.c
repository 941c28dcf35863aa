/*
 * import_rest.c
 *	  Properties of entries that no field has: optionals have them, under their own names.
 */
#include "catalogue.h"

#include "utils/memutils.h"

#include "base/base.h"
#include "import/import_internal.h"

#define VALUE_MAX 65536 /* bytes of a value that is kept */
#define NAMES_MAX 100	/* names of properties that the report tells */

/* Return whether a property is a publisher of whom it has the name only. */
static bool
is_named_publisher(List *members, const Member *member)
{
	if (cat_import_property(members, "publisher organization creator") != member)
		return false;
	return member->kind == MEMBER_STRING ||
		   (member->kind == MEMBER_OBJECT &&
			list_length(cat_body_members(member->raw, strlen(member->raw))) == 1);
}

/* Return whether a property has been read: it is the first of one of some groups of names. */
static bool
is_read(List *members, const Member *member, const char *const *groups, int count)
{
	if (is_named_publisher(members, member))
		return true;
	for (int i = 0; i < count; i++)
		if (cat_import_property(members, groups[i]) == member)
			return true;
	return false;
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
					 const char *const *groups, int count)
{
	HTAB *present = cat_import_map();
	ListCell *cell;

	foreach(cell, cat_body_members(psprintf("%s}", out->data), out->len + 1))
		cat_import_map_put(present, ((Member *) lfirst(cell))->name, lfirst(cell));
	foreach(cell, members)
	{
		const Member *member = lfirst(cell);
		const char *name = cat_import_local_name(member->name);

		if (member->kind == MEMBER_NULL || *name == '@' || is_read(members, member, groups, count))
			continue;
		if (cat_import_map_get(present, name))
			name = member->name;
		if (cat_import_map_get(present, name) || strlen(member->raw) > VALUE_MAX)
		{
			cat_import_note(entry, psprintf("%s: is left out", member->name));
			continue;
		}
		if (out->len > 1)
			appendStringInfoChar(out, ',');
		cat_json_text_string(out, name);
		appendStringInfo(out, ":%s", cat_json_text_compact(member->raw));
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
