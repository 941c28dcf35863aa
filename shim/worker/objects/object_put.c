/*
 * object_put.c - send a blob to the object store: in one request, or by parts where it is long.
 *
 * The object is there when the store has joined its parts.  What is left unfinished is aborted when all objects are
 * listed, at the start of the worker and once a day: only one worker sends objects, and not while it lists them.
 */
#include <poll.h>

#include "objects/objects_internal.h"

#define PARTS 10000		   /* that an object may have */
#define PART_ATTEMPTS 3	   /* of a part, since others were sent already */
#define PART_PAUSE 1000	   /* milliseconds between them */
#define PARTS_TEXT 2097152 /* bytes of the list of parts */

/* The chunks of a blob that is sent. */
typedef struct Source
{
	BlobReader reader;
	const char *data;
	size_t left;
	bool broken;
} Source;

/* A text that is sent. */
typedef struct Text
{
	const char *data;
	size_t left;
} Text;

static size_t
give_part(const char **data, size_t *left, char *space, size_t room)
{
	size_t part = *left < room ? *left : room;

	if (part > 0)
		memcpy(space, *data, part);
	*data += part;
	*left -= part;
	return part;
}

static ptrdiff_t
give_blob(void *target, char *space, size_t room)
{
	Source *source = target;

	source->broken =
		source->left == 0 && !blob_reader_next(&source->reader, &source->data, &source->left);
	return source->broken ? -1 : (ptrdiff_t) give_part(&source->data, &source->left, space, room);
}

static ptrdiff_t
give_text(void *target, char *space, size_t room)
{
	Text *text = target;

	return (ptrdiff_t) give_part(&text->data, &text->left, space, room);
}

/* Send a request with so many bytes. */
static ObjectEnd
ask_sized(Mover *mover, const Task *task, ObjectVerb verb, int64_t size)
{
	Task sized = *task;

	sized.size = size;
	return objects_ask(mover, &sized, verb);
}

/* Send bytes of the blob; *broken: the session failed. */
static ObjectEnd
send_bytes(Mover *mover, const Task *task, ObjectVerb verb, int64_t first, int64_t size,
		   bool *broken)
{
	Source source = {.reader = {.session = mover->session,
								.blob = TEXT(task->blob),
								.number = first / BLOB_CHUNK}};
	ObjectEnd end;

	mover->request.give = give_blob;
	mover->request.target = &source;
	end = ask_sized(mover, task, verb, size);
	blob_reader_close(&source.reader);
	*broken = source.broken;
	return end;
}

/* Send a part, and append it to the list of parts. */
static ObjectEnd
send_part(Mover *mover, const Task *task, int64_t first, int64_t size, Buffer *list, bool *broken)
{
	ObjectRequest *request = &mover->request;
	char entry[sizeof(request->tag) + 128];
	ObjectEnd end;

	request->part++;
	for (int attempt = 1;; attempt++)
	{
		end = send_bytes(mover, task, OBJECT_PART, first, size, broken);
		if (end != OBJECT_AWAY || *broken || attempt == PART_ATTEMPTS)
			break;
		poll(NULL, 0, PART_PAUSE);
	}
	snprintf(entry, sizeof(entry), "<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>",
			 request->part, strpbrk(request->tag, "<&") == NULL ? request->tag : "");
	buffer_text(list, entry);
	return end;
}

/* The bytes of each part but the last one, a multiple of those of a chunk. */
static int64_t
part_size(const Mover *mover, int64_t size)
{
	int64_t least = (size + PARTS - 1) / PARTS;
	int64_t wanted = mover->session->settings->store_part;

	wanted = wanted > least ? wanted : least;
	return (wanted + BLOB_CHUNK - 1) / BLOB_CHUNK * BLOB_CHUNK;
}

/* Send a blob by parts. */
static ObjectEnd
put_parts(Mover *mover, const Task *task, int64_t part, bool *broken)
{
	ObjectEnd end = ask_sized(mover, task, OBJECT_BEGIN, 0);
	Buffer list;
	Text text;

	buffer_init(&list, PARTS_TEXT);
	buffer_text(&list, "<CompleteMultipartUpload>");
	mover->request.part = 0;
	for (int64_t first = 0; end == OBJECT_DONE && first < task->size; first += part)
	{
		int64_t left = task->size - first;

		end = send_part(mover, task, first, left < part ? left : part, &list, broken);
	}
	buffer_text(&list, "</CompleteMultipartUpload>");
	text = (Text){list.data, list.length};
	mover->request.give = give_text;
	mover->request.target = &text;
	if (end == OBJECT_DONE)
		end = list.failed ? OBJECT_AWAY
						  : ask_sized(mover, task, OBJECT_COMPLETE, (int64_t) list.length);
	buffer_free(&list);
	if (end != OBJECT_DONE)
		/* to abort it */
		mover->list_at = 0;
	return end;
}

Step
object_put(Mover *mover, const Task *task)
{
	int64_t part = part_size(mover, task->size);
	bool broken = false;
	ObjectEnd end = task->size > part ? put_parts(mover, task, part, &broken)
									  : send_bytes(mover, task, OBJECT_PUT, 0, task->size, &broken);

	if (broken)
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
	end = ask_sized(mover, &task, OBJECT_UPLOADS, OBJECT_WINDOW);
	buffer_append(&xml, "", 1);
	at = xml.data;
	while ((end == OBJECT_DONE || end == OBJECT_MISSING) && !xml.failed &&
		   (at = next_upload(&mover->request, at, &task)) != NULL)
	{
		end = ask_sized(mover, &task, OBJECT_ABORT, 0);
		log_event(log, LOG_VERBOSE, "object", "%s %s", task.name, task.key);
	}
	/* a store that gives no such list is not away */
	mover->away = false;
	buffer_free(&xml);
}
