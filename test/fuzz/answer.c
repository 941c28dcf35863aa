/*
 * answer.c - fuzzing target: the output of a child process, which the worker does not trust: frames, and
 * rows packed in them.  The first two bytes are the size of the pieces in which it is read.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "jobs/contents.h"
#include "rows/cells.h"

/* Unpack rows: every cell must lie within them. */
static void
take_rows(const char *data, size_t length)
{
	Cells cells;
	bool good = cells_open(&cells, data, length);

	for (uint32_t row = 0; good && row < cells.rows; row++)
		for (uint32_t i = 0; i < cells.count; i++)
		{
			size_t size = 0;
			const char *cell = cells_next(&cells, i, &size);

			MUST_HOLD(cell == NULL || (cell >= data && cell + size <= data + length));
		}
	cells_close(&cells);
}

/* Take all complete frames; false when one is invalid. */
static bool
take_frames(FrameReader *frames, size_t *taken)
{
	Frame frame;
	int whole;

	while ((whole = frame_reader_next(frames, &frame)) > 0)
	{
		MUST_HOLD(frame.length <= FRAME_MAXIMUM);
		MUST_HOLD(frame.data >= frames->buffer);
		*taken += frame.length + 5;
		if (frame.type == 'C')
			take_rows(frame.data, frame.length);
	}
	MUST_HOLD(frames->start <= frames->end);
	return whole == 0;
}

void
fuzz_one(char *text, size_t length)
{
	int ends[2];
	FrameReader frames;
	size_t piece, taken = 0;
	bool good = true;

	if (length < 2 || length > 60000)
		return;
	piece = ((unsigned char) text[0] | (size_t) (unsigned char) text[1] << 8) + 1;
	text += 2;
	length -= 2;
	MUST_HOLD(pipe(ends) == 0 && frame_reader_open(&frames));
	for (size_t at = 0; good && at < length; at += piece)
	{
		size_t part = length - at < piece ? length - at : piece;

		MUST_HOLD(write(ends[1], text + at, part) == (ssize_t) part);
		MUST_HOLD(frame_reader_read(&frames, ends[0]));
		good = take_frames(&frames, &taken);
	}
	MUST_HOLD(taken <= length);
	/* the bytes that were read and are not a complete frame yet are still in the buffer */
	MUST_HOLD(!good || taken + frames.end - frames.start == length);
	take_rows(text, length);
	frame_reader_close(&frames);
	close(ends[0]);
	close(ends[1]);
}
