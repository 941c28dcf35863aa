/*
 * security_context.c
 *	  With whose rights the service works, and where it looks for names.
 *
 * Who may call a function of the API needs no right on any table: for the
 * time of the call the user is the owner of schema catalogue, as with SECURITY
 * DEFINER.  That would look the function up once more in each call, and a
 * clause SET would set and reset search_path each time; this costs two words.
 *
 * Whoever has the owner's rights anyway, as a superuser, keeps his own.  An
 * owner who is a superuser lends nothing.
 *
 * The path is pinned, too, since an operator of schema public that fits the
 * types better than PostgreSQL's own would be taken instead.
 */
#include "catalogue.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/syscache.h"

#include "pg/pg.h"

#define DEPTH_MAX 64

/* What a call has found, to be put back at its end. */
typedef struct Taken
{
	Oid user;
	int context;
	int nest;  /* of settings; 0: search_path was pinned already */
	int level; /* of transactions */
	bool trusted;
} Taken;

static Taken stack[DEPTH_MAX];
static int depth;

/* What is known of a user: kept until a role, a membership or a schema changes. */
static struct
{
	Oid user; /* InvalidOid: nothing is known */
	Oid owner;
	bool trusted; /* has the owner's rights */
	bool lends;	  /* works with those of the owner */
} known;

static void
forget(Datum arg, int cache, uint32 hash)
{
	known.user = InvalidOid;
}

/*
 * What was taken in a subtransaction goes with it; PostgreSQL itself puts user and settings back.
 */
static void
end_subtransaction(SubXactEvent event, SubTransactionId mine, SubTransactionId parent, void *arg)
{
	if (event != SUBXACT_EVENT_ABORT_SUB)
		return;
	while (depth > 0 && stack[depth - 1].level >= GetCurrentTransactionNestLevel())
		depth--;
}

static void
end_transaction(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_ABORT)
		depth = 0;
}

void
cat_security_context_init(void)
{
	CacheRegisterSyscacheCallback(AUTHOID, forget, 0);
	CacheRegisterSyscacheCallback(AUTHMEMROLEMEM, forget, 0);
	CacheRegisterSyscacheCallback(NAMESPACEOID, forget, 0);
	RegisterXactCallback(end_transaction, NULL);
	RegisterSubXactCallback(end_subtransaction, NULL);
}

/* The owner of schema catalogue: a dump keeps it, as the schema is no member of the extension. */
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
	if (known.user == user)
		return;
	known.owner = find_owner();
	known.trusted = has_privs_of_role(user, known.owner);
	known.lends = !known.trusted && !superuser_arg(known.owner);
	known.user = user;
}

/*
 * Pin the path; gives what cat_security_context_unpin() takes, 0 where there is nothing to put
 * back.
 */
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

/* Begin to work for the present user, as the given one. */
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
	taken->level = GetCurrentTransactionNestLevel();
	taken->nest = cat_security_context_pin();
	if (user != taken->user)
		SetUserIdAndSecContext(user, taken->context | SECURITY_LOCAL_USERID_CHANGE);
	depth++;
}

/* Begin to work for the present user; cat_security_context_return() follows, or an error. */
void
cat_security_context_take(void)
{
	Oid user = GetUserId();

	look_up(user);
	take(known.lends ? known.owner : user);
}

/* Take the owner's rights in any case: for what a superuser's rights are too many. */
void
cat_security_context_take_owners(void)
{
	Oid user = GetUserId();

	look_up(user);
	take(superuser_arg(known.owner) ? user : known.owner);
}

/* Put back what the last cat_security_context_take() found. */
void
cat_security_context_return(void)
{
	const Taken *taken = &stack[--depth];

	cat_security_context_unpin(taken->nest);
	SetUserIdAndSecContext(taken->user, taken->context);
}

/* Whether the user whom the service works for has the owner's rights, and needs name no actor. */
bool
cat_security_context_is_trusted(void)
{
	return depth > 0 && stack[depth - 1].trusted;
}
