/*
 * blob.c
 *	  Bytes in rows of 256 KiB, equal ones once.
 *
 * A blob grows at its end, whoever appends: the state of SHA-256 stands in its
 * row, so that any backend goes on with it.  Sealing gives it its digest, or
 * finds the blob that has these bytes already, which is taken instead.
 */
#define OPENSSL_API_COMPAT 0x10100000L /* for a digest whose state can be kept */

#include "catalogue.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include <openssl/sha.h>

#include "files/files.h"
#include "files/files_internal.h"
#include "pg/pg.h"

PG_FUNCTION_INFO_V1(catalogue_blob_create);
PG_FUNCTION_INFO_V1(catalogue_blob_append);
PG_FUNCTION_INFO_V1(catalogue_blob_overwrite);
PG_FUNCTION_INFO_V1(catalogue_blob_seal);
PG_FUNCTION_INFO_V1(catalogue_blob_bytes);

/* Class of the advisory lock of a digest; that of commits is 3. */
#define DIGEST_LOCK_CLASS 4

/* A blob whose bytes are still coming. */
typedef struct Blob
{
	int64 id;
	int64 size;
	bool sealed;
	bool hashed; /* hashing is that of all bytes; else they were changed behind it */
	SHA256_CTX hashing;
	unsigned char digest[BLOB_DIGEST]; /* of a sealed one */
} Blob;

/*
 * Do not wait for the disk at the end of the transaction: bytes that are not all there yet are of
 * no use to anybody, and the one that seals them waits for all.
 */
void
cat_blob_commit_later(void)
{
	set_config_option("synchronous_commit", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL,
					  true, 0, false);
}

/* Copy a bytea of exactly so many bytes; false where it is null or has others. */
static bool
copy_bytes(int column, void *out, size_t length)
{
	bool isnull;
	Datum value = cat_result_datum(column, &isnull);
	bytea *bytes = isnull ? NULL : DatumGetByteaPP(value);

	if (!bytes || VARSIZE_ANY_EXHDR(bytes) != length)
		return false;
	memcpy(out, VARDATA_ANY(bytes), length);
	return true;
}

/* Read a blob, whose row stays locked until the end of the transaction. */
static Blob
lock_blob(int64 id)
{
	Oid type = INT8OID;
	Datum value = Int64GetDatum(id);
	Blob blob = {.id = id};

	cat_statement_run("SELECT b.size, b.hashing, b.digest FROM catalogue.blob b WHERE b.id = $1 "
					  "FOR NO KEY UPDATE",
					  1, &type, &value, NULL, true, 1);
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("blob " INT64_FORMAT " does not exist", id)));
	blob.size = cat_result_int64(1);
	blob.hashed = copy_bytes(2, &blob.hashing, sizeof(blob.hashing));
	blob.sealed = copy_bytes(3, blob.digest, BLOB_DIGEST);
	if (blob.size == 0 && !blob.sealed)
	{
		SHA256_Init(&blob.hashing);
		blob.hashed = true;
	}
	return blob;
}

static void
refuse_sealed(const Blob *blob)
{
	if (blob->sealed)
		ereport(ERROR,
				(errcode(OD409), errmsg("blob " INT64_FORMAT " has all its bytes", blob->id)));
}

static Datum
bytes_datum(const void *bytes, size_t length)
{
	bytea *value = palloc(VARHDRSZ + length);

	SET_VARSIZE(value, VARHDRSZ + length);
	memcpy(VARDATA(value), bytes, length);
	return PointerGetDatum(value);
}

/* Write one chunk, or the rest of one that is there. */
static void
write_chunk(const Blob *blob, Datum bytes)
{
	Oid types[] = {INT8OID, INT4OID, BYTEAOID};
	Datum values[] = {Int64GetDatum(blob->id), Int32GetDatum((int32) (blob->size / BLOB_CHUNK)),
					  bytes};

	cat_statement_run(
		blob->size % BLOB_CHUNK == 0
			? "INSERT INTO catalogue.blob_chunk (blob, number, bytes) VALUES ($1, $2, $3)"
			: "UPDATE catalogue.blob_chunk c SET bytes = c.bytes || $3 "
			  "WHERE c.blob = $1 AND c.number = $2",
		3, types, values, NULL, true, 0);
}

static void
write_chunks(Blob *blob, const char *bytes, size_t length)
{
	while (length > 0)
	{
		size_t part = Min(length, (size_t) (BLOB_CHUNK - blob->size % BLOB_CHUNK));

		write_chunk(blob, bytes_datum(bytes, part));
		blob->size += (int64) part;
		bytes += part;
		length -= part;
	}
}

/*
 * What is not referred to is swept when nothing comes for a while.  Of all others used_at stays:
 * an indexed column that changed would cost each append an entry in every index.
 */
static const char grow_sql[] =
	"UPDATE catalogue.blob b SET size = $2, hashing = $3, used_at = CASE WHEN b.uses = 0 AND "
	"b.used_at < now() - interval '5 s' THEN now() ELSE b.used_at END WHERE b.id = $1";

static void
write_row(const Blob *blob)
{
	Oid types[] = {INT8OID, INT8OID, BYTEAOID};
	Datum values[] = {Int64GetDatum(blob->id), Int64GetDatum(blob->size),
					  bytes_datum(&blob->hashing, sizeof(blob->hashing))};

	cat_statement_run(grow_sql, 3, types, values, blob->hashed ? NULL : "  n", true, 0);
}

/* Make a blob without bytes, to which they may be appended. */
int64
cat_blob_new(void)
{
	cat_statement_run("INSERT INTO catalogue.blob DEFAULT VALUES RETURNING id", 0, NULL, NULL, NULL,
					  true, 0);
	return cat_result_int64(1);
}

/*
 * Append bytes to a blob: its new size.
 *
 * OD409 where the position is not its present size, which the detail has as
 * {"offset": n}, or where it has all its bytes.
 */
int64
cat_blob_write(int64 id, int64 position, bytea *bytes)
{
	Blob blob = lock_blob(id);
	size_t length = VARSIZE_ANY_EXHDR(bytes);

	refuse_sealed(&blob);
	if (position != blob.size)
		ereport(ERROR,
				(errcode(OD409),
				 errmsg("bytes of position " INT64_FORMAT " are not the next ones", position),
				 errdetail_internal("{\"offset\":" INT64_FORMAT "}", blob.size)));
	if (length == 0)
		return blob.size;
	if (blob.hashed)
		SHA256_Update(&blob.hashing, VARDATA_ANY(bytes), length);
	if (blob.size % BLOB_CHUNK == 0 && length <= BLOB_CHUNK)
	{
		write_chunk(&blob, PointerGetDatum(bytes));
		blob.size += (int64) length;
	}
	else
		write_chunks(&blob, VARDATA_ANY(bytes), length);
	write_row(&blob);
	return blob.size;
}

/* One chunk of a blob, NULL behind the end; palloc'd. */
bytea *
cat_blob_piece(int64 id, int64 number)
{
	Oid types[] = {INT8OID, INT8OID};
	Datum values[] = {Int64GetDatum(id), Int64GetDatum(number)};
	bool isnull;

	cat_statement_run(
		"SELECT c.bytes FROM catalogue.blob_chunk c WHERE c.blob = $1 AND c.number = $2", 2, types,
		values, NULL, true, 1);
	return SPI_processed == 0 ? NULL : DatumGetByteaPCopy(cat_result_datum(1, &isnull));
}

/* Those who seal equal bytes do it one after the other. */
static void
lock_digest(const unsigned char *digest)
{
	uint32 parts[2];
	LOCKTAG tag;

	memcpy(parts, digest, sizeof(parts));
	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, parts[0], parts[1], DIGEST_LOCK_CLASS);
	LockAcquire(&tag, ExclusiveLock, false, false);
}

/*
 * The blob that has the same bytes, 0 for none.  It is locked and used from now on, so that no
 * sweep takes it away.
 */
static int64
find_equal(const Blob *blob)
{
	Oid type = BYTEAOID;
	Datum digest = bytes_datum(blob->digest, BLOB_DIGEST);

	cat_statement_run(
		"UPDATE catalogue.blob b SET used_at = now() WHERE b.digest = $1 RETURNING b.id", 1, &type,
		&digest, NULL, true, 0);
	return SPI_processed == 0 ? 0 : cat_result_int64(1);
}

/* What is left of a blob whose bytes are there already is for the next sweep. */
static void
give_up(const Blob *blob)
{
	Oid type = INT8OID;
	Datum id = Int64GetDatum(blob->id);

	cat_statement_run("UPDATE catalogue.blob b SET used_at = '-infinity' WHERE b.id = $1", 1, &type,
					  &id, NULL, true, 0);
}

static void
set_digest(const Blob *blob)
{
	Oid types[] = {INT8OID, BYTEAOID};
	Datum values[] = {Int64GetDatum(blob->id), bytes_datum(blob->digest, BLOB_DIGEST)};

	cat_statement_run("UPDATE catalogue.blob b SET digest = $2, hashing = NULL, used_at = now() "
					  "WHERE b.id = $1",
					  2, types, values, NULL, true, 0);
}

/*
 * Say that a blob has all its bytes: the id of the blob that has them from now on, and their
 * SHA-256.
 *
 * The commit waits for the disk, whatever appending did.
 */
int64
cat_blob_close(int64 id, unsigned char *digest)
{
	Blob blob = lock_blob(id);
	int64 equal;

	if (!blob.sealed)
	{
		if (blob.hashed)
			SHA256_Final(blob.digest, &blob.hashing);
		else
			cat_blob_digest(id, blob.digest);
	}
	memcpy(digest, blob.digest, BLOB_DIGEST);
	if (blob.sealed)
		return id;
	ForceSyncCommit();
	lock_digest(digest);
	equal = find_equal(&blob);
	if (equal > 0)
		give_up(&blob);
	else
		set_digest(&blob);
	return equal > 0 ? equal : id;
}

Datum
catalogue_blob_create(PG_FUNCTION_ARGS)
{
	int64 id;

	cat_owner_call_begin();
	id = cat_blob_new();
	cat_owner_call_end();
	PG_RETURN_INT64(id);
}

Datum
catalogue_blob_append(PG_FUNCTION_ARGS)
{
	int64 size;

	cat_owner_call_begin();
	cat_blob_commit_later();
	size = cat_blob_write(PG_GETARG_INT64(0), PG_GETARG_INT64(1), PG_GETARG_BYTEA_PP(2));
	cat_owner_call_end();
	PG_RETURN_INT64(size);
}

/* Put bytes into the place of some that are there; the digest is taken anew at the end. */
Datum
catalogue_blob_overwrite(PG_FUNCTION_ARGS)
{
	int64 position = PG_GETARG_INT64(1);
	bytea *bytes = PG_GETARG_BYTEA_PP(2);
	int64 left = (int64) VARSIZE_ANY_EXHDR(bytes);
	const char *from = VARDATA_ANY(bytes);
	Blob blob;

	cat_owner_call_begin();
	cat_blob_commit_later();
	blob = lock_blob(PG_GETARG_INT64(0));
	refuse_sealed(&blob);
	if (position < 0 || position > blob.size - left)
		ereport(ERROR, (errcode(OD409), errmsg("bytes can only be put into the place of others")));
	while (left > 0)
	{
		int64 part = Min(left, BLOB_CHUNK - position % BLOB_CHUNK);
		Oid types[] = {INT8OID, INT4OID, INT4OID, BYTEAOID};
		Datum values[] = {Int64GetDatum(blob.id), Int32GetDatum((int32) (position / BLOB_CHUNK)),
						  Int32GetDatum((int32) (position % BLOB_CHUNK) + 1),
						  bytes_datum(from, (size_t) part)};

		cat_statement_run(
			"UPDATE catalogue.blob_chunk c SET bytes = overlay(c.bytes PLACING $4 FROM $3) "
			"WHERE c.blob = $1 AND c.number = $2",
			4, types, values, NULL, true, 0);
		position += part;
		from += part;
		left -= part;
	}
	blob.hashed = false;
	write_row(&blob);
	cat_owner_call_end();
	PG_RETURN_VOID();
}

Datum
catalogue_blob_seal(PG_FUNCTION_ARGS)
{
	unsigned char digest[BLOB_DIGEST];
	int64 id;

	cat_owner_call_begin();
	id = cat_blob_close(PG_GETARG_INT64(0), digest);
	cat_owner_call_end();
	PG_RETURN_INT64(id);
}

Datum
catalogue_blob_bytes(PG_FUNCTION_ARGS)
{
	bytea *piece;
	Datum given = (Datum) 0;

	cat_owner_call_begin();
	piece = cat_blob_piece(PG_GETARG_INT64(0), PG_GETARG_INT32(1));
	if (piece)
		given = SPI_datumTransfer(PointerGetDatum(piece), false, -1);
	cat_owner_call_end();
	fcinfo->isnull = piece == NULL;
	return given;
}
