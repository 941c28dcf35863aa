/*
 * throttle.c
 *	  Failed logins: how many there were of a name and from an address; wrong
 *	  ids of consumers from an address; and records made by whoever is no user.
 *
 * They are counted in a table, so that several shims count together.  An
 * attempt is counted before the password is looked at, and taken back when it
 * was right: whoever tries the same name at the same time waits for the row
 * until this attempt is over, so that no more attempts than are allowed get
 * through, however many come at once.  It follows that a login that fails must
 * not end in an error, which would take the count along.
 */
#include "catalogue.h"

#include <arpa/inet.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "base/settings.h"
#include "call/call.h"
#include "pg/pg.h"

/* What is kept is a hash of the key: some type their password where the name belongs. */
#define KEY "encode(sha256(convert_to(lower($1), 'UTF8')), 'hex')"

static const char count_sql[] =
	"INSERT INTO catalogue.attempt AS a (key, began, failures) VALUES (" KEY ", now(), 1) "
	"ON CONFLICT (key) DO UPDATE SET "
	"began = CASE WHEN a.began + $2 * interval '1 second' < now() THEN now() ELSE a.began END, "
	"failures = CASE WHEN a.began + $2 * interval '1 second' < now() THEN 1 "
	"ELSE a.failures + 1 END "
	"RETURNING failures, ceil(extract(epoch FROM began + $2 * interval '1 second' - now()))::int4";

static const char look_sql[] =
	"SELECT failures, ceil(extract(epoch FROM began + $2 * interval '1 second' - now()))::int4 "
	"FROM catalogue.attempt WHERE key = " KEY " AND began + $2 * interval '1 second' >= now()";

static const char forget_sql[] = "DELETE FROM catalogue.attempt WHERE key = " KEY;

static const char take_back_sql[] =
	"UPDATE catalogue.attempt SET failures = failures - 1 WHERE key = " KEY;

/* Network of an address: of IPv6 the first 64 bits, which one customer has; other text as it is. */
static const char *
network_of(const char *address)
{
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
	unsigned char bytes[16];
	StringInfoData out;

	if (inet_pton(AF_INET6, address, bytes) != 1)
		return address;
	if (memcmp(bytes, mapped, sizeof(mapped)) == 0)
		return psprintf("%d.%d.%d.%d", bytes[12], bytes[13], bytes[14], bytes[15]);
	initStringInfo(&out);
	for (int i = 0; i < 8; i++)
		appendStringInfo(&out, "%02x", bytes[i]);
	return out.data;
}

static void
run(const char *sql, const char *key, int nargs)
{
	Oid types[] = {TEXTOID, INT4OID};
	Datum values[] = {CStringGetTextDatum(key), Int32GetDatum(cat_login_window)};

	cat_statement_run(sql, nargs, types, values, NULL, true, 0);
}

static int
result(int column)
{
	bool isnull;

	return DatumGetInt32(
		SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &isnull));
}

/* Too many of what; the last statement has the seconds to wait. */
pg_noreturn static void
refuse(const char *what)
{
	ereport(ERROR, (errcode(OD429), errmsg("too many %s, please try again later", what),
					errdetail_internal("{\"retryAfter\":%d}", Max(result(2), 1))));
}

/* Count one more of what, under a key; OD429 where there were as many as the limit allows. */
static void
count(const char *key, int limit, const char *what)
{
	if (limit == 0)
		return;
	run(count_sql, key, 2);
	if (result(1) > limit)
		refuse(what);
}

/*
 * Begin an attempt to log in; cat_throttle_end() follows where the password is right.
 *
 * address: of the client, NULL for a database user.  OD429, with the seconds
 * to wait as JSON in the detail, where there were too many failures.
 */
void
cat_throttle_begin(const char *name, const char *address)
{
	/* names before addresses, whoever asks: so nobody waits for each other in a circle */
	count(psprintf("name %s", name), cat_login_failures_name, "failed logins");
	if (address)
		count(psprintf("address %s", network_of(address)), cat_login_failures_address,
			  "failed logins");
}

/* The attempt was no failure: those of the name before it are forgotten. */
void
cat_throttle_end(const char *name, const char *address)
{
	run(forget_sql, psprintf("name %s", name), 1);
	if (address)
		run(take_back_sql, psprintf("address %s", network_of(address)), 1);
}

/*
 * Somebody at an address names a consumer by its id; cat_throttle_wrong_id() follows where there is
 * no such consumer.
 *
 * Applications do so for each visitor, so what is right costs no write.  It is not counted by the
 * consumer, whose name everybody knows: anybody could keep all others from it.  OD429 as in
 * cat_throttle_begin(), with whose failures from the address these are counted.
 */
void
cat_throttle_id(const char *address)
{
	if (!address || cat_login_failures_address == 0)
		return;
	run(look_sql, psprintf("address %s", network_of(address)), 2);
	if (SPI_processed == 1 && result(1) >= cat_login_failures_address)
		refuse("failed logins");
}

void
cat_throttle_wrong_id(const char *address)
{
	if (address)
		count(psprintf("address %s", network_of(address)), cat_login_failures_address,
			  "failed logins");
}

/*
 * A record is made from an address by whoever is no user; one that is refused takes its count
 * along.
 *
 * address: NULL where it is not known, which is not counted.  OD429 as in cat_throttle_begin().
 */
void
cat_throttle_creation(const char *address)
{
	if (address)
		count(psprintf("creations %s", network_of(address)), cat_public_creations,
			  "records from this address");
}
