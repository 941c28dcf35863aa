/*
 * entry.h
 *	  The resources that a caller sees.
 */
#ifndef CATALOGUE_SERVICES_ENTRY_H
#define CATALOGUE_SERVICES_ENTRY_H

#include "catalogue.h"

/* describe.c */

/* OD422 for a name that is no resource which the actor may ask for. */
pg_noreturn extern void cat_entry_refuse_name(const Actor *actor, const char *parameter,
											  const char *name);

#endif /* CATALOGUE_SERVICES_ENTRY_H */
