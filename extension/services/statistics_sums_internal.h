/*
 * statistics_sums_internal.h
 *	  Numbers of the requests of a batch: used inside services/ only.
 */
#ifndef CATALOGUE_SERVICES_STATISTICS_SUMS_INTERNAL_H
#define CATALOGUE_SERVICES_STATISTICS_SUMS_INTERNAL_H

#include "catalogue.h"

#include "utils/hsearch.h"

#endif /* CATALOGUE_SERVICES_STATISTICS_SUMS_INTERNAL_H */
