/*
 * answer_types.c - the media types of the answers of a route, for OPTIONS, OpenAPI and 406.
 */
#include <string.h>

#include "request/request.h"

/* The media types of stored bytes: those of a file may be any. */
static const char *
bytes_types(const Route *route)
{
	static const struct
	{
		const char *pattern;
		const char *types;
	} stored[] = {
		{"/datasets/:id/download", "application/zip"},
		{"/categories/:id/image", "image/svg+xml, image/png, image/jpeg, image/webp"},
		{"/files/:id/download/:format",
		 "text/csv, application/json, application/x-ndjson, application/geo+json, "
		 "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, "
		 "application/vnd.ms-excel, */*"},
	};

	for (size_t i = 0; i < lengthof(stored); i++)
		if (strcmp(route->pattern, stored[i].pattern) == 0)
			return stored[i].types;
	return "*/*";
}

const char *
answer_types(Request *request, const Route *route)
{
	if (route->envelope == ENVELOPE_FEED)
		return "application/rss+xml";
	if (route->envelope == ENVELOPE_TILE)
		return "application/vnd.mapbox-vector-tile";
	if (route->envelope == ENVELOPE_METRICS)
		return "text/plain";
	if (route->envelope == ENVELOPE_BYTES)
		return bytes_types(route);
	if (route->envelope == ENVELOPE_STATIC_FILE)
		return "*/*";
	if (route->call == CALL_CHANGES)
		return "application/json, application/x-ndjson";
	return document_types(request, route,
						  negotiate_stream_call(route) != CALL_NONE
							  ? "application/json, text/csv, application/x-ndjson"
							  : "application/json");
}
