/*
 * belonging.c
 *	  Whose a record is: the user's who created or owns it, and the organization's of its key, else of
 *	  its creator.
 *
 * A closed record without a column for a user is whose the record is that it belongs to: a question
 * is its dataset's (Resource.parent).
 */
#include "catalogue.h"

#include "registry/registry.h"

/* Alias of the record that one belongs to. */
#define PARENT "whose"

/* Return SQL for an expression on the record that the record of an alias belongs to. */
static const char *
of_parent(const Resource *resource, const char *alias, const char *expression)
{
	const CatRelation *key = resource->parent;

	return psprintf("(SELECT %s FROM %s " PARENT " WHERE " PARENT ".id = %s.%s)", expression,
					cat_registry_resource(key->target)->table, alias, key->near);
}

const char *
cat_belonging_own(const Resource *resource, const char *alias, const char *user)
{
	static const char *const keys[] = {"created_by", "owner", NULL};
	StringInfoData sql;

	if (strcmp(resource->name, "users") == 0)
		return psprintf("%s.id = %s", alias, user);
	if (resource->parent)
	{
		const char *own =
			cat_belonging_own(cat_registry_resource(resource->parent->target), PARENT, user);

		return own ? of_parent(resource, alias, own) : NULL;
	}
	initStringInfo(&sql);
	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];

		if (field->reference && strcmp(field->reference, "users") == 0 &&
			cat_query_string_is_among(field->column, keys))
			appendStringInfo(&sql, "%s%s.%s IS NOT DISTINCT FROM %s", sql.len ? " OR " : "", alias,
							 field->quoted, user);
	}
	return sql.len ? sql.data : NULL;
}

const char *
cat_belonging_organization(const Resource *resource, const char *alias)
{
	if (strcmp(resource->name, "organizations") == 0)
		return psprintf("%s.id", alias);
	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];

		if (field->reference && strcmp(field->reference, "organizations") == 0)
			return psprintf("%s.%s", alias, field->quoted);
	}
	if (resource->parent)
	{
		const char *organization =
			cat_belonging_organization(cat_registry_resource(resource->parent->target), PARENT);

		return organization ? of_parent(resource, alias, organization) : NULL;
	}
	if (cat_registry_column(unconstify(Resource *, resource), "created_by"))
		return psprintf("(SELECT c.organization FROM catalogue.users c WHERE c.id = %s.created_by)",
						alias);
	return NULL;
}

const char *
cat_belonging_near(const Resource *resource, const char *alias, const char *user)
{
	const char *organization = cat_belonging_organization(resource, alias);

	return psprintf("coalesce(%s = (SELECT u.organization FROM catalogue.users u WHERE u.id = %s), "
					"false)",
					organization ? organization : "NULL", user);
}
