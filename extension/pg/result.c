/*
 * result.c
 *	  Columns of the first row of the last statement.
 */
#include "catalogue.h"

#include "utils/hsearch.h"

#include "pg/pg.h"

Datum
cat_result_datum(int column, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, isnull);
}

char *
cat_result_text(int column)
{
	return cat_result_text_at(0, column);
}

char *
cat_result_text_at(uint64 row, int column)
{
	return SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column);
}

List *
cat_result_texts(int column)
{
	List *texts = NIL;

	for (uint64 row = 0; row < SPI_processed; row++)
		texts = lappend(texts, cat_result_text_at(row, column));
	return texts;
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
