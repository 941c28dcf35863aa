/*
 * file_body.c - send stored bytes, one chunk at a time, while the next one is read.
 *
 * Chunks are rows of the database, or windows of the object store.  A blob may be moved to the store
 * while its rows are sent: the rest comes from there.  Where a client waits for a window, since the
 * store is far away or gives a connection less than the client takes, several are asked for at once.
 *
 * The body is a list of segments: ranges of the stored bytes, and the text between several ranges.
 */
#include "database/clients.h"
#include "net/header.h"
#include "transfer/download_internal.h"

#define BLOCK_SIZE 131072 /* maximum size of the blocks that libmicrohttpd asks for */

#define WINDOWS 4 /* of the object store, that are asked for at once */
#define EARLY_BYTES ((WINDOWS - 1) * (int64_t) OBJECT_WINDOW)

#define NO_ANSWER "the bytes of the file cannot be read at present, please try again"

static void
free_chunk(Download *download)
{
	PQclear(download->row);
	free(download->bytes);
	download->row = NULL;
	download->bytes = NULL;
	download->number = -1;
}

static void window_ended(ObjectRead *window, bool good);

/* Read from the object store from now on; false: there is no room for that. */
static bool
read_stored(Request *request, Download *download)
{
	size_t windows = 2 * OBJECT_WINDOW;

	free_chunk(download);
	download->coming = -1;
	download->stored = true;
	download->windows = calloc(WINDOWS, sizeof(ObjectRead));
	for (int i = 0; download->windows != NULL && i < WINDOWS; i++)
	{
		ObjectRead *window = &download->windows[i];

		memcpy(window->request.key, download->key, OBJECT_KEY);
		window->request.size = download->size;
		window->thread = request->thread;
		window->done = window_ended;
		window->target = download;
	}
	download->ahead = 1;
	return download->windows != NULL &&
		   memory_share_hold(
			   request->thread->memory, &request->answer_held, request_call_client(request),
			   download->size < (int64_t) windows ? (size_t) download->size : windows);
}

/* Is the result the error that a chunk is in the object store? */
static bool
was_moved(const Call *call)
{
	const char *state =
		call->outcome == RESULT_ANSWER ? PQresultErrorField(call->result, PG_DIAG_SQLSTATE) : NULL;

	return state != NULL && strcmp(state, "OD503") == 0;
}

/* The connection may wait for what has come. */
static void
resume(Download *download)
{
	if (!download->suspended)
		return;
	download->suspended = false;
	MHD_resume_connection(download->transfer.request->client->connection);
}

static StageResult
answered(Transfer *transfer)
{
	Download *download = (Download *) transfer;
	const Call *call = &transfer->call;

	download->failed = call->outcome != RESULT_ANSWER ||
					   PQresultStatus(call->result) != PGRES_TUPLES_OK ||
					   PQntuples(call->result) != 1 || PQgetisnull(call->result, 0, 0);
	if (download->failed && was_moved(call))
		download->failed = !read_stored(transfer->request, download);
	resume(download);
	return WAITING;
}

/* Go on to the answer. */
static StageResult
begin(Request *request)
{
	Download *download = (Download *) request->transfer;
	StageResult (*begun)(Request * request) = download->begun;

	download->begun = NULL;
	return download->failed ? error_set(request, 503, NO_ANSWER) : begun(request);
}

/* A window has come, or does not. */
static void
window_ended(ObjectRead *window, bool good)
{
	Download *download = window->target;
	Request *request = download->transfer.request;

	download->failed |= !good;
	if (download->begun != NULL)
		request->thread->events->proceed(request, begin(request));
	else
		resume(download);
}

static void
end(Transfer *transfer)
{
	Download *download = (Download *) transfer;

	free_chunk(download);
	for (int i = 0; download->windows != NULL && i < WINDOWS; i++)
		object_client_end(&download->windows[i]);
	if (download->ahead > 1)
		object_client_release(transfer->thread->objects, EARLY_BYTES);
	free(download->windows);
	free(download->pieces);
}

Download *
file_body_open(Request *request, int64_t blob, int64_t size, const char *sha256, bool stored)
{
	Download *download = transfer_new(request, sizeof(Download), &request->thread->downloads);

	if (download == NULL)
		return NULL;
	download->size = size;
	download->number = download->coming = -1;
	snprintf(download->blob, sizeof(download->blob), "%lld", (long long) blob);
	snprintf(download->key, OBJECT_KEY, "%s", sha256);
	download->transfer.answered = answered;
	download->transfer.end = end;
	if (stored && !read_stored(request, download))
	{
		(void) error_set(request, 503, "too many bytes of answers wait to be read");
		return NULL;
	}
	return download;
}

static void
add_piece(Download *download, const char *text, int64_t first, int64_t length)
{
	download->pieces[download->count++] = (Segment){text, first, length};
	download->total += length;
}

/* Several ranges are the parts of a multipart body, each with a header. */
static void
add_parts(Request *request, Download *download, const Ranges *ranges)
{
	char boundary[NAME_SIZE];
	const char *text = NULL;

	header_name_next(request->thread, boundary);
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
file_body_choose(Request *request, const Ranges *ranges)
{
	Download *download = (Download *) request->transfer;
	const Range *range = &ranges->range[0];

	download->pieces = calloc(2 * (size_t) ranges->count + 1, sizeof(Segment));
	if (download->pieces == NULL)
		(void) error_set(request, 500, NULL);
	else if (ranges->count > 1)
		add_parts(request, download, ranges);
	else if (ranges->count == 1)
	{
		add_piece(download, NULL, range->first, range->last - range->first + 1);
		range_describe(request, range, download->size);
	}
	else
		add_piece(download, NULL, 0, download->size);
}

/* Bytes of a chunk that is not the last one. */
static int64_t
chunk_size(const Download *download)
{
	return download->stored ? OBJECT_WINDOW : CHUNK_SIZE;
}

/* Is a byte of the chunk in this segment, or in those that follow? */
static bool
is_wanted(const Download *download, int64_t number)
{
	int64_t size = chunk_size(download);

	for (int i = download->at; i < download->count; i++)
	{
		const Segment *piece = &download->pieces[i];

		if (piece->text == NULL && piece->length > 0 && piece->first / size <= number &&
			(piece->first + piece->length - 1) / size >= number)
			return true;
	}
	return false;
}

/* Return the window of a chunk. */
static ObjectRead *
window_of(const Download *download, int64_t number)
{
	return &download->windows[number % WINDOWS];
}

/* Has the window been asked for the chunk? */
static bool
is_asked(const ObjectRead *window, int64_t number)
{
	return window->bytes != NULL && window->request.first == number * OBJECT_WINDOW;
}

/* Ask the store for a chunk and for those behind it, as many as may be asked for at once; false: that
 * has failed at once. */
static bool
ask_windows(Download *download, int64_t number)
{
	for (int64_t next = number; next < number + download->ahead; next++)
	{
		ObjectRead *window = window_of(download, next);
		int64_t first = next * OBJECT_WINDOW;
		int64_t left = download->size - first;

		if (!is_wanted(download, next) || is_asked(window, next))
			continue;
		if (next > number && !object_client_has_room(window->thread->objects))
			break;
		/* of several ranges a later one may be before this one */
		if (window->busy)
			object_client_end(window);
		if (!object_client_read(window, first, left < OBJECT_WINDOW ? left : OBJECT_WINDOW))
			return false;
	}
	return true;
}

/* Query a chunk; false: that has failed at once. */
static bool
fetch(Download *download, int64_t number)
{
	const char *arguments[ARGUMENTS_MAXIMUM] = {download->blob, download->position};

	if (download->stored)
		return ask_windows(download, number);
	download->coming = number;
	snprintf(download->position, sizeof(download->position), "%lld", (long long) number);
	return transfer_call(&download->transfer, CALL_BLOB_BYTES, arguments, 0);
}

static bool
is_fetching(const Download *download, int64_t number)
{
	const ObjectRead *window = download->stored ? window_of(download, number) : NULL;

	return window != NULL ? window->busy && is_asked(window, number) : download->transfer.busy;
}

static bool
has_come(const Download *download, int64_t number)
{
	return download->stored ? is_asked(window_of(download, number), number)
							: download->coming == number && download->transfer.call.result != NULL;
}

/* Take the chunk that was received, and query the next one. */
static bool
take_chunk(Download *download, int64_t number)
{
	Call *call = &download->transfer.call;
	ObjectRead *window = download->stored ? window_of(download, number) : NULL;

	free_chunk(download);
	if (window != NULL)
	{
		download->bytes = window->bytes;
		download->length = (size_t) window->request.length;
		window->bytes = NULL;
	}
	else
	{
		download->row = call->result;
		download->length = (size_t) PQgetlength(download->row, 0, 0);
		call->result = NULL;
	}
	download->number = number;
	download->coming = -1;
	return !is_wanted(download, number + 1) || fetch(download, number + 1);
}

/* Is the chunk in memory?  If not, query it, unless that has failed. */
static bool
has_chunk(Download *download, int64_t number)
{
	while (!download->failed && download->number != number)
	{
		if (is_fetching(download, number))
			return false;
		if (has_come(download, number))
			download->failed = !take_chunk(download, number);
		else
			download->failed = !fetch(download, number);
	}
	return !download->failed;
}

/* Copy stored bytes from an offset on; 0: they have not been received. */
static size_t
give_stored(Download *download, int64_t offset, char *bytes, size_t room)
{
	size_t start = (size_t) (offset % chunk_size(download));
	size_t length;

	if (!has_chunk(download, offset / chunk_size(download)))
		return 0;
	if (download->length <= start)
	{
		download->failed = true;
		return 0;
	}
	length = download->length - start < room ? download->length - start : room;
	memcpy(bytes, (download->stored ? download->bytes : PQgetvalue(download->row, 0, 0)) + start,
		   length);
	return length;
}

/* The client waits for a window: ask for those behind it as well, from now on, if there is room; false: that has failed. */
static bool
hurry(Download *download, int64_t number)
{
	if (download->ahead == 1 &&
		object_client_reserve(download->transfer.thread->objects, EARLY_BYTES))
		download->ahead = WINDOWS;
	return ask_windows(download, number);
}

StageResult
file_body_begin(Request *request, StageResult (*begun)(Request *request))
{
	Download *download = (Download *) request->transfer;

	download->begun = begun;
	for (int i = 0; download->stored && request->verb != VERB_HEAD && i < download->count; i++)
		if (download->pieces[i].text == NULL && download->pieces[i].length > 0)
		{
			(void) has_chunk(download, download->pieces[i].first / OBJECT_WINDOW);
			return download->failed ? begin(request) : WAITING;
		}
	return begin(request);
}

/* libmicrohttpd asks for the bytes of the body at a position. */
static ssize_t
read_download(void *cls, uint64_t position, char *bytes, size_t room)
{
	Request *request = cls;
	Download *download = (Download *) request->transfer;
	int64_t offset = (int64_t) position - download->before;
	const Segment *piece = &download->pieces[download->at];
	size_t given;

	while (offset >= piece->length)
	{
		offset -= piece->length;
		download->before += piece->length;
		piece = &download->pieces[++download->at];
	}
	if (piece->length - offset < (int64_t) room)
		room = (size_t) (piece->length - offset);
	if (piece->text != NULL)
		memcpy(bytes, piece->text + offset, room);
	given = piece->text != NULL ? room : give_stored(download, piece->first + offset, bytes, room);
	if (given > 0)
		return (ssize_t) given;
	if (download->stored && !download->failed)
		download->failed = !hurry(download, (piece->first + offset) / OBJECT_WINDOW);
	if (download->failed)
		return stream_break_off(request);
	download->suspended = true;
	MHD_suspend_connection(request->client->connection);
	return 0;
}

struct MHD_Response *
file_body_response(Request *request)
{
	Download *download = (Download *) request->transfer;

	if (download->total == 0)
		return MHD_create_response_from_buffer(0, "", MHD_RESPMEM_PERSISTENT);
	client_check_each_turn(request->client);
	return MHD_create_response_from_callback((uint64_t) download->total, BLOCK_SIZE, read_download,
											 request, NULL);
}
