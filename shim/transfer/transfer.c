/*
 * transfer.c - what uploads and downloads have in common: their call, their end, their fields.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "shim.h"

#define RATE 4096		 /* bytes a second that an upload must come with */
#define BYTES_POSITION 3 /* of the argument of upload_write() that is bytes */
#define QUEUE_TURNS 10	 /* times the usual wait for a connection: transfers take turns */

static const struct
{
	const char *name;
	bool list;
} known_headers[FIELD_COUNT] = {
	[FIELD_DISPOSITION] = {"Content-Disposition", false},
	[FIELD_REPR_DIGEST] = {"Repr-Digest", true},
	[FIELD_CONTENT_DIGEST] = {"Content-Digest", true},
	[FIELD_DIGEST] = {"Digest", true},
	[FIELD_COMPLETE] = {"Upload-Complete", false},
	[FIELD_OFFSET] = {"Upload-Offset", false},
	[FIELD_LENGTH] = {"Upload-Length", false},
	[FIELD_RANGE] = {"Range", true},
	[FIELD_IF_RANGE] = {"If-Range", false},
};

const char *
transfer_header_name(TransferHeader header)
{
	return known_headers[header].name;
}

typedef struct Search
{
	Request *request;
	const char **values;
	bool twice;
} Search;

static enum MHD_Result
see_header(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
	Search *search = cls;

	(void) kind;
	for (TransferHeader i = 0; i < FIELD_COUNT; i++)
	{
		const char **place = &search->values[i];

		if (strcasecmp(name, known_headers[i].name) != 0)
			continue;
		search->twice |= *place != NULL && !known_headers[i].list;
		*place =
			*place == NULL ? value : arena_format(&search->request->arena, "%s, %s", *place, value);
	}
	return MHD_YES;
}

bool
transfer_headers(Request *request, const char **values)
{
	Search search = {request, values, false};

	for (TransferHeader i = 0; i < FIELD_COUNT; i++)
		values[i] = NULL;
	head_fields(request->head, see_header, &search);
	return !search.twice;
}

void
transfer_field(Request *request, const char *name, const char *value)
{
	Transfer *transfer = request->transfer;

	if (value == NULL || transfer->fields == FIELDS_MAXIMUM)
	{
		request->arena.failed = true;
		return;
	}
	transfer->field[transfer->fields].name = name;
	transfer->field[transfer->fields++].value = value;
}

void
transfer_open(Request *request, Transfer *transfer)
{
	transfer->request = request;
	transfer->worker = request->worker;
	request->transfer = transfer;
}

static void
discard(Transfer *transfer)
{
	call_forget_result(&transfer->call);
	free(transfer->actor);
	transfer->end(transfer);
	free(transfer);
}

/* The call is over. */
static void
call_done(Call *call)
{
	Transfer *transfer = (Transfer *) ((char *) call - offsetof(Transfer, call));

	transfer->busy = false;
	if (transfer->starting)
		return;
	if (transfer->request != NULL)
	{
		transfer->answered(transfer);
		return;
	}
	transfer->leave(transfer);
	if (!transfer->busy)
		discard(transfer);
}

bool
transfer_call(Transfer *transfer, CallName name, const char *const *arguments, size_t length)
{
	const Settings *settings = transfer->worker->settings;
	const CallSpec *spec = &call_specs[name];
	Call *call = &transfer->call;

	if (transfer->request != NULL)
		transfer->client = client_key(transfer->request);
	call_forget_result(call);
	/* alone: bytes are no texts that could be compared */
	*call = (Call){.spec = spec,
				   .bytes = name == CALL_UPLOAD_WRITE ? BYTES_POSITION : 0,
				   .length = (int) length,
				   .queue = QUEUE_OWN,
				   .client = transfer->client,
				   .alone = true,
				   .done = call_done};
	for (int i = 0; i < spec->count; i++)
		call->arguments[i] = arguments[i];
	call->wait_until = transfer->worker->now + settings->queue_timeout * QUEUE_TURNS;
	call->deadline = call->wait_until + settings->call_timeout;
	transfer->busy = transfer->starting = true;
	database_submit(transfer->worker->transfers, call);
	transfer->starting = false;
	return transfer->busy;
}

bool
transfer_failed(Transfer *transfer)
{
	return error_of(transfer->request, &transfer->call);
}

void
transfer_close(Request *request)
{
	Transfer *transfer = request->transfer;

	if (transfer == NULL)
		return;
	request->transfer = NULL;
	transfer->request = NULL;
	if (transfer->ask_at != 0)
		download_forget(transfer);
	if (transfer->actor == NULL)
		transfer->actor = strdup(request->actor);
	if (!transfer->busy && transfer->actor != NULL)
		transfer->leave(transfer);
	if (!transfer->busy)
		discard(transfer);
}

bool
transfer_stalls(const Request *request, int64_t now)
{
	Transfer *transfer = request->transfer;
	int64_t span = request->worker->settings->header_timeout;
	size_t moved = request->received - transfer->sofar;

	if (transfer->since != 0 && now - transfer->since <= span)
		return false;
	if (transfer->since != 0 && (int64_t) moved < span * RATE / 1000)
		return true;
	transfer->since = now;
	transfer->sofar = request->received;
	return false;
}

static void
do_nothing(Transfer *transfer)
{
	(void) transfer;
}

bool
transfer_bare(Request *request)
{
	Transfer *transfer = calloc(1, sizeof(Transfer));

	if (transfer == NULL)
	{
		error_set(request, 500, NULL);
		return false;
	}
	transfer->leave = transfer->end = do_nothing;
	transfer_open(request, transfer);
	return true;
}
