/*
 * differ.c
 *	  Comparison of a row before and after an update.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "base/base.h"
#include "write/write_internal.h"

static bool
differs(Form_pg_attribute attribute, Datum old, bool old_is_null, Datum new, bool new_is_null)
{
	if (attribute->attisdropped)
		return false;
	return old_is_null != new_is_null ||
		   (!new_is_null && !datum_image_eq(old, new, attribute->attbyval, attribute->attlen));
}

/* Return which attributes differ between two rows, by attribute number minus one; palloc'd. */
bool *
cat_differ_columns(TupleDesc desc, const Datum *olds, const bool *old_nulls, const Datum *news,
				   const bool *new_nulls)
{
	bool *changed = palloc(desc->natts * sizeof(bool));

	for (int i = 0; i < desc->natts; i++)
		changed[i] = differs(TupleDescAttr(desc, i), olds[i], old_nulls[i], news[i], new_nulls[i]);
	return changed;
}

/*
 * Return whether two different values of a base type are equivalent: JSON that differs in white
 * space only.
 */
bool
cat_differ_alike(Oid type, Datum old, Datum new)
{
	if (type != JSONOID || !DatumGetPointer(old) || !DatumGetPointer(new))
		return false;
	return strcmp(cat_json_text_compact(TextDatumGetCString(old)),
				  cat_json_text_compact(TextDatumGetCString(new))) == 0;
}

/* Return whether an update changes a record, apart from updated_at. */
bool
cat_differ_records(const Resource *resource, const Datum *olds, const bool *old_nulls,
				   const Datum *news, const bool *new_nulls)
{
	for (int i = 0; i < resource->desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(resource->desc, i);

		if (attribute->attnum != resource->updated_at &&
			differs(attribute, olds[i], old_nulls[i], news[i], new_nulls[i]) &&
			!cat_differ_alike(getBaseType(attribute->atttypid), olds[i], news[i]))
			return true;
	}
	return false;
}
