/*
 * import_clean.c
 *	  The JSON of an entry, or of an object that it refers to, as it is read: without what says nothing.
 *
 * A null says nothing, nor does an object or array of nulls alone, nor a literal whose value is null.
 * Of several members of one name the last counts.  U+0000 cannot be stored.
 *
 * JSON-LD, and RDF that the worker has made JSON-LD of, has no order: there the members of an object
 * are sorted by name, and the elements of an array that is no list by what they say, each once.  So
 * whatever takes the first takes the same one, however the source was written.  Names of blank nodes
 * change with each writing: such a node counts by its content.
 */
#include "catalogue.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "import/import_internal.h"

#define DEPTH_MAX 40 /* levels that are looked at; a value that is nested so deeply is not taken */
#define REFERENCES_MAX \
	4 /* blank nodes that refer to each other, of which one counts by its content */
#define BLANK "{\"@id\":\"_:"

/* Where a value stands, for the notes: below the outermost object. */
typedef struct JsonPath
{
	const struct JsonPath *parent;
	const char *name; /* of the member; NULL: an element */
	int number;		  /* of the element, from 1 */
} JsonPath;

typedef struct Cleaner
{
	ImportEntry *entry;
	ImportDocument *document;
	const char *owner; /* before names in notes */
	bool unordered;
	StringInfoData out;
} Cleaner;

/* An element of an array. */
typedef struct Element
{
	const char *text;
	const char *content; /* by which it is sorted */
} Element;

/* Append where a value stands, and what follows it. */
static void
append_path(StringInfo out, const JsonPath *path)
{
	if (!path)
		return;
	append_path(out, path->parent);
	if (path->name)
		appendStringInfo(out, "%s%s", path->parent ? "." : "", path->name);
	else
		appendStringInfo(out, "[%d]", path->number);
}

static void
note_repetition(const Cleaner *cleaner, const JsonPath *path, const char *name)
{
	StringInfoData note;

	initStringInfo(&note);
	appendStringInfoString(&note, cleaner->owner);
	append_path(&note, &(JsonPath){.parent = path, .name = name});
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

/* Take the text from members that are followed by another one of their name; returns all, sorted. */
static List *
drop_repetitions(const Cleaner *cleaner, const JsonPath *path, List *members)
{
	List *sorted = list_copy(members);
	Piece *before = NULL;

	list_sort(sorted, compare_members);
	foreach_ptr(Piece, member, sorted)
	{
		if (before && strcmp(before->name, member->name) == 0)
		{
			note_repetition(cleaner, path, member->name);
			before->text = NULL;
		}
		before = member;
	}
	return sorted;
}

static uint64 hash_node(ImportDocument *document, const char *id, int references);

/* Return the hash of what a value says, in whichever order. */
static uint64
hash_value(ImportDocument *document, const Piece *piece, int references, int depth)
{
	List *parts = depth < DEPTH_MAX ? cat_import_split(piece->text, piece->length) : NIL;
	uint64 hash = 0;

	CHECK_FOR_INTERRUPTS();
	if (piece->length > 4 && memcmp(piece->text, "\"_:", 3) == 0)
		return hash_node(document, pnstrdup(piece->text + 1, piece->length - 2), references);
	if (parts == NIL)
		return hash_bytes_extended((const unsigned char *) piece->text, (int) piece->length, 0);
	foreach_ptr(const Piece, part, parts)
	{
		const char *name = part->name ? part->name : "";

		/* that of a node leads to itself */
		if (depth > 0 || strcmp(name, "@id") != 0)
			hash += hash_combine64(
				hash_bytes_extended((const unsigned char *) name, (int) strlen(name), 0),
				hash_value(document, part, references, depth + 1));
	}
	return hash;
}

/* Return the hash of the content of a blank node, which is kept; 0: there is none. */
static uint64
hash_node(ImportDocument *document, const char *id, int references)
{
	Piece *node = references > 0 ? unconstify(Piece *, cat_import_node(document, id)) : NULL;

	if (!node)
		return 0;
	if (!node->hashes)
		node->hashes =
			MemoryContextAllocZero(GetMemoryChunkContext(node), sizeof(uint64) * REFERENCES_MAX);
	if (node->hashes[references - 1] == 0)
		node->hashes[references - 1] = hash_value(document, node, references - 1, 0) | 1;
	return node->hashes[references - 1];
}

/* Return the id of the blank node that a clean text refers to and of which it says nothing; NULL for
 * none. */
static const char *
blank_reference(const char *text, size_t length)
{
	const char *id = text + strlen(BLANK) - 2;
	const char *end = length > strlen(BLANK) && memcmp(text, BLANK, strlen(BLANK)) == 0
						  ? memchr(id, '"', (size_t) (text + length - id))
						  : NULL;

	return end && end + 2 == text + length ? pnstrdup(id, end - id) : NULL;
}

static Element *
make_element(const Cleaner *cleaner, const char *text, int length)
{
	Element *element = palloc(sizeof(Element));
	const char *blank = blank_reference(text, (size_t) length);

	element->text = pnstrdup(text, length);
	element->content =
		blank ? psprintf("{%016llx",
						 (unsigned long long) hash_node(cleaner->document, blank, REFERENCES_MAX))
			  : element->text;
	return element;
}

/* Compare elements by what they say; texts with a language come before those without. */
static int
compare_elements(const ListCell *left, const ListCell *right)
{
	const char *a = ((Element *) lfirst(left))->content;
	const char *b = ((Element *) lfirst(right))->content;

	return *a != *b ? (*a == '"') - (*b == '"') : strcmp(a, b);
}

/* Return whether elements may come in any order: coordinates, for one, may not. */
static bool
is_set(const JsonPath *path, List *elements)
{
	if (path && path->name && strcmp(path->name, "@list") == 0)
		return false;
	foreach_ptr(const Element, element, elements)
		if (*element->text != '"' && *element->text != '{')
			return false;
	return list_length(elements) > 1;
}

/* Append elements, sorted and each once, in place of what begins at an offset. */
static void
append_sorted(StringInfo out, int offset, List *elements)
{
	const char *before = NULL;

	list_sort(elements, compare_elements);
	out->len = offset;
	foreach_ptr(const Element, element, elements)
	{
		if (before && strcmp(before, element->text) == 0)
			continue;
		appendStringInfo(out, "%s%s", before ? "," : "", element->text);
		before = element->text;
	}
}

static bool append_clean(Cleaner *cleaner, const Piece *piece, const JsonPath *path, int depth);

/* Append a part of a value, with its name; false, with nothing appended, where it says nothing. */
static bool
append_part(Cleaner *cleaner, const Piece *part, const JsonPath *path, int depth, bool first)
{
	StringInfo out = &cleaner->out;
	int before = out->len;

	if (!part->text)
		return false;
	if (!first)
		appendStringInfoChar(out, ',');
	if (part->name)
		appendStringInfo(out, "\"%s\":", part->name);
	if (append_clean(cleaner, part, path, depth))
		return true;
	out->len = before;
	return false;
}

/* Append the elements of an array. */
static void
append_elements(Cleaner *cleaner, List *parts, const JsonPath *path, int depth)
{
	StringInfo out = &cleaner->out;
	int begin = out->len;
	List *elements = NIL;

	foreach_ptr(const Piece, part, parts)
	{
		bool first = out->len == begin;
		int before = out->len + !first;
		int number = foreach_current_index(part) + 1;

		if (append_part(cleaner, part, &(JsonPath){path, NULL, number}, depth + 1, first) &&
			cleaner->unordered)
			elements =
				lappend(elements, make_element(cleaner, out->data + before, out->len - before));
	}
	if (is_set(path, elements))
		append_sorted(out, begin, elements);
}

/* Return whether the members of an object are names of RDF. */
static bool
is_of_rdf(List *members)
{
	foreach_ptr(const Piece, member, members)
		if (strcmp(member->name, "@id") == 0 || strchr(member->name, ':'))
			return true;
	return false;
}

/* Return whether a member is the name of a blank node. */
static bool
is_blank_name(const Piece *member)
{
	return strcmp(member->name, "@id") == 0 && member->length > 4 &&
		   memcmp(member->text, "\"_:", 3) == 0;
}

/* Append the members of an object; false where it says nothing for want of one of them. */
static bool
append_members(Cleaner *cleaner, List *parts, const JsonPath *path, int depth)
{
	int begin = cleaner->out.len;
	bool several = list_length(parts) > 1;
	List *sorted = several ? drop_repetitions(cleaner, path, parts) : parts;

	cleaner->unordered |= depth == 0 && is_of_rdf(parts);
	foreach_ptr(Piece, part, cleaner->unordered ? sorted : parts)
	{
		if (part->text && several && depth > 0 && is_blank_name(part))
			*part = (Piece){.name = part->name, .text = "\"_:\"", .length = 4};
		if (append_part(cleaner, part, &(JsonPath){path, part->name, 0}, depth + 1,
						cleaner->out.len == begin))
			continue;
		/* a literal of JSON-LD that has no value, whatever its language */
		if (part->text && strcmp(part->name, "@value") == 0)
			return false;
	}
	return true;
}

/* Return whether a clean value refers to a blank node that is not there. */
static bool
is_loose(const Cleaner *cleaner, const char *text, int length)
{
	const char *blank = blank_reference(text, (size_t) length);

	return blank && !cat_import_node(cleaner->document, blank);
}

/* Append a value; false, with nothing appended that counts, where it says nothing.  path: NULL for
 * the outermost one. */
static bool
append_clean(Cleaner *cleaner, const Piece *piece, const JsonPath *path, int depth)
{
	List *parts = depth < DEPTH_MAX ? cat_import_split(piece->text, piece->length) : NIL;
	StringInfo out = &cleaner->out;
	int begin = out->len;

	CHECK_FOR_INTERRUPTS();
	if (parts == NIL)
	{
		appendBinaryStringInfo(out, piece->text, (int) piece->length);
		return !cat_import_is_null(piece);
	}
	appendStringInfoChar(out, *piece->text);
	if (*piece->text == '[')
		append_elements(cleaner, parts, path, depth);
	else if (!append_members(cleaner, parts, path, depth))
		return false;
	if (out->len == begin + 1)
		return false;
	appendStringInfoChar(out, *piece->text == '{' ? '}' : ']');
	return depth == 0 || !is_loose(cleaner, out->data + begin, out->len - begin);
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
cat_import_clean(ImportDocument *document, ImportEntry *entry, const Piece *piece,
				 const char *owner)
{
	Cleaner cleaner = {
		.document = document, .entry = entry, .owner = owner, .unordered = piece->node};
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
