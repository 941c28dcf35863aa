/*
 * storage.h
 *	  Bytes: of files, images and archives, and how they come and go.
 *
 * A part of catalogue.h, which is what the files include.
 */
#ifndef STORAGE_H
#define STORAGE_H

#define BLOB_CHUNK 262144	 /* bytes of a row of catalogue.blob_chunk */
#define BLOB_DIGEST 32		 /* bytes of a SHA-256 */
#define IMAGE_MAX (5 << 20)	 /* bytes of the image of a category */
#define FILE_NAME_LENGTH 150 /* characters of a stored name */
#define REASON_LENGTH 500	 /* characters of a reason on a file or a job */

/* result.c: of the first row that the last statement gave */
extern char *result_text(int column);
extern int64 result_int64(int column);
extern bool result_bool(int column);
extern Datum result_datum(int column, bool *isnull);
/* lend.c */
extern void lend_begin(void);
extern void lend_end(void);
/* blob.c */
extern int64 blob_new(void);
extern int64 blob_write(int64 blob, int64 position, bytea *bytes);
extern int64 blob_close(int64 blob, unsigned char *digest);
extern bytea *blob_piece(int64 blob, int64 number);

#endif /* STORAGE_H */
