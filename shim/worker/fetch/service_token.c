/*
 * service_token.c - the token of a remote service, by libjwt where it is to be signed.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jwt.h>

#include "fetch/fetch.h"

#define LIFETIME 300 /* seconds that a signed token is valid */

/* Set what a token has that its settings do not say: when it was made, and when it ends. */
static bool
add_times(json_t *claims)
{
	json_int_t now = (json_int_t) time(NULL);

	return (json_object_get(claims, "iat") != NULL ||
			json_object_set_new(claims, "iat", json_integer(now)) == 0) &&
		   (json_object_get(claims, "exp") != NULL ||
			json_object_set_new(claims, "exp", json_integer(now + LIFETIME)) == 0);
}

/* Sign claims; the token, to be freed; NULL: the key does not fit. */
static char *
sign(json_t *claims, const char *key, jwt_alg_t algorithm)
{
	char *text = add_times(claims) ? json_dumps(claims, JSON_COMPACT) : NULL;
	char *token = NULL;
	jwt_t *jwt = NULL;

	if (text != NULL && jwt_new(&jwt) == 0 && jwt_add_grants_json(jwt, text) == 0 &&
		jwt_set_alg(jwt, algorithm, (const unsigned char *) key, (int) strlen(key)) == 0)
		token = jwt_encode_str(jwt);
	jwt_free(jwt);
	free(text);
	return token;
}

bool
service_token(Service *service, const json_t *settings)
{
	const char *token = json_string_value(json_object_get(settings, "token"));
	const char *key = json_string_value(json_object_get(settings, "tokenSignature"));
	const char *name = json_string_value(json_object_get(settings, "tokenAlgorithm"));
	jwt_alg_t algorithm = jwt_str_alg(name != NULL && *name != '\0' ? name : "HS256");
	json_t *claims;
	char *signed_token;
	bool good;

	if (key == NULL || *key == '\0')
		return service_header(service, "Authorization: Bearer %s", token);
	if (algorithm == JWT_ALG_NONE || algorithm == JWT_ALG_INVAL)
		return service_refuse(service, "the algorithm of the token is not known");
	claims = json_loads(token, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(claims))
	{
		json_decref(claims);
		return service_refuse(service, "the token that is to be signed is no JSON object");
	}
	signed_token = sign(claims, key, algorithm);
	json_decref(claims);
	if (signed_token == NULL)
		return service_refuse(service, "the token cannot be signed with the key of the service");
	good = service_header(service, "Authorization: Bearer %s", signed_token);
	free(signed_token);
	return good;
}
