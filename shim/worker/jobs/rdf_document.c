/*
 * rdf_document.c - a document in Turtle, N-Triples or RDF/XML, which a child in the sandbox converts
 * to JSON-LD.
 *
 * The child reads it from a temporary file: its address as the first line, and its bytes.
 */
#include <strings.h>
#include <unistd.h>

#include "jobs/contents.h"

#define HEAD 65536 /* bytes in which the namespace of RDF is looked for */
#define RDF_NAMESPACE "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

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

static bool
put(void *target, const char *bytes, size_t length)
{
	Buffer *result = target;

	buffer_append(result, bytes, length);
	return !result->failed;
}

bool
rdf_document_convert(const char *form, const char *url, const Buffer *document, Buffer *result,
					 char *reason, size_t size)
{
	Value length = session_number((int64_t) document->length);
	char *arguments[] = {"/proc/self/exe", "--parse",	  (char *) (uintptr_t) form,
						 "--size",		   length.number, NULL};
	int file = unnamed_file();
	ChildDocument made = {.arguments = arguments,
						  .file = file,
						  .put = put,
						  .target = result,
						  .unput = "it is too large as JSON-LD",
						  .reason = reason,
						  .size = size};
	bool good = file >= 0 && dprintf(file, "%s\n", url) > 0 &&
				command_write_all(file, document->data, document->length);

	if (good)
		good = child_document_make(&made);
	else
		snprintf(reason, size, "there is no room to read it");
	if (file >= 0)
		close(file);
	return good;
}
