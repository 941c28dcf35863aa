/*
 * compress.c - the body of an answer by gzip, for a client that takes it so.
 */
#include <zlib.h>

#include "answer/answer.h"
#include "answer/envelope.h"
#include "net/header.h"

/* Bodies of other lengths are sent as they are: a thread that compresses does nothing else meanwhile. */
#define LEAST 1024
#define MOST (1024 * 1024)

bool
compress_accepted(const Request *request)
{
	return element_accepted(request->headers[HEADER_ACCEPT_ENCODING], "gzip");
}

void
compress_body(Request *request)
{
	enum
	{
		WINDOW = 15 + 16, /* the largest, with the header and trailer of gzip */
		MEMORY = 8
	};
	Answer *answer = &request->answer;
	const struct iovec pieces[] = {{answer->head.data, answer->head.length},
								   {(void *) answer->data, answer->data_length},
								   {answer->tail.data, answer->tail.length}};
	size_t length = answer->head.length + answer->data_length + answer->tail.length;
	z_stream stream = {0};
	int state = Z_OK;
	Bytef *bytes;

	if (!compress_accepted(request) || length < LEAST || length > MOST || answer->head.failed ||
		answer->tail.failed ||
		deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		return;
	stream.avail_out = (uInt) deflateBound(&stream, length);
	bytes = arena_zeroed(&request->arena, stream.avail_out);
	stream.next_out = bytes;
	for (size_t i = 0; bytes != NULL && state == Z_OK && i < lengthof(pieces); i++)
	{
		stream.next_in = pieces[i].iov_base;
		stream.avail_in = (uInt) pieces[i].iov_len;
		state = deflate(&stream, i + 1 < lengthof(pieces) ? Z_NO_FLUSH : Z_FINISH);
		/* there is nothing to do for a piece without bytes */
		state = state == Z_BUF_ERROR ? Z_OK : state;
	}
	if (state == Z_STREAM_END)
	{
		buffer_clear(&answer->head);
		buffer_clear(&answer->tail);
		answer->data = (const char *) bytes;
		answer->data_length = stream.total_out;
		answer_field(request, "Content-Encoding", "gzip");
	}
	(void) deflateEnd(&stream);
}
