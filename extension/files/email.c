/*
 * email.c
 *	  Messages that a client has sent to the operator by e-mail: a job for the worker.
 *
 * The caller chooses the words of a message, but neither its recipients nor its header: a line break
 * in a text of one line is refused.
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"

#include "base/body.h"
#include "call/call.h"
#include "query/query.h"

/* Members of the body, of which a deployed application sends some by another name. */
static const struct
{
	const char *name;
	const char *other;
	bool required;
	int maximum; /* characters */
	bool one_line;
} parts[] = {
	{"template", NULL, false, 20, true},		 {"name", NULL, false, 100, true},
	{"email", "mail", true, 250, true},			 {"subject", NULL, false, 150, true},
	{"text", "description", true, 10000, false},
};

static bool
has_control(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char) *text < ' ' || *text == 0x7F)
			return true;
	return false;
}

static bool
is_email(const char *text)
{
	cat_statement_read("SELECT catalogue.mail_address($1) IS NOT NULL", text_param(text));
	return cat_result_bool(1);
}

/* Return the text of a member, "" if it is missing; add an error if it is not valid. */
static const char *
text_of(List *members, size_t i, List **faults)
{
	const Member *member = cat_body_member(members, parts[i].name);
	bool missing = member == NULL || member->kind == MEMBER_NULL ||
				   (member->kind == MEMBER_STRING && member->text && member->text[0] == '\0');

	if (missing && parts[i].required)
		cat_validation_error_add(faults, parts[i].name, "required", NULL, "is required");
	if (missing)
		return "";
	if (member->kind != MEMBER_STRING || member->text == NULL)
		cat_validation_error_add(faults, parts[i].name, "type", member, "must be a string");
	else if (pg_mbstrlen(member->text) > parts[i].maximum)
		cat_validation_error_add(faults, parts[i].name, "maxLength", NULL,
								 psprintf("may have %d characters at most", parts[i].maximum));
	else if (parts[i].one_line && has_control(member->text))
		cat_validation_error_add(faults, parts[i].name, "format", member, "must be one line");
	else if (strcmp(parts[i].name, "template") == 0 && strcmp(member->text, "contact") != 0 &&
			 strcmp(member->text, "datasetrequest") != 0)
		cat_validation_error_add(faults, parts[i].name, "enum", member,
								 "must be one of contact, datasetrequest");
	else if (strcmp(parts[i].name, "email") == 0 && !is_email(member->text))
		cat_validation_error_add(faults, parts[i].name, "format", member,
								 "must be an e-mail address");
	else
		return member->text;
	return "";
}

/*
 * Return the names of the parts, List of char *.  Members that come by another name get that one,
 * unless it is there as well.
 */
static List *
name_parts(List *members)
{
	List *names = NIL;

	for (size_t i = 0; i < lengthof(parts); i++)
	{
		Member *other = parts[i].other ? cat_body_member(members, parts[i].other) : NULL;

		names = lappend(names, pstrdup(parts[i].name));
		if (other && !cat_body_member(members, parts[i].name))
			other->name = pstrdup(parts[i].name);
	}
	return names;
}

/* Return the parts of a message as a JSON object. */
static char *
parts_of(List *members, List **faults)
{
	StringInfo object = makeStringInfo();

	for (size_t i = 0; i < lengthof(parts); i++)
		appendStringInfo(object, "%s\"%s\":%s", i > 0 ? "," : "{", parts[i].name,
						 cat_json_quoted(text_of(members, i, faults)));
	appendStringInfoChar(object, '}');
	return object->data;
}

CAT_REPLY(catalogue_send_email)
{
	List *faults = NIL;
	const char *given;
	List *members;
	List *names;
	Actor actor;

	cat_actor_read(fcinfo, ARG_SEND_EMAIL_ACTOR, &actor);
	cat_consumer_require(&actor, "email");
	cat_throttle_email(cat_call_reply_optional(fcinfo, ARG_SEND_EMAIL_ADDRESS));
	members = cat_body_argument(fcinfo, ARG_SEND_EMAIL_BODY);
	names = name_parts(members);
	reply->ignored = cat_ignored_of_members(fcinfo, ARG_SEND_EMAIL_STRICT, members, names, &faults);
	given = parts_of(members, &faults);
	if (faults)
		cat_validation_error_raise(faults, OD400, NULL);
	cat_statement_fresh("SELECT catalogue.queue_email($1::jsonb)", text_param(given));
}
