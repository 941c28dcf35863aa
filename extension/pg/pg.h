/*
 * pg.h
 *	  Access to PostgreSQL: statements, index scans, insertion, security context, invalidation.
 *	  Decisions: docs/explanation/decisions.md#extensionpg
 */
#ifndef CATALOGUE_PG_PG_H
#define CATALOGUE_PG_PG_H

#include "catalogue.h"

#include "pg/statement.h"

/* Records in the order of an index, read without a statement. */
typedef struct CatScan
{
	struct RelationData *table;
	struct RelationData *index;
	struct IndexScanDescData *desc;
	struct TupleTableSlot *slot;
} CatScan;

/* Rows that are inserted without a statement; a column is named by its position in the list. */
typedef struct BulkInsert BulkInsert;

/* What PostgreSQL invalidates; a catalog can belong to several groups. */
typedef enum InvalidationGroup
{
	INVALIDATION_TABLES, /* definitions of tables and indexes */
	INVALIDATION_TYPES,	 /* types, labels of enumerations, schemas */
	INVALIDATION_ROLES,	 /* roles, memberships, schemas with their owners */
	INVALIDATION_READS,	 /* whatever changes the result of a read; no table that reads write */
	INVALIDATION_GROUPS
} InvalidationGroup;

/*
 * Classes of the advisory locks of the service: objsubid of a lock's tag.  Each use has its own
 * class, since the other fields of two uses can be the same; user-level locks have 1 and 2.
 */
enum
{
	CAT_LOCK_COMMIT_TIME = 3,	/* commit_time.c: the transactions that have taken their instant */
	CAT_LOCK_PASSWORD_SLOT = 4, /* secret.c: one of the passwords that are hashed at a time */
	CAT_LOCK_BLOB_DIGEST = 5,	/* blob.c: the digest of a blob that is being sealed */
	CAT_LOCK_QUERY = 6,			/* select_call.c: the statement that a user has executed */
	CAT_LOCK_IDEMPOTENCY = 7,	/* idempotency.c: the key of a request that is being executed */
	CAT_LOCK_FACETS = 8			/* facet_cache.c: facets that are being counted */
};

/* security_context.c */

/* Note the owner of the library's functions; called once, when the library is loaded. */
extern void cat_security_context_init(void);
/* Set search_path until cat_security_context_unpin(), which takes what is returned. */
extern int cat_security_context_pin(void);
extern void cat_security_context_unpin(int nest);
/* Switch to the rights for a call, until cat_security_context_return() or an error. */
extern void cat_security_context_take(void);
/* Switch to the owner's rights even if the user has more, unless the owner is a superuser. */
extern void cat_security_context_take_owners(void);
/* Switch to a role that may have fewer rights than the user, and cannot switch to another one. */
extern void cat_security_context_take_role(Oid role);
/* Restore the state that the last cat_security_context_take() saved. */
extern void cat_security_context_return(void);
/* Return whether the calling user has the owner's rights, and therefore needs no actor. */
extern bool cat_security_context_is_trusted(void);
/* Set the actor that triggers see, NULL for none, until cat_security_context_return() or an error. */
extern void cat_security_context_set_actor(const Actor *actor);
/* Set the id of the user whose records are own ones, empty for none, likewise. */
extern void cat_security_context_set_reader(const char *user);
extern const char *cat_security_context_reader(void);
/* Return the actor of the running API call, NULL outside of a call. */
extern const Actor *cat_security_context_actor(void);

/* owner_call.c: SPI with the owner's rights, until cat_owner_call_end() or an error. */
extern void cat_owner_call_begin(void);
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
/* Set what is called after a table was locked, and in PG_CATCH() after a statement failed. */
extern void cat_invalidation_hook_set(void (*lock)(void), void (*error)(void));
/* A table was locked and its rows were not read yet; an error where they cannot be read. */
extern void cat_invalidation_hook_lock(void);
/* Re-throw the error of a statement, or the one that the hook raises in its place. */
pg_noreturn extern void cat_invalidation_hook_error(void);

/* key_plan.c */
extern void cat_key_plan_init(void);

/* index_scan.c */
/* Return whether the user has SELECT on a table, and no row security hides rows from the user. */
extern bool cat_index_scan_sees_all(Oid table);
/* Open a table and an index of it; a seek comes next.  False, with nothing open, if a statement must be used. */
extern bool cat_index_scan_open(CatScan *scan, Oid table, Oid index);
extern bool cat_index_scan_open_named(CatScan *scan, const char *table, const char *index);
/* Seek the rows whose first index column equals a text, or whose first ones equal these, a List of char *. */
extern void cat_index_scan_seek(CatScan *scan, const char *key);
extern void cat_index_scan_seek_words(CatScan *scan, List *words);
/* Seek the rows with a text and an instant from since on, of an index on both; key: NULL for one on instants. */
extern void cat_index_scan_seek_since(CatScan *scan, const char *key, TimestampTz since);
/* Seek the rows whose first index column equals a number, and whose second one is at least, backwards at most, bound. */
extern void cat_index_scan_seek_numbers(CatScan *scan, int64 key, int64 bound, bool backwards);
/* Seek the rows behind a cursor in an index on created_at and id, in the direction of the scan.
 * values: the two as text; NIL to start at the end of the index. */
extern void cat_index_scan_seek_values(CatScan *scan, List *values, bool backwards);
/* Move to the next row; false at the end.  The row is in CatScan.slot. */
extern bool cat_index_scan_next(CatScan *scan, bool backwards);
/* Move backwards to the next row among so many entries, which are counted down: former rows may have some, too. */
extern bool cat_index_scan_try(CatScan *scan, int *entries);
/* End the scan and close index and table; their locks stay until the end of the transaction. */
extern void cat_index_scan_close(CatScan *scan);

/* bulk_insert.c */
/* Return the OID of a table of schema catalogue.  Raises 42P01 if it is missing. */
extern Oid cat_bulk_insert_table(const char *name);
/* Open a table for insertion.  columns: names of the columns that the caller sets, identified by
 * their index in this list from then on.  A column that the table does not have is ignored. */
extern BulkInsert *cat_bulk_insert_open(Oid table, int count, const char *const *columns);
/* As cat_bulk_insert_open(); a row whose key the table has already is left out. */
extern BulkInsert *cat_bulk_insert_open_absent(Oid table, int count, const char *const *columns);
/* Open a table for insertion with all triggers.  The rows become visible after cat_bulk_insert_close(). */
extern BulkInsert *cat_bulk_insert_open_ruled(Oid table, int count, const char *const *columns);
/* Begin a row with defaults, null where there are none; return its slot. */
extern struct TupleTableSlot *cat_bulk_insert_row(BulkInsert *bulk);
/* Set a column of the row to a value of its type, or to a copy of one. */
extern void cat_bulk_insert_set(BulkInsert *bulk, int column, Datum value);
extern void cat_bulk_insert_set_copy(BulkInsert *bulk, int column, Datum value);
/* Set a column of the row to a text, truncated to the column's length. */
extern void cat_bulk_insert_set_text(BulkInsert *bulk, int column, const char *text);
/* End a row. */
extern void cat_bulk_insert_end_row(BulkInsert *bulk);
/* End a row in place of one that the active snapshot sees; false: another transaction has changed or locked it. */
extern bool cat_bulk_insert_replace(BulkInsert *bulk, struct ItemPointerData *former);
/* Insert pending rows, and close the table. */
extern void cat_bulk_insert_close(BulkInsert *bulk);
/* Create the cache of defaults; called once, when the library is loaded. */
extern void cat_bulk_insert_init(void);
/* Return whether a domain may refuse null: it is NOT NULL or has a check that is not strict. */
extern bool cat_bulk_insert_refuses_null(Oid domain);

#endif /* CATALOGUE_PG_PG_H */
