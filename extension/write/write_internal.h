/*
 * write_internal.h
 *	  Preconditions, links, deletion and states: used inside write/ only.
 */
#ifndef CATALOGUE_WRITE_WRITE_INTERNAL_H
#define CATALOGUE_WRITE_WRITE_INTERNAL_H

#include "catalogue.h"

#include "executor/tuptable.h"

#include "base/body.h"
#include "write/record_internal.h"
#include "write/write.h"

/* write_call.c */

extern void cat_write_call_target(WriteCall *call, FunctionCallInfo fcinfo,
								  const CallArguments *args);
extern bool cat_write_call_lock(const Resource *resource, const char *id);
extern void cat_write_call_require_met(const Resource *resource, const char *id);

/* internal_update.c */

extern bool cat_internal_update_columns(const Resource *resource, const bool *changed, int natts);
extern bool cat_internal_update_rows(const Resource *resource, TupleTableSlot *old,
									 TupleTableSlot *new);

/* write.c */
extern void cat_write_require_precondition(WriteCall *call);

/* deletion.c */

extern void cat_deletion_lock(const Resource *resource, const char *id);
extern void cat_deletion_cascade(const Resource *resource, const char *id, TimestampTz at);
extern void cat_deletion_check(const Resource *resource, const char *id);
extern void cat_deletion_undo(const Resource *resource, const char *id, TimestampTz at);
extern void cat_deletion_require_within(const Dependent *dependent, const char *where,
										const char *id, StatementParam value);

/* state.c */

extern const char *cat_state_draft(void);
extern void cat_state_complete(Resource *resource, Datum *values, bool *nulls, const bool *changed);
extern void cat_state_take_back(Resource *resource, const Datum *old, Datum *values, bool *changed);
extern const char *cat_state_after(const Resource *resource, const char *id, const char *action);
extern void cat_state_require(WriteCall *call, const char *status);
extern void cat_state_check_deletion(const Resource *resource, const char *id);
extern void cat_state_follow(const Resource *resource, const char *id, const char *before,
							 const char *after);

/* differ.c */

extern bool *cat_differ_columns(TupleDesc desc, const Datum *olds, const bool *old_nulls,
								const Datum *news, const bool *new_nulls);
extern bool cat_differ_alike(Oid type, Datum old, Datum new);
extern bool cat_differ_records(const Resource *resource, const Datum *olds, const bool *old_nulls,
							   const Datum *news, const bool *new_nulls);
extern char *cat_differ_json(const Resource *resource, TupleTableSlot *old, TupleTableSlot *new);

/* convert.c */

extern char *cat_convert_id(const char *field, const Member *member, List **errors);
extern void cat_convert_member(const Field *field, const Member *member, Datum *value, bool *isnull,
							   List **errors);

/* validate.c */

extern char *cat_validate_text(const Field *field, const Datum *values, const bool *nulls);
extern void cat_validate_references(const char *name, Resource *target, const char *condition,
									const char *referrer, List *ids, List **errors);
extern void cat_validate_record(Resource *resource, Datum *values, const bool *nulls,
								const bool *changed, List **errors);

/* Put a number behind a slug that no record may have; add an error where all numbers are taken. */
extern void cat_validate_slug(Resource *resource, Datum *values, const bool *nulls, List **errors);

/* constraint.c */

/* Re-throw the error just caught, that of a constraint as a validation error.  context: the caller's. */
pg_noreturn extern void cat_constraint_rethrow(Resource *resource, MemoryContext context, int code);

/* address.c */

/* Return whether a word stands for another path where those of a resource have the id: "count". */
extern bool cat_address_is_path(const char *resource, const char *word);
/* Return whether a word cannot be the slug of a record, as it stands for a path, or another living
 * record has given it up by renaming not longer ago than catalogue.name_retention. */
extern bool cat_address_is_held(const Resource *resource, const char *word, const char *id);
/* Keep the names in addresses that a living record has given up by an update. */
extern void cat_address_follow(Resource *resource, const char *id, TupleTableSlot *old,
							   TupleTableSlot *new);

/* derived.c */

extern bool cat_derived_is_of(const Resource *resource);
extern void cat_derived_ignore(NewRecord *record, const char *id);
/* Add an error for a given value that has more than a made one can have.  changed: NULL for all. */
extern void cat_derived_check(Resource *resource, const Datum *values, const bool *nulls,
							  const bool *changed, List **errors);
extern void cat_derived_fill(Resource *resource, Datum *values, bool *nulls, const bool *changed,
							 bool strict, List **errors);
extern const char *cat_derived_meta(Resource *resource, const char *id);
extern void cat_derived_follow(const char *file);

/* dataset_facts.c */

/* Set the columns of a dataset that have what its optionals tell; add an error for another value that a
 * statement gives.  changed: NULL for a new record. */
extern void cat_dataset_facts_fill(Resource *resource, Datum *values, bool *nulls,
								   const bool *changed, List **errors);

/* setting.c */

extern void cat_setting_check(Resource *resource, const char *id, const Datum *values,
							  const bool *nulls, const bool *changed, List **errors);

/* embed_code.c */

extern void cat_embed_code_fill(Resource *resource, const Datum *old_values, const bool *old_nulls,
								Datum *values, bool *nulls, const bool *changed);

/* shown.c */
extern void cat_shown_fill(Resource *resource, Datum *values, bool *nulls, const bool *changed);
extern bool cat_shown_has_dependents(const Resource *resource);
extern void cat_shown_cascade(const Resource *resource, const char *id, bool shown, bool deleted);

/* reference.c */
extern bool cat_reference_name_is_taken(Resource *resource, const UniqueKey *key, List *values,
										const char *id, bool *taken);
extern bool cat_reference_lock_take(Resource *resource, const char *id, bool *found);
/* Lock the records that a record belongs to, which is not locked itself yet.  A change of a
 * record follows it down while it holds its own lock, so a writer takes that of the upper one first.
 * contents: against new contents of a file as well. */
extern void cat_reference_lock_parents(const Resource *resource, const char *id, bool contents);
/* Raise OD403 if the call's rights are limited to an organization, and a record that the call's one
 * belongs to is not of it.  record: a body that is about to be written, which may move it; or NULL. */
extern void cat_reference_require_within(const WriteCall *call, const NewRecord *record);

#endif /* CATALOGUE_WRITE_WRITE_INTERNAL_H */
