/*
 * text_array.c
 *	  Conversion from and to arrays of type text[].
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "base/base.h"

/* Return an array of texts, none of which is null. */
Datum
cat_text_array_make(Datum *texts, int count)
{
	return PointerGetDatum(construct_array(texts, count, TEXTOID, -1, false, TYPALIGN_INT));
}

/* Return the texts of an array without nulls, palloc'd. */
Datum *
cat_text_array_elements(Datum array, int *count)
{
	Datum *texts;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, &texts, NULL,
					  count);
	return texts;
}

/* Return a List of char * as an array. */
Datum
cat_text_array_of_list(List *list)
{
	Datum *texts = palloc(sizeof(Datum) * (list_length(list) + 1));
	ListCell *cell;

	foreach(cell, list)
		texts[foreach_current_index(cell)] = CStringGetTextDatum(lfirst(cell));
	return cat_text_array_make(texts, list_length(list));
}
