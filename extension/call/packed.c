/*
 * packed.c
 *	  A reply as one value, for programs.
 *
 * A row of so many columns costs more to send, and more again to receive,
 * than the record costs to read.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(catalogue_packed);
PG_FUNCTION_INFO_V1(catalogue_packed_support);

/* Append a member and the byte that ends it; a missing one is empty. */
static char *
put(char *out, const char *member)
{
	return stpcpy(out, member ? member : "") + 1;
}

/*
 * Pack a reply: each member but the data as text, ended by a byte 0, in the order of
 * catalogue.reply; then the data, to the end.
 *
 * The value is in memory of the given function, which is palloc() or one like it.
 */
Datum
packed_make(const char *const *members, const char *data, size_t length, void *(*allocate)(Size))
{
	size_t size = VARHDRSZ + length + REPLY_COLUMNS - 1;
	bytea *packed;
	char *out;

	for (int i = 0; i < REPLY_COLUMNS; i++)
		if (i != REPLY_DATA && members[i])
			size += strlen(members[i]);
	packed = allocate(size);
	SET_VARSIZE(packed, size);
	out = VARDATA(packed);
	for (int i = 0; i < REPLY_COLUMNS; i++)
		if (i != REPLY_DATA)
			out = put(out, members[i]);
	if (length > 0)
		memcpy(out, data, length);
	return PointerGetDatum(packed);
}

/* So, without the data, behind what stands in out already. */
void
packed_append(StringInfo out, const char *const *members)
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

/* The text of a value. */
static char *
text_of(Form_pg_attribute attribute, Datum value)
{
	Oid function;
	bool varlena;

	getTypeOutputInfo(attribute->atttypid, &function, &varlena);
	return OidOutputFunctionCall(function, value);
}

/* Pack a reply that is a row already. */
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
	const char *data;

	if (desc->natts != REPLY_COLUMNS)
		elog(ERROR, "not of type catalogue.reply");
	heap_deform_tuple(&tuple, desc, values, nulls);
	for (int i = 0; i < REPLY_COLUMNS; i++)
		members[i] = nulls[i] ? NULL : text_of(TupleDescAttr(desc, i), values[i]);
	ReleaseTupleDesc(desc);
	data = members[REPLY_DATA] ? members[REPLY_DATA] : "";
	return packed_make(members, data, strlen(data), palloc);
}

/* The library of a function, NULL where it is in none. */
static char *
library_of(Oid function)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	char *library = NULL;
	bool isnull;
	Datum value;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	value = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_probin, &isnull);
	if (!isnull)
		library = TextDatumGetCString(value);
	ReleaseSysCache(tuple);
	return library;
}

/* Whether a call gives one reply by reply_end(), as those of this library do. */
static bool
is_ours(const FuncExpr *call, Oid packed)
{
	char *library = library_of(call->funcid);

	return !call->funcretset && library && strcmp(library, library_of(packed)) == 0;
}

/*
 * Plan packed(f(...)): a function of this library is called as one that gives bytes, which
 * reply_end() looks at, so that no row is made only to be taken apart.
 */
Datum
catalogue_packed_support(PG_FUNCTION_ARGS)
{
	SupportRequestSimplify *request = (SupportRequestSimplify *) PG_GETARG_POINTER(0);
	FuncExpr *call;

	if (!IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(NULL);
	call = linitial(request->fcall->args);
	if (!IsA(call, FuncExpr) || !is_ours(call, request->fcall->funcid))
		PG_RETURN_POINTER(NULL);
	call = copyObject(call);
	call->funcresulttype = request->fcall->funcresulttype;
	PG_RETURN_POINTER(call);
}
