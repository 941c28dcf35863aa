/*
 * metrics.h - what GET /metrics shows: counters of each thread, and figures of the database.
 *
 * A thread writes only its own counters, by relaxed atomic stores, and any thread may read them, so
 * that counting needs neither locks nor atomic additions.
 *
 * Decisions: docs/explanation/decisions.md#shimmetrics
 */
#ifndef METRICS_H
#define METRICS_H

#include "base/base.h"
#include "shim.h"

typedef struct Metrics Metrics;

typedef enum Cache
{
	CACHE_API_KEYS, /* records of API keys: a miss is a call of the database */
	CACHE_TOKENS,	/* verified tokens: a miss is a verification of the signature */
	CACHES
} Cache;

/* metrics.c */

/* NULL: no memory. */
extern Metrics *metrics_open(void);
/* To be called after the threads have ended. */
extern void metrics_close(Metrics *metrics);
/* Make the counters of a thread, before it starts; false: no memory, or too many threads. */
extern bool metrics_add_thread(HttpThread *thread);
/* Count a request that has been answered. */
extern void metrics_request(const Request *request);
/* Count a lookup in a cache of the thread. */
extern void metrics_cache(HttpThread *thread, Cache cache, bool hit);
/* Update the gauges of a thread; to be called several times a second. */
extern void metrics_tick(HttpThread *thread);
/* Append the counters of all threads. */
extern void metrics_write(Buffer *text, Metrics *metrics);
/* The state of the figures that are kept, as an argument of a call; NULL: there are none. */
extern const char *metrics_figures_state(Metrics *metrics, Arena *arena);
/* Keep figures in place of those before, if there is memory. */
extern void metrics_figures_keep(Metrics *metrics, const char *state, const char *bytes,
								 size_t length);
/* Append the figures, if there are any. */
extern void metrics_figures_write(Buffer *text, Metrics *metrics);

#endif
