/*
 * json_internal.h
 *	  Values in the JSON of a document that is imported: used inside import/ only.
 */
#ifndef CATALOGUE_IMPORT_JSON_INTERNAL_H
#define CATALOGUE_IMPORT_JSON_INTERNAL_H

#include "catalogue.h"

#include "utils/hsearch.h"

#include "base/body.h"

/* A value in a JSON text, which has been found to be valid. */
typedef struct Piece
{
	char *name; /* of the member, escapes left as they are; NULL for the element of an array */
	const char *text;
	size_t length;
	List *more;		/* of Piece *: objects with the same @id, which are no part of it yet */
	bool node;		/* it is an object of a graph */
	bool merged;	/* of several objects */
	bool listed;	/* among the entries */
	uint64 *hashes; /* of what a blank node says; NULL: not computed yet */
} Piece;

/* import_json.c */

/* What follows white space; and what follows a string, of which p is the first quote. */
extern const char *cat_import_skip_space(const char *p, const char *end);
extern const char *cat_import_skip_string(const char *p, const char *end);
/* The members or elements of a valid JSON text, a List of Piece *; NIL for a scalar. */
extern List *cat_import_split(const char *json, size_t length);
/* Whether a piece is null, which says nothing. */
extern bool cat_import_is_null(const Piece *piece);
/* Whether a piece has a name, without a prefix before it, such as "dct:", and is not null. */
extern bool cat_import_is_named(const Piece *piece, const char *name);
/* The piece of a name, without a prefix before it, such as "dct:"; NULL where there is none that is not
 * null. */
extern const Piece *cat_import_piece(List *pieces, const char *name);
#define VALUE_MAX 65536			   /* bytes of a value that is kept */
#define STRING_MAX (4 * VALUE_MAX) /* bytes of a string that is read */

/* Cut the strings of a valid JSON text that are longer than STRING_MAX, in place, to a little more,
 * so that they are still too long to be kept.  Returns the length that remains. */
extern size_t cat_import_shorten(char *json, size_t length);
/* Whether cat_import_shorten() leaves a text as it is. */
extern bool cat_import_is_short(const char *json, size_t length);
/* A piece as a value; NULL where it has a character that cannot be stored or is nested too deeply. */
extern Member *cat_import_value(const Piece *piece);
/* A name without the prefix or address of its vocabulary. */
extern const char *cat_import_local_name(const char *name);
/* Whether a value says something, which null and white space do not. */
extern bool cat_import_says(const Member *value);
/* The length of the first of some names with spaces between; *names: set to the next one. */
extern size_t cat_import_next_name(const char **names);
/* Whether a member is one of some properties, names with spaces between. */
extern bool cat_import_is_one(const Member *member, const char *names);
/* The first of some properties that says something; NULL for none. */
extern const Member *cat_import_property(List *members, const char *names);
/* The text of a value: of an object with @value or @id, of the first of several elements, or languages
 * by their codes, that has one; NULL for none. */
extern char *cat_import_text(const Member *value);
/* The first text that one of some properties has; NULL for none. */
extern const char *cat_import_first_text(List *members, const char *names);
/* As cat_import_first_text(), composed: of what becomes a name or a searched text. */
extern const char *cat_import_composed(List *members, const char *names);
/* The values of an array, or the one value that is none; List of Member *. */
extern List *cat_import_elements(const Member *value);

/* A sorted copy of a List of char *. */
extern List *cat_import_sorted(List *texts);

/* import_map.c */

typedef struct MapEntry
{
	const char *key;
	void *value;
} MapEntry;

/* A table of pointers by text, of MapEntry. */
extern HTAB *cat_import_map(void);
extern void cat_import_map_put(HTAB *map, const char *key, void *value);
extern void *cat_import_map_get(HTAB *map, const char *key);
extern void cat_import_map_drop(HTAB *map, const char *key);

#endif /* CATALOGUE_IMPORT_JSON_INTERNAL_H */
