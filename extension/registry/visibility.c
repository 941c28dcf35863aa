/*
 * visibility.c
 *	  Visibility of records, fields and relations by access level: the predicate of all reads.
 *
 * It comes from the table and from catalogue.resource.shown, which is an argument of the table's call of
 * catalogue.expose() in sql/tables: that of datasets shows outsiders no drafts.  Nobody sees deleted
 * records; outsiders do not see deactivated ones, nor private resources, nor keys and relations that
 * lead to those.  A condition is written in SQL for statements, and tested on a row that was found by
 * its id (seen.c).
 *
 * Columns and records that catalogue.resource.closed names are shown to superadmins, and to users
 * whose role has the right to read them, by a rule (call/permission.c).  A right of own records is
 * one to those whose column "user", "created_by" or "owner" is the user of the call; without such a
 * column, to those that belong to a record of the user.  A right of near ones, which only the latter
 * have, is one to those that belong to a record of the user's organization.
 */
#include "catalogue.h"

#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "registry/registry.h"
#include "registry/registry_internal.h"

/* Members of "shown", and the highest access level that each restricts. */
static const struct
{
	const char *name;
	AccessLevel access;
} audiences[] = {{"outsiders", ACCESS_OUTSIDER}, {"internal", ACCESS_INTERNAL}};

/* Greatest number of resources of which a part is closed. */
#define RIGHTS_MAX 9

/* Names of those resources, in the order of their bits in an access level. */
static char closed_names[RIGHTS_MAX][NAMEDATALEN];

uint32
cat_visibility_right(const char *resource, CatReach reach)
{
	for (int i = 0; i < RIGHTS_MAX; i++)
	{
		if (closed_names[i][0] == '\0')
			strlcpy(closed_names[i], resource, NAMEDATALEN);
		if (strcmp(closed_names[i], resource) == 0)
			return (uint32) 1 << (2 + REACHES * i + reach);
	}
	ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					errmsg("a part of more than %d resources is closed", RIGHTS_MAX)));
}

/* Return whether a caller has one of the rights that something needs. */
static bool
has_right(AccessLevel access, uint32 closed)
{
	return closed == 0 || access_level(access) == ACCESS_ALL || ((uint32) access & closed) != 0;
}

static bool
is_boolean(const Field *field)
{
	return field->kind == FIELD_BOOLEAN;
}

/*
 * Return the condition on a column, NULL if there is no such column any more or its type does not
 * fit.
 */
static Condition *
condition_on(Resource *resource, const char *column, const char *value, bool unknown)
{
	const Field *field = column ? cat_registry_column(resource, column) : NULL;
	Condition *condition;

	if (!field || !value ||
		(!is_boolean(field) && field->kind != FIELD_TEXT && field->kind != FIELD_ID))
		return NULL;
	condition = palloc(sizeof(Condition));
	condition->field = field;
	condition->value = value;
	condition->wanted = strcmp(value, "true") == 0;
	condition->unknown = unknown;
	return condition;
}

/*
 * Add a condition for an access level; NULL, for a condition that is not understood, closes the
 * resource.
 *
 * Access levels nest: a restriction on users also applies to outsiders.
 */
static void
add_condition(Resource *resource, AccessLevel access, Condition *condition)
{
	for (int i = 0; i <= (int) access; i++)
	{
		resource->private[i] |= condition == NULL;
		if (condition)
			resource->conditions[i] = lappend(resource->conditions[i], condition);
	}
}

/* Return the text of a scalar, palloc'd or constant; NULL for null and for non-scalars. */
static char *
scalar_text(const JsonbValue *value)
{
	switch (value->type)
	{
		case jbvString:
			return pnstrdup(value->val.string.val, value->val.string.len);
		case jbvBool:
			return value->val.boolean ? "true" : "false";
		case jbvNumeric:
			return DatumGetCString(
				DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
		default:
			return NULL;
	}
}

static bool
is_object(const JsonbValue *value)
{
	return value->type == jbvBinary && JsonContainerIsObject(value->val.binary.data);
}

/* Return a member of an object, or NULL. */
static JsonbValue *
member_value(const JsonbValue *object, const char *name)
{
	JsonbValue key = {.type = jbvString,
					  .val.string = {(int) strlen(name), unconstify(char *, name)}};

	return findJsonbValueFromContainer(object->val.binary.data, JB_FOBJECT, &key);
}

/* Return the condition of a column and a JSON value: a scalar, {"not": ...} or {"shown": true}. */
static Condition *
condition_of(Resource *resource, const char *column, const JsonbValue *value)
{
	const JsonbValue *excluded;
	const char * not ;

	if (!is_object(value))
		return condition_on(resource, column, scalar_text(value), false);
	if (member_value(value, "shown"))
		column = psprintf("%s_shown", column);
	excluded = member_value(value, "not");
	not = excluded ? scalar_text(excluded) : NULL;
	return condition_on(resource, column, not &&strcmp(not, "true") == 0 ? "false" : "true",
						not &&strcmp(not, "false") == 0);
}

/* Add what is shown at an access level: false for nothing, or an object of columns. */
static void
add_conditions(Resource *resource, AccessLevel access, const JsonbValue *what)
{
	JsonbIterator *members;
	JsonbValue name, value;

	if (!is_object(what) || JsonContainerSize(what->val.binary.data) == 0)
	{
		add_condition(resource, access, NULL);
		return;
	}
	members = JsonbIteratorInit(what->val.binary.data);
	JsonbIteratorNext(&members, &name, true);
	while (JsonbIteratorNext(&members, &name, true) == WJB_KEY)
	{
		JsonbIteratorNext(&members, &value, true);
		add_condition(resource, access, condition_of(resource, scalar_text(&name), &value));
	}
}

/* Read the visibility of a resource from its column "shown"; the fields must be loaded. */
void
cat_visibility_load(Resource *resource, Datum shown)
{
	JsonbValue all = {.type = jbvBinary, .val.binary.data = &DatumGetJsonbP(shown)->root};

	for (size_t i = 0; is_object(&all) && i < lengthof(audiences); i++)
	{
		const JsonbValue *what = member_value(&all, audiences[i].name);

		if (what)
			add_conditions(resource, audiences[i].access, what);
	}
}

/* Find whose the records of a resource are that are closed, and the rights that open them. */
static void
close_records(Resource *resource)
{
	static const char *const owners[] = {"user", "created_by", "owner"};

	for (size_t i = 0; i < lengthof(owners) && !resource->owner; i++)
	{
		const Field *field = cat_registry_column(resource, owners[i]);

		if (field && field->reference && strcmp(field->reference, "users") == 0)
			resource->owner = field;
	}
	for (int i = 0; i < resource->nrelations && !resource->owner && !resource->parent; i++)
	{
		const CatRelation *relation = &resource->relations[i];

		if (relation->kind == RELATION_TO_ONE && relation->key->required &&
			relation->deletion == 'c')
			resource->parent = relation;
	}
	if (resource->owner || resource->parent)
		resource->own_right = cat_visibility_right(resource->name, REACH_OWN);
	if (resource->parent)
		resource->near_right = cat_visibility_right(resource->name, REACH_NEAR);
	resource->closed = resource->right | resource->own_right | resource->near_right;
}

/* Read what is closed of a resource; the fields must be loaded. */
void
cat_visibility_load_closed(Resource *resource, List *closed)
{
	if (closed == NIL)
		return;
	resource->right = cat_visibility_right(resource->name, REACH_ALL);
	if (cat_query_string_has_word(closed, CAT_CLOSED_RECORDS))
		close_records(resource);
	foreach_ptr(char, column, closed)
	{
		Field *field = cat_registry_column(resource, column);

		/* who sees some of the closed records only sees them whole */
		if (field)
			field->closed = resource->right | resource->closed;
	}
}

bool
cat_visibility_field(const Field *field, AccessLevel access)
{
	return !field->hidden && (access != ACCESS_OUTSIDER || !field->internal) &&
		   has_right(access, field->closed);
}

/* Return whether an access level sees what Resource.shown and Resource.lists have: no rights of the user add to it. */
static bool
is_without_rights(const Resource *resource, AccessLevel access)
{
	return !resource->closes || access == access_level(access) ||
		   access_level(access) == ACCESS_ALL;
}

Bitmapset *
cat_visibility_fields(const Resource *resource, AccessLevel access)
{
	Bitmapset *shown = NULL;

	if (is_without_rights(resource, access))
		return bms_copy(resource->shown[access_level(access)]);
	for (int i = 0; i < resource->nfields; i++)
		if (cat_visibility_field(&resource->fields[i], access))
			shown = bms_add_member(shown, i);
	return shown;
}

Bitmapset *
cat_visibility_lists(const Resource *resource, AccessLevel access)
{
	Bitmapset *shown = NULL;

	if (is_without_rights(resource, access))
		return bms_copy(resource->lists[access_level(access)]);
	for (int i = 0; i < resource->nrelations; i++)
		if (resource->relations[i].list && cat_visibility_relation(&resource->relations[i], access))
			shown = bms_add_member(shown, i);
	return shown;
}

bool
cat_visibility_relation(const CatRelation *relation, AccessLevel access)
{
	return (access != ACCESS_OUTSIDER || !relation->internal) &&
		   has_right(access, relation->closed);
}

bool
cat_visibility_is_private(const Resource *resource, AccessLevel access)
{
	return resource->private[access_level(access)] || !has_right(access, resource->closed);
}

bool
cat_visibility_is_limited(const Resource *resource, AccessLevel access)
{
	return resource->closed != 0 && !has_right(access, resource->right) &&
		   has_right(access, resource->closed);
}

uint32
cat_visibility_rights(const Resource *resource, AccessLevel access)
{
	return (uint32) access & (resource->right | resource->closed);
}

void
cat_visibility_require(const Resource *resource, AccessLevel access)
{
	if (resource->private[access_level(access)] ||
		(access == ACCESS_OUTSIDER && resource->closed != 0))
		ereport(ERROR, (errcode(OD404), errmsg("resource \"%s\" does not exist", resource->name)));
	if (!has_right(access, resource->closed))
		ereport(ERROR, (errcode(OD403), errmsg("your role may not read this %s", resource->model)));
}

bool
cat_visibility_is_keyed(const Resource *resource, AccessLevel access)
{
	foreach_ptr(Condition, condition, resource->conditions[access_level(access)])
	{
		const Field *field = condition->field;
		const CatRelation *relation =
			field->reference ? cat_registry_relation(unconstify(Resource *, resource), field->name)
							 : NULL;

		if (relation && OidIsValid(relation->here.index))
			return true;
	}
	return false;
}

bool
cat_visibility_restricts(const Resource *resource, AccessLevel access)
{
	return resource->conditions[access_level(access)] != NIL ||
		   (resource->closed != 0 && !has_right(access, resource->right));
}

bool
cat_visibility_is_partial(const Resource *resource, AccessLevel access)
{
	return cat_visibility_is_private(resource, access) ||
		   cat_visibility_restricts(resource, access) ||
		   (access == ACCESS_OUTSIDER && resource->deactivates);
}

bool
cat_visibility_is_flag(const Field *field)
{
	return field->domain && strcmp(field->domain, "shown") == 0;
}
