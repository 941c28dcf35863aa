/*
 * password.c
 *	  The check of the present password, before a user changes his own.
 */
#include "catalogue.h"

#include "account/account.h"
#include "base/body.h"
#include "call/call.h"
#include "write/write.h"

/*
 * Check the present password before a user changes his own password.
 *
 * If it is wrong, returns a reply without an id rather than an error, so that the attempt is
 * counted; the change itself could not count it.  Raises OD429 after too many failures, and the
 * errors of update().
 */
CAT_REPLY(catalogue_confirm_password)
{
	List *errors = NIL;
	char *present;
	WriteCall call;

	reply->resource = "users";
	cat_write_call_open(&call, fcinfo, "users", "update", ARG_CONFIRM_PASSWORD_ACTOR);
	PG_TRY();
	{
		cat_write_call_take(&call, cat_call_reply_argument(fcinfo, ARG_CONFIRM_PASSWORD_ID), NULL);
		present =
			cat_user_own_password(call.resource, call.id, &call.actor,
								  cat_body_argument(fcinfo, ARG_CONFIRM_PASSWORD_BODY), &errors);
		if (present)
			reply->data = cat_user_check_counted(
				call.actor.user, present,
				cat_call_reply_optional(fcinfo, ARG_CONFIRM_PASSWORD_ADDRESS));
	}
	PG_FINALLY();
	{
		cat_write_call_leave(&call);
	}
	PG_END_TRY();
	if (!reply->data)
	{
		reply->id = (char *) call.id;
		cat_call_reply_format(reply, "{}");
	}
}
