/*
 * triggers.c
 *	  Triggers on resource tables, which hold the rules for psql and API alike.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "mb/pg_wchar.h"
#include "utils/rel.h"

#include "account/account.h"
#include "write/write_internal.h"

/* A row in a trigger, by attribute number minus one. */
typedef struct Row
{
	Datum *values;
	bool *nulls;
} Row;

static Resource *
trigger_resource(FunctionCallInfo fcinfo, const char *function)
{
	Relation table;
	Resource *resource;

	if (!CALLED_AS_TRIGGER(fcinfo))
		elog(ERROR, "%s: not called as a trigger", function);
	table = ((TriggerData *) fcinfo->context)->tg_relation;
	resource = cat_registry_table(RelationGetRelid(table));
	if (!resource)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("table \"%s\" is not exposed", RelationGetRelationName(table)),
						errhint("Call catalogue.expose(), or drop its triggers.")));
	return resource;
}

static Row
row_of(HeapTuple tuple, TupleDesc desc)
{
	Row row = {palloc(desc->natts * sizeof(Datum)), palloc(desc->natts * sizeof(bool))};

	heap_deform_tuple(tuple, desc, row.values, row.nulls);
	return row;
}

static void
set_value(Row *row, const Field *field, Datum value)
{
	row->values[field->attno - 1] = value;
	row->nulls[field->attno - 1] = false;
}

static char *
text_of(const Row *row, const Field *field)
{
	return row->nulls[field->attno - 1] ? NULL : TextDatumGetCString(row->values[field->attno - 1]);
}

static bool
is_changed(Resource *resource, const char *column, const bool *changed)
{
	Field *field = cat_registry_column(resource, column);

	return field && changed[field->attno - 1];
}

/* Add an error if a statement changes a list of ids, which only follows its join table. */
static void
refuse_lists(Resource *resource, const bool *changed, List **errors)
{
	for (int i = 0; i < resource->nrelations && !cat_security_context_actor(); i++)
	{
		const CatRelation *relation = &resource->relations[i];

		if (relation->list && changed[relation->list->attno - 1])
			cat_validation_error_add(errors, relation->name, "readOnly", NULL,
									 psprintf("follows the rows of %s", relation->via));
	}
}

/* Raise OD400 if a statement changes columns that the service maintains. */
static void
refuse_kept(Resource *resource, const bool *changed)
{
	static const char *const kept[] = {"id", "created_at", "updated_at"};
	List *errors = NIL;

	for (size_t i = 0; i < lengthof(kept); i++)
		if (is_changed(resource, kept[i], changed))
			cat_validation_error_add(&errors, cat_registry_column(resource, kept[i])->name,
									 "readOnly", NULL, "is kept by the service");
	refuse_lists(resource, changed, &errors);
	if (errors)
		cat_validation_error_raise(errors, OD400,
								   "Leave id, created_at and updated_at out of the statement.");
}

/*
 * Bring the texts of a row into the form in which they are stored.
 *
 * A few letters have more characters when they are composed: what is too long then is an error.
 * changed: the columns that a statement writes; NULL for all but those that only the service sets.
 */
static void
store_texts(const Resource *resource, Row *row, const bool *changed, List **errors)
{
	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];
		int at = field->attno - 1;
		const char *given;
		const char *stored;

		if (row->nulls[at] ||
			(changed ? !changed[at] : cat_query_string_has_word(resource->kept, field->column)) ||
			!(field->composed || cat_one_line_is(field)))
			continue;
		given = cat_validate_text(field, row->values, row->nulls);
		stored = cat_one_line_stored(field, given);
		if (stored == given)
			continue;
		set_value(row, field,
				  field->kind == FIELD_LIST
					  ? cat_statement_value_read(field->type_oid, field->typmod, stored)
					  : CStringGetTextDatum(stored));
		if (field->max > 0 && pg_mbstrlen(stored) > field->max)
			cat_validation_error_add(errors, field->name, "maxLength", NULL,
									 psprintf("takes at most %d characters", field->max));
	}
}

/* Return the slug of a record's name, or its id if nothing of the name remains. */
static char *
make_slug(Resource *resource, const Row *row)
{
	char *made = cat_fold_slug(text_of(row, cat_registry_column(resource, "name")));

	return *made == '\0' ? text_of(row, cat_registry_column(resource, "id")) : made;
}

/*
 * Set the slug from the name where that is new.  One that is new to the record, or comes back with
 * it, gets a number if no record may have it.
 *
 * old: the record before an update; changed: the columns that the statement changes; both NULL for
 * a new record.
 */
static void
set_slug(Resource *resource, const Row *old, Row *row, const bool *changed, List **errors)
{
	Field *slug = cat_registry_column(resource, "slug");
	Field *name = cat_registry_column(resource, "name");
	char *before;

	if (!slug || !slug->slug || row->nulls[name->attno - 1])
		return;
	if (!changed || changed[name->attno - 1] || row->nulls[slug->attno - 1])
		set_value(row, slug, CStringGetTextDatum(make_slug(resource, row)));
	before = old ? text_of(old, slug) : NULL;
	if (!before || changed[slug->attno - 1] || changed[resource->deleted_at - 1] ||
		strcmp(before, text_of(row, slug)) != 0)
		cat_validate_slug(resource, row->values, row->nulls, errors);
}

/* Check and hash passwords given in plain text. */
static void
hash_passwords(Resource *resource, Row *row, List **errors)
{
	for (int i = 0; i < resource->nfields; i++)
	{
		Field *field = &resource->fields[i];
		const char *message;
		const char *rule;
		char *text;

		if (field->kind != FIELD_TEXT || !field->domain || strcmp(field->domain, "password") != 0)
			continue;
		text = text_of(row, field);
		if (!text || cat_password_is_hash(text))
			continue;
		rule = cat_password_error(text, &message);
		if (rule)
			cat_validation_error_add(errors, field->name, rule, NULL, message);
		else
			set_value(row, field, CStringGetTextDatum(cat_password_hash(text)));
	}
}

/*
 * Encrypt secrets given in plain text, and every value from a client; changed: NULL for all fields.
 *
 * A value that is already encrypted comes from a dump.
 */
static void
seal_secrets(Resource *resource, Row *row, const bool *changed)
{
	for (int i = 0; i < resource->nfields; i++)
	{
		Field *field = &resource->fields[i];
		char *text;

		if (field->kind != FIELD_TEXT || !field->domain || strcmp(field->domain, "secret") != 0 ||
			(changed && !changed[field->attno - 1]))
			continue;
		text = text_of(row, field);
		if (text && (cat_security_context_actor() || !cat_secret_is_sealed(text)))
			set_value(
				row, field,
				CStringGetTextDatum(cat_secret_seal(
					resource, field, text_of(row, cat_registry_column(resource, "id")), text)));
	}
}

/*
 * End the sessions of a user when the password changes, or whether the user may log in.
 *
 * Tokens contain the session start in the column session; it only ever increases, even if the clock
 * is set back.
 */
static void
end_session(Resource *resource, const Row *old, Row *row, const bool *changed)
{
	static const char *const ends[] = {"password", "active", "deactivated_at", "deleted_at"};
	TimestampTz now = GetCurrentTimestamp();
	Field *session;
	bool ended = false;

	if (strcmp(resource->name, "users") != 0 ||
		!(session = cat_registry_column(resource, "session")))
		return;
	for (size_t i = 0; i < lengthof(ends); i++)
		ended |= is_changed(resource, ends[i], changed);
	if (ended)
		set_value(row, session,
				  TimestampTzGetDatum(
					  Max(now, DatumGetTimestampTz(old->values[session->attno - 1]) + 1)));
}

static void
check_insert(Resource *resource, Row *row)
{
	Field *id = cat_registry_column(resource, "id");
	List *errors = NIL;

	if (row->nulls[id->attno - 1])
	{
		char text[ID_LENGTH + 1];

		cat_id_generate(text);
		set_value(row, id, CStringGetTextDatum(text));
	}
	if (resource->change)
		set_value(row, resource->change, Int64GetDatum(cat_commit_time_touch(resource, NULL)));
	cat_new_record_fill_defaults(resource, row->values, row->nulls);
	store_texts(resource, row, NULL, &errors);
	set_slug(resource, NULL, row, NULL, &errors);
	cat_embed_code_fill(resource, NULL, NULL, row->values, row->nulls, NULL);
	hash_passwords(resource, row, &errors);
	cat_state_complete(resource, row->values, row->nulls, NULL);
	cat_validate_record(resource, row->values, row->nulls, NULL, &errors);
	cat_derived_check(resource, row->values, row->nulls, NULL, &errors);
	cat_derived_fill(resource, row->values, row->nulls, NULL, true, &errors);
	cat_dataset_facts_fill(resource, row->values, row->nulls, NULL, &errors);
	if (errors)
		cat_validation_error_raise(errors, OD400, cat_actor_hint(resource, errors));
	cat_shown_fill(resource, row->values, row->nulls, NULL);
	seal_secrets(resource, row, NULL);
}

/* Set the user who last changed a setting's value. */
static void
set_updated_by(Resource *resource, Row *row, const bool *changed)
{
	Field *field = cat_registry_column(resource, "updated_by");
	const Actor *actor = cat_security_context_actor();

	if (field && field->kind == FIELD_ID && is_changed(resource, "value", changed) && actor &&
		actor->user[0] != '\0')
		set_value(row, field, CStringGetTextDatum(actor->user));
}

/* Return whether referring records follow a change: then transactions that refer to the record must
 * be waited for. */
static bool
is_followed(Resource *resource, const Row *old, const Row *row)
{
	int at = resource->deleted_at - 1;

	if (old->nulls[at] && !row->nulls[at])
		return true;
	/* Whether a change makes a record visible or invisible to outsiders and flags depend on it. */
	return cat_shown_has_dependents(resource) &&
		   cat_seen_record(resource, heap_form_tuple(resource->desc, old->values, old->nulls),
						   ACCESS_OUTSIDER) !=
			   cat_seen_record(resource, heap_form_tuple(resource->desc, row->values, row->nulls),
							   ACCESS_OUTSIDER);
}

/* Check and complete an update of a living record or of one being restored. */
static void
check_living(Resource *resource, const Row *old, Row *row, bool *changed, bool restored)
{
	List *errors = NIL;

	store_texts(resource, row, restored ? NULL : changed, &errors);
	set_slug(resource, old, row, changed, &errors);
	cat_embed_code_fill(resource, old->values, old->nulls, row->values, row->nulls, changed);
	hash_passwords(resource, row, &errors);
	cat_state_take_back(resource, old->values, row->values, changed);
	cat_state_complete(resource, row->values, row->nulls, changed);
	set_updated_by(resource, row, changed);
	if (cat_registry_column(resource, "slug"))
		changed[cat_registry_column(resource, "slug")->attno - 1] = true;
	cat_validate_record(resource, row->values, row->nulls, restored ? NULL : changed, &errors);
	cat_derived_check(resource, row->values, row->nulls, changed, &errors);
	cat_derived_fill(resource, row->values, row->nulls, restored ? NULL : changed, !restored,
					 &errors);
	if (errors)
		cat_validation_error_raise(errors, restored ? OD409 : OD400,
								   cat_actor_hint(resource, errors));
}

/* Set the columns that follow optionals; raises OD400 if an update gives one another value. */
static void
fill_facts(Resource *resource, Row *row, const bool *changed)
{
	List *errors = NIL;

	cat_dataset_facts_fill(resource, row->values, row->nulls, changed, &errors);
	if (errors)
		cat_validation_error_raise(errors, OD400, NULL);
}

/* Check and complete an update; false if it does not change the record. */
static bool
check_update(Resource *resource, const Row *old, Row *row, bool *changed)
{
	int at = resource->deleted_at - 1;
	int updated = resource->updated_at - 1;
	bool restored = changed[at] && row->nulls[at];

	cat_shown_fill(resource, row->values, row->nulls, restored ? NULL : changed);
	fill_facts(resource, row, changed);
	if (is_followed(resource, old, row))
		cat_deletion_lock(resource, text_of(row, cat_registry_column(resource, "id")));
	if (cat_internal_update_columns(resource, changed, resource->desc->natts))
		return true;
	refuse_kept(resource, changed);
	end_session(resource, old, row, changed);
	seal_secrets(resource, row, changed);
	if (row->nulls[at])
		check_living(resource, old, row, changed, restored);
	if (!cat_differ_records(resource, old->values, old->nulls, row->values, row->nulls))
		return false;
	/* a transaction that began later may have changed the record before */
	row->values[updated] = TimestampTzGetDatum(
		Max(GetCurrentTransactionStartTimestamp(), DatumGetTimestampTz(row->values[updated])));
	return true;
}

/*
 * Trigger: check and complete a record.
 *
 * BEFORE INSERT OR UPDATE, FOR EACH ROW.  Sets id, timestamps, slug, defaults and hashes; raises
 * OD400 with all errors of the record.  An update that changes nothing is skipped, so it appears
 * neither in the log nor in the history.
 */
CAT_FUNCTION(catalogue_check_record)
{
	TriggerData *trigger;
	TupleDesc desc;
	Resource *resource;
	HeapTuple tuple = NULL;
	bool changes = true;
	Row row;
	int nest;

	resource = trigger_resource(fcinfo, "check_record");
	trigger = (TriggerData *) fcinfo->context;
	if (TRIGGER_FIRED_BY_UPDATE(trigger->tg_event) &&
		(cat_write_mode() == WRITE_LISTS || cat_write_mode() == WRITE_UNRECORDED))
		return PointerGetDatum(trigger->tg_newtuple);
	if (resource->change)
		cat_action_log_require_owner(trigger->tg_relation);
	desc = RelationGetDescr(trigger->tg_relation);
	nest = cat_security_context_pin();
	SPI_connect();
	if (TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
	{
		row = row_of(trigger->tg_trigtuple, desc);
		check_insert(resource, &row);
	}
	else
	{
		Row old = row_of(trigger->tg_trigtuple, desc);

		row = row_of(trigger->tg_newtuple, desc);
		changes =
			check_update(resource, &old, &row,
						 cat_differ_columns(desc, old.values, old.nulls, row.values, row.nulls));
	}
	if (changes)
		tuple = SPI_copytuple(heap_form_tuple(desc, row.values, row.nulls));
	SPI_finish();
	cat_security_context_unpin(nest);
	return PointerGetDatum(tuple);
}

/*
 * Trigger: delete a record logically.
 *
 * BEFORE DELETE, FOR EACH ROW.  The row is kept; an UPDATE sets deleted_at, and its triggers do the
 * rest.  Rows that the service itself removes are physically deleted.
 */
CAT_FUNCTION(catalogue_delete_logically)
{
	TriggerData *trigger;
	Resource *resource;
	Row row;
	int nest;

	resource = trigger_resource(fcinfo, "delete_logically");
	trigger = (TriggerData *) fcinfo->context;
	if (cat_write_mode() == WRITE_UNRECORDED)
		return PointerGetDatum(trigger->tg_trigtuple);
	nest = cat_security_context_pin();
	SPI_connect();
	row = row_of(trigger->tg_trigtuple, RelationGetDescr(trigger->tg_relation));
	cat_statement_fresh(
		psprintf("UPDATE %s SET deleted_at = now() WHERE id = $1 AND deleted_at IS NULL",
				 resource->table),
		datum_param(TEXTOID, row.values[resource->id - 1]));
	SPI_finish();
	cat_security_context_unpin(nest);
	return PointerGetDatum(NULL);
}
