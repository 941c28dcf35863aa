/*
 * describe_cache.c
 *	  Fields and comments of resources as they are described, cached by each backend.
 *
 * The view that they come from reads many catalogs, which takes 2 ms for a resource.  Changes of
 * tables, types and functions invalidate the cache; changes of comments cause no invalidation, so
 * that their hash is compared in each call.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "pg/pg.h"
#include "services/describe.h"

#define ENTRIES 64 /* resources, about */

/* Texts of a resource, NULL: not read yet. */
typedef struct Description
{
	Oid relid;
	char *about;
	char *fields[2]; /* of outsiders, and of others */
} Description;

/* The hash of the comments of all tables and columns. */
static const char comments_sql[] = "SELECT coalesce(sum(hashtextextended(d.description, "
								   "d.objoid::bigint * 10000 + d.objsubid)), 0)"
								   "::text FROM pg_catalog.pg_description d "
								   "WHERE d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass";

/* Fields as JSON: those that outsiders see, and all. */
static const char *const fields_sql[] = {
	"SELECT coalesce(json_object_agg(d.field, d.facts ORDER BY d.position), '{}')::text "
	"FROM catalogue.description d WHERE d.resource = $1 AND NOT d.internal",
	"SELECT coalesce(json_object_agg(d.field, d.facts ORDER BY d.position), '{}')::text "
	"FROM catalogue.description d WHERE d.resource = $1"};

static const char about_sql[] = "SELECT coalesce(obj_description($1, 'pg_class'), '')";

static HTAB *cached; /* Oid to Description */
static MemoryContext memory;
static char comments[32]; /* their hash when the cache was emptied */
static uint64 loaded;	  /* cat_invalidation_number() then */

/* Return the only value of a statement, of what is committed now. */
static char *
only_text(const char *sql, int nargs, Oid type, Datum value)
{
	PushActiveSnapshot(GetLatestSnapshot());
	cat_statement_run(sql, nargs, &type, &value, NULL, false, 1);
	PopActiveSnapshot();
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
}

void
cat_describe_cache_begin(void)
{
	HASHCTL control = {.keysize = sizeof(Oid), .entrysize = sizeof(Description)};
	uint64 before = cat_invalidation_number();
	const char *now = only_text(comments_sql, 0, InvalidOid, (Datum) 0);

	if (cached && loaded >= cat_invalidation_last(INVALIDATION_READS) && strcmp(now, comments) == 0)
		return;
	cached = NULL; /* if an error ends this function */
	if (memory)
		MemoryContextReset(memory);
	else
		memory = AllocSetContextCreate(TopMemoryContext, "catalogue descriptions",
									   ALLOCSET_DEFAULT_SIZES);
	control.hcxt = memory;
	cached = hash_create("catalogue descriptions", ENTRIES, &control,
						 HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	strlcpy(comments, now, sizeof(comments));
	loaded = before;
}

/* Return the entry of a resource, which is added if necessary. */
static Description *
entry_of(const Resource *resource)
{
	bool found;
	Description *entry = hash_search(cached, &resource->relid, HASH_ENTER, &found);

	if (!found)
		*entry = (Description){.relid = resource->relid};
	return entry;
}

const char *
cat_describe_cache_fields(const Resource *resource, AccessLevel access)
{
	int all = access != ACCESS_OUTSIDER;
	Description *entry = entry_of(resource);

	if (!entry->fields[all])
		entry->fields[all] = MemoryContextStrdup(
			memory, only_text(fields_sql[all], 1, TEXTOID, CStringGetTextDatum(resource->name)));
	return entry->fields[all];
}

const char *
cat_describe_cache_about(const Resource *resource)
{
	Description *entry = entry_of(resource);

	if (!entry->about)
		entry->about = MemoryContextStrdup(
			memory, only_text(about_sql, 1, OIDOID, ObjectIdGetDatum(resource->relid)));
	return entry->about;
}
