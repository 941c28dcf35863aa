/*
 * rules.c
 *	  Cache of catalogue.rules in each backend.
 *
 * It is valid until a rule changes: a trigger on the table invalidates the relcache entry of the
 * table in all backends.
 */
#include "catalogue.h"

#include "catalog/namespace.h"
#include "commands/trigger.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "call/call.h"
#include "call/call_internal.h"

PG_FUNCTION_INFO_V1(catalogue_forget_rules);

static MemoryContext memory; /* holds the rules; NULL before the first use */
static List *rules;			 /* of Rule * */
static Oid superadmin;		 /* of pg_enum */
static Oid table;			 /* catalogue.rules */
static bool valid;
static uint64 marks; /* number of invalidations, to notice one while reading */

static void
forget(Datum arg, Oid relid)
{
	if (OidIsValid(relid) && relid != table)
		return;
	valid = false;
	marks++;
}

void
cat_rules_init(void)
{
	CacheRegisterRelcacheCallback(forget, 0);
}

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
	rule->resource = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 2);
	rule->action = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 3);
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

	table = get_relname_relid("rules", get_namespace_oid("catalogue", false));
	SPI_execute(super_sql, true, 1);
	superadmin = DatumGetObjectId(value_at(0, 1, &isnull));
	if (!OidIsValid(table))
		return;
	SPI_execute(rules_sql, true, 0);
	old = MemoryContextSwitchTo(memory);
	for (uint64 row = 0; row < SPI_processed; row++)
		rules = lappend(rules, rule_at(row));
	MemoryContextSwitchTo(old);
}

/* Read the present rules if the cache is invalid, even if the caller's snapshot is older. */
static void
refresh(void)
{
	uint64 before = marks;

	if (valid)
		return;
	if (!memory)
		memory = AllocSetContextCreate(TopMemoryContext, "catalogue rules", ALLOCSET_SMALL_SIZES);
	rules = NIL;
	MemoryContextReset(memory);
	SPI_connect();
	PushActiveSnapshot(GetLatestSnapshot());
	read_rules();
	PopActiveSnapshot();
	SPI_finish();
	valid = marks == before;
}

/* Return all rules, List of Rule *; valid until the next call of a function of this file. */
List *
cat_rules_all(void)
{
	refresh();
	return rules;
}

/* Return the OID of the superadmin role in pg_enum. */
Oid
cat_rules_superadmin(void)
{
	refresh();
	return superadmin;
}

/*
 * Trigger: make every backend read the rules again.
 *
 * AFTER INSERT, UPDATE, DELETE OR TRUNCATE on catalogue.rules, FOR EACH STATEMENT.
 */
Datum
catalogue_forget_rules(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo))
		elog(ERROR, "catalogue_forget_rules: not called as a trigger");
	CacheInvalidateRelcache(trigger->tg_relation);
	return PointerGetDatum(NULL);
}
