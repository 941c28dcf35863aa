/*
 * catalogue.c
 *	  Module of the extension: settings.
 */
#include "catalogue.h"

#include "utils/guc.h"

PG_MODULE_MAGIC;

int cat_max_limit;
bool cat_check_references;
int cat_history_retention;

void _PG_init(void);

void
_PG_init(void)
{
	DefineCustomIntVariable("catalogue.max_limit", "Largest page of a list.",
							"A greater limit in a request is clamped to it.", &cat_max_limit, 10000,
							1, 1000000, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable(
		"catalogue.check_references", "Check at once that referenced records live.",
		"Off, records that refer to each other can be loaded; the foreign keys "
		"are checked at commit all the same.",
		&cat_check_references, true, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("catalogue.history_retention",
							"How long earlier states of records are kept.",
							"Pages can be asked for as of an instant that is not longer ago. "
							"catalogue.prune() removes what is older.",
							&cat_history_retention, SECS_PER_DAY, 0, INT_MAX, PGC_USERSET,
							GUC_UNIT_S, NULL, NULL, NULL);
	MarkGUCPrefixReserved("catalogue");
	registry_init();
	stamp_init();
	rules_init();
}
