/*
 * etag.c
 *	  Tags of states: what a client has is compared with what is there.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

static uint64
hash_of_id(const Resource *resource, const Rows *rows, int row)
{
	Resource *known = unconstify(Resource *, resource);
	char *id = SPI_getvalue(rows->tuples[row], rows->desc, registry_column(known, "id")->attno);

	return hash_bytes_extended((unsigned char *) id, (int) strlen(id), 0);
}

/*
 * The tag of a record as it was read: another one after each change of it.
 *
 * It goes by the transaction that wrote the row and by the resource's
 * definition.  NULL where a statement read the record without its header.
 */
char *
etag_of_record(const Resource *resource, const Rows *rows, int row)
{
	bool isnull;
	const HeapTuple tuple = rows->tuples[row];
	AttrNumber updated_at;
	uint64 hash;

	if (!rows->whole)
		return NULL;
	updated_at = registry_column(unconstify(Resource *, resource), "updated_at")->attno;
	hash = DatumGetUInt64(heap_getattr(tuple, updated_at, rows->desc, &isnull));
	hash = hash_combine64(hash_bytes_extended((unsigned char *) &hash, sizeof(hash), 0),
						  HeapTupleHeaderGetRawXmin(tuple->t_data));
	hash = hash_combine64(hash, resource->signature);
	hash = hash_combine64(hash, hash_of_id(resource, rows, row));
	return psprintf("%016llx", (unsigned long long) hash);
}

/*
 * The tag of all that a read can show, by an instant that names its state.
 *
 * resources: List of char *, what the read depends on.  NULL where the
 * transaction has changed records that no instant names yet.
 */
char *
etag_of_version(TimestampTz instant, List *resources)
{
	uint64 hash = (uint64) instant;
	ListCell *cell;

	if (stamp_is_due())
		return NULL;
	hash = hash_combine64(hash_bytes_extended((unsigned char *) &hash, sizeof(hash), 0),
						  (uint64) cat_max_limit);
	foreach(cell, resources)
		hash = hash_combine64(hash, registry_resource(lfirst(cell))->signature);
	return psprintf("%016llx", (unsigned long long) hash);
}

/* The tag of a record together with that of what is shown besides; NULL where one is missing. */
char *
etag_join(const char *record, const char *rest)
{
	return record && rest ? psprintf("%s.%s", record, rest) : NULL;
}

/* Whether a tag is one of a comma-separated list; "*" stands for any. */
bool
etag_is_among(const char *list, const char *tag)
{
	ListCell *cell;

	if (!list || !tag)
		return false;
	foreach(cell, words_split(list, ','))
		if (strcmp(lfirst(cell), tag) == 0 || strcmp(lfirst(cell), "*") == 0)
			return true;
	return false;
}

/*
 * Raise OD412 where the record is in another state than the caller's match
 * says; it stays locked, so that it is in that state when it is changed.
 *
 * A record that does not live is left to the change.
 */
void
etag_require(const Writer *writer)
{
	Oid type = TEXTOID;
	Datum id = CStringGetTextDatum(writer->id);
	Rows rows;

	if (!writer->match)
		return;
	plan_run(psprintf("SELECT FROM %s t WHERE t.id = $1 AND t.deleted_at IS NULL FOR NO KEY UPDATE",
					  writer->resource->table),
			 1, &type, &id, NULL, true, 0);
	if (SPI_processed == 0)
		return;
	PushActiveSnapshot(GetLatestSnapshot());
	if (!rows_by_id(writer->resource, writer->id, true, &rows) || rows.count == 0 ||
		!etag_is_among(writer->match, etag_of_record(writer->resource, &rows, 0)))
		ereport(ERROR, (errcode(OD412), errmsg("%s \"%s\" has been changed since it was read",
											   writer->resource->model, writer->id)));
	PopActiveSnapshot();
}
