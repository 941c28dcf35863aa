/*
 * facet.c
 *	  Facets of a list: which values' records are counted, as the query string says it.
 */
#include "catalogue.h"

#include "query/query_internal.h"
#include "query/terms.h"

/* Maximum numbers of facets of a request, and of the values of each. */
#define FACETS_MAX 16
#define VALUES_MAX 1000

/* Return whether records are counted by the values of a field. */
static bool
is_counted(const Field *field)
{
	switch (field->kind)
	{
		case FIELD_LIST:
			return is_counted(field->element);
		case FIELD_TEXT:
			return cat_registry_field_is_short(field);
		case FIELD_ENUM:
		case FIELD_BOOLEAN:
		case FIELD_INTEGER:
			return true;
		default:
			return false;
	}
}

/* Return the facet of a name, NULL if there is none. */
static Facet *
make_facet(const RequestParams *params, const char *name)
{
	Facet *facet = palloc0(sizeof(Facet));
	const Field *field;

	facet->name = name;
	facet->path = cat_path_split(params, name);
	facet->by_year = cat_path_take_year(params, &facet->path);
	facet->of_records = !facet->by_year && cat_path_target(params, facet->path) != NULL;
	if (facet->by_year || facet->of_records)
		return facet;
	field = cat_path_field(params, facet->path);
	return field && is_counted(field) ? facet : NULL;
}

/* Raise OD422 for a name; the hint has those of the resource that records are counted by. */
pg_noreturn static void
refuse_facet(const RequestParams *params, const char *name)
{
	const Resource *resource = params->resource;
	List *names = NIL;

	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];

		if (!cat_visibility_field(field, params->access))
			continue;
		if (field->kind == FIELD_DATE || field->kind == FIELD_DATETIME)
			names = lappend(names, psprintf("%s.%s", field->name, YEAR));
		else if (field->reference || is_counted(field))
			names = lappend(names, field->name);
	}
	for (int i = 0; i < resource->nrelations; i++)
		if (resource->relations[i].kind != RELATION_TO_ONE &&
			cat_visibility_relation(&resource->relations[i], params->access))
			names = lappend(names, resource->relations[i].name);
	cat_query_string_refuse(
		"facets", name, cat_query_string_hint(names, ", or such of related records, with a dot"));
}

static bool
has_facet(const RequestParams *params, const char *name)
{
	foreach_ptr(Facet, facet, params->facets)
		if (strcmp(facet->name, name) == 0)
			return true;
	return false;
}

/* Read the parameters "facets" and "facetLimit"; OD422 for a name that nothing is counted by. */
void
cat_facet_read(RequestParams *params, const char *value)
{
	foreach_ptr(char, word, cat_query_string_split(value, ','))
	{
		Facet *facet = make_facet(params, word);

		if (!facet)
			refuse_facet(params, word);
		if (!has_facet(params, facet->name))
			params->facets = lappend(params->facets, facet);
	}
	if (list_length(params->facets) > FACETS_MAX)
		ereport(ERROR, (errcode(OD422), errmsg("too many names in parameter \"facets\""),
						errhint("It takes at most %d.", FACETS_MAX)));
}

/* Read the parameter "facetLimit"; more than the maximum is the maximum. */
void
cat_facet_read_limit(RequestParams *params, const char *value)
{
	int64 limit = cat_request_params_count("facetLimit", value);

	params->facet_limit = limit == 0 ? FACET_LIMIT : (int) Min(limit, VALUES_MAX);
}

/*
 * Return whether a filter is on what a facet counts: on its field, on the records that it counts,
 * or on something of these records.
 */
static bool
is_own(const Facet *facet, const Filter *filter)
{
	ListCell *name;
	ListCell *other;

	if (list_length(filter->path) < list_length(facet->path))
		return false;
	forboth(name, facet->path, other, filter->path)
		if (strcmp(lfirst(name), lfirst(other)) != 0)
			return false;
	return true;
}

List *
cat_facet_filters(const RequestParams *params, const Facet *facet)
{
	List *filters = NIL;

	foreach_ptr(Filter, filter, params->filters)
		if (!is_own(facet, filter))
			filters = lappend(filters, filter);
	return filters;
}

/*
 * Return the values that the list is filtered by of those that a facet counts, List of char *; none of the kinds that
 * have a few values only, or write a value in several ways.
 */
List *
cat_facet_chosen(const RequestParams *params, const Facet *facet)
{
	const Field *field = facet->of_records ? NULL : cat_path_field(params, facet->path);
	List *chosen = NIL;

	if (field && !facet->by_year && (field->element ? field->element : field)->kind != FIELD_TEXT)
		return NIL;
	foreach_ptr(const Filter, filter, params->filters)
	{
		bool equal = filter->comparison == COMPARE_EQUAL || filter->comparison == COMPARE_EXACT;
		/* a relation to many records ends with their id */
		int length = list_length(filter->path) -
					 (facet->of_records && strcmp(llast(filter->path), "id") == 0 ? 1 : 0);

		if (!equal || filter->by_year != facet->by_year || length != list_length(facet->path) ||
			!is_own(facet, filter))
			continue;
		foreach_ptr(char, value, filter->values)
			if (value)
				chosen = lappend(chosen, value);
	}
	return chosen;
}
