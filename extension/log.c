/*
 * log.c
 *	  The action log: one record for each create, update and delete.
 */
#include "catalogue.h"

#include "access/table.h"
#include "utils/builtins.h"
#include "utils/rel.h"

/* What a record of the log says, in this order; then what the rules would fill in. */
typedef enum Part
{
	PART_ACTION,
	PART_TARGET,
	PART_RESOURCE,
	PART_USER,
	PARTS_SAID,
	PART_ID = PARTS_SAID,
	PART_CHANGE,
	PARTS
} Part;

static const char *const columns[PARTS] = {
	[PART_ACTION] = "action", [PART_TARGET] = "target", [PART_RESOURCE] = "resource",
	[PART_USER] = "user",	  [PART_ID] = "id",			[PART_CHANGE] = "change",
};

static char *
small_letters(const char *text)
{
	char *small = pstrdup(text);

	for (char *p = small; *p; p++)
		*p = pg_ascii_tolower((unsigned char) *p);
	return small;
}

/* Whether a row may be written without a statement, and without what the rules would look up. */
static bool
is_plain(Oid table, const Resource *logs)
{
	Relation relation = table_open(table, RowExclusiveLock);
	bool plain = logs && logs->change && straight_takes(relation, logs);

	table_close(relation, NoLock);
	return plain;
}

static void
write_row(Bulk *bulk, const char *action, const char *target, const char *id)
{
	const Actor *actor = actor_current();

	bulk_row(bulk);
	bulk_set_text(bulk, PART_ACTION, action);
	bulk_set_text(bulk, PART_TARGET, target);
	bulk_set_text(bulk, PART_RESOURCE, id);
	/* the id of a record, as it is: the check of its domain would cost more than all the rest */
	if (actor && actor->user[0] != '\0')
		bulk_set_copy(bulk, PART_USER, CStringGetTextDatum(actor->user));
}

/* With all triggers of the table. */
static void
write_ruled(Oid table, const char *target, List *actions, List *ids)
{
	Bulk *bulk = bulk_open_ruled(table, PARTS_SAID, columns);
	ListCell *action;
	ListCell *id;

	forboth(action, actions, id, ids)
	{
		write_row(bulk, lfirst(action), target, lfirst(id));
		bulk_end_row(bulk);
	}
	bulk_close(bulk);
}

/*
 * So, with what the triggers of the extension would do, done here: there is
 * nothing to be checked of a record that is no client's, and they would cost
 * several times the row.
 */
static void
write_plain(Oid table, const Resource *logs, const char *target, List *actions, List *ids)
{
	Tally tally = counter_alike(logs, list_length(ids));
	Datum change = Int64GetDatum(stamp_touch(logs, &tally));
	Bulk *bulk = bulk_open(table, PARTS, columns);
	ListCell *action;
	ListCell *id;

	forboth(action, actions, id, ids)
	{
		char new_id[ID_LENGTH + 1];

		id_generate(new_id);
		write_row(bulk, lfirst(action), target, lfirst(id));
		bulk_set_copy(bulk, PART_ID, CStringGetTextDatum(new_id));
		bulk_set(bulk, PART_CHANGE, change);
		bulk_end_row(bulk);
	}
	bulk_close(bulk);
	counter_add(logs, &tally);
}

static void
write_records(const char *target, List *actions, List *ids)
{
	Oid table = bulk_table("logs");
	Resource *logs = registry_table(table);

	if (is_plain(table, logs))
		write_plain(table, logs, target, actions, ids);
	else
		write_ruled(table, target, actions, ids);
}

/*
 * Record actions on records, in the transaction that does them.
 *
 * actions, ids: Lists of char *, one action and one id a record.
 */
void
log_records(const Resource *resource, List *actions, List *ids)
{
	bool checked = cat_check_references;

	if (!resource->logged || ids == NIL)
		return;
	/* who acts was looked up when the call began; by now it may be who was deleted */
	cat_check_references = false;
	PG_TRY();
	{
		write_records(small_letters(resource->model), actions, ids);
	}
	PG_FINALLY();
	{
		cat_check_references = checked;
	}
	PG_END_TRY();
}
