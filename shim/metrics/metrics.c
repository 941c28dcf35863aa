/*
 * metrics.c - counters of each thread, and the sums of all in the text format of Prometheus.
 *
 * The values of labels are constants of this program that need no escaping.
 */
#include <stdarg.h>
#include <time.h>

#include "database/clients.h"
#include "log/log.h"
#include "metrics/metrics.h"
#include "net/header.h"
#include "net/object_client.h"

#define THREADS_MAXIMUM 256 /* as the setting threads has it */
#define SERIES 1024			/* a power of 2: combinations of route, method and status */
#define BUCKETS 14			/* of the durations, and one for those that are longer */

typedef _Atomic(uint64_t) Counter;

/* Requests of one route, method and status: of a thread, or their sum over the threads. */
typedef struct Series
{
	_Atomic(const char *) route; /* pattern of the route table; NULL: not used yet */
	Verb verb;
	int status;
	Counter bucket[BUCKETS + 1];
	Counter milliseconds; /* sum of the durations */
} Series;

/* The connections to PostgreSQL of a thread, by kind. */
typedef enum Pool
{
	POOL_SHARED,
	POOL_OWN,
	POOL_TRANSFERS,
	POOL_STATISTICS,
	POOL_STANDBY_SHARED,
	POOL_STANDBY_OWN,
	POOL_STANDBY_TRANSFERS,
	POOLS
} Pool;

/* What a thread has counted. */
typedef struct ThreadMetrics
{
	Series series[SERIES];
	int used; /* series; read by the thread only */
	Counter clients;
	Counter uploads;
	Counter downloads;
	Counter statistics_waiting;
	Counter statistics_lost;
	Counter connections[POOLS][USAGE_STATES];
	Counter waiting[POOLS];
	Counter lookups[CACHES][2]; /* misses, hits */
	Counter lag;				/* of standbys, and 1; 0: not known */
	Counter objects[2];			/* ranges of the object store: not given, given */
} ThreadMetrics;

struct Metrics
{
	int64_t started; /* seconds since 1970 */
	struct Log *log;
	int threads;
	ThreadMetrics *thread[THREADS_MAXIMUM];
	pthread_mutex_t lock; /* of the figures */
	char *state;		  /* of the figures; NULL: there are none */
	char *figures;
	size_t length;
};

/*
 * ---- What each thread counts ----
 *
 * The number of series is bounded: the route is a pattern of the route table and never a path, a
 * method that is not known is OTHER.  If the table is full all the same, the first series, which is
 * for this, counts the request.
 */

#define ROUTE_UNKNOWN "unknown" /* of a path that is not in the route table */
#define ROUTE_OTHER "other"		/* of requests for which there was no series left */
#define FILL (SERIES * 3 / 4)	/* maximum number of series in use, so that searches are short */

/* Upper limits of the buckets, in milliseconds. */
static const int64_t metrics_bounds[BUCKETS] = {1,	 2,	  5,	10,	  20,	50,	   100,
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
metrics_add_thread(HttpThread *thread)
{
	Metrics *metrics = thread->settings->metrics;
	ThreadMetrics *counters = NULL;

	if (metrics->threads < THREADS_MAXIMUM)
		counters = calloc(1, sizeof(ThreadMetrics));
	if (counters == NULL)
		return false;
	counters->series[0].verb = VERB_OTHER;
	atomic_store(&counters->series[0].route, ROUTE_OTHER);
	counters->used = 1;
	metrics->log = thread->settings->log;
	metrics->thread[metrics->threads++] = counters;
	thread->metrics = counters;
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
series_of(ThreadMetrics *counters, const char *route, Verb verb, int status)
{
	size_t i = ((uintptr_t) route >> 3) + (size_t) verb * 131 + (size_t) status * 31;

	for (;; i++)
	{
		Series *series = &counters->series[i % SERIES];
		const char *found = atomic_load_explicit(&series->route, memory_order_relaxed);

		if (found == route && series->verb == verb && series->status == status)
			return series;
		if (found != NULL)
			continue;
		if (counters->used >= FILL)
			return &counters->series[0];
		counters->used++;
		series->verb = verb;
		series->status = status;
		atomic_store_explicit(&series->route, route, memory_order_release);
		return series;
	}
}

void
metrics_request(const Request *request)
{
	const HttpThread *thread = request->thread;
	int64_t duration = thread->now - request->started;
	Series *series = series_of(thread->metrics, request->pattern ? request->pattern : ROUTE_UNKNOWN,
							   request->verb, request->answer.status);
	int bucket = 0;

	while (bucket < BUCKETS && duration > metrics_bounds[bucket])
		bucket++;
	add(&series->bucket[bucket], 1);
	add(&series->milliseconds, (uint64_t) duration);
}

void
metrics_cache(HttpThread *thread, Cache cache, bool hit)
{
	add(&thread->metrics->lookups[cache][hit], 1);
}

static void
set_pool(ThreadMetrics *counters, Pool pool, const Database *database, bool shared)
{
	DatabaseUsage usage = database_usage(database, shared);

	for (int state = 0; state < USAGE_STATES; state++)
		set(&counters->connections[pool][state], (uint64_t) usage.connections[state]);
	set(&counters->waiting[pool], (uint64_t) usage.waiting);
}

void
metrics_tick(HttpThread *thread)
{
	ThreadMetrics *counters = thread->metrics;
	int64_t waiting;
	int64_t lost;

	set(&counters->clients, (uint64_t) thread->connections);
	set(&counters->uploads, (uint64_t) thread->uploads);
	set(&counters->downloads, (uint64_t) thread->downloads);
	set_pool(counters, POOL_SHARED, thread->database, true);
	set_pool(counters, POOL_OWN, thread->database, false);
	set_pool(counters, POOL_TRANSFERS, thread->transfers, false);
	if (database_standby(thread->database) != NULL)
	{
		set_pool(counters, POOL_STANDBY_SHARED, database_standby(thread->database), true);
		set_pool(counters, POOL_STANDBY_OWN, database_standby(thread->database), false);
		set_pool(counters, POOL_STANDBY_TRANSFERS, database_standby(thread->transfers), false);
		set(&counters->lag, (uint64_t) (standby_lag(database_standby(thread->database)) + 1));
	}
	for (int given = 0; given <= 1; given++)
		set(&counters->objects[given], object_client_count(thread->objects, given));
	if (thread->statistics == NULL)
		return;
	set_pool(counters, POOL_STATISTICS, statistics_batch_usage(thread->statistics, &waiting, &lost),
			 false);
	set(&counters->statistics_waiting, (uint64_t) waiting);
	set(&counters->statistics_lost, (uint64_t) lost);
}

/*
 * ---- The last figures of the database, as it composed them ----
 *
 * All threads share the figures, so that the database computes them once in a period, however many threads are
 * asked.  The lock is taken by requests for the metrics only.
 */

const char *
metrics_figures_state(Metrics *metrics, Arena *arena)
{
	const char *state;

	pthread_mutex_lock(&metrics->lock);
	state = metrics->state ? arena_text(arena, metrics->state, strlen(metrics->state)) : NULL;
	pthread_mutex_unlock(&metrics->lock);
	return state;
}

void
metrics_figures_keep(Metrics *metrics, const char *state, const char *bytes, size_t length)
{
	char *copy = malloc(length);
	char *name = strdup(state);

	if (copy == NULL || name == NULL)
	{
		free(copy);
		free(name);
		return;
	}
	memcpy(copy, bytes, length);
	pthread_mutex_lock(&metrics->lock);
	free(metrics->state);
	free(metrics->figures);
	metrics->state = name;
	metrics->figures = copy;
	metrics->length = length;
	pthread_mutex_unlock(&metrics->lock);
}

void
metrics_figures_write(Buffer *text, Metrics *metrics)
{
	pthread_mutex_lock(&metrics->lock);
	buffer_append(text, metrics->figures, metrics->length);
	pthread_mutex_unlock(&metrics->lock);
}

static uint64_t
get(const Counter *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

/* Begin a metric. */
static void
begin(Buffer *text, const char *name, const char *type, const char *help)
{
	buffer_format(text, "# HELP catalogue_%s %s\n# TYPE catalogue_%s %s\n", name, help, name, type);
}

/* Append a sample; its name, with labels in braces, is printed. */
static void __attribute__((format(printf, 3, 4)))
sample(Buffer *text, uint64_t value, const char *name, ...)
{
	char labelled[256];
	va_list labels;

	va_start(labels, name);
	vsnprintf(labelled, sizeof(labelled), name, labels);
	va_end(labels);
	buffer_format(text, "catalogue_%s %llu\n", labelled, (unsigned long long) value);
}

/* Series of several threads with the same labels are adjacent then. */
static int
compare_rows(const void *left, const void *right)
{
	const Series *a = left;
	const Series *b = right;
	int order = strcmp(a->route, b->route);

	if (order == 0)
		order = (int) a->verb - (int) b->verb;
	return order != 0 ? order : a->status - b->status;
}

/* Copy the series of a thread that are in use; returns their number. */
static size_t
copy_series(Series *rows, const ThreadMetrics *counters)
{
	size_t count = 0;

	for (int i = 0; i < SERIES; i++)
	{
		const Series *series = &counters->series[i];
		Series *row = &rows[count];

		row->route = atomic_load_explicit(&series->route, memory_order_acquire);
		if (row->route == NULL)
			continue;
		row->verb = series->verb;
		row->status = series->status;
		for (int bucket = 0; bucket <= BUCKETS; bucket++)
			row->bucket[bucket] = get(&series->bucket[bucket]);
		row->milliseconds = get(&series->milliseconds);
		count++;
	}
	return count;
}

/* Merge neighbours that compare as equal; returns the number of rows that are left. */
static size_t
merge(Series *rows, size_t count, bool by_status)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++)
	{
		Series *last = left > 0 ? &rows[left - 1] : NULL;

		if (last != NULL && strcmp(last->route, rows[i].route) == 0 && last->verb == rows[i].verb &&
			(!by_status || last->status == rows[i].status))
		{
			for (int j = 0; j <= BUCKETS; j++)
				last->bucket[j] += rows[i].bucket[j];
			last->milliseconds += rows[i].milliseconds;
		}
		else
			rows[left++] = rows[i];
	}
	return left;
}

static uint64_t
requests_of(const Series *row)
{
	uint64_t requests = 0;

	for (int i = 0; i <= BUCKETS; i++)
		requests += row->bucket[i];
	return requests;
}

static void
write_counts(Buffer *text, const Series *rows, size_t count)
{
	begin(text, "http_requests_total", "counter",
		  "Requests answered, by route, method and status.");
	for (size_t i = 0; i < count; i++)
		if (requests_of(&rows[i]) > 0)
			sample(text, requests_of(&rows[i]),
				   "http_requests_total{route=\"%s\",method=\"%s\",status=\"%d\"}", rows[i].route,
				   verb_names[rows[i].verb], rows[i].status);
}

static void
write_histogram(Buffer *text, const Series *row)
{
	static const char name[] = "http_request_duration_seconds";
	const char *method = verb_names[row->verb];
	uint64_t sum = 0;

	for (int i = 0; i <= BUCKETS; i++)
	{
		char bound[16] = "+Inf";

		if (i < BUCKETS)
			snprintf(bound, sizeof(bound), "%g", (double) metrics_bounds[i] / 1000);
		sum += row->bucket[i];
		sample(text, sum, "%s_bucket{route=\"%s\",method=\"%s\",le=\"%s\"}", name, row->route,
			   method, bound);
	}
	buffer_format(text, "catalogue_%s_sum{route=\"%s\",method=\"%s\"} %.3f\n", name, row->route,
				  method, (double) row->milliseconds / 1000);
	sample(text, sum, "%s_count{route=\"%s\",method=\"%s\"}", name, row->route, method);
}

static void
write_requests(Buffer *text, const Metrics *metrics)
{
	Series *rows = calloc((size_t) metrics->threads * SERIES, sizeof(Series));
	size_t count = 0;

	if (rows == NULL)
	{
		text->failed = true;
		return;
	}
	for (int i = 0; i < metrics->threads; i++)
		count += copy_series(rows + count, metrics->thread[i]);
	qsort(rows, count, sizeof(Series), compare_rows);
	count = merge(rows, count, true);
	write_counts(text, rows, count);
	count = merge(rows, count, false);
	begin(text, "http_request_duration_seconds", "histogram",
		  "Time from the head of a request to its answer, without the time to send it.");
	for (size_t i = 0; i < count; i++)
		if (requests_of(&rows[i]) > 0)
			write_histogram(text, &rows[i]);
	free(rows);
}

/* The sum of a counter over the threads. */
static uint64_t
sum_of(const Metrics *metrics, size_t offset)
{
	uint64_t sum = 0;

	for (int i = 0; i < metrics->threads; i++)
		sum += get((const Counter *) ((const char *) metrics->thread[i] + offset));
	return sum;
}

static void
write_pools(Buffer *text, const Metrics *metrics)
{
	static const char *const kinds[POOLS] = {
		"shared",		  "own",		 "transfers",		 "statistics",
		"standby_shared", "standby_own", "standby_transfers"};
	static const char *const states[USAGE_STATES] = {"busy", "idle", "down"};

	begin(text, "database_connections", "gauge", "Connections to PostgreSQL, by kind and state.");
	for (int pool = 0; pool < POOLS; pool++)
		for (int state = 0; state < USAGE_STATES; state++)
			sample(text, sum_of(metrics, offsetof(ThreadMetrics, connections[pool][state])),
				   "database_connections{kind=\"%s\",state=\"%s\"}", kinds[pool], states[state]);
	begin(text, "database_calls_waiting", "gauge",
		  "Calls that wait for a connection, by its kind.");
	for (int pool = 0; pool < POOLS; pool++)
		sample(text, sum_of(metrics, offsetof(ThreadMetrics, waiting[pool])),
			   "database_calls_waiting{kind=\"%s\"}", kinds[pool]);
}

static void
write_caches(Buffer *text, const Metrics *metrics)
{
	static const char *const names[CACHES] = {"api_keys", "tokens"};
	static const char *const results[] = {"miss", "hit"};

	begin(text, "cache_lookups_total", "counter", "Lookups in a cache, by cache and result.");
	for (int cache = 0; cache < CACHES; cache++)
		for (int hit = 0; hit <= 1; hit++)
			sample(text, sum_of(metrics, offsetof(ThreadMetrics, lookups[cache][hit])),
				   "cache_lookups_total{cache=\"%s\",result=\"%s\"}", names[cache], results[hit]);
}

/* Write how far standbys are behind, the last of all threads. */
static void
write_lag(Buffer *text, const Metrics *metrics)
{
	uint64_t most = 0;

	for (int i = 0; i < metrics->threads; i++)
		if (get(&metrics->thread[i]->lag) > most)
			most = get(&metrics->thread[i]->lag);
	begin(text, "standby_lag_seconds", "gauge",
		  "How far the standbys of read_database are behind, at most; absent if it is not known.");
	if (most > 0)
		buffer_format(text, "catalogue_standby_lag_seconds %.1f\n", (double) (most - 1) / 1000);
}

static void
write_objects(Buffer *text, const Metrics *metrics)
{
	static const char *const results[] = {"failed", "done"};

	begin(text, "object_reads_total", "counter",
		  "Ranges of bytes that were asked of the object store, by result.");
	for (int given = 0; given <= 1; given++)
		sample(text, sum_of(metrics, offsetof(ThreadMetrics, objects[given])),
			   "object_reads_total{result=\"%s\"}", results[given]);
}

/* Write the metrics that have one value. */
static void
write_single(Buffer *text, const Metrics *metrics)
{
	static const struct
	{
		const char *name;
		const char *type;
		const char *help;
		size_t offset;
	} rows[] = {
		{"http_connections", "gauge", "Connections of clients.", offsetof(ThreadMetrics, clients)},
		{"uploads_running", "gauge", "Requests that upload bytes of files.",
		 offsetof(ThreadMetrics, uploads)},
		{"downloads_running", "gauge", "Requests that download bytes of files.",
		 offsetof(ThreadMetrics, downloads)},
		{"statistics_waiting", "gauge", "Requests whose statistics are not stored yet.",
		 offsetof(ThreadMetrics, statistics_waiting)},
		{"statistics_lost_total", "counter", "Requests whose statistics were lost.",
		 offsetof(ThreadMetrics, statistics_lost)},
	};

	for (size_t i = 0; i < lengthof(rows); i++)
	{
		begin(text, rows[i].name, rows[i].type, rows[i].help);
		sample(text, sum_of(metrics, rows[i].offset), "%s", rows[i].name);
	}
	begin(text, "log_lines_lost_total", "counter", "Lines that the log file could not take.");
	sample(text, log_lost(metrics->log), "log_lines_lost_total");
	begin(text, "start_time_seconds", "gauge", "When the service started, since 1970.");
	sample(text, (uint64_t) metrics->started, "start_time_seconds");
	begin(text, "threads", "gauge", "Threads that serve requests.");
	sample(text, (uint64_t) metrics->threads, "threads");
	begin(text, "build_info", "gauge", "1, with the version of the service.");
	sample(text, 1, "build_info{version=\"" SHIM_VERSION "\"}");
}

void
metrics_write(Buffer *text, Metrics *metrics)
{
	write_requests(text, metrics);
	write_pools(text, metrics);
	write_caches(text, metrics);
	write_lag(text, metrics);
	write_objects(text, metrics);
	write_single(text, metrics);
}
