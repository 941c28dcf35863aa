/*
 * consumer_admin.c
 *	  Consumers and their keys over HTTP, for superadmins.
 *
 * Here is who may do it, and the types of the members of bodies; the rest is in consumer_admin.sql.
 */
#include "catalogue.h"

#include "account/account.h"
#include "base/body.h"
#include "call/call.h"
#include "query/query.h"

/* A member of a body, and what it takes. */
typedef struct MemberType
{
	const char *name;
	MemberKind kind; /* or null */
	bool needed;	 /* of a new consumer */
} MemberType;

/* of a new one, of which the first is its id */
static const MemberType consumer_members[] = {
	{"id", MEMBER_STRING, false},			{"name", MEMBER_STRING, true},
	{"return", MEMBER_STRING, false},		{"relations", MEMBER_STRING, false},
	{"color", MEMBER_STRING, false},		{"expires", MEMBER_STRING, false},
	{"origins", MEMBER_ARRAY, false},		{"publicPaths", MEMBER_ARRAY, false},
	{"tokenLifetime", MEMBER_NUMBER, false}};

static const MemberType key_members[] = {
	{"kind", MEMBER_STRING, false},		{"key", MEMBER_STRING, false},
	{"material", MEMBER_STRING, false}, {"issuesTokens", MEMBER_BOOLEAN, false},
	{"expires", MEMBER_STRING, false},	{"resources", MEMBER_ARRAY, false},
	{"verbs", MEMBER_ARRAY, false},		{"organization", MEMBER_STRING, false},
	{"rate", MEMBER_NUMBER, false}};

static const MemberType replacement_members[] = {{"grace", MEMBER_NUMBER, false},
												 {"material", MEMBER_STRING, false}};

/* Return the user, "" for a database user.  Raises OD401 or OD403 for one who may not. */
static const char *
require_superadmin(FunctionCallInfo fcinfo, int number)
{
	Actor *actor = palloc0(sizeof(Actor));

	cat_actor_read(fcinfo, number, actor);
	cat_permission_require_super(actor, "consumers", "applications are for superadmins only");
	return actor->user;
}

/* Is each element of the array a string? */
static bool
is_of_strings(const Member *member)
{
	foreach_ptr(const Member, element, cat_body_elements(member->raw))
		if (element->kind != MEMBER_STRING)
			return false;
	return true;
}

/* Return what the member takes, as a predicate; NULL if it has it. */
static const char *
fault_of(const Member *member, MemberKind kind)
{
	switch (kind)
	{
		case MEMBER_NUMBER:
			return member->kind == kind &&
						   strspn(member->raw, "0123456789") == strlen(member->raw) &&
						   strlen(member->raw) <= 10
					   ? NULL
					   : "takes a whole number";
		case MEMBER_ARRAY:
			return member->kind == kind && is_of_strings(member) ? NULL
																 : "takes an array of strings";
		case MEMBER_BOOLEAN:
			return member->kind == kind ? NULL : "takes true or false";
		default:
			return member->kind == kind ? NULL : "takes a string";
	}
}

/* Return the body as the text of an object.  Raises OD400 for members of another type. */
static const char *
read_body(FunctionCallInfo fcinfo, int body, int strict, CallReply *reply, const MemberType *types,
		  int ntypes, bool whole)
{
	List *members = cat_body_argument(fcinfo, body);
	List *errors = NIL;
	List *known = NIL;
	StringInfo out = makeStringInfo();

	for (int i = 0; i < ntypes; i++)
	{
		const char *name = types[i].name;
		Member *member = cat_body_member(members, name);
		const char *fault =
			member && member->kind != MEMBER_NULL ? fault_of(member, types[i].kind) : NULL;

		known = lappend(known, unconstify(char *, name));
		if (types[i].needed && (member ? member->kind == MEMBER_NULL : whole))
			cat_validation_error_add(&errors, name, "required", NULL, "is required");
		else if (fault)
			cat_validation_error_add(&errors, name, "type", member, fault);
		else if (member)
			appendStringInfo(out, "%c\"%s\":%s", out->len > 0 ? ',' : '{', name, member->raw);
	}
	reply->ignored = cat_ignored_of_members(fcinfo, strict, members, known, &errors);
	if (errors)
		cat_validation_error_raise(errors, OD400, NULL);
	return out->len > 0 ? psprintf("%s}", out->data) : "{}";
}

CAT_REPLY(catalogue_consumers)
{
	(void) require_superadmin(fcinfo, ARG_CONSUMERS_ACTOR);
	cat_statement_read("SELECT catalogue.consumer_list()");
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}

static void
save(CallReply *reply, const char *id, const char *body, const char *user)
{
	cat_statement_fresh("SELECT catalogue.consumer_save($1, $2::jsonb, nullif($3, ''))",
						text_param(id), text_param(body), text_param(user));
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}

CAT_REPLY(catalogue_register_consumer)
{
	const char *user = require_superadmin(fcinfo, ARG_REGISTER_CONSUMER_ACTOR);

	save(reply, NULL,
		 read_body(fcinfo, ARG_REGISTER_CONSUMER_BODY, ARG_REGISTER_CONSUMER_STRICT, reply,
				   consumer_members, lengthof(consumer_members), true),
		 user);
}

CAT_REPLY(catalogue_change_consumer)
{
	const char *user = require_superadmin(fcinfo, ARG_CHANGE_CONSUMER_ACTOR);

	save(reply, cat_call_reply_required(fcinfo, ARG_CHANGE_CONSUMER_ID),
		 read_body(fcinfo, ARG_CHANGE_CONSUMER_BODY, ARG_CHANGE_CONSUMER_STRICT, reply,
				   consumer_members + 1, lengthof(consumer_members) - 1, false),
		 user);
}

/* Make a key, or put it in the place of another. */
static void
make_key(CallReply *reply, const char *consumer, const char *replaced, const char *body,
		 const char *user)
{
	cat_statement_fresh("SELECT catalogue.consumer_key_make($1, $2, $3::jsonb, nullif($4, ''))",
						text_param(consumer), text_param(replaced), text_param(body),
						text_param(user));
	cat_call_reply_format(reply, "%s", cat_result_text(1));
}

CAT_REPLY(catalogue_make_key)
{
	const char *user = require_superadmin(fcinfo, ARG_MAKE_KEY_ACTOR);

	make_key(reply, cat_call_reply_required(fcinfo, ARG_MAKE_KEY_CONSUMER), NULL,
			 read_body(fcinfo, ARG_MAKE_KEY_BODY, ARG_MAKE_KEY_STRICT, reply, key_members,
					   lengthof(key_members), true),
			 user);
}

CAT_REPLY(catalogue_replace_key)
{
	const char *user = require_superadmin(fcinfo, ARG_REPLACE_KEY_ACTOR);

	make_key(reply, cat_call_reply_required(fcinfo, ARG_REPLACE_KEY_CONSUMER),
			 cat_call_reply_required(fcinfo, ARG_REPLACE_KEY_KEY),
			 read_body(fcinfo, ARG_REPLACE_KEY_BODY, ARG_REPLACE_KEY_STRICT, reply,
					   replacement_members, lengthof(replacement_members), true),
			 user);
}

CAT_REPLY(catalogue_end_consumer)
{
	const char *user = require_superadmin(fcinfo, ARG_END_CONSUMER_ACTOR);

	cat_statement_fresh("SELECT catalogue.consumer_end($1, $2, nullif($3, ''))",
						text_param(cat_call_reply_required(fcinfo, ARG_END_CONSUMER_CONSUMER)),
						text_param(cat_call_reply_optional(fcinfo, ARG_END_CONSUMER_KEY)),
						text_param(user));
	cat_call_reply_format(reply, "{}");
}
