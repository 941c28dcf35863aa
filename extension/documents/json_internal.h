/*
 * json_internal.h
 *	  Values of which documents of DCAT are made: used inside documents/ only.
 */
#ifndef CATALOGUE_DOCUMENTS_JSON_INTERNAL_H
#define CATALOGUE_DOCUMENTS_JSON_INTERNAL_H

#include "catalogue.h"

#include "utils/hsearch.h"
#include "utils/jsonb.h"

/* A value: of a document of type jsonb, or an object or array that is being made, whose members have
 * no order. */
typedef JsonbValue Json;

/* dcat.c */

/* A text as a value, NULL for NULL. */
extern Json *cat_dcat_text(const char *text);
/* A copy of the member of an object; NULL: there is none, it is null, or the value is no object. */
extern Json *cat_dcat_get(const Json *object, const char *name);
/* The text of a member, as of operator ->>; NULL for none. */
extern char *cat_dcat_member(const Json *object, const char *name);
/* An object of names and values, with NULL behind them; those with the value NULL are left out. */
extern Json *cat_dcat_object(const char *name, ...);
/* Likewise an object of texts. */
extern Json *cat_dcat_texts(const char *name, ...);
/* An object by a form, with spaces between its members: name=text, or name:member, which has that of
 * a value. */
extern Json *cat_dcat_form(const Json *value, const char *form);
/* Set a member of an object that is being made; NULL removes it. */
extern void cat_dcat_set(Json *object, const char *name, const Json *value);
/* Likewise of one that it does not have yet, or that cat_dcat_jsonb() takes the last of; NULL
 * changes nothing. */
extern void cat_dcat_append(Json *object, const char *name, const Json *value);
/* Whether a text was not known; *known: the table of those that are, NULL for none yet. */
extern bool cat_dcat_is_new(HTAB **known, const char *text);
/* A copy of an object of any kind, which can be changed. */
extern Json *cat_dcat_copy(const Json *object);
/* The array with one more element; array: NULL for none yet.  An element NULL changes nothing. */
extern Json *cat_dcat_add(Json *array, const Json *element);
/* Texts in their order, each once, as an array; NULL for none. */
extern Json *cat_dcat_distinct(List *texts);
/* Whether a value is an object. */
extern bool cat_dcat_is_object(const Json *value);
/* An array of a member of each element of an array, or of an object by a form; NULL for none. */
extern Json *cat_dcat_each(const Json *value, const char *name);
/* The elements of an array, or the one value that is none: List of Json *. */
extern List *cat_dcat_elements(const Json *value);
/* The first element, as of cat_dcat_elements(); NULL for none. */
extern Json *cat_dcat_first(const Json *value);
/* A value as operator ->> gives it; NULL for null and NULL. */
extern char *cat_dcat_string(const Json *value);
extern Json *cat_dcat_of_jsonb(Jsonb *value);
/* A value in the order of type jsonb. */
extern Jsonb *cat_dcat_jsonb(Json *value);
/* Whether a text matches a regular expression; groups: set to its parts in parentheses, of which there
 * are so many, NULL for those that match nothing. */
extern bool cat_dcat_matches(const char *text, const char *pattern, char **groups, int count);
/* The result of a statement, of type jsonb, with up to two texts as parameters; NULL for null. */
extern Json *cat_dcat_ask(const char *sql, const char *first, const char *second);

#endif /* CATALOGUE_DOCUMENTS_JSON_INTERNAL_H */
