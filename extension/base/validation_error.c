/*
 * validation_error.c
 *	  Validation errors of a record or request, which are collected and reported together.
 */
#include "catalogue.h"

#include "base/base.h"
#include "base/body.h"

/* Maximum length in bytes of a value that is echoed. */
#define ECHO_MAX 200

/* A validation error of a field. */
typedef struct Fault
{
	const char *field;
	const char *rule;
	const char *message;
	const char *value; /* JSON text, NULL to leave out */
} Fault;

/*
 * Add an error of a field.
 *
 * rule: required, type, maxLength, enum, format, unique, reference, readOnly or unknown.  message:
 * what the field takes, as a predicate of its name.  member: the value to echo, NULL for none
 * (secrets).
 */
void
cat_validation_error_add(List **faults, const char *field, const char *rule, const Member *member,
						 const char *message)
{
	Fault *fault = palloc0(sizeof(Fault));

	fault->field = field;
	fault->rule = rule;
	fault->message = message;
	if (member && member->raw && strlen(member->raw) <= ECHO_MAX)
		fault->value = member->raw;
	*faults = lappend(*faults, fault);
}

/* Return a text as a member, to be echoed in an error. */
Member *
cat_fault_value(const char *text)
{
	Member *member = palloc0(sizeof(Member));
	StringInfoData raw;

	initStringInfo(&raw);
	cat_json_text_string(&raw, text);
	member->raw = raw.data;
	return member;
}

/* Return whether a field has an error. */
bool
cat_validation_error_has(List *faults, const char *field)
{
	ListCell *cell;

	foreach(cell, faults)
		if (strcmp(((Fault *) lfirst(cell))->field, field) == 0)
			return true;
	return false;
}

/* Remove the errors of a field. */
void
cat_validation_error_drop(List **faults, const char *field)
{
	ListCell *cell;

	foreach(cell, *faults)
		if (strcmp(((Fault *) lfirst(cell))->field, field) == 0)
			*faults = foreach_delete_current(*faults, cell);
}

static void
append_fault(StringInfo out, const Fault *fault)
{
	appendStringInfo(out, "{\"rule\":\"%s\",\"message\":", fault->rule);
	cat_json_text_string(out, fault->message);
	if (fault->value)
		appendStringInfo(out, ",\"value\":%s", fault->value);
	appendStringInfoChar(out, '}');
}

/* Append the errors of one field as an array, unless an earlier error is of the same field. */
static void
append_field(StringInfo out, List *faults, int first)
{
	const char *name = ((Fault *) list_nth(faults, first))->field;
	int found = 0;

	for (int i = 0; i < first; i++)
		if (strcmp(((Fault *) list_nth(faults, i))->field, name) == 0)
			return;
	if (out->len > 1)
		appendStringInfoChar(out, ',');
	cat_json_text_string(out, name);
	appendStringInfoString(out, ":[");
	for (int i = first; i < list_length(faults); i++)
	{
		const Fault *fault = list_nth(faults, i);

		if (strcmp(fault->field, name) != 0)
			continue;
		if (found++ > 0)
			appendStringInfoChar(out, ',');
		append_fault(out, fault);
	}
	appendStringInfoChar(out, ']');
}

/* Return the errors as a JSON object {field: [{rule, message, value}]}. */
char *
cat_validation_error_json(List *faults)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	for (int i = 0; i < list_length(faults); i++)
		append_field(&out, faults, i);
	appendStringInfoChar(&out, '}');
	return out.data;
}

/*
 * Raise all errors, as JSON in the detail.
 *
 * code: OD400, or OD409 for a record that cannot be restored in its present form.  hint: a
 * sentence, NULL for none.
 */
void
cat_validation_error_raise(List *faults, int code, const char *hint)
{
	const Fault *first = linitial(faults);
	const char *what = code == OD409 ? "the record cannot be restored" : "invalid record";

	ereport(ERROR,
			(errcode(code),
			 list_length(faults) == 1 ? errmsg("%s: \"%s\" %s", what, first->field, first->message)
									  : errmsg("%s: %d faults", what, list_length(faults)),
			 errdetail_internal("%s", cat_validation_error_json(faults)),
			 hint ? errhint("%s", hint) : 0));
}

/* Raise OD422 with all errors of query parameters, as JSON in the detail. */
void
cat_validation_error_raise_parameters(List *faults)
{
	const Fault *first = linitial(faults);

	ereport(ERROR,
			(errcode(OD422),
			 list_length(faults) == 1 ? errmsg("parameter \"%s\" %s", first->field, first->message)
									  : errmsg("%d parameters are not known", list_length(faults)),
			 errdetail_internal("%s", cat_validation_error_json(faults))));
}
