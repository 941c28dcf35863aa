/*
 * counter.c
 *	  How many records live in each resource.
 *
 * Every statement that changes the number appends one row with the
 * difference, so that writers never wait for each other; the sum is exact for
 * every snapshot.  Now and then a writer folds the rows that it can have.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "common/pg_prng.h"
#include "utils/builtins.h"

/* One statement in so many folds. */
#define FOLD_EVERY 32

static const char add_sql[] = "INSERT INTO catalogue.counter (resource, living) VALUES ($1, $2)";

static const char read_sql[] =
	"SELECT sum(living)::bigint FROM catalogue.counter WHERE resource = $1";

static const char fold_sql[] =
	"WITH rows AS (SELECT ctid FROM catalogue.counter WHERE resource = $1 "
	"FOR UPDATE SKIP LOCKED), "
	"gone AS (DELETE FROM catalogue.counter c USING rows WHERE c.ctid = rows.ctid "
	"RETURNING c.living) "
	"INSERT INTO catalogue.counter (resource, living) "
	"SELECT $1, sum(living) FROM gone HAVING count(*) > 0";

/* Note that so many more records live; less than 0 for fewer. */
void
counter_add(const Resource *resource, int64 delta)
{
	Oid types[] = {TEXTOID, INT8OID};
	Datum values[] = {CStringGetTextDatum(resource->name), Int64GetDatum(delta)};

	if (delta == 0)
		return;
	plan_run(add_sql, 2, types, values, NULL, true, 0);
	if (pg_prng_uint64_range(&pg_global_prng_state, 1, FOLD_EVERY) == 1)
		plan_run(fold_sql, 1, types, values, NULL, true, 0);
}

/* The number of living records, as the calling statement sees them. */
int64
counter_read(const Resource *resource)
{
	Oid type = TEXTOID;
	Datum name = CStringGetTextDatum(resource->name);
	bool isnull;
	Datum sum;

	plan_run(read_sql, 1, &type, &name, NULL, false, 1);
	sum = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	return isnull ? 0 : DatumGetInt64(sum);
}
