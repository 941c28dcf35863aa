/*
 * context_internal.h
 *	  Contexts of JSON-LD: used inside import/ only.
 */
#ifndef CATALOGUE_IMPORT_CONTEXT_INTERNAL_H
#define CATALOGUE_IMPORT_CONTEXT_INTERNAL_H

#include "catalogue.h"

#include "import/json_internal.h"

/* How the values of a property are written. */
typedef enum Container
{
	CONTAINER_NONE,
	CONTAINER_LIST,
	CONTAINER_INDEX, /* an object, whose names say nothing */
	CONTAINER_ID	 /* an object, whose names are the @id of its values */
} Container;

/* What a context says of a name. */
typedef struct Term
{
	const char *given; /* the IRI, compact IRI or keyword, as it is given; NULL: none */
	const char *name;  /* that members get; NULL: they keep theirs */
	bool reverse;
	bool is_iri;   /* its values that are strings are IRIs */
	bool is_typed; /* they are in no language */
	bool has_language;
	const char *language; /* that they have, NULL: in none; unless that of the context */
	Container container;
	struct Context *scoped; /* of its values, or of objects of this type; NULL: none */
} Term;

typedef struct Context
{
	const struct Context *outer;
	HTAB *terms;  /* Term * by name */
	bool changes; /* it means something else than its names say */
	bool has_language;
	bool has_base;
	const char *language; /* of texts; NULL: none */
	const char *base;	  /* that IRIs are relative to; NULL: none */
} Context;

/* What is counted and told of all contexts of a document. */
typedef struct ContextReader
{
	int terms;
	List *notes; /* of char * */
} ContextReader;

/* import_context.c */

/* Read a value of @context within another one, NULL for none. */
extern const Context *cat_import_context_read(ContextReader *reader, const Context *outer,
											  const Piece *value);
/* Note something on the contexts, once. */
extern void cat_import_context_note(ContextReader *reader, const char *note);
/* What a context says of a name, NULL for nothing. */
extern const Term *cat_import_context_term(const Context *context, const char *name);
/* The language of texts, NULL for none. */
extern const char *cat_import_context_language(const Context *context);
/* What IRIs are relative to, NULL for none. */
extern const char *cat_import_context_base(const Context *context);

/* The IRI that a text means, which may begin with a prefix, or be relative; the text, where it means none. */
extern const char *cat_import_context_iri(const Context *context, const char *text);
/* Whether the text of a string of JSON begins with a prefix that the context defines, and the readers do not
 * know. */
extern bool cat_import_context_is_compact(const Context *context, const char *text);

#endif /* CATALOGUE_IMPORT_CONTEXT_INTERNAL_H */
