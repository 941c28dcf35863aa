/*
 * owner_call.c
 *	  SQL functions of the service that run with the owner's rights.
 *
 * SECURITY DEFINER would give such a function the rights of the user who installed the extension, a
 * superuser.  Therefore one C function is called under the name of each; it runs the SQL function
 * of the same name with the suffix "_part".
 */
#include "catalogue.h"

#include "funcapi.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "pg/pg.h"

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
	StringInfo sql = makeStringInfo();

	appendStringInfo(sql, "SELECT * FROM catalogue.%s(",
					 quote_identifier(psprintf("%s_part", get_func_name(fcinfo->flinfo->fn_oid))));
	for (int i = 0; i < PG_NARGS(); i++)
		appendStringInfo(sql, "%s$%d", i > 0 ? ", " : "", i + 1);
	appendStringInfoChar(sql, ')');
	return sql->data;
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

CAT_FUNCTION(catalogue_lend)
{
	ReturnSetInfo *set = fcinfo->flinfo->fn_retset ? (ReturnSetInfo *) fcinfo->resultinfo : NULL;
	Datum value = (Datum) 0;

	if (set)
		InitMaterializedSRF(fcinfo, 0);
	cat_owner_call_begin();
	run_part(fcinfo);
	for (uint64 i = 0; set && i < SPI_processed; i++)
		tuplestore_puttuple(set->setResult, SPI_tuptable->vals[i]);
	if (!set)
		value = give_value(fcinfo);
	cat_owner_call_end();
	return value;
}

/* Names by which version 1.0 calls functions that are written in SQL since. */
#define CAT_LENT(name)         \
	PG_FUNCTION_INFO_V1(name); \
	Datum name(PG_FUNCTION_ARGS) __attribute__((alias("catalogue_lend")))
CAT_LENT(catalogue_archive_manifest);
CAT_LENT(catalogue_blob_create);
CAT_LENT(catalogue_blob_overwrite);
CAT_LENT(catalogue_contents_begin);
CAT_LENT(catalogue_contents_issue);
CAT_LENT(catalogue_contents_load);
CAT_LENT(catalogue_contents_publish);
CAT_LENT(catalogue_contents_sheet);
CAT_LENT(catalogue_contents_sheet_end);
