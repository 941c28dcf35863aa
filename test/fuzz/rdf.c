/*
 * rdf.c - fuzzing target: RDF/XML if the first byte is an x, else Turtle.  The second byte is the size of the pieces in
 * which it is read; then come the line with the address, and the document.
 */
#include "rdf/rdf.h"
#include "frames.h"
#include "fuzz.h"

/* libraptor2 loses memory at syntax errors; the process of a reader ends after one document. */
extern const char *__lsan_default_suppressions(void);

const char *
__lsan_default_suppressions(void)
{
	return "leak:libraptor2";
}

/* The JSON-LD so far. */
static Buffer document;
static char last;

static bool
take_frame(Source *source, const char *bytes, size_t length)
{
	(void) source;
	MUST_HOLD(frames_number((const unsigned char *) bytes + 1) + 5 == length);
	MUST_HOLD(last != 'D' && last != 'X');
	last = *bytes;
	if (last == 'C')
		buffer_append(&document, bytes + 5, length - 5);
	return true;
}

/* A document that is read is an array of objects with ids and types. */
static void
check_document(void)
{
	json_t *json = json_loadb(document.data, document.length, JSON_REJECT_DUPLICATES, NULL);
	json_t *graph = json_object_get(json, "@graph");
	size_t number;
	json_t *node;

	MUST_HOLD(json_array_size(graph) > 0);
	json_array_foreach(graph, number, node)
	{
		MUST_HOLD(json_is_string(json_object_get(node, "@id")));
		MUST_HOLD(json_is_array(json_object_get(node, "@type")));
	}
	json_decref(json);
}

void
fuzz_one(char *text, size_t length)
{
	const Options options = {0};
	Frames frames = {.source = {frames_read, frames_read_at, take_frame, NULL, length}};

	/* libraptor2 2.0.15 crashes at the graphs of TriG in Turtle: in the sandbox no harm is done */
	if (length < 2 || (*text != 'x' && memchr(text, '{', length) != NULL))
		return;
	frames.bytes = text + 2;
	frames.length = length - 2;
	frames.piece = (unsigned char) text[1] + 1U;
	buffer_init(&document, 64 << 20);
	last = '\0';
	parse_file(&frames.source, &options, *text == 'x' ? rdf_read_xml : rdf_read_turtle);
	MUST_HOLD(last == 'D' || last == 'X');
	if (last == 'D')
		check_document();
	buffer_free(&document);
}
