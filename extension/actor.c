/*
 * actor.c
 *	  Who asks.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

/* The actor of the API call under way, for the triggers; NULL outside of one. */
static const Actor *current;

/* Where users were found who have asked, by a hash of the id; a place that is none is not looked
 * at. */
static ItemPointerData places[64];

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

static Datum
column_of(const Rows *rows, Resource *users, const char *column, bool *isnull)
{
	return SPI_getbinval(rows->tuples[0], rows->desc, registry_column(users, column)->attno,
						 isnull);
}

/*
 * The record of a user, who asks again and again: looked for where it was the last time; none
 * where the user was deleted or deactivated.
 */
static Rows
find_user(const Resource *users, const char *id)
{
	uint32 hash = hash_bytes((const unsigned char *) id, (int) strlen(id));
	Rows rows;

	if (!rows_at(users, id, &places[hash % lengthof(places)], &rows))
		elog(ERROR, "users cannot be read by their primary key");
	if (rows.count == 1 && !heap_attisnull(rows.tuples[0], users->deactivated_at, users->desc))
		rows.count = 0;
	return rows;
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
	Rows rows = find_user(users, actor->user);
	Datum active = BoolGetDatum(true);
	bool isnull = true;

	if (rows.count == 1)
		active = column_of(&rows, users, "active", &isnull);
	if (rows.count == 0 || (!isnull && !DatumGetBool(active)))
		ereport(ERROR, (errcode(OD401), errmsg("the user of this credential may not log in")));
	actor->role = DatumGetObjectId(column_of(&rows, users, "role", &isnull));
	actor->sight = permission_is_super(actor) ? SIGHT_ALL : SIGHT_INTERNAL;
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
	actor->sight = json ? SIGHT_OUTSIDER : SIGHT_ALL;
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
