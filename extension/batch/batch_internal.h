/*
 * batch_internal.h
 *	  Parts of a batch: used inside batch/ only.
 */
#ifndef CATALOGUE_BATCH_BATCH_INTERNAL_H
#define CATALOGUE_BATCH_BATCH_INTERNAL_H

#include "catalogue.h"

#include "base/body.h"

#define BATCH_PARTS_MAX 1000

/* What a part does, as a method and a path say it. */
typedef struct Operation
{
	const char *method;
	int words;		  /* of the path */
	const char *last; /* the third word, NULL for any transition between states */
	bool takes_body;
	int status; /* of its result */
	const char *
		sql; /* $1 resource, $2 id, $3 body, $4 return, $5 relations, $6 actor, $7 match, $8 address,
					  * $9 action */
} Operation;

typedef struct Part
{
	const Operation *operation;
	char *words[3];	   /* of its path: resource, id, action */
	const char *body;  /* JSON text, NULL for none */
	const char *match; /* argument "match" of the calls, NULL for none */
	const char *id;	   /* of its record, once it is executed */
	List *references;  /* of int: numbers of the parts that it refers to */
	bool refused;	   /* its method is not one of the actor's key */
	bool failed;	   /* or refers to one that failed */
} Part;

/* batch_part.c */

/* Read the part of a number, from 1 on; errors are added as those of fields are. */
extern void cat_batch_part_read(Part *part, int number, const Member *member, List **errors);

/* batch_reference.c */

/* The number that a text such as "$1" refers to; -1 where it is no reference.
 * One that is too large for a part is BATCH_PARTS_MAX + 1. */
extern int cat_batch_reference_number(const char *text, size_t length);
/* The numbers that the strings in a JSON text refer to, a List of int. */
extern List *cat_batch_reference_find(const char *json);
/* The JSON text with the ids of parts in place of references to them, palloc'd. */
extern char *cat_batch_reference_fill(const char *json, const Part *parts);

#endif /* CATALOGUE_BATCH_BATCH_INTERNAL_H */
