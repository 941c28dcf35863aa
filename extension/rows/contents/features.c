/*
 * features.c
 *	  Rows of a sheet with places as the features of OGC API - Features.
 *
 * A page begins behind the number of a row, so that no page reads the rows before it.
 */
#include "catalogue.h"

#include "rows/contents/contents_internal.h"

#define PAGE_ROWS 10		   /* rows of a page, unless a limit says so */
#define PAGE_ENOUGH (16 << 20) /* bytes of features behind which a page ends */
#define EVERYWHERE "-180,-90,180,90"

/* What is asked of the features of a collection. */
typedef struct FeaturesQuery
{
	ReadCall call;
	SheetQuery *asked;
	const char *query;	 /* as it was sent */
	const char *address; /* of the collection */
	int64 after;		 /* the row that the page begins behind */
} FeaturesQuery;

/* Parameters that are no filters on columns. */
static const char *const own_words[] = {"bbox", "limit", "datetime", "after", "f", NULL};

pg_noreturn static void
refuse_collection(const char *collection)
{
	ereport(ERROR, (errcode(OD404), errmsg("collection \"%s\" does not exist", collection),
					errhint("/ogc/collections lists those that there are.")));
}

/* Find the sheet of a collection. */
static void
find_sheet(SheetQuery *asked, const char *collection)
{
	const char *colon = strchr(collection, ':');
	const Sheet *sheet;

	if (colon &&
		(colon[1] == '\0' || strlen(colon) > 9 || colon[1 + strspn(colon + 1, "0123456789")]))
		refuse_collection(collection);
	asked->name = colon ? colon + 1 : NULL;
	cat_sheet_lookup_file(asked,
						  colon ? pnstrdup(collection, (Size) (colon - collection)) : collection);
	cat_sheet_lookup(asked);
	sheet = asked->sheet;
	if (sheet->hidden || !(sheet->places[LATITUDE] || sheet->places[GEOMETRY]))
		refuse_collection(collection);
	asked->shown = palloc(sizeof(bool) * (size_t) (sheet->ncolumns + 1));
	memset(asked->shown, true, sizeof(bool) * (size_t) (sheet->ncolumns + 1));
	asked->typed = true;
	cat_geojson_usual(asked);
	/* it is the geometry of a feature, no property */
	if (asked->coordinates[GEOMETRY] >= 0)
		asked->shown[asked->coordinates[GEOMETRY]] = false;
}

/* Return the first column of dates or instants; -1 if there is none. */
static int
time_column(const Sheet *sheet)
{
	for (int i = 0; i < sheet->ncolumns; i++)
		if (sheet->columns[i].kind == CELL_DATE || sheet->columns[i].kind == CELL_DATETIME)
			return i;
	return -1;
}

/* Return an end of an interval as a value of a column of dates or instants; NULL where it is open. */
static char *
end_of_interval(const SheetColumn *column, const char *value, const char *text)
{
	char *end = pstrdup(text);
	size_t length = strlen(end);

	if (length == 0 || strcmp(end, "..") == 0)
		return NULL;
	/* GDAL sends a date so */
	if (end[length - 1] == 'T')
		end[length - 1] = '\0';
	if (!cat_literal_date(end) && !cat_literal_datetime(end))
		cat_query_string_refuse("datetime", value,
								"It takes an instant or a date, or two with / between them, of "
								"which one may be \"..\".");
	if (column && column->kind == CELL_DATE)
		end[strlen("YYYY-MM-DD")] = '\0';
	return end;
}

static void
compare_time(SheetQuery *asked, int column, Comparison comparison, char *end)
{
	if (end && column >= 0)
		cat_sheet_query_compare(asked, column, comparison, list_make1(end));
}

/* Keep the rows whose date or instant is within an interval. */
static void
read_datetime(SheetQuery *asked, const char *value)
{
	int column = time_column(asked->sheet);
	const SheetColumn *is = column >= 0 ? &asked->sheet->columns[column] : NULL;
	const char *slash = strchrnul(value, '/');
	const char *first = pnstrdup(value, (Size) (slash - value));

	compare_time(asked, column, COMPARE_AT_LEAST, end_of_interval(is, value, first));
	compare_time(asked, column, COMPARE_AT_MOST,
				 end_of_interval(is, value, *slash ? slash + 1 : first));
}

static void
read_limit(RequestParams *params, const char *value)
{
	(void) cat_request_params_read_common(params, "limit", value);
	if (params->given_limit == 0)
		cat_query_string_refuse("limit", value, "It takes a whole number, 1 or more.");
}

static void
read_format(const char *value)
{
	if (strcmp(value, "json") != 0)
		cat_query_string_refuse("f", value, "It takes json.");
}

/* Return a rectangle without its heights, if it has some. */
static char *
flat_box(char *value)
{
	List *parts = cat_query_string_split(value, ',');

	if (list_length(parts) != 6 || !cat_literal_number(lthird(parts)) ||
		!cat_literal_number(list_nth(parts, 5)))
		return value;
	return psprintf("%s,%s,%s,%s", (char *) linitial(parts), (char *) lsecond(parts),
					(char *) lfourth(parts), (char *) list_nth(parts, 4));
}

/* Raise OD422 for other parameters than a format, which is JSON. */
static void
require_format(const char *query)
{
	for (RequestWord word; cat_query_string_next(&query, &word.name, &word.value);)
	{
		if (strcmp(word.name, "f") != 0)
			ereport(ERROR, (errcode(OD422), errmsg("unknown parameter \"%s\"", word.name),
							errhint("It takes f.")));
		read_format(word.value);
	}
}

CAT_FUNCTION(catalogue_ogc_require)
{
	require_format(text_to_cstring(PG_GETARG_TEXT_PP(ARG_OGC_REQUIRE_QUERY)));
	PG_RETURN_VOID();
}

/* Read a parameter of a page. */
static void
read_word(FeaturesQuery *features, RequestWord *word)
{
	SheetQuery *asked = features->asked;

	if (strcmp(word->name, "limit") == 0)
		read_limit(asked->params, word->value);
	else if (strcmp(word->name, "after") == 0)
		features->after = Min(cat_request_params_count("after", word->value), asked->sheet->rows);
	else if (strcmp(word->name, "f") == 0)
		read_format(word->value);
	else if (strcmp(word->name, "bbox") == 0)
		word->value = flat_box(word->value);
	else if (strcmp(word->name, "datetime") == 0)
		read_datetime(asked, word->value);
	else if (!cat_query_string_is_among(word->name, own_words))
		cat_sheet_query_filter(asked, word->name, word->value);
}

/* Raise OD422 for parameters that the collection does not have. */
static void
require_known(const SheetQuery *asked)
{
	List *names = cat_query_string_words(own_words);
	Actor strict = *asked->params->actor;

	strict.strict = true;
	for (int i = 0; i < asked->sheet->ncolumns; i++)
		names = lappend(names, asked->sheet->columns[i].name);
	cat_ignored_require_known(&strict, asked->params->ignored, names);
}

/* Begin a read of a collection: who asks, the sheet, the state. */
static void
begin(FeaturesQuery *features, FunctionCallInfo fcinfo, const CallArguments *args)
{
	ReadCall *call = &features->call;

	cat_call_reply_begin();
	cat_actor_read(fcinfo, args->actor, &call->actor);
	call->known = cat_call_reply_argument(fcinfo, args->known);
	features->query = cat_call_reply_argument(fcinfo, args->query);
	features->asked = cat_sheet_query_read("", &call->actor);
	cat_contents_begin(call, features->asked);
	find_sheet(features->asked, cat_call_reply_required(fcinfo, args->collection));
	call->reply.id = features->asked->file;
	features->address =
		psprintf("%s/ogc/collections/%s", cat_call_reply_argument(fcinfo, args->base),
				 features->asked->file);
	if (features->asked->name)
		features->address = psprintf("%s:%d", features->address, features->asked->sheet->number);
}

/* Read the parameters of a page. */
static void
read_query(FeaturesQuery *features)
{
	SheetQuery *asked = features->asked;
	const char *query = features->query;
	List *words = NIL;

	asked->params->limit = PAGE_ROWS;
	asked->params->match = MATCH_EXACT;
	asked->params->all = true;
	for (RequestWord word; cat_query_string_next(&query, &word.name, &word.value);)
	{
		read_word(features, &word);
		words = lappend(words, memcpy(palloc(sizeof(word)), &word, sizeof(word)));
	}
	require_known(asked);
	cat_places_ask(asked, words);
}

/* Return how many rows with a place pass the filters; -1 where that is not known. */
static int64
count_matched(const SheetQuery *asked)
{
	/* the rows of a sheet do not change: of the last one that was asked for without filters */
	static int64 sheet, places;
	MemoryContext memory = CurrentMemoryContext;
	RequestWord everywhere = {"bbox", EVERYWHERE};
	SheetQuery placed = *asked;
	int64 count;

	if (!cat_sheet_query_filters(asked) && sheet == asked->sheet->id)
		return places;
	if (!placed.places && placed.coordinates[GEOMETRY] >= 0 && !cat_places_has_geography())
		return -1;
	MemoryContextSwitchTo(memory);
	if (!placed.places)
		cat_places_ask(&placed, list_make1(&everywhere));
	count = cat_sheet_stream_count(&placed);
	if (!cat_sheet_query_filters(asked))
	{
		sheet = asked->sheet->id;
		places = count;
	}
	return count;
}

/* Append a link as a member of an array; its address is that of the collection with a path. */
static void
append_link(StringInfo out, const FeaturesQuery *features, const char *relation, const char *type,
			const char *path)
{
	appendStringInfo(out, "%s{\"rel\":\"%s\",\"type\":\"%s\",\"href\":%s}",
					 out->data[out->len - 1] == '[' ? "" : ",", relation, type,
					 cat_json_quoted(psprintf("%s%s", features->address, path)));
}

/* Return the path of the page behind a row: the parameters of the query, but for where this page begins. */
static char *
path_of_next(const FeaturesQuery *features, int64 after)
{
	StringInfo path = makeStringInfo();
	const char *word = features->query;

	appendStringInfoString(path, "/items?");
	while (*word)
	{
		int length = (int) strcspn(word, "&");

		if (length > 0 && strncmp(word, "after=", strlen("after=")) != 0)
			appendStringInfo(path, "%.*s&", length, word);
		word += length + (word[length] == '&');
	}
	appendStringInfo(path, "after=" INT64_FORMAT, after);
	return path->data;
}

/* Append what follows the features of a page. */
static void
append_tail(StringInfo out, const FeaturesQuery *features, int64 returned, int64 after)
{
	int64 matched = count_matched(features->asked);

	appendStringInfo(out, "],\"numberReturned\":" INT64_FORMAT, returned);
	if (matched >= 0)
		appendStringInfo(out, ",\"numberMatched\":" INT64_FORMAT, matched);
	if (features->call.plan.params->version != 0)
	{
		appendStringInfoString(out, ",\"timeStamp\":\"");
		cat_json_text_timestamp(out, features->call.plan.params->version);
		appendStringInfoChar(out, '"');
	}
	appendStringInfoString(out, ",\"links\":[");
	append_link(out, features, "self", "application/geo+json",
				psprintf("/items%s%s", *features->query ? "?" : "", features->query));
	append_link(out, features, "collection", "application/json", "");
	if (after > 0)
		append_link(out, features, "next", "application/geo+json", path_of_next(features, after));
	appendStringInfoString(out, "]}");
}

/* Append a page of the rows that have a place, as a collection of features. */
static void
append_page(StringInfo out, const FeaturesQuery *features)
{
	FeatureRows rows = {.asked = features->asked,
						.write = cat_geojson_feature,
						.data = features->asked,
						.step = 1,
						.after = features->after,
						.limit = features->asked->params->limit,
						.enough = PAGE_ENOUGH};
	int64 returned;

	appendStringInfoString(out, "{\"type\":\"FeatureCollection\",\"features\":[");
	returned = cat_geojson_append_rows(out, &rows);
	append_tail(out, features, returned, rows.after);
}

CAT_FUNCTION(catalogue_ogc_items)
{
	FeaturesQuery features = {0};

	begin(&features, fcinfo, &args_ogc_items);
	read_query(&features);
	if (!cat_read_is_known(&features.call))
	{
		features.call.reply.data = makeStringInfo();
		append_page(features.call.reply.data, &features);
	}
	return cat_read_end(&features.call, fcinfo);
}

/* Append a row as a feature; false if there is no such row, or it has no place. */
static bool
append_item(StringInfo out, const FeaturesQuery *features, const char *number)
{
	const SheetQuery *asked = features->asked;
	int64 row = strlen(number) <= 18 && number[strspn(number, "0123456789")] == '\0'
					? strtoll(number, NULL, 10)
					: 0;
	ChunkScan scan;

	if (row < 1 || row > asked->sheet->rows)
		return false;
	cat_sheet_scan_open(&scan, asked->sheet, row);
	cat_sheet_scan_at(&scan, row);
	if (!cat_geojson_feature(out, asked, &scan, (int) (row - scan.chunk.first)))
		return false;
	/* what is added is a member of it */
	out->len--;
	appendStringInfoString(out, ",\"links\":[");
	append_link(out, features, "self", "application/geo+json",
				psprintf("/items/" INT64_FORMAT, row));
	append_link(out, features, "collection", "application/json", "");
	appendStringInfoString(out, "]}");
	return true;
}

/* Return a row of a sheet as a feature. */
CAT_FUNCTION(catalogue_ogc_item)
{
	FeaturesQuery features = {0};
	const char *number;
	StringInfo out = makeStringInfo();

	begin(&features, fcinfo, &args_ogc_item);
	require_format(features.query);
	number = cat_call_reply_required(fcinfo, ARG_OGC_ITEM_ITEM);
	if (!append_item(out, &features, number))
		ereport(ERROR, (errcode(OD404),
						errmsg("collection \"%s\" has no item \"%s\"",
							   cat_call_reply_required(fcinfo, args_ogc_item.collection), number)));
	if (!cat_read_is_known(&features.call))
		features.call.reply.data = out;
	return cat_read_end(&features.call, fcinfo);
}
