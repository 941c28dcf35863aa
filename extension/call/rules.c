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
#include "executor/spi.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "call/call.h"
#include "call/call_internal.h"
#include "pg/pg.h"

PG_FUNCTION_INFO_V1(catalogue_forget_rules);

static MemoryContext memory;  /* holds the rules; NULL before the first use */
static List *rules;			  /* of Rule * */
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
	Oid table = get_relname_relid("rules", get_namespace_oid("catalogue", false));

	changed = OidIsValid(table) ? cat_invalidation_of_table(table) : NULL;
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
	uint64 before = cat_invalidation_number();

	if (changed && loaded >= *changed)
		return;
	if (!memory)
		memory = AllocSetContextCreate(TopMemoryContext, "catalogue rules", ALLOCSET_SMALL_SIZES);
	rules = NIL;
	loaded = 0; /* if an error ends this function */
	MemoryContextReset(memory);
	SPI_connect();
	PushActiveSnapshot(GetLatestSnapshot());
	read_rules();
	PopActiveSnapshot();
	SPI_finish();
	loaded = before;
}

/* Return all rules, List of Rule *; valid until the next call of a function of this file. */
List *
cat_rules_all(void)
{
	refresh();
	return rules;
}

bool
cat_rules_name(Oid role, const char *action)
{
	ListCell *cell;

	foreach(cell, cat_rules_all())
	{
		const Rule *rule = lfirst(cell);

		if ((!OidIsValid(rule->role) || rule->role == role) && strcmp(rule->action, action) == 0 &&
			!rule->own && !rule->organization)
			return true;
	}
	return false;
}

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
