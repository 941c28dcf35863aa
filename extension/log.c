/*
 * log.c
 *	  The action log: one record for each create, update and delete.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

static const char insert_sql[] = "INSERT INTO catalogue.logs (action, target, resource, \"user\") "
								 "VALUES ($1::catalogue.log_action, $2, $3, nullif($4, ''))";

/* Record an action on a record, in the transaction that does it. */
void
log_record(const Resource *resource, const char *action, const char *id)
{
	const Actor *actor = actor_current();
	char *target = pstrdup(resource->model);
	Oid types[] = {TEXTOID, TEXTOID, TEXTOID, TEXTOID};
	Datum values[4];
	bool checked = cat_check_references;

	if (!resource->logged)
		return;
	for (char *p = target; *p; p++)
		*p = pg_ascii_tolower((unsigned char) *p);
	values[0] = CStringGetTextDatum(action);
	values[1] = CStringGetTextDatum(target);
	values[2] = CStringGetTextDatum(id);
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
