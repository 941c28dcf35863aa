/*
 * client_token.c
 *	  The key by which tokens of a consumer are signed.
 */
#include "catalogue.h"

#include "account/account.h"
#include "base/body.h"
#include "call/call.h"
#include "query/query.h"

/* Return the signing key for a consumer's tokens as JSON; NULL if there is none. */
static char *
token_key(const char *name, const char *id)
{
	cat_statement_read("SELECT catalogue.token_key($1, $2)", text_param(name), text_param(id));
	return cat_result_text(1);
}

/*
 * Return the signing key for a consumer's tokens.
 *
 * If there is none, returns an empty object rather than an error, so that the attempt is counted.
 * Raises OD400 for a missing member and, under strict handling, for an unknown one; OD429 after too
 * many attempts.
 */
CAT_REPLY(catalogue_client_token)
{
	const char *address;
	List *errors = NIL;
	List *members;
	char *name;
	char *id;
	char *found;

	address = cat_call_reply_optional(fcinfo, ARG_CLIENT_TOKEN_ADDRESS);
	cat_throttle_id(address);
	members = cat_body_argument(fcinfo, ARG_CLIENT_TOKEN_BODY);
	reply->ignored = cat_ignored_of_members(fcinfo, ARG_CLIENT_TOKEN_STRICT, members,
											list_make2("consumer", "consumerId"), &errors);
	name = cat_body_text(members, "consumer", &errors);
	id = cat_body_text(members, "consumerId", &errors);
	if (errors)
		cat_validation_error_raise(errors, OD400, NULL);
	found = token_key(name, id);
	cat_call_reply_format(reply, "%s", found ? found : "{}");
	if (!found)
		cat_throttle_wrong_id(address);
}
