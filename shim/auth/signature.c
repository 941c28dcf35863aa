/*
 * signature.c - verify credentials with a key, by the algorithm of that key.
 */
#include <stdlib.h>
#include <string.h>

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/sha.h>

#include "auth/credentials.h"

#define SECRET_MINIMUM 32
#define RSA_MINIMUM 2048 /* bits of a modulus */
#define RSA_MAXIMUM 4096 /* bits: verification with a longer one takes too long */
#define P256_BYTES 32	 /* of each of the two numbers of a signature */
#define P256_NAME "prime256v1"

static const struct
{
	const char *name;
	KeyKind kind;
} kinds[] = {{"apikey", KEY_API}, {"HS256", KEY_HS256}, {"RS256", KEY_RS256}, {"ES256", KEY_ES256}};

KeyKind
signature_kind(const char *name)
{
	for (size_t i = 0; i < lengthof(kinds); i++)
		if (name != NULL && strcmp(kinds[i].name, name) == 0)
			return kinds[i].kind;
	return KEY_NONE;
}

/* Is the public key one of the kind's algorithm, and strong enough? */
static bool
fits(const EVP_PKEY *public, KeyKind kind)
{
	char curve[32] = "";
	size_t length;

	if (kind == KEY_RS256)
		return EVP_PKEY_get_base_id(public) == EVP_PKEY_RSA &&
			   EVP_PKEY_get_bits(public) >= RSA_MINIMUM && EVP_PKEY_get_bits(public) <= RSA_MAXIMUM;
	return EVP_PKEY_get_base_id(public) == EVP_PKEY_EC &&
		   EVP_PKEY_get_group_name(public, curve, sizeof(curve), &length) == 1 &&
		   strcmp(curve, P256_NAME) == 0;
}

bool
signature_material(KeyMaterial *material, KeyKind kind, const char *text)
{
	bool secret = kind == KEY_API || kind == KEY_HS256;
	BIO *source;

	*material = (KeyMaterial){.kind = kind};
	if (kind == KEY_NONE)
		return false;
	if (secret)
	{
		material->text = strlen(text) >= SECRET_MINIMUM ? strdup(text) : NULL;
		return material->text != NULL;
	}
	source = BIO_new_mem_buf(text, -1);
	material->public = source ? PEM_read_bio_PUBKEY(source, NULL, NULL, NULL) : NULL;
	BIO_free(source);
	if (material->public != NULL && fits(material->public, kind))
		return true;
	signature_forget(material);
	return false;
}

void
signature_forget(KeyMaterial *material)
{
	if (material->text != NULL)
		OPENSSL_cleanse(material->text, strlen(material->text));
	free(material->text);
	EVP_PKEY_free(material->public);
	*material = (KeyMaterial){0};
}

static bool
valid_hmac(const KeyMaterial *material, const char *text, size_t length,
		   const unsigned char *signature, size_t size)
{
	unsigned char made[EVP_MAX_MD_SIZE];
	unsigned int made_size = 0;

	if (HMAC(EVP_sha256(), material->text, (int) strlen(material->text),
			 (const unsigned char *) text, length, made, &made_size) == NULL)
		return false;
	return size == made_size && CRYPTO_memcmp(signature, made, size) == 0;
}

static bool
valid_public(const KeyMaterial *material, const char *text, size_t length,
			 const unsigned char *signature, size_t size)
{
	EVP_MD_CTX *digest = EVP_MD_CTX_new();
	bool valid =
		digest != NULL &&
		EVP_DigestVerifyInit(digest, NULL, EVP_sha256(), NULL, material->public) == 1 &&
		EVP_DigestVerify(digest, signature, size, (const unsigned char *) text, length) == 1;

	EVP_MD_CTX_free(digest);
	return valid;
}

/* A token has the two numbers of the signature one after the other, OpenSSL needs them in DER. */
static bool
valid_curve(const KeyMaterial *material, const char *text, size_t length,
			const unsigned char *signature, size_t size)
{
	ECDSA_SIG *numbers = ECDSA_SIG_new();
	BIGNUM *r = BN_new();
	BIGNUM *s = BN_new();
	unsigned char *der = NULL;
	int der_size = 0;
	bool valid = false;

	if (size == 2 * P256_BYTES && numbers && BN_bin2bn(signature, P256_BYTES, r) &&
		BN_bin2bn(signature + P256_BYTES, P256_BYTES, s) && ECDSA_SIG_set0(numbers, r, s) == 1)
	{
		r = s = NULL; /* they belong to the signature now */
		der_size = i2d_ECDSA_SIG(numbers, &der);
		valid = der_size > 0 && valid_public(material, text, length, der, (size_t) der_size);
	}
	OPENSSL_free(der);
	BN_free(r);
	BN_free(s);
	ECDSA_SIG_free(numbers);
	return valid;
}

bool
signature_valid(const KeyMaterial *material, const char *text, size_t length,
				const unsigned char *signature, size_t size)
{
	static bool (*const checks[])(const KeyMaterial *, const char *, size_t, const unsigned char *,
								  size_t) = {
		[KEY_NONE] = NULL,			[KEY_API] = NULL,		   [KEY_HS256] = valid_hmac,
		[KEY_RS256] = valid_public, [KEY_ES256] = valid_curve,
	};

	return checks[material->kind] != NULL &&
		   checks[material->kind](material, text, length, signature, size);
}

bool
signature_is_api_key(const KeyMaterial *material, const char *api_key)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char sum[SHA256_DIGEST_LENGTH];
	char text[2 * SHA256_DIGEST_LENGTH];

	if (material->kind != KEY_API || strlen(material->text) != sizeof(text))
		return false;
	SHA256((const unsigned char *) api_key, strlen(api_key), sum);
	for (size_t i = 0; i < sizeof(sum); i++)
	{
		text[2 * i] = digits[sum[i] >> 4];
		text[2 * i + 1] = digits[sum[i] & 15];
	}
	return CRYPTO_memcmp(text, material->text, sizeof(text)) == 0;
}
