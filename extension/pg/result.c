/*
 * result.c
 *	  Columns of the first row of the last statement.
 */
#include "catalogue.h"

#include "executor/spi.h"
#include "utils/builtins.h"

#include "pg/pg.h"

Datum
cat_result_datum(int column, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, isnull);
}

char *
cat_result_text(int column)
{
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column);
}

int64
cat_result_int64(int column)
{
	bool isnull;
	Datum value = cat_result_datum(column, &isnull);

	return isnull ? 0 : DatumGetInt64(value);
}

bool
cat_result_bool(int column)
{
	bool isnull;
	Datum value = cat_result_datum(column, &isnull);

	return !isnull && DatumGetBool(value);
}
