/*
 * contents.h - rows of files between child and database.
 */
#ifndef WORKER_JOBS_CONTENTS_H
#define WORKER_JOBS_CONTENTS_H

#include "jobs/jobs_internal.h"

/* frame_reader.c */
typedef struct Frame
{
	char type;
	const char *data;
	size_t length;
} Frame;

typedef struct FrameReader
{
	char *buffer;
	size_t start; /* of what has not been given yet */
	size_t end;
	bool ended; /* the pipe is closed */
} FrameReader;

extern bool frame_reader_open(FrameReader *frames);
extern void frame_reader_close(FrameReader *frames);
/* Read what there is; false when it cannot be read. */
extern bool frame_reader_read(FrameReader *frames, int file);
/* 1 and the next frame, which is good until the next call of frame_reader_read(); 0 when it is not whole
 * yet; -1 when it is none. */
extern int frame_reader_next(FrameReader *frames, Frame *frame);
extern uint32_t frame_reader_u32(const char *bytes);
extern uint64_t frame_reader_u64(const char *bytes);

/* store.c: frames into the database */
#define STORE_FLIGHT 64 /* statements that are sent and not answered, at most */

typedef struct Store
{
	Session *session;
	Job *job;
	int flight;
	char *revision;
	char *sheet; /* id; NULL: none is open */
	int sheets;
	int64_t rows;	/* of the open sheet */
	int issues;		/* so */
	bool ended;		/* the last frame has come */
	bool refused;	/* it was one that refuses the file; the reason is the job's */
	bool malformed; /* the output of the child is malformed */
} Store;

/* Begin a reading of the job's file, in a transaction. */
extern bool store_open(Store *store, Session *session, Job *job);
/* Is there room for a frame? */
extern bool store_has_room(const Store *store);
/* Store a frame; false when it is malformed, or with a fault of the session. */
extern bool store_frame(Store *store, const Frame *frame);
/* Take the answers that are there. */
extern bool store_advance(Store *store);
/* All frames have come: show what they brought.  The transaction stays open. */
extern bool store_publish(Store *store);
extern void store_close(Store *store);

/* cells.c */
typedef struct CellColumn CellColumn;
typedef struct Cells
{
	uint32_t rows;
	uint32_t count; /* of columns */
	CellColumn *columns;
} Cells;

/* Begin to take packed rows apart; false when they are malformed.  cells_close() in any case. */
extern bool cells_open(Cells *cells, const char *data, size_t length);
/* The cell of a column in its next row, NULL where there is none; to be asked for once a row. */
extern const char *cells_next(Cells *cells, uint32_t number, size_t *length);
extern void cells_close(Cells *cells);

#endif
