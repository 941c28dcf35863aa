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

/* Maximum length of the texts that are counted by their values. */
#define TEXT_MAX 250

/* What may be counted of a date, as the last part of a name. */
#define YEAR "year"

/* Cut the year off the end of the path of a date; false if it has none. */
static bool
take_year(const RequestParams *params, List **path)
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

/* Return whether records are counted by the values of a field. */
static bool
is_counted(const Field *field)
{
	switch (field->kind)
	{
		case FIELD_LIST:
			return is_counted(field->element);
		case FIELD_TEXT:
			return field->max > 0 && field->max <= TEXT_MAX;
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
	facet->by_year = take_year(params, &facet->path);
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
