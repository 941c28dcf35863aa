/*
 * select_postgis.c
 *	  PostGIS: its types and functions, found by the extension that they belong to, and their calls.
 */
#include "catalogue.h"

#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/syscache.h"

#include "rows/sheets/wkt.h"
#include "select/select_internal.h"

#define ARGUMENTS_MOST 4

bool
cat_select_postgis_is_member(Oid catalog, Oid object, const char *extension)
{
	Oid of = getExtensionOfObject(catalog, object);

	return OidIsValid(of) && of == get_extension_oid(extension, true);
}

bool
cat_select_postgis_find(PostGIS *postgis)
{
	CatCList *list = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum("st_geomfromwkb"));

	*postgis = (PostGIS){0};
	for (int i = 0; i < list->n_members; i++)
	{
		Form_pg_proc form = (Form_pg_proc) GETSTRUCT(&list->members[i]->tuple);

		if (cat_select_postgis_is_member(ProcedureRelationId, form->oid, "postgis"))
			postgis->schema = form->pronamespace;
	}
	ReleaseSysCacheList(list);
	if (!OidIsValid(postgis->schema))
		return false;
	postgis->geometry = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("geometry"),
										ObjectIdGetDatum(postgis->schema));
	postgis->geography =
		GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("geography"),
						ObjectIdGetDatum(postgis->schema));
	return true;
}

void
cat_select_postgis_function(FmgrInfo *function, const PostGIS *postgis, const char *name,
							const Oid *types, int count, MemoryContext memory)
{
	Oid found = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
								PointerGetDatum(buildoidvector(types, count)),
								ObjectIdGetDatum(postgis->schema));

	if (!OidIsValid(found) || !cat_select_postgis_is_member(ProcedureRelationId, found, "postgis"))
		elog(ERROR, "PostGIS has no function \"%s\"", name);
	fmgr_info_cxt(found, function, memory);
}

/* Raise an error of PostGIS as one of the value that it was given, unless it has a code of its own. */
pg_noreturn static void
rethrow(MemoryContext memory)
{
	ErrorData *error;

	if (geterrcode() != ERRCODE_INTERNAL_ERROR)
		PG_RE_THROW();
	MemoryContextSwitchTo(memory);
	error = CopyErrorData();
	FlushErrorState();
	error->sqlerrcode = ERRCODE_INVALID_PARAMETER_VALUE;
	ReThrowError(error);
}

Datum
cat_select_postgis_call(FmgrInfo *function, int count, const Datum *values, bool *isnull)
{
	MemoryContext memory = CurrentMemoryContext;
	volatile Datum result = (Datum) 0;
	LOCAL_FCINFO(call, ARGUMENTS_MOST);

	CHECK_FOR_INTERRUPTS();
	InitFunctionCallInfoData(*call, function, (short) count, InvalidOid, NULL, NULL);
	for (int i = 0; i < count; i++)
		call->args[i] = (NullableDatum){.value = values[i]};
	PG_TRY();
	{
		result = FunctionCallInvoke(call);
	}
	PG_CATCH();
	{
		rethrow(memory);
	}
	PG_END_TRY();
	*isnull = call->isnull;
	return result;
}

void
cat_select_postgis_load(const PostGIS *postgis)
{
	const Oid area_types[] = {postgis->geography, BOOLOID};
	const Oid bytes = BYTEAOID;
	StringInfo binary = makeStringInfo();
	Datum values[] = {0, BoolGetDatum(true)};
	FmgrInfo from;
	FmgrInfo geography;
	FmgrInfo area;
	bool isnull;

	cat_select_postgis_function(&from, postgis, "st_geomfromwkb", &bytes, 1, CurrentMemoryContext);
	cat_select_postgis_function(&geography, postgis, "geography", &postgis->geometry, 1,
								CurrentMemoryContext);
	cat_select_postgis_function(&area, postgis, "st_area", area_types, 2, CurrentMemoryContext);
	cat_wkt_binary_point(binary, 0, 0);
	values[0] = PointerGetDatum(cstring_to_text_with_len(binary->data, binary->len));
	values[0] = cat_select_postgis_call(&from, 1, values, &isnull);
	values[0] = cat_select_postgis_call(&geography, 1, values, &isnull);
	(void) cat_select_postgis_call(&area, 2, values, &isnull);
}
