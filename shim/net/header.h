/*
 * header.h - header fields: those that the service reads, their values, and trusted proxies.
 */
#ifndef HEADER_H
#define HEADER_H

#include "shim.h"

/* header.c */

#define FIELD_PARAMETERS 16

typedef struct Field
{
	const char *value;
	int count;
	struct
	{
		const char *name;
		char *value; /* without quotes and their escapes */
	} parameters[FIELD_PARAMETERS];
} Field;

extern const char *const verb_names[VERB_COUNT];
/* Read method, header fields and request id; false: a field was repeated that must not be. */
extern bool header_read(Request *request);
/* The name of a field that pages of browsers may send, NULL for one that they may not. */
extern const char *header_of_pages(Header header);
/* Content-Length, at most INT64_MAX; -1: not sent. */
extern int64_t header_content_length(const Request *request);
/* Read a date of HTTP, in any of its three forms, as seconds since 1970; false: it is none. */
extern bool header_date_read(const char *text, int64_t *seconds);
/* Write a date of HTTP. */
extern const char *header_date_write(Arena *arena, int64_t seconds);
/* The path of a target in absolute form; any other target is returned unchanged. */
extern const char *header_target_path(const char *target);
/* Write an id for the thread's next request, different from all others: NAME_SIZE bytes. */
extern void header_name_next(HttpThread *thread, char *id);

typedef struct Element
{
	const char *text;
	size_t length; /* without parameters and white space */
	const char *parameters;
	const char *end;
} Element;

/* proxy.c: X-Forwarded-* of trusted proxies */
/* Is the peer of the request's connection one of the setting trusted_proxies? */
extern bool proxy_trusted(const Request *request);
/* Is the peer of the connection one of the setting metrics_addresses, and the request its own?
 * What a proxy forwards is not, whatever address it names. */
extern bool proxy_monitors(const Request *request);
/* The address of the client as text: forwarded by a trusted proxy, else that of the connection. */
extern const char *proxy_client(Request *request);
/* "http" or "https", as the client used it. */
extern const char *proxy_scheme(Request *request);
/* The host forwarded by a trusted proxy; NULL: none. */
extern const char *proxy_host(Request *request);

/* field.c */

/* Parse a field in place; false: malformed, or a parameter is repeated. */
extern bool field_read(char *text, Field *field);
/* The value of a parameter, NULL if there is none. */
extern char *field_parameter(const Field *field, const char *name);
/* The file name in a Content-Disposition, without directories, NULL if there is none; false:
 * malformed, or not UTF-8.  It is decoded in place. */
extern bool field_file_name(const Field *field, const char **name);

/* element.c */

/* The next element of a list; *list is advanced behind it; false at the end. */
extern bool element_next(const char **list, Element *element);
/* The value of an element's parameter without quotes around it, NULL: it is not there; its length. */
extern const char *element_parameter(const Element *element, const char *name, size_t *length);
/* The quality of an element in thousandths: its parameter q, 1000 when there is none. */
extern int element_quality(const Element *element);
extern bool element_equals(const char *text, size_t length, const char *expected);
/* Does a list, which may be NULL, name what is expected, with a quality above 0? */
extern bool element_accepted(const char *list, const char *expected);
/* The quality, in thousandths, that an Accept header gives to a media type. */
extern int element_media_type_quality(const char *accept, const char *type, const char *subtype);
/* Is there an Accept header with at least one element? */
extern bool element_media_type(const char *accept);

#endif
