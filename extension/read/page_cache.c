/*
 * page_cache.c
 *	  The cache of list pages, facets and counts in each backend.
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

/* Size of the cache in bytes; when it is exceeded, the pages are forgotten. */
#define CACHE_BYTES (4 * 1024 * 1024)

/* Size of a page in bytes up to which the others are forgotten first, and at which none is cached. */
#define PAGE_BYTES (CACHE_BYTES / 16)
#define PAGE_BYTES_MOST (CACHE_BYTES / 4)

/* Age up to which a count is recent. */
#define LATELY (5 * SECS_PER_MINUTE * USECS_PER_SEC)

typedef struct CachedPage
{
	uint64 hash;
	MemoryContext memory; /* holds all that follows */
	char *key;			  /* caller and request, or the statement */
	char *state;		  /* entity tag of the state */
	TimestampTz stored;	  /* when */
	TimestampTz newest;	  /* instant of that state, as of RequestParams */
	CallReply
		reply; /* of which data, count, returned, next, previous, ignored, meta and links are used */
} CachedPage;

static HTAB *pages;
static MemoryContext memory;
static Size bytes;

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

static void
forget(CachedPage *page)
{
	bytes -= MemoryContextMemAllocated(page->memory, false);
	MemoryContextDelete(page->memory);
	(void) hash_search(pages, &page->hash, HASH_REMOVE, NULL);
}

/* Forget the pages that are longer. */
static void
forget_longer(int length)
{
	HASH_SEQ_STATUS scan;
	CachedPage *page;

	hash_seq_init(&scan, pages);
	while ((page = hash_seq_search(&scan)) != NULL)
		if (page->reply.data->len > length)
			forget(page);
}

/*
 * Make room.  Few long pages, such as tiles, must not take the place of many others.  Counts stay while there is room
 * for them: they take little, and each page of the same list needs its count again.
 */
static void
forget_pages(void)
{
	forget_longer(PAGE_BYTES);
	if (bytes > CACHE_BYTES / 4 * 3)
		forget_longer(0);
	if (bytes > CACHE_BYTES / 2)
		forget_all();
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
cat_page_cache_key_of(const char *key, char *state)
{
	uint64 hash = hash_bytes_extended((const unsigned char *) key, (int) strlen(key), 0);

	return (PageCacheKey){.key = key, .state = state, .hash = hash};
}

PageCacheKey
cat_page_cache_key(const RequestParams *params, const char *key, List *resources)
{
	const Actor *actor = params->actor;
	char *state = NULL;
	PageCacheKey page_key;

	if (!params->deleted && may_read(resources))
		state =
			cat_etag_of_version(params->then ? params->then : params->newest, resources, params);
	/* the client's own text comes last, so that it cannot imitate the other parts */
	key = psprintf("%u %d %s %u %s %s %s %s %s", GetUserId(), actor->trusted, actor->user,
				   actor->role, actor->consumer, limits_of(actor), params->resource->name, key,
				   params->query);
	page_key = cat_page_cache_key_of(key, state);
	page_key.newest = params->then ? params->then : params->newest;
	return page_key;
}

PageCacheKey
cat_page_cache_statement(const ReadPlan *plan, const char *name, const SqlBuilder *query)
{
	const Actor anyone = {.access = plan->params->access};
	RequestParams params = *plan->params;

	params.actor = &anyone;
	params.query = "";
	return cat_page_cache_key(&params,
							  psprintf("%s %d %s", name, params.access, cat_sql_builder_key(query)),
							  plan->resources);
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
	CachedPage page = {.hash = page_key->hash,
					   .stored = GetCurrentTimestamp(),
					   .newest = page_key->newest,
					   .reply = *reply};
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

void
cat_page_cache_put(const PageCacheKey *page_key, const CallReply *reply)
{
	CachedPage page;
	CachedPage *entry;

	if (!page_key->state ||
		reply->data->len + (reply->meta ? strlen(reply->meta) : 0) > PAGE_BYTES_MOST)
		return;
	if (!pages)
		forget_all();
	else if (bytes > CACHE_BYTES)
		forget_pages();
	page = copy_page(page_key, reply);
	entry = hash_search(pages, &page_key->hash, HASH_FIND, NULL);
	if (entry)
		forget(entry);
	entry = hash_search(pages, &page_key->hash, HASH_ENTER, NULL);
	*entry = page;
	bytes += MemoryContextMemAllocated(page.memory, false);
}

/* Return the page of a key, whatever its state; NULL if there is none. */
static const CachedPage *
find_page(const PageCacheKey *page_key)
{
	const CachedPage *page = pages ? hash_search(pages, &page_key->hash, HASH_FIND, NULL) : NULL;

	return page && strcmp(page->key, page_key->key) == 0 ? page : NULL;
}

bool
cat_page_cache_get(const PageCacheKey *page_key, CallReply *reply)
{
	const CachedPage *page = page_key->state ? find_page(page_key) : NULL;

	if (!page || strcmp(page->state, page_key->state) != 0)
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

bool
cat_page_cache_count_lately(const PageCacheKey *page_key, int64 *count)
{
	const CachedPage *page = find_page(page_key);

	if (!page || page->stored < GetCurrentTimestamp() - LATELY)
		return false;
	*count = page->reply.count;
	return true;
}

bool
cat_page_cache_count_before(const PageCacheKey *page_key, int64 *count, TimestampTz *newest)
{
	const CachedPage *page = page_key->state ? find_page(page_key) : NULL;

	if (!page || page->newest == 0 || page->newest > page_key->newest)
		return false;
	*count = page->reply.count;
	*newest = page->newest;
	return true;
}
