/*
 * import_entry.c
 *	  A dataset as an entry of a document describes it.
 */
#include "catalogue.h"

#include "base/base.h"
#include "import/identity_internal.h"
#include "import/language_internal.h"

#define TITLE_MAX 150			  /* characters of datasets.name */
#define DESCRIPTION_MAX 350		  /* characters of datasets.description */
#define REFERRED_MAX (256 * 1024) /* bytes of the objects that one entry refers to */
#define ELEMENTS_MAX 1000		  /* values of one property that are taken */

const char *
cat_import_entry_title(Import *import, const Piece *piece)
{
	ImportEntry entry = {0};
	const Member *value = cat_import_value(cat_import_clean(&import->document, &entry, piece, ""));
	List *members;

	if (!value || value->kind != MEMBER_OBJECT)
		return NULL;
	members = cat_body_members(value->raw, strlen(value->raw));
	return cat_import_texts_take(cat_import_texts_read(import, members), &entry, TEXT_NAME,
								 members);
}

/* Return the object that a reference leads to. */
static List *
follow(Import *import, ImportEntry *entry, const char *id)
{
	const Piece *node = id ? cat_import_node(&import->document, id) : NULL;

	if (!node)
		return NIL;
	if (entry->referred + node->length > REFERRED_MAX)
	{
		cat_import_note(entry, "it refers to too many other objects; some are left out");
		return NIL;
	}
	entry->referred += node->length;
	node =
		cat_import_clean(&import->document, entry, node, psprintf("%s ", cat_import_cut(id, 200)));
	return cat_body_members(node->text, node->length);
}

/* Return the first element of an array, NULL for none. */
static const Member *
first_of(const Member *array)
{
	List *elements = cat_body_elements(array->raw);

	return elements ? linitial(elements) : NULL;
}

List *
cat_import_resolve(Import *import, ImportEntry *entry, const Member *value)
{
	List *members = NIL;
	List *referred = NIL;
	const char *id;

	if (value && value->kind == MEMBER_ARRAY)
		value = first_of(value);
	if (value && value->kind == MEMBER_STRING)
		return follow(import, entry, value->text);
	if (!value || value->kind != MEMBER_OBJECT)
		return NIL;
	members = cat_body_members(value->raw, strlen(value->raw));
	id = cat_import_text(cat_import_property(members, "@id"));
	if (id && (list_length(members) == 1 || cat_import_node_is_elsewhere(&import->document, id)))
		referred = follow(import, entry, id);
	return referred ? referred : members;
}

const char *
cat_import_name_of(Import *import, ImportEntry *entry, const Member *value, const char *vocabulary)
{
	const char *address = vocabulary ? cat_import_text(value) : NULL;
	const char *label = NULL;
	List *members;

	if (address && cat_web_address_is(address))
		label = cat_import_label(import, vocabulary, address);
	if (label)
		return label;
	members = cat_import_resolve(import, entry, value);
	label = members
				? cat_import_texts_label(entry->texts, members,
										 "display_name title prefLabel label name value @value @id")
				: cat_import_text(value);
	/* a blank node without a name */
	return label && strncmp(label, "_:", 2) != 0 ? cat_compose_text(label) : NULL;
}

/* Return the name of the publisher, or of who stands for one; an address is none. */
static const char *
publisher_of(Import *import, ImportEntry *entry, List *members)
{
	static const char *const names[] = {"publisher", "organization", "creator"};
	const char *name = NULL;

	for (size_t i = 0; !name && i < lengthof(names); i++)
	{
		name = cat_import_name_of(import, entry, cat_import_property(members, names[i]), NULL);
		if (name && cat_web_address_is(name))
			name = NULL;
	}
	return name;
}

/* Return the elements of a list, which is a chain of nodes in RDF; NIL: the value is none. */
static List *
elements_of_list(Import *import, ImportEntry *entry, const Member *value)
{
	List *elements = NIL;
	List *members;
	const Member *first;

	while (list_length(elements) <= ELEMENTS_MAX &&
		   (members = cat_import_resolve(import, entry, value)) != NIL &&
		   (first = cat_import_property(members, "first")) != NULL)
	{
		elements = lappend(elements, unconstify(Member *, first));
		value = cat_import_property(members, "rest");
	}
	return elements;
}

List *
cat_import_first_elements(Import *import, ImportEntry *entry, const Member *value, bool *cut)
{
	List *listed = elements_of_list(import, entry, value);
	List *elements = listed ? listed : cat_import_elements(value);
	int count = list_length(elements);

	if (count <= ELEMENTS_MAX)
		return elements;
	cat_import_note(entry, psprintf("%s: has %d values, of which the first %d are taken",
									value->name, count, ELEMENTS_MAX));
	if (cut)
		*cut = true;
	return list_truncate(elements, ELEMENTS_MAX);
}

/* Return the names of the themes that the elements of a property are or refer to, each once. */
static List *
themes_of(Import *import, ImportEntry *entry, const Member *value)
{
	HTAB *taken = cat_import_map();
	List *names = NIL;
	ListCell *cell;

	foreach(cell, cat_import_first_elements(import, entry, value, NULL))
	{
		const char *name = cat_import_name_of(import, entry, lfirst(cell), "data-theme");

		name = name ? cat_one_line_trim(name) : "";
		if (!*name || cat_import_map_get(taken, name))
			continue;
		cat_import_map_put(taken, name, unconstify(char *, name));
		names = lappend(names, unconstify(char *, name));
	}
	return names;
}

/* Set themes, and addresses of those whose names are not known. */
static void
read_themes(Import *import, ImportEntry *entry, const Member *value)
{
	foreach_ptr(char, name, themes_of(import, entry, value))
	{
		char *label = cat_import_map_get(import->document.labels, name);

		if (label || !cat_web_address_is(name))
			entry->themes = lappend(entry->themes, label ? label : name);
		else
		{
			entry->addresses = lappend(entry->addresses, name);
			cat_import_note(entry, psprintf("theme: \"%s\" has no known name; optionals have it",
											cat_import_cut(name, 200)));
		}
	}
}

/* Return whether the keywords are the themes, as DCAT-US has them where there are no keywords. */
static bool
are_themes(List *tags, List *themes)
{
	ListCell *tag;

	foreach(tag, tags)
		if (!cat_query_string_has_word(themes, lfirst(tag)))
			return false;
	return list_length(tags) == list_length(themes);
}

/* Return a text in so many characters; the whole of one that is longer is a member of optionals. */
static const char *
cut_text(ImportEntry *entry, StringInfo optionals, const char *name, const char *whole,
		 int characters)
{
	const char *text = cat_import_cut(whole, characters);

	bool all;

	if (text == whole)
		return text;
	cat_json_text_member(optionals, name, cat_import_whole(whole, &all));
	cat_import_note(entry,
					psprintf("%s: is cut; optionals have %s of it", name, all ? "all" : "64 KiB"));
	return text;
}

/* Return the identifiers of an entry in one order, as a member; NIL for none. */
static List *
sorted_identifiers(List *members)
{
	const Member *given = cat_import_property(members, "identifier");
	Member *sorted = palloc0(sizeof(Member));
	List *texts = NIL;
	StringInfoData raw;

	if (!given || given->kind != MEMBER_ARRAY)
		return given ? list_make1(unconstify(Member *, given)) : NIL;
	foreach_ptr(const Member, element, cat_body_elements(given->raw))
	{
		/* of a graph, in which they are sorted by what they say already */
		if (element->kind == MEMBER_OBJECT)
			return list_make1(unconstify(Member *, given));
		texts = lappend(texts, element->raw);
	}
	initStringInfo(&raw);
	foreach_ptr(const char, text, cat_import_sorted(texts))
		appendStringInfo(&raw, "%c%s", raw.len == 0 ? '[' : ',', text);
	appendStringInfoString(&raw, raw.len == 0 ? "[]" : "]");
	*sorted = (Member){.name = given->name, .kind = MEMBER_ARRAY, .raw = raw.data};
	return list_make1(sorted);
}

/* Append what the entry is known by: the identifier that is shown, and the others as they are. */
static void
append_identity(Import *import, ImportEntry *entry, StringInfo optionals, List *members,
				List *further)
{
	const char *iri = cat_import_text(cat_import_property(members, "@id"));

	cat_json_text_member(optionals, "identifier", entry->id);
	if (iri && strncmp(iri, "_:", 2) != 0 && strcmp(iri, entry->id) != 0)
		cat_json_text_member(optionals, "@id", iri);
	cat_import_copy_more(import, entry, optionals, sorted_identifiers(members),
						 &(DcatProperty){.names = "identifier", .kept = "identifiers"}, entry->id);
	cat_import_copy_more(import, entry, optionals, members,
						 &(DcatProperty){.names = "id", .kept = "id"}, entry->id);
	if (list_length(further) == 1)
		cat_json_text_member(optionals, "otherIdentifier", linitial(further));
	else
		cat_json_text_list(optionals, "otherIdentifier", further);
}

/* Set title, description and optionals, which have whole what is too long for its field. */
static void
read_texts(Import *import, ImportEntry *entry, List *members)
{
	const char *title = cat_import_texts_take(entry->texts, entry, TEXT_NAME, members);
	const char *description = cat_import_texts_take(entry->texts, entry, TEXT_DESCRIPTION, members);
	List *further = cat_import_identifier_take(&import->document, &members);
	StringInfoData optionals;

	initStringInfo(&optionals);
	appendStringInfoChar(&optionals, '{');
	cat_json_text_member(&optionals, "source", import->source);
	append_identity(import, entry, &optionals, members, further);
	cat_import_copy(import, entry, &optionals, members, cat_dcat_dataset_properties,
					cat_dcat_dataset_count);
	cat_json_text_list(&optionals, "theme", entry->addresses);
	entry->name = cut_text(entry, &optionals, "title", title, TITLE_MAX);
	/* DCAT has the title where there is no description */
	if (description && (!title || strcmp(description, title) != 0))
		entry->description =
			cut_text(entry, &optionals, "description", description, DESCRIPTION_MAX);
	else
		entry->texts->languages[TEXT_DESCRIPTION] = NULL;
	cat_import_texts_append(entry, entry->texts, &optionals);
	cat_import_copy_rest(import, entry, &optionals, members, cat_dcat_dataset_properties,
						 cat_dcat_dataset_count);
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
	entry->access = cat_import_access(members);
	entry->texts = cat_import_texts_read(import, members);
	read_themes(import, entry, cat_import_property(members, "theme groups"));
	cat_import_texts_tags(import, entry, members);
	if (are_themes(entry->tags, entry->themes))
	{
		entry->tags = NIL;
		entry->texts->languages[TEXT_TAGS] = NULL;
	}
	read_texts(import, entry, members);
	entry->publisher = publisher_of(import, entry, members);
	entry->frequency = cat_import_name_of(
		import, entry, cat_import_property(members, "accrualPeriodicity update_frequency"),
		"frequency");
	cat_import_distributions_read(import, entry, members);
}
