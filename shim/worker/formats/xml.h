/*
 * xml.h - XML, within limits: a part of a workbook, or a file.
 */
#ifndef WORKER_FORMATS_XML_H
#define WORKER_FORMATS_XML_H

#include "sandbox/sandbox.h"

typedef struct Unzip Unzip;

typedef struct XmlHandlers
{
	/* names come without namespace prefix; data is the argument of xml_read() */
	void (*start)(void *data, const char *name, const char **attributes);
	void (*end)(void *data, const char *name); /* NULL: ends are ignored; so of text */
	void (*text)(void *data, const char *text, size_t length);
} XmlHandlers;

/* Read a part as XML. */
extern void xml_read(Unzip *unzip, int64_t part, const XmlHandlers *handlers, void *data);
/* A file that is XML itself, as reasons call it. */
typedef struct XmlFile
{
	const char *subject;
	const char *malformed; /* it is, if it is not well-formed */
	const char *doctype;   /* what a DOCTYPE is */
	const char *memory;	   /* the reason where there is no memory */
	bool encodings;		   /* encoding_prepare_xml() was called */
	/* called with the first bytes, none if it is empty */
	void (*check)(Parse *parse, const char *bytes, size_t length);
} XmlFile;

/* Read the file as XML, by an Unzip without an archive. */
extern void xml_read_file(Unzip *unzip, const XmlFile *file, const XmlHandlers *handlers,
						  void *data);
/* Read bytes in memory as XML, for a fuzzing target. */
extern void xml_read_bytes(Unzip *unzip, const char *bytes, size_t length,
						   const XmlHandlers *handlers, void *data);
/* The part of a name behind its prefix. */
extern const char *xml_local_name(const char *name);
/* The value of an attribute by its name without prefix; NULL if there is none. */
extern const char *xml_attribute(const char **attributes, const char *name);
extern bool xml_is_space(char c);
/* Take white space off both ends of the text between two pointers. */
extern void xml_trim(const char **from, const char **to);
/* Parse a number of decimal digits up to a maximum; return otherwise if it is not one. */
extern uint64_t xml_number(const char *text, uint64_t maximum, uint64_t otherwise);

#endif
