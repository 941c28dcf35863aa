/*
 * changes.h
 *	  Changes of a file's rows between two versions.
 */
#ifndef CATALOGUE_CONTENTS_CHANGES_H
#define CATALOGUE_CONTENTS_CHANGES_H

#include "catalogue.h"

#include "contents/contents.h"
#include "contents/contents_internal.h"

/* The two versions. */
typedef enum Version
{
	VERSION_FROM,
	VERSION_TO,
	VERSIONS
} Version;

/* What is asked of changes. */
typedef struct ChangesQuery
{
	SheetQuery *versions[VERSIONS]; /* the page is that of VERSION_TO */
	const char *key;				/* names of columns, with commas between */
	List *keys[VERSIONS];			/* of int: those columns of each version */
} ChangesQuery;

/* changes_query.c */

/* Read a query on changes, and set the instants of the two reads; cat_changes_query_release() ends
 * them.  OD422 for a parameter that is missing or has an invalid value. */
extern ChangesQuery *cat_changes_query_read(const char *query, const Actor *actor);
/* Find the two versions of the file's sheet, and the columns of the key.  Errors as of
 * cat_sheet_lookup_file(); OD422 for an unknown column, with those that there are. */
extern void cat_changes_query_find(ChangesQuery *query, const char *file);
/* Restore the snapshot of the caller. */
extern void cat_changes_query_release(const ChangesQuery *query);

/* changes.c */

/* The changes as lines of JSON, in the order of the key. */
extern SheetStream *cat_changes_stream(const ChangesQuery *query);

#endif /* CATALOGUE_CONTENTS_CHANGES_H */
