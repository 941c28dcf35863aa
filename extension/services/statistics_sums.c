/*
 * statistics_sums.c
 *	  Numbers of requests by day, method, resource and client.
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/date.h"

#include "pg/bulk_insert.h"
#include "services/statistics_sums_internal.h"

/* What requests are counted by, besides the day. */
typedef enum SumPart
{
	SUM_METHOD,
	SUM_RESOURCE,
	SUM_CLIENT,
	SUM_PARTS
} SumPart;

/* Columns of catalogue.statistics_by_day. */
enum
{
	COLUMN_DAY = SUM_PARTS,
	COLUMN_REQUESTS,
	COLUMNS
};

static const char *const columns[COLUMNS] = {
	[SUM_METHOD] = "method", [SUM_RESOURCE] = "resource",	 [SUM_CLIENT] = "client",
	[COLUMN_DAY] = "day",	 [COLUMN_REQUESTS] = "requests",
};

/* Characters of each part, as in the columns of catalogue.statistics. */
static const int characters[SUM_PARTS] = {
	[SUM_METHOD] = 7,
	[SUM_RESOURCE] = 50,
	[SUM_CLIENT] = 100,
};

/* Bytes of a key: the day, a separator and the parts, each with a zero or separator. */
#define DAY_BYTES 12
#define KEY_BYTES (DAY_BYTES + (7 + 50 + 100) * MAX_MULTIBYTE_CHAR_LEN + SUM_PARTS)

/* A number of requests.  The key has all that they are counted by, and the parts one by one. */
typedef struct Sum
{
	char key[KEY_BYTES];
	DateADT day;
	char *parts[SUM_PARTS];
	int64 requests;
} Sum;

HTAB *
cat_statistics_sums_begin(void)
{
	HASHCTL control = {
		.keysize = KEY_BYTES, .entrysize = sizeof(Sum), .hcxt = CurrentMemoryContext};

	return hash_create("numbers of requests", 16, &control,
					   HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
}

void
cat_statistics_sums_add(HTAB *sums, TimestampTz instant, const char *method, const char *resource,
						const char *client)
{
	const char *texts[] = {[SUM_METHOD] = method, [SUM_RESOURCE] = resource, [SUM_CLIENT] = client};
	DateADT day = (DateADT) (instant / USECS_PER_DAY - (instant % USECS_PER_DAY < 0));
	int lengths[SUM_PARTS];
	char key[KEY_BYTES];
	char *end = key + pg_ltoa(day, key);
	Sum *sum;
	bool found;

	for (SumPart part = 0; part < SUM_PARTS; part++)
	{
		lengths[part] = pg_mbcharcliplen(texts[part], (int) strlen(texts[part]), characters[part]);
		*end++ = '\t';
		memcpy(end, texts[part], lengths[part]);
		end += lengths[part];
	}
	*end = '\0';
	sum = hash_search(sums, key, HASH_ENTER, &found);
	if (found)
	{
		sum->requests++;
		return;
	}
	sum->day = day;
	sum->requests = 1;
	for (SumPart part = 0; part < SUM_PARTS; part++)
		sum->parts[part] = pnstrdup(texts[part], lengths[part]);
}

/*
 * Like downloads the numbers are added as rows of their own, so that transactions do not wait for
 * each other; catalogue.sweep() adds them up.
 */
void
cat_statistics_sums_store(HTAB *sums)
{
	BulkInsert *bulk =
		cat_bulk_insert_open(cat_bulk_insert_table("statistics_by_day"), COLUMNS, columns);
	HASH_SEQ_STATUS scan;
	const Sum *sum;

	hash_seq_init(&scan, sums);
	while ((sum = hash_seq_search(&scan)))
	{
		cat_bulk_insert_row(bulk);
		cat_bulk_insert_set(bulk, COLUMN_DAY, DateADTGetDatum(sum->day));
		for (SumPart part = 0; part < SUM_PARTS; part++)
			cat_bulk_insert_set_text(bulk, (int) part, sum->parts[part]);
		cat_bulk_insert_set(bulk, COLUMN_REQUESTS, Int64GetDatum(sum->requests));
		cat_bulk_insert_end_row(bulk);
	}
	cat_bulk_insert_close(bulk);
}
