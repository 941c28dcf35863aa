/*
 * user.c
 *	  login, logout, session.
 */
#include "catalogue.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

#include "account/account.h"
#include "base/base.h"
#include "base/body.h"
#include "call/call.h"
#include "pg/pg.h"
#include "query/query.h"
#include "registry/registry.h"
#include "write/write.h"

PG_FUNCTION_INFO_V1(catalogue_login);
PG_FUNCTION_INFO_V1(catalogue_confirm_password);
PG_FUNCTION_INFO_V1(catalogue_logout);
PG_FUNCTION_INFO_V1(catalogue_session);

static const char by_name_sql[] =
	"SELECT u.id::text, u.username::text, u.role::text, u.session::timestamptz, u.password::text "
	"FROM catalogue.users u WHERE lower(u.username::text) = lower($1) AND u.deleted_at IS NULL "
	"AND u.deactivated_at IS NULL AND u.active IS NOT FALSE";

static const char by_id_sql[] = "SELECT u.id::text, u.username::text, u.role::text, "
								"u.session::timestamptz, u.password::text "
								"FROM catalogue.users u WHERE u.id = $1";

/* as the rules end a session (triggers.c) */
static const char end_sql[] = "UPDATE catalogue.users SET session = greatest(clock_timestamp(), "
							  "session + interval '1 microsecond') WHERE id = $1";

static const char lock_superadmins_sql[] =
	"SELECT pg_advisory_xact_lock(hashtextextended('catalogue.superadmins', 0))";

static const char superadmin_sql[] =
	"SELECT FROM catalogue.users u WHERE u.role = 'superadmin' AND u.active IS NOT FALSE "
	"AND u.deleted_at IS NULL AND u.deactivated_at IS NULL LIMIT 1";

static char *
column(int number)
{
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, number);
}

/*
 * The reply that names a user: columns id, username, role and session of the last statement.
 *
 * ignored: the names of members of the body that mean nothing, as JSON; NULL for none.
 */
static Datum
reply_user(FunctionCallInfo fcinfo, const char *ignored)
{
	CallReply reply = {.resource = "users", .ignored = ignored};
	bool isnull;

	reply.id = column(1);
	reply.version = DatumGetTimestampTz(
		SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 4, &isnull));
	reply.data = makeStringInfo();
	appendStringInfoString(reply.data, "{\"user\":");
	cat_json_text_string(reply.data, reply.id);
	appendStringInfoString(reply.data, ",\"username\":");
	cat_json_text_string(reply.data, column(2));
	appendStringInfoString(reply.data, ",\"role\":");
	cat_json_text_string(reply.data, column(3));
	appendStringInfoChar(reply.data, '}');
	return cat_call_reply_end(fcinfo, &reply);
}

/* A reply about no user: an empty object. */
static Datum
reply_nobody(FunctionCallInfo fcinfo)
{
	CallReply reply = {0};

	reply.resource = "users";
	reply.data = makeStringInfo();
	appendStringInfoString(reply.data, "{}");
	return cat_call_reply_end(fcinfo, &reply);
}

/* The user of a name, where one may log in: SPI_processed tells, and SPI_tuptable has it. */
static void
find_by_name(const char *username)
{
	Oid type = TEXTOID;
	Datum name = CStringGetTextDatum(username);

	cat_statement_run(by_name_sql, 1, &type, &name, NULL, false, 1);
}

/* Whether the password is right; a name that is not known takes as long as one that is. */
static bool
is_right(const char *password)
{
	return cat_password_verify(password, SPI_processed == 1 ? column(5) : NULL);
}

/*
 * Check a user name and a password.
 *
 * A wrong one is a reply without a user, whatever is wrong, and no error: so
 * it is counted.  OD400 for a missing member, with strict handling for one that is not known; OD429
 * after too many failures.
 */
Datum
catalogue_login(PG_FUNCTION_ARGS)
{
	const char *address;
	List *faults = NIL;
	List *members;
	const char *ignored;
	char *username;
	char *password;

	cat_call_reply_begin();
	address = PG_ARGISNULL(1) ? NULL : cat_call_reply_argument(fcinfo, 1);
	members = cat_body_argument(fcinfo, 0);
	ignored =
		cat_ignored_of_members(fcinfo, 2, members, list_make2("username", "password"), &faults);
	username = cat_body_text(members, "username", &faults);
	password = cat_body_text(members, "password", &faults);
	if (faults)
		cat_validation_error_raise(faults, OD400, NULL);
	cat_throttle_begin(username, address);
	find_by_name(username);
	if (!is_right(password))
		return reply_nobody(fcinfo);
	cat_throttle_end(username, address);
	find_by_name(username);
	return reply_user(fcinfo, ignored);
}

/*
 * The present password, where a user sets another one for himself; NULL where he does not, or where
 * it is missing, which is a fault then.
 */
static char *
own_password(const WriteCall *writer, List *members, List **faults)
{
	Member *wanted = cat_body_member(members, "password");

	if (strcmp(writer->resource->name, "users") != 0 || !wanted || wanted->kind == MEMBER_NULL ||
		strcmp(writer->id, writer->actor.user) != 0)
		return NULL;
	return cat_body_text(members, "currentPassword", faults);
}

static void
find_by_id(const char *id)
{
	Oid type = TEXTOID;
	Datum value = CStringGetTextDatum(id);

	cat_statement_run(by_id_sql, 1, &type, &value, NULL, false, 1);
}

static void
add_wrong_password(List **faults)
{
	cat_validation_error_add(faults, "currentPassword", "format", NULL,
							 "is not the present password");
}

/*
 * A user who sets another password for himself says the present one too, whatever the role: a
 * token that was left behind or stolen is not to become the account.
 */
void
cat_user_check_own_password(const WriteCall *writer, List *members, List **faults)
{
	char *present = own_password(writer, members, faults);

	if (!present)
		return;
	find_by_id(writer->actor.user);
	if (!is_right(present))
		add_wrong_password(faults);
}

/* Check a present password, and count a wrong one as a failed login; NULL where it is right. */
static StringInfo
check_counted(const char *id, const char *present, const char *address)
{
	List *faults = NIL;
	char *username;
	StringInfo data;

	find_by_id(id);
	username = column(2);
	cat_throttle_begin(username, address);
	find_by_id(id);
	if (is_right(present))
	{
		cat_throttle_end(username, address);
		return NULL;
	}
	add_wrong_password(&faults);
	data = makeStringInfo();
	appendStringInfoString(data, cat_validation_error_json(faults));
	return data;
}

/*
 * Check the present password in a change that a user is about to make of himself.
 *
 * A wrong one is a reply without an id, and no error: so it is counted, which the change itself
 * could not do.  OD429 after too many failures; else the errors of update().
 */
Datum
catalogue_confirm_password(PG_FUNCTION_ARGS)
{
	CallReply reply = {.resource = "users"};
	List *faults = NIL;
	char *present;
	WriteCall writer;

	cat_call_reply_begin();
	cat_write_call_open(&writer, fcinfo, "users", "update", 2);
	PG_TRY();
	{
		cat_write_call_take(&writer, cat_call_reply_argument(fcinfo, 0), NULL);
		present = own_password(&writer, cat_body_argument(fcinfo, 1), &faults);
		if (present)
			reply.data = check_counted(writer.actor.user, present,
									   PG_ARGISNULL(3) ? NULL : cat_call_reply_argument(fcinfo, 3));
	}
	PG_FINALLY();
	{
		cat_write_call_leave(&writer);
	}
	PG_END_TRY();
	if (!reply.data)
	{
		reply.id = (char *) writer.id;
		reply.data = makeStringInfo();
		appendStringInfoString(reply.data, "{}");
	}
	return cat_call_reply_end(fcinfo, &reply);
}

/* Read the actor, who must be a user: the id as an argument of a statement. */
static Datum
user_id(FunctionCallInfo fcinfo)
{
	Actor actor;

	cat_actor_read(fcinfo, 0, &actor);
	if (actor.user[0] == '\0')
		ereport(ERROR, (errcode(OD401), errmsg("a user is needed for this")));
	return CStringGetTextDatum(actor.user);
}

/* End all tokens of a user. */
Datum
catalogue_logout(PG_FUNCTION_ARGS)
{
	Oid type = TEXTOID;
	Datum id;

	cat_call_reply_begin();
	id = user_id(fcinfo);
	cat_statement_run_aside(end_sql, 1, &type, &id);
	return reply_nobody(fcinfo);
}

/* The user of a credential, who may still log in; OD401 otherwise. */
Datum
catalogue_session(PG_FUNCTION_ARGS)
{
	Oid type = TEXTOID;
	Datum id;

	cat_call_reply_begin();
	id = user_id(fcinfo);
	cat_statement_run(by_id_sql, 1, &type, &id, NULL, false, 1);
	return reply_user(fcinfo, NULL);
}

/* The value of a column in a row of the users. */
static Datum
value_in(Resource *users, TupleTableSlot *slot, const char *column, bool *isnull)
{
	return slot_getattr(slot, cat_registry_column(users, column)->attno, isnull);
}

/* Whether a row of the users is one of a superadmin who may log in. */
bool
cat_user_governs(Resource *users, TupleTableSlot *slot)
{
	static const char *const ends[] = {"deleted_at", "deactivated_at"};
	bool isnull;
	Datum value = value_in(users, slot, "role", &isnull);

	if (isnull || DatumGetObjectId(value) != cat_rules_superadmin())
		return false;
	value = value_in(users, slot, "active", &isnull);
	if (!isnull && !DatumGetBool(value))
		return false;
	for (size_t i = 0; i < lengthof(ends); i++)
	{
		value_in(users, slot, ends[i], &isnull);
		if (!isnull)
			return false;
	}
	return true;
}

/*
 * OD409 where the transaction leaves no superadmin who may log in.
 *
 * Whoever takes one away waits for others who do, and then looks at what they have left, even where
 * the transaction goes by an earlier snapshot.
 */
void
cat_user_require_superadmin(void)
{
	cat_statement_run(lock_superadmins_sql, 0, NULL, NULL, NULL, true, 0);
	CommandCounterIncrement();
	PushActiveSnapshot(GetLatestSnapshot());
	cat_statement_run(superadmin_sql, 0, NULL, NULL, NULL, false, 1);
	PopActiveSnapshot();
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(OD409), errmsg("no superadmin who may log in would be left"),
						errhint("Make another user a superadmin first.")));
}
