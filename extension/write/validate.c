/*
 * validate.c
 *	  Validation of rows: what is required, unique, and refers to what exists.
 *
 * Values are indexed by attribute number minus one, as in triggers.
 */
#include "catalogue.h"

#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_collation_d.h"
#include "miscadmin.h"
#include "utils/formatting.h"

#include "base/settings.h"
#include "write/write_internal.h"

/* The greatest number that is put behind a slug. */
#define SLUG_NUMBERS 100

/* Return the value of a field as text, NULL for null. */
char *
cat_validate_text(const Field *field, const Datum *values, const bool *nulls)
{
	return nulls[field->attno - 1]
			   ? NULL
			   : cat_statement_value_text(field->type_oid, values[field->attno - 1]);
}

static bool
is_blank(const Field *field, const Datum *values)
{
	char *value;

	if (field->kind != FIELD_TEXT)
		return false;
	value = TextDatumGetCString(values[field->attno - 1]);
	return value[strspn(value, " \t\r\n")] == '\0';
}

/* Return whether the field that replaces this one was given, valid or not. */
static bool
replaced(Resource *resource, const Field *field, const bool *nulls, List *errors)
{
	Field *other = field->unless ? cat_registry_column(resource, field->unless) : NULL;

	return other && (!nulls[other->attno - 1] || cat_validation_error_has(errors, other->name));
}

/* Return whether a field, or the one that replaces it, has a new value. */
static bool
is_touched(Resource *resource, const Field *field, const bool *changed)
{
	Field *other = field->unless ? cat_registry_column(resource, field->unless) : NULL;

	return !changed || changed[field->attno - 1] || (other && changed[other->attno - 1]);
}

static void
check_required(Resource *resource, const Datum *values, const bool *nulls, const bool *changed,
			   List **errors)
{
	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];
		int at = field->attno - 1;

		if (!field->required || !is_touched(resource, field, changed) ||
			cat_validation_error_has(*errors, field->name))
			continue;
		if ((nulls[at] && !replaced(resource, field, nulls, *errors)) ||
			(!nulls[at] && !field->hidden && is_blank(field, values)))
			cat_validation_error_add(errors, field->name, "required", NULL, "is required");
	}
}

/* Return whether a field has a new value and no error yet. */
static bool
is_checked(const Field *field, const bool *nulls, const bool *changed, List *errors)
{
	int at = field->attno - 1;

	return !nulls[at] && (!changed || changed[at]) &&
		   !cat_validation_error_has(errors, field->name);
}

/* Return a statement that finds another living record with the values of a unique key. */
static char *
unique_sql(const Resource *resource, const UniqueKey *key)
{
	StringInfo sql = makeStringInfo();

	appendStringInfo(sql, "SELECT FROM %s t WHERE t.deleted_at IS NULL AND t.id <> $1",
					 resource->table);
	foreach_int(field, key->fields)
	{
		int i = foreach_current_index(field);
		const char *column = resource->fields[field].quoted;

		appendStringInfo(sql,
						 list_nth_int(key->folded, i) ? " AND lower(t.%s::text) = lower($%d::text)"
													  : " AND t.%s = $%d",
						 column, i + 2);
	}
	return sql->data;
}

static bool
is_found_by_statement(Resource *resource, const UniqueKey *key, const Datum *values, const char *id)
{
	int count = list_length(key->fields) + 1;
	StatementParam *params = palloc(sizeof(StatementParam) * count);

	params[0] = text_param(id);
	for (int i = 1; i < count; i++)
	{
		const Field *field = &resource->fields[list_nth_int(key->fields, i - 1)];

		params[i] = datum_param(field->base_oid, values[field->attno - 1]);
	}
	cat_statement_params(true, unique_sql(resource, key), count, params);
	return SPI_processed > 0;
}

static bool
is_taken(Resource *resource, const UniqueKey *key, const Datum *values, const bool *nulls,
		 const char *id)
{
	List *folded = NIL;
	bool taken;

	foreach_int(field, key->fields)
	{
		char *text = cat_validate_text(&resource->fields[field], values, nulls);
		bool fold = list_nth_int(key->folded, foreach_current_index(field));

		/* A text in lower case, as in the index. */
		folded =
			lappend(folded, fold ? str_tolower(text, strlen(text), DEFAULT_COLLATION_OID) : text);
	}
	if (cat_reference_name_is_taken(resource, key, folded, id, &taken))
		return taken;
	return is_found_by_statement(resource, key, values, id);
}

/*
 * Put a number behind a slug that the record cannot have, since names that differ can have the
 * same; false where all numbers that are tried are taken as well.
 *
 * key: the unique key of slugs; NULL where several records may have one slug.
 */
static bool
number_slug(Resource *resource, const UniqueKey *key, const Field *slug, Datum *values,
			const bool *nulls, const char *id)
{
	const Datum made = values[slug->attno - 1];
	const char *base = TextDatumGetCString(made);

	for (int number = 2; number <= SLUG_NUMBERS; number++)
	{
		char *suffix = psprintf("-%d", number);
		int length = Min((int) strlen(base), slug->max - (int) strlen(suffix));
		char *numbered = psprintf("%.*s%s", length, base, suffix);

		values[slug->attno - 1] = CStringGetTextDatum(numbered);
		if (!cat_address_is_held(resource, numbered, id) &&
			!(key && is_taken(resource, key, values, nulls, id)))
			return true;
	}
	values[slug->attno - 1] = made;
	return false;
}

/* Return the unique key of the slugs of a resource; NULL where several records may have one. */
static const UniqueKey *
slug_key(const Resource *resource)
{
	foreach_ptr(const UniqueKey, key, resource->unique_keys)
		if (list_length(key->fields) == 1 && resource->fields[linitial_int(key->fields)].slug)
			return key;
	return NULL;
}

/* Add the error of a value that another record has. */
static void
add_taken(const Field *field, const Datum *values, const bool *nulls, List **errors)
{
	cat_validation_error_add(errors, field->name, "unique",
							 cat_validation_error_value(cat_validate_text(field, values, nulls)),
							 "is taken by another record");
}

void
cat_validate_slug(Resource *resource, Datum *values, const bool *nulls, List **errors)
{
	const Field *slug = cat_registry_column(resource, "slug");
	const char *id = cat_validate_text(cat_registry_column(resource, "id"), values, nulls);

	if (cat_address_is_held(resource, TextDatumGetCString(values[slug->attno - 1]), id) &&
		!number_slug(resource, slug_key(resource), slug, values, nulls, id))
		add_taken(slug, values, nulls, errors);
}

static void
check_unique(Resource *resource, Datum *values, const bool *nulls, const bool *changed,
			 const char *id, List **errors)
{
	foreach_ptr(const UniqueKey, key, resource->unique_keys)
	{
		const Field *last = &resource->fields[llast_int(key->fields)];
		bool complete = !key->alone;
		bool touched = false;

		for (int i = 0; i < list_length(key->fields); i++)
		{
			const Field *field = &resource->fields[list_nth_int(key->fields, i)];

			complete &= is_checked(field, nulls, NULL, *errors);
			touched |= !changed || changed[field->attno - 1];
		}
		if (!complete || !touched || !is_taken(resource, key, values, nulls, id))
			continue;
		/* of a name that is taken the slug is reported as well */
		if (!last->slug || cat_validation_error_has(*errors, "name") ||
			!number_slug(resource, key, last, values, nulls, id))
			add_taken(last, values, nulls, errors);
	}
}

/*
 * Lock the living records of these ids; found: set to their ids.  False if a statement must be
 * used.
 */
static bool
lock_each(Resource *target, List *ids, List **found)
{
	bool lives;

	foreach_ptr(char, word, ids)
	{
		CHECK_FOR_INTERRUPTS();
		if (!cat_reference_lock_take(target, word, &lives))
			return false;
		if (lives)
			*found = lappend(*found, word);
	}
	return true;
}

/* Lock the living records of these ids that meet the condition by a statement; return their ids. */
static List *
lock_by_statement(const Resource *target, const char *condition, const char *referrer, List *ids)
{
	cat_statement_fresh(
		psprintf("SELECT t.id::text FROM %s t WHERE t.id = ANY ($1) AND t.deleted_at IS NULL "
				 "AND $2 IS NOT NULL%s%s%s FOR KEY SHARE OF t",
				 target->table, condition ? " AND (" : "", condition ? condition : "",
				 condition ? ")" : ""),
		texts_param(ids), text_param(referrer));
	return cat_result_texts(1);
}

/* Return a condition on the record t, which may be NULL, and for an outsider that he sees the record. */
static const char *
condition_of_actor(const Resource *target, const char *condition)
{
	const Actor *actor = cat_security_context_actor();
	StringInfo sql;

	if (!actor || actor->access != ACCESS_OUTSIDER)
		return condition;
	sql = makeStringInfo();
	if (condition)
		appendStringInfo(sql, "(%s) AND ", condition);
	cat_seen_write(sql, target, "t", ACCESS_OUTSIDER);
	return sql->data;
}

/*
 * Add an error for each id that is not that of a living record of the target that the caller may refer to.
 *
 * The records are locked against deletion until the end of the transaction, so the result still
 * holds at commit.  condition: additional SQL condition on the record t, or NULL; $2 in it is the
 * referring record's id.
 */
void
cat_validate_references(const char *name, Resource *target, const char *condition,
						const char *referrer, List *ids, List **errors)
{
	List *found = NIL;

	if (ids == NIL)
		return;
	condition = condition_of_actor(target, condition);
	if (condition || !lock_each(target, ids, &found))
		found = lock_by_statement(target, condition, referrer, ids);
	foreach_ptr(char, word, ids)
		if (!cat_query_string_has_word(found, word))
			cat_validation_error_add(
				errors, name, "reference", cat_validation_error_value(word),
				psprintf("refers to no %s that can be used here", target->model));
}

/*
 * Check the references of a record.  It may refer to itself when it is created, like the first
 * admin.
 *
 * A record that several fields refer to is looked up once.
 */
static void
check_references(Resource *resource, const Datum *values, const bool *nulls, const bool *changed,
				 const char *id, List **errors)
{
	List *fine = NIL;

	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];
		char *referred;
		char *record;

		if (!field->reference || !is_checked(field, nulls, changed, *errors))
			continue;
		referred = cat_validate_text(field, values, nulls);
		record = psprintf("%s/%s", field->reference, referred);
		if (!field->condition &&
			(cat_query_string_has_word(fine, record) ||
			 (strcmp(referred, id) == 0 && strcmp(field->reference, resource->name) == 0)))
			continue;
		cat_validate_references(field->name, cat_registry_resource(field->reference),
								field->condition, id, list_make1(referred), errors);
		if (!cat_validation_error_has(*errors, field->name))
			fine = lappend(fine, record);
	}
}

/*
 * Check required, unique and reference fields of a record, and the value of a setting.
 *
 * changed: the attributes with new values, NULL for all.  Fields that have an error already are not
 * checked.
 */
void
cat_validate_record(Resource *resource, Datum *values, const bool *nulls, const bool *changed,
					List **errors)
{
	char *id = cat_validate_text(cat_registry_column(resource, "id"), values, nulls);

	check_required(resource, values, nulls, changed, errors);
	check_unique(resource, values, nulls, changed, id ? id : "", errors);
	/* the user in a log record was looked up when the call began, and may be the deleted record */
	if (cat_check_references && cat_write_mode() != WRITE_ACTION_LOG)
		check_references(resource, values, nulls, changed, id ? id : "", errors);
	cat_setting_check(resource, id ? id : "", values, nulls, changed, errors);
}
