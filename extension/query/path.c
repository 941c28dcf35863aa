/*
 * path.c
 *	  Dotted names of a request: fields, and the relations that lead to them.
 */
#include "catalogue.h"

/* A dotted name of more parts than this is unknown. */
#define PATH_MAX_NAMES 4

/* The names of a dotted name; the name of a field is one, whatever it has in it. */
List *
cat_path_split(const RequestParams *params, const char *name)
{
	return cat_registry_field(params->resource, name) ? list_make1(pstrdup(name))
													  : cat_query_string_split(name, '.');
}

/* The paths of a comma-separated list. */
List *
cat_path_list(const RequestParams *params, const char *value)
{
	List *paths = NIL;
	ListCell *cell;

	foreach(cell, cat_query_string_split(value, ','))
	{
		List *path = cat_path_split(params, lfirst(cell));

		if (path)
			paths = lappend(paths, path);
	}
	return paths;
}

/* The resource that a path leads to; OD403 where the caller's key is not for it. */
static Resource *
led_to(const RequestParams *params, const char *target)
{
	cat_consumer_require(params->actor, target);
	return cat_registry_resource(target);
}

/* Own field, or a field of a record reached by to-one relations only. */
bool
cat_path_sorts(const RequestParams *params, List *path)
{
	Resource *resource = params->resource;
	ListCell *cell;

	if (list_length(path) > PATH_MAX_NAMES)
		return false;
	foreach(cell, path)
	{
		Field *field = cat_registry_field(resource, lfirst(cell));

		if (!field || !cat_visibility_field(field, params->sight))
			return false;
		if (!lnext(path, cell))
			return true;
		if (!field->reference)
			return false;
		resource = led_to(params, field->reference);
	}
	return false;
}

/*
 * A relation that may be seen, by its very name; only words of paths may be in any letter case.
 */
static CatRelation *
relation_named(const RequestParams *params, Resource *resource, const char *name)
{
	CatRelation *relation = cat_registry_relation(resource, name);

	return relation && strcmp(relation->name, name) == 0 &&
				   cat_visibility_relation(relation, params->sight)
			   ? relation
			   : NULL;
}

/* Whether a name is a field that may be seen, or a relation. */
bool
cat_path_starts(const RequestParams *params, Resource *resource, const char *name)
{
	Field *field = cat_registry_field(resource, name);

	return field ? cat_visibility_field(field, params->sight)
				 : relation_named(params, resource, name) != NULL;
}

/* Whether the names lead to a field that may be asked for, or to related records. */
bool
cat_path_filters(const RequestParams *params, List *path)
{
	Resource *resource = params->resource;
	ListCell *cell;

	if (list_length(path) > PATH_MAX_NAMES)
		return false;
	foreach(cell, path)
	{
		Field *field = cat_registry_field(resource, lfirst(cell));
		CatRelation *relation = relation_named(params, resource, lfirst(cell));

		if (field && !lnext(path, cell))
			return cat_visibility_field(field, params->sight);
		if (!relation)
			return false;
		resource = led_to(params, relation->target);
	}
	return path != NIL;
}
