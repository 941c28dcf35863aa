/*
 * registry_missing.c
 *	  Look-up of a resource by its model, and the error for an unknown resource.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

#include "base/base.h"
#include "pg/pg.h"
#include "registry/registry.h"
#include "registry/registry_internal.h"

static const char plural_sql[] =
	"SELECT resource FROM catalogue.resource WHERE lower(model) = lower($1) ORDER BY resource";

char *
cat_registry_plural(const char *model)
{
	MemoryContext caller = CurrentMemoryContext;
	Oid type = TEXTOID;
	Datum value = CStringGetTextDatum(model);
	char *plural = NULL;

	cat_security_context_take();
	SPI_connect();
	PushActiveSnapshot(GetLatestSnapshot());
	SPI_execute_with_args(plural_sql, 1, &type, &value, NULL, true, 1);
	if (SPI_processed == 1)
		plural = MemoryContextStrdup(caller,
									 SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1));
	PopActiveSnapshot();
	SPI_finish();
	cat_security_context_return();
	return plural;
}

/*
 * Raise the error for an unknown resource: OD308 with {"resource": …} as its detail if the segment
 * is the name of a model, else OD404.
 */
void
cat_registry_missing(const char *word)
{
	char *plural = cat_registry_plural(word);
	StringInfoData detail;

	if (!plural)
		ereport(ERROR, (errcode(OD404), errmsg("resource \"%s\" does not exist", word)));
	initStringInfo(&detail);
	appendStringInfoString(&detail, "{\"resource\":");
	cat_json_text_string(&detail, plural);
	appendStringInfoChar(&detail, '}');
	ereport(ERROR, (errcode(OD308), errmsg("the path of model \"%s\" is \"%s\"", word, plural),
					errdetail_internal("%s", detail.data)));
}
