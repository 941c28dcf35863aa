/*
 * password.c
 *	  Password hashes: yescrypt, by libcrypt.
 */
#include "catalogue.h"

#include <crypt.h>

#include "utils/memutils.h"

#define HASH_PREFIX "$y$"
#define SALT_BYTES 16

/* yescrypt without a cost given: the library's own default */
#define DEFAULT_COST 0

static char *
hash_with(const char *password, const char *setting)
{
	struct crypt_data *data = palloc0(sizeof(struct crypt_data));
	char *hash = crypt_r(password, setting, data);
	char *copy;

	if (!hash || hash[0] == '*')
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not hash the password")));
	copy = pstrdup(hash);
	explicit_bzero(data, sizeof(*data));
	pfree(data);
	return copy;
}

/* The hash of a password with a new salt, palloc'd. */
char *
password_hash(const char *password)
{
	char random[SALT_BYTES];
	char setting[CRYPT_GENSALT_OUTPUT_SIZE];

	if (!pg_strong_random(random, sizeof(random)))
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not get random bytes")));
	if (!crypt_gensalt_rn(HASH_PREFIX, DEFAULT_COST, random, sizeof(random), setting,
						  sizeof(setting)))
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not make a salt")));
	return hash_with(password, setting);
}

/* Whether the text is a hash of ours rather than a password in clear. */
bool
password_is_hash(const char *text)
{
	return strncmp(text, HASH_PREFIX, strlen(HASH_PREFIX)) == 0 && strlen(text) > 60 &&
		   crypt_checksalt(text) == CRYPT_SALT_OK;
}

/* Whether the password has this hash; takes the same time whatever the answer. */
bool
password_verify(const char *password, const char *hash)
{
	const char *other = hash_with(password, hash);
	size_t length = strlen(hash);
	unsigned char difference = strlen(other) != length;

	for (size_t i = 0; i < length && !(difference & 2); i++)
		difference |= (unsigned char) (hash[i] ^ other[i]) != 0;
	return difference == 0;
}
