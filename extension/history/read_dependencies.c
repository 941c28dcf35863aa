/*
 * read_dependencies.c
 *	  Resources that a read depends on.
 */
#include "catalogue.h"

#include "history/history.h"
#include "query/facet.h"
#include "query/query.h"
#include "query/sql_builder.h"
#include "registry/registry.h"

static List *
add(List *names, const Resource *resource)
{
	ListCell *cell;

	foreach(cell, names)
		if (strcmp(lfirst(cell), resource->name) == 0)
			return names;
	return lappend(names, resource->name);
}

/* Add the resources on a path. */
static List *
add_path(List *names, Resource *resource, List *path)
{
	ListCell *cell;

	foreach(cell, path)
	{
		CatRelation *relation = cat_registry_relation(resource, lfirst(cell));

		if (!relation || (!lnext(path, cell) && relation->kind == RELATION_TO_ONE))
			break;
		resource = cat_registry_resource(relation->target);
		names = add(names, resource);
	}
	return names;
}

static List *
add_embeds(List *names, const Selection *selection)
{
	ListCell *cell;

	foreach(cell, selection->embeds)
	{
		const Embed *embed = lfirst(cell);

		if (!embed->selection)
			continue;
		names = add(names, embed->selection->resource);
		names = add_embeds(names, embed->selection);
	}
	return names;
}

/* Add the resources that a facet leads through, and the one whose records it names. */
static List *
add_facet(List *names, Resource *resource, const Facet *facet)
{
	ListCell *cell;

	foreach(cell, facet->path)
	{
		CatRelation *relation = cat_registry_relation(resource, lfirst(cell));

		if (!relation || (!lnext(facet->path, cell) && !facet->of_records))
			break;
		resource = cat_registry_resource(relation->target);
		names = add(names, resource);
	}
	return names;
}

List *
cat_read_dependencies(const RequestParams *params, const Selection *selection, const Source *source)
{
	List *names = list_make1(params->resource->name);
	ListCell *cell;

	if (source->resource)
		names = add(names, source->resource);
	names = add_embeds(names, selection);
	if (cat_filter_is_whitelisted(params))
		names = add(names, cat_registry_resource("configs"));
	foreach(cell, params->filters)
		names = add_path(names, params->resource, ((Filter *) lfirst(cell))->path);
	foreach(cell, params->orders)
		names = add_path(names, params->resource, ((Order *) lfirst(cell))->path);
	foreach(cell, params->facets)
		names = add_facet(names, params->resource, lfirst(cell));
	return names;
}
