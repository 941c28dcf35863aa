/*
 * page_cache.c
 *	  Pages that this backend has made, for whoever asks the same again.
 *
 * The first pages of a catalogue are asked for again and again, and most of
 * what a page costs is its text.  A page is good as long as the state tag of
 * all that it depends on is the same, which each call looks up in its own
 * snapshot: what would be answered 304 to a client who has it is what may be
 * answered from here to one who has not.
 */
#include "catalogue.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/memutils.h"
#include "utils/rls.h"

/* Bytes of pages that a backend keeps; when there are more, it begins anew. */
#define CACHE_BYTES (4 * 1024 * 1024)

/* A longer page is not kept. */
#define PAGE_BYTES (CACHE_BYTES / 16)

typedef struct CachedPage
{
	uint64 hash;
	MemoryContext memory; /* of all that follows */
	char *key;			  /* who asks for what */
	char *state;		  /* tag of all that the page depends on */
	CallReply reply;	  /* data, count, returned, next, previous and ignored of it */
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

/* Whether the caller may read the tables, as those who made the page could. */
static bool
may_read(List *resources)
{
	ListCell *cell;

	foreach(cell, resources)
	{
		Oid table = cat_registry_resource(lfirst(cell))->relid;

		if (pg_class_aclcheck(table, GetUserId(), ACL_SELECT) != ACLCHECK_OK ||
			check_enable_rls(table, InvalidOid, true) == RLS_ENABLED)
			return false;
	}
	return true;
}

/* What the caller's key is for, as words; "" for all. */
static const char *
limits_of(const Actor *actor)
{
	StringInfoData words;
	ListCell *cell;

	if (actor->resources == NIL)
		return "";
	initStringInfo(&words);
	foreach(cell, actor->resources)
		appendStringInfo(&words, "%s,", (char *) lfirst(cell));
	return words.data;
}

/*
 * Settle as what a page may be kept.
 *
 * key: what is asked for, besides who asks and the words of the query.  resources: List of char *,
 * all that the page looks at.  Not where records have to be shown as they were, nor where the
 * transaction itself has changed some.
 */
PageCacheKey
cat_page_cache_key(const RequestParams *params, const char *key, List *resources)
{
	const Actor *actor = params->actor;
	PageCacheKey kept = {NULL, NULL, 0};

	/* what the caller wrote comes last */
	kept.key = psprintf("%u %d %s %u %s %s %s %s %s", GetUserId(), actor->trusted, actor->user,
						actor->role, actor->consumer, limits_of(actor), params->resource->name, key,
						params->query);
	if (!params->then && !params->deleted && may_read(resources))
		kept.state = cat_etag_of_version(params->newest, resources, params);
	kept.hash = hash_bytes_extended((const unsigned char *) kept.key, (int) strlen(kept.key), 0);
	return kept;
}

/* The page as it was made for the same state, NULL where it must be made. */
static const CachedPage *
find(const PageCacheKey *kept)
{
	const CachedPage *page = pages ? hash_search(pages, &kept->hash, HASH_FIND, NULL) : NULL;

	return page && strcmp(page->key, kept->key) == 0 && strcmp(page->state, kept->state) == 0
			   ? page
			   : NULL;
}

static char *
copy_text(const char *text)
{
	return text ? pstrdup(text) : NULL;
}

/* A page in memory of its own, made whole before it is entered anywhere. */
static CachedPage
copy_page(const PageCacheKey *kept, const CallReply *reply)
{
	CachedPage page = {.hash = kept->hash, .reply = *reply};
	MemoryContext old;

	page.memory = AllocSetContextCreate(memory, "catalogue page", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(page.memory);
	page.key = pstrdup(kept->key);
	page.state = pstrdup(kept->state);
	page.reply.data = makeStringInfo();
	appendBinaryStringInfo(page.reply.data, reply->data->data, reply->data->len);
	page.reply.next = copy_text(reply->next);
	page.reply.previous = copy_text(reply->previous);
	page.reply.ignored = copy_text(reply->ignored);
	MemoryContextSwitchTo(old);
	return page;
}

/* Keep a page that was made, where it may be; one under the same hash gives way. */
void
cat_page_cache_put(const PageCacheKey *kept, const CallReply *reply)
{
	CachedPage page;
	CachedPage *entry;
	bool found;

	if (!kept->state || reply->data->len > PAGE_BYTES)
		return;
	if (!pages || bytes > CACHE_BYTES)
		forget_all();
	page = copy_page(kept, reply);
	entry = hash_search(pages, &kept->hash, HASH_ENTER, &found);
	if (found)
	{
		bytes -= entry->reply.data->len;
		MemoryContextDelete(entry->memory);
	}
	*entry = page;
	bytes += page.reply.data->len;
}

/* Give a page as it was made for the same state; false where it must be made. */
bool
cat_page_cache_get(const PageCacheKey *kept, CallReply *reply)
{
	const CachedPage *page = kept->state ? find(kept) : NULL;

	if (!page)
		return false;
	reply->data = page->reply.data;
	reply->count = page->reply.count;
	reply->returned = page->reply.returned;
	reply->next = page->reply.next;
	reply->previous = page->reply.previous;
	reply->ignored = page->reply.ignored;
	return true;
}

/*
 * Give a page and what is to be said of it, as cat_list_page_answer() does.
 *
 * resources: List of char *, all that it looks at.
 */
void
cat_page_cache_answer(const RequestParams *params, const Source *source, const Selection *selection,
					  List *resources, CallReply *reply)
{
	const char *key =
		psprintf("%s %s %s %d %d", source->resource ? source->resource->name : "",
				 source->relation ? source->relation->name : "",
				 source->relation ? source->owner : "", selection->embedded, selection->css);
	PageCacheKey kept = cat_page_cache_key(params, key, resources);

	if (cat_page_cache_get(&kept, reply))
		return;
	cat_list_page_answer(params, source, selection, reply);
	cat_page_cache_put(&kept, reply);
}
