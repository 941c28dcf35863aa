/*
 * owner_call.c
 *	  SQL functions that are called with the owner's rights.
 *
 * SECURITY DEFINER would give them the rights of the user who installed the extension, a superuser.
 * Therefore this C function is called under each of their names; it runs the SQL function of the
 * same name with the suffix "_part".
 */
#include "catalogue.h"

#include "executor/spi.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "pg/pg.h"

PG_FUNCTION_INFO_V1(catalogue_lend);

void
cat_owner_call_begin(void)
{
	cat_security_context_take();
	cat_statement_trim();
	SPI_connect();
}

void
cat_owner_call_end(void)
{
	SPI_finish();
	cat_security_context_return();
}

/* Return the statement that calls the SQL function, with parameters for all arguments. */
static char *
call_of(FunctionCallInfo fcinfo)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT * FROM catalogue.%s(",
					 quote_identifier(psprintf("%s_part", get_func_name(fcinfo->flinfo->fn_oid))));
	for (int i = 0; i < PG_NARGS(); i++)
		appendStringInfo(&sql, "%s$%d", i > 0 ? ", " : "", i + 1);
	appendStringInfoChar(&sql, ')');
	return sql.data;
}

static void
run_part(FunctionCallInfo fcinfo)
{
	Oid *types = palloc(sizeof(Oid) * (PG_NARGS() + 1));
	Datum *values = palloc(sizeof(Datum) * (PG_NARGS() + 1));
	char *nulls = palloc(PG_NARGS() + 1);

	for (int i = 0; i < PG_NARGS(); i++)
	{
		types[i] = get_fn_expr_argtype(fcinfo->flinfo, i);
		values[i] = PG_GETARG_DATUM(i);
		nulls[i] = PG_ARGISNULL(i) ? 'n' : ' ';
	}
	cat_statement_run(call_of(fcinfo), PG_NARGS(), types, values, nulls, true, 0);
}

/* Add the rows to the function's result set. */
static void
give_rows(ReturnSetInfo *set)
{
	for (uint64 i = 0; i < SPI_processed; i++)
		tuplestore_puttuple(set->setResult, SPI_tuptable->vals[i]);
}

/* Return the value of the first row and column, in the caller's memory context. */
static Datum
give_value(FunctionCallInfo fcinfo)
{
	int16 length;
	bool by_value;
	Datum value;

	value = cat_result_datum(1, &fcinfo->isnull);
	if (fcinfo->isnull)
		return (Datum) 0;
	get_typlenbyval(SPI_gettypeid(SPI_tuptable->tupdesc, 1), &length, &by_value);
	return SPI_datumTransfer(value, by_value, length);
}

Datum
catalogue_lend(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *set = fcinfo->flinfo->fn_retset ? (ReturnSetInfo *) fcinfo->resultinfo : NULL;
	Datum value = (Datum) 0;

	if (set)
		InitMaterializedSRF(fcinfo, 0);
	cat_owner_call_begin();
	run_part(fcinfo);
	if (set)
		give_rows(set);
	else
		value = give_value(fcinfo);
	cat_owner_call_end();
	return value;
}
