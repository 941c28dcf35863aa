/*
 * permission.c
 *	  Permissions: decisions by catalogue.rules, of which each backend has a cache.
 *
 * A rule grants a role an action on all records of a resource, on the user's own, or on those of the
 * user's organization.  Grants are cumulative.  Superadmins and trusted database users need none.
 *
 * Writing is decided here for each action.  Reading is decided by visibility: rules with the action
 * "read" add rights to the access level of the user, once for each call.  Such a rule has to name
 * action and resource, so that no rule for "*" opens what is closed.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "commands/trigger.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "base/state_action.h"
#include "call/call.h"
#include "call/call_internal.h"
#include "registry/rows.h"

/*
 * ---- Cache of catalogue.rules in each backend ----
 *
 * The cache is valid until a rule changes: a trigger on the table invalidates the relcache entry of the
 * table in all backends.
 */

static MemoryContext memory;  /* holds the rules; NULL before the first use */
static List *rules;			  /* of Rule * */
static List *reading;		  /* of Rule *, those of them that grant reading */
static Oid superadmin;		  /* of pg_enum */
static uint64 loaded;		  /* cat_invalidation_number() before they were read; 0: not read */
static const uint64 *changed; /* number of the last invalidation of the table, NULL for no table */

static const char super_sql[] = "SELECT 'superadmin'::catalogue.role";

static const char rules_sql[] =
	"SELECT r.role, r.resource::text, r.action::text, r.own, r.organization "
	"FROM catalogue.rules r WHERE r.deleted_at IS NULL";

static Datum
value_at(uint64 row, int column, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, isnull);
}

static Rule *
rule_at(uint64 row)
{
	bool isnull;
	Rule *rule = palloc(sizeof(Rule));

	rule->role = DatumGetObjectId(value_at(row, 1, &isnull));
	if (isnull)
		rule->role = InvalidOid;
	rule->resource = cat_result_text_at(row, 2);
	rule->action = cat_result_text_at(row, 3);
	rule->own = DatumGetBool(value_at(row, 4, &isnull));
	rule->organization = DatumGetBool(value_at(row, 5, &isnull));
	return rule;
}

/* Read all rules into their memory context. */
static void
read_rules(void)
{
	bool isnull;
	MemoryContext old;
	Oid table = get_relname_relid("rules", get_namespace_oid("catalogue", false));

	changed = OidIsValid(table) ? cat_invalidation_of_table(table) : NULL;
	SPI_execute(super_sql, true, 1);
	superadmin = DatumGetObjectId(value_at(0, 1, &isnull));
	if (!OidIsValid(table))
		return;
	SPI_execute(rules_sql, true, 0);
	old = MemoryContextSwitchTo(memory);
	for (uint64 row = 0; row < SPI_processed; row++)
	{
		Rule *rule = rule_at(row);

		rules = lappend(rules, rule);
		if (strcmp(rule->action, "read") == 0 && !(rule->own && rule->organization))
			reading = lappend(reading, rule);
	}
	MemoryContextSwitchTo(old);
}

/* Read the present rules if the cache is invalid, even if the caller's snapshot is older. */
static void
refresh(void)
{
	uint64 before = cat_invalidation_number();

	if (changed && loaded >= *changed)
		return;
	if (!memory)
		memory = AllocSetContextCreate(TopMemoryContext, "catalogue rules", ALLOCSET_SMALL_SIZES);
	rules = reading = NIL;
	loaded = 0; /* if an error ends this function */
	MemoryContextReset(memory);
	SPI_connect();
	PushActiveSnapshot(GetLatestSnapshot());
	read_rules();
	PopActiveSnapshot();
	SPI_finish();
	loaded = before;
}

bool
cat_permission_rule_names(Oid role, const char *action)
{
	refresh();
	foreach_ptr(const Rule, rule, rules)
		if ((!OidIsValid(rule->role) || rule->role == role) && strcmp(rule->action, action) == 0 &&
			!rule->own && !rule->organization)
			return true;
	return false;
}

AccessLevel
cat_permission_access(const Actor *actor)
{
	uint32 access = actor->access;

	if (actor->access != ACCESS_INTERNAL)
		return actor->access;
	refresh();
	foreach_ptr(const Rule, rule, reading)
	{
		const Resource *resource = NULL;

		if (!OidIsValid(rule->role) || rule->role == actor->role)
			resource = cat_registry_find_fit(rule->resource);
		if (resource)
			access |= rule->own			   ? resource->own_right
					  : rule->organization ? resource->near_right
										   : resource->right;
	}
	return (AccessLevel) access;
}

Oid
cat_permission_superadmin(void)
{
	refresh();
	return superadmin;
}

/*
 * Trigger: make every backend read the rules again.
 *
 * AFTER INSERT, UPDATE, DELETE OR TRUNCATE on catalogue.rules, FOR EACH STATEMENT.
 */
CAT_FUNCTION(catalogue_forget_rules)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo))
		elog(ERROR, "catalogue_forget_rules: not called as a trigger");
	CacheInvalidateRelcache(trigger->tg_relation);
	return PointerGetDatum(NULL);
}

#define ANY "*" /* any action, and any resource that is not guarded */

/* Locking clause that keeps a record unchanged until the end of the transaction. */
#define LOCKED " FOR NO KEY UPDATE OF t"
#define UNLOCKED ""

/* Grants of an action on a resource to a caller. */
typedef struct Grants
{
	bool any;		   /* there is a grant */
	bool free;		   /* on all records */
	bool own;		   /* on the caller's own records */
	bool organization; /* on records of the caller's organization */
	bool both;		   /* on own records that belong to the caller's organization */
} Grants;

/* The reading actions, which visibility.c decides on. */
static const char *const readings[] = {"list",	"item",	 "first", "last",
									   "count", "usage", "logs",  NULL};

bool
cat_permission_is_super(const Actor *actor)
{
	return OidIsValid(actor->role) && actor->role == cat_permission_superadmin();
}

void
cat_permission_require_super(const Actor *actor, const char *resource, const char *refusal)
{
	if (actor->access != ACCESS_ALL && actor->user[0] == '\0')
		ereport(ERROR, (errcode(OD401), errmsg("a user is needed for this")));
	if (actor->access != ACCESS_ALL)
		ereport(ERROR, (errcode(OD403), errmsg("%s", refusal)));
	cat_consumer_require(actor, resource);
}

bool
cat_permission_is_named_only(const char *action)
{
	static const char *const named[] = {NAMED_ACTIONS, NULL};

	return cat_query_string_is_among(action, named);
}

static bool
is_about(const Rule *rule, const Actor *actor, const Resource *resource, const char *action)
{
	bool any = strcmp(rule->action, ANY) == 0 && !cat_permission_is_named_only(action);

	if ((OidIsValid(rule->role) && rule->role != actor->role) ||
		(!any && strcmp(rule->action, action) != 0))
		return false;
	return strcmp(rule->resource, ANY) == 0 ? !resource->guarded
											: strcmp(rule->resource, resource->name) == 0;
}

/* Return the grants of the rules. */
static Grants
grants_of(const Actor *actor, const Resource *resource, const char *action)
{
	Grants grants = {0};
	/* of what belongs to other records none is anybody's who may not read one */
	bool closed = resource->parent && cat_visibility_is_private(resource, actor->access);

	refresh();
	grants.free = actor->access == ACCESS_ALL;
	foreach_ptr(const Rule, rule, rules)
	{
		if (!is_about(rule, actor, resource, action))
			continue;
		grants.free |= !rule->own && !rule->organization;
		grants.own |= rule->own && !rule->organization;
		grants.organization |= rule->organization && !rule->own;
		grants.both |= rule->own && rule->organization;
	}
	/* grants that cannot apply to any record of the resource */
	if ((grants.own || grants.both) && (closed || !cat_belonging_own(resource, "t", "$2")))
		grants.own = grants.both = false;
	if ((grants.organization || grants.both) &&
		(closed || !cat_belonging_organization(resource, "t")))
		grants.organization = grants.both = false;
	grants.any = grants.free || grants.own || grants.organization || grants.both;
	return grants;
}

/* A record's relation to a user: it is his own, or of his organization. */
typedef struct Belonging
{
	bool own;
	bool near;
} Belonging;

/*
 * Find whose a record is; false if no record is visible at the access level.
 *
 * lock: locking clause, LOCKED or UNLOCKED.
 */
static bool
find_belonging(const Actor *actor, const Resource *resource, const char *id, AccessLevel access,
			   const char *lock, Belonging *belonging)
{
	const char *owned = cat_belonging_own(resource, "t", "$2");
	StringInfo sql = makeStringInfo();

	appendStringInfo(sql, "SELECT %s, %s FROM %s t WHERE t.id = $1", owned ? owned : "false",
					 cat_belonging_near(resource, "t", "$2"), resource->table);
	cat_seen_write_conditions(sql, resource, "t", access);
	appendStringInfoString(sql, lock);
	cat_statement_with(*lock != '\0', sql->data, text_param(id), text_param(actor->user));
	if (SPI_processed != 1)
		return false;
	belonging->own = cat_result_bool(1);
	belonging->near = cat_result_bool(2);
	return true;
}

/* Return whether grants cover a record, given whose it is. */
static bool
cover(const Grants *grants, const Belonging *belonging)
{
	return grants->free || (grants->own && belonging->own) ||
		   (grants->organization && belonging->near) ||
		   (grants->both && belonging->own && belonging->near);
}

/*
 * Return whether grants cover a record; *found is set to whether it is visible at the access level.
 */
static bool
reach(const Grants *grants, const Actor *actor, const Resource *resource, const char *id,
	  AccessLevel access, const char *lock, bool *found)
{
	Belonging belonging;

	*found = find_belonging(actor, resource, id, access, lock, &belonging);
	return *found && cover(grants, &belonging);
}

bool
cat_permission_is_reading(const char *action)
{
	return cat_query_string_is_among(action, readings);
}

bool
cat_permission_decides(const Actor *actor, const Resource *resource, const char *action)
{
	if (strcmp(action, "usage") == 0)
		resource = cat_registry_resource("statistics");
	else if (strcmp(action, "logs") == 0)
		resource = cat_registry_resource("logs");
	if (cat_permission_is_reading(action))
		return !cat_visibility_is_private(resource, actor->access);
	return grants_of(actor, resource, action).any;
}

bool
cat_permission_reaches(const Actor *actor, const Resource *resource, const char *action,
					   const char *id)
{
	Grants grants;
	bool found;
	bool reached;

	if (cat_permission_is_reading(action))
		return cat_permission_decides(actor, resource, action);
	grants = grants_of(actor, resource, action);
	if (!grants.any || grants.free)
		return grants.any;
	reached = reach(&grants, actor, resource, id, actor->access, UNLOCKED, &found);
	return reached || !found;
}

List *
cat_permission_granted(const Actor *actor, const Resource *resource, const char *id, List *actions)
{
	Belonging belonging = {0};
	List *granted = NIL;
	bool found = false;

	foreach_ptr(char, action, actions)
	{
		Grants grants = grants_of(actor, resource, action);

		/* looked up once, and only if needed */
		if (grants.any && !grants.free && !found)
			found = find_belonging(actor, resource, id, actor->access, UNLOCKED, &belonging);
		if (grants.any && cover(&grants, &belonging))
			granted = lappend(granted, action);
	}
	return granted;
}

pg_noreturn static void
refuse(const Actor *actor, const Resource *resource, const char *action)
{
	if (!OidIsValid(actor->role))
		ereport(ERROR, (errcode(OD401), errmsg("a user is needed for this")));
	ereport(ERROR,
			(errcode(OD403), errmsg("your role may not %s this %s", action, resource->model)));
}

void
cat_permission_require(const Actor *actor, const Resource *resource, const char *action)
{
	if (!cat_permission_decides(actor, resource, action))
		refuse(actor, resource, action);
}

void
cat_permission_require_record(const Actor *actor, const Resource *resource, const char *action,
							  const char *id)
{
	Grants grants = grants_of(actor, resource, action);
	bool found;

	if (grants.free && !cat_visibility_restricts(resource, actor->access))
		return;
	if (reach(&grants, actor, resource, id, actor->access, LOCKED, &found))
		return;
	if (!found)
		ereport(ERROR, (errcode(OD404), errmsg("%s \"%s\" does not exist", resource->model, id)));
	refuse(actor, resource, action);
}

void
cat_permission_require_written(const Actor *actor, const Resource *resource, const char *action,
							   const char *id)
{
	Grants grants = grants_of(actor, resource, action);
	bool found;

	if (!grants.free && !reach(&grants, actor, resource, id, ACCESS_ALL, LOCKED, &found))
		refuse(actor, resource, action);
}

/* Read the organization of a living user by an index; false where a statement must tell. */
static bool
find_organization(const char *user, char **organization)
{
	Resource *users = cat_registry_resource("users");
	const Field *field = cat_registry_column(users, "organization");
	Datum value;
	bool isnull;
	Rows rows;

	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	rows = cat_rows_by_id(users, user, ACCESS_ALL);
	PopActiveSnapshot();
	if (rows.count == 0 || !field)
		return false;
	value = heap_getattr(rows.tuples[0], field->attno, rows.desc, &isnull);
	*organization = isnull ? NULL : TextDatumGetCString(value);
	return true;
}

char *
cat_permission_organization_of(const char *user)
{
	char *organization;

	if (find_organization(user, &organization))
		return organization;
	cat_statement_fresh("SELECT u.organization::text FROM catalogue.users u WHERE u.id = $1",
						text_param(user));
	return SPI_processed == 1 ? cat_result_text(1) : NULL;
}

void
cat_permission_take_limit(Actor *actor, const Resource *resource, const char *action,
						  const char *id)
{
	Grants grants = grants_of(actor, resource, action);
	Belonging belonging;
	const char *own;

	if (actor->organization[0] != '\0')
		strlcpy(actor->limit, actor->organization, sizeof(actor->limit));
	else if (!grants.free && (grants.organization || grants.both) &&
			 find_belonging(actor, resource, id, ACCESS_ALL, LOCKED, &belonging) &&
			 !(grants.own && belonging.own) &&
			 (own = cat_permission_organization_of(actor->user)) != NULL)
		strlcpy(actor->limit, own, sizeof(actor->limit));
}

const char *
cat_permission_limit(const Actor *actor, const Resource *resource, const char *action)
{
	Grants grants = grants_of(actor, resource, action);

	if (actor->organization[0] != '\0')
		return pstrdup(actor->organization);
	if (grants.free || grants.own || !(grants.organization || grants.both))
		return NULL;
	return cat_permission_organization_of(actor->user);
}

void
cat_permission_require_within(const Actor *actor, const Resource *resource, const char *where,
							  const char *id, StatementParam value)
{
	const char *organization = cat_belonging_organization(resource, "t");

	if (!actor || actor->limit[0] == '\0' || !organization)
		return;
	cat_statement_fresh(psprintf("SELECT t.id::text FROM %s t WHERE %s AND %s IS DISTINCT FROM $3 "
								 "ORDER BY t.id LIMIT 1",
								 resource->table, where, organization),
						text_param(id), value, text_param(actor->limit));
	if (SPI_processed > 0)
		ereport(ERROR,
				(errcode(OD403),
				 errmsg("%s \"%s\" is not of the organization that your rights are limited to",
						resource->model, cat_result_text(1))));
}

bool
cat_permission_restores(const Actor *actor, const Resource *resource)
{
	return actor->access != ACCESS_OUTSIDER && !cat_registry_actions_refuse(resource, "restore") &&
		   grants_of(actor, resource, "restore").any;
}

const char *
cat_permission_restorable(const Actor *actor, const Resource *resource)
{
	Grants grants = grants_of(actor, resource, "restore");
	const char *user = quote_literal_cstr(actor->user);
	const char *own;
	const char *near;

	if (actor->access == ACCESS_OUTSIDER)
		refuse(actor, resource, "restore");
	if (!cat_permission_restores(actor, resource))
		ereport(ERROR, (errcode(OD403),
						errmsg("deleted records of \"%s\" are not shown to you", resource->name)));
	if (grants.free)
		return "true";
	own = psprintf("(%s)", cat_belonging_own(resource, "t", user));
	near = cat_belonging_near(resource, "t", user);
	return psprintf("(%s OR %s OR %s)", grants.own ? own : "false",
					grants.organization ? near : "false",
					grants.both ? psprintf("(%s AND %s)", own, near) : "false");
}

bool
cat_permission_is_own(const Actor *actor, const Resource *resource)
{
	Grants grants = grants_of(actor, resource, "update");

	return !grants.free && !grants.organization;
}

bool
cat_permission_moves(const Actor *actor, const Resource *resource)
{
	for (size_t i = 0; i < lengthof(cat_state_actions); i++)
		if (!grants_of(actor, resource, cat_state_actions[i].action).free)
			return false;
	return true;
}

bool
cat_permission_writes(const Actor *actor, const Resource *resource, const Field *field,
					  bool creating)
{
	if (field->read_only || (field->reserved && actor->access != ACCESS_ALL))
		return false;
	/* what is replied follows what is asked */
	if (creating && strcmp(resource->name, "questions") == 0 &&
		strncmp(field->column, "reply", strlen("reply")) == 0)
		return false;
	/* the credential tells who acts */
	if (strcmp(field->column, "created_by") == 0 || strcmp(field->column, "updated_by") == 0)
		return creating && actor->trusted;
	if ((strcmp(field->column, "owner") == 0 ||
		 (creating && strcmp(field->column, "status") == 0)) &&
		cat_permission_is_own(actor, resource))
		return false;
	return creating || !field->fixed;
}

List *
cat_permission_resources(const Actor *actor, bool private)
{
	List *resources = NIL;

	cat_statement_read("SELECT r.resource FROM catalogue.resource r ORDER BY r.resource");
	foreach_ptr(char, name, cat_result_texts(1))
	{
		Resource *resource = cat_registry_find_fit(name); /* NULL: hidden meanwhile */

		if (resource && (private || !cat_visibility_is_private(resource, actor->access)) &&
			cat_consumer_may_ask(actor, resource->name))
			resources = lappend(resources, resource);
	}
	return resources;
}
