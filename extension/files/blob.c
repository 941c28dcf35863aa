/*
 * blob.c
 *	  Blobs: byte sequences stored in rows of 256 KiB, equal ones only once.
 *
 * A blob grows at its end.  The state of its SHA-256 is stored in its row, so any backend can
 * append.  Sealing a blob sets its digest; if a blob with the same bytes exists already, that one
 * is used instead.
 */
#define OPENSSL_API_COMPAT 0x10100000L /* for SHA256_CTX, whose state can be stored */

#include "catalogue.h"

#include <openssl/sha.h>

#include "access/xact.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "files/files.h"
#include "files/files_internal.h"
#include "pg/pg.h"

/* Return one chunk of a blob, palloc'd; NULL behind the end. */
bytea *
cat_blob_piece(int64 id, int64 number)
{
	bool isnull;

	cat_statement_fresh(
		"SELECT c.bytes FROM catalogue.blob_chunk c WHERE c.blob = $1 AND c.number = $2",
		int8_param(id), int8_param(number));
	return SPI_processed == 0 ? NULL : DatumGetByteaPCopy(cat_result_datum(1, &isnull));
}

char *
cat_blob_text(int64 blob)
{
	StringInfoData text;

	/* the rows have pointers to their bytes, of which one chunk at a time is in memory */
	cat_statement_fresh("SELECT c.bytes FROM catalogue.blob_chunk c WHERE c.blob = $1 "
						"ORDER BY c.number",
						int8_param(blob));
	initStringInfo(&text);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool isnull;
		bytea *chunk = DatumGetByteaPCopy(
			SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));

		CHECK_FOR_INTERRUPTS();
		appendBinaryStringInfo(&text, VARDATA(chunk), (int) (VARSIZE(chunk) - VARHDRSZ));
		pfree(chunk);
	}
	SPI_freetuptable(SPI_tuptable);
	if (!pg_verify_mbstr(PG_UTF8, text.data, text.len, true) ||
		strlen(text.data) != (size_t) text.len)
		ereport(ERROR, (errcode(OD400), errmsg("the document is no text in UTF-8")));
	return text.data;
}

/* Return whether a blob has these bytes at a position. */
static bool
blob_has(int64 id, int64 position, Datum bytes)
{
	cat_statement_fresh("SELECT substring(string_agg(c.bytes, '' ORDER BY c.number) "
						"FROM ($2 % 262144)::integer + 1 FOR length($3)) = $3 "
						"FROM catalogue.blob_chunk c WHERE c.blob = $1 "
						"AND c.number BETWEEN $2 / 262144 AND ($2 + length($3) - 1) / 262144",
						int8_param(id), int8_param(position), datum_param(BYTEAOID, bytes));
	return cat_result_bool(1);
}

/* Raise OD503 where a chunk that is not here belongs to a blob in the object store. */
static void
require_here(int64 id, int64 number)
{
	cat_statement_fresh("SELECT FROM catalogue.blob b WHERE b.id = $1 AND b.place = 'store' AND "
						"$2 BETWEEN 0 AND (b.size - 1) / 262144",
						int8_param(id), int8_param(number));
	if (SPI_processed > 0)
		ereport(ERROR, (errcode(OD503), errmsg("the bytes are in the object store")));
}

CAT_FUNCTION(catalogue_blob_bytes)
{
	int64 id = PG_GETARG_INT64(ARG_BLOB_BYTES_BLOB);
	int64 number = PG_GETARG_INT32(ARG_BLOB_BYTES_NUMBER);
	bytea *piece;
	Datum given = (Datum) 0;

	cat_owner_call_begin();
	piece = cat_blob_piece(id, number);
	if (!piece)
		require_here(id, number);
	if (piece)
		given = SPI_datumTransfer(PointerGetDatum(piece), false, -1);
	cat_owner_call_end();
	fcinfo->isnull = piece == NULL;
	return given;
}

/* Compute the SHA-256 of a blob's stored bytes, BLOB_DIGEST bytes long.  SPI must be connected. */
static void
blob_digest(int64 id, unsigned char *digest)
{
	MemoryContext pieces =
		AllocSetContextCreate(CurrentMemoryContext, "catalogue blob", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(pieces);
	SHA256_CTX hashing;
	bytea *piece;

	SHA256_Init(&hashing);
	for (int64 number = 0; (piece = cat_blob_piece(id, number)); number++)
	{
		CHECK_FOR_INTERRUPTS();
		SHA256_Update(&hashing, VARDATA(piece), VARSIZE(piece) - VARHDRSZ);
		SPI_freetuptable(SPI_tuptable);
		MemoryContextReset(pieces);
	}
	SHA256_Final(digest, &hashing);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(pieces);
}

/* Return the digest of the stored bytes, whatever the blob's row contains. */
CAT_FUNCTION(catalogue_blob_digest)
{
	int64 id = PG_GETARG_INT64(ARG_BLOB_DIGEST_BLOB);
	bytea *digest = palloc(VARHDRSZ + BLOB_DIGEST);

	SET_VARSIZE(digest, VARHDRSZ + BLOB_DIGEST);
	cat_owner_call_begin();
	blob_digest(id, (unsigned char *) VARDATA(digest));
	cat_owner_call_end();
	PG_RETURN_BYTEA_P(digest);
}

/* A blob, sealed or still growing. */
typedef struct Blob
{
	int64 id;
	int64 size;
	bool sealed;
	bool hashed; /* hashing is a state of this library, of all bytes */
	SHA256_CTX hashing;
	unsigned char digest[BLOB_DIGEST]; /* if sealed */
} Blob;

void
cat_blob_commit_later(void)
{
	set_config_option("synchronous_commit", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL,
					  true, 0, false);
}

/* Copy a bytea of exactly that length; false if it is null or has another length. */
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

/* Read a blob, and lock its row until the end of the transaction. */
static Blob
lock_blob(int64 id)
{
	Blob blob = {.id = id};

	cat_statement_fresh("SELECT b.size, b.hashing, b.digest FROM catalogue.blob b WHERE b.id = $1 "
						"FOR NO KEY UPDATE",
						int8_param(id));
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

static Datum
bytes_datum(const void *bytes, size_t length)
{
	bytea *value = palloc(VARHDRSZ + length);

	SET_VARSIZE(value, VARHDRSZ + length);
	memcpy(VARDATA(value), bytes, length);
	return PointerGetDatum(value);
}

/* Append bytes: to the last chunk, as far as there is room in it, and in further ones. */
static void
append_bytes(Blob *blob, Datum bytes)
{
	int64 length = (int64) VARSIZE_ANY_EXHDR(DatumGetPointer(bytes));

	cat_statement_fresh(
		/* the worker and the shim mostly send a whole chunk */
		blob->size % BLOB_CHUNK == 0 && length <= BLOB_CHUNK
			? "INSERT INTO catalogue.blob_chunk (blob, number, bytes) VALUES ($1, $2 / 262144, $3)"
			: "INSERT INTO catalogue.blob_chunk AS c (blob, number, bytes) SELECT $1, n, "
			  "substring($3 FROM greatest(n * 262144 - $2, 0)::integer + 1 "
			  "FOR least((n + 1) * 262144 - $2, 262144)::integer) "
			  "FROM generate_series($2 / 262144, ($2 + length($3) - 1) / 262144) n "
			  "ON CONFLICT (blob, number) DO UPDATE SET bytes = c.bytes || excluded.bytes",
		int8_param(blob->id), int8_param(blob->size), datum_param(BYTEAOID, bytes));
	blob->size += length;
}

/*
 * The sweep removes unreferenced blobs that have not grown for a while.  For all others used_at is
 * left alone, since changing an indexed column would add an entry to every index on each append.
 */
static const char grow_sql[] =
	"UPDATE catalogue.blob b SET size = $2, hashing = $3, used_at = CASE WHEN b.uses = 0 AND "
	"b.used_at < now() - interval '5 s' THEN now() ELSE b.used_at END WHERE b.id = $1";

static void
write_row(const Blob *blob)
{
	cat_statement_fresh(
		grow_sql, int8_param(blob->id), int8_param(blob->size),
		blob->hashed ? datum_param(BYTEAOID, bytes_datum(&blob->hashing, sizeof(blob->hashing)))
					 : null_param(BYTEAOID));
}

/* Create an empty blob; return its id. */
int64
cat_blob_new(void)
{
	cat_statement_fresh("INSERT INTO catalogue.blob DEFAULT VALUES RETURNING id");
	return cat_result_int64(1);
}

/*
 * Append bytes to a blob; return its new size.
 *
 * They may begin before its end if the bytes there are the same: a client that resumes an upload
 * can be faster than the end of its former request.  Raises OD409, with the present size in the
 * detail as {"offset": n}, if they are others or begin behind the end; OD409 as well if the blob is
 * sealed.
 */
int64
cat_blob_write(int64 id, int64 position, bytea *bytes)
{
	Blob blob = lock_blob(id);
	const char *from = VARDATA_ANY(bytes);
	size_t length = VARSIZE_ANY_EXHDR(bytes);
	size_t known = 0;

	if (blob.sealed)
		ereport(ERROR, (errcode(OD409), errmsg("blob " INT64_FORMAT " is complete", id)));
	if (position >= 0 && position < blob.size)
		known = (size_t) Min(blob.size - position, (int64) length);
	if (position < 0 || position > blob.size ||
		(known > 0 && !blob_has(id, position, bytes_datum(from, known))))
		ereport(ERROR,
				(errcode(OD409),
				 errmsg("position " INT64_FORMAT " is not the end of the stored bytes", position),
				 errdetail_internal("{\"offset\":" INT64_FORMAT "}", blob.size)));
	if (length == known)
		return blob.size;
	if (blob.hashed)
		SHA256_Update(&blob.hashing, from + known, length - known);
	append_bytes(&blob,
				 known > 0 ? bytes_datum(from + known, length - known) : PointerGetDatum(bytes));
	write_row(&blob);
	return blob.size;
}

/* Lock a digest, so that equal blobs are not sealed concurrently. */
static void
lock_digest(const unsigned char *digest)
{
	uint32 parts[2];
	LOCKTAG tag;

	memcpy(parts, digest, sizeof(parts));
	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, parts[0], parts[1], CAT_LOCK_BLOB_DIGEST);
	LockAcquire(&tag, ExclusiveLock, false, false);
}

CAT_FUNCTION(catalogue_blob_lock)
{
	bytea *digest = PG_GETARG_BYTEA_PP(ARG_BLOB_LOCK_DIGEST);

	if (VARSIZE_ANY_EXHDR(digest) != BLOB_DIGEST)
		elog(ERROR, "no SHA-256");
	lock_digest((const unsigned char *) VARDATA_ANY(digest));
	PG_RETURN_VOID();
}

/*
 * Return the id of the sealed blob with the same digest, 0 if there is none.  It is locked and
 * marked as used, so that no sweep removes it.
 */
static int64
find_equal(const Blob *blob)
{
	cat_statement_fresh(
		"UPDATE catalogue.blob b SET used_at = now() WHERE b.digest = $1 RETURNING b.id",
		datum_param(BYTEAOID, bytes_datum(blob->digest, BLOB_DIGEST)));
	return SPI_processed == 0 ? 0 : cat_result_int64(1);
}

static void
set_digest(const Blob *blob)
{
	cat_statement_fresh("UPDATE catalogue.blob b SET digest = $2, hashing = NULL, used_at = now() "
						"WHERE b.id = $1",
						int8_param(blob->id),
						datum_param(BYTEAOID, bytes_datum(blob->digest, BLOB_DIGEST)));
}

/* Where an equal blob has lost its object, give it the chunks of this one. */
static void
mend_equal(const Blob *blob, int64 equal)
{
	cat_statement_fresh(
		"UPDATE catalogue.blob b SET place = 'here', checked_at = NULL, fault = NULL "
		"WHERE b.id = $1 AND b.place = 'store' AND b.fault IS NOT NULL RETURNING b.id",
		int8_param(equal));
	if (SPI_processed == 0)
		return;
	cat_statement_fresh("DELETE FROM catalogue.blob_chunk c WHERE c.blob = $1", int8_param(equal));
	cat_statement_fresh("UPDATE catalogue.blob_chunk c SET blob = $1 WHERE c.blob = $2",
						int8_param(equal), int8_param(blob->id));
	cat_statement_fresh("UPDATE catalogue.blob b SET size = 0, hashing = NULL WHERE b.id = $1",
						int8_param(blob->id));
}

/*
 * Seal a blob; return the id of the blob that has its bytes from now on, and the SHA-256 of them in
 * digest.
 *
 * The commit is synchronous, even if appends were not.
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
			blob_digest(id, blob.digest);
	}
	memcpy(digest, blob.digest, BLOB_DIGEST);
	if (blob.sealed)
		return id;
	ForceSyncCommit();
	lock_digest(digest);
	equal = find_equal(&blob);
	if (equal == 0)
		set_digest(&blob);
	else
	{
		mend_equal(&blob, equal);
		/* the next sweep removes it */
		cat_statement_fresh("UPDATE catalogue.blob b SET used_at = '-infinity' WHERE b.id = $1",
							int8_param(id));
	}
	return equal > 0 ? equal : id;
}

CAT_FUNCTION(catalogue_blob_append)
{
	int64 size;

	cat_owner_call_begin();
	cat_blob_commit_later();
	size = cat_blob_write(PG_GETARG_INT64(ARG_BLOB_APPEND_BLOB),
						  PG_GETARG_INT64(ARG_BLOB_APPEND_POSITION),
						  PG_GETARG_BYTEA_PP(ARG_BLOB_APPEND_BYTES));
	cat_owner_call_end();
	PG_RETURN_INT64(size);
}

CAT_FUNCTION(catalogue_blob_seal)
{
	unsigned char digest[BLOB_DIGEST];
	int64 id;

	cat_owner_call_begin();
	id = cat_blob_close(PG_GETARG_INT64(ARG_BLOB_SEAL_BLOB), digest);
	cat_owner_call_end();
	PG_RETURN_INT64(id);
}
