/*
 * statistics_batch.c - the statistics of a thread, sent to PostgreSQL in batches.
 *
 * A batch stays in memory until PostgreSQL has acknowledged it.  It has a number, so that a batch
 * whose acknowledgement was lost is stored only once.  Batches have a connection of their own, so
 * that neither they nor requests wait for each other.  While the database is not available they are
 * kept up to a limit; further entries are counted and discarded.
 */
#include <sys/random.h>
#include <time.h>

#include "database/clients.h"
#include "log/log.h"
#include "net/framing.h"

#define BATCH_ENTRIES 1000		/* a batch of this size is sent at once, others at the next tick */
#define BYTES_MAXIMUM (8 << 20) /* of a thread's batches; more is not kept */
#define DRIFT 1000		/* microseconds that two clocks may differ from when they were compared */
#define PAUSE_FIRST 200 /* milliseconds after a failure, doubled after each */
#define PAUSE_MAXIMUM 5000
#define REPORT_EVERY 60000 /* milliseconds between two lines of what was not kept */

typedef struct Batch Batch;
struct Batch
{
	STAILQ_ENTRY(Batch) next;
	char serial[24];
	bool sent; /* PostgreSQL may have stored it: nothing more goes into it */
	int entries;
	Buffer lines;
};

struct StatisticsBatch
{
	HttpThread *thread;
	Database *database; /* the one connection */
	char sender[24];
	int64_t serial;
	STAILQ_HEAD(, Batch) batches; /* the oldest is sent first */
	Batch *last;				  /* to which entries are added; NULL: none */
	size_t bytes;				  /* of all batches */
	size_t previous;			  /* of the one that was stored last */
	size_t before;				  /* of the last batch, before the entry that is being made */
	Call call;					  /* of the first batch */
	bool sending;
	Buffer scratch; /* the query of the entry that is being made */
	int64_t pause;
	int64_t retry_at; /* milliseconds of the monotonic clock */
	int64_t since;	  /* microseconds from 1970 to when that clock began */
	int64_t lost;	  /* entries, since the last line in the log */
	int64_t reported; /* entries lost before that */
	int64_t report_at;
};

StatisticsBatch *
statistics_batch_open(HttpThread *thread)
{
	StatisticsBatch *statistics = calloc(1, sizeof(StatisticsBatch));
	uint64_t name;

	if (statistics == NULL)
		return NULL;
	statistics->thread = thread;
	STAILQ_INIT(&statistics->batches);
	buffer_init(&statistics->scratch, (size_t) 4 * TARGET_MAXIMUM);
	statistics->database = database_open_primary(thread, 0, 1);
	if (statistics->database == NULL || getrandom(&name, sizeof(name), 0) != sizeof(name))
	{
		free(statistics->database);
		free(statistics);
		return NULL;
	}
	snprintf(statistics->sender, sizeof(statistics->sender), "%016llx", (unsigned long long) name);
	return statistics;
}

/* Remove the first batch; returns the number of its entries. */
static int
drop_first(StatisticsBatch *statistics)
{
	Batch *batch = STAILQ_FIRST(&statistics->batches);
	int entries = batch->entries;

	STAILQ_REMOVE_HEAD(&statistics->batches, next);
	if (STAILQ_EMPTY(&statistics->batches))
		statistics->last = NULL;
	statistics->bytes -= batch->lines.length;
	statistics->previous = batch->lines.length;
	buffer_free(&batch->lines);
	free(batch);
	return entries;
}

/* The batch for the next entry; NULL: no memory. */
static Batch *
open_batch(StatisticsBatch *statistics)
{
	Batch *batch = statistics->last;

	if (batch != NULL && batch->entries < BATCH_ENTRIES && !batch->sent)
		return batch;
	batch = calloc(1, sizeof(Batch));
	if (batch == NULL)
		return NULL;
	snprintf(batch->serial, sizeof(batch->serial), "%lld", (long long) ++statistics->serial);
	buffer_init(&batch->lines, BYTES_MAXIMUM);
	/* at a steady rate it will be as large as the one before */
	if (!buffer_reserve(&batch->lines, statistics->previous))
		batch->lines.failed = false;
	STAILQ_INSERT_TAIL(&statistics->batches, batch, next);
	return statistics->last = batch;
}

Buffer *
statistics_batch_scratch(StatisticsBatch *statistics)
{
	statistics->scratch.length = 0;
	statistics->scratch.failed = false;
	return &statistics->scratch;
}

static int64_t
microseconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t
statistics_batch_instant(StatisticsBatch *statistics, int64_t instant)
{
	int64_t since = microseconds(CLOCK_REALTIME) - microseconds(CLOCK_MONOTONIC);

	if (llabs(since - statistics->since) > DRIFT)
		statistics->since = since;
	return statistics->since + instant * 1000;
}

Buffer *
statistics_batch_begin(StatisticsBatch *statistics)
{
	Batch *batch = statistics->bytes < BYTES_MAXIMUM ? open_batch(statistics) : NULL;

	if (batch == NULL)
	{
		statistics->lost++;
		return NULL;
	}
	statistics->before = batch->lines.length;
	return &batch->lines;
}

void
statistics_batch_end(StatisticsBatch *statistics)
{
	Batch *batch = statistics->last;

	if (batch->lines.failed)
	{
		batch->lines.failed = false;
		batch->lines.length = statistics->before;
		statistics->lost++;
		return;
	}
	batch->entries++;
	statistics->bytes += batch->lines.length - statistics->before;
}

/* Try again later. */
static void
schedule_retry(StatisticsBatch *statistics)
{
	statistics->pause = statistics->pause == 0 ? PAUSE_FIRST : statistics->pause * 2;
	if (statistics->pause > PAUSE_MAXIMUM)
		statistics->pause = PAUSE_MAXIMUM;
	statistics->retry_at = statistics->thread->now + statistics->pause;
}

static void
log_refusal(const StatisticsBatch *statistics, const PGresult *result)
{
	log_event(statistics->thread->settings->log, LOG_ERROR, "statistics not stored", "%s",
			  PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
}

/*
 * The call for the first batch has ended.
 *
 * Data that PostgreSQL refuses would block all that follow for ever, so it is discarded; after any
 * other error the batch is sent again.
 */
static void
finish(Call *call)
{
	StatisticsBatch *statistics =
		(StatisticsBatch *) ((char *) call - offsetof(StatisticsBatch, call));
	const char *state = PQresultErrorField(call->result, PG_DIAG_SQLSTATE);

	statistics->sending = false;
	if (call->outcome == RESULT_ANSWER && PQresultStatus(call->result) == PGRES_TUPLES_OK)
	{
		drop_first(statistics);
		statistics->pause = 0;
	}
	else if (state != NULL && (strncmp(state, "22", 2) == 0 || strncmp(state, "23", 2) == 0))
	{
		log_refusal(statistics, call->result);
		statistics->lost += drop_first(statistics);
	}
	else
	{
		if (state != NULL && statistics->pause == 0 && call->outcome != RESULT_READ_ONLY)
			log_refusal(statistics, call->result);
		/* a connection that is down retries by itself */
		if (call->outcome != RESULT_AWAY)
			schedule_retry(statistics);
	}
	PQclear(call->result);
	call->result = NULL;
}

/* Send the first batch. */
static void
send_first(StatisticsBatch *statistics)
{
	const Settings *settings = statistics->thread->settings;
	Batch *batch = STAILQ_FIRST(&statistics->batches);

	buffer_append(&batch->lines, "", 1);
	if (batch->lines.failed)
	{
		/* no memory for one byte: later, perhaps */
		batch->lines.failed = false;
		return;
	}
	batch->lines.length--;
	statistics->call = (Call){.spec = &call_specs[CALL_RECORD],
							  .queue = QUEUE_OWN,
							  .arguments = {batch->lines.data, statistics->sender, batch->serial},
							  .wait_until = statistics->thread->now + settings->queue_timeout,
							  .done = finish};
	statistics->sending = true;
	batch->sent = true;
	database_submit(statistics->database, &statistics->call);
}

static bool
may_send(const StatisticsBatch *statistics)
{
	return !statistics->sending && !STAILQ_EMPTY(&statistics->batches) &&
		   statistics->thread->now >= statistics->retry_at;
}

void
statistics_batch_dispatch(StatisticsBatch *statistics)
{
	if (statistics == NULL)
		return;
	if (may_send(statistics) && STAILQ_FIRST(&statistics->batches)->entries >= BATCH_ENTRIES)
		send_first(statistics);
	database_dispatch(statistics->database);
}

/* Log how many entries were lost. */
static void
report(StatisticsBatch *statistics)
{
	if (statistics->lost > 0)
		log_event(statistics->thread->settings->log, LOG_WARN, "statistics lost", "%lld requests",
				  (long long) statistics->lost);
	statistics->reported += statistics->lost;
	statistics->lost = 0;
	statistics->report_at = statistics->thread->now + REPORT_EVERY;
}

void
statistics_batch_tick(StatisticsBatch *statistics)
{
	if (statistics == NULL)
		return;
	if (may_send(statistics))
		send_first(statistics);
	database_tick(statistics->database, statistics->thread->now);
	if (statistics->lost > 0 && statistics->thread->now >= statistics->report_at)
		report(statistics);
}

void
statistics_batch_hurry(StatisticsBatch *statistics)
{
	if (statistics != NULL)
		statistics->retry_at = statistics->thread->now;
}

const Database *
statistics_batch_usage(const StatisticsBatch *statistics, int64_t *waiting, int64_t *lost)
{
	const Batch *batch;

	*waiting = 0;
	STAILQ_FOREACH(batch, &statistics->batches, next)
		*waiting += batch->entries;
	*lost = statistics->reported + statistics->lost;
	return statistics->database;
}

bool
statistics_batch_pending(const StatisticsBatch *statistics)
{
	return statistics != NULL && !STAILQ_EMPTY(&statistics->batches);
}

void
statistics_batch_close(StatisticsBatch *statistics)
{
	if (statistics == NULL)
		return;
	database_abandon(statistics->database);
	while (!STAILQ_EMPTY(&statistics->batches))
		statistics->lost += drop_first(statistics);
	report(statistics);
	database_close(statistics->database);
	buffer_free(&statistics->scratch);
	free(statistics);
}
