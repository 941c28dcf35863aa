/*
 * setting.c
 *	  Values of settings: whether one fits its type, and the records that it names.
 */
#include "catalogue.h"

#include <math.h>

#include "base/accent.h"
#include "base/settings.h"
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
	SETTING_KEY,
	SETTING_SECRET,
	SETTING_COLUMNS
};

static const char *const columns[SETTING_COLUMNS] = {"type",	 "value", "model",
													 "multiple", "key",	  "secret"};

static const char stored_sql[] =
	"SELECT type::text, value::text, model::text, multiple::text, key::text, "
	"secret::text "
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

/* Settings of the service itself that take one of some words. */
static const struct
{
	const char *key;
	const char *const *words;
	const char *takes;
} choices[] = {
	{"catalogProfile",
	 (const char *const[]){"dcat-ap-3", "dcat-ap-2", "dcat-us-1.1", "dcat-us-3", NULL},
	 "takes dcat-ap-3, dcat-ap-2, dcat-us-1.1 or dcat-us-3"},
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

/* Add an error for a value that is none of the words that the setting takes. */
static void
check_choice(char **texts, List **errors)
{
	for (size_t i = 0; i < lengthof(choices); i++)
		if (texts[SETTING_KEY] && strcmp(choices[i].key, texts[SETTING_KEY]) == 0 &&
			!cat_query_string_is_among(texts[SETTING_VALUE], choices[i].words))
			cat_validation_error_add(errors, "value", "enum",
									 cat_validation_error_value(texts[SETTING_VALUE]),
									 choices[i].takes);
}

/* Add an error for an accent colour that is none, or that cannot be read on pages. */
static void
check_accent(char **texts, List **errors)
{
	const char *value = texts[SETTING_VALUE];
	double contrast;

	if (!texts[SETTING_KEY] || strcmp(texts[SETTING_KEY], "accentColor") != 0)
		return;
	contrast = cat_accent_contrast(value);
	if (contrast < CAT_ACCENT_CONTRAST)
		cat_validation_error_add(errors, "value", "format", cat_validation_error_value(value),
								 contrast > 0 ? psprintf("has a contrast of %.2f to the ground of "
														 "its links, and needs 4.5",
														 floor(contrast * 100) / 100)
											  : "takes six hexadecimal digits");
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
	if (changed)
		read_stored(resource, id, changed, texts);
	if (!texts[SETTING_TYPE] || !texts[SETTING_VALUE] || *texts[SETTING_VALUE] == '\0')
		return;
	check_choice(texts, errors);
	check_accent(texts, errors);
	parts = split(texts[SETTING_VALUE], texts[SETTING_MULTIPLE]);
	if (strcmp(texts[SETTING_TYPE], "model") != 0)
		check_shape(texts, parts, errors);
	else if (cat_check_references && !cat_validation_error_has(*errors, "model"))
		check_model(texts[SETTING_MODEL], id, parts, errors);
}
