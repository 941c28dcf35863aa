/*
 * token.c - fuzzing target: the verification of tokens.
 *
 * The first line is a token as it is.  The next two lines are header and claims, which are encoded and
 * signed here with the right key, so that the code after the check of the signature is reached too.
 */
#include <stdio.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "fuzz.h"

#define NOW 1700000000

static const char secret[] = "a secret of the tests, at least 32 bytes";
static TokenCache cache;

/* Append bytes as base64url, without padding. */
static void
append_coded(Buffer *buffer, const unsigned char *bytes, size_t length)
{
	unsigned char coded[8192];
	int size = EVP_EncodeBlock(coded, bytes, (int) length);

	for (int i = 0; i < size && coded[i] != '='; i++)
		buffer_append(buffer,
					  coded[i] == '+'	? "-"
					  : coded[i] == '/' ? "_"
										: (char *) &coded[i],
					  1);
}

static void
try(const char *token)
{
	Request *request = fuzz_request("/");
	ApiKey key = {0};
	Claims claims;

	MUST_HOLD(token_signature_material(&key.material, KEY_HS256, secret));
	if (token_claims(&cache, token, &claims))
	{
		MUST_HOLD(strlen(claims.id) <= ID_MAXIMUM);
		MUST_HOLD(strlen(claims.issuer) <= KEY_MAXIMUM);
		/* the key that the token names, whatever its name is */
		strcpy(key.name, claims.issuer);
		if (token_of_user(&cache, request->thread->settings, token, NOW, &claims))
			MUST_HOLD(claims.expires > NOW && claims.id[0] != '\0');
		if (token_of_key(&cache, &key, token, NOW, &claims))
			MUST_HOLD(claims.expires > NOW && claims.issuer[0] != '\0');
	}
	token_signature_forget(&key.material);
	request_free(request);
}

void
fuzz_one(char *text, size_t length)
{
	char *header = fuzz_line(text);
	char *claims = fuzz_line(header);
	unsigned char made[EVP_MAX_MD_SIZE];
	unsigned int size = 0;
	Buffer token;

	try(text);
	if (length > 4096 || *header == '\0')
		return;
	buffer_init(&token, 16384);
	append_coded(&token, (unsigned char *) header, strlen(header));
	buffer_text(&token, ".");
	append_coded(&token, (unsigned char *) claims, strlen(claims));
	HMAC(EVP_sha256(), secret, sizeof(secret) - 1, (unsigned char *) token.data, token.length, made,
		 &size);
	buffer_text(&token, ".");
	append_coded(&token, made, size);
	buffer_append(&token, "", 1);
	if (!token.failed)
		try(token.data);
	buffer_free(&token);
}
