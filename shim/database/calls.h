/* calls.h - the functions of the extension that are called, and their arguments. */
#ifndef CALLS_H
#define CALLS_H

#include "shim.h"
#define ARGUMENTS_MAXIMUM 7 /* arguments of a call */
typedef enum CallName
{
#define PATH(...)
#define CALL(name, ...) CALL_##name,
#include "database/endpoints.h"
	CALL_NAMES
} CallName;

typedef enum Argument
{
	ARGUMENT_NONE,	/* the function has no more */
	ARGUMENT_OTHER, /* not taken from the request */
	ARGUMENT_RESOURCE,
	ARGUMENT_ID,
	ARGUMENT_RELATION,
	ARGUMENT_ACTION,
	ARGUMENT_QUERY,
	ARGUMENT_BODY,
	ARGUMENT_RETURN,
	ARGUMENT_RELATIONS,
	ARGUMENT_ACTOR,
	ARGUMENT_KNOWN,
	ARGUMENT_MATCH,
	ARGUMENT_FORMAT,
	ARGUMENT_BASE, /* address of the service */
	ARGUMENT_KEY,
	ARGUMENT_CONSUMER,
	ARGUMENT_WANTED,
	ARGUMENT_ADDRESS,
	ARGUMENT_TARGET,
	ARGUMENT_UPLOAD,
	ARGUMENT_DETAILS,
	ARGUMENT_FORM,
	ARGUMENT_TEXTS,
	ARGUMENT_STRICT,
	ARGUMENT_MONITOR, /* the connection is from an address that may read the metrics */
	ARGUMENT_VERSION, /* of this program */
} Argument;

typedef enum CallKind
{
	KIND_KEYED,	  /* a few index reads: on a shared connection if the query is plain */
	KIND_PAGE,	  /* the same; else on a free connection, or after others of this kind */
	KIND_SLOW,	  /* reads, on a free connection */
	KIND_PRIMARY, /* the same, never at a standby; what it writes may be written twice */
	KIND_WRITE,	  /* like KIND_SLOW, but sent again only if it is known to have changed nothing */
	KIND_STREAM	  /* like KIND_SLOW, with many rows, which are received one by one */
} CallKind;

typedef enum CallTrait
{
	TRAIT_NONE,
	TRAIT_OPEN, /* needs no credential; an invalid one is ignored */
	TRAIT_ONCE	/* may be made once for an Idempotency-Key, by catalogue.once() */
} CallTrait;

typedef struct CallSpec
{
	const char *function; /* of schema catalogue; also the name of the prepared statement */
	CallKind kind;
	CallTrait trait;
	const char *summary; /* of an operation; NULL: no path leads to it */
	int count;
	Argument arguments[ARGUMENTS_MAXIMUM];
} CallSpec;

extern const CallSpec call_specs[CALL_NAMES];
extern bool call_takes(const CallSpec *spec, Argument argument); /* does the function have it? */
#endif
