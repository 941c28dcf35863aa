/*
 * setting.c
 *	  Values of settings, the records of configs: each fits its type, and one of type model names
 *	  living records.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "base/body.h"
#include "base/settings.h"
#include "pg/pg.h"
#include "registry/registry.h"
#include "write/validation_internal.h"

/* Characters of a whole number that fits into 64 bits. */
#define INTEGER_LENGTH 18

/* The columns that say together what a value is. */
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

/* The living settings that name record $1 of the resource with model $2 and path $3. */
#define NAMING                                                                  \
	"FROM catalogue.configs d WHERE d.deleted_at IS NULL AND d.type = 'model' " \
	"AND lower(d.model) IN (lower($2), $3) "                                    \
	"AND $1 = ANY (regexp_split_to_array(d.value, '[^0-9A-Za-z]+')) "           \
	"AND (d.id <> $1 OR $3 <> 'configs')"

static bool
fits_int(const char *text)
{
	return cat_literal_integer(text) && strlen(text) <= INTEGER_LENGTH;
}

static bool
fits_group(const char *text)
{
	return false;
}

/* What a value of a type looks like; any text is one of a type that is not here. */
static const struct
{
	const char *type;
	bool (*fits)(const char *text);
	const char *takes;
} shapes[] = {
	{"bool", cat_literal_boolean, "takes true or false"},
	{"int", fits_int, "takes a whole number of at most 18 characters"},
	{"float", cat_literal_number, "takes a number"},
	{"group", fits_group, "takes nothing in a group: the settings below it have the values"},
};

/* The columns of a row as text, NULL for null; false where the table has not all of them. */
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

/* Take what a change does not give from the record as it is. */
static void
read_stored(Resource *resource, const char *id, const bool *changed, char **texts)
{
	Oid type = TEXTOID;
	Datum value = CStringGetTextDatum(id);

	cat_statement_run(stored_sql, 1, &type, &value, NULL, true, 1);
	for (int i = 0; i < SETTING_COLUMNS && SPI_processed > 0; i++)
		if (!changed[cat_registry_column(resource, columns[i])->attno - 1])
			texts[i] = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1);
}

/* Whether a change gives anything that says what the value is; changed: NULL for a whole record. */
static bool
is_touched(Resource *resource, const bool *changed)
{
	bool touched = !changed;

	for (int i = 0; i < SETTING_SECRET && !touched; i++)
		touched = changed[cat_registry_column(resource, columns[i])->attno - 1];
	return touched;
}

/* The values of a setting: one, or several with commas between them, as a List of char *. */
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

/* Add a fault for each part that does not fit the type; a secret is not told back. */
static void
check_shape(char **texts, List *parts, List **faults)
{
	ListCell *cell;
	bool secret = texts[SETTING_SECRET] && *texts[SETTING_SECRET] == 't';

	for (size_t i = 0; i < lengthof(shapes); i++)
		if (strcmp(shapes[i].type, texts[SETTING_TYPE]) == 0)
			foreach(cell, parts)
				if (!shapes[i].fits(lfirst(cell)))
					cat_validation_error_add(faults, "value", "format",
											 secret ? NULL : cat_fault_value(lfirst(cell)),
											 shapes[i].takes);
}

/* Add a fault for each part that is no living record of the resource that the model names. */
static void
check_model(const char *model, const char *id, List *parts, List **faults)
{
	Resource *target;
	char *path;

	if (!model || *model == '\0')
	{
		cat_validation_error_add(faults, "model", "required", NULL,
								 "is required where the type is model");
		return;
	}
	path = cat_registry_plural(model);
	target = cat_registry_find(path ? path : model);
	if (target)
		cat_validate_references("value", target, NULL, id, parts, faults);
	else
		cat_validation_error_add(faults, "model", "reference", cat_fault_value(model),
								 "names no resource");
}

/*
 * Add the faults of the value of a setting; records of other resources have none.
 *
 * Nothing, null or an empty text, is a value of every type.  changed: the attributes that have new
 * values, NULL for all.  The records that are named are locked against deletion.
 */
void
cat_setting_check(Resource *resource, const char *id, const Datum *values, const bool *nulls,
				  const bool *changed, List **faults)
{
	char *texts[SETTING_COLUMNS];
	List *parts;

	if (strcmp(resource->name, "configs") != 0 || !read_texts(resource, values, nulls, texts) ||
		!is_touched(resource, changed) || cat_validation_error_has(*faults, "type") ||
		cat_validation_error_has(*faults, "value"))
		return;
	/* a draft has only what the body gives */
	if (changed && !texts[SETTING_TYPE])
		read_stored(resource, id, changed, texts);
	if (!texts[SETTING_TYPE] || !texts[SETTING_VALUE] || *texts[SETTING_VALUE] == '\0')
		return;
	parts = split(texts[SETTING_VALUE], texts[SETTING_MULTIPLE]);
	if (strcmp(texts[SETTING_TYPE], "model") != 0)
		check_shape(texts, parts, faults);
	else if (cat_check_references && !cat_validation_error_has(*faults, "model"))
		check_model(texts[SETTING_MODEL], id, parts, faults);
}

static char *
ask(const char *sql, const Resource *resource, const char *id, bool writes)
{
	Oid types[] = {TEXTOID, TEXTOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(id), CStringGetTextDatum(resource->model),
					  CStringGetTextDatum(resource->name)};

	cat_statement_run(sql, lengthof(types), types, values, NULL, writes, 0);
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
}

/* How many living settings name a record, as of now. */
int64
cat_setting_count(const Resource *resource, const char *id)
{
	return strtoll(ask("SELECT count(*)::text " NAMING, resource, id, true), NULL, 10);
}

/* Which living settings name a record, as the active snapshot sees it. */
char *
cat_setting_rows(const Resource *resource, const char *id)
{
	return ask("SELECT coalesce(string_agg(d.ctid::text, '' ORDER BY d.ctid), '') " NAMING,
			   resource, id, false);
}
