/*
 * fetch_permission.c
 *	  Who may have the contents of a file replaced by what its remote service answers.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/state_action.h"
#include "call/call.h"
#include "pg/pg.h"
#include "registry/registry.h"

PG_FUNCTION_INFO_V1(catalogue_permit_fetch);
PG_FUNCTION_INFO_V1(catalogue_address_of_call);

/* Return a published file to review, as when its bytes are replaced by a user who may not publish. */
static void
take_back(const char *file)
{
	Oid types[] = {TEXTOID, TEXTOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(file), CStringGetTextDatum(UNDER_REVIEW),
					  CStringGetTextDatum(PUBLISHED)};

	cat_statement_run("UPDATE catalogue.files f SET status = $2 WHERE f.id = $1 AND f.status = $3 "
					  "AND f.deleted_at IS NULL",
					  3, types, values, NULL, true, 0);
}

/*
 * Require that the user of the running call may update a file, whose service is changed; what he may
 * not publish is returned to review.  Without a running call everything is permitted.
 *
 * Raises OD401, OD403 or OD404.
 */
Datum
catalogue_permit_fetch(PG_FUNCTION_ARGS)
{
	const Actor *actor = cat_actor_current();
	const char *file = text_to_cstring(PG_GETARG_TEXT_PP(0));
	const Resource *files;
	int nest;

	if (!actor)
		PG_RETURN_VOID();
	nest = cat_security_context_pin();
	SPI_connect();
	files = cat_registry_resource("files");
	cat_permission_require_record(actor, files, "update", file);
	if (!cat_permission_reaches(actor, files, "publish", file))
		take_back(file);
	SPI_finish();
	cat_security_context_unpin(nest);
	PG_RETURN_VOID();
}

/* Return the address of the service that the running call came to; NULL if it has none. */
Datum
catalogue_address_of_call(PG_FUNCTION_ARGS)
{
	const Actor *actor = cat_actor_current();

	if (!actor || !actor->base)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(actor->base));
}
