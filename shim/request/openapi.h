/*
 * openapi.h - parts of the OpenAPI document, made from the route table and from descriptions.
 *
 * Objects that are returned are new references.
 */
#ifndef OPENAPI_H
#define OPENAPI_H

#include <jansson.h>

#include "request/request.h"

/* The document under construction. */
typedef struct OpenApi
{
	Request *request;		 /* that it is the answer to */
	const json_t *described; /* of describe_all() */
	json_t *paths;
	json_t *parameters; /* that operations refer to */
	json_t *schemas;
} OpenApi;

/* openapi_schema.c */

/* A reference to a component, such as ("schemas", "Error"). */
extern json_t *openapi_reference(const char *kind, const char *name);
/* The schema of a value: of a field, of a member of a body or of a parameter, by its description. */
extern json_t *openapi_schema_value(const json_t *facts);
/* An object schema of members by their descriptions. */
extern json_t *openapi_schema_members(const json_t *members);
/* Add the schemas of a resource: its record, which searches find too, the bodies that the caller may
 * send, its filters. */
extern void openapi_schema_resource(OpenApi *api, const char *name, const json_t *described);
/* Add the schemas that all operations share: meta, links, error. */
extern void openapi_schema_shared(OpenApi *api);
/* The responses of an operation; described: its resource, NULL for none. */
extern json_t *openapi_response_all(OpenApi *api, const Route *route, const json_t *described);
/* The components that they refer to: responses and headers. */
extern json_t *openapi_response_errors(void);
extern json_t *openapi_response_headers(void);

#endif
