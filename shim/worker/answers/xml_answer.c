/*
 * xml_answer.c - an answer in XML.
 *
 * No DOCTYPE: there are no entities then that could name files or grow.
 */

#include "answers/answer.h"
#include "answers/answers.h"

typedef struct Reading
{
	Answer *answer;
	Tree *tree;
	size_t texts[TREE_DEPTH]; /* where those of each open element begin in the text */
	unsigned depth;
} Reading;

static void
start_element(void *data, const char *name, const char **attributes)
{
	Reading *reading = data;

	tree_name(reading->tree, name, strlen(name));
	tree_open(reading->tree, JSON_OBJECT);
	for (; *attributes != NULL; attributes += 2)
		if (strncmp(*attributes, "xmlns", 5) != 0 && strncmp(*attributes, "xsi:", 4) != 0)
		{
			name = xml_local_name(*attributes);
			tree_name(reading->tree, name, strlen(name));
			tree_value(reading->tree, JSON_STRING, attributes[1], strlen(attributes[1]));
		}
	reading->texts[reading->depth++] = reading->answer->text.length;
}

static void
take_text(void *data, const char *text, size_t length)
{
	Answer *answer = ((Reading *) data)->answer;

	buffer_append(&answer->text, text, length);
	if (answer->text.failed)
		tree_refuse_memory(&answer->tree);
}

/* The text of the element that ends, without white space around it; it is taken off the buffer. */
static const char *
end_text(Reading *reading, size_t *length)
{
	Buffer *text = &reading->answer->text;
	size_t start = reading->texts[--reading->depth];
	const char *from = text->length > start ? text->data + start : "";
	const char *to = from + text->length - start;

	xml_trim(&from, &to);
	*length = (size_t) (to - from);
	text->length = start;
	return from;
}

/* An element without anything but text is that; in others the text is one more member. */
static void
end_element(void *data, const char *name)
{
	static const char value[] = "value";
	Reading *reading = data;
	Tree *tree = reading->tree;
	const char *text;
	size_t length;

	(void) name;
	text = end_text(reading, &length);
	if (tree_is_empty(tree))
		tree_replace(tree, length > 0 ? JSON_STRING : JSON_NULL, length > 0 ? text : "null",
					 length > 0 ? length : strlen("null"));
	else
	{
		if (length > 0 && !tree_has(tree, value))
		{
			tree_name(tree, value, strlen(value));
			tree_value(tree, JSON_STRING, text, length);
		}
		tree_close(tree);
	}
}

/* Raise the fault in the body of a SOAP envelope. */
static _Noreturn void
refuse_fault(const Answer *answer, Node fault)
{
	Node reason;

	if (!tree_member(&answer->tree, fault, "faultstring", &reason) || reason.type != JSON_STRING)
		parse_refuse(answer->parse, "the service reports a fault: no reason is given");
	parse_refuse(answer->parse, "the service reports a fault: %.*s",
				 (int) (reason.length < 300 ? reason.length : 300), reason.bytes);
}

/* What is in a SOAP envelope, else all; a fault is the reason that there are no rows. */
static Node
unwrap(const Answer *answer, Node root)
{
	const Tree *tree = &answer->tree;
	Node envelope;
	Node body;
	Node fault;

	if (!tree_member(tree, root, "Envelope", &envelope))
		return root;
	if (!tree_member(tree, envelope, "Body", &body))
		parse_refuse(answer->parse, "the answer is an envelope without a body");
	if (tree_member(tree, body, "Fault", &fault))
		refuse_fault(answer, fault);
	return body;
}

/* Has the outermost element nothing but a text in it, if that? */
static bool
is_plain(Node tree)
{
	Node first;
	bool only;

	return tree.type != JSON_OBJECT || !tree_first(tree, &first, &only) ||
		   (only && first.type != JSON_OBJECT);
}

static void
check_bytes(Parse *parse, const char *bytes, size_t length)
{
	(void) bytes;
	if (length == 0)
		parse_refuse(parse, "the answer is empty");
}

void
xml_answer_read(Parse *parse)
{
	static const XmlHandlers handlers = {start_element, end_element, take_text};
	static const XmlFile file = {.subject = "the answer",
								 .malformed = "no XML",
								 .doctype = "is not read",
								 .memory = "the answer takes more memory to read than one may have",
								 .check = check_bytes};
	Reading *reading = parse_allocate(parse, sizeof(Reading));
	Answer *answer = answer_begin(parse, true, unzip_new(parse));
	Node inner;

	reading->answer = answer;
	reading->tree = &answer->tree;
	/* the only member of the tree is the outermost element */
	tree_open(&answer->tree, JSON_OBJECT);
	xml_read_file(answer->reader, &file, &handlers, reading);
	tree_close(&answer->tree);
	inner = unwrap(answer, tree_at(answer->tree.values.data));
	if (is_plain(inner))
		parse_refuse(parse, "the answer has no rows");
	answer_write(answer, inner);
}
