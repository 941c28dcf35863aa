/*
 * constraint.c
 *	  Constraints that PostgreSQL itself checks: the violation of one as a validation error.
 */
#include "catalogue.h"

#include "access/sysattr.h"
#include "catalog/pg_constraint.h"
#include "commands/comment.h"
#include "utils/lsyscache.h"

#include "write/write_internal.h"

/* What a violation is called, of one field and of a constraint of several. */
typedef struct Violation
{
	int code;
	const char *rule;
	const char *of_field;
	const char *of_several;
} Violation;

static const Violation violations[] = {
	{ERRCODE_UNIQUE_VIOLATION, "unique", "is taken by another record", "is not met"},
	{ERRCODE_EXCLUSION_VIOLATION, "unique", "conflicts with another record", "is not met"},
	{ERRCODE_CHECK_VIOLATION, "check", "is not permitted", "is not met"},
	{ERRCODE_NOT_NULL_VIOLATION, "required", "is required", NULL},
	{ERRCODE_FOREIGN_KEY_VIOLATION, "reference", "refers to nothing that is there", "is not met"},
};

static const Violation *
violation_of(const ErrorData *error)
{
	for (size_t i = 0; i < lengthof(violations); i++)
		if (violations[i].code == error->sqlerrcode && error->schema_name && error->table_name)
			return &violations[i];
	return NULL;
}

static bool
is_of_table(const ErrorData *error, Oid table)
{
	return strcmp(error->table_name, get_rel_name(table)) == 0 &&
		   strcmp(error->schema_name, get_namespace_name(get_rel_namespace(table))) == 0;
}

/* Return the last field of a unique key, which the index checks; NULL for another index. */
static const char *
unique_field(const Resource *resource, const char *index)
{
	foreach_ptr(const UniqueKey, key, resource->unique_keys)
		if (strcmp(key->index, index) == 0)
			return resource->fields[llast_int(key->fields)].name;
	return NULL;
}

/* Return the only field among the columns of a constraint that a client gives, NULL if others are. */
static const char *
only_field(const Resource *resource, const Bitmapset *columns)
{
	const char *name = NULL;

	/* an expression may be of any columns */
	if (bms_is_member(InvalidAttrNumber - FirstLowInvalidHeapAttributeNumber, columns))
		return NULL;
	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];

		if (field->read_only ||
			!bms_is_member(field->attno - FirstLowInvalidHeapAttributeNumber, columns))
			continue;
		if (name)
			return NULL;
		name = field->name;
	}
	return name;
}

/* Add the error of a constraint.  field: that it is about, NULL to name the constraint instead. */
static void
add_error(List **errors, const Violation *violation, const char *field, const char *name,
		  Oid constraint)
{
	const char *comment = GetComment(constraint, ConstraintRelationId, 0);
	const char *message = field ? violation->of_field : violation->of_several;

	if (comment)
		message = psprintf("%s: %s", message, comment);
	else if (field)
		message = psprintf("%s: constraint \"%s\"", message, name);
	cat_validation_error_add(errors, field ? field : name, violation->rule, NULL, message);
}

/* Add the error of a constraint of the resource's table. */
static void
add_of_table(List **errors, Resource *resource, const Violation *violation, const ErrorData *error)
{
	const char *name = error->constraint_name;
	const Field *column =
		error->column_name ? cat_registry_column(resource, error->column_name) : NULL;
	const char *unique = name ? unique_field(resource, name) : NULL;
	Oid constraint;
	Bitmapset *columns;

	if (column || unique)
		cat_validation_error_add(errors, column ? column->name : unique, violation->rule, NULL,
								 violation->of_field);
	if (column || unique || !name)
		return;
	columns = get_relation_constraint_attnos(resource->relid, name, true, &constraint);
	add_error(errors, violation, only_field(resource, columns), name, constraint);
}

/* Add the error of a constraint of a join table to the relation. */
static void
add_of_relation(List **errors, const CatRelation *relation, const Violation *violation,
				const ErrorData *error)
{
	Oid constraint;

	if (relation->kind != RELATION_MANY_TO_MANY || !error->constraint_name ||
		!is_of_table(error, relation->via_oid))
		return;
	get_relation_constraint_attnos(relation->via_oid, error->constraint_name, true, &constraint);
	add_error(errors, violation, relation->name, error->constraint_name, constraint);
}

void
cat_constraint_rethrow(Resource *resource, MemoryContext context, int code)
{
	List *errors = NIL;
	ErrorData *error;
	const Violation *violation;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	violation = violation_of(error);
	if (violation && is_of_table(error, resource->relid))
		add_of_table(&errors, resource, violation, error);
	for (int i = 0; violation && i < resource->nrelations; i++)
		add_of_relation(&errors, &resource->relations[i], violation, error);
	if (errors == NIL)
		PG_RE_THROW();
	FlushErrorState();
	cat_validation_error_raise(errors, code, cat_actor_hint(resource, errors));
}
