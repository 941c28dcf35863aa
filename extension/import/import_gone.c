/*
 * import_gone.c
 *	  Records whose entries a document has no longer.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "import/records_internal.h"
#include "pg/pg.h"

/* A record to be unpublished or deleted. */
typedef struct Removal
{
	Import *import;
	const char *resource;
	const char *id;
} Removal;

static void
remove_record(void *argument)
{
	const Removal *removal = argument;

	cat_import_end(removal->import, removal->resource, removal->id);
}

/*
 * Unpublish or delete a record, as the import is told to do.
 *
 * Returns what was done: kept also where the state or the caller's rights do not allow it.
 */
const char *
cat_import_remove(Import *import, const char *resource, const char *id)
{
	Removal removal = {import, resource, id};
	ErrorData *error;

	if (import->gone == GONE_KEEP)
		return "kept";
	error = cat_subtransaction_run(remove_record, &removal);
	if (error && !cat_validation_error_is_fault(error))
		ReThrowError(error);
	if (error)
		return "kept";
	return import->gone == GONE_DELETE ? "deleted" : "unpublished";
}

/* Tell of one record; one that was deleted here already is not told. */
static void
tell(Import *import, const char *id, const char *record)
{
	Oid type = TEXTOID;
	Datum value = CStringGetTextDatum(record);
	char *name;

	cat_statement_run(
		"SELECT d.name FROM catalogue.datasets d WHERE d.id = $1 AND d.deleted_at IS NULL", 1,
		&type, &value, NULL, true, 1);
	if (SPI_processed == 0)
		return;
	name = cat_result_text(1);
	SPI_freetuptable(SPI_tuptable);
	cat_import_report_gone(import, id, record, name, cat_import_remove(import, "datasets", record));
}

/*
 * Tell of the records whose entries are gone.
 *
 * None is changed where an entry has no id that could be read, or where there is no entry at all:
 * then what is missing may be a fault of the document.  The rows are compared here, since a plan
 * that is made while the table is empty would compare each with each.
 */
void
cat_import_gone(Import *import)
{
	Oid type = TEXTOID;
	Datum source = CStringGetTextDatum(import->source);
	SPITupleTable *rows;
	uint64 count;

	if (import->partial)
		return;
	if (import->unnamed || import->document.entries == NIL)
		import->gone = GONE_KEEP;
	cat_statement_run("SELECT i.id, i.record::text FROM catalogue.imported i "
					  "WHERE i.source = $1 ORDER BY i.id",
					  1, &type, &source, NULL, true, 0);
	rows = SPI_tuptable;
	count = SPI_processed;
	for (uint64 i = 0; i < count; i++)
	{
		const char *id = SPI_getvalue(rows->vals[i], rows->tupdesc, 1);

		if (!cat_import_map_get(import->seen, id))
			tell(import, id, SPI_getvalue(rows->vals[i], rows->tupdesc, 2));
	}
	SPI_freetuptable(rows);
}
