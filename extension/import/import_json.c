/*
 * import_json.c
 *	  Values in the JSON of a document, by names and forms that several vocabularies share.
 *
 * A document is split without decoding its strings, so that a character which cannot be stored, or
 * an entry that is nested too deeply, is a fault of one entry and not of the document.
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "base/base.h"
#include "import/json_internal.h"

#define PIECES_MAX 1000000 /* members or elements of one object or array */

const char *
cat_import_skip_space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
		p++;
	return p;
}

const char *
cat_import_skip_string(const char *p, const char *end)
{
	const char *quote = memchr(p + 1, '"', (size_t) (end - p - 1));
	const char *escape;

	for (p++; quote; p = escape + 2)
	{
		escape = memchr(p, '\\', (size_t) (quote - p));
		if (!escape)
			return quote + 1;
		if (escape + 1 == quote)
			quote = memchr(quote + 1, '"', (size_t) (end - quote - 1));
	}
	return end;
}

/* Return the length of a character of a string, or of an escape; half of a surrogate pair has the
 * length of both. */
static size_t
character_length(const char *p)
{
	if (*p != '\\')
		return (size_t) pg_utf_mblen((const unsigned char *) p);
	if (p[1] != 'u')
		return 2;
	return strchr("dD", p[2]) && strchr("89abAB", p[3]) ? 12 : 6;
}

/* Return the length of the beginning of a string, of which p is the first quote, that is kept of a
 * longer one: a little more than STRING_MAX. */
static size_t
kept_length(const char *p)
{
	size_t length = 1;

	while (length <= STRING_MAX)
		length += character_length(p + length);
	return length;
}

/* Return whether a string, of which p is the first quote, is cut. */
static bool
is_long(const char *p, const char *after)
{
	return after - p > STRING_MAX + 16;
}

bool
cat_import_is_short(const char *json, size_t length)
{
	const char *end = json + length;
	const char *p = json;
	const char *string;

	while ((string = memchr(p, '"', (size_t) (end - p))) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		p = cat_import_skip_string(string, end);
		if (is_long(string, p))
			return false;
	}
	return true;
}

size_t
cat_import_shorten(char *json, size_t length)
{
	const char *end = json + length;
	const char *done = json;
	char *to = json;

	while (done < end)
	{
		const char *string = memchr(done, '"', (size_t) (end - done));
		const char *after = string ? cat_import_skip_string(string, end) : end;
		bool cut = string && is_long(string, after);
		size_t kept =
			cut ? (size_t) (string - done) + kept_length(string) : (size_t) (after - done);

		CHECK_FOR_INTERRUPTS();
		memmove(to, done, kept);
		to += kept;
		if (cut)
			*to++ = '"';
		done = after;
	}
	return (size_t) (to - json);
}

/* Return what follows a value. */
static const char *
skip_value(const char *p, const char *end)
{
	int depth = 0;

	while (p < end)
	{
		if (*p == '"')
			p = cat_import_skip_string(p, end);
		else if (*p == '{' || *p == '[')
		{
			depth++;
			p++;
		}
		else if (depth > 0 && (*p == '}' || *p == ']'))
		{
			depth--;
			p++;
		}
		else if (depth > 0)
			p++;
		else
			return p + strcspn(p, ",}] \t\r\n");
		if (depth == 0)
			return p;
	}
	return end;
}

List *
cat_import_split(const char *json, size_t length)
{
	const char *end = json + length;
	const char *p = cat_import_skip_space(json, end);
	List *pieces = NIL;
	bool object = p < end && *p == '{';

	if (p == end || (*p != '{' && *p != '['))
		return NIL;
	for (p = cat_import_skip_space(p + 1, end); p < end && *p != '}' && *p != ']';)
	{
		Piece *piece = palloc0(sizeof(Piece));

		CHECK_FOR_INTERRUPTS();
		if (list_length(pieces) == PIECES_MAX)
			ereport(ERROR,
					(errcode(OD400),
					 errmsg("the document has a list of more than %d elements", PIECES_MAX)));
		if (object)
		{
			const char *after = cat_import_skip_string(p, end);

			piece->name = pnstrdup(p + 1, after - p - 2);
			p = cat_import_skip_space(cat_import_skip_space(after, end) + 1, end);
		}
		piece->text = p;
		p = skip_value(p, end);
		piece->length = p - piece->text;
		pieces = lappend(pieces, piece);
		p = cat_import_skip_space(p, end);
		if (p < end && *p == ',')
			p = cat_import_skip_space(p + 1, end);
	}
	return pieces;
}

const char *
cat_import_local_name(const char *name)
{
	const char *last = name;

	for (const char *p = name; *p; p++)
		if (strchr(":/#", *p))
			last = p + 1;
	return last;
}

/* Return whether cat_import_local_name() of a name is a word, which has none of its separators. */
static bool
is_local_name(const char *name, const char *word, size_t length)
{
	size_t given = strlen(name);
	size_t before = given - length;

	/* most differ in their last letter, which saves a call */
	return given >= length && name[given - 1] == word[length - 1] &&
		   memcmp(name + before, word, length) == 0 &&
		   (before == 0 || strchr(":/#", name[before - 1]));
}

bool
cat_import_is_null(const Piece *piece)
{
	return piece->length == 4 && memcmp(piece->text, "null", 4) == 0;
}

bool
cat_import_is_named(const Piece *piece, const char *name)
{
	return piece->name && is_local_name(piece->name, name, strlen(name)) &&
		   !cat_import_is_null(piece);
}

const Piece *
cat_import_piece(List *pieces, const char *name)
{
	foreach_ptr(const Piece, piece, pieces)
	{
		if (cat_import_is_named(piece, name))
			return piece;
	}
	return NULL;
}

Member *
cat_import_value(const Piece *piece)
{
	return cat_body_value_if(piece->text, piece->length);
}

/* Return whether a value is a text of white space alone. */
static bool
is_blank(const Member *value)
{
	return value->kind == MEMBER_STRING && value->text &&
		   value->text[strspn(value->text, " \t\r\n")] == '\0';
}

bool
cat_import_says(const Member *value)
{
	return value->kind != MEMBER_NULL && !is_blank(value);
}

size_t
cat_import_next_name(const char **names)
{
	size_t length = strcspn(*names, " ");

	*names += length;
	*names += strspn(*names, " ");
	return length;
}

bool
cat_import_is_one(const Member *member, const char *names)
{
	while (*names)
	{
		const char *name = names;

		if (is_local_name(member->name, name, cat_import_next_name(&names)))
			return true;
	}
	return false;
}

const Member *
cat_import_property(List *members, const char *names)
{
	while (*names)
	{
		const char *name = names;
		size_t length = cat_import_next_name(&names);

		foreach_ptr(const Member, member, members)
		{
			if (is_local_name(member->name, name, length) && cat_import_says(member))
				return member;
		}
	}
	return NULL;
}

/* Return the text of the first language of an object, {"en": "Title", "es": "Título"}, by its code. */
static char *
text_of_languages(List *members)
{
	const char *first = NULL;
	char *found = NULL;

	foreach_ptr(const Member, member, members)
	{
		char *text = *member->name != '@' && (!first || strcmp(member->name, first) < 0)
						 ? cat_import_text(member)
						 : NULL;

		if (!text)
			continue;
		first = member->name;
		found = text;
	}
	return found;
}

char *
cat_import_text(const Member *value)
{
	const Member *inner;
	List *members;

	if (!value || value->kind == MEMBER_NULL)
		return NULL;
	if (value->kind == MEMBER_ARRAY)
	{
		foreach_ptr(const Member, element, cat_body_elements(value->raw))
		{
			char *text = cat_import_text(element);

			if (text)
				return text;
		}
		return NULL;
	}
	if (value->kind != MEMBER_OBJECT)
		return value->text && !is_blank(value) ? value->text : NULL;
	members = cat_body_members(value->raw, strlen(value->raw));
	inner = cat_import_property(members, "@value @id @list @set");
	return inner ? cat_import_text(inner) : text_of_languages(members);
}

const char *
cat_import_first_text(List *members, const char *names)
{
	const char *text = NULL;

	while (!text && *names)
	{
		const char *name = names;

		text = cat_import_text(
			cat_import_property(members, pnstrdup(name, cat_import_next_name(&names))));
	}
	return text;
}

const char *
cat_import_composed(List *members, const char *names)
{
	const char *text = cat_import_first_text(members, names);

	return text ? cat_compose_text(text) : NULL;
}

List *
cat_import_elements(const Member *value)
{
	while (value && value->kind == MEMBER_OBJECT)
	{
		const Member *inner =
			cat_import_property(cat_body_members(value->raw, strlen(value->raw)), "@list @set");

		if (!inner)
			break;
		value = inner;
	}
	if (!value)
		return NIL;
	return value->kind == MEMBER_ARRAY ? cat_body_elements(value->raw)
									   : list_make1(unconstify(Member *, value));
}

static int
compare_texts(const ListCell *left, const ListCell *right)
{
	return strcmp(lfirst(left), lfirst(right));
}

List *
cat_import_sorted(List *texts)
{
	List *sorted = list_copy(texts);

	list_sort(sorted, compare_texts);
	return sorted;
}
