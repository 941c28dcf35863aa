/*
 * files_internal.h
 *	  Uploads and the bytes that arrive: used inside files/ only.
 */
#ifndef CATALOGUE_FILES_FILES_INTERNAL_H
#define CATALOGUE_FILES_FILES_INTERNAL_H

#include "catalogue.h"

#include "files/file_types.h"
#include "write/write.h"

#define BLOB_CHUNK 262144 /* bytes of a row of catalogue.blob_chunk */
#define BLOB_DIGEST 32	  /* bytes of a SHA-256 */

#define IMAGE_MAX (5 << 20)		 /* bytes of an image */
#define DOCUMENT_MAX (128 << 20) /* bytes of a document to import, several times in memory */
#define EXTENSION_LENGTH 15		 /* characters of an extension */

/* Bytes by which the type of a file is found. */
typedef struct ContentSample
{
	const char *head; /* the first ones */
	size_t length;
	const char *other; /* where the directory is, of what has one */
	size_t other_length;
} ContentSample;

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
	bool
		finished; /* it has become a record, or was imported; blob, name, body and digest are not set */
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
	const char *file_name;	/* that the file is to have, NULL: made from its name */
	const char *url;		/* so */
	char sha256[BLOB_DIGEST * 2 + 1]; /* empty until the bytes are sealed */
	FileKind kind;
} Arrival;

/* blob.c */

extern int64 cat_blob_new(void);
extern int64 cat_blob_write(int64 blob, int64 position, bytea *bytes);
extern int64 cat_blob_close(int64 blob, unsigned char *digest);
extern bytea *cat_blob_piece(int64 blob, int64 number);

/* upload.c */

/* Return whether the uploads of a resource are documents to import. */
extern bool cat_upload_is_import(const Resource *resource);
/* Raise OD415 for a resource whose records have no bytes. */
extern void cat_upload_require_resource(const Resource *resource);
/* Raise OD413 if a size exceeds the limit of an upload. */
extern void cat_upload_require_size(const Resource *resource, int64 size);
/* Return an upload of the actor; locked: lock its row until the end of the transaction.  Raises OD404
 * if there is none or if it belongs to another actor, OD403 if the actor's key does not include it. */
extern Upload cat_upload_find(const char *id, const Actor *actor, bool locked);
/* End a complete upload; one that is resumable is told for an hour.  record: that which has its bytes,
 * NULL for none. */
extern void cat_upload_end(const Upload *upload, const char *record);
/* Return the text of a member, NULL if it is missing or not a string. */
extern char *cat_upload_text(List *members, const char *name);
/* Return the members of a body, NULL for none; details with "form": they are converted from texts. */
extern List *cat_upload_finish_members(const WriteCall *call, const char *body, List *details);

/* filetype.c */

extern FileKind cat_filetype_find(const char *extension, const ContentSample *sample);
/* Raise OD415 if files with an extension are not taken, whatever their bytes are. */
extern void cat_filetype_require(const char *extension);
/* The id of the living file type with a name; NULL: there is none. */
extern char *cat_filetype_named(const char *name);
extern FileKind cat_filetype_image(const ContentSample *sample);

/* file_record.c */

extern void cat_file_record_take(Arrival *arrival, const WriteCall *call, NewRecord *record);
extern void cat_file_record_keep(const Arrival *arrival, const WriteCall *call);

/* image.c */

extern void cat_image_take(Arrival *arrival, const WriteCall *call, NewRecord *record);
extern void cat_image_keep(const Arrival *arrival, const WriteCall *call);
/* Do records of the resource have an image? */
extern bool cat_image_taken(const Resource *resource);

/* content_sniff.c */

extern ContentSample cat_content_sniff_read(int64 blob, int64 size);
extern bool cat_content_sniff_is_wide(const ContentSample *sample);
extern Content cat_content_sniff_kind(const ContentSample *sample, const char **media_type);
extern bool cat_content_sniff_is_text_of(const ContentSample *sample, const char *needs);
extern bool cat_content_sniff_has_entry(const ContentSample *sample, const char *part);
extern bool cat_content_sniff_has_stream(const ContentSample *sample, const char *name);
extern bool cat_content_sniff_is_root(const ContentSample *sample, const char *element);

#endif /* CATALOGUE_FILES_FILES_INTERNAL_H */
