/*
 * import_options.c
 *	  How a document is imported: the members of the body besides the document.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "base/body.h"
#include "import/call_internal.h"
#include "pg/pg.h"

#define SOURCE_MAX 500 /* characters */

static const char *const gone_words[] = {"keep", "unpublish", "delete"};

/* Return the text of an option, NULL where it is absent. */
const char *
cat_import_option_text(List *members, const char *name, List **errors)
{
	const Member *member = cat_body_member(members, name);

	if (!member || member->kind == MEMBER_NULL)
		return NULL;
	if (member->kind == MEMBER_STRING)
		return member->text;
	cat_validation_error_add(errors, name, "type", member, "takes a string");
	return NULL;
}

/* The id of the record that an option names by $1 of a statement, NULL where it is absent; an error
 * is added where there is none. */
const char *
cat_import_option_record(List *members, const char *name, const char *sql, List **errors)
{
	const char *text = cat_import_option_text(members, name, errors);

	if (!text)
		return NULL;
	cat_statement_fresh(sql, text_param(text));
	if (SPI_processed > 0)
		return cat_result_text(1);
	cat_validation_error_add(errors, name, "reference", cat_body_member(members, name),
							 "refers to no record");
	return NULL;
}

/* Read the fields that are taken from the source: an array, or a text with commas in a form. */
static void
read_take(Import *import, List *members, List **errors)
{
	static const char *const fields[] = {"name", "description", "optionals",	"categories",
										 "tags", "type",		"organization", "updateFrequency",
										 "url",	 NULL};
	const Member *member = cat_body_member(members, "take");
	List *names = NIL;
	ListCell *cell;

	if (member && member->kind == MEMBER_STRING)
		names = cat_query_string_split(member->text, ',');
	else if (member && member->kind == MEMBER_ARRAY)
		foreach(cell, cat_body_elements(member->raw))
			names = lappend(names, cat_import_text(lfirst(cell)));
	else if (member && member->kind != MEMBER_NULL)
		cat_validation_error_add(errors, "take", "type", member, "takes a list of fields");
	foreach(cell, names)
		if (lfirst(cell) && cat_query_string_is_among(lfirst(cell), fields))
			import->take = lappend(import->take, lfirst(cell));
		else
			cat_validation_error_add(errors, "take", "enum", member,
									 "takes name, description, optionals, categories, tags, type, "
									 "organization, updateFrequency and url");
}

void
cat_import_require_source(const Import *import, const char *source)
{
	cat_statement_fresh("SELECT catalogue.require_import_source($1, $2, $3)", text_param(source),
						text_param(import->actor.user), bool_param(import->dry_run));
}

static void
read_gone(Import *import, List *members, List **errors)
{
	const char *word = cat_import_option_text(members, "gone", errors);

	for (size_t i = 0; word && i < lengthof(gone_words); i++)
		if (strcmp(gone_words[i], word) == 0)
		{
			import->gone = (GoneAction) i;
			return;
		}
	if (word)
		cat_validation_error_add(errors, "gone", "enum", cat_body_member(members, "gone"),
								 "takes keep, unpublish or delete");
}

/* Return the value of an option, which a form has as text; false where it is absent. */
static bool
read_boolean(List *members, const char *name, List **errors)
{
	const Member *member = cat_body_member(members, name);
	bool value = false;

	if (member && member->kind != MEMBER_NULL &&
		((member->kind != MEMBER_BOOLEAN && member->kind != MEMBER_STRING) || !member->text ||
		 !parse_bool(member->text, &value)))
		cat_validation_error_add(errors, name, "type", member, "takes a boolean");
	return value;
}

void
cat_import_options_read(Import *import, List *members, List **errors)
{
	import->source = cat_import_option_text(members, "source", errors);
	/* nothing is no name, which all would share who give none */
	if (import->source && import->source[strspn(import->source, " \t\r\n")] == '\0')
		import->source = NULL;
	if (import->source && cat_import_cut(import->source, SOURCE_MAX) != import->source)
		cat_validation_error_add(errors, "source", "maxLength", NULL,
								 psprintf("takes at most %d characters", SOURCE_MAX));
	import->dry_run = read_boolean(members, "dryRun", errors);
	import->publish = read_boolean(members, "publish", errors);
	import->partial = read_boolean(members, "partial", errors);
	import->accept_loss = read_boolean(members, "acceptLoss", errors);
	read_gone(import, members, errors);
	read_take(import, members, errors);
	import->category = cat_import_option_record(
		members, "category",
		"SELECT id::text FROM catalogue.categories WHERE $1 IN (id, slug) AND deleted_at IS NULL",
		errors);
	import->organization = cat_import_option_record(
		members, "organization",
		"SELECT id::text FROM catalogue.organizations WHERE $1 IN (id, slug) "
		"AND deleted_at IS NULL",
		errors);
}
