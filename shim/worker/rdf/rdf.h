/*
 * rdf.h - the readers of RDF: Turtle (and N-Triples, which is a part of it) and RDF/XML become one
 * JSON-LD document.
 *
 * The first line of the input is the address of the document, against which relative references are
 * resolved; the document follows.  The payloads of the chunk frames, one after the other, are
 *
 *   {"@graph":[{"@id":...,"@type":[...],"<IRI of a property>":...}...]}
 *
 * with one object for each subject, in the order in which the document names them.  "@type" is always
 * there.  A property with several values has an array of them.  A value is a string, or an object
 * of "@value" with "@language" or "@type", or of "@id".  Ids of blank nodes differ between addresses.
 *
 * Nothing that a document names is loaded: no entity, DTD or other document.
 *
 * Decisions: docs/explanation/decisions.md#shimworkerrdf
 */
#ifndef WORKER_RDF_RDF_H
#define WORKER_RDF_RDF_H

#include <expat.h>

#include "sandbox/sandbox.h"

/* rdf.c */
extern void rdf_read_turtle(Parse *parse);
extern void rdf_read_xml(Parse *parse);

#define XML_GUARD_DEPTH 256		/* elements in each other */
#define XML_GUARD_PREFIXES 1000 /* namespaces that hold at one element */

typedef struct XmlGuard XmlGuard;

extern XmlGuard *xml_guard_open(Parse *parse);
/*
 * Look at the next bytes; end: the last ones.  NULL, or why the document is not read: it is not
 * well-formed, nested too deeply, has too many prefixes, declares an external entity, or has entities that expand to a
 * multiple of its size.
 */
extern const char *xml_guard_take(XmlGuard *guard, const char *bytes, size_t length, bool end);
/* The line that a parser of XML has come to. */
extern unsigned long xml_guard_line(XML_Parser parser);
extern void xml_guard_close(XmlGuard *guard);

#endif
