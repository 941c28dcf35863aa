/*
 * clients.h - whom a call counts for, and calls that a thread makes for itself.
 */
#ifndef CLIENTS_H
#define CLIENTS_H

#include "database/database.h"

/* request_call.c */

/* A hash of the user of the request, else of its consumer and address, else of its address. */
extern uint32_t request_call_client(Request *request);

/* memory_share.c: bytes of bodies and answers that a thread keeps in memory, and for whom */
typedef struct MemoryShares MemoryShares;

/* NULL: no memory; for free(). */
extern MemoryShares *memory_share_open(size_t limit);
/* Hold so many bytes for the client with the key; false: no room, nothing has changed. */
extern bool memory_share_hold(MemoryShares *shares, MemoryHeld *held, uint32_t client,
							  size_t bytes);
/* Give back all that is held. */
extern void memory_share_end(MemoryShares *shares, MemoryHeld *held);

/* database.c */
extern void database_start_counting(HttpThread *thread, const char *file, const char *dataset);

/* web_access.c: what is asked of the database every second */
typedef struct WebAccess WebAccess;

/* A fact, by the name of the member of catalogue.web_access() */
typedef enum WebFact
{
	WEB_ORIGINS,  /* of web applications, with commas between */
	WEB_PATHS,	  /* that are public, with commas between */
	WEB_TITLE,	  /* of the catalogue */
	WEB_LEAD,	  /* what it is about */
	WEB_LANGUAGE, /* of its pictures and feeds where none is asked for */
	WEB_TRANSLATIONS, /* of title and sentence, as JSON: name, description and optionals as of a record */
	WEB_ACCENT,		  /* its colours: 24 hexadecimal digits */
	WEB_LOGO,		  /* the id of the organization whose image it is */
	WEB_CONTACT, /* address of mail */
	WEB_LEGAL,	 /* address of the legal notice */
	WEB_PAGES,	 /* that each page leads to, as JSON: id, slug, name, optionals */
	WEB_FACTS
} WebFact;

/* NULL: no memory. */
extern WebAccess *web_access_open(HttpThread *thread);
/* Query them again from time to time; to be called several times a second. */
extern void web_access_tick(WebAccess *access);
extern void web_access_close(WebAccess *access);
/* Empty where it has no value, or has not been queried yet. */
extern const char *web_access_fact(const HttpThread *thread, WebFact fact);

/* statistics_batch.c: entries of statistics; the functions accept NULL: statistics are off */
typedef struct StatisticsBatch StatisticsBatch;

/* NULL: no memory. */
extern StatisticsBatch *statistics_batch_open(HttpThread *thread);
/* If the clocks were compared each time, two instants could get the wrong order. */
extern int64_t statistics_batch_instant(StatisticsBatch *statistics, int64_t instant);
/* Begin an entry: the buffer for its line, NULL if there is no room; then end it. */
extern Buffer *statistics_batch_begin(StatisticsBatch *statistics);
extern void statistics_batch_end(StatisticsBatch *statistics);
/* An empty buffer, for use until the entry ends. */
extern Buffer *statistics_batch_scratch(StatisticsBatch *statistics);
/* To be called at the end of each turn of the loop, and several times a second. */
extern void statistics_batch_dispatch(StatisticsBatch *statistics);
extern void statistics_batch_tick(StatisticsBatch *statistics);
/* The thread stops: do not wait after failures any more. */
extern void statistics_batch_hurry(StatisticsBatch *statistics);
/* For the metrics: the connection; the numbers of entries that are not stored, and that were lost. */
extern const Database *statistics_batch_usage(const StatisticsBatch *statistics, int64_t *waiting,
											  int64_t *lost);
/* Are there entries that are not stored? */
extern bool statistics_batch_pending(const StatisticsBatch *statistics);
/* Free everything; entries that are not stored are lost, and their number is logged. */
extern void statistics_batch_close(StatisticsBatch *statistics);

#endif
