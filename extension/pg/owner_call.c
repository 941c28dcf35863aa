/*
 * owner_call.c
 *	  Functions in SQL that are called with the owner's rights.
 *
 * SECURITY DEFINER would give them those of whoever installed the extension, a
 * superuser.  So the function that is called is this one, under each name; it
 * runs the one in SQL that has the same name with "_part" behind it.
 */
#include "catalogue.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "pg/pg.h"

PG_FUNCTION_INFO_V1(catalogue_lend);

/* Begin to work with the owner's rights, SPI open; cat_owner_call_end() follows, or an error. */
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

/* The call of the part, with parameters for all arguments. */
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

/* Put the rows into the set that the function gives. */
static void
give_rows(ReturnSetInfo *set)
{
	for (uint64 i = 0; i < SPI_processed; i++)
		tuplestore_puttuple(set->setResult, SPI_tuptable->vals[i]);
}

/* The only value of the only row, in the caller's memory. */
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
