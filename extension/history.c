/*
 * history.c
 *	  The states of records before each change, as they are kept.
 *
 * A row of catalogue_history.<resource> is the state before one change; of
 * several changes in one transaction, the state before the first.  A row
 * without created_at says that the record did not exist.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/rel.h"

static void
run_with_tables(const char *sql, const TriggerData *trigger, int64 number)
{
	Oid type = INT8OID;
	Datum value = Int64GetDatum(number);

	if (SPI_register_trigger_data(unconstify(TriggerData *, trigger)) < 0)
		elog(ERROR, "could not register the tables of the trigger");
	plan_run(sql, 1, &type, &value, NULL, true, 0);
}

/* The columns that the history has of a resource, each with the prefix. */
static char *
past_columns(const Resource *resource, const char *prefix)
{
	StringInfoData columns;

	initStringInfo(&columns);
	for (int i = 0; i < resource->nfields; i++)
		if (resource->fields[i].past > 0 && strcmp(resource->fields[i].column, "id") != 0)
			appendStringInfo(&columns, ", %s%s", prefix, resource->fields[i].quoted);
	return columns.data;
}

static void
write_births(const Resource *resource, const TriggerData *trigger, int64 number)
{
	run_with_tables(psprintf("INSERT INTO %s (id, change_number, change_ended) "
							 "SELECT n.id, $1, false FROM new n WHERE n.deleted_at IS NULL "
							 "ON CONFLICT DO NOTHING",
							 resource->past_table),
					trigger, number);
}

static void
write_states(const Resource *resource, const TriggerData *trigger, int64 number)
{
	run_with_tables(psprintf("INSERT INTO %s (id, change_number, change_ended%s) "
							 "SELECT o.id, $1, false%s FROM old o ON CONFLICT DO NOTHING",
							 resource->past_table, past_columns(resource, ""),
							 past_columns(resource, "o.")),
					trigger, number);
}

/*
 * Keep the states that a statement has changed, for those who read as of an earlier instant.
 *
 * The births of records that have the number of their change themselves are
 * known from that.
 */
void
history_write(const Resource *resource, const TriggerData *trigger)
{
	int64 number = stamp_touch(resource, 0);

	if (!resource->past_table)
		return;
	if (trigger->tg_oldtable)
		write_states(resource, trigger, number);
	else if (!resource->change)
		write_births(resource, trigger, number);
}

/* Mark that a change ended the life of a record: its earlier state is among those to look for. */
void
history_end(const Resource *resource, const char *id)
{
	Oid types[] = {TEXTOID, INT8OID};
	Datum values[] = {CStringGetTextDatum(id), Int64GetDatum(stamp_touch(resource, 0))};

	if (resource->past_table)
		plan_run(psprintf("UPDATE %s SET change_ended = true WHERE id = $1 AND change_number = $2",
						  resource->past_table),
				 2, types, values, NULL, true, 0);
}
