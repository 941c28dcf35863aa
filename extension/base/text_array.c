/*
 * text_array.c
 *	  Conversion from and to arrays of type text[].
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"

#include "base/base.h"

Datum
cat_text_array_make(Datum *texts, int count)
{
	return PointerGetDatum(construct_array(texts, count, TEXTOID, -1, false, TYPALIGN_INT));
}

Datum *
cat_text_array_elements(Datum array, int *count)
{
	Datum *texts;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, &texts, NULL,
					  count);
	return texts;
}

List *
cat_text_array_list(Datum array)
{
	List *list = NIL;
	int count;
	Datum *texts = cat_text_array_elements(array, &count);

	for (int i = 0; i < count; i++)
		list = lappend(list, TextDatumGetCString(texts[i]));
	return list;
}

Datum
cat_text_array_of_list(List *list)
{
	Datum *texts = palloc(sizeof(Datum) * (list_length(list) + 1));

	foreach_ptr(char, word, list)
		texts[foreach_current_index(word)] = CStringGetTextDatum(word);
	return cat_text_array_make(texts, list_length(list));
}
