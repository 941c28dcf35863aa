/*
 * metrics_internal.h - the counters of a thread, as the files of metrics/ share them.
 */
#ifndef METRICS_INTERNAL_H
#define METRICS_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "database/clients.h"
#include "metrics/metrics.h"

#define THREADS_MAXIMUM 256 /* as the setting threads has it */
#define SERIES 1024			/* a power of 2: combinations of route, method and status */
#define BUCKETS 14			/* of the durations, and one for those that are longer */

typedef _Atomic(uint64_t) Counter;

/* Requests of one route, method and status. */
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

/* Upper limits of the buckets, in milliseconds. */
extern const int64_t metrics_bounds[BUCKETS];

#endif
