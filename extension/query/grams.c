/*
 * grams.c
 *	  GIN operator class of the search index, over the character runs of a text.
 *
 * Keys are all runs of three characters and all single characters.  The text is treated as if two
 * empty characters followed it, so that a run of two characters is always the beginning of a
 * three-character key and is found by a partial match.  A query of up to three characters is
 * answered by the index alone; a longer one needs all its runs, and the row is rechecked.  So is a
 * query of several parts, which needs those of each part.
 */
#include "catalogue.h"

#include "access/gin.h"
#include "mb/pg_wchar.h"

#include "query/search_internal.h"

/* Maximum number of keys of a query; the recheck of the row covers the rest. */
#define QUERY_KEYS_MAX 64

/* Number of bits of a character in a key. */
#define CHARACTER_BITS 21

static pg_wchar *
characters_of(const text *value, int *count)
{
	size_t length = VARSIZE_ANY_EXHDR(value);
	pg_wchar *characters = palloc(sizeof(pg_wchar) * (length + 3));

	*count = pg_mb2wchar_with_len(VARDATA_ANY(value), characters, (int) length);
	characters[*count] = characters[*count + 1] = 0;
	return characters;
}

static int64
key_of(pg_wchar first, pg_wchar second, pg_wchar third)
{
	return (int64) first << 2 * CHARACTER_BITS | (int64) second << CHARACTER_BITS | (int64) third;
}

#define ST_SORT sort_keys
#define ST_ELEMENT_TYPE int64
#define ST_COMPARE(a, b) ((*(a) > *(b)) - (*(a) < *(b)))
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/*
 * extractValue: return the keys of a stored text.
 *
 * They are sorted and unique.  GIN would do that itself, but with a function call for each
 * comparison.
 */
CAT_FUNCTION(catalogue_grams_value)
{
	int32 *nkeys = (int32 *) PG_GETARG_POINTER(ARG_GRAMS_VALUE_NKEYS);
	int count;
	pg_wchar *c = characters_of(PG_GETARG_TEXT_PP(ARG_GRAMS_VALUE_DOCUMENT), &count);
	int64 *found = palloc(sizeof(int64) * (2 * count + 1));
	Datum *keys = palloc(sizeof(Datum) * (2 * count + 1));

	for (int i = 0; i < count; i++)
	{
		found[2 * i] = key_of(c[i], c[i + 1], c[i + 2]);
		found[2 * i + 1] = key_of(c[i], 0, 0);
	}
	sort_keys(found, 2 * count);
	*nkeys = 0;
	for (int i = 0; i < 2 * count; i++)
		if (i == 0 || found[i] != found[i - 1])
			keys[(*nkeys)++] = Int64GetDatum(found[i]);
	PG_RETURN_POINTER(keys);
}

/* extractQuery: return the keys of a query text, of its parts one after the other. */
CAT_FUNCTION(catalogue_grams_query)
{
	int32 *nkeys = (int32 *) PG_GETARG_POINTER(ARG_GRAMS_QUERY_NKEYS);
	bool **partial = (bool **) PG_GETARG_POINTER(ARG_GRAMS_QUERY_PARTIAL);
	int32 *mode = (int32 *) PG_GETARG_POINTER(ARG_GRAMS_QUERY_MODE);
	int count;
	pg_wchar *c = characters_of(PG_GETARG_TEXT_PP(ARG_GRAMS_QUERY_QUERY), &count);
	Datum *keys = palloc(sizeof(Datum) * (count + 1));

	if (count == 0)
		*mode = GIN_SEARCH_MODE_ALL;
	*nkeys = 0;
	*partial = palloc0(sizeof(bool) * (count + 1));
	for (int begin = 0, end; begin < count; begin = end + 1)
	{
		for (end = begin; end < count && c[end] != (pg_wchar) *SEARCH_BREAK; end++)
			;
		c[end] = 0;
		for (int i = begin; i < Max(end - 2, begin + 1) && i < end && *nkeys < QUERY_KEYS_MAX; i++)
		{
			(*partial)[*nkeys] = end - begin == 2;
			keys[(*nkeys)++] =
				Int64GetDatum(key_of(c[i], c[i + 1], end - begin > 1 ? c[i + 2] : 0));
		}
	}
	PG_RETURN_POINTER(keys);
}

/* triConsistent: all keys must be present; for up to three characters that suffices. */
CAT_FUNCTION(catalogue_grams_consistent)
{
	GinTernaryValue *found = (GinTernaryValue *) PG_GETARG_POINTER(ARG_GRAMS_CONSISTENT_FOUND);
	int32 nkeys = PG_GETARG_INT32(ARG_GRAMS_CONSISTENT_NKEYS);
	GinTernaryValue result = nkeys == 1 ? GIN_TRUE : GIN_MAYBE;

	for (int i = 0; i < nkeys; i++)
	{
		if (found[i] == GIN_FALSE)
			PG_RETURN_GIN_TERNARY_VALUE(GIN_FALSE);
		if (found[i] == GIN_MAYBE)
			result = GIN_MAYBE;
	}
	PG_RETURN_GIN_TERNARY_VALUE(nkeys == 0 ? GIN_TRUE : result);
}

/*
 * comparePartial: return 0 if a key begins with the two characters of the query key, 1 if it comes
 * after them.
 */
CAT_FUNCTION(catalogue_grams_partial)
{
	int64 wanted = PG_GETARG_INT64(ARG_GRAMS_PARTIAL_WANTED) >> CHARACTER_BITS;
	int64 key = PG_GETARG_INT64(ARG_GRAMS_PARTIAL_KEY) >> CHARACTER_BITS;

	PG_RETURN_INT32(key == wanted ? 0 : 1);
}
