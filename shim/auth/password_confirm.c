/*
 * password_confirm.c - check the present password before users change their own.
 *
 * The update checks it too.  But an update that fails is rolled back, so it could not count wrong
 * passwords, and the password could be guessed with a stolen token.
 */
#include <stdlib.h>
#include <string.h>

#include "answer/answer.h"
#include "auth/auth.h"
#include "database/clients.h"

/* Does the request change the user that makes it? */
static bool
is_own_update(const Request *request)
{
	const char *id = request->path_id;

	return request->route->call == CALL_UPDATE && request->user != NULL && id != NULL &&
		   strcmp(request->resource, "users") == 0 && strcmp(id, request->user) == 0;
}

/* Answer that the present password is wrong, with the validation errors in the reply. */
static StageResult
refuse_password(Request *request, const Reply *reply)
{
	char *faults = strndup(reply->data, reply->data_length);
	StageResult progress = error_faults(
		request, "invalid record: \"currentPassword\" is not the present password", faults);

	free(faults);
	return progress;
}

/* The database has checked the password, if the request changes it. */
static StageResult
confirmed(Request *request)
{
	Reply reply = {0};

	if (!reply_of_call(request->call, &reply))
		return error_set(request, 500, NULL);
	if (reply.id != NULL)
		return NEXT;
	login_history_note(request, false);
	return refuse_password(request, &reply);
}

StageResult
password_confirm_start(Request *request)
{
	return is_own_update(request) ? call_start(request, CALL_CONFIRM, confirmed) : NEXT;
}
