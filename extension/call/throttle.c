/*
 * throttle.c
 *	  Rate limits of failed logins, wrong ids, and records and messages of anonymous clients.
 *
 * Failures and records are counted in a table, so that several instances of the HTTP service share
 * the counts.  An attempt is counted before the password is verified, and the count is taken back if
 * it was right.  Concurrent attempts for the same name wait for the row, so no more attempts than
 * allowed succeed, however many are made at once.  A failed login must therefore not raise an error,
 * which would roll back the count.
 */
#include "catalogue.h"

#include <arpa/inet.h>

#include "base/settings.h"
#include "call/call.h"

/* The key is stored as a hash, since some users type their password in place of the name. */
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

/*
 * Return the network of an address: the first 64 bits of an IPv6 address, which usually belong to
 * one customer; an IPv4 address unchanged.
 */
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
	cat_statement_fresh(sql, text_param(key), int4_param(cat_login_window));
}

static int
result(int column)
{
	bool isnull;

	return DatumGetInt32(cat_result_datum(column, &isnull));
}

/*
 * Raise OD429; what: the counted events.  The result of the last statement has the seconds to wait.
 */
pg_noreturn static void
refuse_attempt(const char *what)
{
	ereport(ERROR, (errcode(OD429), errmsg("too many %s, please try again later", what),
					errdetail_internal("{\"retryAfter\":%d}", Max(result(2), 1))));
}

/* Count an event under a key.  Raises OD429 if that exceeds the limit; 0 means no limit. */
static void
count(const char *key, int limit, const char *what)
{
	if (limit == 0)
		return;
	run(count_sql, key, 2);
	if (result(1) > limit)
		refuse_attempt(what);
}

void
cat_throttle_begin(const char *name, const char *address)
{
	/* every caller locks names before addresses, so there are no deadlocks */
	count(psprintf("name %s", name), cat_login_failures_name, "failed logins");
	cat_throttle_wrong_id(address);
}

void
cat_throttle_end(const char *name, const char *address)
{
	run(forget_sql, psprintf("name %s", name), 1);
	if (address)
		run(take_back_sql, psprintf("address %s", network_of(address)), 1);
}

void
cat_throttle_id(const char *address)
{
	if (!address || cat_login_failures_address == 0)
		return;
	run(look_sql, psprintf("address %s", network_of(address)), 2);
	if (SPI_processed == 1 && result(1) >= cat_login_failures_address)
		refuse_attempt("failed logins");
}

void
cat_throttle_wrong_id(const char *address)
{
	if (address)
		count(psprintf("address %s", network_of(address)), cat_login_failures_address,
			  "failed logins");
}

void
cat_throttle_creation(const char *address)
{
	if (address)
		count(psprintf("creations %s", network_of(address)), cat_public_creations,
			  "records from this address");
}

/* Count a message from an address for a function in SQL. */
CAT_FUNCTION(catalogue_count_email)
{
	cat_owner_call_begin();
	cat_throttle_email(PG_ARGISNULL(ARG_COUNT_EMAIL_ADDRESS)
						   ? NULL
						   : text_to_cstring(PG_GETARG_TEXT_PP(ARG_COUNT_EMAIL_ADDRESS)));
	cat_owner_call_end();
	PG_RETURN_VOID();
}

/* Count a message from an address, as cat_throttle_creation() counts records. */
void
cat_throttle_email(const char *address)
{
	if (address)
		count(psprintf("emails %s", network_of(address)), cat_public_creations,
			  "messages from this address");
}
