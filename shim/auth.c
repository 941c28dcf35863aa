/*
 * auth.c - who asks: from the credential of the request to the actor of the call.
 *
 * Only the signature is looked at here; whether the user still lives and may do what is asked is
 * seen by the call itself.
 */
#include <string.h>
#include <strings.h>
#include <time.h>

#include "shim.h"

#define NOBODY "{}"

/*
 * The token of the request, NULL if there is none; a credential of a kind that is not known gives
 * the empty text.  The token in X-Admin-Authorization goes before Authorization, which then
 * belongs to an application.
 */
static const char *
credential(const Request *request)
{
	static const char scheme[] = "Bearer ";
	const char *raw = request->headers[HEADER_ADMIN_AUTHORIZATION];
	const char *value = request->headers[HEADER_AUTHORIZATION];

	if (raw != NULL)
		return raw;
	if (value == NULL || strncasecmp(value, scheme, strlen(scheme)) != 0)
		return value == NULL ? NULL : "";
	value += strlen(scheme);
	return value + strspn(value, " ");
}

bool
auth_actor(Request *request)
{
	const char *token = credential(request);
	Claims claims;

	request->actor = NOBODY;
	request->user = NULL;
	if (token == NULL)
		return true;
	if (!token_verify(&request->worker->tokens, request->worker->settings, token,
					  (int64_t) time(NULL), &claims))
		return false;
	request->user = arena_text(&request->arena, claims.id, strlen(claims.id));
	request->actor = arena_format(&request->arena, "{\"user\":\"%s\",\"session\":\"%s\"}",
								  claims.id, claims.session);
	return true;
}
