/*
 * validation_error.c
 *	  Validation errors of a record or request, which are collected and reported together.
 */
#include "catalogue.h"

#include "common/jsonapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/hsearch.h"

#include "base/base.h"
#include "base/body.h"

/* Maximum length in bytes of a value that is echoed. */
#define ECHO_MAX 200

/* A validation error of a field. */
typedef struct ValidationError
{
	const char *field;
	const char *rule;
	const char *message;
	const char *value; /* JSON text, NULL to leave out */
} ValidationError;

void
cat_validation_error_add(List **errors, const char *field, const char *rule, const Member *member,
						 const char *message)
{
	ValidationError *error = palloc0(sizeof(ValidationError));

	error->field = field;
	error->rule = rule;
	error->message = message;
	if (member && member->raw && strlen(member->raw) <= ECHO_MAX)
		error->value = member->raw;
	*errors = lappend(*errors, error);
}

Member *
cat_validation_error_value(const char *text)
{
	Member *member = palloc0(sizeof(Member));

	member->raw = cat_json_quoted(text);
	return member;
}

bool
cat_validation_error_has(List *errors, const char *field)
{
	foreach_ptr(ValidationError, error, errors)
		if (strcmp(error->field, field) == 0)
			return true;
	return false;
}

void
cat_validation_error_drop(List **errors, const char *field)
{
	List *others = NIL;

	foreach_ptr(ValidationError, error, *errors)
		if (strcmp(error->field, field) != 0)
			others = lappend(others, error);
	*errors = others;
}

bool
cat_validation_error_is_full(List *errors)
{
	return list_length(errors) >= FAULTS_MAX;
}

char *
cat_validation_error_count(List *errors)
{
	int count = list_length(errors);

	return count <= FAULTS_MAX
			   ? psprintf("%d faults", count)
			   : psprintf("%d faults, the first %d of which are listed", count, FAULTS_MAX);
}

static void
append_error(StringInfo out, const ValidationError *error)
{
	appendStringInfo(out, "{\"rule\":\"%s\",\"message\":%s", error->rule,
					 cat_json_quoted(error->message));
	if (error->value)
		appendStringInfo(out, ",\"value\":%s", error->value);
	appendStringInfoChar(out, '}');
}

/* Append the errors of one field as an array, unless an earlier error is of the same field. */
static void
append_field(StringInfo out, List *errors, int first)
{
	const char *name = ((ValidationError *) list_nth(errors, first))->field;
	int found = 0;

	for (int i = 0; i < first; i++)
		if (strcmp(((ValidationError *) list_nth(errors, i))->field, name) == 0)
			return;
	if (out->len > 1)
		appendStringInfoChar(out, ',');
	cat_json_text_string(out, name);
	appendStringInfoString(out, ":[");
	for (int i = first; i < list_length(errors); i++)
	{
		const ValidationError *error = list_nth(errors, i);

		if (strcmp(error->field, name) != 0)
			continue;
		if (found++ > 0)
			appendStringInfoChar(out, ',');
		append_error(out, error);
	}
	appendStringInfoChar(out, ']');
}

char *
cat_validation_error_json(List *errors)
{
	List *reported = list_truncate(list_copy(errors), FAULTS_MAX);
	StringInfo out = makeStringInfo();

	appendStringInfoChar(out, '{');
	for (int i = 0; i < list_length(reported); i++)
		append_field(out, reported, i);
	appendStringInfoChar(out, '}');
	return out->data;
}

/*
 * Raise the errors, as JSON in the detail.
 *
 * code: OD400, or OD409 for a record that cannot be restored in its present form.  hint: a
 * sentence, NULL for none.
 */
void
cat_validation_error_raise(List *errors, int code, const char *hint)
{
	const ValidationError *first = linitial(errors);
	const char *what = code == OD409 ? "the record cannot be restored" : "invalid record";

	ereport(ERROR,
			(errcode(code),
			 list_length(errors) == 1 ? errmsg("%s: \"%s\" %s", what, first->field, first->message)
									  : errmsg("%s: %s", what, cat_validation_error_count(errors)),
			 errdetail_internal("%s", cat_validation_error_json(errors)),
			 hint ? errhint("%s", hint) : 0));
}

/* Raise OD422 with all errors of query parameters, as JSON in the detail. */
void
cat_validation_error_raise_parameters(List *errors)
{
	const ValidationError *first = linitial(errors);

	ereport(ERROR,
			(errcode(OD422),
			 list_length(errors) == 1 ? errmsg("parameter \"%s\" %s", first->field, first->message)
									  : errmsg("%d parameters are not known", list_length(errors)),
			 errdetail_internal("%s", cat_validation_error_json(errors))));
}

bool
cat_validation_error_is_fault(const ErrorData *error)
{
	int category = ERRCODE_TO_CATEGORY(error->sqlerrcode);

	return (strncmp(unpack_sql_state(error->sqlerrcode), "OD4", 3) == 0 &&
			error->sqlerrcode != OD429) ||
		   error->sqlerrcode == OD308 || category == ERRCODE_DATA_EXCEPTION ||
		   category == ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION;
}
