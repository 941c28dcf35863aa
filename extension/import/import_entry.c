/*
 * import_entry.c
 *	  A dataset as an entry of a document describes it.
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"

#include "base/base.h"
#include "import/import_internal.h"

#define TITLE_MAX 150			  /* characters of datasets.name */
#define DESCRIPTION_MAX 350		  /* characters of datasets.description */
#define REFERRED_MAX (256 * 1024) /* bytes of the objects that one entry refers to */
#define ELEMENTS_MAX 1000		  /* values of one property that are taken */
#define NOTES_MAX 20			  /* notes on one entry that are told */

/* Properties that are kept as they are, and the names under which optionals has them. */
static const char *const kept[][2] = {
	{"license", "license license_title license_id"},
	{"landingPage", "landingPage homepage"},
	{"issued", "issued metadata_created"},
	{"modified", "modified metadata_modified"},
	{"contactPoint", "contactPoint maintainer author"},
	{"spatial", "spatial"},
	{"temporal", "temporal"},
	{"language", "language"},
	{"rights", "rights"},
	{"accessLevel", "accessLevel"},
	{"accessRights", "accessRights"},
	{"conformsTo", "conformsTo"},
	{"version", "version"},
	{"accrualPeriodicity", "accrualPeriodicity update_frequency"},
};

/* What is read of an entry otherwise. */
static const char *const properties[] = {
	"title name",
	"description notes",
	"accrualPeriodicity update_frequency",
	"keyword tags",
	"theme groups",
	"distribution resources",
	"identifier",
	"id",
	"license license_title license_id",
	"landingPage homepage",
	"issued metadata_created",
	"modified metadata_modified",
	"contactPoint maintainer author",
	"spatial",
	"temporal",
	"language",
	"rights",
	"accessLevel",
	"accessRights",
	"private",
	"state",
	"conformsTo",
	"version",
};

/* Return the first of some members that is a text, decoded; NULL for none. */
static char *
first_text(List *pieces, const char *const *names, size_t count)
{
	char *text = NULL;

	for (size_t i = 0; !text && i < count; i++)
	{
		const Piece *piece = cat_import_piece(pieces, names[i]);

		text = piece ? cat_import_text(cat_import_value(piece)) : NULL;
	}
	return text;
}

char *
cat_import_entry_title(const Piece *piece)
{
	static const char *const names[] = {"title", "name"};

	return first_text(cat_import_split(piece->text, piece->length), names, lengthof(names));
}

char *
cat_import_entry_id(const Piece *piece)
{
	static const char *const names[] = {"identifier", "@id", "id", "name"};

	return first_text(cat_import_split(piece->text, piece->length), names, lengthof(names));
}

/* Return the object that a reference leads to, whose text the entry then depends on. */
static List *
follow(Import *import, ImportEntry *entry, const char *id)
{
	const Piece *node = id ? cat_import_map_get(import->document.nodes, id) : NULL;

	if (!node)
		return NIL;
	if (entry->referred.len + node->length > REFERRED_MAX)
		ereport(ERROR, (errcode(OD400), errmsg("the entry refers to too many other objects")));
	appendBinaryStringInfo(&entry->referred, node->text, (int) node->length);
	return cat_body_members(node->text, node->length);
}

List *
cat_import_resolve(Import *import, ImportEntry *entry, const Member *value)
{
	List *members = NIL;
	List *referred = NIL;

	if (value && value->kind == MEMBER_STRING)
		return follow(import, entry, value->text);
	if (!value || value->kind != MEMBER_OBJECT)
		return NIL;
	members = cat_body_members(value->raw, strlen(value->raw));
	if (list_length(members) == 1)
		referred = follow(import, entry, cat_import_text(cat_import_property(members, "@id")));
	return referred ? referred : members;
}

/* Return the name of what a value is or refers to; a text is a name itself. */
static const char *
name_of(Import *import, ImportEntry *entry, const Member *value)
{
	List *members = cat_import_resolve(import, entry, value);

	if (members == NIL)
		return cat_import_text(value);
	return cat_import_text(
		cat_import_property(members, "display_name title prefLabel label name @value @id"));
}

List *
cat_import_first_elements(ImportEntry *entry, const Member *value, bool *cut)
{
	List *elements = cat_import_elements(value);
	int count = list_length(elements);

	if (count <= ELEMENTS_MAX)
		return elements;
	cat_import_note(entry, psprintf("%s: has %d values, of which the first %d are taken",
									value->name, count, ELEMENTS_MAX));
	if (cut)
		*cut = true;
	return list_truncate(elements, ELEMENTS_MAX);
}

/* Return the names of what the elements of a property are or refer to, each once. */
static List *
names_of(Import *import, ImportEntry *entry, const Member *value, HTAB *labels)
{
	HTAB *taken = cat_import_map();
	List *names = NIL;
	ListCell *cell;

	foreach(cell, cat_import_first_elements(entry, value, NULL))
	{
		const char *name = name_of(import, entry, lfirst(cell));
		const char *label = name && labels ? cat_import_map_get(labels, name) : NULL;

		name = label ? label : name ? cat_one_line_trim(name) : "";
		if (!*name || cat_import_map_get(taken, name))
			continue;
		cat_import_map_put(taken, name, unconstify(char *, name));
		names = lappend(names, unconstify(char *, name));
	}
	return names;
}

void
cat_import_note(ImportEntry *entry, const char *note)
{
	ListCell *cell;

	foreach(cell, entry->notes)
		if (strcmp(lfirst(cell), note) == 0)
			return;
	if (list_length(entry->notes) == NOTES_MAX)
		note = "there are more notes";
	if (list_length(entry->notes) <= NOTES_MAX)
		entry->notes = lappend(entry->notes, unconstify(char *, note));
}

const char *
cat_import_cut(const char *text, int characters)
{
	int length = text ? (int) strlen(text) : 0;

	if (length <= characters || pg_mbstrlen_with_len(text, length) <= characters)
		return text;
	length = pg_mbcharcliplen(text, length, characters - 1);
	return psprintf("%.*s\xe2\x80\xa6", length, text);
}

/* Return whether a value is an object that says no more than an address or a text. */
static bool
is_term(const Member *value)
{
	List *members;

	if (value->kind != MEMBER_OBJECT)
		return false;
	members = cat_body_members(value->raw, strlen(value->raw));
	return cat_import_property(members, "@id @value") && list_length(members) == 1 &&
		   cat_import_text(value);
}

void
cat_import_copy(StringInfo out, List *members, const char *const (*names)[2], int count)
{
	for (int i = 0; i < count; i++)
	{
		const Member *member = cat_import_property(members, names[i][1]);

		if (!member || (member->kind == MEMBER_STRING && !*member->text))
			continue;
		if (out->data[out->len - 1] != '{')
			appendStringInfoChar(out, ',');
		appendStringInfo(out, "\"%s\":", names[i][0]);
		if (is_term(member))
			cat_json_text_string(out, cat_import_text(member));
		else
			appendStringInfoString(out, cat_json_text_compact(member->raw));
	}
}

/* Return a text in so many characters; the whole of one that is longer is a member of optionals. */
static const char *
cut_text(ImportEntry *entry, StringInfo optionals, const char *name, const char *whole,
		 int characters)
{
	const char *text = cat_import_cut(whole, characters);

	if (text == whole)
		return text;
	cat_json_text_member(optionals, name, whole);
	cat_import_note(entry, psprintf("%s: is cut; optionals have all of it", name));
	return text;
}

/* Set title, description and optionals, which have whole what is too long for its field. */
static void
read_texts(Import *import, ImportEntry *entry, List *members)
{
	StringInfoData optionals;

	initStringInfo(&optionals);
	appendStringInfoChar(&optionals, '{');
	cat_json_text_member(&optionals, "source", import->source);
	cat_json_text_member(&optionals, "identifier", entry->id);
	cat_import_copy(&optionals, members, kept, lengthof(kept));
	entry->name = cut_text(entry, &optionals, "title",
						   cat_import_text(cat_import_property(members, "title name")), TITLE_MAX);
	entry->description = cut_text(
		entry, &optionals, "description",
		cat_import_text(cat_import_property(members, "description notes")), DESCRIPTION_MAX);
	cat_import_copy_rest(import, entry, &optionals, members, properties, lengthof(properties));
	appendStringInfoChar(&optionals, '}');
	entry->optionals = optionals.data;
}

void
cat_import_entry_read(Import *import, ImportEntry *entry)
{
	List *members;

	if (*entry->piece->text != '{')
		ereport(ERROR, (errcode(OD400), errmsg("the entry is not an object")));
	members = cat_body_members(entry->piece->text, entry->piece->length);
	/* a reference of a catalogue to a node of its graph */
	if (list_length(members) == 1 && entry->id)
	{
		List *referred = follow(import, entry, entry->id);

		members = referred ? referred : members;
	}
	entry->access = cat_import_access(members);
	read_texts(import, entry, members);
	entry->publisher =
		name_of(import, entry, cat_import_property(members, "publisher organization creator"));
	entry->frequency =
		cat_import_text(cat_import_property(members, "accrualPeriodicity update_frequency"));
	entry->tags = names_of(import, entry, cat_import_property(members, "keyword tags"), NULL);
	entry->themes = names_of(import, entry, cat_import_property(members, "theme groups"),
							 import->document.labels);
	cat_import_distributions_read(import, entry, members);
}
