/*
 * registry_lookup.c
 *	  Fields, relations and actions of a resource, and the hash of its definition.
 */
#include "catalogue.h"

#include "common/hashfn.h"

#include "registry/registry.h"
#include "registry/registry_internal.h"

/* Length of the longest texts that records are counted by. */
#define COUNTED_TEXT_MAX 250

/* A read-only resource has the paths of these actions, too. */
static const char *const changes[] = {"create", "update", "delete", "restore", "deactivate", NULL};

bool
cat_registry_actions_refuse(const Resource *resource, const char *action)
{
	return resource->read_only && cat_query_string_is_among(action, changes);
}

List *
cat_registry_actions_refused(const Resource *resource)
{
	return resource->read_only ? cat_query_string_words(changes) : NIL;
}

/*
 * ---- Hash of a resource's definition, which is part of entity tags ----
 *
 * A changed definition changes responses without a change of records.  The same holds if PostgreSQL
 * rewrites a table for another column type, or truncates it; its relfilenode changes then.
 */

static uint64
add_number(uint64 hash, uint64 number)
{
	return hash_bytes_extended((const unsigned char *) &number, sizeof(number), hash);
}

/* Add a text; NULL differs from an empty one. */
static uint64
add_text(uint64 hash, const char *text)
{
	if (!text)
		return add_number(hash, 0);
	return hash_bytes_extended((const unsigned char *) text, (int) strlen(text) + 1, hash);
}

static uint64
add_field(uint64 hash, const Field *field)
{
	hash = add_text(hash, field->name);
	hash = add_number(hash, field->attno);
	hash = add_number(hash, field->type_oid);
	hash = add_number(hash, field->hidden + 2 * field->internal + 4 * field->searchable +
								8 * (field->closed != 0));
	hash = add_text(hash, field->reference);
	foreach_ptr(char, label, field->labels)
		hash = add_text(hash, label);
	return add_number(hash, list_length(field->labels));
}

static uint64
add_relation(uint64 hash, const CatRelation *relation)
{
	hash = add_text(hash, relation->name);
	hash = add_text(hash, relation->target);
	hash = add_text(hash, relation->via);
	hash = add_text(hash, relation->near);
	hash = add_text(hash, relation->far);
	return add_number(hash, relation->kind + 4 * relation->internal + 8 * (relation->closed != 0));
}

/*
 * Return a hash that changes if other fields, relations or records are shown, or if they are shown
 * in another way.
 *
 * shown: value of that column of catalogue.resource.
 */
uint64
cat_registry_signature(const Resource *resource, const char *shown)
{
	uint64 hash =
		add_number(resource->storage, resource->newest_first + 2 * (resource->closed != 0));

	hash = add_text(hash, shown);
	for (int i = 0; i < resource->nfields; i++)
		hash = add_field(hash, &resource->fields[i]);
	for (int i = 0; i < resource->nrelations; i++)
		hash = add_relation(hash, &resource->relations[i]);
	return hash;
}

Field *
cat_registry_field(Resource *resource, const char *name)
{
	for (int i = 0; i < resource->nfields; i++)
		if (strcmp(resource->fields[i].name, name) == 0)
			return &resource->fields[i];
	return NULL;
}

bool
cat_registry_field_is_short(const Field *field)
{
	return field->kind == FIELD_TEXT && field->max > 0 && field->max <= COUNTED_TEXT_MAX;
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
