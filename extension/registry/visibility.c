/*
 * visibility.c
 *	  What of a resource a kind of caller sees: the one predicate of all reads.
 *
 * It comes from catalogue.resource.shown and from the table: records that were
 * deleted are seen by nobody, deactivated ones by no outsider; an outsider
 * does not learn of a resource that shows him nothing, nor of keys and
 * relations that lead there.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

/* A record is seen only where a column has this value. */
typedef struct Condition
{
	const Field *field; /* a boolean or a text */
	const char *value;	/* of a text */
	bool wanted;		/* of a boolean */
	bool unknown;		/* what null of a boolean counts as */
} Condition;

/* Whom a member of "shown" is about: all up to this sight. */
static const struct
{
	const char *name;
	AccessLevel sight;
} audiences[] = {{"outsiders", ACCESS_OUTSIDER}, {"internal", ACCESS_INTERNAL}};

static bool
is_boolean(const Field *field)
{
	return field->kind == FIELD_BOOLEAN;
}

/* The condition on a column, NULL where there is no such column any more. */
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
 * Take a condition for callers of a sight, NULL for one that cannot be understood: that lets
 * nothing be seen.
 *
 * A caller sees what those with less sight do, so the conditions of more sight hold for less too.
 */
static void
add_condition(Resource *resource, AccessLevel sight, Condition *condition)
{
	for (int i = 0; i <= (int) sight; i++)
	{
		resource->closed[i] |= condition == NULL;
		if (condition)
			resource->conditions[i] = lappend(resource->conditions[i], condition);
	}
}

/* The text of a scalar, palloc'd; NULL of null and of what is no scalar. */
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

/* A member of an object, NULL where there is none. */
static JsonbValue *
member_value(const JsonbValue *object, const char *name)
{
	JsonbValue key = {.type = jbvString,
					  .val.string = {(int) strlen(name), unconstify(char *, name)}};

	return findJsonbValueFromContainer(object->val.binary.data, JB_FOBJECT, &key);
}

/* The condition that a column must meet this value: a scalar, or {"not": ...} or {"shown": true}.
 */
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

/* Take what callers of a sight are shown: false for nothing, or an object of columns. */
static void
add_conditions(Resource *resource, AccessLevel sight, const JsonbValue *what)
{
	JsonbIterator *members;
	JsonbValue name, value;

	if (!is_object(what) || JsonContainerSize(what->val.binary.data) == 0)
	{
		add_condition(resource, sight, NULL);
		return;
	}
	members = JsonbIteratorInit(what->val.binary.data);
	JsonbIteratorNext(&members, &name, true);
	while (JsonbIteratorNext(&members, &name, true) == WJB_KEY)
	{
		JsonbIteratorNext(&members, &value, true);
		add_condition(resource, sight, condition_of(resource, scalar_text(&name), &value));
	}
}

/* Read what is shown of a resource, that column of catalogue.resource; its fields are there. */
void
cat_visibility_load(Resource *resource, Datum shown)
{
	JsonbValue all = {.type = jbvBinary, .val.binary.data = &DatumGetJsonbP(shown)->root};

	for (size_t i = 0; is_object(&all) && i < lengthof(audiences); i++)
	{
		const JsonbValue *what = member_value(&all, audiences[i].name);

		if (what)
			add_conditions(resource, audiences[i].sight, what);
	}
}

/* Whether a field may be seen, and asked for, at all. */
bool
cat_visibility_field(const Field *field, AccessLevel sight)
{
	return !field->hidden && (sight != ACCESS_OUTSIDER || !field->internal);
}

/* Whether a relation may be seen, and asked for. */
bool
cat_visibility_relation(const CatRelation *relation, AccessLevel sight)
{
	return sight != ACCESS_OUTSIDER || !relation->internal;
}

/* OD404 where a resource shows nothing, as if it did not exist. */
void
cat_visibility_require(const Resource *resource, AccessLevel sight)
{
	if (resource->closed[sight])
		ereport(ERROR, (errcode(OD404), errmsg("resource \"%s\" does not exist", resource->name)));
}

static bool
holds(const Condition *condition, HeapTuple tuple, TupleDesc desc)
{
	bool isnull;
	Datum value = heap_getattr(tuple, condition->field->attno, desc, &isnull);
	const text *found;

	if (is_boolean(condition->field))
		return (isnull ? condition->unknown : DatumGetBool(value)) == condition->wanted;
	if (isnull)
		return false;
	found = DatumGetTextPP(value);
	return VARSIZE_ANY_EXHDR(found) == strlen(condition->value) &&
		   memcmp(VARDATA_ANY(found), condition->value, VARSIZE_ANY_EXHDR(found)) == 0;
}

/* Whether a row meets the conditions of "shown". */
static bool
meets(const Resource *resource, HeapTuple tuple, AccessLevel sight)
{
	ListCell *cell;

	if (resource->closed[sight])
		return false;
	foreach(cell, resource->conditions[sight])
		if (!holds(lfirst(cell), tuple, resource->desc))
			return false;
	return true;
}

/* Whether a record, a row of the resource's table, is to be seen; cat_visibility_write() says so in
 * SQL. */
bool
cat_visibility_record(const Resource *resource, HeapTuple tuple, AccessLevel sight)
{
	if (!heap_attisnull(tuple, resource->deleted_at, resource->desc) ||
		(sight == ACCESS_OUTSIDER && resource->deactivates &&
		 !heap_attisnull(tuple, resource->deactivated_at, resource->desc)))
		return false;
	return meets(resource, tuple, sight);
}

/*
 * Whether states of the past may be seen of a record whose row is this one now;
 * cat_visibility_write_past() says so in SQL.
 *
 * An outsider sees states of what he sees today, a user also those of what was deleted since.
 */
bool
cat_visibility_past(const Resource *resource, HeapTuple present, AccessLevel sight)
{
	return sight == ACCESS_OUTSIDER ? cat_visibility_record(resource, present, sight)
									: meets(resource, present, sight);
}

/* The test of a boolean in SQL, behind the column. */
static const char *
test_of(const Condition *condition)
{
	if (condition->unknown == condition->wanted)
		return condition->wanted ? " IS NOT FALSE" : " IS NOT TRUE";
	return condition->wanted ? " IS TRUE" : " IS FALSE";
}

/* Write the conditions of "shown" on the record of an alias, each with AND before it. */
void
cat_visibility_write_conditions(StringInfo sql, const Resource *resource, const char *alias,
								AccessLevel sight)
{
	ListCell *cell;

	if (resource->closed[sight])
		appendStringInfoString(sql, " AND false");
	foreach(cell, resource->conditions[sight])
	{
		const Condition *condition = lfirst(cell);

		appendStringInfo(sql, " AND %s.%s", alias, condition->field->quoted);
		if (is_boolean(condition->field))
			appendStringInfoString(sql, test_of(condition));
		else
			/* in the text, so that the planner knows how many records have it */
			appendStringInfo(sql, " = %s", quote_literal_cstr(condition->value));
	}
}

/* Write the condition that the record of an alias is to be seen. */
void
cat_visibility_write(StringInfo sql, const Resource *resource, const char *alias, AccessLevel sight)
{
	appendStringInfo(sql, "%s.deleted_at IS NULL", alias);
	if (sight == ACCESS_OUTSIDER && resource->deactivates)
		appendStringInfo(sql, " AND %s.deactivated_at IS NULL", alias);
	cat_visibility_write_conditions(sql, resource, alias, sight);
}

/*
 * Write the condition, with AND before it, that states of the past may be seen of the record whose
 * id is in an alias of its history.
 */
void
cat_visibility_write_past(StringInfo sql, const Resource *resource, const char *alias,
						  AccessLevel sight)
{
	if (sight != ACCESS_OUTSIDER && !cat_visibility_is_partial(resource, sight))
		return;
	appendStringInfo(sql, " AND EXISTS (SELECT FROM %s present WHERE present.id = %s.id",
					 resource->table, alias);
	if (sight == ACCESS_OUTSIDER)
	{
		appendStringInfoString(sql, " AND ");
		cat_visibility_write(sql, resource, "present", sight);
	}
	else
		cat_visibility_write_conditions(sql, resource, "present", sight);
	appendStringInfoChar(sql, ')');
}

/*
 * The index that leads, by the key that is set, to the records that are seen and to few others;
 * NULL where there is none.
 */
const KeyIndex *
cat_visibility_lead(const Resource *resource, AccessLevel sight, Datum *key)
{
	ListCell *cell;

	foreach(cell, resource->conditions[sight])
	{
		const Condition *condition = lfirst(cell);
		const CatRelation *relation =
			condition->field->reference
				? cat_registry_relation(unconstify(Resource *, resource), condition->field->name)
				: NULL;

		if (!relation || !OidIsValid(relation->here.index))
			continue;
		*key = CStringGetTextDatum(condition->value);
		return &relation->here;
	}
	return NULL;
}

/* Whether there may be living records of a resource that a caller of that sight does not see. */
bool
cat_visibility_is_partial(const Resource *resource, AccessLevel sight)
{
	return resource->closed[sight] || resource->conditions[sight] != NIL ||
		   (sight == ACCESS_OUTSIDER && resource->deactivates);
}

/* Whether the number of the records that are seen is kept. */
bool
cat_visibility_is_counted(const Resource *resource, AccessLevel sight)
{
	return sight == ACCESS_OUTSIDER || resource->conditions[sight] == NIL;
}

/* Whether a field is a flag that follows what outsiders see of another record (shown.c). */
bool
cat_visibility_is_flag(const Field *field)
{
	return field->domain && strcmp(field->domain, "shown") == 0;
}
