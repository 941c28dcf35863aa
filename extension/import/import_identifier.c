/*
 * import_identifier.c
 *	  Identifiers of entries: texts, objects with one, references to such, and which of them are further ones.
 */
#include "catalogue.h"

#include "import/identity_internal.h"

/* Return the text of an identifier, which may be an object or refer to one; NULL for none. */
static const char *
identifier_text(ImportDocument *document, const Member *value)
{
	List *members;
	const Piece *node;
	const char *text;

	if (value->kind != MEMBER_OBJECT)
		return cat_import_text(value);
	members = cat_body_members(value->raw, strlen(value->raw));
	text = cat_import_text(cat_import_property(members, "@id"));
	node = text && list_length(members) == 1 ? cat_import_node(document, text) : NULL;
	value = node ? cat_import_value(node) : NULL;
	if (value)
		members = cat_body_members(value->raw, strlen(value->raw));
	text = cat_import_text(cat_import_property(members, "@value notation value identifier id @id"));
	return text && strncmp(text, "_:", 2) != 0 ? text : NULL;
}

bool
cat_import_identifier_is_further(const char *name)
{
	const char *local = cat_import_local_name(name);

	return strcmp(local, "otherIdentifier") == 0 ||
		   (strcmp(local, "identifier") == 0 &&
			(strncmp(name, "adms:", 5) == 0 || strstr(name, "/ns/adms#")));
}

List *
cat_import_identifier_texts(ImportDocument *document, const Member *value)
{
	List *texts = NIL;

	foreach_ptr(const Member, element, cat_import_elements(value))
	{
		const char *text = identifier_text(document, element);

		if (text)
			texts = lappend(texts, unconstify(char *, text));
	}
	return texts;
}

List *
cat_import_identifier_take(ImportDocument *document, List **members)
{
	List *others = NIL;
	List *texts = NIL;

	foreach_ptr(Member, member, *members)
	{
		if (cat_import_identifier_is_further(member->name))
			texts = list_concat(texts, cat_import_identifier_texts(document, member));
		else
			others = lappend(others, member);
	}
	*members = others;
	return list_truncate(cat_import_sorted(texts), IDENTIFIERS_MAX);
}
