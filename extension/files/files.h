/*
 * files.h
 *	  Bytes of files and images: blobs, types, uploads, jobs.
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

/* filetype.c */

/* Return the extension of a file name in lower case, palloc'd; "" if there is none. */
extern char *cat_filetype_extension(const char *name);

/* file_record.c */

/* Ignore the stored name in a body if the file's bytes are stored here: the service sets it. */
extern void cat_file_record_protect(const WriteCall *call, List *members, NewRecord *record);
/* Create the file that the body of a remote service describes by an object, if any, and put its id
 * in place of the object.  The reply shows the file. */
extern void cat_service_file_create(const WriteCall *call, List *members, WriteCall *other);
/* Remove the image of a category if the body contains "deleteImage": true. */
extern void cat_image_drop(const WriteCall *call, List *members, NewRecord *record);

#endif /* CATALOGUE_FILES_FILES_H */
