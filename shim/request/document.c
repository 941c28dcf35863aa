/*
 * document.c - answers that are documents of another type than JSON: points of maps, tables, pictures.
 *
 * The type is chosen with the one of the path, since each has a call of its own.
 */
#include <string.h>

#include "net/header.h"
#include "request/request.h"

static const Format geojson = {"application", "geo+json", NULL, "application/geo+json"};
static const Format svg = {"image", "svg+xml", NULL, "image/svg+xml"};
static const Format csv = {"text", "csv", "csv", "text/csv; charset=utf-8; header=present"};
static const Format ndjson = {"application", "x-ndjson", "ndjson", "application/x-ndjson"};
static const Format jsonld = {"application", "ld+json", "jsonld", "application/ld+json"};
static const Format croissant = {
	"application", "ld+json", "croissant",
	"application/ld+json;profile=\"http://mlcommons.org/croissant/1.0\""};
static const Format turtle = {"text", "turtle", "turtle", "text/turtle; charset=utf-8"};
static const Format rdfxml = {"application", "rdf+xml", "rdfxml", "application/rdf+xml"};
static const Format dcatus = {"application", "json", NULL, "application/json"};
static const Format sitemap = {"application", "xml", NULL, "application/xml"};
static const Format robots = {"text", "plain", NULL, "text/plain; charset=utf-8"};
/* for clients that know JSON only, which JSON-LD is */
static const Format json = {"application", "json", "jsonld", "application/json"};

/* The documents of a path of a resource. */
static const struct
{
	const char *resource; /* NULL: any */
	const char *pattern;  /* of the route table */
	const Format *format;
	Route route; /* in place of that of the route table */
} documents[] = {
#define DOCUMENT(verb, resource, pattern, format, call)         \
	{                                                           \
		resource, pattern, &(format),                           \
		{                                                       \
			verb, pattern, call, NULL, ENVELOPE_DOCUMENT, false \
		}                                                       \
	}
	DOCUMENT(VERB_GET, "maps", "/:resource/:id", geojson, CALL_MAP_GEOJSON),
	DOCUMENT(VERB_GET, "maps", "/maps/:id/geojson", geojson, CALL_MAP_GEOJSON),
	DOCUMENT(VERB_GET, "maps", "/:resource/:id", svg, CALL_MAP_SVG),
	DOCUMENT(VERB_GET, "maps", "/maps/:id/image", svg, CALL_MAP_SVG),
	DOCUMENT(VERB_GET, "charts", "/charts/:id/data", csv, CALL_CHART_CSV),
	DOCUMENT(VERB_GET, "charts", "/:resource/:id", svg, CALL_CHART_SVG),
	DOCUMENT(VERB_GET, "charts", "/charts/:id/image", svg, CALL_CHART_SVG),
	DOCUMENT(VERB_GET, "statistics", "/statistics/summary", csv, CALL_STATISTICS_SUMMARY),
	DOCUMENT(VERB_GET, "statistics", "/statistics/downloads", csv, CALL_STATISTICS_DOWNLOADS),
	DOCUMENT(VERB_GET, NULL, "/:resource/statistics", csv, CALL_USAGE),
	DOCUMENT(VERB_GET, "catalog", "/catalog", jsonld, CALL_CATALOG),
	DOCUMENT(VERB_GET, "catalog", "/catalog", turtle, CALL_CATALOG),
	DOCUMENT(VERB_GET, "catalog", "/catalog", rdfxml, CALL_CATALOG),
	DOCUMENT(VERB_GET, "catalog", "/catalog", json, CALL_CATALOG),
	DOCUMENT(VERB_GET, "data.json", "/data.json", dcatus, CALL_DATA_JSON),
	DOCUMENT(VERB_GET, "sitemap.xml", "/sitemap.xml", sitemap, CALL_SITEMAP),
	DOCUMENT(VERB_GET, "robots.txt", "/robots.txt", robots, CALL_ROBOTS),
	DOCUMENT(VERB_GET, "datasets", "/:resource/:id", jsonld, CALL_DATASET_RDF),
	DOCUMENT(VERB_GET, "datasets", "/:resource/:id", croissant, CALL_DATASET_RDF),
	DOCUMENT(VERB_GET, "datasets", "/:resource/:id", turtle, CALL_DATASET_RDF),
	DOCUMENT(VERB_GET, "datasets", "/:resource/:id", rdfxml, CALL_DATASET_RDF),
	DOCUMENT(VERB_POST, "query", "/query", csv, CALL_QUERY),
	DOCUMENT(VERB_POST, "query", "/query", ndjson, CALL_QUERY),
#undef DOCUMENT
};

/*
 * How much the client wants a type; with no wish, a path of documents only gives the document.  JSON-LD
 * with the profile of Croissant is wanted where that is named, and then more than other JSON-LD.
 */
static int
quality(const Request *request, const Format *format)
{
	const char *accept = request->headers[HEADER_ACCEPT];

	if (format == &croissant)
	{
		int wanted = accept != NULL && strstr(accept, "mlcommons.org/croissant") != NULL
						 ? media_type_quality(accept, format->type, format->subtype)
						 : 0;

		return wanted > 0 ? wanted + 1 : 0;
	}
	return media_type_given(accept) ? media_type_quality(accept, format->type, format->subtype) : 1;
}

bool
document_only(const Request *request)
{
	return request->route != NULL && request->route->envelope == ENVELOPE_DOCUMENT;
}

/* Is the document one of the route on the request's path? */
static bool
is_of(size_t i, const Request *request, const Route *route)
{
	return documents[i].route.verb == route->verb &&
		   strcmp(documents[i].pattern, route->pattern) == 0 &&
		   (documents[i].resource == NULL || strcmp(documents[i].resource, request->resource) == 0);
}

/* The name of a type without its charset. */
static const char *
name_of(Request *request, const Format *format)
{
	return format == &croissant
			   ? format->field
			   : arena_format(&request->arena, "%s/%s", format->type, format->subtype);
}

const char *
document_types(Request *request, const Route *route, const char *types)
{
	if (route->envelope == ENVELOPE_DOCUMENT)
		types = NULL;
	for (size_t i = 0; i < lengthof(documents); i++)
		if (is_of(i, request, route))
			types = arena_format(&request->arena, "%s%s%s", types ? types : "", types ? ", " : "",
								 name_of(request, documents[i].format));
	return types;
}

void
document_choose(Request *request)
{
	static const Format html = {"text", "html", NULL, NULL};
	const Route *found = request->route;
	int most;

	if (found == NULL)
		return;
	most = document_only(request) ? 0 : quality(request, request->language ? &html : &json);
	for (size_t i = 0; i < lengthof(documents); i++)
		if (is_of(i, request, found) && quality(request, documents[i].format) > most)
		{
			most = quality(request, documents[i].format);
			request->route = &documents[i].route;
			request->document = documents[i].format;
		}
}
