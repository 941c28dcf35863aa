/*
 * import_language.c
 *	  Texts in several languages: which one a field has, and the others, which optionals keep.
 *
 * Texts of an entry are in one language as far as it has them: that of the catalogue, else the one that
 * most of its fields have.  Order says nothing.
 */
#include "catalogue.h"

#include "miscadmin.h"

#include "base/base.h"
#include "import/language_internal.h"
#include "pg/pg.h"

#define TEXTS_MAX 1000					 /* of one property that are looked at */
#define TRANSLATIONS_MAX (4 * VALUE_MAX) /* bytes of texts in other languages that are kept */

/* A text in a language. */
typedef struct LanguageText
{
	const char *language; /* its tag in small letters, "" for none; NULL: the source says nothing */
	const char *text;
} LanguageText;

/* A language of an entry. */
typedef struct LanguageCount
{
	const char *language;
	int fields; /* that have a text in it */
} LanguageCount;

/* A field that has texts. */
typedef struct TextField
{
	/* of the properties that may have it, with spaces between; CKAN has it in all languages in one that ends
	 * with "_translated", DCAT-US 3 in others in one that ends with "Map" */
	const char *names;
	const char *field; /* of the record, and of optionals.translations */
} TextField;

static const TextField text_fields[TEXT_FIELDS] = {
	[TEXT_NAME] = {"title name", "name"},
	[TEXT_DESCRIPTION] = {"description notes", "description"},
	[TEXT_TAGS] = {"keyword keywords tags", "tags"},
};

List *
cat_import_languages(void)
{
	cat_statement_fresh("SELECT t.tag FROM catalogue.text_languages() t(tag, n) ORDER BY t.n");
	return cat_result_texts(1);
}

/* ---- Reading ---- */

/* Return whether a name is a tag of a language, or "@none". */
static bool
is_tag(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

	return strcmp(name, "@none") == 0 ||
		   ((length == 2 || length == 3) && strlen(name) <= 35 &&
			(name[length] == '\0' || name[length] == '-' || name[length] == '_'));
}

/* Return a tag as it is compared; "" where it names no language, NULL where it is none. */
static const char *
tag_of(const char *tag)
{
	char *folded;

	if (!tag || strcmp(tag, "@none") == 0)
		return NULL;
	folded = pstrdup(is_tag(tag) && pg_strcasecmp(tag, "und") != 0 ? tag : "");
	for (char *p = folded; *p; p++)
		*p = (char) (*p == '_' ? '-' : pg_ascii_tolower((unsigned char) *p));
	return folded;
}

/* Return whether an object has texts by their languages. */
static bool
is_language_map(List *members)
{
	foreach_ptr(const Member, member, members)
		if (!is_tag(member->name) || member->kind == MEMBER_OBJECT)
			return false;
	return members != NIL;
}

/* Append the texts of a value, which are in a language, NULL for none that is known, unless they name theirs. */
static void
collect(List **texts, const Member *value, const char *language)
{
	List *members;
	const Member *inner;

	CHECK_FOR_INTERRUPTS();
	check_stack_depth();
	if (list_length(*texts) == TEXTS_MAX || !value || !cat_import_says(value))
		return;
	if (value->kind == MEMBER_ARRAY)
		foreach_ptr(const Member, element, cat_body_elements(value->raw))
			collect(texts, element, language);
	else if (value->kind != MEMBER_OBJECT)
	{
		LanguageText *text = palloc(sizeof(LanguageText));

		*text = (LanguageText){language, value->text ? cat_compose_text(value->text) : ""};
		if (*text->text)
			*texts = lappend(*texts, text);
	}
	else
	{
		members = cat_body_members(value->raw, strlen(value->raw));
		inner = cat_import_property(members, "@value @list @set");
		if (inner)
		{
			const char *own = cat_import_text(cat_import_property(members, "@language"));

			collect(texts, inner, own ? tag_of(own) : language);
		}
		else if (is_language_map(members))
			foreach_ptr(const Member, member, members)
				collect(texts, member, tag_of(member->name));
	}
}

/* Append the texts of a field that optionals.translations of another catalogue of this kind have. */
static void
collect_translations(List **texts, List *members, const char *field)
{
	const Member *translations = cat_import_property(members, "translations");

	if (!translations || translations->kind != MEMBER_OBJECT)
		return;
	foreach_ptr(const Member, translation,
				cat_body_members(translations->raw, strlen(translations->raw)))
		if (is_tag(translation->name) && translation->kind == MEMBER_OBJECT)
			collect(texts,
					cat_body_member(cat_body_members(translation->raw, strlen(translation->raw)),
									field),
					tag_of(translation->name));
}

/* Return the language that optionals.textLanguage of another catalogue of this kind names for the text of
 * a field. */
static const char *
own_language(List *members, const char *field)
{
	const Member *own = cat_import_property(members, "textLanguage");

	if (own && own->kind == MEMBER_OBJECT)
		own = cat_body_member(cat_body_members(own->raw, strlen(own->raw)), field);
	return tag_of(own && own->kind == MEMBER_STRING ? own->text : NULL);
}

static bool
has_language(const LanguageText *text)
{
	return text->language && *text->language;
}

/* Return texts without those that are in no language and again in one. */
static List *
without_copies(List *texts)
{
	HTAB *in_language;
	List *kept = NIL;

	if (list_length(texts) < 2)
		return texts;
	in_language = cat_import_map();
	foreach_ptr(LanguageText, text, texts)
		if (has_language(text))
			cat_import_map_put(in_language, text->text, text);
	foreach_ptr(LanguageText, text, texts)
		if (has_language(text) || !cat_import_map_get(in_language, text->text))
			kept = lappend(kept, text);
	hash_destroy(in_language);
	return kept;
}

/* Return the texts of the first of some properties that has any. */
static List *
texts_of_first(List *members, const char *names, const char *language)
{
	List *texts = NIL;

	while (texts == NIL && *names)
	{
		const char *name = names;

		name = pnstrdup(name, cat_import_next_name(&names));
		collect(&texts, cat_import_property(members, name), language);
		collect(&texts, cat_import_property(members, psprintf("%s_translated %sMap", name, name)),
				NULL);
	}
	return texts;
}

/* Return the texts that an object has for a field: List of LanguageText *. */
static List *
texts_of(List *members, const TextField *field)
{
	List *texts = texts_of_first(members, field->names, own_language(members, field->field));

	collect_translations(&texts, members, field->field);
	return without_copies(texts);
}

/* Count a language once for each field. */
static void
count(EntryTexts *texts, List *of_field)
{
	List *counted = NIL;

	foreach_ptr(const LanguageText, text, of_field)
	{
		LanguageCount *found = NULL;

		if (!*text->language || cat_query_string_has_word(counted, text->language))
			continue;
		counted = lappend(counted, unconstify(char *, text->language));
		foreach_ptr(LanguageCount, other, texts->counts)
			if (strcmp(other->language, text->language) == 0)
				found = other;
		if (!found)
		{
			found = palloc(sizeof(LanguageCount));
			*found = (LanguageCount){text->language, 0};
			texts->counts = lappend(texts->counts, found);
		}
		found->fields++;
	}
}

/* Return the language that a value of the property "language" names, if it is the only one; NULL: none. */
static const char *
only_language(Import *import, const Member *value)
{
	List *elements = cat_import_elements(value);
	const char *text = list_length(elements) == 1 ? cat_import_text(linitial(elements)) : NULL;
	const char *tag = text ? cat_import_label(import, "language", text) : NULL;

	return tag ? tag : text && is_tag(text) ? tag_of(text) : NULL;
}

/* Return the language of texts of which the source says none, while it says that of others: the one that
 * their entry has, or the catalogue where the entry says nothing; "" for none. */
static const char *
usual_language(Import *import, List *members)
{
	const Piece *of_catalogue = import->document.language;
	const Member *said = cat_import_property(members, "language");
	const char *language;

	if (!said && of_catalogue)
		said = cat_import_value(of_catalogue);
	language = said ? only_language(import, said) : NULL;
	return language ? language : "";
}

/* Return whether some of the texts are in a language, and some in none that is said. */
static bool
are_mixed(List *const *of)
{
	bool in_language = false;
	bool in_none = false;

	for (int i = 0; i < TEXT_FIELDS; i++)
		foreach_ptr(const LanguageText, text, of[i])
		{
			in_language |= has_language(text);
			in_none |= !text->language;
		}
	return in_language && in_none;
}

/* Set the language of texts of which the source says none. */
static List *
with_language(const EntryTexts *texts, List *of_field)
{
	foreach_ptr(LanguageText, text, of_field)
		if (!text->language)
			text->language = texts->usual;
	return of_field;
}

EntryTexts *
cat_import_texts_read(Import *import, List *members)
{
	EntryTexts *texts = palloc0(sizeof(EntryTexts));

	texts->preferred = import->languages;
	for (int i = 0; i < TEXT_FIELDS; i++)
		texts->of[i] = texts_of(members, &text_fields[i]);
	texts->usual = are_mixed(texts->of) ? usual_language(import, members) : "";
	for (int i = 0; i < TEXT_FIELDS; i++)
		count(texts, with_language(texts, texts->of[i]));
	return texts;
}

EntryTexts *
cat_import_texts_of_part(const EntryTexts *whole, List *members)
{
	EntryTexts *texts = palloc0(sizeof(EntryTexts));

	texts->preferred = whole->preferred;
	texts->counts = whole->counts;
	texts->usual = whole->usual;
	texts->of[TEXT_NAME] = with_language(texts, texts_of(members, &text_fields[TEXT_NAME]));
	texts->of[TEXT_DESCRIPTION] =
		with_language(texts, texts_of(members, &text_fields[TEXT_DESCRIPTION]));
	return texts;
}

/* ---- The language of a text ---- */

/* Return the rank of a language in the order of the catalogue's: even where it is one of them, odd
 * where it is one in another region. */
static int
rank_of(List *preferred, const char *language)
{
	size_t length = strcspn(language, "-");
	int rank = 0;

	foreach_ptr(const char, tag, preferred)
	{
		if (strcmp(tag, language) == 0)
			return rank;
		if (strcspn(tag, "-") == length && strncmp(tag, language, length) == 0)
			return rank + 1;
		rank += 2;
	}
	return rank;
}

/* Return the number of fields that have a text in a language. */
static int
count_of(const EntryTexts *texts, const char *language)
{
	foreach_ptr(const LanguageCount, found, texts->counts)
		if (strcmp(found->language, language) == 0)
			return found->fields;
	return 0;
}

/* Return whether a language is taken rather than another one; a text in none comes last. */
static bool
is_better(const EntryTexts *texts, const char *language, const char *other)
{
	int rank = rank_of(texts->preferred, language);
	int other_rank = rank_of(texts->preferred, other);
	int fields_of = count_of(texts, language);
	int fields_of_other = count_of(texts, other);

	if (!*language || !*other)
		return *language != '\0' && *other == '\0';
	if (rank != other_rank)
		return rank < other_rank;
	return fields_of != fields_of_other ? fields_of > fields_of_other : strcmp(language, other) < 0;
}

/* Return the text in the best language, the first of several; NULL for none. */
static const LanguageText *
best_of(const EntryTexts *texts, List *several)
{
	const LanguageText *best = NULL;

	foreach_ptr(const LanguageText, text, several)
		if (!best || is_better(texts, text->language, best->language))
			best = text;
	return best;
}

const char *
cat_import_texts_label(const EntryTexts *texts, List *members, const char *names)
{
	const LanguageText *best =
		best_of(texts, with_language(texts, texts_of_first(members, names, NULL)));

	return best ? best->text : cat_import_first_text(members, names);
}

/* ---- Translations ---- */

/* What an object says in a language besides that of its field. */
typedef struct Translation
{
	const char *language;
	const char *texts[TEXT_FIELDS]; /* of name and description */
	List *tags;						/* of char * */
} Translation;

/* Return the translation into a language, which is added if there is none. */
static Translation *
translation_into(EntryTexts *texts, const char *language)
{
	Translation *translation;

	foreach_ptr(Translation, known, texts->translations)
		if (strcmp(known->language, language) == 0)
			return known;
	translation = palloc0(sizeof(Translation));
	translation->language = language;
	texts->translations = lappend(texts->translations, translation);
	return translation;
}

const char *
cat_import_texts_take(EntryTexts *texts, ImportEntry *entry, TextOf of, List *members)
{
	const LanguageText *best = best_of(texts, texts->of[of]);

	if (!best)
		return cat_import_composed(members, text_fields[of].names);
	foreach_ptr(const LanguageText, text, texts->of[of])
	{
		bool same = strcmp(text->language, best->language) == 0;
		Translation *translation = same ? NULL : translation_into(texts, text->language);

		if (translation && !translation->texts[of])
			translation->texts[of] = text->text;
		else if (strcmp(same ? best->text : translation->texts[of], text->text) != 0)
			cat_import_note(
				entry, psprintf("%.*s: has several texts in one language; the first is taken",
								(int) strcspn(text_fields[of].names, " "), text_fields[of].names));
	}
	texts->languages[of] = best->language;
	return best->text;
}

/* Return the tags of an element of the keywords, which may be a node with a label. */
static List *
tags_of(Import *import, ImportEntry *entry, const Member *element, const char *language)
{
	List *tags = NIL;

	collect(&tags, element, language);
	if (tags == NIL)
	{
		LanguageText *tag = palloc(sizeof(LanguageText));

		*tag = (LanguageText){NULL, cat_import_name_of(import, entry, element, NULL)};
		tags = tag->text ? list_make1(tag) : NIL;
	}
	return tags;
}

/* Return all tags of an entry: List of LanguageText *. */
static List *
all_tags(Import *import, ImportEntry *entry, List *members)
{
	const TextField *field = &text_fields[TEXT_TAGS];
	const Member *given = cat_import_property(members, field->names);
	const char *language = own_language(members, field->field);
	List *tags = NIL;
	ListCell *cell;

	foreach(cell, cat_import_first_elements(import, entry, given, NULL))
		tags = list_concat(tags, tags_of(import, entry, lfirst(cell), language));
	collect(&tags, cat_import_property(members, "keywords_translated tags_translated keywordMap"),
			NULL);
	collect_translations(&tags, members, field->field);
	return with_language(entry->texts, without_copies(tags));
}

void
cat_import_texts_tags(Import *import, ImportEntry *entry, List *members)
{
	EntryTexts *texts = entry->texts;
	List *tags = all_tags(import, entry, members);
	const LanguageText *best = best_of(texts, tags);
	HTAB *taken = cat_import_map();

	texts->languages[TEXT_TAGS] = best ? best->language : "";
	foreach_ptr(const LanguageText, tag, tags)
	{
		bool own = !*tag->language || strcmp(tag->language, best->language) == 0;
		const char *name = cat_one_line_trim(tag->text);
		const char *key = psprintf("%s %s", own ? "" : tag->language, name);
		List **list = own ? &entry->tags : &translation_into(texts, tag->language)->tags;

		if (!*name || cat_import_map_get(taken, key))
			continue;
		cat_import_map_put(taken, key, unconstify(char *, key));
		*list = lappend(*list, unconstify(char *, name));
	}
}

/* ---- Writing ---- */

static int
compare_languages(const ListCell *left, const ListCell *right)
{
	return strcmp(((Translation *) lfirst(left))->language,
				  ((Translation *) lfirst(right))->language);
}

/* Append a translation, without a description that is the name. */
static void
append_translation(StringInfo out, const Translation *translation)
{
	const char *description = translation->texts[TEXT_DESCRIPTION];
	const char *name = translation->texts[TEXT_NAME];
	bool all;

	if (out->len > 1)
		appendStringInfoChar(out, ',');
	cat_json_text_string(out, *translation->language ? translation->language : "und");
	appendStringInfoString(out, ":{");
	cat_json_text_member(out, text_fields[TEXT_NAME].field,
						 name ? cat_import_whole(name, &all) : NULL);
	if (description && !(name && strcmp(description, name) == 0))
		cat_json_text_member(out, text_fields[TEXT_DESCRIPTION].field,
							 cat_import_whole(description, &all));
	cat_json_text_list(out, text_fields[TEXT_TAGS].field, cat_import_sorted(translation->tags));
	appendStringInfoChar(out, '}');
}

/* Append a member that is JSON to an object, whose end is not written yet. */
static void
append_json(StringInfo out, const char *name, const char *json)
{
	appendStringInfo(out, "%s\"%s\":%s", out->data[out->len - 1] == '{' ? "" : ",", name, json);
}

/* Append the language of the texts; where fields differ, that of each.  A text in none is given on in that
 * of the others. */
static void
append_language(StringInfo optionals, const EntryTexts *texts)
{
	StringInfoData each;
	const char *all = NULL;
	bool differ = false;

	initStringInfo(&each);
	appendStringInfoChar(&each, '{');
	for (int i = 0; i < TEXT_FIELDS; i++)
	{
		const char *language = texts->languages[i];

		if (!language || !*language)
			continue;
		differ |= all && strcmp(all, language) != 0;
		all = language;
		cat_json_text_member(&each, text_fields[i].field, language);
	}
	appendStringInfoChar(&each, '}');
	if (differ)
		append_json(optionals, "textLanguage", each.data);
	else
		cat_json_text_member(optionals, "textLanguage", all);
}

void
cat_import_texts_append(ImportEntry *entry, EntryTexts *texts, StringInfo optionals)
{
	StringInfoData out;

	append_language(optionals, texts);
	if (texts->translations == NIL)
		return;
	list_sort(texts->translations, compare_languages);
	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	foreach_ptr(const Translation, translation, texts->translations)
	{
		int before = out.len;

		append_translation(&out, translation);
		if (out.len <= TRANSLATIONS_MAX)
			continue;
		out.len = before;
		cat_import_note(entry, psprintf("the texts in \"%s\" are left out: there are too many",
										translation->language));
	}
	out.data[out.len] = '\0';
	appendStringInfoChar(&out, '}');
	append_json(optionals, "translations", out.data);
}
