/*
 * import_clean.c
 *	  The JSON of an entry, or of an object that it refers to, as it is read: without what says nothing.
 *
 * A null says nothing, nor does an object or array of nulls alone, nor a literal whose value is null.  Of several members of one name
 * the last counts.  U+0000 cannot be stored.
 */
#include "catalogue.h"

#include "miscadmin.h"

#include "import/import_internal.h"

#define DEPTH_MAX 40 /* levels that are looked at; a value that is nested so deeply is not taken */

/* Where a value stands, for the notes: below the outermost object. */
typedef struct Place
{
	const struct Place *parent;
	const char *name; /* of the member; NULL: an element */
	int number;		  /* of the element, from 1 */
} Place;

typedef struct Cleaner
{
	ImportEntry *entry;
	const char *owner; /* before names in notes */
	StringInfoData out;
} Cleaner;

/* Append where a value stands, and what follows it. */
static void
append_place(StringInfo out, const Place *place)
{
	if (!place)
		return;
	append_place(out, place->parent);
	if (place->name)
		appendStringInfo(out, "%s%s", place->parent ? "." : "", place->name);
	else
		appendStringInfo(out, "[%d]", place->number);
}

static void
note_repetition(const Cleaner *cleaner, const Place *place, const char *name)
{
	StringInfoData note;

	initStringInfo(&note);
	appendStringInfoString(&note, cleaner->owner);
	append_place(&note, &(Place){.parent = place, .name = name});
	appendStringInfoString(&note, ": is there twice; the last is taken");
	cat_import_note(cleaner->entry, note.data);
}

/* Compare members by name; of the same name by their order in the text. */
static int
compare_members(const ListCell *left, const ListCell *right)
{
	const Piece *a = lfirst(left);
	const Piece *b = lfirst(right);
	int order = strcmp(a->name, b->name);

	return order != 0 ? order : (a->text > b->text) - (a->text < b->text);
}

/* Take the text from members that are followed by another one of their name. */
static void
drop_repetitions(const Cleaner *cleaner, const Place *place, List *members)
{
	List *sorted = list_copy(members);
	Piece *before = NULL;

	list_sort(sorted, compare_members);
	foreach_ptr(Piece, member, sorted)
	{
		if (before && strcmp(before->name, member->name) == 0)
		{
			note_repetition(cleaner, place, member->name);
			before->text = NULL;
		}
		before = member;
	}
	list_free(sorted);
}

/* Append a value; false, with nothing appended, where it says nothing.  place: NULL for the outermost
 * one. */
static bool
append_clean(Cleaner *cleaner, const Piece *piece, const Place *place, int depth)
{
	List *parts = depth < DEPTH_MAX ? cat_import_split(piece->text, piece->length) : NIL;
	StringInfo out = &cleaner->out;
	int begin = out->len;
	int number = 0;

	CHECK_FOR_INTERRUPTS();
	if (parts == NIL)
	{
		appendBinaryStringInfo(out, piece->text, (int) piece->length);
		return !cat_import_is_null(piece);
	}
	if (*piece->text == '{' && list_length(parts) > 1)
		drop_repetitions(cleaner, place, parts);
	appendStringInfoChar(out, *piece->text);
	foreach_ptr(const Piece, part, parts)
	{
		int before = out->len;

		number++;
		if (!part->text)
			continue;
		if (before > begin + 1)
			appendStringInfoChar(out, ',');
		if (part->name)
			appendStringInfo(out, "\"%s\":", part->name);
		if (append_clean(cleaner, part, &(Place){place, part->name, number}, depth + 1))
			continue;
		out->len = before;
		/* a literal of JSON-LD that has no value, whatever its language */
		if (part->name && strcmp(part->name, "@value") == 0)
			return false;
	}
	if (out->len == begin + 1)
		return false;
	appendStringInfoChar(out, *piece->text == '{' ? '}' : ']');
	return true;
}

/* Return a text with U+FFFD in place of the escapes of U+0000, which cannot be stored. */
static const char *
without_zeros(const Piece *piece)
{
	static const char zero[] = "\\u0000";
	static const char replacement[] = "\\ufffd";
	char *filled;
	char *end;

	if (!memmem(piece->text, piece->length, zero, strlen(zero)))
		return piece->text;
	filled = pnstrdup(piece->text, piece->length);
	end = filled + piece->length;
	for (char *p = filled; (p = memchr(p, '\\', (size_t) (end - p))) != NULL; p += 2)
		if (strncmp(p, zero, strlen(zero)) == 0)
			memcpy(p, replacement, strlen(replacement));
	return filled;
}

List *
cat_import_split_stored(const Piece *piece)
{
	return cat_import_split(without_zeros(piece), piece->length);
}

const Piece *
cat_import_clean(ImportEntry *entry, const Piece *piece, const char *owner)
{
	Cleaner cleaner = {.entry = entry, .owner = owner};
	Piece *clean = palloc0(sizeof(Piece));

	*clean = (Piece){.name = piece->name, .text = without_zeros(piece), .length = piece->length};
	initStringInfo(&cleaner.out);
	if (*piece->text != '{')
		return piece;
	if (clean->text != piece->text)
		cat_import_note(entry, "U+0000, which cannot be stored, is U+FFFD");
	if (!append_clean(&cleaner, clean, NULL, 0))
		appendStringInfoChar(&cleaner.out, '}');
	clean->text = cleaner.out.data;
	clean->length = (size_t) cleaner.out.len;
	return clean;
}
