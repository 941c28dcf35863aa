/*
 * file_body.c - stored bytes on their way to a client, a chunk at a time and one ahead.
 *
 * What is sent is a row of pieces: texts between several ranges, and stretches of the stored bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#define BLOCK_SIZE 131072 /* bytes that libmicrohttpd asks for at once, at most */

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
	download->pieces[download->count++] = (Stretch){text, first, length};
	download->total += length;
}

/* Several ranges are parts of one answer, each with a header of its own. */
static void
add_parts(Request *request, Download *download, const Ranges *ranges)
{
	char boundary[NAME_SIZE];
	const char *text = NULL;

	request_name(request->worker, boundary);
	for (int i = 0; i < ranges->count; i++)
	{
		const Range *range = &ranges->range[i];

		text = arena_format(
			&request->arena,
			"%s--%s\r\nContent-Type: %s\r\nContent-Range: bytes %lld-%lld/%lld\r\n\r\n",
			i > 0 ? "\r\n" : "", boundary, request->answer.type, (long long) range->first,
			(long long) range->last, (long long) download->size);
		add_piece(download, text, 0, text != NULL ? (int64_t) strlen(text) : 0);
		add_piece(download, NULL, range->first, range->last - range->first + 1);
	}
	text = arena_format(&request->arena, "\r\n--%s--\r\n", boundary);
	add_piece(download, text, 0, text != NULL ? (int64_t) strlen(text) : 0);
	request->answer.type =
		arena_format(&request->arena, "multipart/byteranges; boundary=%s", boundary);
}

void
chunks_choose(Request *request, const Ranges *ranges)
{
	Download *download = (Download *) request->transfer;
	const Range *range = &ranges->range[0];

	download->pieces = calloc(2 * (size_t) ranges->count + 1, sizeof(Stretch));
	if (download->pieces == NULL)
		error_set(request, 500, NULL);
	else if (ranges->count > 1)
		add_parts(request, download, ranges);
	else if (ranges->count == 1)
	{
		add_piece(download, NULL, range->first, range->last - range->first + 1);
		request->answer.range =
			arena_format(&request->arena, "bytes %lld-%lld/%lld", (long long) range->first,
						 (long long) range->last, (long long) download->size);
	}
	else
		add_piece(download, NULL, 0, download->size);
}

/* Ask for a chunk; false where it cannot be had. */
static bool
fetch(Download *download, int64_t number)
{
	const char *arguments[] = {download->blob, download->position};

	download->coming = number;
	snprintf(download->position, sizeof(download->position), "%lld", (long long) number);
	return transfer_call(&download->transfer, CALL_BLOB_BYTES, arguments, 0);
}

/*
 * Is a stored byte wanted of a chunk, in this piece behind a place in it or in those that follow?
 */
static bool
is_wanted(const Download *download, int64_t number)
{
	for (int i = download->at; i < download->count; i++)
	{
		const Stretch *piece = &download->pieces[i];

		if (piece->text == NULL && piece->length > 0 && piece->first / CHUNK_SIZE <= number &&
			(piece->first + piece->length - 1) / CHUNK_SIZE >= number)
			return true;
	}
	return false;
}

/* Take the chunk that has come, and have the one behind it follow. */
static bool
take_chunk(Download *download)
{
	Call *call = &download->transfer.call;

	PQclear(download->chunk);
	download->chunk = call->result;
	call->result = NULL;
	download->number = download->coming;
	download->coming = -1;
	return !is_wanted(download, download->number + 1) || fetch(download, download->number + 1);
}

/* Have a chunk at hand; false while it is not, or when it will never be. */
static bool
has_chunk(Download *download, int64_t number)
{
	Transfer *transfer = &download->transfer;

	while (!download->failed && download->number != number)
	{
		if (transfer->busy)
			return false;
		if (download->coming == number && transfer->call.result != NULL)
			download->failed = !take_chunk(download);
		else
			download->failed = !fetch(download, number);
	}
	return !download->failed;
}

/* Give bytes of a piece from a place in it; 0 while they are not there. */
static size_t
give_stored(Download *download, int64_t place, char *bytes, size_t room)
{
	size_t start = (size_t) (place % CHUNK_SIZE);
	size_t length;

	if (!has_chunk(download, place / CHUNK_SIZE))
		return 0;
	length = (size_t) PQgetlength(download->chunk, 0, 0);
	if (length <= start)
	{
		download->failed = true;
		return 0;
	}
	length = length - start < room ? length - start : room;
	memcpy(bytes, PQgetvalue(download->chunk, 0, 0) + start, length);
	return length;
}

/* libmicrohttpd has room for more, behind so many bytes. */
static ssize_t
read_download(void *cls, uint64_t position, char *bytes, size_t room)
{
	Request *request = cls;
	Download *download = (Download *) request->transfer;
	int64_t place = (int64_t) position - download->before;
	const Stretch *piece = &download->pieces[download->at];
	size_t given;

	while (place >= piece->length)
	{
		place -= piece->length;
		download->before += piece->length;
		piece = &download->pieces[++download->at];
	}
	if (piece->length - place < (int64_t) room)
		room = (size_t) (piece->length - place);
	if (piece->text != NULL)
		memcpy(bytes, piece->text + place, room);
	given = piece->text != NULL ? room : give_stored(download, piece->first + place, bytes, room);
	if (given > 0)
		return (ssize_t) given;
	if (download->failed)
		return stream_break_off(request);
	download->suspended = true;
	MHD_suspend_connection(request->client->connection);
	return 0;
}

struct MHD_Response *
chunks_response(Request *request)
{
	Download *download = (Download *) request->transfer;

	/* HEAD of what is made while it is sent */
	if (request->transfer->end != end)
		return stream_unsized(request, read_download);
	if (download->total == 0)
		return MHD_create_response_from_buffer(0, "", MHD_RESPMEM_PERSISTENT);
	stream_keep_in_sight(request);
	return MHD_create_response_from_callback((uint64_t) download->total, BLOCK_SIZE, read_download,
											 request, NULL);
}
