/*
 * transfer.c - what uploads and downloads have in common.
 */

#include "database/clients.h"
#include "net/header.h"
#include "transfer/download_internal.h"

#define RATE 4096		 /* bytes per second: minimum for an upload */
#define BYTES_POSITION 3 /* of the argument of upload_write() in binary format */
#define QUEUE_TURNS 10	 /* times queue_timeout that a call may wait, since transfers take turns */

void *
transfer_new(Request *request, size_t size, int *running)
{
	Transfer *transfer = calloc(1, size);

	if (transfer == NULL)
	{
		(void) error_set(request, 500, NULL);
		return NULL;
	}
	/* if the request has waited, it has a transfer without bytes */
	transfer_close(request);
	transfer->running = running;
	++*running;
	transfer->request = request;
	transfer->thread = request->thread;
	request->transfer = transfer;
	return transfer;
}

static void
discard(Transfer *transfer)
{
	--*transfer->running;
	call_forget_result(&transfer->call);
	free(transfer->actor);
	if (transfer->end != NULL)
		transfer->end(transfer);
	free(transfer);
}

/* The call has ended. */
static void
call_done(Call *call)
{
	Transfer *transfer = (Transfer *) ((char *) call - offsetof(Transfer, call));

	transfer->busy = false;
	if (transfer->starting)
		return;
	if (transfer->request != NULL)
	{
		Request *request = transfer->request;

		transfer->thread->events->proceed(request, transfer->answered(transfer));
		return;
	}
	if (transfer->leave != NULL)
		transfer->leave(transfer);
	if (!transfer->busy)
		discard(transfer);
}

bool
transfer_call(Transfer *transfer, CallName name, const char *const *arguments, size_t length)
{
	const Settings *settings = transfer->thread->settings;
	const CallSpec *spec = &call_specs[name];
	Call *call = &transfer->call;

	if (transfer->request != NULL)
		transfer->client = request_call_client(transfer->request);
	call_forget_result(call);
	/* alone: an argument in binary format cannot be compared as text */
	*call = (Call){.spec = spec,
				   .bytes = name == CALL_UPLOAD_WRITE ? BYTES_POSITION : 0,
				   .length = (int) length,
				   .queue = QUEUE_OWN,
				   .client = transfer->client,
				   .alone = true,
				   .follows =
					   transfer->request != NULL && request_call_follows(transfer->request, spec),
				   .done = call_done};
	for (int i = 0; i < spec->count; i++)
		call->arguments[i] = arguments[i];
	call->wait_until = transfer->thread->now + settings->queue_timeout * QUEUE_TURNS;
	call->deadline = call->wait_until + settings->call_timeout;
	transfer->busy = transfer->starting = true;
	database_submit(transfer->thread->transfers, call);
	transfer->starting = false;
	return transfer->busy;
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
		transfer->actor = strdup(request->caller.actor);
	if (!transfer->busy && transfer->actor != NULL && transfer->leave != NULL)
		transfer->leave(transfer);
	if (!transfer->busy)
		discard(transfer);
}

bool
transfer_stalls(const Request *request, int64_t now)
{
	Transfer *transfer = request->transfer;
	int64_t span = request->thread->settings->header_timeout;
	size_t moved = request->body.received - transfer->sofar;

	if (transfer->since != 0 && now - transfer->since <= span)
		return false;
	if (transfer->since != 0 && (int64_t) moved < span * RATE / 1000)
		return true;
	transfer->since = now;
	transfer->sofar = request->body.received;
	return false;
}
