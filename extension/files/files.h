/*
 * files.h
 *	  Bytes of files and images: blobs, types, uploads, jobs.
 *	  Decisions: docs/explanation/decisions.md#extensionfiles
 */
#ifndef CATALOGUE_FILES_FILES_H
#define CATALOGUE_FILES_FILES_H

#include "catalogue.h"

#include "write/write.h"

#define FILE_NAME_LENGTH 150 /* characters of a stored name */

/* blob.c */

/* Let the transaction commit asynchronously.  Bytes of an incomplete blob are useless after a
 * crash; the transaction that seals the blob waits for all of them. */
extern void cat_blob_commit_later(void);
/* Return the bytes of a blob that has some as a text, palloc'd.  Raises OD400 where they are no text in UTF-8. */
extern char *cat_blob_text(int64 blob);

/* filetype.c */

/* Return the extension of a file name in lower case, palloc'd; "" if there is none. */
extern char *cat_filetype_extension(const char *name);

/* upload_finish.c */

/* A document that was uploaded, to be imported. */
typedef struct UploadedDocument
{
	int64 blob;
	int64
		arrived; /* the blob that came, whose bytes are here; the other one may be an earlier one */
	int64 size;
	const char *body; /* JSON of what catalogue.upload_begin() was given, NULL for nothing */
	const char *type; /* the client's, "" for none */
} UploadedDocument;

/* Take the document of a complete upload, which ends; details: those of catalogue.upload_finish().
 * Raises as that, and OD409 for an upload that is not for an import. */
extern UploadedDocument cat_upload_finish_document(const char *id, const Actor *actor,
												   List *details);

/* file_record.c */

/* Ignore the stored name in a body if the file's bytes are stored here: the service sets it. */
extern void cat_file_record_protect(const WriteCall *call, List *members, NewRecord *record);

/* fetch.c */

/* Create the file that the body of a remote service describes by an object, if any, and put its id
 * in place of the object.  The reply shows the file. */
extern void cat_fetch_create_file(const WriteCall *call, List *members, WriteCall *other);

/* image.c */

/* Remove the image of the record if the body contains "deleteImage": true. */
extern void cat_image_drop(const WriteCall *call, List *members, NewRecord *record);

#endif /* CATALOGUE_FILES_FILES_H */
