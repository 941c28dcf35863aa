/*
 * user.c
 *	  SQL functions login, confirm_password, logout and session; rules for users.
 */
#include "catalogue.h"

#include "access/xact.h"
#include "utils/snapmgr.h"

#include "account/account.h"
#include "base/base.h"
#include "base/body.h"
#include "call/call.h"
#include "query/query.h"

#define USERS_SQL                                                                 \
	"SELECT u.id::text, u.username::text, u.role::text, u.session::timestamptz, " \
	"u.password::text FROM catalogue.users u WHERE "

/* ends a session as triggers.c does */
static const char end_sql[] = "UPDATE catalogue.users SET session = greatest(clock_timestamp(), "
							  "session + interval '1 microsecond') WHERE id = $1";

static const char lock_superadmins_sql[] =
	"SELECT pg_advisory_xact_lock(hashtextextended('catalogue.superadmins', 0))";

static const char superadmin_sql[] =
	"SELECT FROM catalogue.users u WHERE u.role = 'superadmin' AND u.active IS NOT FALSE "
	"AND u.deleted_at IS NULL AND u.deactivated_at IS NULL LIMIT 1";

/* Fill in a reply with a user: columns id, username, role and session of the last statement. */
static void
reply_user(CallReply *reply)
{
	bool isnull;

	reply->id = cat_result_text(1);
	reply->version = DatumGetTimestampTz(cat_result_datum(4, &isnull));
	cat_call_reply_format(reply, "{\"user\":%s,\"username\":%s,\"role\":%s}",
						  cat_json_quoted(reply->id), cat_json_quoted(cat_result_text(2)),
						  cat_json_quoted(cat_result_text(3)));
}

/* Fill in a reply without a user: an empty object. */
static void
reply_nobody(CallReply *reply)
{
	reply->ignored = NULL;
	cat_call_reply_format(reply, "{}");
}

/* Look up the user of a name who may log in; SPI_processed and SPI_tuptable have the result. */
static void
find_by_name(const char *username)
{
	cat_statement_read(USERS_SQL "lower(u.username::text) = lower($1) AND u.deleted_at IS NULL "
								 "AND u.deactivated_at IS NULL AND u.active IS NOT FALSE",
					   text_param(username));
}

/*
 * Return whether the password matches the user that was looked up; takes as long if there is none.
 */
static bool
is_right(const char *password)
{
	return cat_password_verify(password, SPI_processed == 1 ? cat_result_text(5) : NULL);
}

/*
 * Check a user name and a password.
 *
 * If either is wrong, returns a reply without a user rather than an error, so that the attempt is
 * counted.  Raises OD400 for a missing member and, under strict handling, for an unknown one; OD429
 * after too many failures.
 */
CAT_REPLY(catalogue_login)
{
	const char *address = cat_call_reply_optional(fcinfo, ARG_LOGIN_ADDRESS);
	List *errors = NIL;
	List *members = cat_body_argument(fcinfo, ARG_LOGIN_BODY);
	char *username;
	char *password;

	reply->resource = "users";
	reply->ignored = cat_ignored_of_members(fcinfo, ARG_LOGIN_STRICT, members,
											list_make2("username", "password"), &errors);
	username = cat_body_text(members, "username", &errors);
	password = cat_body_text(members, "password", &errors);
	if (errors)
		cat_validation_error_raise(errors, OD400, NULL);
	username = unconstify(char *, cat_compose_text(username));
	cat_throttle_begin(username, address);
	find_by_name(username);
	if (!is_right(password))
	{
		reply_nobody(reply);
		return;
	}
	cat_throttle_end(username, address);
	find_by_name(username);
	reply_user(reply);
}

/*
 * Return whether the new password is in the body twice, by a user who has just logged in; add an
 * error if the second one is another.
 */
static bool
is_confirmed(const Actor *actor, List *members, const Member *wanted, List **errors)
{
	const Member *again = cat_body_member(members, "passwordConfirm");

	if (!actor->recent || !again || cat_body_member(members, "currentPassword"))
		return false;
	if (!again->text || !wanted->text || strcmp(again->text, wanted->text) != 0)
		cat_validation_error_add(errors, "passwordConfirm", "format", NULL,
								 "is not the same as \"password\"");
	return true;
}

char *
cat_user_own_password(const Resource *resource, const char *id, const Actor *actor, List *members,
					  List **errors)
{
	Member *wanted = cat_body_member(members, "password");

	if (strcmp(resource->name, "users") != 0 || !wanted || wanted->kind == MEMBER_NULL ||
		strcmp(id, actor->user) != 0 || is_confirmed(actor, members, wanted, errors))
		return NULL;
	return cat_body_text(members, "currentPassword", errors);
}

static void
find_by_id(const char *id)
{
	cat_statement_read(USERS_SQL "u.id = $1", text_param(id));
}

static void
add_wrong_password(List **errors)
{
	cat_validation_error_add(errors, "currentPassword", "format", NULL,
							 "is not the present password");
}

void
cat_user_check_own_password(const Resource *resource, const char *id, const Actor *actor,
							List *members, List **errors)
{
	char *present = cat_user_own_password(resource, id, actor, members, errors);

	if (!present)
		return;
	find_by_id(actor->user);
	if (!is_right(present))
		add_wrong_password(errors);
}

StringInfo
cat_user_check_counted(const char *id, const char *present, const char *address)
{
	List *errors = NIL;
	char *username;
	StringInfo data;

	find_by_id(id);
	username = cat_result_text(2);
	cat_throttle_begin(username, address);
	find_by_id(id);
	if (is_right(present))
	{
		cat_throttle_end(username, address);
		return NULL;
	}
	add_wrong_password(&errors);
	data = makeStringInfo();
	appendStringInfoString(data, cat_validation_error_json(errors));
	return data;
}

/* Return the id of the actor in an argument, who must be a user, as a statement's argument. */
static char *
user_id(FunctionCallInfo fcinfo, int actor_number)
{
	Actor actor;

	cat_actor_read(fcinfo, actor_number, &actor);
	if (actor.user[0] == '\0')
		ereport(ERROR, (errcode(OD401), errmsg("a user is needed for this")));
	return pstrdup(actor.user);
}

/* Invalidate all tokens of a user. */
CAT_REPLY(catalogue_logout)
{
	cat_statement_in(WRITE_UNRECORDED, end_sql, text_param(user_id(fcinfo, ARG_LOGOUT_ACTOR)));
	reply->resource = "users";
	reply_nobody(reply);
}

/* Return the user of a credential.  Raises OD401 unless the user may still log in. */
CAT_REPLY(catalogue_session)
{
	find_by_id(user_id(fcinfo, ARG_SESSION_ACTOR));
	reply->resource = "users";
	reply_user(reply);
}

bool
cat_user_governs(Resource *users, TupleTableSlot *slot)
{
	bool isnull;
	Datum value = slot_getattr(slot, cat_registry_column(users, "role")->attno, &isnull);

	if (isnull || DatumGetObjectId(value) != cat_permission_superadmin())
		return false;
	value = slot_getattr(slot, cat_registry_column(users, "active")->attno, &isnull);
	return (isnull || DatumGetBool(value)) && slot_attisnull(slot, users->deleted_at) &&
		   slot_attisnull(slot, users->deactivated_at);
}

void
cat_user_require_superadmin(void)
{
	cat_statement_fresh(lock_superadmins_sql);
	CommandCounterIncrement();
	PushActiveSnapshot(GetLatestSnapshot());
	cat_statement_read(superadmin_sql);
	PopActiveSnapshot();
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(OD409), errmsg("no superadmin who may log in would be left"),
						errhint("Make another user a superadmin first.")));
}
