/*
 * derived.c
 *	  Derived values of records, and validation of settings.
 *
 * They are made in the statement that writes the record, and again when the contents of the file
 * change.  A record without the columns they are made from may have values of its own.
 */
#include "catalogue.h"

#include <limits.h>

#include "access/htup_details.h"
#include "access/xact.h"
#include "mb/pg_wchar.h"
#include "utils/snapmgr.h"

#include "base/settings.h"
#include "rows/pictures/pictures.h"
#include "write/write_internal.h"

/* Maximum number of characters of a whole number that certainly fits into 64 bits. */
#define INTEGER_LENGTH 18

/* The columns that determine the meaning of a value. */
enum
{
	SETTING_TYPE,
	SETTING_VALUE,
	SETTING_MODEL,
	SETTING_MULTIPLE,
	SETTING_SECRET,
	SETTING_COLUMNS
};

static const char *const columns[SETTING_COLUMNS] = {"type", "value", "model", "multiple",
													 "secret"};

static const char stored_sql[] =
	"SELECT type::text, value::text, model::text, multiple::text, secret::text "
	"FROM catalogue.configs WHERE id = $1";

static bool
fits_int(const char *text)
{
	return cat_literal_integer(text) && strlen(text) <= INTEGER_LENGTH;
}

/* Syntax of values by type; other types accept any text. */
static const struct
{
	const char *type;
	bool (*fits)(const char *text);
	const char *takes;
} shapes[] = {
	{"bool", cat_literal_boolean, "takes true or false"},
	{"int", fits_int, "takes a whole number of at most 18 characters"},
	{"float", cat_literal_number, "takes a number"},
	{"group", cat_literal_boolean, "takes true or false: whether its settings are shown"},
};

/* Read the columns of a row as text, NULL for null; false if the table lacks one of them. */
static bool
read_texts(Resource *resource, const Datum *values, const bool *nulls, char **texts)
{
	for (int i = 0; i < SETTING_COLUMNS; i++)
	{
		const Field *field = cat_registry_column(resource, columns[i]);

		if (!field)
			return false;
		texts[i] = cat_validate_text(field, values, nulls);
	}
	return true;
}

/* Read the columns that a change leaves alone from the stored record. */
static void
read_stored(Resource *resource, const char *id, const bool *changed, char **texts)
{
	cat_statement_fresh(stored_sql, text_param(id));
	for (int i = 0; i < SETTING_COLUMNS && SPI_processed > 0; i++)
		if (!changed[cat_registry_column(resource, columns[i])->attno - 1])
			texts[i] = cat_result_text(i + 1);
}

/* Return whether a change affects the value or its meaning; changed: NULL for a complete record. */
static bool
is_touched(Resource *resource, const bool *changed)
{
	bool touched = !changed;

	for (int i = 0; i < SETTING_SECRET && !touched; i++)
		touched = changed[cat_registry_column(resource, columns[i])->attno - 1];
	return touched;
}

/* Return the values of a setting, one or several separated by commas: List of char *. */
static List *
split(const char *value, const char *multiple)
{
	List *parts = NIL;
	char *rest = NULL;

	if (!multiple || *multiple != 't')
		return list_make1(pstrdup(value));
	for (char *part = strtok_r(pstrdup(value), ",", &rest); part; part = strtok_r(NULL, ",", &rest))
		parts = lappend(parts, unconstify(char *, cat_one_line_trim(part)));
	return parts;
}

/* Add an error for each value that does not fit the type; a secret value is not echoed. */
static void
check_shape(char **texts, List *parts, List **errors)
{
	bool secret = texts[SETTING_SECRET] && *texts[SETTING_SECRET] == 't';

	for (size_t i = 0; i < lengthof(shapes); i++)
		if (strcmp(shapes[i].type, texts[SETTING_TYPE]) == 0)
			foreach_ptr(char, part, parts)
				if (!shapes[i].fits(part))
					cat_validation_error_add(errors, "value", "format",
											 secret ? NULL : cat_validation_error_value(part),
											 shapes[i].takes);
}

/* Add an error for each value that is not the id of a living record of the model's resource. */
static void
check_model(const char *model, const char *id, List *parts, List **errors)
{
	Resource *target;
	char *path;

	if (!model || *model == '\0')
	{
		cat_validation_error_add(errors, "model", "required", NULL,
								 "is required where the type is model");
		return;
	}
	path = cat_registry_plural(model);
	target = cat_registry_find(path ? path : model);
	if (target)
		cat_validate_references("value", target, NULL, id, parts, errors);
	else
		cat_validation_error_add(errors, "model", "reference", cat_validation_error_value(model),
								 "names no resource");
}

/*
 * Add the errors of a setting's value; does nothing for records of other resources.
 *
 * Null and an empty text are values of every type.  changed: the attributes with new values, NULL
 * for all.  The named records are locked against deletion.
 */
void
cat_setting_check(Resource *resource, const char *id, const Datum *values, const bool *nulls,
				  const bool *changed, List **errors)
{
	char *texts[SETTING_COLUMNS];
	List *parts;

	if (strcmp(resource->name, "configs") != 0 || !read_texts(resource, values, nulls, texts) ||
		!is_touched(resource, changed) || cat_validation_error_has(*errors, "type") ||
		cat_validation_error_has(*errors, "value"))
		return;
	/* the new record has only what the body gives */
	if (changed && !texts[SETTING_TYPE])
		read_stored(resource, id, changed, texts);
	if (!texts[SETTING_TYPE] || !texts[SETTING_VALUE] || *texts[SETTING_VALUE] == '\0')
		return;
	parts = split(texts[SETTING_VALUE], texts[SETTING_MULTIPLE]);
	if (strcmp(texts[SETTING_TYPE], "model") != 0)
		check_shape(texts, parts, errors);
	else if (cat_check_references && !cat_validation_error_has(*errors, "model"))
		check_model(texts[SETTING_MODEL], id, parts, errors);
}

/*
 * The service gives it to a record with a file that has none of its client's.  It follows the name
 * of the record, and is kept where a client has written another one.
 */

#define BEGIN "<img src=\""
#define MIDDLE "\" alt=\""
#define END "\">"

/* Resources whose records have a picture at the sub-path "image". */
static const char *const drawn[] = {"charts", "maps", NULL};

/* Return the text of a column; NULL for null, and if there is no such column. */
static char *
text_of(Resource *resource, const char *column, const Datum *values, const bool *nulls)
{
	const Field *field = cat_registry_column(resource, column);

	return !field || nulls[field->attno - 1] ? NULL : TextDatumGetCString(values[field->attno - 1]);
}

/* Append as many characters of a name as there is room for in the column. */
static void
append_name(StringInfo out, const char *name, int most)
{
	int length;

	for (; *name; name += length)
	{
		int before = out->len;

		length = pg_mblen(name);
		cat_svg_text(out, pnstrdup(name, (Size) length));
		if (pg_mbstrlen(out->data) + (int) strlen(END) > most)
		{
			out->len = before;
			out->data[before] = '\0';
			return;
		}
	}
}

/*
 * Return the code of a record; NULL if it has no file, or if the address is too long.
 *
 * base: address of the service, as text of HTML.
 */
static char *
make_code(Resource *resource, const char *base, const Datum *values, const bool *nulls)
{
	const Field *field = cat_registry_column(resource, "embed_code");
	const char *id = text_of(resource, "id", values, nulls);
	const char *name = text_of(resource, "name", values, nulls);
	StringInfoData out;

	if (!text_of(resource, "file", values, nulls) || !id)
		return NULL;
	initStringInfo(&out);
	appendStringInfo(&out, BEGIN "%s/%s/%s/image" MIDDLE, base, resource->name, id);
	if (field->max > 0 && pg_mbstrlen(out.data) + (int) strlen(END) > field->max)
		return NULL;
	append_name(&out, name ? name : "", field->max > 0 ? field->max : INT_MAX);
	appendStringInfoString(&out, END);
	return out.data;
}

/* Return the address of the service in the code that it gave a record; NULL for another code. */
static char *
base_of(Resource *resource, const char *code, const Datum *values, const bool *nulls)
{
	const char *id = text_of(resource, "id", values, nulls);
	const char *end = strstr(code, psprintf("/%s/%s/image" MIDDLE, resource->name, id));
	char *base;
	char *made;

	if (!end || strncmp(code, BEGIN, strlen(BEGIN)) != 0 || end < code + strlen(BEGIN))
		return NULL;
	code += strlen(BEGIN);
	base = pnstrdup(code, (Size) (end - code));
	made = make_code(resource, base, values, nulls);
	return made && strcmp(made, code - strlen(BEGIN)) == 0 ? base : NULL;
}

/* Return the address at which the present call was received, as text of HTML; NULL for none. */
static char *
base_of_call(void)
{
	const Actor *actor = cat_security_context_actor();
	StringInfoData out;

	if (!actor || !actor->base)
		return NULL;
	initStringInfo(&out);
	cat_svg_text(&out, actor->base);
	return out.data;
}

/*
 * Give a record its code if it has none, and make the code again that the service gave.
 *
 * old_values, old_nulls: the record before an update, NULL for a new one; changed: the columns that
 * the statement changes.
 */
void
cat_embed_code_fill(Resource *resource, const Datum *old_values, const bool *old_nulls,
					Datum *values, bool *nulls, const bool *changed)
{
	const Field *field = cat_query_string_is_among(resource->name, drawn)
							 ? cat_registry_column(resource, "embed_code")
							 : NULL;
	char *base = NULL;
	char *code;

	if (!field || field->kind != FIELD_TEXT)
		return;
	if (nulls[field->attno - 1])
		base = base_of_call();
	else if (old_values && !changed[field->attno - 1])
		base = base_of(resource, text_of(resource, "embed_code", old_values, old_nulls), old_values,
					   old_nulls);
	if (!base)
		return;
	code = make_code(resource, base, values, nulls);
	nulls[field->attno - 1] = code == NULL;
	if (code)
		values[field->attno - 1] = CStringGetTextDatum(code);
}

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

static bool
has_value(Resource *resource, const char *column, const bool *nulls)
{
	const Field *field = cat_registry_column(resource, column);

	return field && !nulls[field->attno - 1];
}

/* Return whether the columns are made of a record, from which of its columns are null. */
static bool
is_made(const DerivedData *derived, Resource *resource, const bool *nulls)
{
	for (size_t i = 0; i < lengthof(derived->needed) && derived->needed[i]; i++)
		if (!has_value(resource, derived->needed[i], nulls))
			return false;
	return true;
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
		(!is_any_changed(resource, derived->needed, lengthof(derived->needed), changed) &&
		 !is_any_changed(resource, derived->inputs, lengthof(derived->inputs), changed) &&
		 !is_any_changed(resource, derived->made, lengthof(derived->made), changed)))
		return;
	if (derived->complete)
		derived->complete(resource, values, nulls);
	if (is_made(derived, resource, nulls))
		derived->make(resource, values, nulls, strict, errors);
	else if (is_any_changed(resource, derived->needed, lengthof(derived->needed), changed))
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
 * Return the counts that were made of a record, all columns but the first one, as members of a JSON
 * object without the braces; NULL if there are none.
 */
const char *
cat_derived_counts(Resource *resource, const char *id)
{
	const DerivedData *derived = derived_of(resource);
	StringInfoData out;
	Rows rows;

	if (!derived || !derived->made[1])
		return NULL;
	rows = read_now(resource, id);
	initStringInfo(&out);
	for (size_t i = 1; i < lengthof(derived->made) && derived->made[i] && rows.count == 1; i++)
	{
		const Field *field = cat_registry_column(resource, derived->made[i]);
		bool isnull;
		Datum value = heap_getattr(rows.tuples[0], field->attno, rows.desc, &isnull);

		if (!isnull)
			appendStringInfo(&out, "%s\"%s\":%d", out.len ? "," : "", field->name,
							 DatumGetInt32(value));
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
records_of(const Resource *resource, const char *file)
{
	cat_statement_fresh(psprintf("SELECT t.id::text FROM %s t WHERE t.file = $1 AND "
								 "t.deleted_at IS NULL ORDER BY t.id",
								 resource->table),
						text_param(file));
	return cat_result_texts(1);
}

static void
follow_all(const char *file)
{
	for (int i = 0; i < nall; i++)
	{
		Resource *resource = cat_registry_resource(all[i].resource);

		foreach_ptr(char, word, records_of(resource, file))
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
