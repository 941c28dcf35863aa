/*
 * page_cache.c
 *	  Cache of list pages in each backend.
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

#include "call/call.h"
#include "pg/pg.h"
#include "query/query.h"
#include "query/sql_builder.h"
#include "read/read.h"
#include "read/read_internal.h"
#include "registry/registry.h"

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

/* Return the cached page for this key and state, or NULL. */
static const CachedPage *
find(const PageCacheKey *page_key)
{
	const CachedPage *page = pages ? hash_search(pages, &page_key->hash, HASH_FIND, NULL) : NULL;

	return page && strcmp(page->key, page_key->key) == 0 &&
				   strcmp(page->state, page_key->state) == 0
			   ? page
			   : NULL;
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
	const CachedPage *page = page_key->state ? find(page_key) : NULL;

	if (!page)
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
	cat_page_cache_put(&page_key, reply);
}
