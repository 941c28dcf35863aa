/*
 * seen.c
 *	  Which records a caller sees, as a condition in SQL and as a test of a row.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "utils/builtins.h"

#include "registry/registry.h"
#include "registry/registry_internal.h"

static bool
holds(const Condition *condition, HeapTuple tuple, TupleDesc desc)
{
	bool isnull;
	Datum value = heap_getattr(tuple, condition->field->attno, desc, &isnull);
	const text *found;

	if (condition->field->kind == FIELD_BOOLEAN)
		return (isnull ? condition->unknown : DatumGetBool(value)) == condition->wanted;
	if (isnull)
		return false;
	found = DatumGetTextPP(value);
	return VARSIZE_ANY_EXHDR(found) == strlen(condition->value) &&
		   memcmp(VARDATA_ANY(found), condition->value, VARSIZE_ANY_EXHDR(found)) == 0;
}

/*
 * Return SQL for the condition that the record of an alias, to which records belong, is one of those
 * that the caller sees something of.
 */
static const char *
reached(const Resource *resource, const char *alias, AccessLevel access)
{
	const Resource *parent = cat_registry_resource(resource->parent->target);
	const char *reader = quote_literal_cstr(cat_security_context_reader());
	const char *own = NULL;
	const char *near = NULL;

	if ((uint32) access & resource->own_right)
		own = cat_belonging_own(parent, alias, reader);
	if ((uint32) access & resource->near_right)
		near = cat_belonging_near(parent, alias, reader);
	return psprintf("(%s OR %s)", own ? own : "false", near ? near : "false");
}

/* Return whether a row is a record of the user of the call, or belongs to one that is reached. */
static bool
is_own(const Resource *resource, HeapTuple tuple, AccessLevel access)
{
	const Condition own = {.field = resource->owner, .value = cat_security_context_reader()};
	const Resource *parent;
	bool isnull;
	Datum key;

	if (!resource->parent || *own.value == '\0')
		return *own.value != '\0' && holds(&own, tuple, resource->desc);
	parent = cat_registry_resource(resource->parent->target);
	key = heap_getattr(tuple, resource->parent->key->attno, resource->desc, &isnull);
	cat_statement_read(psprintf("SELECT %s FROM %s t WHERE t.id = $1",
								reached(resource, "t", access), parent->table),
					   text_param(isnull ? NULL : TextDatumGetCString(key)));
	return SPI_processed == 1 && cat_result_bool(1);
}

/* Return whether a row meets the conditions of "shown", and the caller may read it. */
static bool
meets(const Resource *resource, HeapTuple tuple, AccessLevel access)
{
	if (cat_visibility_is_private(resource, access) ||
		(cat_visibility_is_limited(resource, access) && !is_own(resource, tuple, access)))
		return false;
	foreach_ptr(Condition, condition, resource->conditions[access_level(access)])
		if (!holds(condition, tuple, resource->desc))
			return false;
	return true;
}

bool
cat_seen_record(const Resource *resource, HeapTuple tuple, AccessLevel access)
{
	if (!heap_attisnull(tuple, resource->deleted_at, resource->desc) ||
		(access == ACCESS_OUTSIDER && resource->deactivates &&
		 !heap_attisnull(tuple, resource->deactivated_at, resource->desc)))
		return false;
	return meets(resource, tuple, access);
}

/* Return the SQL test of a boolean, which follows the column. */
static const char *
test_of(const Condition *condition)
{
	if (condition->unknown == condition->wanted)
		return condition->wanted ? " IS NOT FALSE" : " IS NOT TRUE";
	return condition->wanted ? " IS TRUE" : " IS FALSE";
}

/* Write, with AND before it, that the record of an alias is the user's, or belongs to one that is reached. */
static void
write_limit(StringInfo sql, const Resource *resource, const char *alias, AccessLevel access)
{
	if (resource->owner)
		appendStringInfo(sql, " AND %s.%s = %s", alias, resource->owner->quoted,
						 quote_literal_cstr(cat_security_context_reader()));
	else
		appendStringInfo(sql,
						 " AND EXISTS (SELECT FROM %s reached WHERE reached.id = %s.%s AND %s)",
						 cat_registry_resource(resource->parent->target)->table, alias,
						 resource->parent->near, reached(resource, "reached", access));
}

void
cat_seen_write_conditions(StringInfo sql, const Resource *resource, const char *alias,
						  AccessLevel access)
{
	if (cat_visibility_is_private(resource, access))
		appendStringInfoString(sql, " AND false");
	else if (cat_visibility_is_limited(resource, access))
		write_limit(sql, resource, alias, access);
	foreach_ptr(const Condition, condition, resource->conditions[access_level(access)])
	{
		appendStringInfo(sql, " AND %s.%s", alias, condition->field->quoted);
		if (condition->field->kind == FIELD_BOOLEAN)
			appendStringInfoString(sql, test_of(condition));
		else
			/* a literal, so that the planner can estimate its frequency */
			appendStringInfo(sql, " = %s", quote_literal_cstr(condition->value));
	}
}

void
cat_seen_write(StringInfo sql, const Resource *resource, const char *alias, AccessLevel access)
{
	appendStringInfo(sql, "%s.deleted_at IS NULL", alias);
	if (access == ACCESS_OUTSIDER && resource->deactivates)
		appendStringInfo(sql, " AND %s.deactivated_at IS NULL", alias);
	cat_seen_write_conditions(sql, resource, alias, access);
}

void
cat_seen_write_past(StringInfo sql, const Resource *resource, const char *alias, AccessLevel access)
{
	if (access != ACCESS_OUTSIDER && !cat_visibility_is_partial(resource, access))
		return;
	appendStringInfo(sql, " AND EXISTS (SELECT FROM %s present WHERE present.id = %s.id",
					 resource->table, alias);
	if (access == ACCESS_OUTSIDER)
	{
		appendStringInfoString(sql, " AND ");
		cat_seen_write(sql, resource, "present", access);
	}
	else
		cat_seen_write_conditions(sql, resource, "present", access);
	appendStringInfoChar(sql, ')');
}
