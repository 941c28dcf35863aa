/*
 * path.c
 *	  Dotted names in a request: relations and fields.
 */
#include "catalogue.h"

#include "query/query_internal.h"

/* Maximum number of parts of a dotted name. */
#define PATH_MAX_NAMES 4

/* Split a dotted name into a List of char *; a field's name that contains a dot is not split. */
List *
cat_path_split(const RequestParams *params, const char *name)
{
	return cat_registry_field(params->resource, name) ? list_make1(pstrdup(name))
													  : cat_query_string_split(name, '.');
}

/* Return the paths of a comma-separated list. */
List *
cat_path_list(const RequestParams *params, const char *value)
{
	List *paths = NIL;

	foreach_ptr(char, word, cat_query_string_split(value, ','))
	{
		List *path = cat_path_split(params, word);

		if (path)
			paths = lappend(paths, path);
	}
	return paths;
}

/*
 * Return the resource that a path leads to.  Raises OD403 if the caller's API key does not include
 * it.
 */
static Resource *
led_to(const RequestParams *params, const char *target)
{
	cat_consumer_require(params->actor, target);
	return cat_registry_resource(target);
}

/*
 * Return the visible relation of that exact name, or NULL.  cat_registry_relation() ignores case,
 * which holds for path segments only.
 */
static CatRelation *
relation_named(const RequestParams *params, Resource *resource, const char *name)
{
	CatRelation *relation = cat_registry_relation(resource, name);

	return relation && strcmp(relation->name, name) == 0 &&
				   cat_visibility_relation(relation, params->access)
			   ? relation
			   : NULL;
}

/* The resource that a name refers to, by whatever relation; NULL if there is none. */
static const char *
related(const RequestParams *params, Resource *resource, const char *name)
{
	CatRelation *relation = relation_named(params, resource, name);

	return relation ? relation->target : NULL;
}

/* The resource that a visible field refers to; NULL if there is none. */
static const char *
referenced(const RequestParams *params, Resource *resource, const char *name)
{
	Field *field = cat_registry_field(resource, name);

	return field && cat_visibility_field(field, params->access) ? field->reference : NULL;
}

/*
 * Return the resource that all names of a path but the last lead to, step by step; NULL if one
 * leads nowhere.
 */
static Resource *
follow(const RequestParams *params, List *path,
	   const char *(*step)(const RequestParams *params, Resource *resource, const char *name))
{
	Resource *resource = params->resource;
	ListCell *cell;

	if (path == NIL || list_length(path) > PATH_MAX_NAMES)
		return NULL;
	foreach(cell, path)
	{
		const char *target;

		if (!lnext(path, cell))
			break;
		target = step(params, resource, lfirst(cell));
		if (!target)
			return NULL;
		resource = led_to(params, target);
	}
	return resource;
}

/*
 * Return whether a list can be sorted by a path: a field of the resource, or of a record reached by
 * to-one relations only.
 */
bool
cat_path_sorts(const RequestParams *params, List *path)
{
	Resource *resource = follow(params, path, referenced);
	Field *field = resource ? cat_registry_field(resource, llast(path)) : NULL;

	return field && cat_visibility_field(field, params->access);
}

/* Return whether a name is a visible field or relation. */
bool
cat_path_starts(const RequestParams *params, Resource *resource, const char *name)
{
	Field *field = cat_registry_field(resource, name);

	return field ? cat_visibility_field(field, params->access)
				 : relation_named(params, resource, name) != NULL;
}

bool
cat_path_shows(const RequestParams *params, const char *name)
{
	const Field *field = cat_registry_field(params->resource, name);

	return cat_path_starts(params, params->resource, name) ||
		   (field && cat_selection_is_own(params->resource, field, params->actor));
}

/* Return the visible field that a path leads to; NULL if it leads to none. */
Field *
cat_path_field(const RequestParams *params, List *path)
{
	Resource *resource = follow(params, path, related);
	Field *field = resource ? cat_registry_field(resource, llast(path)) : NULL;

	return field && cat_visibility_field(field, params->access) ? field : NULL;
}

/* Cut the year off the end of the path of a date; false if it has none. */
bool
cat_path_take_year(const RequestParams *params, List **path)
{
	List *date;
	const Field *field;

	if (list_length(*path) < 2 || strcmp(llast(*path), YEAR) != 0)
		return false;
	date = list_copy_head(*path, list_length(*path) - 1);
	field = cat_path_field(params, date);
	if (!field || (field->kind != FIELD_DATE && field->kind != FIELD_DATETIME))
		return false;
	*path = date;
	return true;
}

/* Return the resource of the records that a path of relations leads to; NULL if it leads to none. */
Resource *
cat_path_target(const RequestParams *params, List *path)
{
	Resource *resource = follow(params, path, related);
	const char *target = resource ? related(params, resource, llast(path)) : NULL;

	return target ? led_to(params, target) : NULL;
}
