/*
 * object_put.c - send a blob to the object store, and abort what was left unfinished there.
 *
 * That is done when all objects are listed, at the start of the worker and once a day.
 */
#include "objects/objects_internal.h"

/* The chunks of a blob that is sent. */
typedef struct Source
{
	BlobReader reader;
	const char *data;
	size_t left;
	bool broken;
} Source;

/* Begin to read at a chunk. */
static bool
seek_blob(void *target, int64_t offset)
{
	Source *source = target;

	blob_reader_close(&source->reader);
	source->reader = (BlobReader){.session = source->reader.session,
								  .blob = source->reader.blob,
								  .number = offset / BLOB_CHUNK};
	source->left = 0;
	return !source->broken;
}

static ptrdiff_t
give_blob(void *target, char *space, size_t room)
{
	Source *source = target;
	size_t part;

	source->broken =
		source->left == 0 && !blob_reader_next(&source->reader, &source->data, &source->left);
	if (source->broken)
		return -1;
	part = source->left < room ? source->left : room;
	if (part > 0)
		memcpy(space, source->data, part);
	source->data += part;
	source->left -= part;
	return (ptrdiff_t) part;
}

Step
object_put(Mover *mover, const Task *task)
{
	Source source = {.reader = {.session = mover->session, .blob = TEXT(task->blob)}};
	const ObjectSource bytes = {
		.size = task->size, .seek = seek_blob, .give = give_blob, .target = &source};
	ObjectEnd end;

	snprintf(mover->request.key, sizeof(mover->request.key), "%s", task->key);
	end =
		objects_asked(mover, task, object_send(&mover->request, mover->session->settings, &bytes));
	blob_reader_close(&source.reader);
	if (end != OBJECT_DONE && task->size > mover->session->settings->store_part)
		/* to abort it */
		mover->list_at = 0;
	if (source.broken)
		return STEP_BROKEN;
	if (end == OBJECT_AWAY)
		return STEP_AWAY;
	if (end != OBJECT_DONE)
		return objects_store_failure(mover, task, mover->request.reason);
	return objects_store_end(mover, ASK_OBJECT_PUT, task);
}

/* Find the key and the upload of the next entry of a list; NULL: there is none. */
static const char *
next_upload(ObjectRequest *request, const char *at, Task *task)
{
	static const char entry[] = "<Upload>";
	static const char name[] = "<Key>";

	while ((at = strstr(at, entry)) != NULL)
	{
		const char *key = strstr(at += strlen(entry), name);

		if (key == NULL)
			return NULL;
		key += strlen(name);
		/* what is not a digest is not an object of the service */
		if (strspn(key, "0123456789abcdef") != OBJECT_KEY - 1 || key[OBJECT_KEY - 1] != '<')
			continue;
		snprintf(task->key, sizeof(task->key), "%.*s", OBJECT_KEY - 1, key);
		if (object_store_upload(request, key))
			return at;
	}
	return NULL;
}

void
object_put_abort(Mover *mover)
{
	Log *log = mover->session->settings->log;
	Task task = {.name = "abort"};
	ObjectEnd end;
	const char *at;
	Buffer xml;

	buffer_init(&xml, OBJECT_WINDOW + 1);
	mover->request.take = objects_take_list;
	mover->request.target = &xml;
	task.size = OBJECT_WINDOW;
	end = objects_ask(mover, &task, OBJECT_UPLOADS);
	task.size = 0;
	buffer_append(&xml, "", 1);
	at = xml.data;
	while ((end == OBJECT_DONE || end == OBJECT_MISSING) && !xml.failed &&
		   (at = next_upload(&mover->request, at, &task)) != NULL)
	{
		end = objects_ask(mover, &task, OBJECT_ABORT);
		log_event(log, LOG_VERBOSE, "object", "%s %s", task.name, task.key);
	}
	/* a store that gives no such list is not away */
	mover->away = false;
	buffer_free(&xml);
}
