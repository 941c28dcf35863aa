/*
 * pg.h
 *	  Access to PostgreSQL: statements, index scans, security context, invalidation.
 */
#ifndef CATALOGUE_PG_PG_H
#define CATALOGUE_PG_PG_H

#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/base.h"
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

/* A parameter of a statement. */
typedef struct StatementParam
{
	Oid type;
	Datum value;
	bool isnull;
} StatementParam;

#define datum_param(type, value) ((StatementParam){type, value, false})
#define null_param(type) ((StatementParam){type, 0, true})
#define int4_param(number) datum_param(INT4OID, Int32GetDatum(number))
#define int8_param(number) datum_param(INT8OID, Int64GetDatum(number))
#define float8_param(number) datum_param(FLOAT8OID, Float8GetDatum(number))
#define bool_param(truth) datum_param(BOOLOID, BoolGetDatum(truth))
#define instant_param(instant) datum_param(TIMESTAMPTZOID, TimestampTzGetDatum(instant))
#define texts_param(list) datum_param(TEXTARRAYOID, cat_text_array_of_list(list))

/* A text, or null for NULL. */
static inline StatementParam
text_param(const char *text)
{
	return text ? datum_param(TEXTOID, CStringGetTextDatum(text)) : null_param(TEXTOID);
}

/* security_context.c */

/* Note the owner of the library's functions; called once, when the library is loaded. */
extern void cat_security_context_init(void);
/* Set search_path; return the argument for cat_security_context_unpin(), 0 if there is nothing
 * to restore. */
extern int cat_security_context_pin(void);
/* Put the search path back; nest: what cat_security_context_pin() returned. */
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
/* Connect to SPI with the owner's rights, until cat_owner_call_end() or an error. */
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
/* Set what is called after a table was locked, and in PG_CATCH() after a statement failed. */
extern void cat_definition_hook_set(void (*lock)(void), void (*error)(void));
/* A table was locked and its rows were not read yet; an error where they cannot be read. */
extern void cat_definition_hook_lock(void);
/* Re-throw the error of a statement, or the one that the hook raises in its place. */
pg_noreturn extern void cat_definition_hook_error(void);

/* statement.c */

/* Free all statements if there are too many and none is running. */
extern void cat_statement_trim(void);
/* Run a statement; SPI_tuptable and SPI_processed have the result.  fresh: with a new snapshot,
 * so that it sees the changes of this call; otherwise in the snapshot of the calling statement.
 * limit: 0 for all rows. */
extern void cat_statement_run(const char *sql, int nargs, Oid *types, Datum *values,
							  const char *nulls, bool fresh, long limit);
/* Run a statement with parameters, each a StatementParam: text_param(id), int8_param(5); _read in the
 * snapshot of the calling statement, _fresh with a new one, _in with a new one and a mode that its
 * triggers follow. */
#define cat_statement_read(...) cat_statement_with(false, __VA_ARGS__)
#define cat_statement_fresh(...) cat_statement_with(true, __VA_ARGS__)
#define cat_statement_with(fresh, sql, ...) cat_statement_params(fresh, sql, PARAMS(__VA_ARGS__))
#define cat_statement_in(mode, sql, ...) cat_statement_params_in(mode, sql, PARAMS(__VA_ARGS__))
#define PARAMS(...) lengthof(((StatementParam[]){__VA_ARGS__})), ((StatementParam[]){__VA_ARGS__})
extern void cat_statement_params(bool fresh, const char *sql, int count,
								 const StatementParam *params);
extern void cat_statement_params_in(WriteMode mode, const char *sql, int count,
									const StatementParam *params);
/* Run a statement in the snapshot of the calling one. options: CURSOR_OPT_CUSTOM_PLAN for one
 * that finds nearly all rows with some values and hardly any with others;
 * CURSOR_OPT_GENERIC_PLAN for one whose best plan does not depend on them; 0 if PostgreSQL
 * decides. */
extern void cat_statement_run_planned(const char *sql, int nargs, Oid *types, Datum *values,
									  int options);
/* As cat_statement_run() with a snapshot of its own; its triggers follow the mode. */
extern void cat_statement_run_in(WriteMode mode, const char *sql, int nargs, Oid *types,
								 Datum *values);
/* A column of the first row of the last statement, as it is. */
extern Datum cat_result_datum(int column, bool *isnull);
/* Return a column as text, NULL for null. */
extern char *cat_result_text(int column);
/* As cat_result_text(), of another row than the first one, which is 0. */
extern char *cat_result_text_at(uint64 row, int column);
/* Return a column of all rows: List of char *. */
extern List *cat_result_texts(int column);
/* Return a column of type bigint; 0 for null. */
extern int64 cat_result_int64(int column);
/* Return a column of type boolean; false for null. */
extern bool cat_result_bool(int column);
/* Stop the timeout between pieces, since the client's time is not that of the statement;
 * statement_timeout applies to each piece.  An expired timeout that has not been reported yet is
 * preserved. */
extern void cat_statement_timeout_pause(void);
/* Start the clock of statement_timeout anew. */
extern void cat_statement_timeout_resume(void);
/* Run a step in a subtransaction.  Returns its error, palloc'd, after its rollback; NULL if it ended. */
extern ErrorData *cat_subtransaction_run(void (*step)(void *argument), void *argument);

/* index_scan.c */
/* Return whether the user has SELECT on a table, and no row security hides rows from the user. */
extern bool cat_index_scan_sees_all(Oid table);
/* Open a table and an index of it; call one of the seek functions next.  Returns false, with
 * nothing open, if a statement must be used. */
extern bool cat_index_scan_open(CatScan *scan, Oid table, Oid index);
extern bool cat_index_scan_open_named(CatScan *scan, const char *table, const char *index);
/* Seek the rows whose first index column equals a text. */
extern void cat_index_scan_seek(CatScan *scan, const char *key);
/* Seek the rows whose first index columns equal these texts, a List of char *. */
extern void cat_index_scan_seek_words(CatScan *scan, List *words);
/* Seek the rows from an instant on; it is the first index column. */
extern void cat_index_scan_seek_instant(CatScan *scan, TimestampTz instant);
/* Seek the rows whose first index column equals a word, from an instant in the second column on. */
extern void cat_index_scan_seek_word_instant(CatScan *scan, const char *word, TimestampTz instant);
/* Seek the rows whose first index column equals a number, and whose second one is at least the
 * bound (for a forward scan) or at most the bound (for a backward scan). */
extern void cat_index_scan_seek_numbers(CatScan *scan, int64 key, int64 bound, bool backwards);
/* Seek the rows behind a cursor in an index on created_at and id, in the direction of the scan.
 * place: the two values as text; NIL to start at the end of the index. */
extern void cat_index_scan_seek_place(CatScan *scan, List *place, bool backwards);
/* Move to the next row; false at the end.  The row is in CatScan.slot. */
extern bool cat_index_scan_next(CatScan *scan, bool backwards);
/* End the scan and close index and table; their locks stay until the end of the transaction. */
extern void cat_index_scan_close(CatScan *scan);

#endif /* CATALOGUE_PG_PG_H */
