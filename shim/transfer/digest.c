/*
 * digest.c - hashes of bytes in header fields (RFC 9530; Digest as of RFC 3230).
 */
#include <string.h>
#include <strings.h>

#include <openssl/evp.h>

#include "transfer/download_internal.h"

#define BASE64 "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
#define CODED_LENGTH 44 /* characters of base64 of a SHA-256 */

static const char algorithm[] = "sha-256";

/* Decode base64 of a SHA-256. */
static bool
decode(const char *text, size_t length, char *hex)
{
	unsigned char bytes[CODED_LENGTH];

	if (length != CODED_LENGTH || text[CODED_LENGTH - 1] != '=' || text[CODED_LENGTH - 2] == '=' ||
		EVP_DecodeBlock(bytes, (const unsigned char *) text, (int) length) != DIGEST_BYTES + 1)
		return false;
	text_hex(bytes, DIGEST_BYTES, hex);
	return true;
}

bool
digest_read(const char *field, bool structured, char *hex)
{
	const char *text = field;
	size_t mark = structured ? 1 : 0;

	*hex = '\0';
	while (*(text += strspn(text, ", \t")) != '\0')
	{
		const char *value = text + strcspn(text, "=,");
		size_t name = (size_t) (value - text);
		size_t length;

		if (name == 0 || *value++ != '=' || (structured && *value != ':'))
			return false;
		value += mark;
		length = strspn(value, BASE64);
		if (length == 0 || (structured && value[length] != ':'))
			return false;
		if (name == strlen(algorithm) && strncasecmp(text, algorithm, name) == 0 &&
			!decode(value, length, hex))
			return false;
		text = value + length + mark;
		text += strspn(text, " \t");
		if (*text != ',' && *text != '\0')
			return false;
	}
	return true;
}

void
digest_write(const char *hex, char *coded)
{
	unsigned char bytes[DIGEST_BYTES] = {0};

	for (size_t i = 0; i < 2 * (size_t) DIGEST_BYTES && hex[i] != '\0'; i++)
	{
		int value = hex[i] <= '9' ? hex[i] - '0' : (hex[i] | 0x20) - 'a' + 10;

		bytes[i / 2] = (unsigned char) (bytes[i / 2] << 4 | (value & 15));
	}
	EVP_EncodeBlock((unsigned char *) coded, bytes, DIGEST_BYTES);
}

bool
digest_end(struct evp_md_ctx_st *context, char *hex)
{
	unsigned char sum[EVP_MAX_MD_SIZE];

	if (EVP_DigestFinal_ex(context, sum, NULL) != 1)
		return false;
	text_hex(sum, DIGEST_BYTES, hex);
	return true;
}
