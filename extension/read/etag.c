/*
 * etag.c
 *	  Entity tags, and their comparison with If-Match and If-None-Match lists.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "common/hashfn.h"

#include "base/settings.h"
#include "read/read_internal.h"

/* Return a hash as 16 hexadecimal digits, palloc'd. */
static char *
tag_of(uint64 hash)
{
	char *tag = palloc(sizeof(hash) * 2 + 1);

	for (int i = sizeof(hash) * 2 - 1; i >= 0; i--, hash >>= 4)
		tag[i] = "0123456789abcdef"[hash & 0xF];
	tag[sizeof(hash) * 2] = '\0';
	return tag;
}

char *
cat_etag_of_record(const Resource *resource, const Rows *rows, int row)
{
	bool isnull;
	const HeapTuple tuple = rows->tuples[row];
	uint64 hash;
	text *id;

	if (!rows->whole)
		return NULL;
	hash = DatumGetUInt64(heap_getattr(tuple, resource->updated_at, rows->desc, &isnull));
	hash = hash_combine64(hash_bytes_extended((unsigned char *) &hash, sizeof(hash), 0),
						  HeapTupleHeaderGetRawXmin(tuple->t_data));
	hash = hash_combine64(hash, (uint64) ItemPointerGetBlockNumber(&tuple->t_self) << 16 |
									ItemPointerGetOffsetNumber(&tuple->t_self));
	hash = hash_combine64(hash, resource->signature);
	id = DatumGetTextPP(heap_getattr(tuple, resource->id, rows->desc, &isnull));
	hash = hash_combine64(hash, hash_bytes_extended((unsigned char *) VARDATA_ANY(id),
													(int) VARSIZE_ANY_EXHDR(id), 0));
	return tag_of(hash);
}

/* Add the definition of a resource to the hash of a state, and what the caller may read of it. */
static uint64
add_resource(uint64 hash, const Resource *resource, const RequestParams *params)
{
	uint32 rights = cat_visibility_rights(resource, params->access);
	const char *user = params->actor->user;

	hash = hash_combine64(hash, resource->signature);
	if (rights & resource->right)
		hash = hash_combine64(hash, 1);
	else if (cat_visibility_is_limited(resource, params->access))
	{
		/* the bits of rights are others in another backend */
		hash = hash_combine64(hash, 2 + ((rights & resource->own_right) != 0));
		hash = hash_combine64(hash, 2 + ((rights & resource->near_right) != 0));
		hash = hash_combine64(
			hash, hash_bytes_extended((const unsigned char *) user, (int) strlen(user), 0));
	}
	return hash;
}

char *
cat_etag_of_version(TimestampTz instant, List *resources, const RequestParams *params)
{
	uint64 hash = (uint64) instant;

	if (cat_commit_time_is_due())
		return NULL;
	hash = hash_combine64(hash_bytes_extended((unsigned char *) &hash, sizeof(hash), 0),
						  (uint64) cat_max_limit);
	hash = hash_combine64(hash, (uint64) access_level(params->access));
	/* records of that instant may have been hidden or erased since */
	if (params->then)
		hash = hash_combine64(hash, (uint64) params->newest);
	foreach_ptr(char, resource, resources)
		hash = add_resource(hash, cat_registry_resource(resource), params);
	return tag_of(hash);
}

/* Return the entity tag of a text. */
char *
cat_etag_of_text(const char *text)
{
	return tag_of(hash_bytes_extended((const unsigned char *) text, (int) strlen(text), 0));
}

/* Combine two tags; NULL if one of them is missing. */
char *
cat_etag_join(const char *record, const char *rest)
{
	char *joined;

	if (!record || !rest)
		return NULL;
	joined = palloc(strlen(record) + strlen(rest) + sizeof("."));
	stpcpy(stpcpy(stpcpy(joined, record), "."), rest);
	return joined;
}

/* Return whether a word is the tag or "*". */
static bool
is_tag(const char *word, const char *tag)
{
	return *tag != '\0' && (strcmp(word, "*") == 0 || strcmp(word, tag) == 0);
}

bool
cat_etag_is_among(const char *list, const char *tag)
{
	if (!list || !tag)
		return false;
	foreach_ptr(char, word, cat_query_string_split(list, ','))
		if (is_tag(word, tag))
			return true;
	return false;
}

/*
 * Return whether a word, up to the first dot, is the tag of a record.  The part behind the dot
 * covers other data.
 */
static bool
is_state(const char *word, const char *tag)
{
	return is_tag(pnstrdup(word, strcspn(word, ".")), tag);
}

bool
cat_etag_meets(const char *match, const char *tag)
{
	List *words = cat_query_string_split(match, ',');
	bool met = words != NIL;
	bool named = false;

	foreach_ptr(const char, word, words)
	{
		if (*word == '!')
		{
			if (is_state(word + 1, tag))
				return false;
			continue;
		}
		met = (named && met) || is_state(word, tag);
		named = true;
	}
	return met;
}
