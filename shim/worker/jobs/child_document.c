/*
 * child_document.c - a child in the sandbox that makes one document of another.
 *
 * The child reads the document from a temporary file, and writes the other one in chunk frames.
 */
#include <unistd.h>

#include "jobs/contents.h"

/* Milliseconds that the child may be without progress; the sandbox limits its processor time. */
#define STALL 60000

static bool
fail(ChildDocument *document, const char *reason)
{
	snprintf(document->reason, document->size, "%s", reason);
	return false;
}

/* Take a frame; false with a reason. */
static bool
take_frame(void *target, const Frame *frame)
{
	ChildDocument *document = target;

	if (frame->type == FRAME_REFUSED)
	{
		json_t *refusal = json_loadb(frame->data, frame->length, 0, NULL);
		const char *reason = json_string_value(json_object_get(refusal, "reason"));

		fail(document, reason != NULL ? reason : "it could not be read safely");
		json_decref(refusal);
		return false;
	}
	return frame->type != FRAME_CHUNK ||
		   document->put(document->target, frame->data, frame->length) ||
		   fail(document, document->unput);
}

bool
child_document_make(ChildDocument *document)
{
	const ChildOutput output = {
		.take = take_frame, .target = document, .patience = STALL, .maximum = UINT64_MAX};
	char *environment[] = {NULL};
	Child child = {.pid = -1, .input = -1, .output = -1};

	document->end = CHILD_ASTRAY;
	if (lseek(document->file, 0, SEEK_SET) != 0 ||
		!child_start(&child, document->arguments, environment, document->file))
		return fail(document, "no process could be started to read it");
	document->end = child_read(&child, &output);
	child_end(&child);
	switch (document->end)
	{
		case CHILD_DONE:
			return true;
		case CHILD_STOPPED:
			return false;
		case CHILD_LATE:
			return fail(document, "it takes too long to read");
		default:
			return fail(document, "it could not be read safely");
	}
}
