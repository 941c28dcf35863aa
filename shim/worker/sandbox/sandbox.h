/*
 * sandbox.h - the environment of a file reader: input, memory, frames, errors.
 *
 * A reader does not return errors: parse_refuse() jumps to parse_file(), which frees all memory, so
 * every resource must belong to the Parse.  parse_try() catches the error of a part that may fail.
 * Decisions: docs/explanation/decisions.md#shimworkersandbox
 */
#ifndef WORKER_SANDBOX_SANDBOX_H
#define WORKER_SANDBOX_SANDBOX_H

#include <setjmp.h>
#include <sys/queue.h>

#include "../../extension/base/byte_order_mark.h"
#include "../../extension/rows/sheets/chunk.h"
#include "base/base.h"
#include "sandbox/clean.h"
#include "sandbox/frame.h"
#include "sandbox/parse_options.h"

#define REASON_MAXIMUM 500 /* maximum bytes of the reason why a file or a sheet cannot be read */

typedef struct Block Block;

/* Input and output of a reader: descriptors of the child, or memory in a fuzz target. */
typedef struct Source
{
	/* Read up to size bytes; 0 at the end, -1 on an error. */
	ptrdiff_t (*read)(struct Source *source, char *bytes, size_t size);
	/* Read size bytes at an offset; fewer only at the end. */
	ptrdiff_t (*read_at)(struct Source *source, char *bytes, size_t size, uint64_t offset);
	bool (*write)(struct Source *source, const char *bytes, size_t length);
	/* All bytes in memory, changes of which are not those of the file; NULL: there is none. */
	char *(*map)(struct Source *source);
	uint64_t size; /* size of the file in bytes; 0: unknown */
} Source;

/* parse.c */

struct Parse
{
	Source *source;
	Options options;
	uint64_t taken; /* bytes of the file read so far */
	uint64_t sent;	/* value of taken at the last progress frame */
	uint64_t cells; /* bytes of the cells of all sheets so far */
	Buffer frame;
	Buffer cell;	  /* for readers that assemble a cell, */
	Buffer shape;	  /* and for those that assemble a geometry */
	Buffer details;	  /* of the open sheet: ,"member":value... */
	Buffer clean;	  /* of clean_text() */
	const char *flaw; /* of what was read for the open row, although it is kept; NULL: none */
	LIST_HEAD(, Block) blocks;
	void (*close)(Parse *parse); /* releases the objects of the reader's libraries; NULL: none */
	void *open;					 /* argument of close */
	jmp_buf *refused;			 /* target of parse_refuse() */
	bool ended;					 /* parse_refuse_file() or parse_end() has been called */
	bool enough;				 /* parse_end() has been called */
	unsigned filled;			 /* sheets that were read and have titles */
	char reason[REASON_MAXIMUM];
	char lost[REASON_MAXIMUM]; /* why the first unreadable sheet cannot be read */
};

/* Read the file and write its frames; false if it was refused, after a frame with the reason. */
extern bool parse_file(Source *source, const Options *options, void (*read)(Parse *parse));
/*
 * Jump to the innermost parse_try(), or else end the reading.  The reason is one sentence for the
 * owner of the file, without a full stop.
 */
extern _Noreturn void parse_refuse(Parse *parse, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* End the reading, also inside parse_try(): for limits of the whole file and fatal errors. */
extern _Noreturn void parse_refuse_file(Parse *parse, const char *reason);
/* End the reading, which is complete, since nothing more is wanted of the file. */
extern _Noreturn void parse_end(Parse *parse);
/* End the reading because there is no memory. */
extern _Noreturn void parse_refuse_memory(Parse *parse);
/* Call read(); false if it was refused, with the reason in parse->reason. */
extern bool parse_try(Parse *parse, void (*read)(void *data), void *data);
/* Read the next bytes of the file; 0 at its end. */
extern size_t parse_read(Parse *parse, char *bytes, size_t size);
/* Send a progress frame if 4 MiB were read since the last one. */
extern void parse_progress(Parse *parse);
/* Refuse a file whose first bytes are the signature of another known format. */
extern void parse_check_magic(Parse *parse, const char *bytes, size_t length);

extern void *parse_allocate(Parse *parse, size_t size); /* zeros */
/* A copy of a text; NULL of none. */
extern char *parse_copy(Parse *parse, const char *text);
extern void *parse_resize(Parse *parse, void *memory, size_t size);
extern void parse_release(Parse *parse, void *memory);
extern void parse_release_all(Parse *parse);

/* sandbox.c */

/*
 * Drop all rights except reading descriptor 0 and writing descriptor 1; NULL, or what failed.
 * memory: 0, or of a library that has opened files, and looks for others: the former stay open, the
 * latter are refused with an error.  It may take so many bytes besides those that it has and the file.
 */
extern const char *sandbox_enter(uint64_t size, uint64_t memory);

#define PICTURE_PROGRAM "/usr/bin/rsvg-convert"

/*
 * Drop the rights that a program of others does not need which reads its standard input and writes its
 * standard output, before it is executed; NULL, or what failed.  It may open files for reading, since
 * fonts are among them.
 */
extern const char *sandbox_enter_program(void);

/* unnamed_file.c */

/* The directory of temporary files: TMPDIR, else /tmp. */
extern const char *unnamed_file_directory(void);
/* Create a temporary file that has no name; its descriptor, or -1 with errno. */
extern int unnamed_file(void);
/* Create such a file as a stream for reading and writing; NULL with errno. */
extern FILE *unnamed_file_stream(void);

#endif
