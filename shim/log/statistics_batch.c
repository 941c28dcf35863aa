/*
 * statistics_batch.c - the entries of a thread, on their way to PostgreSQL in batches.
 *
 * A batch stays in memory until PostgreSQL has acknowledged it.  It has a number, so that one
 * whose acknowledgement got lost is stored once all the same.  They go over a connection of their
 * own: no request waits for them, and they wait for no request.  While the database is away they
 * pile up to a limit; what comes then is counted and forgotten.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "shim.h"

#define BATCH_ENTRIES 1000		/* a batch with so many is sent at once; else at the next tick */
#define BYTES_MAXIMUM (8 << 20) /* of a thread's batches; more is not kept */
#define DRIFT 1000		/* microseconds that two clocks may differ from when they were compared */
#define PAUSE_FIRST 200 /* milliseconds after a failure, doubled after each */
#define PAUSE_MAXIMUM 5000
#define REPORT_EVERY 60000 /* milliseconds between two lines of what was not kept */

typedef struct Batch Batch;
struct Batch
{
	Batch *next;
	char serial[24];
	bool sent; /* PostgreSQL may have stored it: nothing more goes into it */
	int entries;
	Buffer lines;
};

struct Recorder
{
	Worker *worker;
	Database *database; /* the one connection */
	char sender[24];
	int64_t serial;
	Batch *first; /* the oldest, which is sent first; entries are added to the last */
	Batch *last;
	size_t bytes;  /* of all batches */
	size_t usual;  /* of the one that was stored last */
	size_t before; /* of the last batch, before the entry that is being made */
	Call call;	   /* of the first batch */
	bool sending;
	Buffer words; /* the query of the entry that is being made */
	int64_t pause;
	int64_t retry_at; /* milliseconds of the monotonic clock */
	int64_t since;	  /* microseconds from 1970 to when that clock began */
	int64_t lost;	  /* entries, since the last line in the log */
	int64_t report_at;
};

/* Open a thread's recorder; NULL when that cannot be. */
Recorder *
recorder_open(Worker *worker)
{
	Recorder *recorder = calloc(1, sizeof(Recorder));
	uint64_t name;

	if (recorder == NULL)
		return NULL;
	recorder->worker = worker;
	buffer_init(&recorder->words, (size_t) 4 * TARGET_MAXIMUM);
	recorder->database = database_open(worker, 0, 1);
	if (recorder->database == NULL || getrandom(&name, sizeof(name), 0) != sizeof(name))
	{
		free(recorder->database);
		free(recorder);
		return NULL;
	}
	snprintf(recorder->sender, sizeof(recorder->sender), "%016llx", (unsigned long long) name);
	return recorder;
}

/* Take the first batch off; gives the number of its entries. */
static int
forget_first(Recorder *recorder)
{
	Batch *batch = recorder->first;
	int entries = batch->entries;

	recorder->first = batch->next;
	if (recorder->first == NULL)
		recorder->last = NULL;
	recorder->bytes -= batch->lines.length;
	recorder->usual = batch->lines.length;
	buffer_free(&batch->lines);
	free(batch);
	return entries;
}

/* The batch that takes the next entry; NULL when there is no memory. */
static Batch *
open_batch(Recorder *recorder)
{
	Batch *batch = recorder->last;

	if (batch != NULL && batch->entries < BATCH_ENTRIES && !batch->sent)
		return batch;
	batch = calloc(1, sizeof(Batch));
	if (batch == NULL)
		return NULL;
	snprintf(batch->serial, sizeof(batch->serial), "%lld", (long long) ++recorder->serial);
	buffer_init(&batch->lines, BYTES_MAXIMUM);
	/* where they come at a steady rate, it will be as large as the one before */
	if (!buffer_reserve(&batch->lines, recorder->usual))
		batch->lines.failed = false;
	if (recorder->last != NULL)
		recorder->last->next = batch;
	else
		recorder->first = batch;
	recorder->last = batch;
	return batch;
}

Buffer *
recorder_words(Recorder *recorder)
{
	recorder->words.length = 0;
	recorder->words.failed = false;
	return &recorder->words;
}

static int64_t
microseconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Compared anew each time, the clocks would give two moments in the wrong order now and then. */
int64_t
recorder_instant(Recorder *recorder, int64_t moment)
{
	int64_t since = microseconds(CLOCK_REALTIME) - microseconds(CLOCK_MONOTONIC);

	if (llabs(since - recorder->since) > DRIFT)
		recorder->since = since;
	return recorder->since + moment * 1000;
}

Buffer *
recorder_begin(Recorder *recorder)
{
	Batch *batch = recorder->bytes < BYTES_MAXIMUM ? open_batch(recorder) : NULL;

	if (batch == NULL)
	{
		recorder->lost++;
		return NULL;
	}
	recorder->before = batch->lines.length;
	return &batch->lines;
}

void
recorder_end(Recorder *recorder)
{
	Batch *batch = recorder->last;

	if (batch->lines.failed)
	{
		batch->lines.failed = false;
		batch->lines.length = recorder->before;
		recorder->lost++;
		return;
	}
	batch->entries++;
	recorder->bytes += batch->lines.length - recorder->before;
}

/* Try again later. */
static void
wait_a_while(Recorder *recorder)
{
	recorder->pause = recorder->pause == 0 ? PAUSE_FIRST : recorder->pause * 2;
	if (recorder->pause > PAUSE_MAXIMUM)
		recorder->pause = PAUSE_MAXIMUM;
	recorder->retry_at = recorder->worker->now + recorder->pause;
}

static void
log_refusal(const Recorder *recorder, const PGresult *result)
{
	log_event(recorder->worker->settings->log, LOG_ERROR, "statistics not stored", "%s",
			  PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
}

/*
 * What has come of the first batch.
 *
 * Data that PostgreSQL does not take would stand in the way of all that follow for ever; whatever
 * else is wrong can be mended.
 */
static void
finish(Call *call)
{
	Recorder *recorder = (Recorder *) ((char *) call - offsetof(Recorder, call));
	const char *state = PQresultErrorField(call->result, PG_DIAG_SQLSTATE);

	recorder->sending = false;
	if (call->outcome == RESULT_ANSWER && PQresultStatus(call->result) == PGRES_TUPLES_OK)
	{
		forget_first(recorder);
		recorder->pause = 0;
	}
	else if (state != NULL && (strncmp(state, "22", 2) == 0 || strncmp(state, "23", 2) == 0))
	{
		log_refusal(recorder, call->result);
		recorder->lost += forget_first(recorder);
	}
	else
	{
		if (state != NULL && recorder->pause == 0)
			log_refusal(recorder, call->result);
		/* of a database that is away the connection itself asks now and then */
		if (call->outcome != RESULT_AWAY)
			wait_a_while(recorder);
	}
	PQclear(call->result);
	call->result = NULL;
}

/* Send the first batch. */
static void
send_first(Recorder *recorder)
{
	const Settings *settings = recorder->worker->settings;
	Batch *batch = recorder->first;

	buffer_append(&batch->lines, "", 1);
	if (batch->lines.failed)
	{
		/* no memory for one byte: later, perhaps */
		batch->lines.failed = false;
		return;
	}
	batch->lines.length--;
	recorder->call = (Call){.spec = &call_specs[CALL_RECORD],
							.queue = QUEUE_OWN,
							.arguments = {batch->lines.data, recorder->sender, batch->serial},
							.wait_until = recorder->worker->now + settings->queue_timeout,
							.done = finish};
	recorder->sending = true;
	batch->sent = true;
	database_submit(recorder->database, &recorder->call);
}

static bool
may_send(const Recorder *recorder)
{
	return !recorder->sending && recorder->first != NULL &&
		   recorder->worker->now >= recorder->retry_at;
}

void
recorder_turn(Recorder *recorder)
{
	if (recorder == NULL)
		return;
	if (may_send(recorder) && recorder->first->entries >= BATCH_ENTRIES)
		send_first(recorder);
	database_dispatch(recorder->database);
}

/* Tell how many entries were lost. */
static void
report(Recorder *recorder)
{
	if (recorder->lost > 0)
		log_event(recorder->worker->settings->log, LOG_WARN, "statistics lost", "%lld requests",
				  (long long) recorder->lost);
	recorder->lost = 0;
	recorder->report_at = recorder->worker->now + REPORT_EVERY;
}

void
recorder_tick(Recorder *recorder)
{
	if (recorder == NULL)
		return;
	if (may_send(recorder))
		send_first(recorder);
	database_tick(recorder->database, recorder->worker->now);
	if (recorder->lost > 0 && recorder->worker->now >= recorder->report_at)
		report(recorder);
}

void
recorder_hurry(Recorder *recorder)
{
	if (recorder != NULL)
		recorder->retry_at = recorder->worker->now;
}

bool
recorder_pending(const Recorder *recorder)
{
	return recorder != NULL && recorder->first != NULL;
}

void
recorder_close(Recorder *recorder)
{
	if (recorder == NULL)
		return;
	database_abandon(recorder->database);
	while (recorder->first != NULL)
		recorder->lost += forget_first(recorder);
	report(recorder);
	database_close(recorder->database);
	buffer_free(&recorder->words);
	free(recorder);
}
