/*
 * actor.c
 *	  Who asks.
 */
#include "catalogue.h"

#include "utils/builtins.h"
#include "utils/jsonb.h"

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

static char *
column_text(const Rows *rows, Resource *users, const char *column)
{
	return SPI_getvalue(rows->tuples[0], rows->desc, registry_column(users, column)->attno);
}

/*
 * Look a user up: OD401 unless the user lives and may log in.
 *
 * The role is read here, at each call, so that a change counts at once.
 */
static void
look_up(Actor *actor)
{
	Resource *users = registry_resource("users");
	Rows rows;
	char *active = NULL;

	if (!rows_by_id(users, actor->user, false, &rows))
		elog(ERROR, "users cannot be read by their primary key");
	if (rows.count == 1)
		active = column_text(&rows, users, "active");
	if (rows.count == 0 || (active && *active == 'f'))
		ereport(ERROR, (errcode(OD401), errmsg("the user of this credential may not log in")));
	strlcpy(actor->role, column_text(&rows, users, "role"), sizeof(actor->role));
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
