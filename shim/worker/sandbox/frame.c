/*
 * frame.c - write frames to the worker: a byte with the type, four bytes of length, the payload.
 */
#include <stdarg.h>

#include "sandbox/sandbox.h"

#define FRAME_HEAD 5

Buffer *
frame_begin(Parse *parse, FrameType type)
{
	char head[FRAME_HEAD] = {(char) type};
	Buffer *frame = &parse->frame;

	frame->length = 0;
	frame->failed = false;
	buffer_append(frame, head, sizeof(head));
	return frame;
}

void
frame_number(Buffer *buffer, uint64_t number, unsigned bytes)
{
	char text[8];

	for (unsigned i = 0; i < bytes; i++)
		text[i] = (char) (number >> (8 * i));
	buffer_append(buffer, text, bytes);
}

void
frame_send(Parse *parse)
{
	Buffer *frame = &parse->frame;
	size_t length = frame->length - FRAME_HEAD;

	if (frame->failed)
		parse_refuse_memory(parse);
	for (unsigned i = 0; i < 4; i++)
		frame->data[1 + i] = (char) (length >> (8 * i));
	if (!parse->source->write(parse->source, frame->data, frame->length))
		parse_refuse_file(parse, "the rows could not be passed to the worker");
}

size_t
frame_cut(const char *text, size_t length, size_t maximum)
{
	if (length <= maximum)
		return length;
	while (maximum > 0 && ((unsigned char) text[maximum] & 0xC0) == 0x80)
		maximum--;
	return maximum;
}

void
frame_text(Parse *parse, const char *text, size_t length, size_t maximum)
{
	const char *flaw;

	text = clean_text(parse, text, &length, &flaw);
	buffer_json(&parse->frame, text, frame_cut(text, length, maximum));
}
