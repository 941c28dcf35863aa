/*
 * history.h
 *	  Commit times, read versions, history, row counters, action log.
 *	  Decisions: docs/explanation/decisions.md#extensionhistory
 */
#ifndef CATALOGUE_HISTORY_HISTORY_H
#define CATALOGUE_HISTORY_HISTORY_H

#include "catalogue.h"

#include "commands/trigger.h"
#include "storage/lock.h"

#include "query/query.h"
#include "query/sql_builder.h"

/* How many records, or how many more. */
typedef struct Tally
{
	int64 living;
	int64 shown; /* of them, to outsiders */
	int64 seen;	 /* changes of records that outsiders see before or after; of a change only */
} Tally;

/* An action on a record, for the action log. */
typedef struct LogEntry
{
	const char *action;
	const char *id;
	const char *changes;	 /* what an update changed, as JSON; else NULL */
	AccessLevel seen_before; /* the least access level that saw the record, ACCESS_LEVELS: none */
	AccessLevel seen_after;
} LogEntry;

/* commit_time.c */

extern VirtualTransactionId *cat_commit_time_committing(int *count);
/* Return whether the transaction has changed records; no instant identifies its state yet. */
extern bool cat_commit_time_is_due(void);
/* Register a change of a resource's records; return the number of the change. delta: growth in
 * living records (negative for fewer) and changes that outsiders see; NULL for none. */
extern int64 cat_commit_time_touch(const Resource *resource, const Tally *delta);
/* Cancel the transaction's contribution so far to the number of a resource's records. */
extern void cat_commit_time_forget(const Resource *resource);
/* Register the callbacks of a transaction's end; called once, when the library is loaded. */
extern void cat_commit_time_init(void);

/* read_version.c */

/* Determine the instant of a read: the one in the request, else that of the newest change that
 * is visible and that the caller may learn of. resources: List of const char *, the resources
 * that the read depends on.  Sets params->version; as_of, if the request names an instant; then,
 * if an earlier state must be read; newest, the commit time of the newest change; and waited.
 * Raises OD422 for an instant before the history.  Call cat_read_version_release() at the end. */
extern void cat_read_version_acquire(RequestParams *params, List *resources);
/* Pop the snapshot that cat_read_version_acquire() pushed, if it did. */
extern void cat_read_version_release(const RequestParams *params);
extern TimestampTz cat_read_version_behind(TimestampTz instant, List *resources);

/* Return whether the active snapshot sees all transactions that were committing at a commit
 * time. pending: those of the change, as int8[].  Commits before the server was started have
 * ended. */
extern bool cat_read_version_is_complete(TimestampTz at, Datum pending);
/* Set the names of all resources that a read depends on, each once. */
extern void cat_read_version_dependencies(ReadPlan *plan);

/* history.c */

/* Store the states that a statement has changed, for reads of an earlier instant.  For a
 * resource whose records contain the number of their first change, creations need no history
 * row.  On the first change in a transaction, whose number is new, no history row can exist yet. */
extern void cat_history_write(Resource *resource, const struct TriggerData *trigger);
/* Mark the history row of a deletion, so that scans of deleted records find it. */
extern void cat_history_end(const Resource *resource, const char *id);

/* update_order.c */

/* Follow what a statement has changed in when the records of a resource were changed last; before the
 * consequences, which may change the same records again. */
extern void cat_update_order_write(const Resource *resource, const struct TriggerData *trigger);

/* action_log.c */

/* Log actions on records, a List of LogEntry *, in the transaction that performs them.  Changes
 * that the service makes to the log are not logged. */
extern void cat_action_log_records(const Resource *resource, List *entries);
/* Raise 42501 if a table that only the service writes is changed by a user without its owner's
 * rights. */
extern void cat_action_log_require_owner(Relation table);
/* Log that all records of a resource were removed. */
extern void cat_action_log_all_removed(const Resource *resource);

/* row_counter.c */

/* Merge the rows of a resource into one, except those that other transactions hold. */
extern void cat_row_counter_fold(const Resource *resource);
/* Return the tally of a number of records of a resource whose records are all visible to the
 * same callers. */
extern Tally cat_row_counter_alike(const Resource *resource, int64 count);
/* Add to the number of living and shown records; negative for fewer. */
extern void cat_row_counter_add(const Resource *resource, const Tally *delta);
/* Return the number of records that the calling statement sees. */
extern Tally cat_row_counter_read(const Resource *resource);

/* facet_counter.c */

/* What a statement changes in the numbers of a resource's records by facets. */
typedef struct FacetCounts FacetCounts;

/* A record before or after a change. */
typedef struct CountedRecord
{
	struct TupleTableSlot *slot; /* with the columns of the resource's table */
	bool living;
	bool shown; /* to outsiders */
} CountedRecord;

/* Begin to count; NULL for a resource without counted facets, which the other functions take. */
extern FacetCounts *cat_facet_counter_begin(const Resource *resource);
/* Count a change of a record; before: NULL for a new one. */
extern void cat_facet_counter_follow(FacetCounts *counts, const CountedRecord *before,
									 const CountedRecord *after);
/* Store what was counted. */
extern void cat_facet_counter_end(FacetCounts *counts);
/* Return the facet of a name if its numbers are kept, else NULL. */
extern const CountedFacet *cat_facet_counter_find(const Resource *resource, const char *name);
/* Set the numbers of the records with a value of a facet whose numbers are kept, as the calling
 * statement sees them; false: they must be counted. */
extern bool cat_facet_counter_read(const Resource *resource, const char *facet, const char *value,
								   Tally *sum);

#endif /* CATALOGUE_HISTORY_HISTORY_H */
