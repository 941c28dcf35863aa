/*
 * transfer.h - bytes of files: uploads, downloads, ranges.
 * Decisions: docs/explanation/decisions.md#shimtransfer
 */
#ifndef TRANSFER_H
#define TRANSFER_H

#include "answer/answer.h"

struct json_t;

#define CHUNK_SIZE 262144 /* bytes of a row of catalogue.blob_chunk */

/*
 * transfer.c: what uploads and downloads have in common.
 *
 * A transfer has a call of its own, on the connections for transfers.  If that is in progress when
 * the request ends, the transfer is freed after the call.
 */
typedef struct Transfer Transfer;
struct Transfer
{
	Request *request; /* NULL: it has ended */
	HttpThread *thread;
	Call call;
	int *running;	 /* number of transfers of this kind */
	uint32_t client; /* request_call_client() of the request */
	bool busy;		 /* the call is in progress */
	bool starting;	 /* it is being submitted */
	int64_t since;	 /* start of the period for the rate of an upload; 0: none yet */
	size_t sofar;	 /* bytes received at its start */
	int64_t ask_at;	 /* when to ask again for a download that is being made; 0: never */
	/* The call has ended. */
	StageResult (*answered)(Transfer *transfer);
	/* The request has ended: start a last call, if one is needed. */
	void (*leave)(Transfer *transfer);
	/* Free what belongs to the kind of transfer. */
	void (*end)(Transfer *transfer);
	char *actor;
	LIST_ENTRY(Transfer) next_waiting;
};

/*
 * The transfer of the request from now on: cleared memory of the size, whose first member is a Transfer.
 * NULL: an error is the answer.  running: the number of such transfers of the thread, which includes it
 * until it is freed.
 */
extern void *transfer_new(Request *request, size_t size, int *running);
/*
 * Make a call; false: it has ended at once, with an error.  length: of the argument in binary
 * format, if the call has one.
 */
extern bool transfer_call(Transfer *transfer, CallName name, const char *const *arguments,
						  size_t length);
/* The request ends. */
extern void transfer_close(Request *request);
/* Was less received than the minimum rate, in a period that has just ended? */
extern bool transfer_stalls(const Request *request, int64_t now);

/* upload.c */

/* The part of a form that is the file, for a route that takes files; else NULL. */
extern const char *upload_part(const Request *request, const Route *route);
/* Tell how many bytes an upload may have. */
extern void upload_resume_limit(Request *request, int64_t limit);
/* The media types of a body that is a document itself, for a route that imports; else NULL. */
extern const char *upload_document_types(const Route *route);
/* The media types of bodies that continue an upload. */
extern const char *upload_part_types(void);
/* The parts of forms that are files, by resource, as a JSON object. */
extern struct json_t *upload_parts(void);
/* May the request be an upload, by its verb and Content-Type? */
extern bool upload_possible(const Request *request);
/* Make the request an upload, if its route takes files of this type; returns whether it is one. */
extern bool upload_detect(Request *request);
/* Ask the extension whether the file may be uploaded. */
extern StageResult upload_start(Request *request);

typedef struct Upload Upload;

/* The upload of a request; NULL: it is none. */
extern Upload *upload_of(const Request *request);
/* Has the whole body been received? */
extern bool upload_received(const Request *request);
/* Take a part of the body: *size becomes the number of bytes left over. */
extern StageResult upload_take(Request *request, const char *bytes, size_t *size);
/* Count bytes that are discarded after a refusal; false: there are too many. */
extern bool upload_discard(Request *request, size_t size);
/* The body has ended. */
extern StageResult upload_end(Request *request);
/* All bytes are written: make the record, or leave the upload open if more will follow. */
extern StageResult upload_finish(Request *request);
/* Forget what is not written; the upload ends, unless an earlier request began it. */
extern void upload_abandon(Request *request);
/* The call that begins or finds an upload has failed: tell the limit if that is the reason. */
extern void upload_refused(Request *request);

/* upload_resume.c: the envelope of a call about an upload: its state, or nothing after deletion */
extern void upload_resume_envelope(Request *request, const Reply *reply);

/* streets.c */
/* Answer with the file of the setting map_streets, or a range of it; 404: there is none. */
extern StageResult streets_answer(Request *request);

/* download.c */
/* Make the call of the route, which decides what to send. */
extern StageResult download_start(Request *request);
/* Ask again for downloads that are being made; to be called several times a second. */
extern void download_tick(HttpThread *thread, int64_t now);
/* Do not wait for a download any more. */
extern void download_forget(Transfer *transfer);

#endif
