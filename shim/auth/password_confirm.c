/*
 * password_confirm.c - a user sets a new password of his own: the present one is checked before.
 *
 * The change itself checks it too.  But a change that fails leaves nothing behind, so a wrong
 * password could not be counted by it, and a stolen token could guess at the password.
 */
#include <string.h>

#include "shim.h"

bool
confirm_wanted(const Request *request)
{
	const char *id = route_word(request, "id");

	return request->route->call == CALL_UPDATE && request->user != NULL && id != NULL &&
		   strcmp(request->resource, "users") == 0 && strcmp(id, request->user) == 0;
}

/* The database has looked at the password, if there was one to look at. */
static void
confirmed(Request *request)
{
	Reply reply = {0};

	if (error_of_call(request))
		return;
	if (!reply_of_call(&request->call, &reply))
		error_set(request, 500, NULL);
	else if (reply.id != NULL)
		request_call(request);
	else
	{
		login_history_note(request, false);
		error_password(request, &reply);
	}
}

void
confirm_start(Request *request)
{
	call_start(request, CALL_CONFIRM, confirmed);
}
