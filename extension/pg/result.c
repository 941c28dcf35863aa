/*
 * result.c
 *	  Values of the first row that the last statement gave.
 */
#include "catalogue.h"

#include "utils/builtins.h"

#include "pg/pg.h"

Datum
cat_result_datum(int column, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, isnull);
}

/* A column as text, NULL where it is null. */
char *
cat_result_text(int column)
{
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column);
}

/* A column of type bigint; 0 where it is null. */
int64
cat_result_int64(int column)
{
	bool isnull;
	Datum value = cat_result_datum(column, &isnull);

	return isnull ? 0 : DatumGetInt64(value);
}

/* A column of type boolean; false where it is null. */
bool
cat_result_bool(int column)
{
	bool isnull;
	Datum value = cat_result_datum(column, &isnull);

	return !isnull && DatumGetBool(value);
}
