/*
 * document_internal.h
 *	  A document that is imported: used inside import/ only.
 */
#ifndef CATALOGUE_IMPORT_DOCUMENT_INTERNAL_H
#define CATALOGUE_IMPORT_DOCUMENT_INTERNAL_H

#include "catalogue.h"

#include "documents/dcat.h"
#include "import/json_internal.h"

/* A document: what it describes, and what the descriptions refer to. */
typedef struct ImportDocument
{
	List *entries;	   /* of Piece *: a description of a dataset each */
	const Piece *text; /* all of it */
	HTAB *nodes;	   /* Piece * of the objects of a graph, by @id */
	HTAB *nested;	   /* likewise, of objects within others; NULL: they are not looked for yet */
	HTAB *labels;	   /* char * of the themes of a taxonomy, by id */
	List *notes;	   /* of char *: on its contexts */
	const Piece *language; /* of its catalogues; NULL: none says one, "[]": they differ */
	MemoryContext lasting; /* of nodes */
	MemoryContext split;   /* of the members of one object, while the document is read */
} ImportDocument;

typedef struct Distribution
{
	const char *id;		  /* identifier, NULL for none */
	const char *relative; /* IRI before it was read as one that is relative, NULL for none */
	const char *title;
	const char *name; /* of the file: the title, else what stands for it */
	const char *description;
	const char *url;
	const char *format;
	const char *optionals; /* JSON object */
} Distribution;

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

/* import_sniff.c */

/* Return what a text is that is neither JSON nor RDF, and where a catalogue may be: the end of a
 * message, at most 440 bytes; NULL if it may be one of them. */
extern const char *cat_import_sniff(const char *text);

/* import_nodes.c */

/* Note an object of a graph under its @id, and return the first object that has it; each of several may
 * say something of it.  id: NULL for an object without one. */
extern Piece *cat_import_nodes_add(ImportDocument *document, Piece *piece, const char *id);
/* Make one object of a node and those that have its @id. */
extern void cat_import_nodes_merge(ImportDocument *document, Piece *node);
/* Whether an object with an @id, which is within another one, is described elsewhere, too. */
extern bool cat_import_node_is_elsewhere(ImportDocument *document, const char *id);
/* The object with an @id, with the members of all objects that have it; NULL for none. */
extern const Piece *cat_import_node(ImportDocument *document, const char *id);

/* import_expand.c */

/* The name under which an object whose @id was relative, or began with a prefix, has it as it was. */
#define RELATIVE "@relative"

/* A document of JSON-LD as its contexts mean it: with the names that are read here.  *notes: set to what is
 * told of these, List of char *. */
extern const Piece *cat_import_expand(const Piece *document, List **notes);

/* import_iri.c */

/* Whether an IRI has a scheme, and no character that it cannot have. */
extern bool cat_import_iri_is_absolute(const char *iri);
/* The IRI that a reference means, which is relative to another one unless it is absolute or a blank node. */
extern const char *cat_import_iri_resolve(const char *base, const char *reference);

/* import_document.c */

/* Find the entries of a document.  OD400 where it is no catalogue. */
extern void cat_import_document_read(ImportDocument *document, const Piece *piece);

#endif /* CATALOGUE_IMPORT_DOCUMENT_INTERNAL_H */
