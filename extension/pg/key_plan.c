/*
 * key_plan.c
 *	  Plans of the checks of foreign keys.
 *
 * PostgreSQL plans the look-up of a referenced record once in a session.  Made while a table of the catalogue had a few
 * rows, the plan reads all of the table, and goes on so when it has many.
 */
#include "catalogue.h"

#include "catalog/namespace.h"
#include "optimizer/cost.h"
#include "optimizer/planner.h"
#include "utils/lsyscache.h"

#include "pg/pg.h"

/* What such a look-up begins with (ri_triggers.c of PostgreSQL). */
#define CHECK_BEGINS "SELECT 1 FROM ONLY "

static planner_hook_type next_planner;

/* Return whether a query looks a record of the catalogue up, and locks it. */
static bool
is_key_check(const Query *query, const char *text)
{
	const RangeTblEntry *table;

	if (query->commandType != CMD_SELECT || list_length(query->rowMarks) != 1 ||
		list_length(query->rtable) != 1 || strncmp(text, CHECK_BEGINS, strlen(CHECK_BEGINS)) != 0)
		return false;
	table = linitial(query->rtable);
	return table->rtekind == RTE_RELATION && !table->inh &&
		   get_rel_namespace(table->relid) == get_namespace_oid("catalogue", true);
}

static PlannedStmt *
plan_usual(Query *query, const char *text, int options, ParamListInfo params)
{
	return next_planner ? next_planner(query, text, options, params)
						: standard_planner(query, text, options, params);
}

static PlannedStmt *
plan(Query *query, const char *text, int options, ParamListInfo params)
{
	bool former = enable_seqscan;
	PlannedStmt *planned;

	if (!text || !is_key_check(query, text))
		return plan_usual(query, text, options, params);
	enable_seqscan = false;
	PG_TRY();
	{
		planned = plan_usual(query, text, options, params);
	}
	PG_FINALLY();
	{
		enable_seqscan = former;
	}
	PG_END_TRY();
	return planned;
}

void
cat_key_plan_init(void)
{
	next_planner = planner_hook;
	planner_hook = plan;
}
