/*
 * changes_page.c
 *	  Changes of a file's rows as a list.
 */
#include "catalogue.h"

#include "utils/builtins.h"

#include "call/call.h"
#include "contents/changes.h"
#include "contents/contents.h"
#include "contents/contents_internal.h"
#include "query/query.h"
#include "read/read.h"

PG_FUNCTION_INFO_V1(catalogue_contents_changes);

/* Append the next change, preceded by a comma if it is not the first one; false at the end. */
static bool
append_change(SheetChanges *changes, StringInfo out)
{
	int start = out->len;

	if (out->data[start - 1] != '[')
		appendStringInfoChar(out, ',');
	if (cat_changes_next(changes, out))
		return true;
	out->len = start;
	return false;
}

/* Fill in the reply with a page of changes: data, count, returned, and the counts of each kind. */
static void
read_page(const ChangesQuery *query, CallReply *reply)
{
	const RequestParams *params = query->versions[VERSION_TO]->params;
	SheetChanges *changes = cat_changes_begin(query);

	reply->data = makeStringInfo();
	appendStringInfoChar(reply->data, '[');
	while (reply->count < params->skip && cat_changes_next(changes, NULL))
		reply->count++;
	while (reply->returned < params->limit && append_change(changes, reply->data))
		reply->returned++;
	reply->count += reply->returned;
	while (cat_changes_next(changes, NULL))
		reply->count++;
	appendStringInfoChar(reply->data, ']');
	reply->meta = cat_changes_counts(changes);
	cat_changes_end(changes);
}

/* Answer with a page, from the page cache if possible. */
static void
answer(ChangesQuery *query, const char *file, const char *known, CallReply *reply)
{
	const RequestParams *params = query->versions[VERSION_TO]->params;
	PageCacheKey kept = cat_page_cache_key(params, psprintf("changes %s", file),
										   list_make1(params->resource->name));

	cat_changes_query_find(query, file);
	cat_contents_describe(query->versions[VERSION_TO], reply);
	if (cat_etag_is_among(known, reply->etag) || cat_page_cache_get(&kept, reply))
		return;
	read_page(query, reply);
	reply->ignored = cat_ignored_of_params(params);
	cat_page_cache_put(&kept, reply);
}

Datum
catalogue_contents_changes(PG_FUNCTION_ARGS)
{
	Actor actor;
	ChangesQuery *query;
	const RequestParams *params;
	CallReply reply = {0};

	cat_call_reply_begin();
	cat_actor_read(fcinfo, 2, &actor);
	query = cat_changes_query_read(cat_call_reply_argument(fcinfo, 1), &actor);
	params = query->versions[VERSION_TO]->params;
	answer(query, cat_named_id(params->resource, cat_call_reply_required(fcinfo, 0), actor.access),
		   cat_call_reply_argument(fcinfo, 3), &reply);
	cat_changes_query_release(query);
	return cat_call_reply_end(fcinfo, &reply);
}
