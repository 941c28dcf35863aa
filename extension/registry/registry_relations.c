/*
 * registry_relations.c
 *	  Relations of a resource, from foreign keys: its own, those that refer to it, and join
 *	  tables.
 */
#include "catalogue.h"

#include "catalog/pg_collation_d.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

#include "base/base.h"
#include "registry/registry.h"
#include "registry/registry_internal.h"

/* Sort positions of relations; to-one relations come first, at the numbers of their columns. */
#define POSITION_MANY_TO_MANY 1000
#define POSITION_ONE_TO_MANY 2000

static CatRelation *
relation_over(RelationKind kind, const ForeignKey *key, const Exposed *target)
{
	CatRelation *relation = palloc0(sizeof(CatRelation));
	char *column = get_attname(key->table, key->column, false);

	relation->kind = kind;
	relation->target = pstrdup(target->name);
	relation->internal = target->closed;
	relation->via = cat_name_of_table(key->table);
	relation->via_oid = key->table;
	relation->near_name = column;
	relation->near = pstrdup(quote_identifier(column));
	relation->deletion = key->deletion;
	relation->owned = kind == RELATION_TO_ONE;
	relation->position = kind == RELATION_TO_ONE		? key->column
						 : kind == RELATION_ONE_TO_MANY ? POSITION_ONE_TO_MANY
														: POSITION_MANY_TO_MANY;
	relation->name = cat_name_camel(relation->owned ? column : cat_keys_relation(key));
	return relation;
}

/* Return the relation over a join table, from one of its keys to another. */
static CatRelation *
relation_across(const ForeignKey *key, const ForeignKey *other, const Definition *definition)
{
	CatRelation *relation =
		relation_over(RELATION_MANY_TO_MANY, key, cat_keys_exposed(definition, other->target));
	AttrNumber flag = cat_dependents_flag(key->table, relation->near_name);

	if (flag != InvalidAttrNumber)
		relation->flag = pstrdup(quote_identifier(get_attname(key->table, flag, false)));
	relation->far_name = get_attname(other->table, other->column, false);
	relation->far = pstrdup(quote_identifier(relation->far_name));
	relation->owned = key->column < other->column;
	if (relation->owned)
		relation->list_name = psprintf("%s_ids", cat_keys_relation(key));
	return relation;
}

/* Append the relations that a key makes for its target, if the key has a name for them. */
static List *
add_behind(List *relations, const ForeignKey *key, const Definition *definition)
{
	const Exposed *source = cat_keys_exposed(definition, key->table);
	ListCell *cell;

	if (!cat_keys_is_named(key))
		return relations;
	if (source)
		return lappend(relations, relation_over(RELATION_ONE_TO_MANY, key, source));
	foreach(cell, cat_keys_across(definition, key))
		relations = lappend(relations, relation_across(key, lfirst(cell), definition));
	return relations;
}

/* Return all relations of a resource, unsorted. */
static List *
find_relations(const Resource *resource, const Definition *definition)
{
	List *relations = NIL;
	ListCell *cell;

	foreach(cell, definition->keys)
	{
		const ForeignKey *key = lfirst(cell);
		const Exposed *target = NULL;

		if (key->table == resource->relid)
			target = cat_keys_exposed(definition, key->target);
		if (target)
			relations = lappend(relations, relation_over(RELATION_TO_ONE, key, target));
		if (key->target == resource->relid)
			relations = add_behind(relations, key, definition);
	}
	return relations;
}

static int
by_place(const ListCell *left, const ListCell *right)
{
	const CatRelation *one = lfirst(left);
	const CatRelation *two = lfirst(right);

	if (one->position != two->position)
		return one->position < two->position ? -1 : 1;
	return varstr_cmp(one->name, (int) strlen(one->name), two->name, (int) strlen(two->name),
					  DEFAULT_COLLATION_OID);
}

/* Add what the resource's row and its fields define of a relation. */
static void
complete(CatRelation *relation, Resource *resource, const Definition *definition)
{
	relation->resource = resource->name;
	relation->member = cat_definition_member(relation->name, &relation->member_length);
	if (relation->kind == RELATION_TO_ONE)
		relation->key = cat_registry_field(resource, relation->name);
	if (relation->list_name)
		relation->list = cat_registry_column(resource, relation->list_name);
	relation->required = cat_query_string_has_word(definition->at_least_one, relation->name);
	relation->condition = cat_definition_text(definition->conditions, relation->name);
	cat_registry_index_load_relation(relation);
}

/* Read the relations of a resource whose fields are loaded. */
void
cat_relations_load(Resource *resource, const Definition *definition)
{
	List *relations = find_relations(resource, definition);

	list_sort(relations, by_place);
	resource->nrelations = list_length(relations);
	resource->relations = palloc0(sizeof(CatRelation) * resource->nrelations);
	for (int i = 0; i < resource->nrelations; i++)
	{
		resource->relations[i] = *(const CatRelation *) list_nth(relations, i);
		complete(&resource->relations[i], resource, definition);
	}
}
