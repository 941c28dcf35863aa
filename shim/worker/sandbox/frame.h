/*
 * frame.h - frames: what a reader writes to the worker, a byte with the type, the length, the payload.
 */
#ifndef WORKER_SANDBOX_FRAME_H
#define WORKER_SANDBOX_FRAME_H

#include <endian.h>
#include <string.h>

#include "../../extension/rows/sheets/chunk.h"
#include "base/base.h"

/* Maximum bytes of the payload of a frame, and of one that has the geometry of a row besides. */
#define FRAME_USUAL (2 << 20)
#define FRAME_MAXIMUM (FRAME_USUAL + CONTENTS_GEOMETRY)

typedef struct Parse Parse;

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

/* The number of four bytes, the lowest byte first. */
static inline uint32_t
little_u32(const void *bytes)
{
	uint32_t number;

	memcpy(&number, bytes, sizeof(number));
	return le32toh(number);
}

/* Begin a frame; append its payload to the buffer, then call frame_send(). */
extern Buffer *frame_begin(Parse *parse, FrameType type);
extern void frame_number(Buffer *buffer, uint64_t number, unsigned bytes);
extern void frame_send(Parse *parse);
/* The length of the longest prefix of at most maximum bytes that does not split a character. */
extern size_t frame_cut(const char *text, size_t length, size_t maximum);
/* Append a text to the open frame as a JSON string, cut to maximum bytes. */
extern void frame_text(Parse *parse, const char *text, size_t length, size_t maximum);

#endif
