/*
 * xml_guard.c - refuse XML whose reading by libxml2, as libraptor2 uses it, would take too long.
 *
 * expat bounds the expansion of entities; libxml2 expands each as often as it is named.  The time of
 * libraptor2 grows with the square of the depth, and with that of the number of prefixes that hold at an element: 100,000
 * take 20 s.
 */

#include <string.h>

#include "rdf/rdf.h"

struct XmlGuard
{
	XML_Parser parser;
	unsigned depth;
	unsigned prefixes[XML_GUARD_DEPTH + 1]; /* that hold in the elements around, by depth */
	const char *fault;						/* NULL: none */
	char reason[120];
};

static void
refuse_document(XmlGuard *guard, const char *fault)
{
	guard->fault = fault;
	XML_StopParser(guard->parser, XML_FALSE);
}

static void
start_element(void *data, const char *name, const char **attributes)
{
	XmlGuard *guard = data;
	unsigned prefixes = guard->prefixes[guard->depth];

	(void) name;
	for (; *attributes != NULL; attributes += 2)
		prefixes += strncmp(*attributes, "xmlns", strlen("xmlns")) == 0;
	if (prefixes > XML_GUARD_PREFIXES)
		refuse_document(guard, "it declares too many prefixes");
	else if (++guard->depth > XML_GUARD_DEPTH)
		refuse_document(guard, "its elements are nested too deeply");
	else
		guard->prefixes[guard->depth] = prefixes;
}

static void
end_element(void *data, const char *name)
{
	(void) name;
	((XmlGuard *) data)->depth--;
}

/* Take the declaration of an entity: one without a value is external. */
static void
declare_entity(void *data, const char *name, int is_parameter, const char *value, int length,
			   const char *base, const char *system, const char *public, const char *notation)
{
	(void) name;
	(void) length;
	(void) base;
	(void) system;
	(void) public;
	(void) notation;
	if (is_parameter || value == NULL)
		refuse_document(data, "it declares an external entity");
}

XmlGuard *
xml_guard_open(Parse *parse)
{
	XmlGuard *guard = parse_allocate(parse, sizeof(XmlGuard));

	guard->parser = XML_ParserCreate(NULL);
	if (guard->parser == NULL)
		parse_refuse(parse, "there is no memory");
	XML_SetUserData(guard->parser, guard);
	XML_SetElementHandler(guard->parser, start_element, end_element);
	XML_SetEntityDeclHandler(guard->parser, declare_entity);
	return guard;
}

/* libexpat 2.9 deprecates the old function for one with 64-bit numbers. */
unsigned long
xml_guard_line(XML_Parser parser)
{
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
	return (unsigned long) XML_GetCurrentLineNumber64(parser);
#else
	return XML_GetCurrentLineNumber(parser);
#endif
}

const char *
xml_guard_take(XmlGuard *guard, const char *bytes, size_t length, bool end)
{
	if (XML_Parse(guard->parser, bytes, (int) length, end) != XML_STATUS_ERROR)
		return NULL;
	if (guard->fault == NULL)
	{
		snprintf(guard->reason, sizeof(guard->reason), "line %lu: %s",
				 xml_guard_line(guard->parser), XML_ErrorString(XML_GetErrorCode(guard->parser)));
		guard->fault = guard->reason;
	}
	return guard->fault;
}

void
xml_guard_close(XmlGuard *guard)
{
	if (guard != NULL)
		XML_ParserFree(guard->parser);
}
