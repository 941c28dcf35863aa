/*
 * log.c
 *	  The action log: one record for each create, update and delete.
 */
#include "catalogue.h"

static const char *const columns[] = {"action", "target", "resource", "user"};

static char *
small_letters(const char *text)
{
	char *small = pstrdup(text);

	for (char *p = small; *p; p++)
		*p = pg_ascii_tolower((unsigned char) *p);
	return small;
}

static void
write_records(const char *target, List *actions, List *ids)
{
	const Actor *actor = actor_current();
	Bulk *bulk = bulk_open_ruled(bulk_table("logs"), lengthof(columns), columns);
	ListCell *action;
	ListCell *id;

	forboth(action, actions, id, ids)
	{
		bulk_row(bulk);
		bulk_set_text(bulk, 0, lfirst(action));
		bulk_set_text(bulk, 1, target);
		bulk_set_text(bulk, 2, lfirst(id));
		if (actor && actor->user[0] != '\0')
			bulk_set_text(bulk, 3, actor->user);
		bulk_end_row(bulk);
	}
	bulk_close(bulk);
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
