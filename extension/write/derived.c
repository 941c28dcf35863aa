/*
 * derived.c
 *	  Values of records that are made from the contents of files that they name.
 *
 * These values are made in the statement that writes the record, and again when the contents of a file
 * change.  A record without the columns they are made from may have values of its own.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "utils/snapmgr.h"

#include "write/write_internal.h"

#define COLUMNS_MAX lengthof((DerivedData){0}.made)

static const DerivedData *all;
static int nall;

void
cat_derived_set(const DerivedData *derived, int count)
{
	all = derived;
	nall = count;
}

/* Return what is made of records of a resource; NULL for nothing. */
static const DerivedData *
derived_of(const Resource *resource)
{
	for (int i = 0; i < nall; i++)
		if (strcmp(all[i].resource, resource->name) == 0)
			return &all[i];
	return NULL;
}

/* Return whether anything is made of records of a resource. */
bool
cat_derived_is_of(const Resource *resource)
{
	return derived_of(resource) != NULL;
}

bool
cat_derived_reads(const Resource *resource, const Field *field)
{
	const DerivedData *derived = derived_of(resource);

	return derived && cat_query_string_is_among(field->column, derived->files);
}

static bool
has_value(Resource *resource, const char *column, const bool *nulls)
{
	const Field *field = cat_registry_column(resource, column);

	return field && !nulls[field->attno - 1];
}

static bool
has_all(Resource *resource, const char *const *columns, const bool *nulls)
{
	for (int i = 0; columns[i]; i++)
		if (!has_value(resource, columns[i], nulls))
			return false;
	return columns[0] != NULL;
}

/* Return whether the columns are made of a record, from which of its columns are null. */
static bool
is_made(const DerivedData *derived, Resource *resource, const bool *nulls)
{
	for (size_t i = 0; i < lengthof(derived->needed); i++)
		if (has_all(resource, derived->needed[i], nulls))
			return true;
	return false;
}

static bool
is_any_changed(Resource *resource, const char *const *columns, size_t count, const bool *changed)
{
	for (size_t i = 0; i < count && columns[i]; i++)
	{
		const Field *field = cat_registry_column(resource, columns[i]);

		if (field && (!changed || changed[field->attno - 1]))
			return true;
	}
	return false;
}

static bool
is_needed_changed(const DerivedData *derived, Resource *resource, const bool *changed)
{
	for (size_t i = 0; i < lengthof(derived->needed); i++)
		if (is_any_changed(resource, derived->needed[i], lengthof(derived->needed[i]), changed))
			return true;
	return false;
}

/* Return which columns of a record will be null once the given values are written. */
static bool *
nulls_after(const NewRecord *record, const char *id)
{
	bool *nulls = palloc(sizeof(bool) * record->natts);
	Rows rows = {0};

	if (id)
		rows = cat_rows_by_id(record->resource, id, ACCESS_ALL);
	for (int i = 0; i < record->natts; i++)
		nulls[i] = record->given[i]	 ? record->nulls[i]
				   : rows.count == 1 ? heap_attisnull(rows.tuples[0], i + 1, rows.desc)
									 : true;
	return nulls;
}

/*
 * Ignore the value of a body for a column that is made.  Clients send back whole records, whose
 * made values may be longer than what a client may write.
 *
 * id: the record to change, NULL for a new one.
 */
void
cat_derived_ignore(NewRecord *record, const char *id)
{
	const DerivedData *derived = derived_of(record->resource);
	const Field *field = derived ? cat_registry_column(record->resource, derived->made[0]) : NULL;

	if (!field || !record->given[field->attno - 1] ||
		!is_made(derived, record->resource, nulls_after(record, id)))
		return;
	record->given[field->attno - 1] = false;
	record->nulls[field->attno - 1] = true;
	cat_validation_error_drop(&record->errors, field->name);
}

void
cat_derived_check(Resource *resource, const Datum *values, const bool *nulls, const bool *changed,
				  List **errors)
{
	const DerivedData *derived = derived_of(resource);
	const Field *field = derived ? cat_registry_column(resource, derived->made[0]) : NULL;

	if (field && derived->check && !nulls[field->attno - 1] &&
		(!changed || changed[field->attno - 1]) &&
		!cat_validation_error_has(*errors, field->name) && !is_made(derived, resource, nulls))
		derived->check(field, values[field->attno - 1], errors);
}

/* Set the made columns to null, except a value that the statement itself gives to the first one. */
static void
clear(const DerivedData *derived, Resource *resource, bool *nulls, const bool *changed)
{
	for (size_t i = 0; i < lengthof(derived->made) && derived->made[i]; i++)
	{
		const Field *field = cat_registry_column(resource, derived->made[i]);

		if (field && (i > 0 || (changed && !changed[field->attno - 1])))
			nulls[field->attno - 1] = true;
	}
}

/*
 * Set the made columns of a row, unless it has errors, or the statement changes nothing that they
 * depend on.
 *
 * values, nulls: by attribute number minus one; changed: NULL for a new record.  strict: add errors
 * of the record, or raise OD409 or OD422, if they cannot be made; else they become null.
 */
void
cat_derived_fill(Resource *resource, Datum *values, bool *nulls, const bool *changed, bool strict,
				 List **errors)
{
	const DerivedData *derived = derived_of(resource);

	if (!derived || cat_write_mode() == WRITE_MADE || *errors ||
		(!is_needed_changed(derived, resource, changed) &&
		 !is_any_changed(resource, derived->inputs, lengthof(derived->inputs), changed) &&
		 !is_any_changed(resource, derived->made, lengthof(derived->made), changed)))
		return;
	if (derived->complete)
		derived->complete(resource, values, nulls, errors);
	if (is_made(derived, resource, nulls))
		derived->make(resource, values, nulls, strict, errors);
	else if (is_needed_changed(derived, resource, changed))
		clear(derived, resource, nulls, changed);
}

/* Write the made columns of a record. */
static void
write_made(const DerivedData *derived, Resource *resource, const char *id, const Datum *values,
		   const bool *nulls)
{
	StatementParam params[1 + COLUMNS_MAX] = {text_param(id)};
	int count = 1;
	StringInfo sql = makeStringInfo();

	for (size_t i = 0; i < lengthof(derived->made) && derived->made[i]; i++)
	{
		const Field *field = cat_registry_column(resource, derived->made[i]);

		params[count++] =
			(StatementParam){field->type_oid, values[field->attno - 1], nulls[field->attno - 1]};
		appendStringInfo(sql, "%s%s = $%d", sql->len ? ", " : "", field->quoted, count);
	}
	cat_statement_params_in(WRITE_MADE,
							psprintf("UPDATE %s SET %s WHERE id = $1", resource->table, sql->data),
							count, params);
}

/* Return the record as this transaction has it now. */
static Rows
read_now(const Resource *resource, const char *id)
{
	Rows rows;

	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	rows = cat_rows_by_id(resource, id, ACCESS_ALL);
	PopActiveSnapshot();
	return rows;
}

/*
 * Return what a write tells of the columns that were made of a record: notes on the first one, and the
 * counts in the others, as members of a JSON object without the braces; NULL if there are none.
 */
const char *
cat_derived_meta(Resource *resource, const char *id)
{
	const DerivedData *derived = derived_of(resource);
	StringInfoData out;
	char *notes;
	Rows rows;

	if (!derived)
		return NULL;
	rows = read_now(resource, id);
	initStringInfo(&out);
	for (size_t i = 0; i < lengthof(derived->made) && derived->made[i] && rows.count == 1; i++)
	{
		const Field *field = cat_registry_column(resource, derived->made[i]);
		bool isnull;
		Datum value = heap_getattr(rows.tuples[0], field->attno, rows.desc, &isnull);

		if (!isnull && i > 0 && field->type_oid == INT4OID)
			appendStringInfo(&out, "%s\"%s\":%d", out.len ? "," : "", field->name,
							 DatumGetInt32(value));
		else if (!isnull && i == 0 && derived->notes && (notes = derived->notes(value)))
			appendStringInfoString(&out, notes);
	}
	return out.len ? out.data : NULL;
}

/* Make the columns of one record again. */
static void
make_again(const DerivedData *derived, Resource *resource, const char *id)
{
	Rows rows = read_now(resource, id);
	Datum *values;
	bool *nulls;
	List *errors = NIL;

	if (rows.count == 0)
		return;
	values = palloc(sizeof(Datum) * rows.desc->natts);
	nulls = palloc(sizeof(bool) * rows.desc->natts);
	heap_deform_tuple(rows.tuples[0], rows.desc, values, nulls);
	if (!is_made(derived, resource, nulls))
		return;
	derived->make(resource, values, nulls, false, &errors);
	write_made(derived, resource, id, values, nulls);
}

/* Return the ids of the living records that show a file. */
static List *
records_of(const DerivedData *derived, Resource *resource, const char *file)
{
	StringInfo files = makeStringInfo();

	for (int i = 0; derived->files[i]; i++)
	{
		const Field *field = cat_registry_column(resource, derived->files[i]);

		if (field)
			appendStringInfo(files, "%st.%s = $1", files->len ? " OR " : "", field->quoted);
	}
	cat_statement_fresh(psprintf("SELECT t.id::text FROM %s t WHERE (%s) AND "
								 "t.deleted_at IS NULL ORDER BY t.id",
								 resource->table, files->data),
						text_param(file));
	return cat_result_texts(1);
}

static void
follow_all(const char *file)
{
	for (int i = 0; i < nall; i++)
	{
		Resource *resource = cat_registry_resource(all[i].resource);

		foreach_ptr(char, word, records_of(&all[i], resource, file))
			make_again(&all[i], resource, word);
	}
}

/*
 * Make the columns of all records that show a file again, since its contents have changed.  The
 * service does this, whoever changed the file.
 */
void
cat_derived_follow(const char *file)
{
	const Actor *actor = cat_security_context_actor();

	cat_security_context_set_actor(NULL);
	PG_TRY();
	{
		follow_all(file);
	}
	PG_FINALLY();
	{
		cat_security_context_set_actor(actor);
	}
	PG_END_TRY();
}

/* As cat_derived_follow(), for a statement. */
CAT_FUNCTION(catalogue_make_derived)
{
	int nest = cat_security_context_pin();

	SPI_connect();
	cat_derived_follow(text_to_cstring(PG_GETARG_TEXT_PP(ARG_MAKE_DERIVED_FILE)));
	SPI_finish();
	cat_security_context_unpin(nest);
	PG_RETURN_VOID();
}
