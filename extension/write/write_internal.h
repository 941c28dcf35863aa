/*
 * write_internal.h
 *	  Preconditions, links, deletion and states: used inside write/ only.
 */
#ifndef CATALOGUE_WRITE_WRITE_INTERNAL_H
#define CATALOGUE_WRITE_WRITE_INTERNAL_H

#include "catalogue.h"

#include "access/htup.h"
#include "executor/tuptable.h"

#include "base/body.h"
#include "write/write.h"

/* write_call.c */

/* As cat_write_call_take(), of the record that argument 1 names; argument "match" has the entity
 * tags. */
extern void cat_write_call_target(WriteCall *call, FunctionCallInfo fcinfo, int match);
/* Lock a record for a change; false where it does not exist or is deleted. */
extern bool cat_write_call_lock(const Resource *resource, const char *id);
/* OD404 where the last statement, an update of one record, met none that exists. */
extern void cat_write_call_require_met(const Resource *resource, const char *id);

/* precondition.c */

/* OD412 where the record's entity tag does not meet the call's match; the record stays locked,
 * so that the tag still holds when it is changed. */
extern void cat_precondition_require(WriteCall *call);

/* new_record.c */

/* The field that a member is for, by its name of now or an earlier one; NULL for none. */
extern const Field *cat_new_record_field(Resource *resource, const char *name);
/* The resource whose ids a member takes, one or a list of them; NULL for none. */
extern Resource *cat_new_record_target(Resource *resource, const char *name);
/* Raise the errors of the body, if any, together with those that the trigger would find.  id:
 * the record that is changed, NULL for a new one. */
extern void cat_new_record_refuse(NewRecord *record, const char *id);

/* defaults.c */

/* Fill what is null and has a default that depends on who asks: created_by, updated_by, status. */
extern void cat_defaults_fill(Resource *resource, Datum *values, bool *nulls);

/* link.c */

/* The ids that a member lists for a relation, each once, in order; List of char *; null is
 * empty.  Adds errors of the rules type, maxLength or reference. */
extern List *cat_link_ids(const CatRelation *relation, const Member *member, List **errors);
/* Link a new record with these ids, in this order; its own list has been written already. */
extern void cat_link_write(const CatRelation *relation, const char *id, List *ids);
/* Link a record with these ids alone: its links with others come to an end. */
extern void cat_link_replace(const CatRelation *relation, const char *id, List *ids);

/* deletion.c */

/* Lock a record against new references, and wait for writers that refer to it. */
extern void cat_deletion_lock(const Resource *resource, const char *id);
/* Delete with a record what belongs to it. */
extern void cat_deletion_cascade(const Resource *resource, const char *id, TimestampTz at);
/* OD409, with the counts by resource, while records that are not deleted refer to a deleted one. */
extern void cat_deletion_check(const Resource *resource, const char *id);
/* Restore what was deleted with a record at that time. */
extern void cat_deletion_undo(const Resource *resource, const char *id, TimestampTz at);

/* state.c */

/* The status of a new record. */
extern const char *cat_state_draft(void);
/* Set the time of a new state in a row, unless the statement sets it.  changed: by attribute
 * number less one; NULL for a new record. */
extern void cat_state_complete(Resource *resource, Datum *values, bool *nulls, const bool *changed);
/* Set a published record under review again where the call changes what was reviewed and its
 * user may not publish.  old, values: the row before and after, by attribute number less one;
 * changed: where they differ. */
extern void cat_state_take_back(Resource *resource, const Datum *old, Datum *values, bool *changed);
/* The status that an action leads a record to.  OD404 where there is no such action or record,
 * OD409 where the record's status does not allow it. */
extern const char *cat_state_after(const Resource *resource, const char *id, const char *action);
/* OD401 or OD403 unless the actor may set the status of the call's record, NULL for none; OD409
 * where its own records may not move so.  A call without id creates a record. */
extern void cat_state_require(const WriteCall *call, const char *status);
/* OD409 where a deleted record is the status of a state. */
extern void cat_state_check_deletion(const Resource *resource, const char *id);
/* Do what follows from a change of a record's status to the records that belong to it. */
extern void cat_state_follow(const Resource *resource, const char *id, const char *before,
							 const char *after);

/* shown.c */

/* Set the flags of a record (whether outsiders see what it refers to); values by attribute
 * number less one.  changed: attributes that a statement writes; NULL for all. */
extern void cat_shown_fill(Resource *resource, Datum *values, bool *nulls, const bool *changed);
/* Whether flags of other records depend on records of a resource. */
extern bool cat_shown_leads(const Resource *resource);
/* Whether a change of a record, given by its rows, shows it to outsiders or hides it. */
extern bool cat_shown_turns(const Resource *resource, HeapTuple old, HeapTuple new);
/* Set the flags of the records that refer to one, which outsiders now see or do not see.
 * deleted: the record is deleted, and those deleted with it are left out. */
extern void cat_shown_cascade(const Resource *resource, const char *id, bool shown, bool deleted);

/* differ.c */

/* Which attributes differ between two rows: by attribute number less one, palloc'd. */
extern bool *cat_differ_columns(TupleDesc desc, const Datum *olds, const bool *old_nulls,
								const Datum *news, const bool *new_nulls);
/* Whether two values of a base type that differ mean the same: JSON with other white space. */
extern bool cat_differ_alike(Oid type, Datum old, Datum new);
/* Whether an update changes a record, the time of its last change aside. */
extern bool cat_differ_records(const Resource *resource, const Datum *olds, const bool *old_nulls,
							   const Datum *news, const bool *new_nulls);

/* derived.c */

/* Whether anything is made of records of a resource. */
extern bool cat_derived_is_of(const Resource *resource);
/* Ignore the value of a body for a column that is made; id: the record, NULL for a new one. */
extern void cat_derived_ignore(NewRecord *record, const char *id);
/* Set the made columns of a row where the statement changes what they depend on; changed: NULL for
 * all.  strict: errors where they cannot be made. */
extern void cat_derived_fill(Resource *resource, Datum *values, bool *nulls, const bool *changed,
							 bool strict, List **errors);
/* The counts that were made of a record, as members of a JSON object without the braces; NULL for
 * none. */
extern const char *cat_derived_counts(Resource *resource, const char *id);
/* Make the columns of the records that show a file again. */
extern void cat_derived_follow(const char *file);

/* What an update changes, as a JSON object for the action log, palloc'd: each changed field, and
 * list of ids, with its values before and after, {"name":{"before":…,"after":…}}, without
 * updated_at and flags that are never shown.  Instead of secrets, of values of a resource whose
 * records may be hidden from users, and of values of more than 10,000 bytes it has
 * {"omitted":true}. */
extern char *cat_differ_json(const Resource *resource, struct TupleTableSlot *old,
							 struct TupleTableSlot *new);

/* internal_update.c */

/* Whether an update changes only columns that the service itself sets; changed: by attribute
 * number less one. */
extern bool cat_internal_update_columns(const Resource *resource, const bool *changed, int natts);
/* As cat_internal_update_columns(), by the rows before and after. */
extern bool cat_internal_update_rows(const Resource *resource, struct TupleTableSlot *old,
									 struct TupleTableSlot *new);

#endif /* CATALOGUE_WRITE_WRITE_INTERNAL_H */
