/*
 * client_token.c
 *	  Signing key for the tokens of a registered application.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/body.h"
#include "call/call.h"
#include "call/throttle.h"
#include "pg/pg.h"
#include "query/query.h"

PG_FUNCTION_INFO_V1(catalogue_client_token);

/* Return the signing key for a consumer's tokens as JSON; NULL if there is none. */
static char *
token_key(const char *name, const char *id)
{
	Oid types[] = {TEXTOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(name), CStringGetTextDatum(id)};

	cat_statement_run("SELECT catalogue.token_key($1, $2)", 2, types, values, NULL, false, 1);
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
}

/*
 * Return the signing key for a consumer's tokens.
 *
 * If there is none, returns an empty object rather than an error, so that the attempt is counted.
 * Raises OD400 for a missing member and, under strict handling, for an unknown one; OD429 after too
 * many attempts.
 */
Datum
catalogue_client_token(PG_FUNCTION_ARGS)
{
	const char *address;
	List *errors = NIL;
	List *members;
	CallReply reply = {0};
	char *name;
	char *id;
	char *found;

	cat_call_reply_begin();
	address = PG_ARGISNULL(1) ? NULL : cat_call_reply_argument(fcinfo, 1);
	cat_throttle_id(address);
	members = cat_body_argument(fcinfo, 0);
	reply.ignored =
		cat_ignored_of_members(fcinfo, 2, members, list_make2("consumer", "consumerId"), &errors);
	name = cat_body_text(members, "consumer", &errors);
	id = cat_body_text(members, "consumerId", &errors);
	if (errors)
		cat_validation_error_raise(errors, OD400, NULL);
	found = token_key(name, id);
	reply.data = makeStringInfo();
	appendStringInfoString(reply.data, found ? found : "{}");
	if (!found)
		cat_throttle_wrong_id(address);
	return cat_call_reply_end(fcinfo, &reply);
}
