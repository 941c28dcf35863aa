/*
 * pg.h
 *	  Access to PostgreSQL: statements, index scans, security context, invalidation.
 */
#ifndef CATALOGUE_PG_PG_H
#define CATALOGUE_PG_PG_H

#include "catalogue.h"

#include "pg/write_mode.h"

/* Records in the order of an index, read without a statement. */
typedef struct CatScan
{
	struct RelationData *table;
	struct RelationData *index;
	struct IndexScanDescData *desc;
	struct TupleTableSlot *slot;
} CatScan;

/* What PostgreSQL invalidates; a catalog can belong to several groups. */
typedef enum InvalidationGroup
{
	INVALIDATION_TABLES, /* definitions of tables and indexes */
	INVALIDATION_TYPES,	 /* types, labels of enumerations, schemas */
	INVALIDATION_ROLES,	 /* roles, memberships, schemas with their owners */
	INVALIDATION_READS,	 /* whatever changes the result of a read; no table that reads write */
	INVALIDATION_GROUPS
} InvalidationGroup;

/* security_context.c */

/* Note the owner of the library's functions; called once, when the library is loaded. */
extern void cat_security_context_init(void);
/* Pin the search path; returns what cat_security_context_unpin() takes, 0 where nothing was
 * changed. */
extern int cat_security_context_pin(void);
/* Put the search path back; nest: what cat_security_context_pin() returned. */
extern void cat_security_context_unpin(int nest);
/* Work with the rights of the owner; cat_security_context_return() follows, or an error. */
extern void cat_security_context_take(void);
/* Take the owner's rights in any case: for what a superuser's rights are too many. */
extern void cat_security_context_take_owners(void);
/* Switch to a role that may have fewer rights than the user, and cannot switch to another one. */
extern void cat_security_context_take_role(Oid role);
/* Put back what the last cat_security_context_take() found. */
extern void cat_security_context_return(void);
/* Whether the user whom the service works for has the owner's rights, and needs name no actor. */
extern bool cat_security_context_is_trusted(void);

/* owner_call.c */

/* Take the owner's rights and open SPI; cat_owner_call_end() follows, or an error. */
extern void cat_owner_call_begin(void);
/* Close SPI and give the owner's rights back. */
extern void cat_owner_call_end(void);

/* invalidation.c */

/* Register the callbacks for PostgreSQL's invalidations; called once, before all other caches. */
extern void cat_invalidation_init(void);
/* The number of the last invalidation; a cache stores it before it reads what it depends on. */
extern uint64 cat_invalidation_number(void);
/* The number of the last invalidation in a group, 0 for none; caches filled before are invalid. */
extern uint64 cat_invalidation_last(InvalidationGroup group);
/* Watch a table: the number of its last invalidation, which changes in place and stays allocated.
 * Of a table that is watched for the first time, the present number. */
extern const uint64 *cat_invalidation_of_table(Oid relid);

/* definition_hook.c */

/* Set what is called after a table was locked, and in PG_CATCH() after a statement failed. */
extern void cat_definition_hook_set(void (*lock)(void), void (*error)(void));
/* A table was locked and its rows were not read yet; an error where they cannot be read. */
extern void cat_definition_hook_lock(void);
/* Re-throw the error of a statement, or the one that the hook raises in its place. */
pg_noreturn extern void cat_definition_hook_error(void);

/* statement.c */

/* Free all prepared statements when there are too many, unless one of them is running. */
extern void cat_statement_trim(void);
/* Run a statement; SPI_tuptable and SPI_processed have the result.  fresh: with a snapshot of its
 * own, with this call's changes, else that of the caller.  limit: 0 for all rows. */
extern void cat_statement_run(const char *sql, int nargs, Oid *types, Datum *values,
							  const char *nulls, bool fresh, long limit);
/* As cat_statement_run(), in the caller's snapshot.  options: CURSOR_OPT_..._PLAN, or 0. */
extern void cat_statement_run_planned(const char *sql, int nargs, Oid *types, Datum *values,
									  int options);
/* As cat_statement_run() with a snapshot of its own; its triggers follow the mode. */
extern void cat_statement_run_in(WriteMode mode, const char *sql, int nargs, Oid *types,
								 Datum *values);

/* subtransaction.c */
/* Run a step in a subtransaction.  Its error, palloc'd, after a rollback; NULL where it ended. */
extern ErrorData *cat_subtransaction_run(void (*step)(void *argument), void *argument);

/* statement_timeout.c */

/* Stop the clock of statement_timeout, which limits the making of each piece of a stream and not
 * the time that its reader takes.  A timeout that has passed already stays. */
extern void cat_statement_timeout_pause(void);
/* Start the clock of statement_timeout anew. */
extern void cat_statement_timeout_resume(void);

/* result.c */

/* A column of the first row of the last statement, as it is. */
extern Datum cat_result_datum(int column, bool *isnull);
/* A column of that row as text, palloc'd; NULL where it is null. */
extern char *cat_result_text(int column);
/* A column of that row of type bigint; 0 where it is null. */
extern int64 cat_result_int64(int column);
/* A column of that row of type boolean; false where it is null. */
extern bool cat_result_bool(int column);

/* index_scan.c */

/* Whether neither privileges nor row security hide rows of a table. */
extern bool cat_index_scan_sees_all(Oid table);
/* Open a table and an index of it, by names in the schema catalogue; a seek function comes next.
 * False, and nothing open, where a statement must be used instead. */
extern bool cat_index_scan_open(CatScan *scan, Oid table, Oid index);
extern bool cat_index_scan_open_named(CatScan *scan, const char *table, const char *index);
/* Begin at the rows whose first column of the index is the key. */
extern void cat_index_scan_seek(CatScan *scan, const char *key);
/* Begin at the rows whose first columns of the index are these texts, a List of char *. */
extern void cat_index_scan_seek_words(CatScan *scan, List *words);
/* Begin at the rows from an instant on, which is the first column of the index. */
extern void cat_index_scan_seek_instant(CatScan *scan, TimestampTz instant);
/* Begin at the rows whose first column is the word, from an instant in the second column on. */
extern void cat_index_scan_seek_word_instant(CatScan *scan, const char *word, TimestampTz instant);
/* Begin at the rows whose first column of the index is the number, and whose second is at least
 * the bound, for moves forwards, or at most the bound, for moves backwards. */
extern void cat_index_scan_seek_numbers(CatScan *scan, int64 key, int64 bound, bool backwards);
/* Begin at the end of the index that the moves come from. */
extern void cat_index_scan_seek_all(CatScan *scan);
/* Move to the next row; false at the end.  The row is in CatScan.slot. */
extern bool cat_index_scan_next(CatScan *scan, bool backwards);
/* End the scan and close index and table; their locks stay until the end of the transaction. */
extern void cat_index_scan_close(CatScan *scan);

#endif /* CATALOGUE_PG_PG_H */
