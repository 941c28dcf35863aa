/*
 * service_soap.c - the envelope of a SOAP 1.1 call, by the writer of libxml2.
 *
 * The method is an element of its namespace, and each parameter an element in it: an object has
 * elements of its own, an array is an element for each of its values.  With attributesAsHeaders the
 * parameters are in the header of the envelope.
 */
#include <stdlib.h>
#include <string.h>

#include <libxml/tree.h>
#include <libxml/xmlwriter.h>

#include "fetch/fetch.h"

#define ENVELOPE "http://schemas.xmlsoap.org/soap/envelope/"

#define XML(text) ((const xmlChar *) (text))

typedef struct Envelope
{
	Service *service;
	xmlTextWriter *writer;
	bool good;
} Envelope;

static void
check(Envelope *envelope, int written)
{
	envelope->good &= written >= 0;
}

/* A name that is not one of XML, or a text with a character that XML has not, ends it all. */
static void
start(Envelope *envelope, const char *name)
{
	if (xmlValidateNCName(XML(name), 0) != 0)
		envelope->good =
			service_refuse(envelope->service, "\"%.100s\" is no name of an XML element", name);
	else
		check(envelope, xmlTextWriterStartElement(envelope->writer, XML(name)));
}

static bool
has_control(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char) *text < ' ' && strchr("\t\r\n", *text) == NULL)
			return true;
	return false;
}

static void
write_text(Envelope *envelope, const json_t *value)
{
	char *text = service_text(value);

	if (text != NULL && has_control(text))
		envelope->good =
			service_refuse(envelope->service, "a parameter has a character that XML does not have");
	else if (text != NULL)
		check(envelope, xmlTextWriterWriteString(envelope->writer, XML(text)));
	free(text);
}

/* Write a value as an element of the name; NOLINT: JSON is not nested deeper than the body was */
static void
write_value(Envelope *envelope, const char *name,
			const json_t *value) /* NOLINT(misc-no-recursion) */
{
	const char *member;
	const json_t *inner;
	size_t i;

	if (json_is_array(value))
	{
		json_array_foreach(value, i, inner)
		{
			if (envelope->good)
				write_value(envelope, name, inner);
		}
		return;
	}
	start(envelope, name);
	if (!envelope->good)
		return;
	if (!json_is_object(value))
		write_text(envelope, value);
	json_object_foreach((json_t *) (uintptr_t) value, member, inner)
	{
		if (envelope->good)
			write_value(envelope, member, inner);
	}
	check(envelope, xmlTextWriterEndElement(envelope->writer));
}

static void
write_parameters(Envelope *envelope, const json_t *settings)
{
	json_t *parameters = json_object_get(settings, "parameters");
	const char *name;
	json_t *value;

	json_object_foreach(parameters, name, value)
	{
		if (envelope->good)
			write_value(envelope, name, value);
	}
}

static void
write_envelope(Envelope *envelope, const json_t *settings)
{
	xmlTextWriter *writer = envelope->writer;
	const char *method = json_string_value(json_object_get(settings, "method"));
	const char *namespace = json_string_value(json_object_get(settings, "namespace"));
	bool in_header = json_is_true(json_object_get(settings, "attributesAsHeaders"));

	check(envelope, xmlTextWriterStartDocument(writer, NULL, "UTF-8", NULL));
	check(envelope,
		  xmlTextWriterStartElementNS(writer, XML("soap"), XML("Envelope"), XML(ENVELOPE)));
	if (in_header)
	{
		check(envelope, xmlTextWriterStartElement(writer, XML("soap:Header")));
		write_parameters(envelope, settings);
		check(envelope, xmlTextWriterEndElement(writer));
	}
	check(envelope, xmlTextWriterStartElement(writer, XML("soap:Body")));
	if (xmlValidateNCName(XML(method), 0) != 0)
		envelope->good =
			service_refuse(envelope->service, "the method is no name of an XML element");
	else
		check(envelope, xmlTextWriterStartElementNS(writer, NULL, XML(method), XML(namespace)));
	if (!in_header)
		write_parameters(envelope, settings);
	check(envelope, xmlTextWriterEndDocument(writer));
}

bool
service_envelope(Service *service, const json_t *settings)
{
	xmlBuffer *bytes = xmlBufferCreate();
	Envelope envelope = {service, bytes != NULL ? xmlNewTextWriterMemory(bytes, 0) : NULL, true};

	if (envelope.writer != NULL)
	{
		write_envelope(&envelope, settings);
		xmlFreeTextWriter(envelope.writer);
		buffer_append(&service->body, (const char *) xmlBufferContent(bytes),
					  (size_t) xmlBufferLength(bytes));
	}
	else
		envelope.good = false;
	if (bytes != NULL)
		xmlBufferFree(bytes);
	if (!envelope.good && service->reason[0] == '\0')
		return service_refuse(service, "the envelope could not be written");
	return envelope.good;
}
