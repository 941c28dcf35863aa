/*
 * secret.c
 *	  Secrets of services, encrypted by AES-256-GCM.
 *
 * An encrypted secret is a text: "sealed:", 16 hexadecimal digits that identify the key, a colon;
 * then in hexadecimal nonce, ciphertext and tag.  The tag also authenticates the record and field
 * of the secret, so that it cannot be moved to another record.
 */
#include "catalogue.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/stat.h>

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/hsearch.h"

#include "account/account.h"
#include "base/settings.h"
#include "call/call.h"
#include "pg/pg.h"

#define PREFIX "sealed:"
#define KEY_BYTES 32
#define KEY_DIGITS (2 * KEY_BYTES)
#define NAME_BYTES 8
#define NAME_DIGITS (2 * NAME_BYTES)
#define NONCE_BYTES 12
#define TAG_BYTES 16

typedef struct Key
{
	unsigned char bytes[KEY_BYTES];
	char name[NAME_DIGITS + 1]; /* start of its SHA-256, as an identifier */
} Key;

pg_noreturn static void
refuse_file(const char *path, const char *reason)
{
	ereport(ERROR, (errcode(OD503), errmsg("secrets cannot be kept: the service has no key"),
					errdetail_log("File \"%s\" %s.", path, reason),
					errhint("Set catalogue.secret_key_file to a file of %d hexadecimal digits that "
							"only the server can read.",
							KEY_DIGITS)));
}

/*
 * Read the digits of a key file.  Raises OD503 if it cannot be read, is writable by its group or
 * accessible to others, or does not contain a key.
 */
static void
read_digits(const char *path, char *digits)
{
	struct stat status;
	FILE *file = *path ? AllocateFile(path, "r") : NULL;

	if (!file || fstat(fileno(file), &status) != 0)
		refuse_file(path, "cannot be read");
	if ((status.st_mode & (S_IWGRP | S_IRWXO)) != 0)
		refuse_file(path, "is open to others");
	if (fread(digits, 1, KEY_DIGITS, file) != KEY_DIGITS ||
		strspn(digits, "0123456789abcdefABCDEF") != KEY_DIGITS)
		refuse_file(path, "holds no key");
	FreeFile(file);
}

static Key
read_key(const char *path)
{
	char digits[KEY_DIGITS + 1] = {0};
	unsigned char sum[EVP_MAX_MD_SIZE];
	Key key = {0};

	read_digits(path, digits);
	hex_decode(digits, KEY_DIGITS, (char *) key.bytes);
	explicit_bzero(digits, sizeof(digits));
	if (EVP_Digest(key.bytes, KEY_BYTES, sum, NULL, EVP_sha256(), NULL) != 1)
		elog(ERROR, "could not hash a key");
	hex_encode((const char *) sum, NAME_BYTES, key.name);
	return key;
}

/* Return the associated data of a secret: resource, column and record. */
static char *
associated_data(const Resource *resource, const Field *field, const char *id)
{
	return psprintf("%s.%s %s", resource->name, field->column, id);
}

/* Encrypt or decrypt length bytes to out; false if the tag does not match. */
static bool
run_cipher(const Key *key, const char *associated, const unsigned char *nonce,
		   const unsigned char *in, int length, unsigned char *out, unsigned char *tag, int encrypt)
{
	EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
	int written;
	bool done;

	done = cipher &&
		   EVP_CipherInit_ex(cipher, EVP_aes_256_gcm(), NULL, key->bytes, nonce, encrypt) == 1 &&
		   EVP_CipherUpdate(cipher, NULL, &written, (const unsigned char *) associated,
							(int) strlen(associated)) == 1 &&
		   EVP_CipherUpdate(cipher, out, &written, in, length) == 1;
	if (done && !encrypt)
		done = EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_SET_TAG, TAG_BYTES, tag) == 1;
	done = done && EVP_CipherFinal_ex(cipher, out + written, &written) == 1;
	if (done && encrypt)
		done = EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, TAG_BYTES, tag) == 1;
	EVP_CIPHER_CTX_free(cipher);
	return done;
}

bool
cat_secret_is_sealed(const char *text)
{
	size_t digits = strlen(PREFIX) + NAME_DIGITS + 1;

	return strncmp(text, PREFIX, strlen(PREFIX)) == 0 && strlen(text) > digits &&
		   text[digits - 1] == ':' && (strlen(text) - digits) / 2 >= NONCE_BYTES + TAG_BYTES &&
		   strlen(text + digits) % 2 == 0 &&
		   strspn(text + digits, "0123456789abcdef") == strlen(text + digits);
}

static char *
seal(const Key *key, const char *associated, const char *text)
{
	int length = (int) strlen(text);
	int size = NONCE_BYTES + length + TAG_BYTES;
	unsigned char *box = palloc(size);
	char *sealed = palloc(strlen(PREFIX) + NAME_DIGITS + 1 + 2 * size + 1);
	char *digits = sealed + sprintf(sealed, PREFIX "%s:", key->name);

	if (!pg_strong_random(box, NONCE_BYTES) ||
		!run_cipher(key, associated, box, (const unsigned char *) text, length, box + NONCE_BYTES,
					box + NONCE_BYTES + length, 1))
		elog(ERROR, "could not seal a secret");
	digits[hex_encode((const char *) box, size, digits)] = '\0';
	return sealed;
}

char *
cat_secret_seal(const Resource *resource, const Field *field, const char *id, const char *text)
{
	Key key = read_key(cat_secret_key_file);
	char *sealed = seal(&key, associated_data(resource, field, id), text);

	explicit_bzero(&key, sizeof(key));
	return sealed;
}

/* Return the key that a secret was encrypted with: the present or the former one. */
static Key
key_of(const char *sealed)
{
	const char *const files[] = {cat_secret_key_file, cat_former_secret_key_file};

	for (size_t i = 0; i < lengthof(files); i++)
	{
		Key key;

		if (i > 0 && files[i][0] == '\0')
			continue;
		key = read_key(files[i]);
		if (strncmp(sealed + strlen(PREFIX), key.name, NAME_DIGITS) == 0)
			return key;
	}
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("a secret was sealed with a key that is not there"),
					errhint("Set catalogue.former_secret_key_file to its file.")));
}

/* Decrypt a secret, palloc'd; a text that is not encrypted is returned unchanged. */
static char *
open_sealed(const char *associated, const char *sealed)
{
	const char *digits = sealed + strlen(PREFIX) + NAME_DIGITS + 1;
	int size = (int) strlen(sealed) / 2;
	unsigned char *box;
	char *text;
	Key key;

	if (!cat_secret_is_sealed(sealed))
		return pstrdup(sealed);
	key = key_of(sealed);
	box = palloc(size);
	size = (int) hex_decode(digits, strlen(digits), (char *) box);
	text = palloc0(size);
	if (!run_cipher(&key, associated, box, box + NONCE_BYTES, size - NONCE_BYTES - TAG_BYTES,
					(unsigned char *) text, box + size - TAG_BYTES, 0))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("a secret was changed, or belongs to another record")));
	explicit_bzero(&key, sizeof(key));
	return text;
}

/* Return the field that the arguments "resource" and "field" name.  Raises OD404 if it is not a secret. */
static Field *
secret_field(FunctionCallInfo fcinfo, const CallArguments *args, Resource **resource)
{
	const char *name = cat_call_reply_required(fcinfo, args->field);
	Field *field;

	*resource = cat_call_reply_resource(fcinfo, args->resource);
	field = cat_registry_field(*resource, name);
	if (!field || !field->domain || strcmp(field->domain, "secret") != 0)
		ereport(ERROR, (errcode(OD404),
						errmsg("resource \"%s\" has no secret \"%s\"", (*resource)->name, name)));
	return field;
}

/* Return a decrypted secret, null if the record has none. */
CAT_FUNCTION(catalogue_secret)
{
	MemoryContext caller = CurrentMemoryContext;
	char *text = NULL;
	Resource *resource;
	Field *field;

	cat_owner_call_begin();
	field = secret_field(fcinfo, &args_secret, &resource);
	cat_statement_read(
		psprintf("SELECT t.%s::text FROM %s t WHERE t.id = $1 AND t.deleted_at IS NULL",
				 field->quoted, resource->table),
		datum_param(TEXTOID, PG_GETARG_DATUM(ARG_SECRET_ID)));
	if (SPI_processed == 1)
		text = cat_result_text(1);
	if (text)
		text = MemoryContextStrdup(
			caller, open_sealed(associated_data(resource, field,
												cat_call_reply_argument(fcinfo, ARG_SECRET_ID)),
								text));
	cat_owner_call_end();
	if (!text)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(text));
}

/* Encrypt a value with this key unless it is already; return whether it was changed. */
static bool
reseal(const Resource *resource, const Field *field, const Key *key, HeapTuple tuple,
	   TupleDesc desc)
{
	char *id = SPI_getvalue(tuple, desc, 1);
	char *value = SPI_getvalue(tuple, desc, 2);
	char *associated = associated_data(resource, field, id);

	if (cat_secret_is_sealed(value) && strncmp(value + strlen(PREFIX), key->name, NAME_DIGITS) == 0)
		return false;
	cat_statement_in(
		WRITE_UNRECORDED,
		psprintf("UPDATE %s SET %s = $2 WHERE id = $1", resource->table, field->quoted),
		text_param(id), text_param(seal(key, associated, open_sealed(associated, value))));
	return true;
}

/* Encrypt all secrets of a field with the present key; return how many were changed. */
CAT_FUNCTION(catalogue_reseal_field)
{
	int64 count = 0;
	SPITupleTable *table;
	Resource *resource;
	Field *field;
	Key key;

	cat_owner_call_begin();
	field = secret_field(fcinfo, &args_reseal_field, &resource);
	key = read_key(cat_secret_key_file);
	cat_statement_fresh(
		psprintf("SELECT t.id::text, t.%s::text FROM %s t WHERE t.%s IS NOT NULL FOR UPDATE",
				 field->quoted, resource->table, field->quoted));
	table = SPI_tuptable;
	for (uint64 i = 0; i < table->numvals; i++)
		count += reseal(resource, field, &key, table->vals[i], table->tupdesc);
	explicit_bzero(&key, sizeof(key));
	cat_owner_call_end();
	PG_RETURN_INT64(count);
}
