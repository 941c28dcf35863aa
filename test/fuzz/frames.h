/*
 * frames.h - for targets that read files: run a reader on bytes in memory, and check its frames
 * as the worker and the extension do.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <string.h>

#include <jansson.h>

#include "formats/book.h"
#include "fuzz.h"
#include "rows/rows.h"
#include "supervisor/supervisor.h"
#include "text/text.h"
#include "xls/xls.h"

typedef struct Frames
{
	Source source; /* first */
	const char *bytes;
	size_t length;
	size_t place;
	size_t piece;
	uint64_t rows;
	bool open; /* in a sheet */
	bool ended;
	unsigned columns; /* of the chunk before */
	unsigned filled;  /* up to the last column in which a cell has a text */
} Frames;

static ptrdiff_t
frames_read(Source *source, char *bytes, size_t size)
{
	Frames *frames = (Frames *) source;
	size_t rest = frames->length - frames->place;

	size = size < frames->piece ? size : frames->piece;
	size = size < rest ? size : rest;
	memcpy(bytes, frames->bytes + frames->place, size);
	frames->place += size;
	return (ptrdiff_t) size;
}

static ptrdiff_t
frames_read_at(Source *source, char *bytes, size_t size, uint64_t place)
{
	Frames *frames = (Frames *) source;
	size_t rest = place < frames->length ? frames->length - place : 0;

	size = size < rest ? size : rest;
	memcpy(bytes, frames->bytes + place, size);
	return (ptrdiff_t) size;
}

static char *
frames_map(Source *source)
{
	return (char *) ((Frames *) source)->bytes;
}

static uint32_t
frames_number(const unsigned char *bytes)
{
	return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t) bytes[3] << 24;
}

/* Check the cells of a column; true if some have a text. */
static bool
frames_section(const unsigned char *at, const unsigned char *end, uint32_t rows)
{
	size_t total = 0;

	for (uint32_t row = 0; row < rows; row++)
	{
		size_t length = 0;
		unsigned shift = 0;

		do
		{
			MUST_HOLD(at < end && shift < 28);
			length |= (size_t) (*at & 0x7F) << shift;
			shift += 7;
		} while (*at++ & 0x80);
		MUST_HOLD(length <= CONTENTS_GEOMETRY + 1);
		total += length > 0 ? length - 1 : 0;
	}
	MUST_HOLD(total == (size_t) (end - at));
	MUST_HOLD(text_valid_utf8((const char *) at, total));
	MUST_HOLD(memchr(at, 0, total) == NULL);
	return total > 0;
}

static void
frames_chunk(Frames *frames, const unsigned char *payload, size_t length)
{
	uint32_t rows = frames_number(payload + 8);
	const unsigned char *chunk = payload + 12;
	uint32_t columns = frames_number(chunk + 5);
	uint32_t offset = CHUNK_HEAD + 4 * (columns + 1);

	MUST_HOLD(frames_number(payload) == frames->rows + 1);
	MUST_HOLD(rows > 0 && rows <= CHUNK_ROWS && chunk[0] == CHUNK_FORMAT);
	MUST_HOLD(frames_number(chunk + 1) == rows && columns <= CONTENTS_COLUMNS);
	MUST_HOLD(columns >= frames->columns);
	for (uint32_t i = 0; i <= columns; i++)
	{
		uint32_t next = frames_number(chunk + CHUNK_HEAD + 4 * i);

		MUST_HOLD(next >= offset && next <= length - 12);
		if (i > 0 && frames_section(chunk + offset, chunk + next, rows) && i > frames->filled)
			frames->filled = i;
		offset = next;
	}
	MUST_HOLD(offset == length - 12);
	frames->columns = columns;
	frames->rows += rows;
}

static void
frames_json(Frames *frames, char type, const char *payload, size_t length)
{
	json_t *json = json_loadb(payload, length, JSON_REJECT_DUPLICATES, NULL);

	MUST_HOLD(json_is_object(json));
	if (type == 'E')
	{
		json_t *columns = json_object_get(json, "columns");

		MUST_HOLD(json_integer_value(json_object_get(json, "rows")) == (json_int_t) frames->rows);
		/* the last columns that have neither a title nor a cell are not listed */
		MUST_HOLD(json_array_size(columns) >= frames->filled);
	}
	json_decref(json);
}

static bool
frames_write(Source *source, const char *bytes, size_t length)
{
	Frames *frames = (Frames *) source;
	uint32_t size = frames_number((const unsigned char *) bytes + 1);
	char type = *bytes;

	MUST_HOLD(size + 5 == length && size <= FRAME_MAXIMUM && !frames->ended);
	MUST_HOLD((type == 'I' || type == 'C' || type == 'E') <= frames->open);
	if (type == 'C')
		frames_chunk(frames, (const unsigned char *) bytes + 5, size);
	else if (type != 'P')
		frames_json(frames, type, bytes + 5, size);
	if (type == 'S')
		frames->rows = frames->columns = frames->filled = 0;
	frames->open = type != 'E' && (type == 'S' || frames->open);
	frames->ended = type == 'D' || type == 'X';
	MUST_HOLD(type != 'D' || !frames->open);
	return true;
}

static void
frames_check_as(const char *bytes, size_t length, size_t piece, const Options *options,
				void (*reader)(Parse *parse))
{
	Frames frames = {.source = {frames_read, frames_read_at, frames_write, frames_map, length},
					 .bytes = bytes,
					 .length = length,
					 .piece = piece};

	parse_file(&frames.source, options, reader);
	MUST_HOLD(frames.ended);
}

/* Read a file without options that say what its format is, and check the frames. */
static inline void
frames_check(const char *bytes, size_t length, size_t piece, void (*reader)(Parse *parse))
{
	const Options options = {0};

	frames_check_as(bytes, length, piece, &options, reader);
}

/* For a reader of one part: read all bytes as the XML of that part. */
static inline void
frames_part(Parse *parse, const XmlHandlers *handlers, void *data)
{
	Frames *frames = (Frames *) parse->source;

	xml_read_bytes(unzip_new(parse), frames->bytes, frames->length, handlers, data);
}

#endif
