/*
 * frame_reader.c - read the frames of a child: a byte with the type, the length of the payload, the
 * payload.
 *
 * Nothing in a frame is trusted: the file that the child reads may have taken control of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "jobs/contents.h"

#define HEAD 5 /* size of the header of a frame */
#define ROOM (FRAME_MAXIMUM + HEAD)

bool
frame_reader_open(FrameReader *frames)
{
	*frames = (FrameReader){.buffer = malloc(ROOM)};
	return frames->buffer != NULL;
}

void
frame_reader_close(FrameReader *frames)
{
	free(frames->buffer);
	frames->buffer = NULL;
}

bool
frame_reader_read(FrameReader *frames, int file)
{
	ssize_t length;

	if (frames->start > 0)
		memmove(frames->buffer, frames->buffer + frames->start, frames->end - frames->start);
	frames->end -= frames->start;
	frames->start = 0;
	if (frames->end == ROOM)
		return true;
	length = read(file, frames->buffer + frames->end, ROOM - frames->end);
	if (length < 0)
		return errno == EAGAIN || errno == EINTR;
	frames->ended = length == 0;
	frames->end += (size_t) length;
	return true;
}

int
frame_reader_next(FrameReader *frames, Frame *frame)
{
	size_t there = frames->end - frames->start;
	const char *head = frames->buffer + frames->start;
	size_t length;

	if (there < HEAD)
		return 0;
	length = little_u32(head + 1);
	if (length > FRAME_MAXIMUM)
		return -1;
	if (there < HEAD + length)
		return 0;
	*frame = (Frame){.type = head[0], .data = head + HEAD, .length = length};
	frames->start += HEAD + length;
	return 1;
}
