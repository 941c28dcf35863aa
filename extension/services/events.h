/*
 * events.h
 *	  Places in the order of change events.
 */
#ifndef CATALOGUE_SERVICES_EVENTS_H
#define CATALOGUE_SERVICES_EVENTS_H

#include "catalogue.h"

/* The newest commit before which everything is visible to the active snapshot, 0 for none. */
extern int64 cat_events_head(void);
/* Append a place, behind a log record of a commit, as a JSON string. */
extern void cat_events_place(StringInfo out, int64 commit, const char *log);

#endif /* CATALOGUE_SERVICES_EVENTS_H */
