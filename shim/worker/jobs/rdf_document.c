/*
 * rdf_document.c - a document in Turtle, N-Triples or RDF/XML, which a child in the sandbox converts
 * to JSON-LD.
 *
 * The child reads it from a temporary file: its address as the first line, and its bytes.
 */
#include <strings.h>
#include <unistd.h>

#include "jobs/contents.h"

/* Milliseconds that the child may be without progress; the sandbox limits its processor time. */
#define STALL 60000
#define HEAD 65536 /* bytes in which the namespace of RDF is looked for */
#define RDF_NAMESPACE "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

static const char unsafe[] = "it could not be read safely";

typedef struct Conversion
{
	Buffer *result;
	char *reason;
	size_t size; /* of the reason */
} Conversion;

static bool
fail(Conversion *conversion, const char *reason)
{
	snprintf(conversion->reason, conversion->size, "%s", reason);
	return false;
}

static bool
begins_with(const char *text, const char *start)
{
	return strncasecmp(text, start, strlen(start)) == 0;
}

/* The form that a media type says; NULL: it says none. */
static const char *
form_of_type(const char *type)
{
	static const char *const types[][2] = {
		{"text/turtle", "turtle"},		   {"application/x-turtle", "turtle"},
		{"application/turtle", "turtle"},  {"application/n-triples", "turtle"},
		{"application/rdf+xml", "rdfxml"},
	};

	for (size_t i = 0; i < lengthof(types); i++)
		if (begins_with(type, types[i][0]) && strchr("; \t", type[strlen(types[i][0])]) != NULL)
			return types[i][1];
	return NULL;
}

/* The form of bytes; NULL: none of RDF. */
static const char *
form_of_bytes(const char *text)
{
	static const char *const beginnings[] = {"@prefix", "@base", "prefix ", "base <", "_:", "#"};
	const char *iri = text + 1;

	for (size_t i = 0; i < lengthof(beginnings); i++)
		if (begins_with(text, beginnings[i]))
			return "turtle";
	if (*text != '<')
		return NULL;
	if (memmem(text, strnlen(text, HEAD), RDF_NAMESPACE, strlen(RDF_NAMESPACE)) != NULL &&
		(begins_with(text, "<?xml") || begins_with(text, "<!") || begins_with(text, "<rdf:")))
		return "rdfxml";
	iri += strspn(iri, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");
	return iri > text + 1 && begins_with(iri, ":/") ? "turtle" : NULL;
}

const char *
rdf_document_form(const char *type, const char *text)
{
	const char *form;

	text += strspn(text, " \t\r\n");
	/* no triple begins so; servers give pages any type */
	if (*text == '{' || *text == '\0' || begins_with(text, "<!doctype html") ||
		begins_with(text, "<html"))
		return NULL;
	form = form_of_type(type);
	return form != NULL ? form : form_of_bytes(text);
}

/* Take a frame; false with a reason. */
static bool
take_frame(void *target, const Frame *frame)
{
	Conversion *conversion = target;

	if (frame->type == FRAME_REFUSED)
	{
		json_t *refusal = json_loadb(frame->data, frame->length, 0, NULL);
		const char *reason = json_string_value(json_object_get(refusal, "reason"));

		fail(conversion, reason != NULL ? reason : unsafe);
		json_decref(refusal);
		return false;
	}
	if (frame->type == FRAME_CHUNK)
		buffer_append(conversion->result, frame->data, frame->length);
	return !conversion->result->failed || fail(conversion, "it is too large as JSON-LD");
}

/* Read the result; false with a reason. */
static bool
attend(Conversion *conversion, Child *child)
{
	const ChildOutput output = {
		.take = take_frame, .target = conversion, .patience = STALL, .maximum = UINT64_MAX};

	switch (child_read(child, &output))
	{
		case CHILD_DONE:
			return true;
		case CHILD_STOPPED:
			return false;
		case CHILD_LATE:
			return fail(conversion, "it takes too long to read");
		default:
			return fail(conversion, unsafe);
	}
}

bool
rdf_document_convert(const char *form, const char *url, const Buffer *document, Buffer *result,
					 char *reason, size_t size)
{
	Value length = session_number((int64_t) document->length);
	char *arguments[] = {"/proc/self/exe", "--parse",	  (char *) (uintptr_t) form,
						 "--size",		   length.number, NULL};
	char *environment[] = {NULL};
	Child child = {.pid = -1, .input = -1, .output = -1};
	Conversion conversion = {.result = result, .reason = reason, .size = size};
	int file = unnamed_file();
	bool good = file >= 0 && dprintf(file, "%s\n", url) > 0 &&
				command_write_all(file, document->data, document->length) &&
				lseek(file, 0, SEEK_SET) == 0 && child_start(&child, arguments, environment, file);

	if (file >= 0)
		close(file);
	good = good ? attend(&conversion, &child)
				: fail(&conversion, "no process could be started to read it");
	child_end(&child);
	return good;
}
