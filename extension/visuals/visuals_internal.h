/*
 * visuals_internal.h
 *	  Rows, columns and reads of maps and charts: used inside visuals/ only.
 */
#ifndef CATALOGUE_VISUALS_VISUALS_INTERNAL_H
#define CATALOGUE_VISUALS_VISUALS_INTERNAL_H

#include "catalogue.h"

#include "call/call.h"
#include "contents/contents.h"
#include "query/query.h"

/* A record as it is made: its values by attribute number less one. */
typedef struct Made
{
	Resource *resource;
	Datum *values;
	bool *nulls;
	bool strict;   /* what cannot be made is an error */
	List **errors; /* errors so far */
} Made;

/* A map or chart that is read. */
typedef struct VisualRead
{
	Actor actor;
	RequestParams *params;
	List *words; /* of SheetWord *: parameters that are not those of a list */
	const char *id;
	bool known; /* the caller has this state: nothing is to be read */
	CallReply reply;
} VisualRead;

/* visual_source.c */

/* The value of a column as text; NULL for null. */
extern char *cat_visual_source_text(const Made *made, const char *column);
/* Set a column to a value; cat_visual_source_null() sets it to null. */
extern void cat_visual_source_set(const Made *made, const char *column, Datum value);
extern void cat_visual_source_null(const Made *made, const char *column);
/* The first sheet of the file that the record names, locked against new contents.  NULL where the
 * file has none: OD409 where it could not be read, and strict.  Not strict afterwards if the file is
 * being read. */
extern SheetQuery *cat_visual_source_rows(Made *made);
/* The number of a column of the sheet; -1 where there is none, and an error at the field. */
extern int cat_visual_source_column(const Made *made, const SheetQuery *asked, const char *field,
									const char *name);
/* The elements of a JSON array of texts, a List of char *; NIL for null. */
extern List *cat_visual_source_names(const char *json);

/* visual_read.c */

/* Begin a read of one record: arguments are its id, query, actor and known states.  The record's
 * instant is settled; cat_visual_read_end() follows. */
extern void cat_visual_read_begin(VisualRead *read, FunctionCallInfo fcinfo, const char *resource);
/* The values of the fields of the visible record, a List of char *, NULL for null.  fields: their
 * names, up to a NULL.  OD404 where there is none. */
extern char **cat_visual_read_fields(VisualRead *read, const char *const *fields);
/* The value of a parameter, NULL where it is not given; names: those that the call takes, up to a
 * NULL.  Other parameters are ignored. */
extern const char *cat_visual_read_word(const VisualRead *read, const char *name);
extern void cat_visual_read_require_known(VisualRead *read, const char *const *names);
/* End the read. */
extern Datum cat_visual_read_end(VisualRead *read, FunctionCallInfo fcinfo);

#endif /* CATALOGUE_VISUALS_VISUALS_INTERNAL_H */
