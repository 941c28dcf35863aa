/*
 * defaults.c
 *	  Defaults of a new record that depend on the actor and the settings.
 */
#include "catalogue.h"

#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "call/call.h"
#include "pg/pg.h"
#include "registry/registry.h"
#include "write/write_internal.h"

static const char default_status_sql[] =
	"SELECT s.id::text FROM catalogue.configs c JOIN catalogue.statuses s ON s.id = c.value "
	"WHERE lower(c.key) = 'defaultstatus' AND c.deleted_at IS NULL AND s.deleted_at IS NULL";

/*
 * Return the status of a new record: draft if the actor may change only his own records, else the
 * setting defaultStatus.
 */
static const char *
default_status(const Resource *resource)
{
	const Actor *actor = cat_actor_current();

	if (actor && cat_permission_is_own(actor, resource))
		return cat_state_draft();
	cat_statement_run(default_status_sql, 0, NULL, NULL, NULL, true, 1);
	if (SPI_processed == 0)
		return cat_state_draft();
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
}

static void
fill(Resource *resource, const char *column, const char *id, Datum *values, bool *nulls)
{
	Field *field = cat_registry_column(resource, column);

	if (!field || field->kind != FIELD_ID || !nulls[field->attno - 1])
		return;
	values[field->attno - 1] = CStringGetTextDatum(id);
	nulls[field->attno - 1] = false;
}

/* Set created_by, updated_by, owner and status where they are null and a default applies. */
void
cat_defaults_fill(Resource *resource, Datum *values, bool *nulls)
{
	const Actor *actor = cat_actor_current();
	if (actor && actor->user[0] != '\0')
	{
		fill(resource, "created_by", actor->user, values, nulls);
		fill(resource, "updated_by", actor->user, values, nulls);
		if (cat_permission_is_own(actor, resource))
			fill(resource, "owner", actor->user, values, nulls);
	}
	if (resource->status && nulls[resource->status->attno - 1])
		fill(resource, "status", default_status(resource), values, nulls);
}
