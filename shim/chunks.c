/*
 * chunks.c - stored bytes on their way to a client, a chunk at a time and one ahead.
 *
 * What is sent is a row of pieces: texts between several ranges, and stretches of the stored bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#define BLOCK_SIZE 32768 /* bytes that libmicrohttpd asks for at once, at most */

static void
answered(Transfer *transfer)
{
	Download *download = (Download *) transfer;
	const Call *call = &transfer->call;

	download->failed = call->outcome != RESULT_ANSWER ||
					   PQresultStatus(call->result) != PGRES_TUPLES_OK ||
					   PQntuples(call->result) != 1 || PQgetisnull(call->result, 0, 0);
	if (download->suspended)
	{
		download->suspended = false;
		MHD_resume_connection(transfer->request->client->connection);
	}
}

static void
leave(Transfer *transfer)
{
	(void) transfer;
}

static void
end(Transfer *transfer)
{
	Download *download = (Download *) transfer;

	PQclear(download->chunk);
	free(download->pieces);
}

Download *
chunks_open(Request *request, int64_t blob, int64_t size)
{
	Download *download = calloc(1, sizeof(Download));

	if (download == NULL)
	{
		error_set(request, 500, NULL);
		return NULL;
	}
	/* what has waited has a transfer already, of nothing */
	transfer_close(request);
	download->size = size;
	download->number = download->coming = -1;
	snprintf(download->blob, sizeof(download->blob), "%lld", (long long) blob);
	download->transfer.answered = answered;
	download->transfer.leave = leave;
	download->transfer.end = end;
	transfer_open(request, &download->transfer);
	return download;
}

static void
add_piece(Download *download, const char *text, int64_t first, int64_t length)
{
	download->pieces[download->count++] = (Piece){text, first, length};
	download->total += length;
}

/* Several ranges are parts of one answer, each with a header of its own. */
static void
add_parts(Request *request, Download *download, const Ranges *ranges)
{
	const char *boundary = request->id_of_parts;
	const char *text = NULL;

	for (int i = 0; i < ranges->count; i++)
	{
		const Range *range = &ranges->range[i];

		text = arena_format(&request->arena,
							"%s--%s\r\nContent-Type: %s\r\nContent-Range: bytes %lld-%lld/%lld\r\n\r\n",
							i > 0 ? "\r\n" : "", boundary, request->answer.type,
							(long long) range->first, (long long) range->last,
							(long long) download->size);
		add_piece(download, text, 0, text != NULL ? (int64_t) strlen(text) : 0);
		add_piece(download, NULL, range->first, range->last - range->first + 1);
	}
	text = arena_format(&request->arena, "\r\n--%s--\r\n", boundary);
	add_piece(download, text, 0, text != NULL ? (int64_t) strlen(text) : 0);
	request->answer.type =
		arena_format(&request->arena, "multipart/byteranges; boundary=%s", boundary);
}
