/*
 * selection.c
 *	  The selection of what is shown of a record.
 */
#include "catalogue.h"

#include "query/query_internal.h"

/* Return whether a field, although closed, is shown to a user of the own record among the users. */
bool
cat_selection_is_own(const Resource *resource, const Field *field, const Actor *actor)
{
	return field->closed & resource->right && !field->hidden && actor->user[0] != '\0' &&
		   strcmp(resource->name, "users") == 0;
}

/* Maximum depth of "include": a.b embeds b in a. */
#define EMBED_DEPTH 2

/*
 * Return whether a path can be embedded: relations, possibly followed by a field of the last one.
 */
bool
cat_selection_embeds(Resource *resource, List *path, AccessLevel access)
{
	ListCell *cell;

	foreach(cell, path)
	{
		const char *name = lfirst(cell);
		CatRelation *relation = cat_registry_relation(resource, name);
		Field *field = cat_registry_field(resource, name);
		int depth = foreach_current_index(cell);

		if (!relation && depth > 0 && !lnext(path, cell))
			return field && cat_visibility_field(field, access);
		if (!relation || strcmp(relation->name, name) != 0 || depth >= EMBED_DEPTH ||
			!cat_visibility_relation(relation, access))
			return false;
		resource = cat_registry_resource(relation->target);
	}
	return path != NIL;
}

static Selection *
select_none(Resource *resource, const Actor *actor)
{
	Selection *selection = palloc0(sizeof(Selection));

	selection->access = actor->access;
	selection->css = actor->css;
	selection->resource = resource;
	return selection;
}

static int
field_index(Resource *resource, const Field *field)
{
	return (int) (field - resource->fields);
}

static int
relation_index(Resource *resource, const CatRelation *relation)
{
	return (int) (relation - resource->relations);
}

static void
add_field(Selection *selection, const Field *field, const Actor *actor)
{
	if (cat_visibility_field(field, actor->access))
		selection->fields =
			bms_add_member(selection->fields, field_index(selection->resource, field));
}

/*
 * Select all fields, with references as ids, and the record's own many-to-many relations as lists
 * of ids.
 */
static Selection *
select_plain(Resource *resource, const Actor *actor)
{
	Selection *selection = select_none(resource, actor);

	selection->fields = cat_visibility_fields(resource, selection->access);
	selection->lists = cat_visibility_lists(resource, selection->access);
	return selection;
}

/* Return the embedding of a relation, or NULL. */
static Embed *
find_embed(const Selection *selection, const CatRelation *relation)
{
	foreach_ptr(Embed, embed, selection->embeds)
		if (embed->relation == relation)
			return embed;
	return NULL;
}

/* Return the embedding of a relation, which is added if necessary. */
static Embed *
embed_of(Selection *selection, CatRelation *relation)
{
	Embed *embed = find_embed(selection, relation);

	if (embed)
		return embed;
	embed = palloc0(sizeof(Embed));
	embed->relation = relation;
	selection->embeds = lappend(selection->embeds, embed);
	selection->lists =
		bms_del_member(selection->lists, relation_index(selection->resource, relation));
	return embed;
}

/*
 * Return whether a to-one relation is always shown as an id, because the caller's API key does not
 * include its target.
 */
static bool
stays_key(const CatRelation *relation, const Actor *actor)
{
	return relation->kind == RELATION_TO_ONE && !cat_consumer_may_ask(actor, relation->target);
}

static void
embed_all(Selection *selection, const Actor *actor)
{
	Resource *resource = selection->resource;

	for (int i = 0; i < resource->nrelations; i++)
	{
		CatRelation *relation = &resource->relations[i];
		Embed *embed;

		if (!cat_visibility_relation(relation, selection->access) || stays_key(relation, actor))
			continue;
		embed = embed_of(selection, relation);
		if (relation->kind == RELATION_TO_ONE)
			embed->selection = select_plain(cat_registry_resource(relation->target), actor);
	}
}

/* Return whether a name is one of the paths. */
static bool
is_named(List *paths, const char *name)
{
	foreach_ptr(List, path, paths)
		if (list_length(path) == 1 && strcmp(linitial(path), name) == 0)
			return true;
	return false;
}

/*
 * Select what is shown of the own record: the selected fields and those that are closed; fields: paths
 * that such a field must be among, NIL for all.
 */
static void
select_own(Selection *selection, List *fields, const Actor *actor)
{
	Resource *resource = selection->resource;

	selection->own = bms_copy(selection->fields);
	for (int i = 0; i < resource->nfields; i++)
		if (cat_selection_is_own(resource, &resource->fields[i], actor) &&
			(fields == NIL || is_named(fields, resource->fields[i].name)))
			selection->own = bms_add_member(selection->own, i);
}

static Selection *
select_all(Resource *resource, const Actor *actor, bool embedded)
{
	Selection *selection = select_plain(resource, actor);

	if (embedded)
		embed_all(selection, actor);
	return selection;
}

Selection *
cat_selection_all(Resource *resource, const Actor *actor, bool embedded)
{
	Selection *selection = select_all(resource, actor, embedded);

	select_own(selection, NIL, actor);
	return selection;
}

/* Raise OD400 for a path; the hint names the relations of the resource. */
pg_noreturn static void
refuse_include(const RequestParams *params, List *path)
{
	const Resource *resource = params->resource;
	StringInfo name = makeStringInfo();
	List *names = NIL;

	foreach_ptr(char, word, path)
		appendStringInfo(name, "%s%s", name->len ? "." : "", word);
	for (int i = 0; i < resource->nrelations; i++)
		if (cat_visibility_relation(&resource->relations[i], params->access))
			names = lappend(names, resource->relations[i].name);
	ereport(ERROR, (errcode(OD400), errmsg("cannot include \"%s\"", name->data),
					errhint("%s", cat_query_string_hint(
									  names, ", or their fields and relations, with a dot"))));
}

/*
 * Embed a path that cat_selection_embeds() accepts.
 *
 * If the path ends with a field, only that field and the id are shown.
 */
static void
include_path(Selection *selection, List *path, int from, const Actor *actor)
{
	CatRelation *relation = cat_registry_relation(selection->resource, list_nth(path, from));
	Resource *target = cat_registry_resource(relation->target);
	Embed *embed = embed_of(selection, relation);
	const char *next;

	cat_consumer_require(actor, target->name);
	/* the embedded record replaces the key in the output */
	if (relation->kind == RELATION_TO_ONE)
		selection->fields =
			bms_add_member(selection->fields,
						   field_index(selection->resource,
									   cat_registry_field(selection->resource, relation->name)));
	if (from + 1 == list_length(path))
	{
		embed->selection = select_plain(target, actor);
		return;
	}
	next = list_nth(path, from + 1);
	if (cat_registry_relation(target, next))
	{
		if (!embed->selection)
			embed->selection = select_plain(target, actor);
		include_path(embed->selection, path, from + 1, actor);
		return;
	}
	if (!embed->selection)
		embed->selection = select_none(target, actor);
	add_field(embed->selection, cat_registry_field(target, "id"), actor);
	add_field(embed->selection, cat_registry_field(target, next), actor);
}

/* Select a path of "fields": a field, a many-to-many relation's ids, or an embedded relation. */
static void
pick_path(Selection *selection, List *path, const Actor *actor)
{
	Resource *resource = selection->resource;
	Field *field = cat_registry_field(resource, linitial(path));
	CatRelation *relation = cat_registry_relation(resource, linitial(path));

	if (list_length(path) == 1 && field)
		add_field(selection, field, actor);
	else if (list_length(path) > 1 || !relation->list)
		include_path(selection, path, 0, actor);
	else if (!find_embed(selection, relation))
		selection->lists = bms_add_member(selection->lists, relation_index(resource, relation));
}

/* Embed the records of the selected to-one keys. */
static void
embed_picked(Selection *selection, const Actor *actor)
{
	Resource *resource = selection->resource;

	for (int i = -1; (i = bms_next_member(selection->fields, i)) >= 0;)
	{
		CatRelation *relation = cat_registry_relation(resource, resource->fields[i].name);
		Embed *embed;

		if (!resource->fields[i].reference || stays_key(relation, actor))
			continue;
		embed = embed_of(selection, relation);
		if (!embed->selection)
			embed->selection = select_plain(cat_registry_resource(embed->relation->target), actor);
	}
}

Selection *
cat_selection_params(const RequestParams *params, const Actor *actor, bool embedded)
{
	Selection *selection = select_none(params->resource, actor);

	if (!params->partial)
		selection = select_all(params->resource, actor, embedded);
	else
		add_field(selection, cat_registry_field(params->resource, "id"), actor);
	selection->embedded = embedded;
	foreach_ptr(List, field, params->fields)
		pick_path(selection, field, actor);
	if (params->partial && embedded)
		embed_picked(selection, actor);
	foreach_ptr(List, include, params->includes)
	{
		if (!cat_selection_embeds(params->resource, include, params->access))
			refuse_include(params, include);
		include_path(selection, include, 0, actor);
	}
	if (!params->partial || params->fields != NIL)
		select_own(selection, params->fields, actor);
	return selection;
}
