/*
 * blob_digest.c
 *	  The digest of the bytes that are stored of a blob.
 */
#include "catalogue.h"

#include <openssl/sha.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "files/files_internal.h"
#include "pg/pg.h"

PG_FUNCTION_INFO_V1(catalogue_blob_digest);

/* Give the SHA-256 of what is stored of a blob, in BLOB_DIGEST bytes; an SPI connection is open. */
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

/* The digest of what is stored now, whatever the row of the blob says. */
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
