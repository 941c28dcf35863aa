/*
 * log.c
 *	  The action log: one record for each create, update and delete.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

static const char insert_sql[] =
	"INSERT INTO catalogue.logs (action, target, resource, \"user\") "
	"SELECT n.action::catalogue.log_action, $3, n.id, nullif($4, '') "
	"FROM unnest($1, $2) WITH ORDINALITY n(action, id, place) ORDER BY n.place";

/*
 * Record actions on records, in the transaction that does them.
 *
 * actions, ids: Lists of char *, one action and one id a record.
 */
void
log_records(const Resource *resource, List *actions, List *ids)
{
	const Actor *actor = actor_current();
	char *target = pstrdup(resource->model);
	Oid types[] = {TEXTARRAYOID, TEXTARRAYOID, TEXTOID, TEXTOID};
	Datum values[4];
	bool checked = cat_check_references;

	if (!resource->logged || ids == NIL)
		return;
	for (char *p = target; *p; p++)
		*p = pg_ascii_tolower((unsigned char) *p);
	values[0] = texts_of_list(actions);
	values[1] = texts_of_list(ids);
	values[2] = CStringGetTextDatum(target);
	values[3] = CStringGetTextDatum(actor ? actor->user : "");

	/* who acts was looked up when the call began; by now it may be who was deleted */
	cat_check_references = false;
	PG_TRY();
	{
		plan_run(insert_sql, 4, types, values, NULL, true, 0);
	}
	PG_FINALLY();
	{
		cat_check_references = checked;
	}
	PG_END_TRY();
}
