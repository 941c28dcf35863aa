/*
 * ignored.c
 *	  Names in a query or a body that mean nothing: they change nothing and are told, or are
 *	  faults where the caller asks for strict handling.
 */
#include "catalogue.h"

/* Keep a name that means nothing here, once. */
void
params_ignore(Params *params, const char *name)
{
	if (!words_have(params->ignored, name))
		params->ignored = lappend(params->ignored, pstrdup(name));
}

/* Names as a JSON array, NULL where there are none. */
char *
ignored_json(List *names)
{
	StringInfoData out;
	ListCell *cell;

	if (names == NIL)
		return NULL;
	initStringInfo(&out);
	foreach(cell, names)
	{
		appendStringInfoChar(&out, out.len ? ',' : '[');
		json_string(&out, lfirst(cell));
	}
	appendStringInfoChar(&out, ']');
	return out.data;
}

/* The ignored names as a JSON array, NULL where there are none. */
char *
params_ignored(const Params *params)
{
	return ignored_json(params->ignored);
}

/*
 * The names of members that are not known, as a JSON array, NULL where there are none: faults where
 * the function's argument of that number asks for strict handling.
 */
char *
members_ignored(FunctionCallInfo fcinfo, int strict, List *members, List *known, List **faults)
{
	bool refused = !PG_ARGISNULL(strict) && PG_GETARG_BOOL(strict);
	List *ignored = NIL;
	ListCell *cell;

	foreach(cell, members)
	{
		char *name = ((Member *) lfirst(cell))->name;

		if (words_have(known, name))
			continue;
		ignored = lappend(ignored, name);
		if (refused)
			nearest_fault(faults, name, nearest_name(known, name));
	}
	return ignored_json(ignored);
}

/* The names that a filter or "fields" may begin with. */
static List *
names_within(const Params *params, Resource *resource)
{
	List *names = NIL;

	for (int i = 0; i < resource->nfields; i++)
		if (path_starts(params, resource, resource->fields[i].name))
			names = lappend(names, resource->fields[i].name);
	for (int i = 0; i < resource->nrelations; i++)
		if (path_starts(params, resource, resource->relations[i].name))
			names = lappend(names, resource->relations[i].name);
	return names;
}

/* What a dotted name may be meant for: its first part that is wrong is replaced. */
static const char *
nearest_path(const Params *params, Resource *resource, const char *name, List *words)
{
	List *names = list_concat(words, names_within(params, resource));
	const char *dot = strchr(name, '.');
	char *head = dot ? pnstrdup(name, dot - name) : pstrdup(name);
	CatRelation *relation =
		dot && words_have(names, head) ? registry_relation(resource, head) : NULL;
	const char *nearest;

	if (relation && consumer_may_ask(params->actor, relation->target))
	{
		nearest = nearest_path(params, registry_resource(relation->target), dot + 1, NIL);
		return nearest ? psprintf("%s.%s", head, nearest) : NULL;
	}
	nearest = nearest_name(names, head);
	return nearest && dot ? psprintf("%s%s", nearest, dot) : nearest;
}

/* OD422 for names that mean nothing, where the caller asks for strict handling. */
void
params_require_known(const Params *params)
{
	List *faults = NIL;
	ListCell *cell;

	if (!params->actor->strict || params->ignored == NIL)
		return;
	foreach(cell, params->ignored)
	{
		char *bare = pstrdup(lfirst(cell));
		const char *comparison = params_cut_operator(bare);
		const char *nearest = nearest_path(params, params->resource, bare, params_words());

		nearest_fault(&faults, lfirst(cell),
					  nearest && *comparison ? psprintf("%s[%s]", nearest, comparison) : nearest);
	}
	fault_raise_parameters(faults);
}

/* OD422 for ignored names, with the nearest of the known names, where handling is strict. */
void
ignored_require_known(const Actor *actor, List *ignored, List *names)
{
	List *faults = NIL;
	ListCell *cell;

	if (!actor->strict || ignored == NIL)
		return;
	foreach(cell, ignored)
		nearest_fault(&faults, lfirst(cell), nearest_name(names, lfirst(cell)));
	fault_raise_parameters(faults);
}
