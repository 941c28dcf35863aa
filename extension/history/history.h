/*
 * history.h
 *	  Commit times, read versions, history, row counters, action log.
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

/* The other transactions that are committing, palloc'd: holders of the lock of commit times. */
extern VirtualTransactionId *cat_commit_time_committing(int *count);
/* Whether the transaction has changed records, so that its changes have no commit time yet. */
extern bool cat_commit_time_is_due(void);
/* Whether the transaction has changed records of a resource before, or tried to. */
extern bool cat_commit_time_has(const Resource *resource);
/* Note that the transaction changes records of a resource; returns the number of the change.
 * delta: by how much the counts of records change; NULL for none. */
extern int64 cat_commit_time_touch(const Resource *resource, const Tally *delta);
/* Drop the transaction's changes so far from the count of a resource's records. */
extern void cat_commit_time_forget(const Resource *resource);
/* Register the callbacks of a transaction's end; called once, when the library is loaded. */
extern void cat_commit_time_init(void);

/* read_version.c */

/* Set the version of a read: the one asked for, else the newest change that is visible to the
 * caller; sets version, then, newest and as_of of params, and may push a snapshot, so that
 * cat_read_version_release() follows.  resources: List of char *, all that the read depends on.
 * OD422 before the history. */
extern void cat_read_version_settle(RequestParams *params, List *resources);
/* Pop the snapshot that cat_read_version_settle() pushed, if it did. */
extern void cat_read_version_release(const RequestParams *params);
/* The instant, or one behind the newest change of all resources, and of these besides, that is
 * visible from then on. */
extern TimestampTz cat_read_version_behind(TimestampTz instant, List *resources);

/* Whether the active snapshot sees all transactions that were pending at a commit time: an array of
 * catalogue.change. */
extern bool cat_read_version_is_settled(TimestampTz at, Datum pending);

/* read_dependencies.c */

/* The names of all resources that a read looks at, each once: a List of char *. */
extern List *cat_read_dependencies(const RequestParams *params, const Selection *selection,
								   const Source *source);

/* history.c */

/* Copy the states that a statement has changed into the history.  Of a record that has the
 * number of its own change only the later states are stored. */
extern void cat_history_write(Resource *resource, const struct TriggerData *trigger);
/* Mark in the history that a change deleted a record. */
extern void cat_history_end(const Resource *resource, const char *id);

/* row_counter.c */

/* The count that a caller of that access level is told. */
extern int64 cat_row_counter_of(const Tally *tally, AccessLevel access);
/* A tally of records that all callers see alike. */
extern Tally cat_row_counter_alike(const Resource *resource, int64 count);
/* Add to the counts of a resource's records; less than 0 to subtract. */
extern void cat_row_counter_add(const Resource *resource, const Tally *delta);
/* Merge the rows that the counts of a resource are the sum of: after many changes at once. */
extern void cat_row_counter_fold(const Resource *resource);
/* The counts of a resource's records, as the calling statement sees them. */
extern Tally cat_row_counter_read(const Resource *resource);

/* action_log.c */

/* Record actions on records, a List of LogEntry *, in the transaction that does them.  What the
 * service writes into the log is not recorded itself. */
extern void cat_action_log_records(const Resource *resource, List *entries);
/* 42501 where a table that the service alone writes is changed by another one than its owner. */
extern void cat_action_log_require_owner(Relation table);
/* Record that all records of a resource were removed. */
extern void cat_action_log_all_removed(const Resource *resource);

#endif /* CATALOGUE_HISTORY_HISTORY_H */
