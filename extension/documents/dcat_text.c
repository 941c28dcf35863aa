/*
 * dcat_text.c
 *	  Texts, names and addresses of optional values, which sources write in many ways.
 */
#include "catalogue.h"

#include <limits.h>

#include "base/base.h"
#include "documents/dcat_internal.h"

char *
cat_dcat_text_trimmed(const char *text, int length)
{
	for (; length > 0 && text[length - 1] == ' '; length--)
		;
	for (; length > 0 && *text == ' '; length--)
		text++;
	return pnstrdup(text, (Size) length);
}

/* Return a value as the operator ->> does, without spaces around a text; NULL for null. */
static char *
as_text(const Json *value)
{
	if (value && value->type == jbvString)
		return cat_dcat_text_trimmed(value->val.string.val, value->val.string.len);
	return cat_dcat_string(value);
}

/* Return the first texts of a value. */
static List *
texts_of(const Json *value, int most)
{
	List *texts = NIL;

	foreach_ptr(const Json, one, cat_dcat_elements(value))
	{
		char *text = NULL;

		if (list_length(texts) >= most)
			break;
		if (cat_dcat_is_object(one))
			text = as_text(cat_dcat_get(one, "@value"));
		if (cat_dcat_is_object(one) && !text)
			text = as_text(cat_dcat_get(one, "@id"));
		if (one->type == jbvString)
			text = as_text(one);
		if (text && (*text > ' ' || *cat_one_line_trim(text)))
			texts = lappend(texts, text);
	}
	return texts;
}

List *
cat_dcat_text_list(const Json *value)
{
	return texts_of(value, INT_MAX);
}

char *
cat_dcat_text_first(const Json *value)
{
	List *texts = texts_of(value, 1);

	return texts ? linitial(texts) : NULL;
}

char *
cat_dcat_text_name(const Json *value, const char *members)
{
	char *name = value && value->type == jbvString ? as_text(value) : NULL;

	for (size_t length; cat_dcat_is_object(value) && !name && *members; members += length)
	{
		members += strspn(members, " ");
		length = strcspn(members, " ");
		name = cat_dcat_text_first(cat_dcat_get(value, pnstrdup(members, length)));
	}
	if (name && (*name == '\0' || strncmp(name, "http:", 5) == 0 ||
				 strncmp(name, "https:", 6) == 0 || strncmp(name, "_:", 2) == 0))
		return NULL;
	return name;
}

const char *
cat_dcat_text_email(const char *address)
{
	const char *rest = address ? address + strspn(address, " \t\n\v\f\r") : NULL;

	if (!address)
		return NULL;
	return cat_rdf_iri(
		psprintf("mailto:%s", pg_strncasecmp(rest, "mailto:", 7) == 0 ? rest + 7 : address));
}

const char *
cat_dcat_text_whole(const char *cut, const Json *whole)
{
	const char *text = cut ? cat_dcat_string(whole) : NULL;
	size_t length = cut ? strlen(cut) : 0;

	if (!text || length < strlen("…") || strcmp(cut + length - strlen("…"), "…") != 0)
		return cut;
	return strncmp(text, cut, length - strlen("…")) == 0 ? text : cut;
}

Json *
cat_dcat_text_term(const char *text)
{
	const char *iri = cat_rdf_iri(text);

	return text ? cat_dcat_object(iri ? "iri" : "label", cat_dcat_text(iri ? iri : text), NULL)
				: NULL;
}

Json *
cat_dcat_text_license(Dcat *dcat, const Json *value)
{
	char *given = cat_dcat_text_first(value);
	StringInfoData word;
	char *code;

	if (!given || pg_strncasecmp(given, "http:", 5) == 0 || pg_strncasecmp(given, "https:", 6) == 0)
		return cat_dcat_text_term(given);
	initStringInfo(&word);
	for (const char *c = given; *c; c++)
		if (isascii((unsigned char) *c) && isalnum((unsigned char) *c))
			appendStringInfoChar(&word, *c);
	code = cat_dcat_member(cat_dcat_term(dcat, false, "licence", word.data), "code");
	return cat_dcat_text_term(code ? code : given);
}

const char *
cat_dcat_text_last(const char *text)
{
	const char *rest = strncmp(text, "http://", 7) == 0	   ? text + 7
					   : strncmp(text, "https://", 8) == 0 ? text + 8
														   : NULL;

	for (const char *c = rest; c && *c; c++)
		if (strchr("/#", *c))
			text = c + 1;
	return text;
}
