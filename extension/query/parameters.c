/*
 * parameters.c
 *	  Query parameters of the reading functions, as describe() and OPTIONS show them.
 *
 * For functions that filter, the fields of a resource are parameters, too.
 */
#include "catalogue.h"

#include "base/base.h"
#include "query/query.h"

/* The functions that read a query string. */
typedef enum Reading
{
	READING_LIST,
	READING_FIRST,
	READING_LAST,
	READING_COUNT,
	READING_ITEMS,
	READING_RELATED,
	READING_USAGE,
	READING_SUMMARY,
	READING_DOWNLOADS,
	READING_LOGS,
	READING_FILETYPES,
	READING_FEED,
	READING_CATALOG,
	READING_DATA_JSON,
	READING_SITEMAP,
	READING_SEARCH,
	READING_CONTENTS,
	READING_COLUMNS,
	READING_SCHEMA,
	READING_ISSUES,
	READING_SHEETS,
	READING_CHANGES,
	READING_MAP,
	READING_TILE,
	READING_MAP_ISSUES,
	READING_MAP_IMAGE,
	READING_CHART,
	READING_CHART_IMAGE
} Reading;

#define EVERY_RESOURCE ""

static const struct
{
	const char *name;
	const char *resource; /* resource that has it, EVERY_RESOURCE for all, NULL for none */
	const char *path;	  /* first segment of a path outside of resources; NULL: none */
} functions[] = {
	[READING_LIST] = {"list", EVERY_RESOURCE, NULL},
	[READING_FIRST] = {"first", EVERY_RESOURCE, NULL},
	[READING_LAST] = {"last", EVERY_RESOURCE, NULL},
	[READING_COUNT] = {"count", EVERY_RESOURCE, NULL},
	[READING_ITEMS] = {"items", EVERY_RESOURCE, NULL},
	[READING_RELATED] = {"related", EVERY_RESOURCE, NULL},
	[READING_USAGE] = {"usage", EVERY_RESOURCE, NULL},
	[READING_SUMMARY] = {"statistics_summary", "statistics", NULL},
	[READING_DOWNLOADS] = {"statistics_downloads", "statistics", NULL},
	[READING_LOGS] = {"record_logs", EVERY_RESOURCE, NULL},
	[READING_FILETYPES] = {"dataset_filetypes", "datasets", NULL},
	[READING_FEED] = {"feed", "datasets", "rss"},
	[READING_CATALOG] = {"catalog", NULL, "catalog"},
	[READING_DATA_JSON] = {"data_json", NULL, "data.json"},
	[READING_SITEMAP] = {"sitemap", NULL, "sitemap.xml"},
	[READING_SEARCH] = {"search", NULL, "search"},
	[READING_CONTENTS] = {"contents_page", "files", NULL},
	[READING_COLUMNS] = {"contents_columns", "files", NULL},
	[READING_SCHEMA] = {"contents_schema", "files", NULL},
	[READING_ISSUES] = {"contents_issues", "files", NULL},
	[READING_SHEETS] = {"contents_sheets", "files", NULL},
	[READING_CHANGES] = {"contents_changes", "files", NULL},
	[READING_MAP] = {"map_geojson", "maps", NULL},
	[READING_TILE] = {"map_tile", "maps", NULL},
	[READING_MAP_ISSUES] = {"map_issues", "maps", NULL},
	[READING_MAP_IMAGE] = {"map_svg", "maps", NULL},
	[READING_CHART] = {"chart_data", "charts", NULL},
	[READING_CHART_IMAGE] = {"chart_svg", "charts", NULL},
};

/* Sets of functions. */
#define ONE(reading) (1u << (reading))
#define FILTERS (ONE(READING_LIST) | ONE(READING_FIRST) | ONE(READING_LAST) | ONE(READING_COUNT))
#define LISTS                                                                            \
	(ONE(READING_LIST) | ONE(READING_RELATED) | ONE(READING_USAGE) | ONE(READING_LOGS) | \
	 ONE(READING_FILETYPES))
#define RECORDS (LISTS | ONE(READING_ITEMS) | ONE(READING_FIRST) | ONE(READING_LAST))
#define SEARCH ONE(READING_SEARCH)
#define FEED ONE(READING_FEED)
#define DCAT (ONE(READING_CATALOG) | ONE(READING_DATA_JSON))
#define ROWS ONE(READING_CONTENTS)
#define ISSUES (ONE(READING_ISSUES) | ONE(READING_MAP_ISSUES))
#define VISUALS                                                                                \
	(ONE(READING_MAP) | ONE(READING_TILE) | ONE(READING_MAP_ISSUES) | ONE(READING_MAP_IMAGE) | \
	 ONE(READING_CHART) | ONE(READING_CHART_IMAGE))
#define USAGE ONE(READING_USAGE)
#define SUMMARY ONE(READING_SUMMARY)
#define DOWNLOADS ONE(READING_DOWNLOADS)
#define SUMS (SUMMARY | DOWNLOADS)
#define CHANGES ONE(READING_CHANGES)
#define SHEET (CHANGES | ROWS | ONE(READING_ISSUES) | ONE(READING_COLUMNS) | ONE(READING_SCHEMA))

static const struct
{
	const char *name;
	uint32 functions;
	const char *facts; /* JSON, as for a field */
} parameters[] = {
	{"query", LISTS | FILTERS | SEARCH | FEED | DCAT, "{\"type\":\"string\"}"},
	{"resources", SEARCH, "{\"type\":\"string\"}"},
	{"limit", LISTS | SEARCH | ROWS | CHANGES | ISSUES | SUMS,
	 "{\"type\":\"integer\",\"default\":20}"},
	{"limit", FEED, "{\"type\":\"integer\",\"default\":100,\"max\":100}"},
	{"limit", ONE(READING_DATA_JSON), "{\"type\":\"integer\",\"default\":10000}"},
	{"limit", ONE(READING_CATALOG), "{\"type\":\"integer\",\"default\":100,\"max\":1000}"},
	{"skip", LISTS | SEARCH | ROWS | CHANGES | FEED | DCAT | ONE(READING_SITEMAP) | ISSUES | SUMS,
	 "{\"type\":\"integer\",\"default\":0}"},
	{"orderBy", LISTS | FILTERS | DCAT | ROWS | SUMS, "{\"type\":\"string\"}"},
	{"sort", LISTS | FILTERS | DCAT | ROWS | SUMS,
	 "{\"type\":\"string\",\"enum\":[\"ASC\",\"DESC\"],\"default\":\"ASC\"}"},
	{"fields", RECORDS | SEARCH | ROWS, "{\"type\":\"string\"}"},
	{"include", RECORDS, "{\"type\":\"string\"}"},
	{"facets", LISTS | ROWS, "{\"type\":\"string\"}"},
	{"facetLimit", LISTS | ROWS, "{\"type\":\"integer\",\"default\":20,\"max\":1000}"},
	{"match", LISTS | FILTERS | SEARCH | ROWS | FEED | DCAT,
	 "{\"type\":\"string\",\"enum\":[\"BEGINS\",\"ENDS\",\"EXACT\",\"CONTAINS\"],"
	 "\"default\":\"CONTAINS\"}"},
	{"condition", LISTS | FILTERS | SEARCH | ROWS | FEED | DCAT,
	 "{\"type\":\"string\",\"enum\":[\"AND\",\"OR\"],\"default\":\"OR\"}"},
	{"version", LISTS | FILTERS | SEARCH | DCAT | SHEET | ONE(READING_SHEETS) | VISUALS | SUMS,
	 "{\"type\":\"datetime\"}"},
	{"deleted", LISTS | FILTERS | SEARCH, "{\"type\":\"string\",\"enum\":[\"only\",\"with\"]}"},
	{"sheet", SHEET, "{\"type\":\"string\"}"},
	{"from", CHANGES, "{\"type\":\"datetime\",\"required\":true}"},
	{"to", CHANGES, "{\"type\":\"datetime\"}"},
	{"key", CHANGES, "{\"type\":\"string\",\"required\":true}"},
	{"types", ROWS | CHANGES, "{\"type\":\"boolean\",\"default\":false}"},
	{"histogram", ROWS, "{\"type\":\"string\"}"},
	{"distinct", ROWS, "{\"type\":\"string\"}"},
	{"groupBy", ROWS, "{\"type\":\"string\"}"},
	{"groupBy", USAGE | SUMMARY,
	 "{\"type\":\"string\",\"enum\":[\"day\",\"month\",\"resource\",\"method\",\"client\"]}"},
	{"groupBy", DOWNLOADS,
	 "{\"type\":\"string\",\"enum\":[\"day\",\"month\",\"dataset\",\"file\"]}"},
	{"day", SUMS, "{\"type\":\"date\"}"},
	{"month", SUMS, "{\"type\":\"string\"}"},
	{"resource", SUMMARY, "{\"type\":\"string\"}"},
	{"method", SUMMARY, "{\"type\":\"string\"}"},
	{"client", SUMMARY, "{\"type\":\"string\"}"},
	{"dataset", DOWNLOADS, "{\"type\":\"string\"}"},
	{"file", DOWNLOADS, "{\"type\":\"string\"}"},
	{"aggregate", ROWS, "{\"type\":\"string\"}"},
	{"bbox", ONE(READING_MAP), "{\"type\":\"string\"}"},
	{"properties", ONE(READING_MAP), "{\"type\":\"string\"}"},
};

/* Append the parameters of a function as a member of an object. */
static void
append_function(StringInfo out, Reading reading)
{
	const char *separator = "";

	if (out->data[out->len - 1] != '{')
		appendStringInfoChar(out, ',');
	appendStringInfo(out, "\"%s\":{", functions[reading].name);
	for (size_t i = 0; i < lengthof(parameters); i++)
		if (parameters[i].functions & ONE(reading))
		{
			appendStringInfo(out, "%s\"%s\":%s", separator, parameters[i].name,
							 parameters[i].facts);
			separator = ",";
		}
	appendStringInfoChar(out, '}');
}

void
cat_parameters_append(StringInfo out, const Resource *resource)
{
	appendStringInfoChar(out, '{');
	for (Reading reading = 0; reading < lengthof(functions); reading++)
	{
		const char *of = functions[reading].resource;

		if (of && (*of == '\0' || strcmp(of, resource->name) == 0))
			append_function(out, reading);
	}
	appendStringInfoChar(out, '}');
}

bool
cat_parameters_append_path(StringInfo out, const char *path)
{
	bool found = false;

	appendStringInfoChar(out, '{');
	for (Reading reading = 0; reading < lengthof(functions); reading++)
		if (functions[reading].path && (!path || pg_strcasecmp(functions[reading].path, path) == 0))
		{
			append_function(out, reading);
			found = true;
		}
	appendStringInfoChar(out, '}');
	return found;
}

List *
cat_parameters_filtering(void)
{
	List *names = NIL;

	for (Reading reading = 0; reading < lengthof(functions); reading++)
		if (FILTERS & ONE(reading))
			names = lappend(names, unconstify(char *, functions[reading].name));
	return names;
}
