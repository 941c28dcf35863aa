/*
 * token.c - the tokens of users: HS256, claims id, session, iat, exp.
 *
 * libjwt 1.10.2 lets a token choose its algorithm, does not look at exp, and writes beyond its
 * memory on the token "..".  So a token is verified here, and libjwt makes tokens only.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <jwt.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "shim.h"

#define TOKEN_MAXIMUM 4096
#define SIGNATURE_SIZE 32
#define SPREAD 8	  /* characters of a token that say where it is kept */
#define CLOCK_SKEW 60 /* seconds by which the clocks of two shims may differ */

/* The three parts of a token, which is split but not copied. */
typedef struct Parts
{
	const char *text[3];
	size_t length[3];
} Parts;

/* False unless there are three parts, none empty, all of base64url. */
static bool
split(const char *token, Parts *parts)
{
	const char *part = token;

	if (strnlen(token, TOKEN_MAXIMUM + 1) > TOKEN_MAXIMUM)
		return false;
	for (int i = 0; i < 3; i++)
	{
		size_t length = 0;

		while (isalnum((unsigned char) part[length]) || part[length] == '-' || part[length] == '_')
			length++;
		if (length == 0 || part[length] != (i < 2 ? '.' : '\0'))
			return false;
		parts->text[i] = part;
		parts->length[i] = length;
		part += length + 1;
	}
	return true;
}

/* The JSON object of a part; NULL if it is none. */
static json_t *
part_object(const Parts *parts, int part)
{
	unsigned char bytes[TOKEN_MAXIMUM];
	ptrdiff_t length =
		text_base64url_decode(parts->text[part], parts->length[part], bytes, sizeof(bytes));
	json_t *object;

	if (length <= 0 || memchr(bytes, '\0', (size_t) length) != NULL)
		return NULL;
	object = json_loadb((const char *) bytes, (size_t) length, JSON_REJECT_DUPLICATES, NULL);
	if (json_is_object(object))
		return object;
	json_decref(object);
	return NULL;
}

/* Does the header say HS256, and nothing that we would have to understand? */
static bool
valid_header(const Parts *parts)
{
	static const char *const allowed = "alg,typ,kid";
	json_t *header = part_object(parts, 0);
	const char *algorithm = json_string_value(json_object_get(header, "alg"));
	bool valid = algorithm != NULL && strcmp(algorithm, "HS256") == 0;
	const char *name;
	json_t *value;

	json_object_foreach(header, name, value)
		valid &= text_has_word(allowed, name) && json_is_string(value);
	json_decref(header);
	return valid;
}

static bool
valid_signature(const Settings *settings, const Parts *parts)
{
	unsigned char given[SIGNATURE_SIZE];
	unsigned char made[EVP_MAX_MD_SIZE];
	unsigned int size = 0;
	size_t length = (size_t) (parts->text[2] - 1 - parts->text[0]);

	if (text_base64url_decode(parts->text[2], parts->length[2], given, sizeof(given)) !=
		SIGNATURE_SIZE)
		return false;
	if (HMAC(EVP_sha256(), settings->token_secret, (int) strlen(settings->token_secret),
			 (const unsigned char *) parts->text[0], length, made, &size) == NULL)
		return false;
	return size == SIGNATURE_SIZE && CRYPTO_memcmp(given, made, SIGNATURE_SIZE) == 0;
}

/* Is this an id as the service makes them? */
static bool
valid_id(const char *id)
{
	static const char characters[] =
		"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

	return id != NULL && *id != '\0' && strlen(id) <= ID_MAXIMUM &&
		   strspn(id, characters) == strlen(id);
}

/* Is this an instant as the extension writes it? */
static bool
valid_session(const char *session)
{
	return session != NULL && *session != '\0' && strlen(session) <= SESSION_MAXIMUM &&
		   strspn(session, "0123456789-:.TZ") == strlen(session);
}

/* Take the claims; false when one is missing or of another type. */
static bool
read_claims(const Parts *parts, Claims *claims)
{
	json_t *object = part_object(parts, 1);
	json_t *issued = json_object_get(object, "iat");
	json_t *expires = json_object_get(object, "exp");
	json_t *begins = json_object_get(object, "nbf");
	const char *id = json_string_value(json_object_get(object, "id"));
	const char *session = json_string_value(json_object_get(object, "session"));
	bool valid = valid_id(id) && valid_session(session) && json_is_integer(issued) &&
				 json_is_integer(expires) && (begins == NULL || json_is_integer(begins));

	*claims = (Claims){.issued = json_integer_value(issued),
					   .expires = json_integer_value(expires),
					   .begins = begins ? json_integer_value(begins) : 0};
	if (valid)
	{
		memcpy(claims->id, id, strlen(id) + 1);
		memcpy(claims->session, session, strlen(session) + 1);
	}
	json_decref(object);
	return valid;
}

/* Do the claims hold at the given time?  A token that lives longer than ours do is not ours. */
static bool
claims_hold(const Settings *settings, const Claims *claims, int64_t now)
{
	return claims->issued >= 0 && claims->issued <= now + CLOCK_SKEW &&
		   claims->begins <= now + CLOCK_SKEW && claims->expires > now &&
		   claims->expires <= now + settings->token_lifetime / 1000 + CLOCK_SKEW;
}

/*
 * Verify a token at the given time (seconds of the epoch) and give its claims.
 *
 * The signature is looked at before anything that the token says is believed; only the name of
 * the algorithm has to be right before that.
 */
static bool
verify(const Settings *settings, const char *token, int64_t now, Claims *claims)
{
	Parts parts;

	return split(token, &parts) && valid_header(&parts) && valid_signature(settings, &parts) &&
		   read_claims(&parts, claims) && claims_hold(settings, claims, now);
}

/* Where a token is kept; what it ends with is the signature, spread well. */
static KnownToken *
slot_of(TokenCache *cache, const char *token, size_t length)
{
	unsigned int sum = 0;

	for (size_t i = length < SPREAD ? 0 : length - SPREAD; i < length; i++)
		sum = sum * 31 + (unsigned char) token[i];
	return &cache->tokens[sum % lengthof(cache->tokens)];
}

/*
 * As verify(), but a token that was found good before is only compared and looked at for its
 * times: a client sends the same token with each request, and to verify it takes a quarter of all
 * that this program does for a request.
 *
 * Tokens are found by the end of their signature.  Only good ones are kept, so that nobody can
 * choose where, and push others out, without having been given one.
 */
bool
token_verify(TokenCache *cache, const Settings *settings, const char *token, int64_t now,
			 Claims *claims)
{
	size_t length = strlen(token);
	KnownToken *known;

	if (length == 0 || length > TOKEN_KEPT)
		return verify(settings, token, now, claims);
	known = slot_of(cache, token, length);
	if (known->length == length && CRYPTO_memcmp(known->text, token, length) == 0)
	{
		*claims = known->claims;
		return claims_hold(settings, claims, now);
	}
	if (!verify(settings, token, now, claims))
		return false;
	known->length = length;
	known->claims = *claims;
	memcpy(known->text, token, length);
	return true;
}

char *
token_issue(const Settings *settings, const char *user, const char *session, int64_t now)
{
	jwt_t *jwt = NULL;
	char *token = NULL;

	if (jwt_new(&jwt) != 0)
		return NULL;
	if (jwt_set_alg(jwt, JWT_ALG_HS256, (const unsigned char *) settings->token_secret,
					(int) strlen(settings->token_secret)) == 0 &&
		jwt_add_grant(jwt, "id", user) == 0 && jwt_add_grant(jwt, "session", session) == 0 &&
		jwt_add_grant_int(jwt, "iat", (long) now) == 0 &&
		jwt_add_grant_int(jwt, "exp", (long) (now + settings->token_lifetime / 1000)) == 0)
		token = jwt_encode_str(jwt);
	jwt_free(jwt);
	return token;
}
