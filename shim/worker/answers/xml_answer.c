/*
 * xml_answer.c - an answer in XML, by expat.
 *
 * No DOCTYPE: there are no entities then that could name files or grow.  A handler that refuses
 * stops the parser and leaves the reason, since a jump out of it would leave expat's state behind.
 */

#include <expat.h>

#include "answers/answer.h"
#include "answers/answers.h"

/* From 2.9 on libexpat has a function for numbers of 64 bits and deprecates the old one. */
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
#define line_number(xml) ((unsigned long) XML_GetCurrentLineNumber64(xml))
#else
#define line_number(xml) XML_GetCurrentLineNumber(xml)
#endif

#define BLOCK 65536
#define TEXT_MAXIMUM ((size_t) 1 << 30)

typedef struct Reading
{
	XML_Parser parser;
	Tree *tree;
	Buffer text;			  /* of all elements that are open */
	size_t texts[TREE_DEPTH]; /* where those of each begin in it */
	unsigned depth;
	const char *reason; /* why it was stopped; NULL: it was not */
	char block[BLOCK];
} Reading;

static const char *
local_name(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon != NULL ? colon + 1 : name;
}

static void
stop(Reading *reading, const char *reason)
{
	if (reading->reason == NULL)
		reading->reason = reason;
	XML_StopParser(reading->parser, XML_FALSE);
}

/* Stop where the tree can have no more. */
static void
check_tree(Reading *reading)
{
	if (reading->tree->reason != NULL)
		stop(reading, reading->tree->reason);
}

static bool
is_declaration(const char *name)
{
	return strncmp(name, "xmlns", 5) == 0 || strncmp(name, "xsi:", 4) == 0;
}

static void
start_element(void *data, const char *name, const char **attributes)
{
	Reading *reading = data;

	if (reading->reason != NULL)
		return;
	name = local_name(name);
	tree_name(reading->tree, name, strlen(name));
	tree_open(reading->tree, JSON_OBJECT);
	for (; *attributes != NULL; attributes += 2)
		if (!is_declaration(*attributes))
		{
			name = local_name(*attributes);
			tree_name(reading->tree, name, strlen(name));
			tree_value(reading->tree, JSON_STRING, attributes[1], strlen(attributes[1]));
		}
	check_tree(reading);
	if (reading->reason == NULL)
		reading->texts[reading->depth++] = reading->text.length;
}

static void
take_text(void *data, const char *text, int length)
{
	Reading *reading = data;

	buffer_append(&reading->text, text, (size_t) length);
	if (reading->text.failed)
		stop(reading, "the answer takes more memory to read than one may have");
}

/* The text of the element that ends, without white space around it; it is taken off the buffer. */
static const char *
end_text(Reading *reading, size_t *length)
{
	size_t start = reading->texts[--reading->depth];
	const char *from = reading->text.length > start ? reading->text.data + start : "";

	*length = reading->text.length - start;
	while (*length > 0 && strchr(" \t\r\n", from[*length - 1]) != NULL)
		--*length;
	while (*length > 0 && strchr(" \t\r\n", *from) != NULL)
	{
		from++;
		--*length;
	}
	reading->text.length = start;
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
	if (reading->reason != NULL)
		return;
	text = end_text(reading, &length);
	if (tree_is_empty(tree))
		tree_replace(tree, length > 0 ? JSON_STRING : JSON_NULL, length > 0 ? text : "null",
					 length > 0 ? length : strlen("null"));
	else
	{
		if (length > 0 && !tree_has(tree, value, strlen(value)))
		{
			tree_name(tree, value, strlen(value));
			tree_value(tree, JSON_STRING, text, length);
		}
		tree_close(tree);
	}
	check_tree(reading);
}

static void
start_doctype(void *data, const char *name, const char *system, const char *public, int internal)
{
	(void) name;
	(void) system;
	(void) public;
	(void) internal;
	stop(data, "the answer has a DOCTYPE, which is not read");
}

static bool
member(const Tree *tree, Node object, const char *name, Node *value)
{
	return tree_member(tree, object, name, strlen(name), value);
}

/* Raise the fault in the body of a SOAP envelope. */
static _Noreturn void
refuse_fault(const Answer *answer, Node fault)
{
	Node reason;

	if (!member(&answer->tree, fault, "faultstring", &reason) || reason.type != JSON_STRING)
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

	if (!member(tree, root, "Envelope", &envelope))
		return root;
	if (!member(tree, envelope, "Body", &body))
		parse_refuse(answer->parse, "the answer is an envelope without a body");
	if (member(tree, body, "Fault", &fault))
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
release(void *reader)
{
	Reading *reading = reader;

	XML_ParserFree(reading->parser);
	buffer_free(&reading->text);
}

static Reading *
begin(Answer *answer)
{
	Reading *reading = parse_allocate(answer->parse, sizeof(Reading));

	reading->parser = XML_ParserCreate(NULL);
	if (reading->parser == NULL)
		parse_refuse_file(answer->parse, "there is no memory for a reader of XML");
	buffer_init(&reading->text, TEXT_MAXIMUM);
	answer->reader = reading;
	answer->release = release;
	reading->tree = &answer->tree;
	XML_SetUserData(reading->parser, reading);
	XML_SetElementHandler(reading->parser, start_element, end_element);
	XML_SetCharacterDataHandler(reading->parser, take_text);
	XML_SetStartDoctypeDeclHandler(reading->parser, start_doctype);
	return reading;
}

/* Build the tree: an object whose only member is the outermost element. */
static void
build(const Answer *answer, Reading *reading)
{
	Parse *parse = answer->parse;
	enum XML_Status status;
	size_t got;

	tree_open(reading->tree, JSON_OBJECT);
	do
	{
		got = parse_read(parse, reading->block, BLOCK);
		if (parse->taken == 0)
			parse_refuse(parse, "the answer is empty");
		status = XML_Parse(reading->parser, reading->block, (int) got, got == 0);
		parse_progress(parse);
	} while (got > 0 && status == XML_STATUS_OK);
	if (reading->reason != NULL)
		parse_refuse(parse, "%s", reading->reason);
	if (XML_GetErrorCode(reading->parser) == XML_ERROR_NO_MEMORY)
		answer_refuse_memory(answer);
	if (status != XML_STATUS_OK)
		parse_refuse(parse, "the answer is no XML: %s in line %lu",
					 XML_ErrorString(XML_GetErrorCode(reading->parser)),
					 line_number(reading->parser));
	tree_close(reading->tree);
}

void
xml_answer_read(Parse *parse)
{
	Answer *answer = answer_begin(parse, true);
	Node inner;

	build(answer, begin(answer));
	answer_check(answer);
	inner = unwrap(answer, tree_at(answer->tree.values.data));
	if (is_plain(inner))
		parse_refuse(parse, "the answer has no rows");
	answer_write(answer, inner);
}
