/*
 * contents.h - rows of files between child and database.
 */
#ifndef WORKER_JOBS_CONTENTS_H
#define WORKER_JOBS_CONTENTS_H

#include "../../extension/files/file_readers.h"
#include "jobs/jobs_internal.h"

/* child.c */
typedef struct Frame
{
	char type;
	const char *data;
	size_t length;
} Frame;

typedef struct FrameReader
{
	char *buffer;
	size_t start; /* first byte not returned yet */
	size_t end;
	bool ended; /* end of file was read */
} FrameReader;

/* How the reading of a child has ended; in all cases but the first its output is not used. */
typedef enum ChildEnd
{
	CHILD_DONE,	   /* the last frame was taken, and the child has exited as it should */
	CHILD_STOPPED, /* a frame was not taken */
	CHILD_LATE,	   /* it took too long; the child has its fault */
	CHILD_ASTRAY   /* anything else, likewise */
} ChildEnd;

typedef struct ChildOutput
{
	bool (*take)(void *target, const Frame *frame); /* false: end the reading */
	void *target;
	int64_t patience; /* milliseconds in which bytes must come, or be written to the child */
	uint64_t maximum; /* bytes of all frames */
} ChildOutput;

/* Take the frames of a child until it has exited. */
extern ChildEnd child_read(Child *child, const ChildOutput *output);

/* child_document.c: a child that makes one document of another */
typedef struct ChildDocument
{
	char *const *arguments; /* of the child */
	int file;				/* its input */
	bool (*put)(void *target, const char *bytes, size_t length);
	void *target;
	const char *unput; /* the reason if bytes are not taken */
	char *reason;	   /* a clause whose subject is "it" */
	size_t size;	   /* of the reason */
	ChildEnd end;
} ChildDocument;

/* Make it; false with the reason. */
extern bool child_document_make(ChildDocument *document);

/* convert_features.c: rows as a geographic file */
typedef struct FeaturesFault
{
	char reason[REASON_SIZE]; /* empty: the session has it */
	bool lasting;			  /* it would be the same whenever the file is made */
	bool passing;			  /* another attempt may succeed */
} FeaturesFault;

/* Make it of the rows that the query of the job selects of a sheet; false with the fault. */
extern bool convert_features(Session *session, Job *job, FileReader maker, const json_t *sheet,
							 FILE *file, FeaturesFault *fault);

/* store.c: frames into the database */

#define CHUNK_START 12 /* bytes before the packed rows in a frame */

typedef struct Store
{
	Session *session;
	Job *job;
	const char *fetched; /* what catalogue.fetch_store() is given; NULL: the file has the bytes */
	char *revision;
	char *sheet; /* id of the open sheet; NULL: none */
	int sheets;
	int64_t rows;	 /* of the open sheet */
	int issues;		 /* of the open sheet */
	bool refused;	 /* the child refused the file; the job has the reason */
	bool malformed;	 /* the output of the child is malformed */
	json_t *preview; /* what is kept of the frames instead of storing them; NULL: they are stored */
} Store;

/* Begin a transaction that replaces the contents of the job's file. */
extern bool store_open(Store *store, Session *session, Job *job);
/* Store a frame; false if it is malformed or on an error of the session. */
extern bool store_frame(void *store, const Frame *frame);
/* After the last frame: make the new contents current.  The transaction stays open. */
extern bool store_publish(Store *store);
extern void store_close(Store *store);

/* preview.c: what a preview keeps of the frames, up to ten rows of a sheet; false if a frame is malformed */

extern bool preview_sheet(json_t *preview, const Frame *frame);
extern bool preview_rows(json_t *preview, const Frame *frame);
extern bool preview_issue(json_t *preview, const Frame *frame);
extern bool preview_sheet_end(json_t *preview, const Frame *frame);
/* The text that catalogue.preview_store() takes, to be freed; NULL if there is no memory. */
extern char *preview_text(json_t *preview);

/* frame_reader.c */

extern bool frame_reader_open(FrameReader *frames);
extern void frame_reader_close(FrameReader *frames);
/* Read the available bytes; false on a read error. */
extern bool frame_reader_read(FrameReader *frames, int file);
/* 1: the next frame, valid until the next frame_reader_read(); 0: the frame is incomplete; -1: the
 * bytes are not a frame. */
extern int frame_reader_next(FrameReader *frames, Frame *frame);

#endif
