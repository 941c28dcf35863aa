/*
 * clear.c
 *	  Removal of all records of a resource: check of TRUNCATE, and its replacement.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "call/call.h"
#include "history/history.h"
#include "pg/pg.h"
#include "registry/registry.h"

PG_FUNCTION_INFO_V1(catalogue_check_truncation);
PG_FUNCTION_INFO_V1(catalogue_remove_rows);

/* After TRUNCATE of an append-only resource, recount its rows and log the removal. */
static void
follow_truncation(Relation table, const Resource *resource)
{
	Oid type = TEXTOID;
	Datum name = CStringGetTextDatum(resource->name);
	int nest;

	cat_action_log_require_owner(table);
	nest = cat_security_context_pin();
	SPI_connect();
	cat_statement_run("SELECT catalogue.recount($1)", 1, &type, &name, NULL, true, 0);
	cat_action_log_all_removed(resource);
	SPI_finish();
	cat_security_context_unpin(nest);
}

/*
 * Trigger: refuse TRUNCATE of a resource's table or a join table, whose rows are counted and
 * listed.
 *
 * AFTER TRUNCATE, FOR EACH STATEMENT; argument, for a join table: the resource that has the lists
 * of ids.  The owner of an append-only table may truncate it.
 */
Datum
catalogue_check_truncation(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	Relation table;
	Resource *resource;

	if (!CALLED_AS_TRIGGER(fcinfo))
		elog(ERROR, "check_truncation: not called as a trigger");
	table = trigger->tg_relation;
	resource = trigger->tg_trigger->tgnargs > 0 ? cat_registry_find(trigger->tg_trigger->tgargs[0])
												: cat_registry_table(RelationGetRelid(table));
	if (!resource)
		return PointerGetDatum(NULL);
	if (resource->relid != RelationGetRelid(table))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("cannot truncate join table \"%s\"", RelationGetRelationName(table)),
						errdetail("The records of %s list what it links.", resource->name),
						errhint("Use DELETE, which takes the links out of the lists.")));
	if (!resource->change)
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot truncate table \"%s\" of a resource", RelationGetRelationName(table)),
			 errdetail("Its records are counted, have a history and are listed by others."),
			 errhint("Use DELETE, which deletes them logically, or catalogue.clear('%s'), which "
					 "removes them with all that belongs to them.",
					 resource->name)));
	follow_truncation(table, resource);
	return PointerGetDatum(NULL);
}

/*
 * Physically remove all rows of a resource's table, without triggers' rules; return their number.
 */
Datum
catalogue_remove_rows(PG_FUNCTION_ARGS)
{
	Resource *resource;
	int64 removed;

	cat_security_context_take();
	SPI_connect();
	resource = cat_call_reply_resource(fcinfo);
	cat_statement_run_in(WRITE_UNRECORDED, psprintf("DELETE FROM %s", resource->table), 0, NULL,
						 NULL);
	removed = (int64) SPI_processed;
	cat_commit_time_forget(resource);
	cat_action_log_all_removed(resource);
	SPI_finish();
	cat_security_context_return();
	PG_RETURN_INT64(removed);
}
