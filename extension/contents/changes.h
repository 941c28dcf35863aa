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

/* Rows that differ, in the order of the key. */
typedef struct SheetChanges SheetChanges;

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

/* Compare the two versions, in the present memory context: what lives until cat_changes_end(). */
extern SheetChanges *cat_changes_begin(const ChangesQuery *query);
/* Append the next change as a JSON object, or go past it where out is NULL; false at the end. */
extern bool cat_changes_next(SheetChanges *changes, StringInfo out);
/* The changes that were passed so far, as members of "meta", palloc'd. */
extern char *cat_changes_counts(const SheetChanges *changes);
/* Free the sorted rows. */
extern void cat_changes_end(SheetChanges *changes);

/* changes_digest.c */

/* Sort the rows of both versions that are not, cell by cell, a row of the other one. */
extern void cat_changes_digest_sort(const ChangesQuery *query, SheetSort **sorts);

#endif /* CATALOGUE_CONTENTS_CHANGES_H */
