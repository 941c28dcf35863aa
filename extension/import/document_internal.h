/*
 * document_internal.h
 *	  A document that is imported, and values in its JSON: used inside import/ only.
 */
#ifndef CATALOGUE_IMPORT_DOCUMENT_INTERNAL_H
#define CATALOGUE_IMPORT_DOCUMENT_INTERNAL_H

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

/* A document: what it describes, and what the descriptions refer to. */
typedef struct ImportDocument
{
	List *entries;	   /* of Piece *: a description of a dataset each */
	const Piece *text; /* all of it */
	HTAB *nodes;	   /* Piece * of the objects of a graph, by @id */
	HTAB *nested;	   /* likewise, of objects within others; NULL: they are not looked for yet */
	HTAB *labels;	   /* char * of the themes of a taxonomy, by id */
	List *unknown;	   /* of char *: addresses of contexts that are not known */
	MemoryContext lasting; /* of nodes */
	MemoryContext split;   /* of the members of one object, while the document is read */
} ImportDocument;

typedef struct Distribution
{
	const char *id; /* identifier, NULL for none */
	const char *title;
	const char *name; /* of the file: the title, else what stands for it */
	const char *description;
	const char *url;
	const char *format;
	const char *optionals; /* JSON object */
} Distribution;

/* A property of an object. */
typedef struct Property
{
	const char *names; /* under which it is looked for, with spaces between */
	const char *kept;  /* that it has in optionals, as it is; NULL: it is not kept */
} Property;

/* To whom the source shows an entry. */
typedef enum EntryAccess
{
	ENTRY_PUBLIC,
	ENTRY_WITHHELD, /* not to everybody: it is not published */
	ENTRY_DELETED	/* to nobody any more */
} EntryAccess;

/* import_access.c */

/* To whom the source shows an entry, as its properties say; members: List of Member *. */
extern EntryAccess cat_import_access(List *members);

/* import_clean.c */

/* Return the pieces of an object in which U+FFFD stands for U+0000. */
extern List *cat_import_split_stored(const Piece *piece);

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

/* import_sniff.c */

/* Return what a text is that is neither JSON nor RDF, and where a catalogue may be: the end of a
 * message, at most 440 bytes; NULL if it may be one of them. */
extern const char *cat_import_sniff(const char *text);

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

/* import_nodes.c */

/* Note an object of a graph under its @id; each of several objects may say something of it. */
/* Returns the first object that has it.  id: NULL for an object without one. */
extern Piece *cat_import_nodes_add(ImportDocument *document, Piece *piece, const char *id);
/* Make one object of a node and those that have its @id. */
extern void cat_import_nodes_merge(ImportDocument *document, Piece *node);
/* Whether an object with an @id, which is within another one, is described elsewhere, too. */
extern bool cat_import_node_is_elsewhere(ImportDocument *document, const char *id);
/* The object with an @id, with the members of all objects that have it; NULL for none. */
extern const Piece *cat_import_node(ImportDocument *document, const char *id);

/* import_context.c */

/* A document of JSON-LD as its contexts mean it: with the names that are read here.  *unknown: set to the
 * addresses of contexts that are not known, List of char *. */
extern const Piece *cat_import_context_apply(const Piece *document, List **unknown);

/* import_document.c */

/* Find the entries of a document.  OD400 where it is no catalogue. */
extern void cat_import_document_read(ImportDocument *document, const Piece *piece);

#endif /* CATALOGUE_IMPORT_DOCUMENT_INTERNAL_H */
