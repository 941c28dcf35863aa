/*
 * page_cache.c
 *	  Caches of list pages and of counts in each backend.
 *
 * The first pages of a catalogue are requested often, and most of their cost is the JSON text.  A
 * cached page is valid while the entity tag of its state is unchanged; each call computes the tag
 * in its own snapshot, as it does to answer 304.
 */
#include "catalogue.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "read/read_internal.h"

/*
 * Clients that page through a list ask for the same total repeatedly.  A count is cached in the
 * backend until something that it depends on changes: records (detected by the commit time of the
 * newest change) or definitions (detected by PostgreSQL's cache invalidations, for example a row
 * security policy or a column type).  For the choice of a read method, a count is accepted for some
 * minutes.
 */

/* Maximum number of entries; when it is reached, the cache is emptied. */
#define COUNT_MAX 1024

/* Age up to which a count may be used to choose a read method. */
#define LATELY (5 * SECS_PER_MINUTE * USECS_PER_SEC)

typedef struct CountEntry
{
	uint64 hash;
	char *key;			 /* user, instant, statement, parameters */
	TimestampTz newest;	 /* newest change that is counted */
	uint64 invalidation; /* number of the last invalidation before counting */
	TimestampTz counted; /* time of counting */
	int64 count;
} CountEntry;

static HTAB *counts;
static MemoryContext count_memory;

static void
forget_counts(void)
{
	HASHCTL control = {.keysize = sizeof(uint64), .entrysize = sizeof(CountEntry)};

	if (count_memory)
		MemoryContextReset(count_memory);
	else
		count_memory =
			AllocSetContextCreate(TopMemoryContext, "catalogue counts", ALLOCSET_SMALL_SIZES);
	control.hcxt = count_memory;
	counts =
		hash_create("catalogue counts", COUNT_MAX, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static char *
key_of(const SqlBuilder *query)
{
	return psprintf("%u " INT64_FORMAT " %s", GetUserId(), query->then, cat_sql_builder_key(query));
}

static int64
count(SqlBuilder *query, void (*run)(SqlBuilder *))
{
	run(query);
	return cat_result_int64(1);
}

static uint64
hash_of(const char *key)
{
	return hash_bytes_extended((const unsigned char *) key, (int) strlen(key), 0);
}

/* Return the entry of a key, or NULL. */
static const CountEntry *
find_count(const char *key)
{
	uint64 hash = hash_of(key);
	const CountEntry *entry = counts ? hash_search(counts, &hash, HASH_FIND, NULL) : NULL;

	return entry && strcmp(entry->key, key) == 0 ? entry : NULL;
}

/* Store a count; an entry of another key with the same hash is replaced. */
static void
keep(const char *key, TimestampTz newest, uint64 invalidation, int64 number)
{
	uint64 hash = hash_of(key);
	CountEntry *entry;
	bool found;

	if (!counts || hash_get_num_entries(counts) >= COUNT_MAX)
		forget_counts();
	entry = hash_search(counts, &hash, HASH_ENTER, &found);
	if (!found || strcmp(entry->key, key) != 0)
		entry->key = MemoryContextStrdup(count_memory, key);
	entry->newest = newest;
	entry->invalidation = invalidation;
	entry->counted = GetCurrentTimestamp();
	entry->count = number;
}

/*
 * Return the count of a statement, from the cache or by running it.
 *
 * run: runs the statement.  The cache is bypassed if the transaction itself has changed records.
 */
int64
cat_count_cache_run(SqlBuilder *query, const RequestParams *params, void (*run)(SqlBuilder *))
{
	char *key;
	const CountEntry *entry;
	uint64 invalidation = cat_invalidation_last(INVALIDATION_READS);
	int64 number;

	if (cat_commit_time_is_due())
		return count(query, run);
	key = key_of(query);
	entry = find_count(key);
	if (entry && entry->newest == params->newest && entry->invalidation == invalidation)
		return entry->count;
	number = count(query, run);
	keep(key, params->newest, invalidation, number);
	return number;
}

/*
 * Like cat_count_cache_run(), but accepts a count that is up to LATELY old: use it only to choose a
 * read method.
 */
int64
cat_count_cache_lately(SqlBuilder *query, const RequestParams *params, void (*run)(SqlBuilder *))
{
	const CountEntry *entry = find_count(key_of(query));

	if (entry && entry->counted > GetCurrentTimestamp() - LATELY)
		return entry->count;
	return cat_count_cache_run(query, params, run);
}

static const char living_sql[] =
	"SELECT coalesce(sum(c.living), 0)::bigint FROM catalogue.change c "
	"WHERE c.resource = $1 AND c.at > $2 AND c.living <> 0";

/*
 * Return how many of the records that outsiders see now were not visible to them at the instant of
 * a read.
 */
static int64
shown_since(const RequestParams *params)
{
	SqlBuilder query;

	cat_sql_builder_begin(&query, params->access, params->then);
	appendStringInfo(&query.sql, "SELECT count(*) FROM %s p JOIN %s t ON t.id = p.id WHERE ",
					 cat_history_sql_past(&query, params->resource), params->resource->table);
	cat_sql_builder_living(&query, params->resource, "t");
	appendStringInfoString(&query.sql, " AND (p.created_at IS NOT NULL AND ");
	cat_sql_builder_living(&query, params->resource, "p");
	appendStringInfoString(&query.sql, ") IS NOT TRUE");
	return cat_count_cache_run(&query, params, cat_sql_builder_run);
}

/*
 * Return how many of the records counted now do not belong to the state at the instant of a read; 0
 * for a read of the present state.
 */
int64
cat_count_since(const RequestParams *params)
{
	if (!params->then)
		return 0;
	if (params->access == ACCESS_OUTSIDER)
		return shown_since(params);
	cat_statement_read(living_sql, text_param(params->resource->name), instant_param(params->then));
	return cat_result_int64(1);
}

/* Size of the cache in bytes; when it is exceeded, the cache is emptied. */
#define CACHE_BYTES (4 * 1024 * 1024)

/* Maximum size of a cached page in bytes. */
#define PAGE_BYTES (CACHE_BYTES / 16)

typedef struct CachedPage
{
	uint64 hash;
	MemoryContext memory; /* holds all that follows */
	char *key;			  /* caller and request */
	char *state;		  /* entity tag of the state */
	CallReply
		reply; /* of which data, count, returned, next, previous, ignored, meta and links are used */
} CachedPage;

static HTAB *pages;
static MemoryContext memory;
static int bytes;

static void
forget_all(void)
{
	HASHCTL control = {.keysize = sizeof(uint64), .entrysize = sizeof(CachedPage)};

	if (memory)
		MemoryContextReset(memory);
	else
		memory = AllocSetContextCreate(TopMemoryContext, "catalogue pages", ALLOCSET_SMALL_SIZES);
	control.hcxt = memory;
	pages = hash_create("catalogue pages", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	bytes = 0;
}

/* Return whether the current user may read the tables without row security. */
static bool
may_read(List *resources)
{
	foreach_ptr(char, resource, resources)
		if (!cat_index_scan_sees_all(cat_registry_resource(resource)->relid))
			return false;
	return true;
}

/* Return the resources that the caller's API key is limited to; "" for no limit. */
static const char *
limits_of(const Actor *actor)
{
	StringInfoData words;

	if (actor->resources == NIL)
		return "";
	initStringInfo(&words);
	foreach_ptr(char, resource, actor->resources)
		appendStringInfo(&words, "%s,", resource);
	return words.data;
}

PageCacheKey
cat_page_cache_key(const RequestParams *params, const char *key, List *resources)
{
	const Actor *actor = params->actor;
	PageCacheKey page_key = {NULL, NULL, 0};

	/* the client's own text comes last, so that it cannot imitate the other parts */
	page_key.key = psprintf("%u %d %s %u %s %s %s %s %s", GetUserId(), actor->trusted, actor->user,
							actor->role, actor->consumer, limits_of(actor), params->resource->name,
							key, params->query);
	if (!params->deleted && may_read(resources))
		page_key.state =
			cat_etag_of_version(params->then ? params->then : params->newest, resources, params);
	page_key.hash =
		hash_bytes_extended((const unsigned char *) page_key.key, (int) strlen(page_key.key), 0);
	return page_key;
}

static char *
copy_text(const char *text)
{
	return text ? pstrdup(text) : NULL;
}

/*
 * Copy a page into a memory context of its own; it is complete before it is entered into the hash
 * table.
 */
static CachedPage
copy_page(const PageCacheKey *page_key, const CallReply *reply)
{
	CachedPage page = {.hash = page_key->hash, .reply = *reply};
	MemoryContext old;

	page.memory = AllocSetContextCreate(memory, "catalogue page", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(page.memory);
	page.key = pstrdup(page_key->key);
	page.state = pstrdup(page_key->state);
	page.reply.data = makeStringInfo();
	appendBinaryStringInfo(page.reply.data, reply->data->data, reply->data->len);
	page.reply.next = copy_text(reply->next);
	page.reply.previous = copy_text(reply->previous);
	page.reply.ignored = copy_text(reply->ignored);
	page.reply.meta = copy_text(reply->meta);
	page.reply.links = copy_text(reply->links);
	MemoryContextSwitchTo(old);
	return page;
}

/* Return the size of what a page has, in bytes. */
static int
size_of(const CallReply *reply)
{
	return reply->data->len + (reply->meta ? (int) strlen(reply->meta) : 0);
}

void
cat_page_cache_put(const PageCacheKey *page_key, const CallReply *reply)
{
	CachedPage page;
	CachedPage *entry;
	bool found;

	if (!page_key->state || size_of(reply) > PAGE_BYTES)
		return;
	if (!pages || bytes > CACHE_BYTES)
		forget_all();
	page = copy_page(page_key, reply);
	entry = hash_search(pages, &page_key->hash, HASH_ENTER, &found);
	if (found)
	{
		bytes -= size_of(&entry->reply);
		MemoryContextDelete(entry->memory);
	}
	*entry = page;
	bytes += size_of(&page.reply);
}

bool
cat_page_cache_get(const PageCacheKey *page_key, CallReply *reply)
{
	const CachedPage *page =
		pages && page_key->state ? hash_search(pages, &page_key->hash, HASH_FIND, NULL) : NULL;

	if (!page || strcmp(page->key, page_key->key) != 0 || strcmp(page->state, page_key->state) != 0)
		return false;
	reply->data = page->reply.data;
	reply->count = page->reply.count;
	reply->returned = page->reply.returned;
	reply->next = page->reply.next;
	reply->previous = page->reply.previous;
	reply->ignored = page->reply.ignored;
	reply->meta = page->reply.meta;
	reply->links = page->reply.links;
	return true;
}

/*
 * Fill the reply with a page from the cache or, as cat_list_page_answer() does, by reading it.
 *
 * resources: List of char *, the resources that the page depends on.
 */
void
cat_page_cache_answer(const RequestParams *params, const Source *source, const Selection *selection,
					  List *resources, CallReply *reply)
{
	const char *key =
		psprintf("%s %s %s %d %d", source->resource ? source->resource->name : "",
				 source->relation ? source->relation->name : "",
				 source->relation ? source->owner : "", selection->embedded, selection->css);
	PageCacheKey page_key = cat_page_cache_key(params, key, resources);

	if (cat_page_cache_get(&page_key, reply))
		return;
	cat_list_page_answer(params, source, selection, reply);
	reply->meta = cat_facets_read(params, source, resources);
	if (params->nearest && params->terms != NIL && reply->count == 0)
	{
		const char *words = cat_nearest_words(params, source);

		reply->meta = words && reply->meta ? psprintf("%s,%s", reply->meta, words)
										   : (words ? words : reply->meta);
	}
	cat_page_cache_put(&page_key, reply);
}
