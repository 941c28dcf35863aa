/*
 * negotiate.c - the types of the answers of a route: which one, the type of the body, and preferences.
 */
#include <ctype.h>
#include <strings.h>

#include <jansson.h>

#include "../../extension/files/download_formats.h"
#include "page/page.h"
#include "request/request.h"

/*
 * ---- Answers of other types than JSON: points of maps, tables, pictures ----
 *
 * The type of the answer is chosen with the one of the path, since each has a call of its own.
 */

static const Format geojson = {"application", "geo+json", NULL, "application/geo+json"};
/* of rows */
static const Format features = {"application", "geo+json", "geojson", "application/geo+json"};
static const Format svg = {"image", "svg+xml", NULL, "image/svg+xml"};
static const Format png = {"image", "png", NULL, "image/png"};
static const Format csv = {"text", "csv", "csv", "text/csv; charset=utf-8; header=present"};
static const Format ndjson = {"application", "x-ndjson", "ndjson", "application/x-ndjson"};
static const Format jsonld = {"application", "ld+json", "jsonld", "application/ld+json"};
static const Format croissant = {
	"application", "ld+json", "croissant",
	"application/ld+json;profile=\"http://mlcommons.org/croissant/1.0\""};
static const Format turtle = {"text", "turtle", "turtle", "text/turtle; charset=utf-8"};
static const Format rdfxml = {"application", "rdf+xml", "rdfxml", "application/rdf+xml"};
/* of documents in JSON, and for clients that know JSON only, which GeoJSON is */
static const Format bare_json = {"application", "json", NULL, "application/json"};
static const Format openapi = {"application", "vnd.oai.openapi+json", NULL,
							   "application/vnd.oai.openapi+json;version=3.0"};
static const Format csvm = {"application", "csvm+json", NULL, "application/csvm+json"};
static const Format sitemap = {"application", "xml", NULL, "application/xml"};
static const Format robots = {"text", "plain", NULL, "text/plain; charset=utf-8"};
static const Format html = {"text", "html", NULL, "text/html"};
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
#define DOCUMENT(verb, resource, pattern, format, call)  \
	{                                                    \
		resource, pattern, &(format),                    \
		{                                                \
			verb, pattern, call, NULL, ENVELOPE_DOCUMENT \
		}                                                \
	}
	DOCUMENT(VERB_GET, "maps", "/:resource/:id", geojson, CALL_MAP_GEOJSON),
	DOCUMENT(VERB_GET, "maps", "/maps/:id/geojson", geojson, CALL_MAP_GEOJSON),
	DOCUMENT(VERB_GET, "maps", "/maps/:id/geojson", bare_json, CALL_MAP_GEOJSON),
	DOCUMENT(VERB_GET, "maps", "/:resource/:id", svg, CALL_MAP_SVG),
	DOCUMENT(VERB_GET, "maps", "/maps/:id/image", svg, CALL_MAP_SVG),
	DOCUMENT(VERB_GET, "charts", "/charts/:id/data", csv, CALL_CHART_CSV),
	DOCUMENT(VERB_GET, "charts", "/:resource/:id", svg, CALL_CHART_SVG),
	DOCUMENT(VERB_GET, "charts", "/charts/:id/image", svg, CALL_CHART_SVG),
	DOCUMENT(VERB_GET, "files", "/files/:id/image", svg, CALL_CONTENTS_IMAGE),
	DOCUMENT(VERB_GET, "files", "/files/:id/csvw", csvm, CALL_CSVW),
	DOCUMENT(VERB_GET, "files", "/files/:id/csvw", bare_json, CALL_CSVW),
	DOCUMENT(VERB_GET, "datasets", "/datasets/:id/image", svg, CALL_EXTENT_SVG),
	DOCUMENT(VERB_GET, "statistics", "/statistics/summary", csv, CALL_STATISTICS_SUMMARY),
	DOCUMENT(VERB_GET, "statistics", "/statistics/downloads", csv, CALL_STATISTICS_DOWNLOADS),
	DOCUMENT(VERB_GET, NULL, "/:resource/statistics", csv, CALL_USAGE),
	DOCUMENT(VERB_GET, "catalog", "/catalog", jsonld, CALL_CATALOG),
	DOCUMENT(VERB_GET, "catalog", "/catalog", turtle, CALL_CATALOG),
	DOCUMENT(VERB_GET, "catalog", "/catalog", rdfxml, CALL_CATALOG),
	DOCUMENT(VERB_GET, "catalog", "/catalog", json, CALL_CATALOG),
	DOCUMENT(VERB_GET, "data.json", "/data.json", bare_json, CALL_DATA_JSON),
	DOCUMENT(VERB_GET, "oembed", "/oembed", bare_json, CALL_OEMBED),
	DOCUMENT(VERB_GET, "ogc", "/ogc", bare_json, CALL_OGC),
	DOCUMENT(VERB_GET, "ogc", "/ogc/conformance", bare_json, CALL_OGC_CONFORMANCE),
	DOCUMENT(VERB_GET, "ogc", "/ogc/api", openapi, CALL_OGC_API),
	DOCUMENT(VERB_GET, "ogc", "/ogc/api", bare_json, CALL_OGC_API),
	DOCUMENT(VERB_GET, "ogc", "/ogc/collections", bare_json, CALL_OGC_COLLECTIONS),
	DOCUMENT(VERB_GET, "ogc", "/ogc/collections/:id", bare_json, CALL_OGC_COLLECTION),
	DOCUMENT(VERB_GET, "ogc", "/ogc/collections/:id/items", geojson, CALL_OGC_ITEMS),
	DOCUMENT(VERB_GET, "ogc", "/ogc/collections/:id/items", bare_json, CALL_OGC_ITEMS),
	DOCUMENT(VERB_GET, "ogc", "/ogc/collections/:id/items/:row", geojson, CALL_OGC_ITEM),
	DOCUMENT(VERB_GET, "ogc", "/ogc/collections/:id/items/:row", bare_json, CALL_OGC_ITEM),
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
	int wanted;

	if (format == &croissant)
	{
		wanted = accept != NULL && strstr(accept, "mlcommons.org/croissant") != NULL
					 ? element_media_type_quality(accept, format->type, format->subtype)
					 : 0;

		return wanted > 0 ? wanted + 1 : 0;
	}
	if (!element_media_type(accept))
		return 1;
	wanted = element_media_type_quality(accept, format->type, format->subtype);
	/* a browser that follows the links of these documents gets them, too */
	if (wanted == 0 && format == &bare_json && strcmp(request->resource, "ogc") == 0)
		wanted = element_media_type_quality(accept, "text", "html");
	return wanted;
}

/* Is the route that of documents? */
static bool
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

/* The name of a type: what is sent, without a charset. */
static const char *
name_of(Request *request, const Format *format)
{
	return format == &croissant
			   ? format->field
			   : arena_format(&request->arena, "%s/%s", format->type, format->subtype);
}

json_t *
negotiate_documents(Request *request, const Route *route)
{
	json_t *found = json_array();

	for (size_t i = 0; i < lengthof(documents); i++)
		if (documents[i].route.verb == route->verb &&
			strcmp(documents[i].pattern, route->pattern) == 0)
			json_array_append_new(found, json_pack("{s:s, s:s*}", "type",
												   name_of(request, documents[i].format),
												   "resource", documents[i].resource));
	return found;
}

/* Take the route of the document that the client prefers to JSON, if there is one. */
static void
document_choose(Request *request)
{
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

#define LOGIN_RECENT 3600 /* seconds in which a user need not give the password once more */

/* The types of answers, the default first; the others are for lists only. */
static const Format *const producible[] = {&bare_json, &csv, &ndjson, &features};

static const Format feed = {"application", "rss+xml", NULL, "application/rss+xml"};
static const Format tile = {"application", "vnd.mapbox-vector-tile", NULL,
							"application/vnd.mapbox-vector-tile"};
static const Format plain = {"text", "plain", NULL, "text/plain"};

/* The only type of an envelope. */
static const Format *const singles[ENVELOPE_COUNT_OF] = {[ENVELOPE_FEED] = &feed,
														 [ENVELOPE_TILE] = &tile,
														 [ENVELOPE_METRICS] = &plain,
														 [ENVELOPE_DOCS] = &html};

CallName
negotiate_stream_call(const Route *route)
{
	switch (route->call)
	{
		case CALL_LIST:
		case CALL_RELATED:
			return CALL_EXPORT;
		case CALL_CONTENTS:
			return CALL_CONTENTS_EXPORT;
		case CALL_CHANGES:
			return CALL_CHANGES_EXPORT;
		default:
			return CALL_NONE;
	}
}

/* Choose the type with the highest quality; false: none is acceptable. */
static bool
choose_type(Request *request)
{
	const char *accept = request->headers[HEADER_ACCEPT];
	const Format *single = request->route ? singles[request->route->envelope] : NULL;
	const Format *best = NULL;
	bool list = request->route != NULL && negotiate_stream_call(request->route) != CALL_NONE;
	bool rows = list && request->route->call == CALL_CONTENTS;
	int most = 0;

	if (document_only(request))
		return request->document != NULL;
	if (request->route != NULL && request->route->envelope == ENVELOPE_STATIC_FILE)
		return true; /* browsers name the type of a file that they load, or any */
	if (page_made(request) || (request->verb == VERB_POST && request->language != NULL))
		return true;
	if (!element_media_type(accept))
		return true;
	if (single != NULL)
		return element_media_type_quality(accept, single->type, single->subtype) > 0;
	for (size_t i = 0; i < lengthof(producible); i++)
	{
		const Format *format = producible[i];
		int value = element_media_type_quality(accept, format->type, format->subtype);

		request->takes_json |= value > 0 && format->name == NULL;
		if (value <= most || (format->name != NULL && !(format == &features ? rows : list)))
			continue;
		most = value;
		best = format;
	}
	if (best != NULL && best->name != NULL)
		request->format = best;
	return best != NULL;
}

/* Is the body, if there is one, of type JSON, or rows, or a form if the route accepts that? */
static bool
consumable(Request *request)
{
	const char *list = request->headers[HEADER_CONTENT_TYPE];
	const char *form;
	Element type;

	if (request->body.received == 0 || request->body.rows != NULL)
		return true;
	if (list == NULL || !element_next(&list, &type) || *list != '\0')
		return false;
	form = request->route != NULL ? body_form_type(request, request->route) : NULL;
	request->body.form = form != NULL && element_equals(type.text, type.length, form);
	return request->body.form || element_equals(type.text, type.length, "application/json");
}

typedef struct Preference
{
	const char *name;
	const char *values[2]; /* the default first */
	size_t offset;		   /* in Preferences */
	Argument argument;	   /* of calls that honour it; NONE: all do */
	bool of_records;	   /* it affects the records in an answer */
} Preference;

/* Is it a change, which may be answered with the record? */
static bool
is_change(const CallSpec *call)
{
	return call_takes(call, ARGUMENT_RETURN);
}

static const Preference preferences[] = {
	{"return",
	 {"minimal", "representation"},
	 offsetof(Preferences, returns),
	 ARGUMENT_RETURN,
	 false},
	{"relations", {"ids", "embedded"}, offsetof(Preferences, relations), ARGUMENT_RELATIONS, true},
	{"color", {"bare", "css"}, offsetof(Preferences, color), ARGUMENT_RELATIONS, true},
	{"handling", {"lenient", "strict"}, offsetof(Preferences, handling), ARGUMENT_NONE, false},
};

/* Do answers of the call depend on the preference?  Colors are in the versions of a record, too. */
static bool
is_honoured(const Preference *preference, const CallSpec *call)
{
	return preference->argument == ARGUMENT_NONE || call_takes(call, preference->argument) ||
		   (call == &call_specs[CALL_VERSIONS] && strcmp(preference->name, "color") == 0);
}

const char *
negotiate_preferences(Request *request, const Route *route)
{
	const char *list = NULL;

	for (size_t i = 0; i < lengthof(preferences); i++)
		if (is_honoured(&preferences[i], &call_specs[route->call]))
			list = arena_format(&request->arena, "%s%s%s=%s", list ? list : "", list ? ", " : "",
								preferences[i].name, preferences[i].values[0]);
	return list;
}

/* Does the answer depend on the preference?  "return" must have been applied before. */
static bool
is_applied(const Request *request, const Preference *preference)
{
	const CallSpec *call = &call_specs[request->route->call];

	if (preference->of_records && is_change(call) &&
		strcmp(request->prefer.returns, "representation") != 0)
		return false;
	return is_honoured(preference, call);
}

/* Where the value of a preference is. */
static const char **
value_of(Preferences *preferences, const Preference *preference)
{
	return (const char **) ((char *) preferences + preference->offset);
}

/* Apply one element of Prefer; the first element for a preference counts. */
static void
apply(Request *request, const Preference *preference, const Element *element)
{
	const char **applied = value_of(&request->prefer, preference);
	size_t name = strlen(preference->name);
	const char *end = element->text + element->length;
	const char *value;
	size_t length;

	if (element->length <= name || strncasecmp(element->text, preference->name, name) != 0)
		return;
	value = element->text + name;
	value += strspn(value, " \t");
	if (*value != '=' || *applied != NULL)
		return;
	value += 1 + strspn(value + 1, " \t");
	if (value >= end)
		return;
	length = (size_t) (end - value);
	if (length >= 2 && value[0] == '"' && value[length - 1] == '"')
	{
		value++;
		length -= 2;
	}
	for (size_t i = 0; i < lengthof(preference->values); i++)
		if (element_equals(value, length, preference->values[i]))
			*applied = preference->values[i];
}

/*
 * Add an applied preference to Preference-Applied; set one that was not sent to its default, which
 * a consumer may change.
 */
static void
apply_preference(Request *request, const Preference *preference)
{
	const char **value = value_of(&request->prefer, preference);
	const char *usual = *value_of(&request->usual, preference);

	if (*value == NULL)
		*value = usual ? usual : preference->values[0];
	else if (request->route != NULL && is_applied(request, preference))
		request->applied =
			arena_format(&request->arena, "%s%s%s=%s", request->applied ? request->applied : "",
						 request->applied ? ", " : "", preference->name, *value);
}

/* Add a preference to the actor, which all calls take. */
static void
add_to_actor(Request *request, const char *member)
{
	const char *members = request->caller.actor + 1;

	request->caller.actor =
		arena_join(&request->arena, "{", member, *members == '}' ? "" : ",", members);
}

static void
read_preferences(Request *request)
{
	const char *list = request->headers[HEADER_PREFER];
	Element element;

	while (list != NULL && element_next(&list, &element))
		for (size_t i = 0; i < lengthof(preferences); i++)
			apply(request, &preferences[i], &element);
	for (size_t i = 0; i < lengthof(preferences); i++)
		apply_preference(request, &preferences[i]);
	if (strcmp(request->prefer.color, "css") == 0)
		add_to_actor(request, "\"color\":\"css\"");
	request->strict = strcmp(request->prefer.handling, "strict") == 0;
	if (request->strict)
		add_to_actor(request, "\"handling\":\"strict\"");
	if (request->route != NULL && is_change(&call_specs[request->route->call]))
	{
		if (request->caller.login > clock_time() - LOGIN_RECENT)
			add_to_actor(request, "\"login\":\"recent\"");
		/* records are given addresses that begin with that of the service, which needs no escapes */
		add_to_actor(request, arena_join(&request->arena, "\"base\":\"", request->base, "\""));
	}
}

/* Does the query have a parameter, and the call takes none, with strict handling? */
static bool
has_unknown_parameter(const Request *request)
{
	const char *query = request->query;
	size_t length;

	return request->strict && request->route != NULL &&
		   !call_takes(&call_specs[request->route->call], ARGUMENT_QUERY) &&
		   text_query_word(&query, &length) != NULL;
}

StageResult
negotiate_request(Request *request)
{
	bool bytes;

	document_choose(request);
	body_rows_choose(request);
	bytes = request->route != NULL && request->route->envelope == ENVELOPE_BYTES;
	read_preferences(request);
	/* the type of a file is known only when it has been found (download.c) */
	if (!bytes && !choose_type(request))
		return error_hint(request, 406,
						  request->route == NULL
							  ? NULL
							  : arena_format(&request->arena, "This path gives %s.",
											 negotiate_answer_types(request, request->route)));
	if (!consumable(request))
		return error_set(request, 415, NULL);
	if (has_unknown_parameter(request))
		return error_set(request, 422, "there are no parameters on this path");
	return NEXT;
}

/* The media types of stored bytes: those of a file may be any. */
static const char *
bytes_types(Request *request, const Route *route)
{
	static const struct
	{
		const char *pattern;
		const char *types;
	} stored[] = {
		{"/datasets/:id/download", "application/zip"},
		{"/maps/:id/download/:format",
		 "application/vnd.google-earth.kml+xml, application/geopackage+sqlite3, application/zip"},
		{"/categories/:id/image", "image/svg+xml, image/png, image/jpeg, image/webp"},
		{"/organizations/:id/image", "image/svg+xml, image/png, image/jpeg, image/webp"},
	};
	const char *types = "*/*";

	if (route->call == CALL_PICTURE)
		return png.field;
	for (size_t i = 0; i < lengthof(stored); i++)
		if (strcmp(route->pattern, stored[i].pattern) == 0)
			return stored[i].types;
	if (strcmp(route->pattern, "/files/:id/download/:format") == 0)
		for (size_t i = lengthof(download_formats); i-- > 0;)
			types = arena_join(&request->arena, download_formats[i].media_type, ", ", types);
	return types;
}

const char *
negotiate_types(Request *request, const Route *route)
{
	switch (route->envelope)
	{
		case ENVELOPE_DOCUMENT:
			return NULL;
		case ENVELOPE_FEED:
		case ENVELOPE_TILE:
		case ENVELOPE_METRICS:
		case ENVELOPE_DOCS:
			return singles[route->envelope]->field;
		case ENVELOPE_BYTES:
			return bytes_types(request, route);
		case ENVELOPE_STATIC_FILE:
			return "*/*";
		default:
			break;
	}
	if (route->call == CALL_CHANGES)
		return "application/json, application/x-ndjson";
	if (route->call == CALL_CONTENTS)
		return "application/json, text/csv, application/x-ndjson, application/geo+json";
	return negotiate_stream_call(route) != CALL_NONE
			   ? "application/json, text/csv, application/x-ndjson"
			   : "application/json";
}

const char *
negotiate_answer_types(Request *request, const Route *route)
{
	const char *types = negotiate_types(request, route);

	for (size_t i = 0; i < lengthof(documents); i++)
		if (is_of(i, request, route))
			types = arena_format(&request->arena, "%s%s%s", types ? types : "", types ? ", " : "",
								 name_of(request, documents[i].format));
	return types;
}
