/*
 * contents.c
 *	  Rows of a file as a list.
 */
#include "catalogue.h"

#include "utils/builtins.h"

#include "call/call.h"
#include "contents/contents.h"
#include "contents/contents_internal.h"
#include "contents/sheet_groups.h"
#include "history/history.h"
#include "query/query.h"
#include "read/read.h"

PG_FUNCTION_INFO_V1(catalogue_contents_page);

/*
 * Read a query on rows, and determine the instant of the read, which selects the revision by the
 * state of the file's record.  Call cat_read_version_release() at the end.
 */
SheetQuery *
cat_contents_ask(const char *query, const Actor *actor)
{
	SheetQuery *sheet_query = cat_sheet_query_read(query, actor);

	cat_read_version_settle(sheet_query->params, list_make1(sheet_query->params->resource->name));
	return sheet_query;
}

/* Return the number of a column to sort by; ROW_NUMBER for _id, less if there is no such column. */
static int
sort_column(const SheetQuery *sheet_query, const char *name)
{
	int column = cat_sheet_lookup_column(sheet_query->sheet, name);

	if (column >= 0)
		return column;
	return strcmp(name, "_id") == 0 ? ROW_NUMBER : ROW_NUMBER - 1;
}

/* Find the sheet, and read the parameters that refer to its columns. */
void
cat_contents_find(SheetQuery *sheet_query, const char *file)
{
	cat_sheet_lookup_file(sheet_query, file);
	cat_sheet_lookup(sheet_query);
	cat_sheet_query_read_columns(sheet_query);
	cat_sheet_query_read_order(sheet_query, sheet_query->groups || sheet_query->aggregates
												? cat_sheet_groups_column
												: sort_column);
}

/* Fill in the reply except the rows. */
void
cat_contents_describe(const SheetQuery *sheet_query, CallReply *reply)
{
	const RequestParams *params = sheet_query->params;

	reply->is_list = true;
	reply->resource = params->resource->name;
	reply->id = sheet_query->file;
	reply->limit = params->limit;
	reply->skip = params->skip;
	reply->version = params->version;
	reply->etag = cat_etag_of_version(params->version, list_make1(params->resource->name), params);
}

/* Return the facets and histograms that are asked for as members of "meta", NULL for none. */
static char *
counts_of(const SheetQuery *sheet_query)
{
	char *facets = cat_sheet_facets(sheet_query);
	char *histograms = cat_sheet_histograms(sheet_query);

	return facets && histograms ? psprintf("%s,%s", facets, histograms)
								: (facets ? facets : histograms);
}

/* Answer with a page, from the page cache if possible. */
static void
answer(SheetQuery *sheet_query, const char *file, const char *known, CallReply *reply)
{
	PageCacheKey kept = cat_page_cache_key(sheet_query->params, psprintf("contents %s", file),
										   list_make1(sheet_query->params->resource->name));

	cat_contents_describe(sheet_query, reply);
	reply->id = file;
	if (!sheet_query->params->actor->strict && cat_etag_is_among(known, reply->etag))
	{
		cat_sheet_lookup_file(sheet_query, file);
		return;
	}
	if (!sheet_query->params->actor->strict && cat_page_cache_get(&kept, reply))
		return;
	cat_contents_find(sheet_query, file);
	cat_sheet_query_require_known(sheet_query);
	if (sheet_query->groups || sheet_query->aggregates)
		cat_sheet_groups_page(sheet_query, reply);
	else
		cat_sheet_page(sheet_query, reply);
	reply->meta = counts_of(sheet_query);
	reply->ignored = cat_ignored_of_params(sheet_query->params);
	cat_page_cache_put(&kept, reply);
}

Datum
catalogue_contents_page(PG_FUNCTION_ARGS)
{
	Actor actor;
	SheetQuery *sheet_query;
	const char *file;
	CallReply reply = {0};

	cat_call_reply_begin();
	cat_actor_read(fcinfo, 2, &actor);
	sheet_query = cat_contents_ask(cat_call_reply_argument(fcinfo, 1), &actor);
	file = cat_named_id(sheet_query->params->resource, cat_call_reply_required(fcinfo, 0),
						actor.access);
	answer(sheet_query, file, cat_call_reply_argument(fcinfo, 3), &reply);
	cat_read_version_release(sheet_query->params);
	return cat_call_reply_end(fcinfo, &reply);
}
