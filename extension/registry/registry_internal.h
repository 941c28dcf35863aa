/*
 * registry_internal.h
 *	  How a resource is read from the catalogs of PostgreSQL.
 */
#ifndef CATALOGUE_REGISTRY_REGISTRY_INTERNAL_H
#define CATALOGUE_REGISTRY_REGISTRY_INTERNAL_H

#include "catalogue.h"

/* What is read of a table. */
typedef enum Reading
{
	READING_RESOURCE, /* its row in catalogue.resource, or that of a resource */
	READING_FAULT,
	READING_FIELDS,
	READING_RELATIONS,
	READING_DEPENDENTS,
	READING_DEFINED_FIELDS,	   /* with what the row says of them */
	READING_DEFINED_RELATIONS, /* likewise */
	READINGS
} Reading;

/* registry_catalogs.c */

/* Read of a table; columns of the result are found by name.  name: a resource whose row is read. */
extern void cat_registry_read(Reading reading, Oid relid, const char *name);

/* registry_load.c */

extern Resource *cat_registry_load(const char *name, Oid relid, MemoryContext parent);

/* registry_names.c */

extern char *cat_name_of_table(Oid relid);
extern void cat_registry_set_kind(Field *field, const char *items, Oid oid);

/* registry_index.c */

extern void cat_registry_index_load(Resource *resource);
extern void cat_registry_index_load_relation(CatRelation *relation);
extern void cat_registry_index_load_history(Resource *resource);
extern void cat_registry_index_load_shortcuts(Resource *resource);

/* registry_lookup.c */

extern uint64 cat_registry_signature(const Resource *resource, const char *shown);

/* visibility.c */

extern void cat_visibility_load(Resource *resource, Datum shown);

#endif /* CATALOGUE_REGISTRY_REGISTRY_INTERNAL_H */
