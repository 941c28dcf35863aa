/*
 * xml_answer.c - an answer in XML, by expat.
 *
 * No DOCTYPE: there are no entities then that could name files or grow.  A handler that refuses
 * stops the parser and leaves the reason, since a jump out of it would leave expat's state behind.
 */
#include <stdlib.h>
#include <string.h>

#include <expat.h>

#include "answers/answers.h"

/* From 2.9 on libexpat has a function for numbers of 64 bits and deprecates the old one. */
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
#define line_number(xml) ((unsigned long) XML_GetCurrentLineNumber64(xml))
#else
#define line_number(xml) XML_GetCurrentLineNumber(xml)
#endif

/* An element that is open. */
typedef struct Open
{
	json_t *object; /* its attributes and elements */
	char *name;		/* without prefix */
	size_t text;	/* where its text begins in the buffer */
} Open;

typedef struct Reading
{
	XML_Parser parser;
	Parse *parse;
	Buffer text; /* of all elements that are open */
	Open open[ANSWER_DEPTH];
	unsigned depth;
	json_t *root;
	bool lacking;		/* there is no memory */
	const char *reason; /* why it was stopped; NULL: it was not */
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

static void
stop_without_memory(Reading *reading)
{
	reading->lacking = true;
	stop(reading, "");
}

/* Add a member; one that is there already becomes an array. */
static bool
add_member(json_t *object, const char *name, json_t *value)
{
	json_t *before = json_object_get(object, name);
	json_t *array;

	if (before == NULL)
		return json_object_set_new(object, name, value) == 0;
	if (json_is_array(before))
		return json_array_append_new(before, value) == 0;
	array = json_array();
	if (array == NULL || json_array_append(array, before) != 0 ||
		json_array_append_new(array, value) != 0)
	{
		json_decref(array);
		return false;
	}
	return json_object_set_new(object, name, array) == 0;
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
	Open *open;

	if (reading->reason != NULL)
		return;
	if (reading->depth == ANSWER_DEPTH)
	{
		stop(reading, "the answer is nested too deeply");
		return;
	}
	open = &reading->open[reading->depth++];
	*open = (Open){json_object(), strdup(local_name(name)), reading->text.length};
	if (open->object == NULL || open->name == NULL)
		stop_without_memory(reading);
	for (; *attributes != NULL; attributes += 2)
		if (!is_declaration(*attributes) &&
			!add_member(open->object, local_name(*attributes), json_string(attributes[1])))
			stop_without_memory(reading);
}

static void
take_text(void *data, const char *text, int length)
{
	Reading *reading = data;

	buffer_append(&reading->text, text, (size_t) length);
	if (reading->text.failed)
		stop_without_memory(reading);
}

/* The text of the element that ends, without white space around it; it is taken off the buffer. */
static json_t *
end_text(Reading *reading, const Open *open)
{
	const char *from = reading->text.data + open->text;
	size_t length = reading->text.length - open->text;

	while (length > 0 && strchr(" \t\r\n", from[length - 1]) != NULL)
		length--;
	while (length > 0 && strchr(" \t\r\n", *from) != NULL)
	{
		from++;
		length--;
	}
	reading->text.length = open->text;
	return length > 0 ? json_stringn(from, length) : json_null();
}

/* The value of the element that ends. */
static json_t *
end_value(Reading *reading, Open *open)
{
	json_t *text = end_text(reading, open);

	if (text == NULL || json_object_size(open->object) == 0)
	{
		json_decref(open->object);
		return text;
	}
	if (json_is_string(text) && json_object_get(open->object, "value") == NULL)
		json_object_set(open->object, "value", text);
	json_decref(text);
	return open->object;
}

static void
end_element(void *data, const char *name)
{
	Reading *reading = data;
	Open *open;
	json_t *value;
	json_t *outer;

	(void) name;
	if (reading->reason != NULL)
		return;
	open = &reading->open[--reading->depth];
	value = end_value(reading, open);
	if (reading->depth == 0)
		reading->root = json_object();
	outer = reading->depth > 0 ? reading->open[reading->depth - 1].object : reading->root;
	if (value == NULL || outer == NULL || !add_member(outer, open->name, value))
		stop_without_memory(reading);
	free(open->name);
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

/* What is in a SOAP envelope; a fault is the reason that there are no rows. */
static const json_t *
unwrap(Parse *parse, const json_t *root)
{
	const json_t *body = json_object_get(json_object_get(root, "Envelope"), "Body");
	const json_t *fault = json_object_get(body, "Fault");
	const json_t *reason = json_object_get(fault, "faultstring");

	if (fault != NULL)
		parse_refuse(parse, "the service reports a fault: %.300s",
					 json_is_string(reason) ? json_string_value(reason) : "no reason is given");
	if (json_object_get(root, "Envelope") != NULL && body == NULL)
		parse_refuse(parse, "the answer is an envelope without a body");
	return body != NULL ? body : root;
}

/* Has the outermost element nothing but a text in it, if that? */
static bool
is_plain(const json_t *tree)
{
	const json_t *only = json_object_iter_value(json_object_iter((json_t *) (uintptr_t) tree));

	return json_object_size(tree) == 0 || (json_object_size(tree) == 1 && !json_is_object(only));
}

static void
release(Reading *reading)
{
	XML_ParserFree(reading->parser);
	buffer_free(&reading->text);
	while (reading->depth > 0)
	{
		free(reading->open[--reading->depth].name);
		json_decref(reading->open[reading->depth].object);
	}
}

void
xml_answer_read(Parse *parse)
{
	Answer *answer = answer_begin(parse);
	Reading reading = {.parser = XML_ParserCreate(NULL), .parse = parse};
	enum XML_Status status;
	enum XML_Error error;
	unsigned long line;
	const json_t *tree;

	if (reading.parser == NULL)
		answer_without_memory(parse);
	buffer_init(&reading.text, answer->bytes.length + 1);
	XML_SetUserData(reading.parser, &reading);
	XML_SetElementHandler(reading.parser, start_element, end_element);
	XML_SetCharacterDataHandler(reading.parser, take_text);
	XML_SetStartDoctypeDeclHandler(reading.parser, start_doctype);
	status = XML_Parse(reading.parser, answer->bytes.data, (int) answer->bytes.length, 1);
	error = XML_GetErrorCode(reading.parser);
	line = line_number(reading.parser);
	release(&reading);
	answer->tree = reading.root;
	buffer_free(&answer->bytes);
	if (reading.lacking || error == XML_ERROR_NO_MEMORY)
		answer_without_memory(parse);
	if (reading.reason != NULL)
		parse_refuse(parse, "%s", reading.reason);
	if (status != XML_STATUS_OK)
		parse_refuse(parse, "the answer is no XML: %s in line %lu", XML_ErrorString(error), line);
	tree = unwrap(parse, answer->tree);
	if (is_plain(tree))
		parse_refuse(parse, "the answer has no rows");
	answer_write(parse, tree);
}
