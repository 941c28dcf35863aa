/*
 * ignored.c
 *	  Unknown names in a query or a body, which are ignored and reported, or refused under
 *	  strict handling.
 */
#include "catalogue.h"

#include "access/xact.h"
#include "miscadmin.h"

#include "base/body.h"
#include "query/query_internal.h"

void
cat_ignored_add(RequestParams *params, const char *name)
{
	if (!cat_query_string_has_word(params->ignored, name))
		params->ignored = lappend(params->ignored, pstrdup(name));
}

char *
cat_ignored_json(List *names)
{
	return names == NIL ? NULL : cat_json_array(names);
}

/* Return the ignored names as a JSON array, NULL if there are none. */
char *
cat_ignored_of_params(const RequestParams *params)
{
	return cat_ignored_json(params->ignored);
}

void
cat_ignored_note(List **ignored, const char *name)
{
	if (list_length(*ignored) < FAULTS_MAX && !cat_query_string_has_word(*ignored, name))
		*ignored = lappend(*ignored, pstrdup(name));
}

List *
cat_ignored_members(List *members, List *known, bool strict, List **errors)
{
	List *ignored = NIL;

	foreach_ptr(Member, member, members)
	{
		char *name = member->name;

		CHECK_FOR_INTERRUPTS();
		if (cat_query_string_has_word(known, name))
			continue;
		cat_ignored_note(&ignored, name);
		if (strict)
			cat_nearest_member_error(errors, known, name);
	}
	return ignored;
}

char *
cat_ignored_of_members(FunctionCallInfo fcinfo, int strict, List *members, List *known,
					   List **errors)
{
	bool refused = !PG_ARGISNULL(strict) && PG_GETARG_BOOL(strict);

	return cat_ignored_json(cat_ignored_members(members, known, refused, errors));
}

/* Return the names that a filter or "fields" may begin with. */
static List *
names_within(const RequestParams *params, Resource *resource)
{
	List *names = NIL;

	for (int i = 0; i < resource->nfields; i++)
		if (cat_path_starts(params, resource, resource->fields[i].name))
			names = lappend(names, resource->fields[i].name);
	for (int i = 0; i < resource->nrelations; i++)
		if (cat_path_starts(params, resource, resource->relations[i].name))
			names = lappend(names, resource->relations[i].name);
	return names;
}

/* Return a suggestion for a dotted name, with its first unknown part replaced; or NULL. */
static const char *
nearest_path(const RequestParams *params, Resource *resource, const char *name, List *words)
{
	List *names = list_concat(words, names_within(params, resource));
	const char *dot = strchr(name, '.');
	char *head = dot ? pnstrdup(name, dot - name) : pstrdup(name);
	CatRelation *relation = dot && cat_query_string_has_word(names, head)
								? cat_registry_relation(resource, head)
								: NULL;
	const char *nearest;

	if (relation && cat_consumer_may_ask(params->actor, relation->target))
	{
		nearest = nearest_path(params, cat_registry_resource(relation->target), dot + 1, NIL);
		return nearest ? psprintf("%s.%s", head, nearest) : NULL;
	}
	nearest = cat_nearest_name(names, head);
	return nearest && dot ? psprintf("%s%s", nearest, dot) : nearest;
}

void
cat_ignored_require_known_params(const RequestParams *params)
{
	List *errors = NIL;

	if (!params->actor->strict || params->ignored == NIL)
		return;
	foreach_ptr(char, word, params->ignored)
	{
		char *bare = pstrdup(word);
		Comparison comparison = cat_comparison_cut(bare);
		const char *nearest =
			nearest_path(params, params->resource, bare, cat_request_params_known());

		cat_nearest_error(&errors, word, nearest ? cat_comparison_name(nearest, comparison) : NULL);
	}
	cat_validation_error_raise_parameters(errors);
}

void
cat_ignored_require_known(const Actor *actor, List *ignored, List *names)
{
	List *errors = NIL;

	if (!actor->strict || ignored == NIL)
		return;
	foreach_ptr(char, word, ignored)
		cat_nearest_error(&errors, word, cat_nearest_name(names, word));
	cat_validation_error_raise_parameters(errors);
}
