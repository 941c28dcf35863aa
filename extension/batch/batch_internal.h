/*
 * batch_internal.h
 *	  Parts of a batch: used inside batch/ only.
 */
#ifndef CATALOGUE_BATCH_BATCH_INTERNAL_H
#define CATALOGUE_BATCH_BATCH_INTERNAL_H

#include "catalogue.h"

#include "utils/array.h"

#include "base/body.h"

#define BATCH_PARTS_MAX 1000

/* What a part does, as a method and a path say it. */
typedef struct Operation
{
	const char *method;
	int words;			/* of the path */
	const char *last;	/* the third word, NULL for any transition between states */
	const char *action; /* that a rule must grant, NULL for the third word */
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
	int line;		   /* that the client made it of, 0 for none */
	List *references;  /* of int: numbers of the parts that it refers to */
	bool refused;	   /* its method is not one of the actor's key */
	bool failed;	   /* or refers to one that failed */
} Part;

/* batch_part.c */

/* Read the part of a number, from 1 on; errors are added as those of fields are.  references: "$1"
 * stands for the id of a part. */
extern void cat_batch_part_read(Part *part, int number, const Member *member, bool references,
								List **errors);

/* batch_reference.c */

/* The number that a text such as "$1" refers to; -1 where it is no reference.
 * One that is too large for a part is BATCH_PARTS_MAX + 1. */
extern int cat_batch_reference_number(const char *text, size_t length);
/* The numbers that the strings in a JSON text refer to, a List of int. */
extern List *cat_batch_reference_find(const char *json);
/* The JSON text with the ids of parts in place of references to them, palloc'd. */
extern char *cat_batch_reference_fill(const char *json, const Part *parts);

/* batch_text.c */

/* The body of a part with the values that its texts represent in the fields of a resource, palloc'd.
 * OD404 and OD308 where there is no such resource. */
extern char *cat_batch_text_convert(const char *body, const char *resource);

/* replay.c */

/* Raise OD401 or OD403 unless the actor may still make the call that a kept reply is of.
 * arguments: those of the function; reply: what catalogue.packed() gave. */
extern void cat_replay_require(const Actor *actor, const char *function, ArrayType *arguments,
							   Datum reply);

#endif /* CATALOGUE_BATCH_BATCH_INTERNAL_H */
