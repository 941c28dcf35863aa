/*
 * row_counter.c
 *	  Number of living records of each resource.
 */
#include "catalogue.h"

#include "history/history_internal.h"
#include "pg/pg.h"

static const char *const columns[] = {"resource", "living", "shown"};
static const CounterTable counter = {"counter", "counter_resource", 1, lengthof(columns), columns};

/* Return the key of a resource's rows. */
static List *
key_of(const Resource *resource)
{
	return list_make1(resource->name);
}

void
cat_row_counter_fold(const Resource *resource)
{
	cat_counter_fold(&counter, key_of(resource));
}

Tally
cat_row_counter_alike(const Resource *resource, int64 count)
{
	int64 shown = resource->private[ACCESS_OUTSIDER] ? 0 : count;

	return (Tally){count, shown, shown};
}

void
cat_row_counter_add(const Resource *resource, const Tally *delta)
{
	CounterWriter writer;

	if (delta->living == 0 && delta->shown == 0)
		return;
	cat_counter_open(&writer, &counter);
	cat_counter_add(&writer, key_of(resource), delta);
	cat_counter_close(&writer);
	if (cat_counter_is_fold_due())
		cat_row_counter_fold(resource);
}

/* Like cat_row_counter_read(), if there is no index. */
static Tally
read_by_statement(const Resource *resource)
{
	Tally sum = {0};

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	cat_statement_read(
		"SELECT sum(c.living)::bigint, sum(c.shown)::bigint FROM catalogue.counter c "
		"WHERE c.resource = $1",
		text_param(resource->name));
	sum.living = cat_result_int64(1);
	sum.shown = cat_result_int64(2);
	SPI_finish();
	return sum;
}

Tally
cat_row_counter_read(const Resource *resource)
{
	Tally sum;
	bool found;

	return cat_counter_sum(&counter, key_of(resource), &sum, &found) ? sum
																	 : read_by_statement(resource);
}
