/*
 * etag.c
 *	  Tags of states: what a client has is compared with what is there.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/builtins.h"

static uint64
hash_of_id(const Resource *resource, const Rows *rows, int row)
{
	bool isnull;
	text *id = DatumGetTextPP(heap_getattr(rows->tuples[row], resource->id, rows->desc, &isnull));

	return hash_bytes_extended((unsigned char *) VARDATA_ANY(id), (int) VARSIZE_ANY_EXHDR(id), 0);
}

/* A tag of a hash: its 16 hexadecimal digits. */
static char *
tag_of(uint64 hash)
{
	char *tag = palloc(sizeof(hash) * 2 + 1);

	for (int i = sizeof(hash) * 2 - 1; i >= 0; i--, hash >>= 4)
		tag[i] = "0123456789abcdef"[hash & 0xF];
	tag[sizeof(hash) * 2] = '\0';
	return tag;
}

/*
 * The tag of a record as it was read: another one after each change of it.
 *
 * It goes by the transaction that wrote the row, by the row's place, since one
 * transaction may change it twice, and by the resource's definition.  NULL
 * where a statement read the record without its header.
 */
char *
cat_etag_of_record(const Resource *resource, const Rows *rows, int row)
{
	bool isnull;
	const HeapTuple tuple = rows->tuples[row];
	uint64 hash;

	if (!rows->whole)
		return NULL;
	hash = DatumGetUInt64(heap_getattr(tuple, resource->updated_at, rows->desc, &isnull));
	hash = hash_combine64(hash_bytes_extended((unsigned char *) &hash, sizeof(hash), 0),
						  HeapTupleHeaderGetRawXmin(tuple->t_data));
	hash = hash_combine64(hash, (uint64) ItemPointerGetBlockNumber(&tuple->t_self) << 16 |
									ItemPointerGetOffsetNumber(&tuple->t_self));
	hash = hash_combine64(hash, resource->signature);
	hash = hash_combine64(hash, hash_of_id(resource, rows, row));
	return tag_of(hash);
}

/*
 * The tag of all that a read can show, by an instant that names its state.
 *
 * What is seen of an earlier state depends on what is seen now, so that its tag changes with the
 * records as they are now.  resources: List of char *, what the read depends on.  NULL where the
 * transaction has changed records that no instant names yet.
 */
char *
cat_etag_of_version(TimestampTz instant, List *resources, const RequestParams *params)
{
	uint64 hash = (uint64) instant;
	ListCell *cell;

	if (cat_commit_time_is_due())
		return NULL;
	hash = hash_combine64(hash_bytes_extended((unsigned char *) &hash, sizeof(hash), 0),
						  (uint64) cat_max_limit);
	hash = hash_combine64(hash, (uint64) params->sight);
	if (params->then && params->sight != ACCESS_ALL)
		hash = hash_combine64(hash, (uint64) params->newest);
	foreach(cell, resources)
		hash = hash_combine64(hash, cat_registry_resource(lfirst(cell))->signature);
	return tag_of(hash);
}

/* The tag of a text. */
char *
cat_etag_of_text(const char *text)
{
	return tag_of(hash_bytes_extended((const unsigned char *) text, (int) strlen(text), 0));
}

/* The tag of a record together with that of what is shown besides; NULL where one is missing. */
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

/* Whether a word is the tag, or stands for any. */
static bool
is_tag(const char *word, const char *tag)
{
	return *tag != '\0' && (strcmp(word, "*") == 0 || strcmp(word, tag) == 0);
}

/* Whether a tag is one of a comma-separated list; "*" stands for any. */
bool
cat_etag_is_among(const char *list, const char *tag)
{
	ListCell *cell;

	if (!list || !tag)
		return false;
	foreach(cell, cat_query_string_split(list, ','))
		if (is_tag(lfirst(cell), tag))
			return true;
	return false;
}

/*
 * Whether a word stands for the state of a record: what is behind a dot in it is of other things.
 */
static bool
is_state(const char *word, const char *tag)
{
	return is_tag(pnstrdup(word, strcspn(word, ".")), tag);
}

/*
 * Whether a record in the state of a tag is one that a match means: in a state that it names, if
 * it names any, and in none that it names with "!" before it.
 */
bool
cat_etag_meets(const char *match, const char *tag)
{
	List *words = cat_query_string_split(match, ',');
	bool met = words != NIL;
	bool named = false;
	ListCell *cell;

	foreach(cell, words)
	{
		const char *word = lfirst(cell);

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
