/*
 * xml.c - parse a part of a workbook, or an XML file, with expat, within limits.
 *
 * A DOCTYPE is refused, so there are no external or expanding entities.  Namespace prefixes are
 * ignored: writers choose them freely, and no two names in these documents differ only in the
 * namespace.
 *
 * A longjmp() out of a handler would leave expat in the state of a running handler, in which
 * XML_ParserFree() frees nothing.  Therefore a handler that refuses the file stops the parser, and
 * the jump continues after expat has returned.
 */
#include <errno.h>

#include "formats/book.h"
#include "rdf/rdf.h"
#include "text/text.h"

#define BLOCK (1 << 16)
#define PART_MAXIMUM 128 /* maximum bytes of the name of a part in a message */

typedef struct Xml
{
	Unzip *unzip;
	const XmlFile *file;
	const XmlHandlers *handlers;
	void *data;
	unsigned depth;
	volatile bool stopped; /* a handler has refused the file */
	char subject[PART_MAXIMUM];
} Xml;

/* A part of a workbook; it has a name. */
static const XmlFile part_of_book = {.malformed = "not well-formed XML",
									 .doctype = "workbooks have not",
									 .memory =
										 "the file takes more memory to read than a file may have",
									 .encodings = true};

/* The name of the document in a message. */
static const char *
subject_of(Xml *xml)
{
	if (xml->file->subject != NULL)
		return xml->file->subject;
	snprintf(xml->subject, sizeof(xml->subject), "part \"%.100s\" of the %s", xml->unzip->name,
			 xml->unzip->form->whole);
	return xml->subject;
}

const char *
xml_local_name(const char *name)
{
	/* not strchr(): most names have one or two letters */
	for (const char *at = name; *at != '\0'; at++)
		if (*at == ':')
			return at + 1;
	return name;
}

/* Call a handler; if it refuses the file, stop the parser. */
#define GUARDED(xml, call)                                \
	do                                                    \
	{                                                     \
		Parse *const parse_ = (xml)->unzip->parse;        \
		jmp_buf *const outer_ = parse_->refused;          \
		jmp_buf inner_;                                   \
                                                          \
		parse_->refused = &inner_;                        \
		if (setjmp(inner_) == 0)                          \
			call;                                         \
		else                                              \
		{                                                 \
			(xml)->stopped = true;                        \
			XML_StopParser((xml)->unzip->xml, XML_FALSE); \
		}                                                 \
		parse_->refused = outer_;                         \
	} while (0)

static void
begin_element(Xml *xml, const char *name, const char **attributes)
{
	if (++xml->depth > BOOK_DEPTH)
		parse_refuse(xml->unzip->parse, "%s is nested too deeply", subject_of(xml));
	xml->handlers->start(xml->data, xml_local_name(name), attributes);
}

static void
start_element(void *data, const char *name, const char **attributes)
{
	Xml *xml = data;

	if (!xml->stopped)
		GUARDED(xml, begin_element(xml, name, attributes));
}

static void
end_element(void *data, const char *name)
{
	Xml *xml = data;

	xml->depth--;
	if (!xml->stopped && xml->handlers->end != NULL)
		GUARDED(xml, xml->handlers->end(xml->data, xml_local_name(name)));
}

static void
take_text(void *data, const char *text, int length)
{
	Xml *xml = data;

	if (!xml->stopped)
		GUARDED(xml, xml->handlers->text(xml->data, text, (size_t) length));
}

static void
start_doctype(void *data, const char *name, const char *system, const char *public, int internal)
{
	Xml *xml = data;

	(void) name;
	(void) system;
	(void) public;
	/* OpenOffice 2 writes one here without declarations */
	if (internal == 0 && xml->unzip->name != NULL &&
		strcmp(xml->unzip->name, "META-INF/manifest.xml") == 0)
		return;
	GUARDED(xml, parse_refuse(xml->unzip->parse, "%s has a DOCTYPE, which %s", subject_of(xml),
							  xml->file->doctype));
}

static void
close_converter(void *data)
{
	iconv_close(data);
}

/* The character of one or two bytes in an encoding; -1: it has none, -2: they are incomplete. */
static int
character_of(iconv_t converter, const char *bytes, size_t length)
{
	uint32_t character[2];
	char *from = (char *) bytes;
	char *to = (char *) character;
	size_t room = sizeof(character);

	iconv(converter, NULL, NULL, NULL, NULL);
	if (iconv(converter, &from, &length, &to, &room) == (size_t) -1)
		return errno == EINVAL ? -2 : -1;
	/* a letter that an accent may follow is held back */
	iconv(converter, NULL, NULL, &to, &room);
	return room == sizeof(character) - sizeof(*character) ? (int) *character : -1;
}

static int
convert_pair(void *data, const char *bytes)
{
	int character = character_of(data, bytes, 2);

	return character < 0 ? -1 : character;
}

/* Describe to expat an encoding of one or two bytes that the C library has a converter for. */
static int
find_encoding(void *data, const XML_Char *name, XML_Encoding *encoding)
{
	iconv_t converter = encoding_open_as("UTF-32LE", name);

	(void) data;
	if (converter == NO_CONVERTER)
		return XML_STATUS_ERROR;
	for (int i = 0; i < 256; i++)
		encoding->map[i] = character_of(converter, &(char){(char) i}, 1);
	encoding->data = converter;
	encoding->convert = convert_pair;
	encoding->release = close_converter;
	return XML_STATUS_OK;
}

static void
begin(Xml *xml)
{
	Unzip *unzip = xml->unzip;

	unzip->xml = XML_ParserCreate(NULL);
	if (unzip->xml == NULL)
		parse_refuse_file(unzip->parse, xml->file->memory);
	XML_SetUserData(unzip->xml, xml);
	XML_SetElementHandler(unzip->xml, start_element, end_element);
	if (xml->handlers->text != NULL)
		XML_SetCharacterDataHandler(unzip->xml, take_text);
	XML_SetStartDoctypeDeclHandler(unzip->xml, start_doctype);
	if (xml->file->encodings)
		XML_SetUnknownEncodingHandler(unzip->xml, find_encoding, NULL);
}

static void
check(Xml *xml, enum XML_Status status)
{
	Unzip *unzip = xml->unzip;

	if (xml->stopped)
		longjmp(*unzip->parse->refused, 1);
	if (status == XML_STATUS_OK)
		return;
	if (XML_GetErrorCode(unzip->xml) == XML_ERROR_NO_MEMORY)
		parse_refuse_file(unzip->parse, xml->file->memory);
	parse_refuse(unzip->parse, "%s is %s: %s in line %lu", subject_of(xml), xml->file->malformed,
				 XML_ErrorString(XML_GetErrorCode(unzip->xml)), xml_guard_line(unzip->xml));
}

static void
finish(Xml *xml)
{
	XML_ParserFree(xml->unzip->xml);
	xml->unzip->xml = NULL;
}

/* Parse the next bytes; false at the end. */
static bool
read_block(Xml *xml, size_t (*read)(const Xml *xml, char *bytes, size_t size))
{
	char *block = XML_GetBuffer(xml->unzip->xml, BLOCK);
	size_t got;

	check(xml, block == NULL ? XML_STATUS_ERROR : XML_STATUS_OK);
	got = read(xml, block, BLOCK);
	check(xml, XML_ParseBuffer(xml->unzip->xml, (int) got, got == 0));
	return got > 0;
}

static size_t
read_part(const Xml *xml, char *bytes, size_t size)
{
	return unzip_read(xml->unzip, bytes, size);
}

void
xml_read(Unzip *unzip, int64_t part, const XmlHandlers *handlers, void *data)
{
	Xml xml = {.unzip = unzip, .file = &part_of_book, .handlers = handlers, .data = data};

	unzip_begin(unzip, part);
	begin(&xml);
	while (read_block(&xml, read_part))
		continue;
	finish(&xml);
	unzip_end(unzip);
}

/* Read bytes of an XML file. */
static size_t
read_file(const Xml *xml, char *bytes, size_t size)
{
	Unzip *unzip = xml->unzip;
	size_t got = parse_read(unzip->parse, bytes, size);

	if (unzip->total == 0)
		xml->file->check(unzip->parse, bytes, got);
	unzip->total += got;
	parse_progress(unzip->parse);
	return got;
}

void
xml_read_file(Unzip *unzip, const XmlFile *file, const XmlHandlers *handlers, void *data)
{
	Xml xml = {.unzip = unzip, .file = file, .handlers = handlers, .data = data};

	begin(&xml);
	while (read_block(&xml, read_file))
		continue;
	finish(&xml);
}

void
xml_read_bytes(Unzip *unzip, const char *bytes, size_t length, const XmlHandlers *handlers,
			   void *data)
{
	Xml xml = {.unzip = unzip, .file = &part_of_book, .handlers = handlers, .data = data};

	unzip->name = "part";
	begin(&xml);
	check(&xml, XML_Parse(unzip->xml, bytes, (int) length, 1));
	finish(&xml);
}

const char *
xml_attribute(const char **attributes, const char *name)
{
	for (; *attributes != NULL; attributes += 2)
		if (strcmp(xml_local_name(*attributes), name) == 0)
			return attributes[1];
	return NULL;
}

bool
xml_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void
xml_trim(const char **from, const char **to)
{
	while (*from < *to && xml_is_space(**from))
		++*from;
	while (*from < *to && xml_is_space((*to)[-1]))
		--*to;
}

uint64_t
xml_number(const char *text, uint64_t maximum, uint64_t otherwise)
{
	uint64_t number = 0;

	if (text == NULL || *text == '\0')
		return otherwise;
	for (; *text >= '0' && *text <= '9'; text++)
	{
		number = number * 10 + (uint64_t) (*text - '0');
		if (number > maximum)
			return otherwise;
	}
	return *text == '\0' ? number : otherwise;
}
