/*
 * counters.c - what each thread counts.
 *
 * The number of series is bounded: the route is a pattern of the route table and never a path, a
 * method that is not known is OTHER.  If the table is full all the same, the first series, which is
 * for this, counts the request.
 */
#include <stdlib.h>
#include <time.h>

#include "metrics/metrics_internal.h"

#define ROUTE_UNKNOWN "unknown" /* of a path that is not in the route table */
#define ROUTE_OTHER "other"		/* of requests for which there was no series left */
#define FILL (SERIES * 3 / 4)	/* maximum number of series in use, so that searches are short */

const int64_t metrics_bounds[BUCKETS] = {1,	  2,   5,	 10,   20,	 50,	100,
										 200, 500, 1000, 2000, 5000, 10000, 30000};

Metrics *
metrics_open(void)
{
	Metrics *metrics = calloc(1, sizeof(Metrics));

	if (metrics == NULL)
		return NULL;
	metrics->started = (int64_t) time(NULL);
	if (pthread_mutex_init(&metrics->lock, NULL) == 0)
		return metrics;
	free(metrics);
	return NULL;
}

void
metrics_close(Metrics *metrics)
{
	if (metrics == NULL)
		return;
	for (int i = 0; i < metrics->threads; i++)
		free(metrics->thread[i]);
	pthread_mutex_destroy(&metrics->lock);
	free(metrics->state);
	free(metrics->figures);
	free(metrics);
}

bool
metrics_add_thread(Worker *worker)
{
	Metrics *metrics = worker->settings->metrics;
	ThreadMetrics *thread = NULL;

	if (metrics->threads < THREADS_MAXIMUM)
		thread = calloc(1, sizeof(ThreadMetrics));
	if (thread == NULL)
		return false;
	thread->series[0].verb = VERB_OTHER;
	atomic_store(&thread->series[0].route, ROUTE_OTHER);
	thread->used = 1;
	metrics->log = worker->settings->log;
	metrics->thread[metrics->threads++] = thread;
	worker->metrics = thread;
	return true;
}

static void
set(Counter *counter, uint64_t value)
{
	atomic_store_explicit(counter, value, memory_order_relaxed);
}

/* Only one thread writes a counter, so that this needs no atomic addition. */
static void
add(Counter *counter, uint64_t value)
{
	set(counter, atomic_load_explicit(counter, memory_order_relaxed) + value);
}

/* The series of a request, which is added if it is new. */
static Series *
series_of(ThreadMetrics *thread, const char *route, Verb verb, int status)
{
	size_t i = ((uintptr_t) route >> 3) + (size_t) verb * 131 + (size_t) status * 31;

	for (;; i++)
	{
		Series *series = &thread->series[i % SERIES];
		const char *found = atomic_load_explicit(&series->route, memory_order_relaxed);

		if (found == route && series->verb == verb && series->status == status)
			return series;
		if (found != NULL)
			continue;
		if (thread->used >= FILL)
			return &thread->series[0];
		thread->used++;
		series->verb = verb;
		series->status = status;
		atomic_store_explicit(&series->route, route, memory_order_release);
		return series;
	}
}

void
metrics_request(const Request *request)
{
	const Worker *worker = request->worker;
	int64_t duration = worker->now - request->started;
	Series *series = series_of(worker->metrics, request->pattern ? request->pattern : ROUTE_UNKNOWN,
							   request->verb, request->answer.status);
	int bucket = 0;

	while (bucket < BUCKETS && duration > metrics_bounds[bucket])
		bucket++;
	add(&series->bucket[bucket], 1);
	add(&series->milliseconds, (uint64_t) duration);
}

void
metrics_cache(Worker *worker, Cache cache, bool hit)
{
	add(&worker->metrics->lookups[cache][hit], 1);
}

static void
set_pool(ThreadMetrics *thread, Pool pool, const Database *database, bool shared)
{
	DatabaseUsage usage = database_usage(database, shared);

	for (int state = 0; state < USAGE_STATES; state++)
		set(&thread->connections[pool][state], (uint64_t) usage.connections[state]);
	set(&thread->waiting[pool], (uint64_t) usage.waiting);
}

void
metrics_tick(Worker *worker)
{
	ThreadMetrics *thread = worker->metrics;

	set(&thread->clients, (uint64_t) worker->connections);
	set(&thread->uploads, (uint64_t) worker->uploads);
	set(&thread->downloads, (uint64_t) worker->downloads);
	set_pool(thread, POOL_SHARED, worker->database, true);
	set_pool(thread, POOL_OWN, worker->database, false);
	set_pool(thread, POOL_TRANSFERS, worker->transfers, false);
	if (worker->statistics == NULL)
		return;
	set_pool(thread, POOL_STATISTICS, statistics_batch_database(worker->statistics), false);
	set(&thread->statistics_waiting, (uint64_t) statistics_batch_entries(worker->statistics));
	set(&thread->statistics_lost, (uint64_t) statistics_batch_lost(worker->statistics));
}
