/*
 * session.c - envelopes with tokens.
 */
#include <stdlib.h>
#include <time.h>

#include <jansson.h>

#include "answer/answer.h"
#include "answer/envelope.h"
#include "auth/auth.h"
#include "database/clients.h"

void
session_login(Request *request, const Reply *reply)
{
	const Settings *settings = request->worker->settings;
	const char *user[] = {request->resource, reply->id, NULL};
	const char *refresh[] = {request->resource, "refreshToken", reply->id, NULL};
	int64_t now = (int64_t) time(NULL);
	bool login = request->route->call == CALL_LOGIN;
	char *token;

	if (login)
		login_history_note(request, reply->id != NULL);
	if (reply->id == NULL)
	{
		(void) error_login(request);
		return;
	}
	token = token_issue(settings, reply->id, reply->version, login ? now : request->login, now);
	if (token == NULL || reply->data_length < 2)
	{
		free(token);
		(void) error_set(request, 500, NULL);
		return;
	}
	envelope_begin(request, MHD_HTTP_OK);
	envelope_ignored(request, reply);
	/* the members of the reply follow those written here */
	envelope_data(request, reply->data + 1, reply->data_length - 1);
	buffer_text(&request->answer.head, "{\"token\":\"");
	buffer_text(&request->answer.head, token);
	buffer_text(&request->answer.head, "\",");
	envelope_link(request, "user", user);
	envelope_link(request, "refreshToken", refresh);
	buffer_text(&request->answer.tail, "}}");
	free(token);
}

/* A token for a consumer, signed with the key in the reply. */
void
session_token(Request *request, const Reply *reply)
{
	json_t *object = json_loadb(reply->data, reply->data_length, 0, NULL);
	const char *key = json_string_value(json_object_get(object, "key"));
	const char *material = json_string_value(json_object_get(object, "material"));
	int64_t lifetime = json_integer_value(json_object_get(object, "lifetime"));
	char *token =
		key && material ? token_issue_for_key(key, material, lifetime, (int64_t) time(NULL)) : NULL;

	if (json_object_size(object) == 0)
		(void) error_set(request, 401, "no consumer of this name and id may have tokens");
	else if (token == NULL)
		(void) error_set(request, 500, NULL);
	else
	{
		envelope_begin(request, MHD_HTTP_OK);
		envelope_ignored(request, reply);
		buffer_format(&request->answer.head, "},\"data\":\"%s\",\"links\":{}}", token);
	}
	free(token);
	json_decref(object);
}
