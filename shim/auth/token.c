/*
 * token.c - tokens of users (HS256, claims id, session, login, iat, exp) and of consumers (iss, exp).
 *
 * libjwt 1.10.2 lets a token choose its algorithm, ignores exp, and writes beyond its memory on the
 * token "..".  Therefore tokens are verified here, and libjwt is used to make tokens only.
 */
#include <ctype.h>

#include <jansson.h>
#include <jwt.h>
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
token_signature_kind(const char *name)
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
token_signature_material(KeyMaterial *material, KeyKind kind, const char *text)
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
	token_signature_forget(material);
	return false;
}

void
token_signature_forget(KeyMaterial *material)
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
token_signature_is_api_key(const KeyMaterial *material, const char *api_key)
{
	unsigned char sum[SHA256_DIGEST_LENGTH];
	char text[2 * SHA256_DIGEST_LENGTH + 1];

	if (material->kind != KEY_API || strlen(material->text) != sizeof(text) - 1)
		return false;
	SHA256((const unsigned char *) api_key, strlen(api_key), sum);
	text_hex(sum, sizeof(sum), text);
	return CRYPTO_memcmp(text, material->text, sizeof(text)) == 0;
}

#define TOKEN_MAXIMUM 4096
#define HASHED 8   /* characters at the end of a token that select its slot */
#define GUARDED 43 /* characters at the end of the signature: 256 bits or more */

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

/* Does the header name the algorithm, and have no members that would have to be understood? */
static bool
valid_header(const Parts *parts, KeyKind kind)
{
	static const char *const allowed = "alg,typ,kid";
	json_t *header = part_object(parts, 0);
	const char *algorithm = json_string_value(json_object_get(header, "alg"));
	bool valid = kind != KEY_API && kind != KEY_NONE && token_signature_kind(algorithm) == kind;
	const char *name;
	json_t *value;

	json_object_foreach(header, name, value)
		valid &= text_has_word(allowed, name) && json_is_string(value);
	json_decref(header);
	return valid;
}

/* Is the signature that of the first two parts?  Only the kind of the key decides the algorithm. */
static bool
valid_signature(const KeyMaterial *material, const Parts *parts)
{
	static bool (*const checks[])(const KeyMaterial *, const char *, size_t, const unsigned char *,
								  size_t) = {
		[KEY_HS256] = valid_hmac, [KEY_RS256] = valid_public, [KEY_ES256] = valid_curve};
	unsigned char given[SIGNATURE_MAXIMUM];
	size_t length = (size_t) (parts->text[2] - 1 - parts->text[0]);
	ptrdiff_t size = text_base64url_decode(parts->text[2], parts->length[2], given, sizeof(given));

	return size > 0 && checks[material->kind] != NULL &&
		   checks[material->kind](material, parts->text[0], length, given, (size_t) size);
}

#define DIGITS "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/* Is the text, which may be NULL, made of the characters, and neither empty nor too long? */
static bool
is_made_of(const char *text, const char *characters, size_t most)
{
	return text != NULL && *text != '\0' && strlen(text) <= most &&
		   strspn(text, characters) == strlen(text);
}

/* Is the claim a time, or absent if it is optional? */
static bool
is_time(const json_t *claim, bool optional)
{
	return claim == NULL ? optional : json_is_integer(claim);
}

/* Read the user or the consumer of a token; false: missing or malformed. */
static bool
read_subject(const json_t *object, Claims *claims)
{
	const char *issuer = json_string_value(json_object_get(object, "iss"));
	const char *id = json_string_value(json_object_get(object, "id"));
	const char *session = json_string_value(json_object_get(object, "session"));

	if (json_object_get(object, "iss") != NULL)
	{
		/* what the extension accepts as the name of a key */
		if (!is_made_of(issuer, DIGITS LETTERS "_.:/-", KEY_MAXIMUM))
			return false;
		strcpy(claims->issuer, issuer);
		return true;
	}
	/* a record id, and an instant as the extension writes it */
	if (!is_made_of(id, DIGITS LETTERS, ID_MAXIMUM) ||
		!is_made_of(session, DIGITS "-:.TZ", SESSION_MAXIMUM))
		return false;
	strcpy(claims->id, id);
	strcpy(claims->session, session);
	return true;
}

/*
 * Read the claims; false: one is missing or has another type.  A token with iss is that of a
 * consumer, and needs no iat; any other is that of a user.
 */
static bool
read_claims(const Parts *parts, Claims *claims)
{
	json_t *object = part_object(parts, 1);
	json_t *issued = json_object_get(object, "iat");
	json_t *expires = json_object_get(object, "exp");
	json_t *begins = json_object_get(object, "nbf");
	bool valid;

	*claims = (Claims){.issued = json_integer_value(issued),
					   .expires = json_integer_value(expires),
					   .begins = json_integer_value(begins),
					   .login = json_integer_value(json_object_get(object, "login"))};
	valid = read_subject(object, claims) && is_time(issued, claims->issuer[0] != '\0') &&
			is_time(expires, false) && is_time(begins, true);
	json_decref(object);
	return valid;
}

/* Is the token valid at this time, or at one that a clock of another host may show? */
static bool
claims_hold(const Claims *claims, int64_t now)
{
	return claims->issued >= 0 && claims->issued <= now + CLOCK_SKEW &&
		   claims->begins <= now + CLOCK_SKEW && claims->expires > now - CLOCK_SKEW;
}

/* The slot of a token, by the end of its signature, which is evenly distributed; NULL: it is too long to be cached. */
static KnownToken *
cacheable_slot(TokenCache *cache, const char *token, size_t length)
{
	unsigned int sum = 0;

	if (length == 0 || length > TOKEN_KEPT)
		return NULL;
	for (size_t i = length < HASHED ? 0 : length - HASHED; i < length; i++)
		sum = sum * 31 + (unsigned char) token[i];
	return &cache->tokens[sum % lengthof(cache->tokens)];
}

/*
 * Is it the cached token?  The time of the comparison must not help to guess one.  The end of the
 * signature is compared in constant time; a client that knows it gains nothing from the time that
 * the comparison of the rest takes.
 */
static bool
holds(const KnownToken *known, const char *token, size_t length)
{
	size_t end = length < GUARDED ? length : GUARDED;

	return known != NULL && known->length == length &&
		   CRYPTO_memcmp(known->text + length - end, token + length - end, end) == 0 &&
		   memcmp(known->text, token, length - end) == 0;
}

bool
token_claims(TokenCache *cache, const char *token, Claims *claims)
{
	size_t length = strnlen(token, TOKEN_MAXIMUM + 1);
	const KnownToken *known = cacheable_slot(cache, token, length);
	Parts parts;

	if (!holds(known, token, length))
		return split(token, &parts) && read_claims(&parts, claims);
	*claims = known->claims;
	return true;
}

/*
 * Verify a token, except for its validity in time, unless it was verified before with the same key,
 * and cache it if it is valid.  A client sends the same token with each request, and its verification
 * would take a quarter of the processor time of a request, with RS256 a multiple of that.
 *
 * Only valid tokens are cached, so that clients cannot choose slots and evict other tokens.
 */
static bool
verify_once(TokenCache *cache, const KeyMaterial *material, uint64_t serial, const char *token,
			Claims *claims)
{
	size_t length;
	KnownToken *known;
	Parts parts;

	if (claims->verified && claims->serial == serial)
		return true;
	/* only the name of the algorithm is read before the signature is verified */
	if (!split(token, &parts) || !valid_header(&parts, material->kind) ||
		!valid_signature(material, &parts) || !read_claims(&parts, claims))
		return false;
	claims->verified = true;
	claims->serial = serial;
	length = strlen(token);
	known = cacheable_slot(cache, token, length);
	if (known != NULL)
	{
		known->length = length;
		known->claims = *claims;
		memcpy(known->text, token, length);
	}
	return true;
}

/* A token with a longer lifetime than the setting was not issued by this service. */
bool
token_of_user(TokenCache *cache, const Settings *settings, const char *token, int64_t now,
			  Claims *claims)
{
	const KeyMaterial own = {.kind = KEY_HS256, .text = settings->token_secret};

	return claims->issuer[0] == '\0' && verify_once(cache, &own, 0, token, claims) &&
		   claims_hold(claims, now) &&
		   claims->expires <= now + settings->token_lifetime / 1000 + CLOCK_SKEW;
}

bool
token_of_key(TokenCache *cache, const ApiKey *key, const char *token, int64_t now, Claims *claims)
{
	return strcmp(claims->issuer, key->name) == 0 &&
		   verify_once(cache, &key->material, key->serial, token, claims) &&
		   claims_hold(claims, now);
}

char *
token_issue(json_t *claims, const char *secret)
{
	char *text = claims != NULL ? json_dumps(claims, JSON_COMPACT) : NULL;
	char *token = NULL;
	jwt_t *jwt = NULL;

	if (text != NULL && jwt_new(&jwt) == 0 && jwt_add_grants_json(jwt, text) == 0 &&
		jwt_set_alg(jwt, JWT_ALG_HS256, (const unsigned char *) secret, (int) strlen(secret)) == 0)
		token = jwt_encode_str(jwt);
	jwt_free(jwt);
	free(text);
	json_decref(claims);
	return token;
}
