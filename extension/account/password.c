/*
 * password.c
 *	  Password hashing by yescrypt, from libcrypt.
 */
#include "catalogue.h"

#include <crypt.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/stat.h>

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/hsearch.h"

#include "account/account.h"
#include "base/settings.h"
#include "pg/pg.h"

#define HASH_PREFIX "$y$"
#define SALT_BYTES 16
#define PASSWORD_LEAST 8
#define PASSWORD_MOST 256
#define PASSWORD_BYTES 1024 /* maximum number of bytes of a password */

/* cost parameter for libcrypt's default */
#define DEFAULT_COST 0

/* Return the text to hash: the password, or its SHA-512 if it is too long for libcrypt. */
static char *
phrase_of(const char *password)
{
	Datum sum;

	if (strlen(password) < CRYPT_MAX_PASSPHRASE_SIZE)
		return pstrdup(password);
	sum = DirectFunctionCall1(sha512_bytea, CStringGetTextDatum(password));
	return psprintf("SHA-512 %s", TextDatumGetCString(DirectFunctionCall2(
									  binary_encode, sum, CStringGetTextDatum("hex"))));
}

static char *
hash_with(const char *password, const char *setting)
{
	struct crypt_data *data = palloc0(sizeof(struct crypt_data));
	char *phrase = phrase_of(password);
	char *hash = crypt_r(phrase, setting, data);
	char *copy;

	if (!hash || hash[0] == '*')
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not hash the password")));
	copy = pstrdup(hash);
	explicit_bzero(data, sizeof(*data));
	explicit_bzero(phrase, strlen(phrase));
	pfree(data);
	pfree(phrase);
	return copy;
}

/*
 * Return the number of hashes that all sessions may compute at the same time.  Each takes a core
 * and 16 MB for about 20 ms, and many logins must not slow down reads.
 */
static int
slots(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cat_parallel_hashes > 0 ? cat_parallel_hashes : (int) Max(cores / 2, 1);
}

static bool
take_slot(LOCKTAG *tag, int slot, bool wait)
{
	SET_LOCKTAG_ADVISORY(*tag, MyDatabaseId, 0, (uint32) slot, CAT_LOCK_PASSWORD_SLOT);
	return LockAcquire(tag, ExclusiveLock, false, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

/* Like hash_with(), after waiting for a free slot if necessary. */
static char *
hash_in_slot(const char *password, const char *setting)
{
	int count = slots();
	int mine = MyProcPid % count;
	LOCKTAG tag;
	char *hash;
	int i = 0;

	while (i < count && !take_slot(&tag, (mine + i) % count, false))
		i++;
	if (i == count)
		take_slot(&tag, mine, true);
	hash = hash_with(password, setting);
	LockRelease(&tag, ExclusiveLock, false);
	return hash;
}

/* Make a setting for crypt_r(): method, cost and a new salt. */
static void
make_setting(char setting[CRYPT_GENSALT_OUTPUT_SIZE])
{
	char random[SALT_BYTES];

	if (!pg_strong_random(random, sizeof(random)))
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not get random bytes")));
	if (!crypt_gensalt_rn(HASH_PREFIX, DEFAULT_COST, random, sizeof(random), setting,
						  CRYPT_GENSALT_OUTPUT_SIZE))
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not make a salt")));
}

char *
cat_password_hash(const char *password)
{
	char setting[CRYPT_GENSALT_OUTPUT_SIZE];

	make_setting(setting);
	return hash_in_slot(password, setting);
}

const char *
cat_password_error(const char *password, const char **message)
{
	/* do not count the characters of a text of unlimited length */
	int length = strlen(password) > PASSWORD_BYTES ? INT_MAX : pg_mbstrlen(password);

	if (length >= PASSWORD_LEAST && length <= PASSWORD_MOST)
		return NULL;
	*message = length > PASSWORD_MOST ? psprintf("takes at most %d characters", PASSWORD_MOST)
									  : psprintf("takes at least %d characters", PASSWORD_LEAST);
	return length > PASSWORD_MOST ? "maxLength" : "format";
}

bool
cat_password_is_hash(const char *text)
{
	return strncmp(text, HASH_PREFIX, strlen(HASH_PREFIX)) == 0 && strlen(text) > 60 &&
		   crypt_checksalt(text) == CRYPT_SALT_OK;
}

/*
 * Return whether a password has this hash, in a time that does not depend on the result.
 *
 * hash: NULL if the user does not exist, which no password matches.  A password that is too long is
 * refused at once, whoever the user is.
 */
bool
cat_password_verify(const char *password, const char *hash)
{
	char setting[CRYPT_GENSALT_OUTPUT_SIZE];
	const char *other;

	if (strlen(password) > PASSWORD_BYTES)
		return false;
	make_setting(setting);
	other = hash_in_slot(password, hash ? hash : setting);
	return hash && strlen(other) == strlen(hash) && CRYPTO_memcmp(other, hash, strlen(hash)) == 0;
}
