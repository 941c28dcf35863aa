/*
 * blob_digest.c
 *	  Digest of the stored bytes of a blob.
 */
#include "catalogue.h"

#include <openssl/sha.h>

#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "files/files_internal.h"
#include "pg/pg.h"

PG_FUNCTION_INFO_V1(catalogue_blob_digest);

/* Compute the SHA-256 of a blob's stored bytes, BLOB_DIGEST bytes long.  SPI must be connected. */
void
cat_blob_digest(int64 id, unsigned char *digest)
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
Datum
catalogue_blob_digest(PG_FUNCTION_ARGS)
{
	int64 id = PG_GETARG_INT64(0);
	bytea *digest = palloc(VARHDRSZ + BLOB_DIGEST);

	SET_VARSIZE(digest, VARHDRSZ + BLOB_DIGEST);
	cat_owner_call_begin();
	cat_blob_digest(id, (unsigned char *) VARDATA(digest));
	cat_owner_call_end();
	PG_RETURN_BYTEA_P(digest);
}
