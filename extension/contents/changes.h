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

/* changes.c */

extern ChangesQuery *cat_changes_query_read(const char *query, const Actor *actor);
extern void cat_changes_query_find(ChangesQuery *query, const char *file);
/* Restore the snapshot of the caller. */
extern void cat_changes_query_release(const ChangesQuery *query);
extern SheetStream *cat_changes_stream(const ChangesQuery *query);

#endif /* CATALOGUE_CONTENTS_CHANGES_H */
