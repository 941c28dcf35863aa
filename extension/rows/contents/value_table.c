/*
 * value_table.c
 *	  Numbers of the values of a column.
 */
#include "catalogue.h"

#include "common/hashfn.h"

#include "rows/contents/value_table.h"

/* Numbers of a segment that have a number as a value, at most; others are looked up for each row. */
#define CODES_MAX 65536

typedef struct ValueEntry
{
	ValueKey key;
	uint32 number;
	uint32 hash;
	char status;
} ValueEntry;

static inline uint32
hash_value(ValueKey key)
{
	return hash_bytes((const unsigned char *) key.bytes, Max(key.length, 0));
}

static inline bool
is_same_value(ValueKey left, ValueKey right)
{
	return left.length == right.length &&
		   (left.length <= 0 || memcmp(left.bytes, right.bytes, (size_t) left.length) == 0);
}

#define SH_PREFIX values
#define SH_ELEMENT_TYPE ValueEntry
#define SH_KEY_TYPE ValueKey
#define SH_KEY key
#define SH_HASH_KEY(table, key) hash_value(key)
#define SH_EQUAL(table, left, right) is_same_value(left, right)
#define SH_STORE_HASH
#define SH_GET_HASH(table, entry) (entry)->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

void
cat_value_table_begin(ValueTable *table)
{
	*table = (ValueTable){.values = values_create(CurrentMemoryContext, 256, NULL), .room = 64};
	table->keys = palloc(sizeof(ValueKey) * table->room);
}

uint32
cat_value_table_find(const ValueTable *table, ValueKey key)
{
	const ValueEntry *entry = values_lookup(table->values, key);

	return entry ? entry->number : VALUE_NONE;
}

uint32
cat_value_table_add(ValueTable *table, ValueKey key)
{
	bool found;

	if (table->count == table->room)
	{
		table->room *= 2;
		table->keys = repalloc(table->keys, sizeof(ValueKey) * table->room);
	}
	values_insert(table->values, key, &found)->number = table->count;
	table->keys[table->count] = key;
	return table->count++;
}

void
cat_value_table_number(Segment *segment, const int *rows, int count, NumberCell number, void *of,
					   uint32 *numbers)
{
	bool few = segment->codes && segment->greatest < CODES_MAX;
	/* a number more; 0: it is not known yet */
	uint32 *known = few ? palloc0(sizeof(uint32) * (segment->greatest + 1)) : NULL;

	for (int i = 0; i < count; i++)
	{
		uint32 *at = few ? &known[segment->codes[rows[i]]] : NULL;

		numbers[i] = at && *at > 0 ? *at - 1 : number(of, cat_segment_cell(segment, rows[i]));
		if (at)
			*at = numbers[i] + 1;
	}
}
