/*
 * statement.h
 *	  Statements with their parameters and results.
 */
#ifndef CATALOGUE_PG_STATEMENT_H
#define CATALOGUE_PG_STATEMENT_H

#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/base.h"

/*
 * How triggers treat a statement that the service runs by itself.
 *
 * A mode belongs to one statement.  It is set for the statement by cat_write_mode_call(), and the
 * one before is restored when the statement ends, by an error as well.  It applies to triggers that
 * the statement fires itself.  Statements that those triggers execute, such as one of a table
 * owner's trigger function, have the mode WRITE_BY_RULES unless they are given another one.  A mode
 * is not a setting: SQL can neither set nor read it.
 */
typedef enum WriteMode
{
	WRITE_BY_RULES,		/* like any statement: validation, action log, history */
	WRITE_UNRECORDED,	/* data that no client sees, or physical removal: none of them */
	WRITE_LISTS,		/* lists of ids are updated from a join table: history only */
	WRITE_LINKS,		/* rows of a join table whose lists of ids are written by the caller */
	WRITE_FORMER_STATE, /* records that were unpublished with another one regain their status */
	WRITE_ACTION_LOG,	/* action log: not itself logged, the user in it is not looked up */
	WRITE_MADE,			/* columns made from a file have their values: they are not made again */
} WriteMode;

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
/* Return a value of a type as text, palloc'd. */
extern char *cat_statement_value_text(Oid type, Datum value);
/* Convert a text, or NULL for null, to a value of a type, whose input function may refuse it. */
extern Datum cat_statement_value_read(Oid type, int32 typmod, const char *text);
/* Stop the timeout between pieces, since the client's time is not that of the statement;
 * statement_timeout applies to each piece.  An expired timeout that has not been reported yet is
 * preserved. */
extern void cat_statement_timeout_pause(void);
/* Start the clock of statement_timeout anew. */
extern void cat_statement_timeout_resume(void);
/* Run a step in a subtransaction.  Returns its error, palloc'd, after its rollback; NULL if it ended. */
extern ErrorData *cat_statement_in_subtransaction(void (*step)(void *argument), void *argument);

/* write_mode.c */

/* Return the mode of the statement that fired the running trigger, WRITE_BY_RULES outside
 * triggers. */
extern WriteMode cat_write_mode(void);
/* An error leaves by PG_FINALLY(), so the mode is restored before a subtransaction is aborted. */
extern void cat_write_mode_call(WriteMode mode, void (*work)(void *argument), void *argument);

/* result.c */

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

#endif /* CATALOGUE_PG_STATEMENT_H */
