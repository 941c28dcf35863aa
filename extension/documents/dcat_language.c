/*
 * dcat_language.c
 *	  Languages of datasets and of their texts.
 */
#include "catalogue.h"

#include "utils/formatting.h"

#include "base/base.h"
#include "documents/dcat_internal.h"

static const char *const fields[] = {"name", "description", "tags"};

/* Return the language with its region in the language of texts; NULL if that is none. */
static char *
region_of(const Json *texts)
{
	char *region = texts && texts->type == jbvString ? cat_dcat_string(texts) : NULL;
	size_t letters = region ? strspn(region, "abcdefghijklmnopqrstuvwxyz") : 0;

	return letters > 0 && region[letters] == '-' ? region : NULL;
}

/* Return the tag that a text or address is, NULL if it is none. */
static char *
tag_of(Dcat *dcat, const char *text)
{
	const char *tag = cat_dcat_text_last(text);
	char *name;

	if (strlen(tag) == 2 && islower((unsigned char) tag[0]) && islower((unsigned char) tag[1]))
		return pstrdup(tag);
	if (!cat_dcat_matches(tag, "^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8}){0,3}$", NULL, 0))
		return NULL;
	name = cat_dcat_member(cat_dcat_term(dcat, false, "language", tag), "name");
	return name ? name : asc_tolower(tag, strlen(tag));
}

Json *
cat_dcat_language_tags(Dcat *dcat, const Json *value, const Json *texts)
{
	char *region = region_of(texts);
	HTAB *known = NULL;
	Json *found = NULL;

	foreach_ptr(const char, text, cat_dcat_text_list(value))
	{
		char *tag = tag_of(dcat, text);

		if (tag && region && strncmp(tag, region, strcspn(region, "-")) == 0 &&
			tag[strcspn(region, "-")] == '\0')
			tag = region;
		if (tag && cat_dcat_is_new(&known, tag))
			found = cat_dcat_add(found, cat_dcat_text(tag));
	}
	return found;
}

/* Return the first of the tags of a language. */
static Json *
first_tag(Dcat *dcat, const Json *value)
{
	foreach_ptr(const char, text, cat_dcat_text_list(value))
	{
		char *tag = tag_of(dcat, text);

		if (tag)
			return cat_dcat_text(tag);
	}
	return NULL;
}

Json *
cat_dcat_language_texts(Dcat *dcat, const Json *value)
{
	bool each = cat_dcat_is_object(value);
	Json *tags = cat_dcat_object(NULL);

	for (size_t i = 0; i < lengthof(fields); i++)
		cat_dcat_set(tags, fields[i],
					 first_tag(dcat, each ? cat_dcat_get(value, fields[i]) : value));
	return tags->val.object.nPairs > 0 ? tags : NULL;
}

Json *
cat_dcat_language_translations(Dcat *dcat, const Json *value)
{
	Json *translations = cat_dcat_object(NULL);

	if (!cat_dcat_is_object(value))
		return NULL;
	value = cat_dcat_copy(value);
	for (int i = 0; i < value->val.object.nPairs; i++)
	{
		const JsonbPair *pair = &value->val.object.pairs[i];
		Json *tag = first_tag(dcat, &pair->key);
		Json *tags = NULL;
		Json *said;

		if (!cat_dcat_is_object(&pair->value))
			continue;
		foreach_ptr(const char, text, cat_dcat_text_list(cat_dcat_get(&pair->value, "tags")))
			tags = cat_dcat_add(tags, cat_dcat_text(text));
		said = cat_dcat_texts("name", cat_dcat_text_first(cat_dcat_get(&pair->value, "name")),
							  "description",
							  cat_dcat_text_first(cat_dcat_get(&pair->value, "description")), NULL);
		cat_dcat_set(said, "tags", tags);
		cat_dcat_append(translations, tag ? cat_dcat_string(tag) : "und", said);
	}
	return translations->val.object.nPairs > 0 ? cat_dcat_of_jsonb(cat_dcat_jsonb(translations))
											   : NULL;
}

const char *
cat_dcat_language_iri(Dcat *dcat, const char *tag)
{
	char *language = tag ? pnstrdup(tag, strcspn(tag, "-")) : NULL;
	char *code = cat_dcat_member(cat_dcat_term(dcat, false, "language", language), "code");

	if (!tag)
		return NULL;
	return code ? psprintf("http://publications.europa.eu/resource/authority/language/%s", code)
				: psprintf("http://id.loc.gov/vocabulary/iso639-%zu/%s", strlen(language) - 1,
						   language);
}
