/*
 * sandbox.h - what a reader of files runs in: its bytes, memory, frames, and how it ends.
 *
 * A reader does not return errors: parse_refuse() ends the reading from wherever it is, by a jump
 * to parse_file(), which frees all memory.  So nothing may own anything but the Parse.  Where a
 * part of a file may fail alone, parse_try() is in between.
 */
#ifndef WORKER_SANDBOX_SANDBOX_H
#define WORKER_SANDBOX_SANDBOX_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../extension/sheets/chunk.h"
#include "base/base.h"
#include "sandbox/clean.h"

#define FRAME_MAXIMUM (2 << 20) /* bytes of a frame's payload, at most */
#define PROGRESS_STEP (4 << 20) /* bytes of input between two reports of progress */
#define REASON_MAXIMUM 500		/* bytes of why a file or a sheet cannot be read */

typedef struct Parse Parse;
typedef struct Block Block;

/* Where bytes come from and frames go to: descriptors of the child, memory of a fuzzing target. */
typedef struct Source
{
	/* Read up to so many bytes: 0 at the end, -1 if that fails. */
	ptrdiff_t (*read)(struct Source *source, char *bytes, size_t size);
	/* Read so many from a place; fewer only at the end. */
	ptrdiff_t (*read_at)(struct Source *source, char *bytes, size_t size, uint64_t place);
	bool (*write)(struct Source *source, const char *bytes, size_t length);
	uint64_t size; /* of the file, as the worker says or as it is; 0: not known */
} Source;

/* Where the names of the columns are. */
typedef enum HeaderPlace
{
	HEADER_FOUND, /* in a row that is to be found, or nowhere */
	HEADER_FIRST, /* in the first row behind those that are passed over */
	HEADER_NONE,
} HeaderPlace;

/* options.c: what the owner of a file says of its form. */
typedef struct Options
{
	const char *encoding;  /* NULL: to be found */
	const char *delimiter; /* of one byte, or empty for a single column; NULL: to be found */
	char decimal;		   /* '.' or ','; '\0': to be found */
	HeaderPlace header;
	uint64_t skip; /* lines of a text, rows of a sheet, that are passed over */
} Options;

struct Parse
{
	Source *source;
	Options options;
	uint64_t taken; /* bytes of the file that have been read */
	uint64_t told;	/* of these, when the worker was last told */
	Buffer frame;
	Buffer cell;	/* of a reader, for one that is put together */
	Buffer details; /* of the open sheet: ,"member":value... */
	Buffer clean;	/* of clean_text() */
	Block *blocks;
	void (*close)(Parse *parse); /* of the reader, for what its libraries own; NULL: nothing */
	void *open;					 /* for it */
	jmp_buf *refused;			 /* where a reading that ends goes on */
	bool ended;					 /* parse_refuse_file() has been called */
	unsigned filled;			 /* sheets that were read, and have titles */
	char reason[REASON_MAXIMUM];
	char lost[REASON_MAXIMUM]; /* why the first of the sheets that cannot be read cannot */
};

/* parse.c */
/* Read the file and write its frames; false when it was refused, which is written as well. */
extern bool parse_file(Source *source, const Options *options, void (*read)(Parse *parse));
/*
 * End what is tried, or else the reading: one sentence for the owner of the file, without the full
 * stop.
 */
extern _Noreturn void parse_refuse(Parse *parse, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* End the reading whatever is tried: a limit of the file as a whole, or nothing can go on. */
extern _Noreturn void parse_refuse_file(Parse *parse, const char *reason);
/* Read a part that may be refused alone; false when it was, and parse->reason says why. */
extern bool parse_try(Parse *parse, void (*read)(void *data), void *data);
/* Read the next bytes of the file, 0 at its end. */
extern size_t parse_read(Parse *parse, char *bytes, size_t size);
/* Tell the worker how far the reading is, when that is worth telling. */
extern void parse_progress(Parse *parse);
/* Refuse a file whose first bytes are those of something else that is known. */
extern void parse_check_magic(Parse *parse, const char *bytes, size_t length);

/* options.c */
/* Take an option of the command line; false when there is none of this name, or it has no such
 * value. */
extern bool options_take(Options *options, const char *name, const char *value);

/* sandbox.c */
/* Give up all but reading descriptor 0 and writing descriptor 1; NULL, or what failed. */
extern const char *sandbox_enter(uint64_t size);

/* memory.c: the reading ends when there is none */
extern void *parse_allocate(Parse *parse, size_t size); /* zeros */
extern void *parse_resize(Parse *parse, void *memory, size_t size);
extern void parse_release(Parse *parse, void *memory);
extern void parse_release_all(Parse *parse);

/* frame.c */
typedef enum FrameType
{
	FRAME_SHEET = 'S',
	FRAME_CHUNK = 'C',
	FRAME_ISSUE = 'I',
	FRAME_END = 'E',
	FRAME_PROGRESS = 'P',
	FRAME_DONE = 'D',
	FRAME_REFUSED = 'X'
} FrameType;

/* Begin a frame: what is appended to the buffer is its payload; frame_send() follows. */
extern Buffer *frame_begin(Parse *parse, FrameType type);
extern void frame_send(Parse *parse);
extern void frame_number(Buffer *buffer, uint64_t number, unsigned bytes);
/* Append to the open frame, as a JSON string, what of a text fits into so many bytes. */
extern void frame_text(Parse *parse, const char *text, size_t length, size_t maximum);
/*
 * The length of the text's longest beginning of at most so many bytes that ends with a character.
 */
extern size_t frame_cut(const char *text, size_t length, size_t maximum);

/* unnamed_file.c */
/* The directory of temporary files: TMPDIR, else /tmp. */
extern const char *unnamed_file_directory(void);
/* Create a temporary file that has no name; its descriptor, or -1 with errno. */
extern int unnamed_file(void);

#endif
