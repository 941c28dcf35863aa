/*
 * read_plan.h
 *	  What a call reads, and what it shows of it.
 */
#ifndef CATALOGUE_QUERY_READ_PLAN_H
#define CATALOGUE_QUERY_READ_PLAN_H

#include "catalogue.h"

#include "query/query.h"

/* What of a resource is shown, and what is embedded in it. */
typedef struct Selection
{
	Resource *resource;
	AccessLevel access; /* of who asks */
	bool css;			/* colours are shown with "#" before them */
	Bitmapset *fields;	/* index into Resource.fields */
	Bitmapset *own;	  /* so, of the user's own record, which shows what is closed; NULL: the same */
	Bitmapset *lists; /* index into Resource.relations: owned many-to-many, shown as ids */
	List *embeds;	  /* of Embed * */
	bool embedded;	  /* each relation is one of them */
} Selection;

struct Rows;

/* Append the text of one record. */
typedef void (*RecordWriter)(StringInfo out, const Selection *selection, const struct Rows *rows,
							 int row);

typedef struct Embed
{
	CatRelation *relation;
	Selection *selection; /* NULL: an empty array is shown */
	RecordWriter write;	  /* NULL: as JSON */
	struct HTAB *rows;	  /* key (id of the record, or of its owner): EmbedRow */
} Embed;

typedef struct EmbedRow
{
	char key[ID_LENGTH + 1];
	StringInfoData text; /* of one record, or of several with commas between */
} EmbedRow;

/* Which records a list is of: all of a resource, or those of one record's relation. */
typedef struct Source
{
	Resource *resource;	   /* of that record */
	CatRelation *relation; /* NULL: all */
	const char *owner;	   /* id of the record */
} Source;

/* What a call reads: made from its arguments and the query string, then handed down. */
typedef struct ReadPlan
{
	Source source;
	RequestParams *params;
	Selection *selection; /* NULL where no records are shown */
	List *resources;	  /* of char *: all that the read depends on */
	int64 count;		  /* of the list, once it has been counted */
	bool counted;
} ReadPlan;

/* selection.c */
/* Select everything that is shown of a record by default.  embedded: to-one relations are
 * embedded as records, to-many relations as arrays, which are empty unless included.  Otherwise
 * references are shown as ids. */
extern Selection *cat_selection_all(Resource *resource, const Actor *actor, bool embedded);
/* Return the selection that the parameters "fields" and "include" ask for. */
extern Selection *cat_selection_params(const RequestParams *params, const Actor *actor,
									   bool embedded);

#endif /* CATALOGUE_QUERY_READ_PLAN_H */
