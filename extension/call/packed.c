/*
 * packed.c
 *	  A reply as a single value in a binary format.
 *
 * Sending and parsing a row of so many columns costs more than reading the record.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "base/base.h"
#include "call/call_internal.h"
#include "call/reply_columns.h"

PG_FUNCTION_INFO_V1(catalogue_packed);

/*
 * Append the members of a reply except its data: each as text terminated by a zero byte, in the
 * order of catalogue.reply; a missing one is empty.  The data follow, up to the end.
 */
void
cat_packed_append(StringInfo out, const char *const *members)
{
	for (int i = 0; i < REPLY_COLUMNS; i++)
	{
		if (i == REPLY_DATA)
			continue;
		if (members[i])
			json_bytes(out, members[i], (int) strlen(members[i]));
		appendStringInfoCharMacro(out, '\0');
	}
}

/* Return the text of a value, palloc'd. */
static char *
text_of(Form_pg_attribute attribute, Datum value)
{
	Oid function;
	bool varlena;

	getTypeOutputInfo(attribute->atttypid, &function, &varlena);
	return OidOutputFunctionCall(function, value);
}

/* Return a reply in the packed format. */
Datum
catalogue_packed(PG_FUNCTION_ARGS)
{
	HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(0);
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};
	TupleDesc desc =
		lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
	Datum values[REPLY_COLUMNS];
	bool nulls[REPLY_COLUMNS];
	const char *members[REPLY_COLUMNS];
	StringInfoData packed;

	if (desc->natts != REPLY_COLUMNS)
		elog(ERROR, "not of type catalogue.reply");
	heap_deform_tuple(&tuple, desc, values, nulls);
	for (int i = 0; i < REPLY_COLUMNS; i++)
		members[i] = nulls[i] ? NULL : text_of(TupleDescAttr(desc, i), values[i]);
	ReleaseTupleDesc(desc);
	initStringInfo(&packed);
	appendStringInfoSpaces(&packed, VARHDRSZ);
	cat_packed_append(&packed, members);
	if (members[REPLY_DATA])
		json_bytes(&packed, members[REPLY_DATA], (int) strlen(members[REPLY_DATA]));
	SET_VARSIZE(packed.data, packed.len);
	PG_RETURN_BYTEA_P(packed.data);
}
