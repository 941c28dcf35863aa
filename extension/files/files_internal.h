/*
 * files_internal.h
 *	  Uploads and the bytes that arrive: used inside files/ only.
 */
#ifndef CATALOGUE_FILES_FILES_INTERNAL_H
#define CATALOGUE_FILES_FILES_INTERNAL_H

#include "catalogue.h"

#include "files/content_sniff_internal.h"
#include "write/write.h"

#define BLOB_CHUNK 262144 /* bytes of a row of catalogue.blob_chunk */
#define BLOB_DIGEST 32	  /* bytes of a SHA-256 */

#define IMAGE_MAX (5 << 20) /* bytes of the image of a category */
#define REASON_LENGTH 500	/* characters of a reason on a file or a job */

/* What kind of file bytes are. */
typedef struct FileKind
{
	const char *type; /* id of the type; of an image NULL */
	const char *extension;
	const char *media_type;
	bool readable; /* its contents are read as rows */
} FileKind;

/* An upload on its way. */
typedef struct Upload
{
	const char *id;
	int64 blob;
	int64 size;
	int64 length; /* that it will have, -1 where that is not known */
	bool resumable;
	bool rested; /* nothing came for some seconds */
	Resource *resource;
	char *record; /* id of the record that is changed, NULL for a new one */
	char *name;	  /* the client's for the file, or NULL */
	char *body;	  /* JSON of the fields, or NULL */
	char *digest; /* in hexadecimal, that the bytes are to have, or NULL */
} Upload;

/* Bytes that came, and what they are to be. */
typedef struct Arrival
{
	int64 blob;
	int64 size;
	const char *name;		/* the client's, "" for none */
	const char *base;		/* of the addresses of the service */
	const char *digests[2]; /* hexadecimal, that the client says, first and last; NULL for none */
	char sha256[BLOB_DIGEST * 2 + 1];
	FileKind kind;
} Arrival;

/* blob.c */

/* Make a blob without bytes, to which they may be appended. */
extern int64 cat_blob_new(void);
/* Append bytes to a blob: its new size.  OD409 where position is behind its end, or what is stored
 * there differs, with the size as {"offset": n} in the detail; or where it is closed. */
extern int64 cat_blob_write(int64 blob, int64 position, bytea *bytes);
/* Close a blob that has all its bytes: the id of the blob that holds them from now on, and their
 * SHA-256.  The commit waits for the disk. */
extern int64 cat_blob_close(int64 blob, unsigned char *digest);

/* blob_read.c */

/* One chunk of a blob, NULL behind the end; palloc'd. */
extern bytea *cat_blob_piece(int64 blob, int64 number);
/* Does a blob have these bytes at a position? */
extern bool cat_blob_has(int64 blob, int64 position, const char *bytes, size_t length);

/* blob_digest.c */

/* Give the SHA-256 of what is stored of a blob, in BLOB_DIGEST bytes; an SPI connection is open. */
extern void cat_blob_digest(int64 blob, unsigned char *digest);

/* filetype.c */

/* The type of a file by its extension and its bytes.  OD415 where catalogue.filetypes has no
 * such type, or the bytes are something else. */
extern FileKind cat_filetype_find(const char *extension, const ContentSample *sample);
/* The id of the living file type with a name; NULL: there is none. */
extern char *cat_filetype_named(const char *name);
/* The kind of an image by its bytes; OD415 where they are none of a form that is taken. */
extern FileKind cat_filetype_image(const ContentSample *sample);

/* file_record.c */

/* Find the type of arrived bytes, and set the fields of a file that follow from them.  OD415
 * where the type is not taken. */
extern void cat_file_record_take(Arrival *arrival, const WriteCall *call, NewRecord *record);
/* Store the arrived bytes as those of the file, which is written by now. */
extern void cat_file_record_keep(const Arrival *arrival, const char *file);

/* image.c */

/* Set the fields of a category that follow from the bytes of its image.  OD415 where they are no
 * image that is taken. */
extern void cat_image_take(Arrival *arrival, const WriteCall *call, NewRecord *record);
/* Store the arrived bytes as the image of the category, which is written by now. */
extern void cat_image_keep(const Arrival *arrival, const char *category);

/* upload.c */

/* OD413 where an upload has more bytes than it may. */
extern void cat_upload_require_size(const Resource *resource, int64 size);
/* An upload of the actor; its row stays locked where that is asked for.  OD404 where there is
 * none, or it is somebody else's. */
extern Upload cat_upload_find(const char *id, const Actor *actor, bool locked);
/* Remove an upload; nothing leads to its bytes any more, unless they were sealed. */
extern void cat_upload_remove(const char *id);
/* The text of a member, NULL where it is not there or no text. */
extern char *cat_upload_text(List *members, const char *name);

#endif /* CATALOGUE_FILES_FILES_INTERNAL_H */
