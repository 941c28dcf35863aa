/*
 * route.h - which call a path and a verb lead to, and in which form its reply is sent.
 */
#ifndef ROUTE_H
#define ROUTE_H

#include "database/calls.h"

/* Which envelope the reply is put into. */
typedef enum Envelope
{
	ENVELOPE_NONE,
	ENVELOPE_LIST,
	ENVELOPE_ITEM,
	ENVELOPE_COUNT,
	ENVELOPE_RELATED,
	ENVELOPE_ROWS, /* of a file */
	ENVELOPE_SEARCH,
	ENVELOPE_CREATED,
	ENVELOPE_WRITTEN,
	ENVELOPE_DELETED,
	ENVELOPE_LOGIN,
	ENVELOPE_TOKEN,
	ENVELOPE_PLAIN,
	ENVELOPE_ENTRY,
	ENVELOPE_UPLOAD,
	ENVELOPE_BYTES,
	ENVELOPE_FEED,
	ENVELOPE_METRICS,
	ENVELOPE_DOCUMENT,
	ENVELOPE_TILE,
	ENVELOPE_ACCEPTED,
	ENVELOPE_IMPORT, /* the report, or as accepted */
	ENVELOPE_STATIC_FILE,
	ENVELOPE_OPENAPI,
	ENVELOPE_DOCS,
	ENVELOPE_COUNT_OF
} Envelope;

typedef struct Route
{
	Verb verb;
	const char *pattern; /* words; one that begins with ':' matches any word */
	CallName call;
	const char *action; /* in the actions of describe(); NULL: does not depend on the resource */
	Envelope envelope;
} Route;

/* A representation of lists or rows besides JSON. */
typedef struct Format
{
	const char *type;
	const char *subtype;
	const char *name;  /* argument of calls; NULL: JSON */
	const char *field; /* Content-Type */
} Format;

#endif
