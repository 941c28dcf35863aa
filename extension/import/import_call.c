/*
 * import_call.c
 *	  Changes of records by the functions of single requests, so that their rules apply; and reads.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "call/call.h"
#include "import/records_internal.h"
#include "pg/pg.h"

/* Run a call: $1 resource, $2 actor, $3 id or body, $4 body. */
static const char *
run(Import *import, const char *method, const char *sql, const char *resource, const char *third,
	Oid third_type, const char *body)
{
	Oid types[] = {TEXTOID, JSONBOID, third_type, JSONOID};
	Datum values[] = {CStringGetTextDatum(resource), import->actor_json, CStringGetTextDatum(third),
					  body ? CStringGetTextDatum(body) : (Datum) 0};
	char nulls[] = {' ', import->no_actor ? 'n' : ' ', ' ', ' ', '\0'};
	const char *id;

	cat_consumer_require_method(&import->actor, method);
	cat_statement_run(sql, body ? 4 : 3, types, values, nulls, true, 0);
	id = cat_result_text(1);
	SPI_freetuptable(SPI_tuptable);
	return id;
}

const char *
cat_import_create(Import *import, const char *resource, const char *body)
{
	return run(import, "POST", "SELECT r.id FROM catalogue.create($1, $3, actor => $2) r", resource,
			   body, JSONOID, NULL);
}

const char *
cat_import_update(Import *import, const char *resource, const char *id, const char *body)
{
	return run(import, "PATCH", "SELECT r.id FROM catalogue.update($1, $3, $4, actor => $2) r",
			   resource, id, TEXTOID, body);
}

void
cat_import_act(Import *import, const char *resource, const char *id, const char *action)
{
	if (strcmp(action, "delete") == 0)
		run(import, "DELETE", "SELECT r.id FROM catalogue.delete($1, $3, $2) r", resource, id,
			TEXTOID, NULL);
	else if (strcmp(action, "restore") == 0)
		run(import, "POST", "SELECT r.id FROM catalogue.restore($1, $3, actor => $2) r", resource,
			id, TEXTOID, NULL);
	else
		run(import, "PATCH",
			psprintf("SELECT r.id FROM catalogue.act($1, $3, '%s', actor => $2) r", action),
			resource, id, TEXTOID, NULL);
}

static void
run_attempt(void *argument)
{
	Attempt *attempt = argument;

	if (!attempt->id)
		attempt->id = cat_import_create(attempt->import, attempt->resource, attempt->body);
	else if (attempt->action)
		cat_import_act(attempt->import, attempt->resource, attempt->id, attempt->action);
	else
		cat_import_update(attempt->import, attempt->resource, attempt->id, attempt->body);
}

const char *
cat_import_attempt(Attempt *attempt)
{
	ErrorData *error = cat_statement_in_subtransaction(run_attempt, attempt);

	if (error && !cat_validation_error_is_fault(error))
		ReThrowError(error);
	return error ? error->message : NULL;
}

char *
cat_import_find(const char *sql, const char *first, const char *second)
{
	char *found;

	cat_statement_fresh(sql, text_param(first), text_param(second));
	found = SPI_processed > 0 ? cat_result_text(1) : NULL;
	SPI_freetuptable(SPI_tuptable);
	return found;
}
