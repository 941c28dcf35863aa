/*
 * client_token.c
 *	  The key that tokens of a registered application are made with.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "base/body.h"
#include "call/call.h"
#include "pg/pg.h"
#include "query/query.h"

PG_FUNCTION_INFO_V1(catalogue_client_token);

/* The key that tokens of a consumer are made with, as JSON; NULL where there is none. */
static char *
token_key(const char *name, const char *id)
{
	Oid types[] = {TEXTOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(name), CStringGetTextDatum(id)};

	cat_statement_run("SELECT catalogue.token_key($1, $2)", 2, types, values, NULL, false, 1);
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
}

/*
 * Give the key that tokens of a consumer are made with.
 *
 * Where there is none the reply is an empty object, and no error: so the try is counted.  OD400
 * for a missing member, with strict handling for one that is not known; OD429 after too many tries.
 */
Datum
catalogue_client_token(PG_FUNCTION_ARGS)
{
	const char *address;
	List *faults = NIL;
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
		cat_ignored_of_members(fcinfo, 2, members, list_make2("consumer", "consumerId"), &faults);
	name = cat_body_text(members, "consumer", &faults);
	id = cat_body_text(members, "consumerId", &faults);
	if (faults)
		cat_validation_error_raise(faults, OD400, NULL);
	found = token_key(name, id);
	reply.data = makeStringInfo();
	appendStringInfoString(reply.data, found ? found : "{}");
	if (!found)
		cat_throttle_wrong_id(address);
	return cat_call_reply_end(fcinfo, &reply);
}
