/*
 * upload_internal.h - uploads, as the files of transfer/ share them.
 */
#ifndef UPLOAD_INTERNAL_H
#define UPLOAD_INTERNAL_H

#include "net/header.h"
#include "transfer/download_internal.h"
#include "transfer/transfer.h"

/* multipart.c: incremental parser for multipart/form-data */
#define BOUNDARY_MAXIMUM 70
#define PARTS_MAXIMUM 200
#define PART_HEADER_MAXIMUM 8192 /* bytes of the header lines of a part */

typedef struct Part
{
	const char *name;
	const char *file; /* file name; NULL: none */
	const char *type; /* media type; NULL: none */
} Part;

/* Called for the parts; false: stop, for a reason that the caller knows. */
typedef struct MultipartEvents
{
	bool (*begin)(void *cls, const Part *part);
	/* Take bytes; returns how many; fewer than length end multipart_feed(). */
	size_t (*take)(void *cls, const char *bytes, size_t length);
	bool (*end)(void *cls);
} MultipartEvents;

typedef enum MultipartState
{
	MULTIPART_START,
	MULTIPART_FIRST,	 /* within the first delimiter */
	MULTIPART_DELIMITED, /* after a delimiter */
	MULTIPART_PADDING,	 /* after blanks that follow it */
	MULTIPART_LINE_END,	 /* after the carriage return of its line */
	MULTIPART_HEADER,	 /* in the header lines of a part */
	MULTIPART_DATA,		 /* in its bytes */
	MULTIPART_DASH,		 /* after the first dash of the end */
	MULTIPART_LAST,		 /* after the last delimiter */
	MULTIPART_LAST_LINE, /* after the carriage return of its line */
	MULTIPART_END,
	MULTIPART_BROKEN
} MultipartState;

typedef struct Multipart
{
	const MultipartEvents *events;
	void *cls;
	MultipartState state;
	const char *fault; /* the error of the form; NULL: none */
	char delimiter[4 + BOUNDARY_MAXIMUM + 1];
	size_t length;	/* of the delimiter */
	size_t matched; /* bytes of it that have been received */
	size_t held;	/* bytes that matched, but turned out to be data */
	size_t passed;	/* how many of them were taken */
	int parts;
	Buffer header;
} Multipart;

/* Begin with the media type of the form; false: it has no valid boundary. */
extern bool multipart_open(Multipart *multipart, const Field *type, const MultipartEvents *events,
						   void *cls);
/* Parse bytes, up to an error or until no more are taken; returns how many were parsed. */
extern size_t multipart_feed(Multipart *multipart, const char *bytes, size_t length);
/* Has the last delimiter been received, and nothing after it? */
extern bool multipart_complete(const Multipart *multipart);
extern void multipart_close(Multipart *multipart);

/* upload.c */

struct Upload
{
	Transfer transfer;
	char id[ID_MAXIMUM + 1]; /* empty: not begun */
	bool form;				 /* its body is a form */
	bool resumable;			 /* keep it if the request ends */
	bool resumed;			 /* an earlier request has begun it */
	bool partial;			 /* more will follow in another request */
	bool updates;			 /* of a resumed upload: it changes an existing record */
	bool imports;			 /* it is a document to import */
	bool ended;				 /* the body has been received */
	bool over;				 /* it has become a record, or was deleted */
	bool file;				 /* there is a file in the form */
	bool told;				 /* the request has Upload-Complete */
	bool finished;			 /* an earlier request has completed it */
	bool nameless;			 /* the part of the file has no file name */
	bool in_file;			 /* the current part is the file */
	Multipart parts;
	char *bytes;	  /* CHUNK_SIZE of them; NULL: none were received */
	size_t length;	  /* bytes collected, and not written yet */
	size_t forgotten; /* bytes discarded after a refusal */
	int64_t from;	  /* offset of the first byte of the body */
	int64_t offset;	  /* bytes that are written */
	int64_t limit;
	int64_t total;				  /* length of the file; -1: not known */
	struct json_t *texts;		  /* fields of the form, or parameters; NULL: none */
	Buffer value;				  /* of the current text part */
	size_t room;				  /* bytes of texts that are still allowed */
	char *name;					  /* of the current text part */
	char *file_name;			  /* as the client sent it, */
	char *type;					  /* and its media type */
	char sha256[DIGEST_HEX];	  /* of the file, as the client sent it; empty: not sent */
	char content[DIGEST_HEX];	  /* of the body, as the client sent it; empty: not sent */
	struct evp_md_ctx_st *digest; /* of the body; NULL: not needed */
	char *details;				  /* argument of a call */
	char position[24];			  /* argument of a call */
	const char *resource;		  /* of a finished upload: that of its record, */
	const char *record;			  /* and its id; NULL for an import */
};

/* Answer with an error, and forget the bytes of the body that are not written; see upload_abandon(). */
extern StageResult upload_refuse(Request *request, int status, const char *message);
/* Collect bytes of the file; returns how many were taken. */
extern size_t upload_collect(Request *request, const char *bytes, size_t length);

/* upload_form.c */

/* Begin to read a form; false: an error is the answer. */
extern bool upload_form_begin(Request *request);
/* Add a text; one whose name exists becomes an element of an array; false: it is not text. */
extern bool upload_form_add(Upload *upload, const char *name, const char *bytes, size_t length);
/* Replace the body by the texts of the form, which may be longer as JSON than they were. */
extern StageResult upload_form_body(Request *request);

/* upload_resume.c: uploads in several requests (draft-ietf-httpbis-resumable-upload) */
/* Read the header fields about the upload. */
extern StageResult upload_resume_read(Request *request);
/* Does the body belong to the upload at its offset, and with this length (negative: none is told)?  Else
 * an error is the answer, or again that of an upload that is finished. */
extern StageResult upload_resume_check(Request *request, int64_t length);
/* Tell where the upload stands if a call was refused because of it; false: for another reason.  If that
 * is the size, the limit is told. */
extern bool upload_resume_state(Request *request, const Call *call);
/* Tell in the answer whether the upload has ended, if the client uploads in several requests. */
extern void upload_resume_mark(Request *request, bool ended);
/* Answer the request that has completed the upload: its fields, besides those of a write. */
extern void upload_resume_completed(Request *request);
/* Answer a request that leaves its upload open. */
extern StageResult upload_resume_answer(Request *request);

#endif
