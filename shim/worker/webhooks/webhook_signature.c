/*
 * webhook_signature.c - the signature of a message (Standard Webhooks 1.0, symmetric).
 */
#include <stdio.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "webhooks/webhooks.h"

#define PREFIX "whsec_"
#define KEY_MAXIMUM 400 /* bytes: 100 characters of UTF-8 */

/* Decode the key of a secret that is written in base64; its length, 0 if it is not. */
static size_t
decode_key(const char *text, unsigned char *key, size_t size)
{
	size_t length = strlen(text);
	int decoded;

	if (length == 0 || length % 4 != 0 || length / 4 * 3 > size)
		return 0;
	decoded = EVP_DecodeBlock(key, (const unsigned char *) text, (int) length);
	if (decoded < 0)
		return 0;
	for (size_t i = length; i > length - 2 && text[i - 1] == '='; i--)
		decoded--;
	return (size_t) decoded;
}

bool
webhook_signature(const Message *message, const char *id, const char *time,
				  char signature[SIGNATURE_SIZE])
{
	const char *secret = message->secret;
	unsigned char key[KEY_MAXIMUM];
	unsigned char digest[SHA256_DIGEST_LENGTH];
	unsigned char text[(SHA256_DIGEST_LENGTH + 2) / 3 * 4 + 1];
	unsigned int length = 0;
	size_t key_length = 0;
	Buffer content;
	bool good;

	if (strncmp(secret, PREFIX, strlen(PREFIX)) == 0)
		key_length = decode_key(secret + strlen(PREFIX), key, sizeof(key));
	buffer_init(&content, strlen(id) + strlen(time) + strlen(message->body) + 3);
	buffer_format(&content, "%s.%s.", id, time);
	buffer_text(&content, message->body);
	good = !content.failed &&
		   HMAC(EVP_sha256(), key_length > 0 ? (const void *) key : secret,
				(int) (key_length > 0 ? key_length : strlen(secret)),
				(const unsigned char *) content.data, content.length, digest, &length) != NULL;
	buffer_free(&content);
	explicit_bzero(key, sizeof(key));
	if (!good)
		return false;
	EVP_EncodeBlock(text, digest, (int) length);
	snprintf(signature, SIGNATURE_SIZE, "v1,%s", (const char *) text);
	return true;
}
