/*
 * xml_guard.h - a look at the bytes of an RDF/XML document, before the library that reads it.
 */
#ifndef WORKER_RDF_XML_GUARD_H
#define WORKER_RDF_XML_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#define XML_GUARD_DEPTH 256 /* elements in each other */

typedef struct XmlGuard XmlGuard;

/* NULL: there is no memory. */
extern XmlGuard *xml_guard_open(void);
/*
 * Look at the next bytes; end: the last ones.  NULL, or why the document is not read: it is not
 * well-formed, nested too deeply, declares an external entity, or has entities that expand to a
 * multiple of its size.
 */
extern const char *xml_guard_take(XmlGuard *guard, const char *bytes, size_t length, bool end);
extern void xml_guard_close(XmlGuard *guard);

#endif
