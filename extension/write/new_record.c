/*
 * new_record.c
 *	  A new record: its values and defaults.
 */
#include "catalogue.h"

#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "write/write_internal.h"

static const char default_status_sql[] =
	"SELECT s.id::text FROM catalogue.configs c JOIN catalogue.statuses s ON s.id = c.value "
	"WHERE lower(c.key) = 'defaultstatus' AND c.deleted_at IS NULL AND s.deleted_at IS NULL";

/*
 * Return the status of a new record: draft if the actor may change only his own records, else the
 * setting defaultStatus.
 */
static const char *
default_status(const Resource *resource)
{
	const Actor *actor = cat_security_context_actor();

	if (actor && cat_permission_is_own(actor, resource))
		return cat_state_draft();
	cat_statement_fresh(default_status_sql);
	if (SPI_processed == 0)
		return cat_state_draft();
	return cat_result_text(1);
}

static void
fill(Resource *resource, const char *column, const char *id, Datum *values, bool *nulls)
{
	Field *field = cat_registry_column(resource, column);

	if (!field || field->kind != FIELD_ID || !nulls[field->attno - 1])
		return;
	values[field->attno - 1] = CStringGetTextDatum(id);
	nulls[field->attno - 1] = false;
}

/* Set the organization of a record that needs none, but has the field, to that of its creator. */
static void
fill_organization(Resource *resource, Datum *values, bool *nulls)
{
	const Field *field = cat_registry_column(resource, "organization");
	const Field *creator = cat_registry_column(resource, "created_by");
	const char *organization;

	if (!field || field->required || !nulls[field->attno - 1] || !creator ||
		nulls[creator->attno - 1])
		return;
	organization = cat_permission_organization_of(TextDatumGetCString(values[creator->attno - 1]));
	if (organization)
		fill(resource, "organization", organization, values, nulls);
}

/*
 * Set created_by, updated_by, owner, organization and status where they are null and a default
 * applies.
 */
void
cat_new_record_fill_defaults(Resource *resource, Datum *values, bool *nulls)
{
	const Actor *actor = cat_security_context_actor();
	if (actor && actor->user[0] != '\0')
	{
		fill(resource, "created_by", actor->user, values, nulls);
		fill(resource, "updated_by", actor->user, values, nulls);
		if (cat_permission_is_own(actor, resource))
			fill(resource, "owner", actor->user, values, nulls);
	}
	fill_organization(resource, values, nulls);
	if (resource->status && nulls[resource->status->attno - 1])
		fill(resource, "status", default_status(resource), values, nulls);
}

/*
 * Names in earlier versions of the interface; used if the resource has no field of that name now.
 */
static const struct
{
	const char *earlier;
	const char *now;
} earlier_names[] = {
	{"visibility", "visible"},
	{"category", "categories"},
	{"datapath", "dataPath"},
	{"titlepath", "titlePath"},
};

/* Values of a map's basemap in an earlier version of the interface. */
static const char *const basemap_words[] = {"roadmap", "satellite", "hybrid", "terrain", NULL};

/* Members that are not fields but have a meaning for one resource. */
static const struct
{
	const char *resource;
	const char *name;
} besides[] = {
	{"users", "currentPassword"},
	{"users", "passwordConfirm"},
	{"categories", "deleteImage"},
	{"organizations", "deleteImage"},
};

void
cat_new_record_begin(NewRecord *record, Resource *resource)
{
	memset(record, 0, sizeof(*record));
	record->resource = resource;
	for (int i = 0; i < resource->nfields; i++)
		record->natts = Max(record->natts, resource->fields[i].attno);
	record->values = palloc0(sizeof(Datum) * record->natts);
	record->given = palloc0(sizeof(bool) * record->natts);
	record->nulls = palloc(sizeof(bool) * record->natts);
	memset(record->nulls, true, sizeof(bool) * record->natts);
	record->links = palloc0(sizeof(List *) * (resource->nrelations + 1));
	record->linked = palloc0(sizeof(bool) * (resource->nrelations + 1));
}

/* Return the present name of a member that has an earlier one. */
static const char *
present_name(Resource *resource, const char *name)
{
	for (size_t i = 0; !cat_registry_field(resource, name) && i < lengthof(earlier_names); i++)
		if (strcmp(earlier_names[i].earlier, name) == 0)
			return earlier_names[i].now;
	return name;
}

const Field *
cat_new_record_field(Resource *resource, const char *name)
{
	return cat_registry_field(resource, present_name(resource, name));
}

Resource *
cat_new_record_target(Resource *resource, const char *name)
{
	const Field *field = cat_new_record_field(resource, name);
	const CatRelation *relation =
		field ? NULL : cat_registry_relation(resource, present_name(resource, name));

	return field && field->reference ? cat_registry_resource(field->reference)
		   : relation				 ? cat_registry_resource(relation->target)
									 : NULL;
}

/* Return the member for a field, by its present or earlier name; or NULL. */
static Member *
member_for(Resource *resource, List *members, const char *name)
{
	Member *member = cat_body_member(members, name);

	for (size_t i = 0; !member && i < lengthof(earlier_names); i++)
		if (strcmp(earlier_names[i].now, name) == 0 &&
			!cat_registry_field(resource, earlier_names[i].earlier))
			member = cat_body_member(members, earlier_names[i].earlier);
	return member;
}

static bool
is_earlier_word(const Field *field, const Member *member)
{
	return field->reference && strcmp(field->reference, "basemaps") == 0 &&
		   member->kind == MEMBER_STRING && cat_query_string_is_among(member->text, basemap_words);
}

static void
read_fields(NewRecord *record, List *members, const Actor *actor, bool creating)
{
	for (int i = 0; i < record->resource->nfields; i++)
	{
		const Field *field = &record->resource->fields[i];
		Member *member = member_for(record->resource, members, field->name);
		int at = field->attno - 1;

		if (!member || is_earlier_word(field, member) ||
			!cat_permission_writes(actor, record->resource, field, creating))
			continue;
		cat_convert_member(field, member, &record->values[at], &record->nulls[at], &record->errors);
		record->given[at] = !creating || member->kind != MEMBER_NULL;
	}
}

static void
read_links(NewRecord *record, List *members, const char *id, bool creating)
{
	for (int i = 0; i < record->resource->nrelations; i++)
	{
		const CatRelation *relation = &record->resource->relations[i];
		Member *member;

		if (relation->kind != RELATION_MANY_TO_MANY || !relation->owned)
			continue;
		member = member_for(record->resource, members, relation->name);
		record->linked[i] = member != NULL;
		if (member)
			record->links[i] = cat_link_ids(relation, member, &record->errors);
		/* Set a record's own list of linked ids. */
		if (member && relation->list)
		{
			record->values[relation->list->attno - 1] = cat_text_array_of_list(record->links[i]);
			record->nulls[relation->list->attno - 1] = false;
			record->given[relation->list->attno - 1] = true;
		}
		if (cat_validation_error_has(record->errors, relation->name))
			continue;
		if (relation->required && record->links[i] == NIL && (member || creating))
			cat_validation_error_add(&record->errors, relation->name, "required", NULL,
									 "needs at least one id");
		cat_validate_references(relation->name, cat_registry_resource(relation->target),
								relation->condition, id, record->links[i], &record->errors);
	}
}

/*
 * Return which fields of a record to check: all of a new one, else those that are given; but none
 * that gets its column default, since it has no value.
 */
static bool *
checked_fields(const NewRecord *record, bool creating)
{
	bool *checked = palloc(sizeof(bool) * record->natts);

	for (int i = 0; i < record->natts; i++)
		checked[i] = creating || record->given[i];
	for (int i = 0; i < record->resource->nfields; i++)
	{
		const Field *field = &record->resource->fields[i];

		if (field->has_default && record->nulls[field->attno - 1])
			checked[field->attno - 1] = false;
	}
	return checked;
}

void
cat_new_record_check(NewRecord *record, const char *id)
{
	int at = record->resource->id - 1;

	if (!id)
		cat_new_record_fill_defaults(record->resource, record->values, record->nulls);
	else
	{
		record->values[at] = CStringGetTextDatum(id);
		record->nulls[at] = false;
	}
	cat_validate_record(record->resource, record->values, record->nulls,
						checked_fields(record, !id), &record->errors);
	cat_derived_check(record->resource, record->values, record->nulls, record->given,
					  &record->errors);
}

/*
 * Raise OD400 if there are errors: those of the body and those that the trigger would find.
 *
 * id: the record to change, NULL for a new one.
 */
void
cat_new_record_refuse(NewRecord *record, const char *id)
{
	if (record->errors == NIL)
		return;
	cat_new_record_check(record, id);
	cat_validation_error_raise(record->errors, OD400,
							   cat_actor_hint(record->resource, record->errors));
}

/* Return whether the caller sees or may write a field. */
static bool
may_have(const Resource *resource, const Field *field, const Actor *actor)
{
	return cat_visibility_field(field, actor->access) ||
		   cat_permission_writes(actor, resource, field, true);
}

/* Return the names that are known in a body. */
static List *
known_names(Resource *resource, const Actor *actor)
{
	List *names = NIL;

	for (int i = 0; i < resource->nfields; i++)
		if (may_have(resource, &resource->fields[i], actor))
			names = lappend(names, resource->fields[i].name);
	for (int i = 0; i < resource->nrelations; i++)
		if (cat_visibility_relation(&resource->relations[i], actor->access))
			names = lappend(names, resource->relations[i].name);
	return names;
}

/* Return whether a name has a meaning although it is no present field or relation. */
static bool
is_known_besides(const Resource *resource, const char *name)
{
	for (size_t i = 0; i < lengthof(besides); i++)
		if (strcmp(besides[i].resource, resource->name) == 0 && strcmp(besides[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < lengthof(earlier_names); i++)
		if (strcmp(earlier_names[i].earlier, name) == 0)
			return true;
	return false;
}

bool
cat_new_record_knows(Resource *resource, const char *name, const Actor *actor)
{
	const Field *field = cat_registry_field(resource, name);
	const CatRelation *relation = field ? NULL : cat_registry_relation(resource, name);

	return (field && may_have(resource, field, actor)) ||
		   (relation && cat_visibility_relation(relation, actor->access)) ||
		   is_known_besides(resource, name);
}

List *
cat_new_record_unknown(Resource *resource, const Actor *actor, List *members, List **errors)
{
	List *known = actor->strict ? known_names(resource, actor) : NIL;
	List *ignored = NIL;

	foreach_ptr(Member, member, members)
	{
		const char *name = member->name;

		CHECK_FOR_INTERRUPTS();
		if (cat_new_record_knows(resource, name, actor))
			continue;
		cat_ignored_note(&ignored, name);
		if (actor->strict)
			cat_nearest_member_error(errors, known, name);
	}
	return ignored;
}

void
cat_new_record_read(NewRecord *record, const WriteCall *call, List *members)
{
	record->ignored =
		cat_new_record_unknown(record->resource, &call->actor, members, &record->errors);
	read_fields(record, members, &call->actor, !call->id);
	cat_derived_ignore(record, call->id);
	read_links(record, members, call->id ? call->id : "", !call->id);
}

void
cat_new_record_keep(NewRecord *record, const char *column, const char *text)
{
	const Field *field = cat_registry_column(record->resource, column);
	int at;

	if (!field)
		elog(ERROR, "resource \"%s\" has no column \"%s\"", record->resource->name, column);
	at = field->attno - 1;
	record->given[at] = true;
	record->nulls[at] = text == NULL;
	if (text)
		record->values[at] = cat_statement_value_read(field->type_oid, field->typmod, text);
}

char *
cat_new_record_text(const NewRecord *record, const char *column)
{
	const Field *field = cat_registry_column(record->resource, column);
	int at = field ? field->attno - 1 : -1;

	if (!field || !record->given[at] || record->nulls[at])
		return NULL;
	return TextDatumGetCString(record->values[at]);
}

StatementParam
cat_new_record_param(const NewRecord *record, const Field *field)
{
	int at = field->attno - 1;

	return (StatementParam){field->type_oid, record->values[at], record->nulls[at]};
}

/* Return the fields that are given in any of the records, a List of Field *. */
static List *
given_fields(const NewRecord *records, int count)
{
	Resource *resource = records->resource;
	List *fields = NIL;

	for (int i = 0; i < resource->nfields; i++)
	{
		Field *field = &resource->fields[i];
		int record = 0;

		while (record < count && !records[record].given[field->attno - 1])
			record++;
		if (record < count)
			fields = lappend(fields, field);
	}
	return fields;
}

/* Append a row of values, and their parameters; what is not given has its default, if there is one. */
static void
add_row(StringInfo sql, const NewRecord *record, List *fields, StatementParam *params, int *count)
{
	appendStringInfoChar(sql, '(');
	foreach_ptr(const Field, field, fields)
	{
		if (foreach_current_index(field) > 0)
			appendStringInfoString(sql, ", ");
		if (!record->given[field->attno - 1] && field->has_default)
		{
			appendStringInfoString(sql, "DEFAULT");
			continue;
		}
		params[(*count)++] = cat_new_record_param(record, field);
		appendStringInfo(sql, "$%d", *count);
	}
	appendStringInfoChar(sql, ')');
}

/* Insert records by one statement, and set their ids. */
static void
insert(NewRecord *records, int count)
{
	const Resource *resource = records->resource;
	List *fields = given_fields(records, count);
	StatementParam *params = palloc(sizeof(StatementParam) * (list_length(fields) * count + 1));
	StringInfoData sql;
	int nparams = 0;

	initStringInfo(&sql);
	appendStringInfo(&sql, "INSERT INTO %s ", resource->table);
	foreach_ptr(const Field, field, fields)
		appendStringInfo(&sql, "%s%s", foreach_current_index(field) > 0 ? ", " : "(",
						 field->quoted);
	appendStringInfoString(&sql, fields == NIL ? "DEFAULT VALUES" : ") VALUES ");
	for (int i = 0; i < count && fields != NIL; i++)
	{
		appendStringInfoString(&sql, i > 0 ? ", " : "");
		add_row(&sql, &records[i], fields, params, &nparams);
	}
	appendStringInfoString(&sql, " RETURNING id::text");
	cat_statement_params(true, sql.data, nparams, params);
	if (count > 1 && SPI_processed != (uint64) count)
		elog(ERROR, "a trigger has left out a record of %s", resource->table);
	for (int i = 0; i < count; i++)
		records[i].id = cat_result_text_at(i, 1);
}

void
cat_new_record_insert(NewRecord *records, int count)
{
	const Resource *resource = records->resource;

	insert(records, count);
	for (int relation = 0; relation < resource->nrelations; relation++)
	{
		List *links = NIL;

		for (int i = 0; i < count; i++)
		{
			Links *one = palloc(sizeof(Links));

			*one = (Links){records[i].id, records[i].links[relation]};
			if (records[i].linked[relation])
				links = lappend(links, one);
		}
		if (links != NIL)
			cat_link_insert(&resource->relations[relation], links);
	}
}
