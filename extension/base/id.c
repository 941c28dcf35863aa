/*
 * id.c
 *	  Identifiers of records.
 *
 * 15 characters of 0-9A-Za-z: eight of time (in steps of 16 microseconds since 2020), then seven
 * from a cryptographic random number generator, about 41 bits.  Within a backend the time part
 * always increases, so records of one transaction sort in the order of their creation.
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "base/base.h"

#define TIME_LENGTH 8
#define TICK_MICROSECONDS 16
#define RANDOM_LIMIT 248 /* multiple of 62, so that letters are equally likely */

/* 2020-01-01 in microseconds since 2000-01-01, PostgreSQL's epoch */
#define ID_EPOCH (INT64CONST(7305) * USECS_PER_DAY)

static const char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/*
 * Return a random byte.  They are generated in blocks, since each call of the generator costs a
 * microsecond.
 */
static unsigned char
random_byte(void)
{
	static unsigned char bytes[512];
	static size_t left = 0;

	if (left == 0)
	{
		if (!pg_strong_random(bytes, sizeof(bytes)))
			ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not get random bytes")));
		left = sizeof(bytes);
	}
	return bytes[--left];
}

static void
random_letters(char *out, int count)
{
	while (count > 0)
	{
		unsigned char byte = random_byte();

		if (byte < RANDOM_LIMIT)
		{
			*out++ = letters[byte % 62];
			count--;
		}
	}
}

void
cat_id_generate(char *id)
{
	static int64 last = 0;
	int64 tick = (GetCurrentTimestamp() - ID_EPOCH) / TICK_MICROSECONDS;

	if (tick <= last)
		tick = last + 1;
	last = tick;
	for (int i = TIME_LENGTH - 1; i >= 0; i--)
	{
		id[i] = letters[tick % 62];
		tick /= 62;
	}
	random_letters(id + TIME_LENGTH, ID_LENGTH - TIME_LENGTH);
	id[ID_LENGTH] = '\0';
}

CAT_FUNCTION(catalogue_new_id)
{
	char id[ID_LENGTH + 1];

	cat_id_generate(id);
	PG_RETURN_TEXT_P(cstring_to_text(id));
}
