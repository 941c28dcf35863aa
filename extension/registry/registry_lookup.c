/*
 * registry_lookup.c
 *	  Fields and relations of a resource by name.
 */
#include "catalogue.h"

#include "registry/registry.h"

Field *
cat_registry_field(Resource *resource, const char *name)
{
	for (int i = 0; i < resource->nfields; i++)
		if (strcmp(resource->fields[i].name, name) == 0)
			return &resource->fields[i];
	return NULL;
}

Field *
cat_registry_column(Resource *resource, const char *column)
{
	for (int i = 0; i < resource->nfields; i++)
		if (strcmp(resource->fields[i].column, column) == 0)
			return &resource->fields[i];
	return NULL;
}

CatRelation *
cat_registry_relation(Resource *resource, const char *name)
{
	for (int i = 0; i < resource->nrelations; i++)
		if (pg_strcasecmp(resource->relations[i].name, name) == 0)
			return &resource->relations[i];
	return NULL;
}
