/*
 * write.h
 *	  Changes of records: one call that changes a record, and the record that it writes.
 *	  Decisions: docs/explanation/decisions.md#extensionwrite
 */
#ifndef CATALOGUE_WRITE_WRITE_H
#define CATALOGUE_WRITE_WRITE_H

#include "catalogue.h"

#include "base/body.h"
#include "read/read.h"

/* One call that changes a record. */
typedef struct WriteCall
{
	Resource *resource;
	Actor actor;
	const Actor *outer; /* of the call that this one is made in, for its triggers; or NULL */
	const char *action;
	const char *id;
	const char *match; /* state tags that are still to be looked at; NULL: none */
	List *ignored;	   /* of char *: members of the body that mean nothing */
	const char *meta;  /* further members of the reply's meta, NULL: none */
} WriteCall;

typedef struct NewRecord
{
	Resource *resource;
	int natts;
	Datum *values; /* by attribute number less one */
	bool *nulls;
	bool *given;
	List **links; /* by relation: ids, where linked */
	bool *linked;
	List *errors;
	List *ignored;	/* of char *: members of the body that mean nothing */
	const char *id; /* once it is written */
} NewRecord;

/* What a change of a resource's records does besides writing the values of the body. */
typedef struct WriteHook
{
	const char *resource;
	/* Before an update; NULL: nothing. */
	void (*update)(const WriteCall *call, List *members, NewRecord *record);
	/* Before a creation: create another record if the body describes one; the reply shows that of
	 * *other, which is unchanged if there is none.  NULL: nothing. */
	void (*create)(const WriteCall *call, List *members, WriteCall *other);
} WriteHook;

/* Columns of a resource that are made from the rows of files that a record names. */
typedef struct DerivedData
{
	const char *resource;
	const char *files[3];	  /* columns with the ids of the files */
	const char *needed[2][5]; /* they are made where none of the columns of one of these is null */
	const char *inputs[4];	  /* further columns that they depend on */
	const char *made[6];	  /* the first one takes values of clients where it is not made */
	/* Set needed columns that a record may leave out, and add errors for others; NULL: it may leave out none. */
	void (*complete)(Resource *resource, Datum *values, bool *nulls, List **errors);
	/* Make them: values by attribute number less one.  strict: add errors, or raise OD409 or
	 * OD422, where they cannot be made; else they are null then. */
	void (*make)(Resource *resource, Datum *values, bool *nulls, bool strict, List **errors);
	/* Add an error for a value of the first one that is given where it is not made; NULL: any is taken. */
	void (*check)(const Field *field, Datum value, List **errors);
	/* Return "notes" of meta: what may mislead in a value of the first one; NULL for nothing. */
	char *(*notes)(Datum value);
} DerivedData;

/* write_call.c */

/* Begin a change of a resource's records; actor: number of the argument "actor", whom triggers see until the end of the
 * call.  Raises OD405 or OD404 if the resource does not have the action; OD401 or OD403 if no rule grants it. */
extern void cat_write_call_open(WriteCall *call, FunctionCallInfo fcinfo, const char *resource,
								const char *action, int actor);
/* Restore the actor that triggers see: that of the enclosing call, if any. */
extern void cat_write_call_leave(const WriteCall *call);
/* Begin a call that changes the resource named by its argument "resource"; like cat_write_call_open(). */
extern void cat_write_call_begin(WriteCall *call, FunctionCallInfo fcinfo, const char *action,
								 const CallArguments *args);
/* Set the record to change.  match: the entity tags that the caller allows, NULL for any.  Raises
 * OD403 if no rule grants changes of the record, OD404 if the actor does not see it, OD412 if
 * the precondition fails. */
extern void cat_write_call_take(WriteCall *call, const char *id, const char *match);
/* End a change.  The arguments "return" and "relations" determine whether the reply contains the record. */
extern Datum cat_write_call_end(WriteCall *call, FunctionCallInfo fcinfo,
								const CallArguments *args);

/* form.c */

/* Convert the members of a form, all of them texts, to the values that they represent.  A text
 * that is no value of the field's kind is left for validation to refuse.  A name that occurred
 * several times is an array of texts. */
extern void cat_form_convert(Resource *resource, List *members);
/* As cat_form_convert(), of the cells of a row: the text "null" is a text there, and a record that
 * is referred to may be called by its name, where that is unique and the caller sees the record. */
extern void cat_form_convert_cells(Resource *resource, List *members, AccessLevel access);

/* write.c */

/* Set the hooks of all resources; called once, when the library is loaded. */
extern void cat_write_set_hooks(const WriteHook *hooks, int count);
/* Call the hooks of the call's resource; members: those of the body. */
extern void cat_write_run_hooks(const WriteCall *call, List *members, NewRecord *record);
/* Create a record, and set call->id. */
extern void cat_write_create(WriteCall *call, NewRecord *record);
/* Create records by bodies, a List of char *, by one statement, all or none: their ids, a List of char *. */
extern List *cat_write_create_all(const Actor *actor, const char *resource, List *bodies);
/* Raise what the creation or the change of a record by these members is refused for, as far as their
 * values tell: OD400, OD403.  later: names of fields that get their values later, the last is NULL. */
extern void cat_write_check(WriteCall *call, List *members, const char *const *later);
/* Change the record of the call. */
extern void cat_write_update(WriteCall *call, NewRecord *record);

/* new_record.c */

/* Initialize a record without values. */
extern void cat_new_record_begin(NewRecord *record, Resource *resource);
/* Read the values of a body, and their errors.  call->id is set if an existing record is changed. */
extern void cat_new_record_read(NewRecord *record, const WriteCall *call, List *members);
/* Whether a member of a body has a meaning for a resource, if the actor sees or may write it. */
extern bool cat_new_record_knows(Resource *resource, const char *name, const Actor *actor);
/* The names of members that have none, a List of char *: FAULTS_MAX of them at most.  They are added
 * to the errors if the actor wants strict handling. */
extern List *cat_new_record_unknown(Resource *resource, const Actor *actor, List *members,
									List **errors);
/* Set a column to a value of the service's own, given as text; NULL for null. */
extern void cat_new_record_keep(NewRecord *record, const char *column, const char *text);
/* Return the given value of a text column, NULL if there is none. */
extern char *cat_new_record_text(const NewRecord *record, const char *column);

/* derived.c */

/* Set what is made of records; called once, when the library is loaded. */
extern void cat_derived_set(const DerivedData *derived, int count);
/* Return whether a field has the id of a file that columns of its resource are made from. */
extern bool cat_derived_reads(const Resource *resource, const Field *field);

/* reference.c */

/* Whether another living record than this one has a name; true where that is not known. */
extern bool cat_reference_has_name(Resource *resource, const char *name, const char *id);

/* parse_options.c */

/* Add an error for each option of a value that is not valid.  field: the name of the field in errors. */
extern void cat_parse_options_check(const char *field, const Member *member, List **errors);

#endif /* CATALOGUE_WRITE_WRITE_H */
