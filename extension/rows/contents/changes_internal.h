/*
 * changes_internal.h
 *	  Changes of rows between two versions: used inside contents/ only.
 */
#ifndef CATALOGUE_CONTENTS_CHANGES_INTERNAL_H
#define CATALOGUE_CONTENTS_CHANGES_INTERNAL_H

#include "rows/contents/contents_internal.h"

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

/* The columns of one of the versions that are compared. */
typedef struct VersionColumns
{
	int count;
	const int *numbers; /* -1: the version has none of that name */
} VersionColumns;

/* changed_rows.c */

/* Have scans of both versions keep those rows only that are in one version more often than in the other: of equal rows
 * the first ones of the earlier version, or the last ones of the later.  None of versions that are the same one. */
extern void cat_changed_rows_find(ChunkScan *const scans[VERSIONS],
								  const VersionColumns columns[VERSIONS], bool same);

/* changes.c */

extern ChangesQuery *cat_changes_query_read(ReadCall *call, const char *query);
extern void cat_changes_query_find(ChangesQuery *query, const char *file);
extern SheetStream *cat_changes_stream(const ChangesQuery *query);

#endif /* CATALOGUE_CONTENTS_CHANGES_INTERNAL_H */
