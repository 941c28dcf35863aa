/*
 * registry.c
 *	  What resources and fields there are: a cache over pg_catalog.
 *
 * A resource is read on first use.  The relcache callback only marks; a marked
 * resource is read again at the next look-up.  The old one is kept to the end
 * of the transaction, since a call may still hold it.
 */
#include "catalogue.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#define RESOURCE_NAME_MAX NAMEDATALEN

typedef struct RegistryEntry
{
	Oid relid;
	bool valid;
	Resource *resource; /* NULL: the table is not exposed */
} RegistryEntry;

typedef struct RegistryName
{
	char name[RESOURCE_NAME_MAX];
	Oid relid;
} RegistryName;

static HTAB *tables;  /* relid to RegistryEntry */
static HTAB *names;	  /* lower-case name to RegistryName */
static List *retired; /* of MemoryContext */
static uint64 marks;  /* how often something was marked, to notice it while loading */

PG_FUNCTION_INFO_V1(catalogue_forget_resource);

static void
mark(RegistryEntry *entry)
{
	entry->valid = false;
	if (entry->resource)
		entry->resource->stale = true;
}

static void
forget_table(Datum arg, Oid relid)
{
	HASH_SEQ_STATUS scan;
	RegistryEntry *entry;

	marks++;
	if (OidIsValid(relid))
	{
		if ((entry = hash_search(tables, &relid, HASH_FIND, NULL)))
			mark(entry);
		return;
	}
	hash_seq_init(&scan, tables);
	while ((entry = hash_seq_search(&scan)))
		mark(entry);
}

/* A type changed: which resource uses it is not known. */
static void
forget_types(Datum arg, int cache, uint32 hash)
{
	forget_table(0, InvalidOid);
}

static void
free_retired(XactEvent event, void *arg)
{
	ListCell *cell;

	if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT)
		return;
	foreach(cell, retired)
		MemoryContextDelete(lfirst(cell));
	list_free(retired);
	retired = NIL;
}

void
registry_init(void)
{
	HASHCTL table = {.keysize = sizeof(Oid), .entrysize = sizeof(RegistryEntry)};
	HASHCTL name = {.keysize = RESOURCE_NAME_MAX, .entrysize = sizeof(RegistryName)};

	tables = hash_create("catalogue tables", 64, &table, HASH_ELEM | HASH_BLOBS);
	names = hash_create("catalogue names", 64, &name, HASH_ELEM | HASH_STRINGS);
	CacheRegisterRelcacheCallback(forget_table, 0);
	CacheRegisterSyscacheCallback(TYPEOID, forget_types, 0);
	CacheRegisterSyscacheCallback(ENUMTYPOIDNAME, forget_types, 0);
	RegisterXactCallback(free_retired, NULL);
}

static void
retire(Resource *resource)
{
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

	resource->stale = true;
	retired = lappend(retired, resource->context);
	MemoryContextSwitchTo(old);
}

/* Keep what was read of a resource; before: the marks when that began. */
static void
keep(RegistryEntry *entry, Resource *resource, uint64 before)
{
	if (entry->resource)
		retire(entry->resource);
	entry->resource = resource;
	entry->valid = marks == before;
	if (resource)
		resource->stale = !entry->valid;
}

/* The entry of a table, read again where it was marked. */
static RegistryEntry *
entry_of(Oid relid)
{
	bool found;
	RegistryEntry *entry = hash_search(tables, &relid, HASH_ENTER, &found);
	Resource *resource;
	uint64 before = marks;

	if (found && entry->valid)
		return entry;
	if (!found)
		entry->resource = NULL;
	entry->valid = false;
	resource = registry_load(NULL, relid, TopMemoryContext);

	/* loading may have served invalidations and moved the table */
	entry = hash_search(tables, &relid, HASH_ENTER, &found);
	keep(entry, resource, before);
	return entry;
}

/* The resource of a table, NULL where it is not exposed. */
Resource *
registry_table(Oid relid)
{
	return entry_of(relid)->resource;
}

static Resource *
load_by_name(const char *key)
{
	RegistryName *name;
	uint64 before = marks;
	Resource *resource = registry_load(key, InvalidOid, TopMemoryContext);
	RegistryEntry *entry;
	bool found;

	if (!resource)
		return NULL;
	name = hash_search(names, key, HASH_ENTER, NULL);
	name->relid = resource->relid;
	entry = hash_search(tables, &resource->relid, HASH_ENTER, &found);
	if (!found)
		entry->resource = NULL;
	keep(entry, resource, before);
	return resource;
}

/*
 * Raise 40001 where columns have other types now than the resource says: their values are no longer
 * what is taken for them.
 *
 * Who has a resource and then waits for the lock on its table may have waited for ALTER TABLE.
 */
void
registry_require(const Resource *resource)
{
	for (int i = 0; resource->stale && i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];
		Oid type = get_atttype(resource->relid, field->attno);

		/* the values of a column that was dropped stay where they are */
		if (OidIsValid(type) && type != field->type_oid)
			ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
							errmsg("field \"%s\" of \"%s\" has got another type meanwhile",
								   field->name, resource->name),
							errhint("Try again.")));
	}
}

/* The resource of a path word in any letter case, NULL where there is none. */
Resource *
registry_find(const char *word)
{
	char key[RESOURCE_NAME_MAX];
	RegistryName *name;
	size_t length = strlen(word);

	if (length == 0 || length >= RESOURCE_NAME_MAX)
		return NULL;
	for (size_t i = 0; i <= length; i++)
		key[i] = pg_ascii_tolower((unsigned char) word[i]);
	name = hash_search(names, key, HASH_FIND, NULL);
	if (name)
	{
		Resource *resource = registry_table(name->relid);

		if (resource && strcmp(resource->name, key) == 0)
			return resource;
	}
	return load_by_name(key);
}

/* As registry_find(); OD404 where there is none. */
Resource *
registry_resource(const char *word)
{
	Resource *resource = registry_find(word);

	if (!resource)
		ereport(ERROR, (errcode(OD404), errmsg("resource \"%s\" does not exist", word)));
	return resource;
}

/* The field of a name, NULL where there is none. */
Field *
registry_field(Resource *resource, const char *name)
{
	for (int i = 0; i < resource->nfields; i++)
		if (strcmp(resource->fields[i].name, name) == 0)
			return &resource->fields[i];
	return NULL;
}

/* The field of a column, NULL where there is none. */
Field *
registry_column(Resource *resource, const char *column)
{
	for (int i = 0; i < resource->nfields; i++)
		if (strcmp(resource->fields[i].column, column) == 0)
			return &resource->fields[i];
	return NULL;
}

/* The relation of a name in any letter case, NULL where there is none. */
CatRelation *
registry_relation(Resource *resource, const char *name)
{
	for (int i = 0; i < resource->nrelations; i++)
		if (pg_strcasecmp(resource->relations[i].name, name) == 0)
			return &resource->relations[i];
	return NULL;
}

/*
 * Make every backend read all resources again.
 *
 * AFTER INSERT, UPDATE OR DELETE on catalogue.resource, FOR EACH ROW.
 */
Datum
catalogue_forget_resource(PG_FUNCTION_ARGS)
{
	if (!CALLED_AS_TRIGGER(fcinfo))
		elog(ERROR, "catalogue_forget_resource: not called as a trigger");
	/* what it shows decides about keys and relations of others too */
	CacheInvalidateRelcacheAll();
	return PointerGetDatum(NULL);
}
