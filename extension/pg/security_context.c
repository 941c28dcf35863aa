/*
 * security_context.c
 *	  Rights and search path of the service.
 *
 * A user who may call an API function needs no privileges on tables: during the call, the current
 * user is the owner of schema catalogue, as with SECURITY DEFINER.  SECURITY DEFINER itself would
 * look up the function again in each call, and a SET clause would set and reset search_path each
 * time, so user ID and security context are switched here.
 *
 * A user who has the owner's rights anyway, such as a superuser, keeps his own.  If the owner is a
 * superuser, no rights are switched.
 *
 * search_path is set, too, since an operator in schema public that matches the argument types
 * better would otherwise be used instead of PostgreSQL's own.
 */
#include "catalogue.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/syscache.h"

#include "pg/pg.h"

#define DEPTH_MAX 64

/* State to restore at the end of a call. */
typedef struct Taken
{
	Oid user;
	int context;
	int nest;  /* GUC nesting level; 0: search_path was set already */
	int level; /* transaction nesting level */
	bool trusted;
	const Actor *actor;
	char reader[ID_LENGTH + 1];
} Taken;

static Taken stack[DEPTH_MAX];
static int depth;
static const Actor *asking;		   /* actor of the running call */
static char reader[ID_LENGTH + 1]; /* user of the running call, empty: none */

/* Cached rights of a user; valid until a role, a membership or a schema changes. */
static struct
{
	Oid user;	   /* InvalidOid: nothing is cached */
	uint64 loaded; /* cat_invalidation_number() before they were looked up */
	Oid owner;
	bool trusted; /* has the owner's rights */
	bool lends;	  /* uses the owner's rights in calls */
} known;

/* Give back to an outer call its actor and user. */
static void
put_back(const Taken *taken)
{
	asking = taken->actor;
	strlcpy(reader, taken->reader, sizeof(reader));
}

/*
 * Subtransaction callback: discard the state of calls in an aborted subtransaction.  PostgreSQL
 * itself restores user and settings.
 */
static void
end_subtransaction(SubXactEvent event, SubTransactionId mine, SubTransactionId parent, void *arg)
{
	if (event != SUBXACT_EVENT_ABORT_SUB)
		return;
	while (depth > 0 && stack[depth - 1].level >= GetCurrentTransactionNestLevel())
		put_back(&stack[--depth]);
}

static void
end_transaction(XactEvent event, void *arg)
{
	if (event != XACT_EVENT_ABORT)
		return;
	depth = 0;
	asking = NULL;
	reader[0] = '\0';
}

void
cat_security_context_init(void)
{
	RegisterXactCallback(end_transaction, NULL);
	RegisterSubXactCallback(end_subtransaction, NULL);
}

/*
 * Return the owner of schema catalogue.  A dump preserves it, as the schema is not a member of the
 * extension.
 */
static Oid
find_owner(void)
{
	HeapTuple tuple =
		SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(get_namespace_oid("catalogue", false)));
	Oid owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "schema catalogue is not in the cache");
	owner = ((Form_pg_namespace) GETSTRUCT(tuple))->nspowner;
	ReleaseSysCache(tuple);
	return owner;
}

static void
look_up(Oid user)
{
	uint64 before = cat_invalidation_number();

	if (known.user == user && known.loaded >= cat_invalidation_last(INVALIDATION_ROLES))
		return;
	known.user = InvalidOid; /* if an error ends this function */
	known.owner = find_owner();
	known.trusted = has_privs_of_role(user, known.owner);
	known.lends = !known.trusted && !superuser_arg(known.owner);
	known.user = user;
	known.loaded = before;
}

int
cat_security_context_pin(void)
{
	int nest;

	if (strcmp(namespace_search_path, "pg_catalog,pg_temp") == 0 ||
		strcmp(namespace_search_path, "pg_catalog, pg_temp") == 0)
		return 0;
	nest = NewGUCNestLevel();
	set_config_option("search_path", "pg_catalog,pg_temp", PGC_USERSET, PGC_S_SESSION,
					  GUC_ACTION_SAVE, true, 0, false);
	return nest;
}

void
cat_security_context_unpin(int nest)
{
	if (nest > 0)
		AtEOXact_GUC(true, nest);
}

/* Save the state of the current user, and switch to the given one. */
static void
take(Oid user)
{
	Taken *taken;

	if (depth == DEPTH_MAX)
		ereport(ERROR, (errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
						errmsg("calls of the catalogue are nested too deeply")));
	taken = &stack[depth];
	GetUserIdAndSecContext(&taken->user, &taken->context);
	taken->trusted = known.trusted;
	taken->actor = asking;
	strlcpy(taken->reader, reader, sizeof(reader));
	taken->level = GetCurrentTransactionNestLevel();
	taken->nest = cat_security_context_pin();
	if (user != taken->user)
		SetUserIdAndSecContext(user, taken->context | SECURITY_LOCAL_USERID_CHANGE);
	depth++;
}

void
cat_security_context_take(void)
{
	Oid user = GetUserId();

	look_up(user);
	take(known.lends ? known.owner : user);
}

void
cat_security_context_take_owners(void)
{
	Oid user = GetUserId();

	look_up(user);
	take(superuser_arg(known.owner) ? user : known.owner);
}

void
cat_security_context_take_role(Oid role)
{
	Oid user;
	int context;

	take(role);
	GetUserIdAndSecContext(&user, &context);
	SetUserIdAndSecContext(role,
						   context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
}

void
cat_security_context_return(void)
{
	const Taken *taken = &stack[--depth];

	put_back(taken);
	cat_security_context_unpin(taken->nest);
	SetUserIdAndSecContext(taken->user, taken->context);
}

bool
cat_security_context_is_trusted(void)
{
	return depth > 0 && stack[depth - 1].trusted;
}

void
cat_security_context_set_actor(const Actor *actor)
{
	asking = actor;
}

void
cat_security_context_set_reader(const char *user)
{
	strlcpy(reader, user, sizeof(reader));
}

const char *
cat_security_context_reader(void)
{
	return reader;
}

const Actor *
cat_security_context_actor(void)
{
	return asking;
}
