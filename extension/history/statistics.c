/*
 * statistics.c
 *	  Statistics of requests, and their sums.
 *
 * The HTTP service collects the requests that it has answered and sends them as lines.
 */
#include "catalogue.h"

#include <arpa/inet.h>

#include "mb/pg_wchar.h"
#include "utils/date.h"
#include "utils/hsearch.h"

#include "base/settings.h"
#include "history/history.h"
#include "pg/pg.h"

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

static const char *const sums_columns[COLUMNS] = {
	[SUM_METHOD] = "method", [SUM_RESOURCE] = "resource",	 [SUM_CLIENT] = "client",
	[COLUMN_DAY] = "day",	 [COLUMN_REQUESTS] = "requests",
};

/* Characters of each part, as in the sums_columns of catalogue.statistics. */
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

/* Begin to count, in the current memory context. */
static HTAB *
statistics_sums_begin(void)
{
	HASHCTL control = {
		.keysize = KEY_BYTES, .entrysize = sizeof(Sum), .hcxt = CurrentMemoryContext};

	return hash_create("numbers of requests", 16, &control,
					   HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
}

/* Count a request. */
static void
statistics_sums_add(HTAB *sums, TimestampTz instant, const char *method, const char *resource,
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
		lengths[part] = (int) strlen(texts[part]);
		if (lengths[part] > characters[part])
			lengths[part] = pg_mbcharcliplen(texts[part], lengths[part], characters[part]);
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
static void
statistics_sums_store(HTAB *sums)
{
	BulkInsert *bulk =
		cat_bulk_insert_open(cat_bulk_insert_table("statistics_by_day"), COLUMNS, sums_columns);
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

/* microseconds from 1970-01-01 to PostgreSQL's epoch */
#define UNIX_OFFSET ((POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY)

/* maximum digits of a time in microseconds, enough up to the year 33658 */
#define TIME_DIGITS 18

/* Columns of a record: first those of a line, in this order, then those set here. */
typedef enum Part
{
	PART_TIME,
	PART_METHOD,
	PART_RESOURCE,
	PART_ENDPOINT,
	PART_QUERYSTRING,
	PART_USER,
	PART_USERAGENT,
	PART_IP,
	PARTS_OF_LINE,
	PART_ID = PARTS_OF_LINE,
	PART_UPDATED,
	PART_CHANGE,
	PARTS
} Part;

static const char *const columns[PARTS] = {
	[PART_TIME] = "created_at",
	[PART_METHOD] = "method",
	[PART_RESOURCE] = "resource",
	[PART_ENDPOINT] = "endpoint",
	[PART_QUERYSTRING] = "querystring",
	[PART_USER] = "client",
	[PART_USERAGENT] = "useragent",
	[PART_IP] = "ip",
	[PART_ID] = "id",
	[PART_UPDATED] = "updated_at",
	[PART_CHANGE] = "change",
};

/* Values of columns without information in the request. */
#define UNKNOWN "-"
#define NOBODY "anonymous"
#define OTHER_METHOD "OTHER"

static const char *const methods[] = {"GET", "HEAD",   "POST",	  "PATCH",
									  "PUT", "DELETE", "OPTIONS", NULL};

/* A batch while it is stored. */
typedef struct Batch
{
	BulkInsert *bulk;
	HTAB *names; /* of users */
	HTAB *sums;	 /* numbers of requests */
	int64 change;
	int line; /* number of the present line */
} Batch;

/* Cached name of a user or consumer. */
typedef struct UserName
{
	char id[CONSUMER_LENGTH + 1];
	char *name;
} UserName;

static const char claim_sql[] =
	"INSERT INTO catalogue.recorder AS r (sender, serial, at) VALUES ($1, $2, now()) "
	"ON CONFLICT (sender) DO UPDATE SET serial = excluded.serial, at = excluded.at "
	"WHERE r.serial < excluded.serial";

static const char forget_sql[] =
	"DELETE FROM catalogue.recorder WHERE at < now() - '1 day'::interval";

static const char name_sql[] =
	"SELECT u.username::text FROM catalogue.users u WHERE u.id = $1 "
	"UNION ALL SELECT c.name::text FROM catalogue.consumers c WHERE c.id = $1 LIMIT 1";

/*
 * Record that this transaction stores a batch; false if it has been stored before.
 *
 * A sender that received no acknowledgement sends the batch again, possibly while the first
 * transaction is still running; this waits for its end then.
 */
static bool
claim(const char *sender, int64 serial)
{
	bool claimed;

	cat_statement_fresh(claim_sql, text_param(sender), int8_param(serial));
	claimed = SPI_processed == 1;
	if (serial == 1)
		cat_statement_fresh(forget_sql);
	return claimed;
}

static HTAB *
create_names(void)
{
	HASHCTL control = {.keysize = CONSUMER_LENGTH + 1,
					   .entrysize = sizeof(UserName),
					   .hcxt = CurrentMemoryContext};

	return hash_create("names of users", 16, &control, HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
}

/* Return the name of a user or consumer, deleted or not. */
static const char *
name_of_user(HTAB *names, const char *id)
{
	UserName *user;
	bool found;

	if (*id == '\0' || strlen(id) > CONSUMER_LENGTH)
		return NOBODY;
	user = hash_search(names, id, HASH_ENTER, &found);
	if (found)
		return user->name;
	user->name = pstrdup(NOBODY);
	cat_statement_fresh(name_sql, text_param(id));
	if (SPI_processed == 1)
		user->name = cat_result_text(1);
	SPI_freetuptable(SPI_tuptable);
	return user->name;
}

pg_noreturn static void
refuse_line(int line, const char *what)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("line %d of the statistics has %s", line, what),
					errhint("A line is time, method, resource, endpoint, querystring, user, "
							"useragent and ip, separated by tabs.")));
}

/* Split a line into its parts, in place. */
static void
split(char *text, int line, char **values)
{
	for (int i = 0; i < PARTS_OF_LINE; i++)
	{
		char *tab = strchr(text, '\t');

		values[i] = text;
		if ((tab == NULL) != (i == PARTS_OF_LINE - 1))
			refuse_line(line, "the wrong number of parts");
		if (tab)
		{
			*tab = '\0';
			text = tab + 1;
		}
	}
}

/* Convert microseconds since 1970 to a timestamp. */
static TimestampTz
instant_of(const char *text, int line)
{
	const char *end = text;
	int64 number = 0;

	for (; isdigit((unsigned char) *end) && end - text < TIME_DIGITS; end++)
		number = number * 10 + (*end - '0');
	if (end == text || *end != '\0')
		refuse_line(line, "no valid time");
	return number - UNIX_OFFSET;
}

static char *
lower_letters(char *text)
{
	for (char *c = text; *c; c++)
		*c = (char) pg_ascii_tolower((unsigned char) *c);
	return text;
}

static const char *
or_unknown(const char *text)
{
	return *text ? text : UNKNOWN;
}

/* Bytes of an address that "cut" keeps. */
#define KEPT_OF_IPV4 3
#define KEPT_OF_IPV6 6

/* Return the network of an address, palloc'd; UNKNOWN for a text that is no address. */
static const char *
network_of(const char *address)
{
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
	unsigned char bytes[16] = {0};
	char *text = palloc(INET6_ADDRSTRLEN);
	size_t kept = KEPT_OF_IPV6;

	if (strchr(address, ':') && inet_pton(AF_INET6, address, bytes) == 1 &&
		memcmp(bytes, mapped, sizeof(mapped)) == 0)
		address = psprintf("%d.%d.%d.%d", bytes[12], bytes[13], bytes[14], bytes[15]);
	/* inet_pton() reads an IPv4 address in the one form only that inet_ntop() writes, slowly */
	if (inet_pton(AF_INET, address, bytes) == 1)
	{
		strlcpy(text, address, INET6_ADDRSTRLEN);
		strcpy(strrchr(text, '.') + 1, "0");
		return text;
	}
	if (inet_pton(AF_INET6, address, bytes) != 1)
		return UNKNOWN;
	/* 6to4, 2002::/16: an IPv4 address follows */
	if (bytes[0] == 0x20 && bytes[1] == 0x02)
		kept = 2 + KEPT_OF_IPV4;
	memset(bytes + kept, 0, sizeof(bytes) - kept);
	return inet_ntop(AF_INET6, bytes, text, INET6_ADDRSTRLEN);
}

/* Return what catalogue.visitor_addresses keeps of an address. */
static const char *
kept_of(const char *address)
{
	switch ((VisitorAddresses) cat_visitor_addresses)
	{
		case ADDRESSES_WHOLE:
			return or_unknown(address);
		case ADDRESSES_CUT:
			return network_of(address);
		case ADDRESSES_NONE:
			break;
	}
	return UNKNOWN;
}

/* Insert the record of a line, and count it. */
static void
store_line(const Batch *batch, char **values)
{
	BulkInsert *bulk = batch->bulk;
	TimestampTz time = instant_of(values[PART_TIME], batch->line);
	Datum instant = TimestampTzGetDatum(time);
	const char *method = cat_query_string_is_among(values[PART_METHOD], methods)
							 ? values[PART_METHOD]
							 : OTHER_METHOD;
	const char *resource = or_unknown(lower_letters(values[PART_RESOURCE]));
	const char *client = name_of_user(batch->names, values[PART_USER]);
	char id[ID_LENGTH + 1];

	cat_id_generate(id);
	cat_bulk_insert_row(bulk);
	/* known to be an id; checking its domain would cost more than the rest */
	cat_bulk_insert_set(bulk, PART_ID, CStringGetTextDatum(id));
	cat_bulk_insert_set(bulk, PART_TIME, instant);
	cat_bulk_insert_set(bulk, PART_UPDATED, instant);
	cat_bulk_insert_set(bulk, PART_CHANGE, Int64GetDatum(batch->change));
	cat_bulk_insert_set_text(bulk, PART_METHOD, method);
	cat_bulk_insert_set_text(bulk, PART_RESOURCE, resource);
	cat_bulk_insert_set_text(bulk, PART_ENDPOINT, or_unknown(values[PART_ENDPOINT]));
	if (*values[PART_QUERYSTRING])
		cat_bulk_insert_set_text(bulk, PART_QUERYSTRING, values[PART_QUERYSTRING]);
	cat_bulk_insert_set_text(bulk, PART_USER, client);
	cat_bulk_insert_set_text(bulk, PART_USERAGENT, or_unknown(values[PART_USERAGENT]));
	cat_bulk_insert_set_text(bulk, PART_IP, kept_of(values[PART_IP]));
	cat_bulk_insert_end_row(bulk);
	statistics_sums_add(batch->sums, time, method, resource, client);
}

/* Insert a record for each line; return their number.  resource: NULL if the table is hidden. */
static int64
store(char *lines, Oid table, const Resource *resource)
{
	Batch batch = {.bulk = cat_bulk_insert_open(table, PARTS, columns),
				   .names = create_names(),
				   .sums = statistics_sums_begin(),
				   .change = resource ? cat_commit_time_touch(resource, NULL) : 0};

	while (*lines)
	{
		char *values[PARTS_OF_LINE];
		char *end = strchr(lines, '\n');

		if (end)
			*end = '\0';
		split(lines, ++batch.line, values);
		store_line(&batch, values);
		lines = end ? end + 1 : strchr(values[PARTS_OF_LINE - 1], '\0');
	}
	cat_bulk_insert_close(batch.bulk);
	statistics_sums_store(batch.sums);
	return batch.line;
}

/*
 * Record requests.  If the resource is hidden, the rows are stored nevertheless, and counted when
 * it is exposed again.
 */
CAT_FUNCTION(catalogue_record_statistics)
{
	int64 stored = 0;

	if (PG_ARGISNULL(ARG_RECORD_STATISTICS_ENTRIES))
		PG_RETURN_INT64(0);
	cat_statement_trim();
	cat_security_context_take();
	SPI_connect();
	if (PG_ARGISNULL(ARG_RECORD_STATISTICS_SENDER) || PG_ARGISNULL(ARG_RECORD_STATISTICS_SERIAL) ||
		claim(cat_call_reply_argument(fcinfo, ARG_RECORD_STATISTICS_SENDER),
			  PG_GETARG_INT64(ARG_RECORD_STATISTICS_SERIAL)))
	{
		Oid table = cat_bulk_insert_table("statistics");
		Resource *resource = cat_registry_table(table);

		stored = store(text_to_cstring(PG_GETARG_TEXT_PP(ARG_RECORD_STATISTICS_ENTRIES)), table,
					   resource);
		if (resource)
		{
			Tally tally = cat_row_counter_alike(resource, stored);

			cat_row_counter_add(resource, &tally);
			cat_commit_time_touch(resource, &tally);
		}
	}
	SPI_finish();
	cat_security_context_return();
	PG_RETURN_INT64(stored);
}

static const char forget_addresses_sql[] =
	"UPDATE catalogue.statistics s SET ip = '" UNKNOWN "' WHERE s.id IN (SELECT o.id FROM "
	"catalogue.statistics o WHERE o.created_at < now() - make_interval(days => $1) AND o.ip <> "
	"'" UNKNOWN "' LIMIT $2)";

/*
 * Remove at most limit addresses that are older than catalogue.visitor_address_days.  Neither action log
 * nor history records it, since they would keep what is removed.  Returns how many were removed.
 */
CAT_FUNCTION(catalogue_forget_addresses)
{
	int64 count = 0;
	Resource *resource;

	cat_owner_call_begin();
	resource = cat_registry_table(cat_bulk_insert_table("statistics"));
	if (cat_visitor_address_days > 0)
	{
		cat_statement_in(WRITE_UNRECORDED, forget_addresses_sql,
						 int4_param(cat_visitor_address_days),
						 int8_param(PG_GETARG_INT64(ARG_FORGET_ADDRESSES_LIMIT)));
		count = (int64) SPI_processed;
	}
	if (count > 0 && resource)
		cat_commit_time_touch(resource, NULL);
	cat_owner_call_end();
	PG_RETURN_INT64(count);
}
