/*
 * actor.c
 *	  Who asks.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

static const char user_sql[] =
	"SELECT u.role::text, u.active IS NOT FALSE AND u.deleted_at IS NULL "
	"AND u.deactivated_at IS NULL "
	"FROM catalogue.users u WHERE u.id = $1";

/* The actor of the API call under way, for the triggers; NULL outside of one. */
static const Actor *current;

static bool
member_text(Jsonb *json, const char *name, char *out, size_t size)
{
	JsonbValue *value = NULL;
	JsonbValue found;

	if (JB_ROOT_IS_OBJECT(json))
		value = getKeyJsonValueFromContainer(&json->root, name, (int) strlen(name), &found);
	if (!value || value->type != jbvString || value->val.string.len >= (int) size)
		return false;
	memcpy(out, value->val.string.val, value->val.string.len);
	out[value->val.string.len] = '\0';
	return true;
}

/*
 * Look a user up: OD401 unless the user lives and may log in.
 *
 * The role is read here, at each call, so that a change counts at once.
 */
static void
look_up(Actor *actor)
{
	Oid type = TEXTOID;
	Datum id = CStringGetTextDatum(actor->user);
	bool isnull;

	plan_run(user_sql, 1, &type, &id, NULL, false, 1);
	if (SPI_processed != 1 ||
		!DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &isnull)))
		ereport(ERROR, (errcode(OD401), errmsg("the user of this credential may not log in")));
	strlcpy(actor->role, SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1),
			sizeof(actor->role));
}

/*
 * Read an argument "actor": {"user": id} for a user, {} for nobody.
 *
 * NULL is a database user who calls the function directly and is trusted.
 */
void
actor_read(FunctionCallInfo fcinfo, int number, Actor *actor)
{
	Jsonb *json = PG_ARGISNULL(number) ? NULL : PG_GETARG_JSONB_P(number);

	memset(actor, 0, sizeof(*actor));
	actor->trusted = json == NULL;
	if (json && member_text(json, "user", actor->user, sizeof(actor->user)))
		look_up(actor);
}

/* Make the actor known to the triggers, or nobody by NULL. */
void
actor_set(const Actor *actor)
{
	current = actor;
}

/* The actor of the API call under way, NULL outside of one. */
const Actor *
actor_current(void)
{
	return current;
}

/* OD401 unless there is a user, or a trusted database user. */
void
actor_require_user(const Actor *actor)
{
	if (!actor_is_internal(actor))
		ereport(ERROR, (errcode(OD401), errmsg("a user is needed for this")));
}

/* Whether the actor sees what is for internal users. */
bool
actor_is_internal(const Actor *actor)
{
	return actor->trusted || actor->user[0] != '\0';
}
