/*
 * import_gone.c
 *	  Records whose entries a document has no longer.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "import/records_internal.h"
#include "pg/pg.h"

const char *
cat_import_remove(Import *import, const char *resource, const char *id, const char **reason)
{
	const char *action = import->gone == GONE_DELETE ? "delete" : "unpublish";

	*reason = NULL;
	if (import->gone == GONE_KEEP ||
		(*reason = cat_import_attempt(&(Attempt){import, resource, id, action, NULL})))
		return "kept";
	return import->gone == GONE_DELETE ? "deleted" : "unpublished";
}

/* An earlier import's entry. */
typedef struct Former
{
	const char *id;
	const char *record;
	const char *ended; /* instants at which imports have ended the dataset: JSON; NULL: none has */
} Former;

/* Note that the import has deleted or unpublished a dataset, so that it comes back with its entry. */
static void
note_ended(const Import *import, const Former *former)
{
	const char *ended = cat_import_ended("datasets", former->record, former->ended);

	cat_statement_fresh("UPDATE catalogue.imported i SET ended = $3::json "
						"WHERE i.source = $1 AND i.id = $2",
						text_param(import->source), text_param(former->id), text_param(ended));
}

/* Report one record, unless it was deleted here already. */
static void
report_record(Import *import, const Former *former)
{
	const char *done = "unpublished";
	const char *reason = NULL;
	char *name;

	cat_statement_fresh(
		"SELECT d.name FROM catalogue.datasets d WHERE d.id = $1 AND d.deleted_at IS NULL",
		text_param(former->record));
	if (SPI_processed == 0)
		return;
	name = cat_result_text(1);
	SPI_freetuptable(SPI_tuptable);
	if (!former->ended || import->gone == GONE_DELETE)
	{
		done = cat_import_remove(import, "datasets", former->record, &reason);
		if (strcmp(done, "kept") != 0)
			note_ended(import, former);
	}
	cat_import_report_gone(import, former->id, former->record, name, done, reason);
}

/* Return whether the document names an entry, if only as deleted. */
static bool
is_named(const Import *import, const char *id)
{
	return cat_import_map_get(import->seen, id) || cat_import_map_get(import->deleted, id);
}

/* Software that cuts a list without a sign does so at a round number of records, such as 10,000. */
#define ROUND 1000

/* Nothing is gone, for a reason that the report tells. */
static void
keep_all(Import *import, char *reason)
{
	import->gone = GONE_KEEP;
	import->notes =
		lappend(import->notes, psprintf("%s, so that none is gone; acceptLoss accepts it", reason));
}

/*
 * Nothing is gone where the document seems to be a part of the source, unless that is accepted: it
 * names less than half of what is there, or lacks some and has a round number of entries.
 */
static void
doubt_loss(Import *import, List *formers)
{
	int entries = list_length(import->document.entries);
	int there = 0;
	int named = 0;

	if (import->accept_loss)
		return;
	foreach_ptr(const Former, former, formers)
	{
		bool known = is_named(import, former->id);

		named += known;
		there += known || (!former->ended && cat_import_rows("datasets", former->record).count > 0);
	}
	if (2 * (int64) named < there)
		keep_all(import, psprintf("the source names %d of the %d datasets that it had, less than "
								  "half of them",
								  named, there));
	else if (named < there && entries % ROUND == 0)
		keep_all(import,
				 psprintf("the source names %d datasets, a multiple of %d, at which its list "
						  "may have been cut",
						  entries, ROUND));
}

/* Tell of the entries that the source has deleted, and that were not imported before. */
static void
report_deleted(Import *import)
{
	HASH_SEQ_STATUS status;
	const MapEntry *entry;

	hash_seq_init(&status, import->deleted);
	while ((entry = hash_seq_search(&status)) != NULL)
		cat_import_report_gone(import, entry->key, NULL, entry->value, "not imported", NULL);
}

/* Return what earlier imports have made of the source: List of Former *. */
static List *
read_formers(const Import *import)
{
	List *formers = NIL;

	cat_statement_fresh("SELECT i.id, i.record::text, i.ended::text FROM catalogue.imported i "
						"WHERE i.source = $1 ORDER BY i.id",
						text_param(import->source));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		Former *former = palloc(sizeof(Former));

		former->id = cat_result_text_at(i, 1);
		former->record = cat_result_text_at(i, 2);
		former->ended = cat_result_text_at(i, 3);
		formers = lappend(formers, former);
	}
	SPI_freetuptable(SPI_tuptable);
	return formers;
}

/*
 * Tell of the records whose entries are gone.
 *
 * None is changed where an entry has no id that could be read: then what is missing may be a fault
 * of the document.  The rows are compared here, since a plan that is made while the table is empty
 * would compare each with each.
 */
void
cat_import_gone(Import *import)
{
	List *formers;

	if (import->partial)
	{
		report_deleted(import);
		return;
	}
	formers = read_formers(import);
	if (import->unnamed)
		import->gone = GONE_KEEP;
	else
		doubt_loss(import, formers);
	foreach_ptr(const Former, former, formers)
	{
		CHECK_FOR_INTERRUPTS();
		if (cat_import_map_get(import->seen, former->id))
			continue;
		cat_import_map_drop(import->deleted, former->id);
		report_record(import, former);
	}
	report_deleted(import);
}
