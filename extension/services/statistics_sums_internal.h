/*
 * statistics_sums_internal.h
 *	  Numbers of the requests of a batch: used inside services/ only.
 */
#ifndef CATALOGUE_SERVICES_STATISTICS_SUMS_INTERNAL_H
#define CATALOGUE_SERVICES_STATISTICS_SUMS_INTERNAL_H

#include "catalogue.h"

#include "utils/hsearch.h"

/* statistics_sums.c */

/* Begin to count, in the current memory context. */
extern HTAB *cat_statistics_sums_begin(void);
/* Count a request. */
extern void cat_statistics_sums_add(HTAB *sums, TimestampTz instant, const char *method,
									const char *resource, const char *client);
extern void cat_statistics_sums_store(HTAB *sums);

#endif /* CATALOGUE_SERVICES_STATISTICS_SUMS_INTERNAL_H */
