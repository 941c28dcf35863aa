/*
 * user.c
 *	  login, session, roles, health.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(catalogue_login);
PG_FUNCTION_INFO_V1(catalogue_session);

static const char by_name_sql[] =
	"SELECT u.id::text, u.username::text, u.role::text, u.password::text "
	"FROM catalogue.users u WHERE lower(u.username::text) = lower($1) AND u.deleted_at IS NULL "
	"AND u.deactivated_at IS NULL AND u.active IS NOT FALSE";

static const char by_id_sql[] = "SELECT u.id::text, u.username::text, u.role::text "
								"FROM catalogue.users u WHERE u.id = $1";

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

/* The reply that names a user: columns id, username and role of the last statement. */
static Datum
reply_user(FunctionCallInfo fcinfo)
{
	Reply reply = {0};

	reply.resource = "users";
	reply.id = column(1);
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

/* Whether the password is right; a name that is not known takes as long as one that is. */
static bool
check_password(const char *password)
{
	static char *nobody;

	if (SPI_processed == 1)
		return password_verify(password, column(4));
	if (!nobody)
		nobody = MemoryContextStrdup(TopMemoryContext, password_hash("nobody has this password"));
	password_verify(password, nobody);
	return false;
}

/*
 * Check a user name and a password.
 *
 * OD400 for a missing member; OD401 where they do not fit, whatever the reason.
 */
Datum
catalogue_login(PG_FUNCTION_ARGS)
{
	text *body = PG_ARGISNULL(0) ? NULL : PG_GETARG_TEXT_PP(0);
	List *faults = NIL;
	List *members;
	char *username;
	char *password;
	Oid type = TEXTOID;
	Datum name;

	reply_begin();
	if (!body)
		ereport(ERROR, (errcode(OD400), errmsg("a body is needed")));
	members = body_members(VARDATA_ANY(body), VARSIZE_ANY_EXHDR(body));
	username = needed_text(members, "username", &faults);
	password = needed_text(members, "password", &faults);
	if (faults)
		fault_raise(faults, OD400, NULL);
	name = CStringGetTextDatum(username);
	plan_run(by_name_sql, 1, &type, &name, NULL, false, 1);
	if (strlen(password) > 1024 || !check_password(password))
		ereport(ERROR, (errcode(OD401), errmsg("wrong user name or password")));
	return reply_user(fcinfo);
}

/* The user of a credential, who may still log in; OD401 otherwise. */
Datum
catalogue_session(PG_FUNCTION_ARGS)
{
	Actor actor;
	Oid type = TEXTOID;
	Datum id;

	reply_begin();
	actor_read(fcinfo, 0, &actor);
	if (actor.user[0] == '\0')
		ereport(ERROR, (errcode(OD401), errmsg("a user is needed for this")));
	id = CStringGetTextDatum(actor.user);
	plan_run(by_id_sql, 1, &type, &id, NULL, false, 1);
	return reply_user(fcinfo);
}
