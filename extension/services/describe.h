/*
 * describe.h
 *	  What the description of a resource has for all callers of an access level.
 */
#ifndef CATALOGUE_SERVICES_DESCRIBE_H
#define CATALOGUE_SERVICES_DESCRIBE_H

#include "catalogue.h"

/* describe_cache.c */

/* Empty the cache if anything that it depends on has changed; called before the other functions. */
extern void cat_describe_cache_begin(void);
/* The fields that a caller of an access level sees, with their properties, as a JSON object. */
extern const char *cat_describe_cache_fields(const Resource *resource, AccessLevel access);
/* The comment of the table; empty where it has none. */
extern const char *cat_describe_cache_about(const Resource *resource);

#endif /* CATALOGUE_SERVICES_DESCRIBE_H */
