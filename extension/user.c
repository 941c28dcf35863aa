/*
 * user.c
 *	  login, logout, session.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(catalogue_login);
PG_FUNCTION_INFO_V1(catalogue_logout);
PG_FUNCTION_INFO_V1(catalogue_session);

static const char by_name_sql[] =
	"SELECT u.id::text, u.username::text, u.role::text, u.session::timestamptz, u.password::text "
	"FROM catalogue.users u WHERE lower(u.username::text) = lower($1) AND u.deleted_at IS NULL "
	"AND u.deactivated_at IS NULL AND u.active IS NOT FALSE";

static const char by_id_sql[] = "SELECT u.id::text, u.username::text, u.role::text, "
								"u.session::timestamptz FROM catalogue.users u WHERE u.id = $1";

/* as the rules end a session (triggers.c) */
static const char end_sql[] = "UPDATE catalogue.users SET session = greatest(clock_timestamp(), "
							  "session + interval '1 microsecond') WHERE id = $1";

/* The text of a member; a fault where it is missing or no string. */
static char *
needed_text(List *members, const char *name, List **faults)
{
	Member *member = body_member(members, name);

	if (!member || member->kind == MEMBER_NULL || (member->text && member->text[0] == '\0'))
		fault_add(faults, name, "required", NULL, "is required");
	else if (member->kind != MEMBER_STRING)
		fault_add(faults, name, "type", NULL, "takes a string");
	else
		return member->text;
	return NULL;
}

static char *
column(int number)
{
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, number);
}

/* The reply that names a user: columns id, username, role and session of the last statement. */
static Datum
reply_user(FunctionCallInfo fcinfo)
{
	Reply reply = {0};
	bool isnull;

	reply.resource = "users";
	reply.id = column(1);
	reply.version = DatumGetTimestampTz(
		SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 4, &isnull));
	reply.data = makeStringInfo();
	appendStringInfoString(reply.data, "{\"user\":");
	json_string(reply.data, reply.id);
	appendStringInfoString(reply.data, ",\"username\":");
	json_string(reply.data, column(2));
	appendStringInfoString(reply.data, ",\"role\":");
	json_string(reply.data, column(3));
	appendStringInfoChar(reply.data, '}');
	return reply_end(fcinfo, &reply);
}

/* A reply about no user: an empty object. */
static Datum
reply_nobody(FunctionCallInfo fcinfo)
{
	Reply reply = {0};

	reply.resource = "users";
	reply.data = makeStringInfo();
	appendStringInfoString(reply.data, "{}");
	return reply_end(fcinfo, &reply);
}

/* The user of a name, where one may log in: SPI_processed tells, and SPI_tuptable has it. */
static void
find_by_name(const char *username)
{
	Oid type = TEXTOID;
	Datum name = CStringGetTextDatum(username);

	plan_run(by_name_sql, 1, &type, &name, NULL, false, 1);
}

/* Whether the password is right; a name that is not known takes as long as one that is. */
static bool
is_right(const char *password)
{
	return password_verify(password, SPI_processed == 1 ? column(5) : NULL);
}

/*
 * Check a user name and a password.
 *
 * A wrong one is a reply without a user, whatever is wrong, and no error: so
 * it is counted.  OD400 for a missing member; OD429 after too many failures.
 */
Datum
catalogue_login(PG_FUNCTION_ARGS)
{
	text *body = PG_ARGISNULL(0) ? NULL : PG_GETARG_TEXT_PP(0);
	const char *address;
	List *faults = NIL;
	List *members;
	char *username;
	char *password;

	reply_begin();
	address = PG_ARGISNULL(1) ? NULL : reply_argument(fcinfo, 1);
	if (!body)
		ereport(ERROR, (errcode(OD400), errmsg("a body is needed")));
	members = body_members(VARDATA_ANY(body), VARSIZE_ANY_EXHDR(body));
	username = needed_text(members, "username", &faults);
	password = needed_text(members, "password", &faults);
	if (faults)
		fault_raise(faults, OD400, NULL);
	throttle_begin(username, address);
	find_by_name(username);
	if (!is_right(password))
		return reply_nobody(fcinfo);
	throttle_end(username, address);
	find_by_name(username);
	return reply_user(fcinfo);
}

/* Read the actor, who must be a user: the id as an argument of a statement. */
static Datum
user_id(FunctionCallInfo fcinfo)
{
	Actor actor;

	actor_read(fcinfo, 0, &actor);
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

	reply_begin();
	id = user_id(fcinfo);
	plan_run_aside(end_sql, 1, &type, &id);
	return reply_nobody(fcinfo);
}

/* The user of a credential, who may still log in; OD401 otherwise. */
Datum
catalogue_session(PG_FUNCTION_ARGS)
{
	Oid type = TEXTOID;
	Datum id;

	reply_begin();
	id = user_id(fcinfo);
	plan_run(by_id_sql, 1, &type, &id, NULL, false, 1);
	return reply_user(fcinfo);
}
