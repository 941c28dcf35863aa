/*
 * translation.c - names, texts and tags of records in the language of a page, and whole.
 *
 * "optionals" of a dataset or file may have them in further languages, as "translations", and the texts that a field
 * was too short for.
 */
#include <strings.h>

#include "page/page_internal.h"

/* The characters of a tag before its region: "es" of "es-AR" and of "es_AR". */
static size_t
plain_length(const char *tag)
{
	return strcspn(tag, "-_");
}

/* The translation into a language; in another region, if there is none; NULL: none. */
static const Value *
translation_into(const Value *translations, const char *language)
{
	size_t length = plain_length(language);
	const Value *near = NULL;

	for (const Value *other = value_first(translations); other != NULL; other = other->next)
	{
		if (other->name == NULL || plain_length(other->name) != length ||
			strncasecmp(other->name, language, length) != 0)
			continue;
		if (near == NULL || other->name[length] == '\0' || strcasecmp(other->name, language) == 0)
			near = other;
	}
	return near;
}

/* Put a text of a translation in place of that of the record, if it has one. */
static void
replace(const Value *record, const Value *translation, const char *field)
{
	const Value *present = value_member(record, field);
	const char *text = value_text(translation, field);

	if (present != NULL && text != NULL && *text != '\0')
	{
		Value *value = (Value *) present; /* of this request alone */

		value->type = VALUE_TEXT;
		value->text = text;
	}
}

/* Put the description that was cut for its field back in place of what the field has, which ends with a sign then. */
static void
replace_cut(const Value *record, const Value *optionals)
{
	static const char sign[] = "…";
	const char *cut = value_text(record, "description");
	const char *whole = value_text(optionals, "description");
	size_t length = cut ? strlen(cut) : 0;

	if (whole != NULL && length >= strlen(sign) && strcmp(cut + length - strlen(sign), sign) == 0 &&
		strncmp(cut, whole, length - strlen(sign)) == 0)
		replace(record, optionals, "description");
}

/* Put the tags of a translation in place of those of the record, if it has some: records without an id. */
static void
replace_tags(Arena *arena, const Value *record, const Value *translation)
{
	Value *present = (Value *) value_member(record, "tags"); /* of this request alone */
	const Value *text = value_first(value_member(translation, "tags"));
	Value **end;

	if (present == NULL || present->type != VALUE_LIST || text == NULL)
		return;
	end = &present->first;
	for (; text != NULL; text = text->next)
	{
		Value *tag = text->type == VALUE_TEXT ? arena_zeroed(arena, 2 * sizeof(Value)) : NULL;

		if (tag == NULL)
			continue;
		tag[0] = (Value){.type = VALUE_OBJECT, .first = &tag[1]};
		tag[1] = (Value){.type = VALUE_TEXT, .name = "name", .text = text->text};
		*end = tag;
		end = &tag->next;
	}
	if (end != &present->first)
		*end = NULL;
}

void
translation_apply(Arena *arena, const Value *value, const char *language)
{
	const Value *optionals = value_member(value, "optionals");
	const Value *translation = translation_into(value_member(optionals, "translations"), language);

	replace_cut(value, optionals);
	if (translation != NULL)
	{
		replace(value, translation, "name");
		replace(value, translation, "description");
		replace(value, translation, "text");
		replace_tags(arena, value, translation);
	}
	for (const Value *part = value_first(value); part != NULL; part = part->next)
		if (part != optionals)
			translation_apply(arena, part, language);
}
