/*
 * registry.c
 *	  Cache of resources over pg_catalog, by table and by name.
 *
 * A resource is read on first use, and again by the next look-up after PostgreSQL has invalidated
 * its table.  The old definition is kept until the end of the transaction, since a call may still
 * hold a pointer to it.  A call that has waited for a lock on a table whose
 * definition changed meanwhile must not interpret its rows by the old definition: it fails with a
 * serialization failure and can be repeated.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "commands/trigger.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

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
		plural = MemoryContextStrdup(caller, cat_result_text(1));
	PopActiveSnapshot();
	SPI_finish();
	cat_security_context_return();
	return plural;
}

/*
 * Raise the error for an unknown resource: OD308 with {"resource": …} as its detail if the segment
 * is the name of a model, else OD404.
 */
pg_noreturn static void
registry_missing(const char *word)
{
	char *plural = cat_registry_plural(word);

	if (!plural)
		ereport(ERROR, (errcode(OD404), errmsg("resource \"%s\" does not exist", word)));
	ereport(ERROR, (errcode(OD308), errmsg("the path of model \"%s\" is \"%s\"", word, plural),
					errdetail_internal("{\"resource\":%s}", cat_json_quoted(plural))));
}

typedef struct RegistryEntry
{
	Oid relid;
	const uint64 *table; /* number of the last invalidation of the table */
	uint64 loaded;		 /* cat_invalidation_number() before the resource was read; 0: invalid */
	uint64 call;		 /* number of the last call that looked it up, 0 for none */
	Resource *resource;	 /* NULL: the table is not exposed */
} RegistryEntry;

typedef struct RegistryName
{
	char name[NAMEDATALEN];
	Oid relid;
} RegistryName;

static HTAB *tables;  /* relid to RegistryEntry */
static HTAB *names;	  /* lower-case name to RegistryName */
static List *retired; /* of MemoryContext */

#define CALLS_MAX 32 /* nested calls that are tracked */

/* The running calls. */
static struct
{
	int depth;			  /* 0: none */
	int level[CALLS_MAX]; /* nesting level of the transaction that each began in */
	uint64 number;		  /* of outermost calls in this backend, with the running one */
	uint64 begun;		  /* last_change() when the outermost one began */
	uint64 checked;		  /* last_change() when the resources in use were last checked */
} call;

/* Return the number of the last invalidation of any definition. */
static uint64
last_change(void)
{
	return Max(cat_invalidation_last(INVALIDATION_TABLES),
			   cat_invalidation_last(INVALIDATION_TYPES));
}

/* Which resources use a type is unknown, so its invalidation invalidates all. */
static bool
is_valid(const RegistryEntry *entry)
{
	return entry->loaded >= *entry->table &&
		   entry->loaded >= cat_invalidation_last(INVALIDATION_TYPES);
}

/* Return whether the running call may hold a pointer to the resource. */
static bool
is_in_use(const RegistryEntry *entry)
{
	return call.depth > 0 && entry->call == call.number;
}

static void
free_retired(XactEvent event, void *arg)
{
	ListCell *cell;

	if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT)
		return;
	call.depth = 0;
	foreach(cell, retired)
		MemoryContextDelete(lfirst(cell));
	list_free(retired);
	retired = NIL;
}

/* Subtransaction callback: calls that began in an aborted subtransaction have ended. */
static void
forget_calls(SubXactEvent event, SubTransactionId mine, SubTransactionId parent, void *arg)
{
	int level = GetCurrentTransactionNestLevel();

	if (event != SUBXACT_EVENT_ABORT_SUB)
		return;
	while (call.depth > 0 && call.level[Min(call.depth, CALLS_MAX) - 1] >= level)
		call.depth--;
}

void
cat_registry_init(void)
{
	HASHCTL table = {.keysize = sizeof(Oid), .entrysize = sizeof(RegistryEntry)};
	HASHCTL name = {.keysize = NAMEDATALEN, .entrysize = sizeof(RegistryName)};

	tables = hash_create("catalogue tables", 64, &table, HASH_ELEM | HASH_BLOBS);
	names = hash_create("catalogue names", 64, &name, HASH_ELEM | HASH_STRINGS);
	RegisterXactCallback(free_retired, NULL);
	RegisterSubXactCallback(forget_calls, NULL);
	cat_invalidation_hook_set(cat_registry_require, cat_registry_rethrow);
}

pg_noreturn static void
refuse_redefined(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("a definition has changed during the call"), errhint("Make the call again.")));
}

/* Return whether a row of a catalog, which is released, is of a transaction that the caller's snapshot does not see. */
static bool
is_unseen(HeapTuple tuple)
{
	TransactionId writer;

	if (!HeapTupleIsValid(tuple))
		return false;
	writer = HeapTupleHeaderGetXmin(tuple->t_data);
	ReleaseSysCache(tuple);
	return TransactionIdIsNormal(writer) && !TransactionIdIsCurrentTransactionId(writer) &&
		   XidInMVCCSnapshot(writer, GetActiveSnapshot());
}

/*
 * Return whether a table was defined or rewritten by a transaction that the caller's snapshot does
 * not see.  To such a snapshot, a rewritten table is empty.  A column that is dropped changes its own
 * row only.
 */
static bool
is_newer(Oid relid)
{
	HeapTuple table = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	int columns = HeapTupleIsValid(table) ? ((Form_pg_class) GETSTRUCT(table))->relnatts : 0;

	if (is_unseen(table))
		return true;
	for (int i = 1; i <= columns; i++)
	{
		HeapTuple column = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relid), Int16GetDatum(i));
		bool dropped =
			HeapTupleIsValid(column) && ((Form_pg_attribute) GETSTRUCT(column))->attisdropped;

		if (is_unseen(column) && dropped)
			return true;
	}
	return false;
}

/*
 * Replace an entry's resource by the one just read; before: cat_invalidation_number() when reading
 * began.
 *
 * Raises 40001 if the running call may hold the old resource and the new one differs, or if the
 * call's snapshot is too old for the new one.
 */
static void
replace(RegistryEntry *entry, Resource *resource, uint64 before)
{
	bool same = !entry->resource || (resource && entry->resource->signature == resource->signature);

	if (entry->resource)
	{
		MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

		retired = lappend(retired, entry->resource->context);
		MemoryContextSwitchTo(old);
	}
	entry->resource = resource;
	/* the cause of unfitness, for example a child table, can disappear without an invalidation */
	entry->loaded = resource && resource->unfit ? 0 : before;
	if ((is_in_use(entry) && !same) || (call.depth > 0 && is_newer(entry->relid)))
		refuse_redefined();
	entry->call = call.number;
}

/* Return the entry of a table, which is added if necessary. */
static RegistryEntry *
enter(Oid relid)
{
	bool found;
	RegistryEntry *entry = hash_search(tables, &relid, HASH_ENTER, &found);

	if (!found)
		*entry = (RegistryEntry){.relid = relid, .table = cat_invalidation_of_table(relid)};
	return entry;
}

/* Return the entry of a table, reading its resource again if it is invalid. */
static RegistryEntry *
entry_of(Oid relid)
{
	RegistryEntry *entry = enter(relid);
	Resource *resource;
	uint64 before = cat_invalidation_number();

	if (!is_valid(entry))
	{
		resource = cat_registry_load(NULL, relid, TopMemoryContext);
		replace(entry, resource, before);
	}
	entry->call = call.number;
	return entry;
}

/* Return the resource.  Raises OD503 if its table no longer has the form of a resource. */
static Resource *
usable(Resource *resource)
{
	if (resource && resource->unfit)
		ereport(ERROR, (errcode(OD503),
						errmsg("resource \"%s\" is not available: its table has been changed",
							   resource->name),
						errdetail("%s", resource->unfit), errhint("%s", resource->remedy)));
	return resource;
}

Resource *
cat_registry_known(Oid relid)
{
	return entry_of(relid)->resource;
}

Resource *
cat_registry_table(Oid relid)
{
	return usable(cat_registry_known(relid));
}

static Resource *
load_by_name(const char *key)
{
	RegistryName *name;
	uint64 before = cat_invalidation_number();
	Resource *resource = cat_registry_load(key, InvalidOid, TopMemoryContext);

	if (!resource)
		return NULL;
	name = hash_search(names, key, HASH_ENTER, NULL);
	name->relid = resource->relid;
	replace(enter(resource->relid), resource, before);
	return resource;
}

/* Return the resource of a path segment, ignoring case, also if its table is unfit. */
static Resource *
find(const char *word)
{
	char key[NAMEDATALEN];
	RegistryName *name;
	size_t length = strlen(word);

	if (length == 0 || length >= NAMEDATALEN)
		return NULL;
	for (size_t i = 0; i <= length; i++)
		key[i] = pg_ascii_tolower((unsigned char) word[i]);
	name = hash_search(names, key, HASH_FIND, NULL);
	if (name)
	{
		Resource *resource = entry_of(name->relid)->resource;

		if (resource && strcmp(resource->name, key) == 0)
			return resource;
	}
	return load_by_name(key);
}

Resource *
cat_registry_find(const char *word)
{
	return usable(find(word));
}

Resource *
cat_registry_find_fit(const char *word)
{
	Resource *resource = find(word);

	return resource && !resource->unfit ? resource : NULL;
}

Resource *
cat_registry_resource(const char *word)
{
	Resource *resource = cat_registry_find(word);

	if (!resource)
		registry_missing(word);
	return resource;
}

void
cat_registry_begin(void)
{
	if (call.depth < CALLS_MAX)
		call.level[call.depth] = GetCurrentTransactionNestLevel();
	if (call.depth++ > 0)
		return;
	AcceptInvalidationMessages();
	call.number++;
	call.begun = call.checked = last_change();
}

void
cat_registry_end(void)
{
	if (call.depth > 0)
		call.depth--;
}

/*
 * Read the invalid resources that the running call uses again.  Of the others, only whether they
 * are too new for its snapshot matters, since its statements may read their tables.
 */
static void
check_invalid(void)
{
	HASH_SEQ_STATUS scan;
	RegistryEntry *entry;
	List *invalid = NIL;
	ListCell *cell;

	hash_seq_init(&scan, tables);
	while ((entry = hash_seq_search(&scan)))
		if (entry->resource && !is_valid(entry))
			invalid = lappend(invalid, entry);
	foreach(cell, invalid)
	{
		entry = lfirst(cell);
		if (is_in_use(entry))
			entry_of(entry->relid);
		else if (is_newer(entry->relid))
			refuse_redefined();
	}
}

void
cat_registry_require(void)
{
	if (call.depth == 0 || call.checked == last_change())
		return;
	call.checked = last_change();
	check_invalid();
}

/* Re-throw the current error, in PG_CATCH(); as 40001 if a changed definition may be its cause. */
void
cat_registry_rethrow(void)
{
	if (call.depth > 0 && call.begun != last_change() &&
		ERRCODE_TO_CATEGORY(geterrcode()) == ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION)
	{
		FlushErrorState();
		refuse_redefined();
	}
	PG_RE_THROW();
}

/*
 * Trigger: make every backend read all resources again.
 *
 * AFTER INSERT, UPDATE OR DELETE on catalogue.resource, FOR EACH ROW.
 */
CAT_FUNCTION(catalogue_forget_resource)
{
	if (!CALLED_AS_TRIGGER(fcinfo))
		elog(ERROR, "catalogue_forget_resource: not called as a trigger");
	/* the visibility of a resource affects keys and relations of other resources */
	CacheInvalidateRelcacheAll();
	return PointerGetDatum(NULL);
}
