/*
 * batch_internal.h
 *	  Parts of a batch: used inside batch/ only.
 *	  Decisions: docs/explanation/decisions.md#extensionbatch
 */
#ifndef CATALOGUE_BATCH_BATCH_INTERNAL_H
#define CATALOGUE_BATCH_BATCH_INTERNAL_H

#include "catalogue.h"

#include "utils/array.h"

#include "base/body.h"
#include "call/call.h"

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
	const char *row;   /* text of the row that it is made of, NULL for none */
	size_t length;	   /* of that row */
	int line;		   /* in which the row begins */
	List *references;  /* of int: numbers of the parts that it refers to */
	List *named;	   /* of int: those that its body refers to */
	bool filled;	   /* strings of its body stand for others */
	bool failed;	   /* or refers to one that failed */
} Part;

typedef struct Batch
{
	Part *parts;
	int count;
	int next; /* index of the part to execute */
	const char *wanted;
	const char *relations;
	const char *address;
	Datum actor;
	bool no_actor;
	const struct BodyRows *rows; /* whose rows the parts are made of; NULL for parts of a body */
	StringInfo results;			 /* elements of a JSON array */
	StringInfo faults;			 /* likewise */
	int nfaults;
	int code;			 /* SQLSTATE of all faults, OD400 where they differ */
	const char *message; /* of the first fault */
} Batch;

/* batch.c */

/* A batch without parts, by the arguments return, relations, actor and address of a function. */
extern Batch cat_batch_begin(FunctionCallInfo fcinfo, const CallArguments *args);
/* Add the fault of a part; detail: JSON of the errors by field, NULL for none. */
extern void cat_batch_add_fault(Batch *batch, int number, int code, const char *message,
								const char *detail);
/* Execute all parts, or none: then raise the faults of all.  The reply has their results. */
extern Datum cat_batch_run(Batch *batch, FunctionCallInfo fcinfo, CallReply *reply);

/* batch_part.c */

/* The number that a text such as "$1" refers to; -1 where it is no reference.  One that is too large
 * for a part is BATCH_PARTS_MAX + 1. */
extern int cat_batch_part_reference(const char *text, size_t length);
/* Return whether a string stands for itself without its first character. */
extern bool cat_batch_part_is_doubled(const char *text);
/* Read the part of a number, from 1 on; errors are added as those of fields are. */
extern void cat_batch_part_read(Part *part, int number, const Member *member, List **errors);
/* Let a part create a record of a resource. */
extern void cat_batch_part_create(Part *part, const char *resource);

/* batch_rows.c */

/* The body of a part that is made of a row, JSON, palloc'd. */
extern char *cat_batch_rows_body(const struct BodyRows *rows, const Part *part);
/* A CSV text (RFC 4180) that is read. */
typedef struct CsvReader
{
	const char *at;
	const char *end;
	int line;			 /* in which the record begins, from 1 on */
	int next_line;		 /* line of the text behind at */
	bool open;			 /* there are further cells in the record */
	const char *fault;	 /* of the record, a static text; NULL for none */
	StringInfoData cell; /* the last cell, decoded */
} CsvReader;

#endif /* CATALOGUE_BATCH_BATCH_INTERNAL_H */
