/*
 * contents.c
 *	  Rows of a file as a list.
 */
#include "catalogue.h"

#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(catalogue_contents_page);

/*
 * Read what is asked of rows, and settle the instant of the read: contents are what the file's
 * record says they were.  version_release() ends it.
 */
SheetAsked *
contents_ask(const char *query, const Actor *actor)
{
	SheetAsked *asked = sheet_ask(query, actor);

	version_settle(asked->params, list_make1(asked->params->resource->name));
	return asked;
}

/* The number of a column that rows are put in order by. */
static int
sort_column(const SheetAsked *asked, const char *name)
{
	int column = sheet_column(asked->sheet, name);

	if (column >= 0)
		return column;
	return strcmp(name, "_id") == 0 ? ROW_NUMBER : ROW_NUMBER - 1;
}

/* Find the sheet that is asked for, and read what is asked of its columns. */
void
contents_find(SheetAsked *asked, const char *file)
{
	sheet_find_file(asked, file);
	sheet_find(asked);
	sheet_ask_columns(asked);
	sheet_ask_order(asked, asked->groups || asked->aggregates ? groups_column : sort_column);
}

/* Tell what is asked, besides the rows. */
void
contents_describe(const SheetAsked *asked, Reply *reply)
{
	const Params *params = asked->params;

	reply->is_list = true;
	reply->resource = params->resource->name;
	reply->id = asked->file;
	reply->limit = params->limit;
	reply->skip = params->skip;
	reply->version = params->version;
	reply->etag = etag_of_version(params->version, list_make1(params->resource->name), params);
}

/* Give a page, as it was made before where that is the same. */
static void
answer(SheetAsked *asked, const char *file, const char *known, Reply *reply)
{
	Kept kept = kept_as(asked->params, psprintf("contents %s", file),
						list_make1(asked->params->resource->name));

	contents_describe(asked, reply);
	reply->id = file;
	if (!asked->params->actor->strict && etag_is_among(known, reply->etag))
	{
		sheet_find_file(asked, file);
		return;
	}
	if (!asked->params->actor->strict && kept_give(&kept, reply))
		return;
	contents_find(asked, file);
	sheet_require_known(asked);
	if (asked->groups || asked->aggregates)
		groups_page(asked, reply);
	else
		sheet_page(asked, reply);
	reply->ignored = params_ignored(asked->params);
	kept_keep(&kept, reply);
}

Datum
catalogue_contents_page(PG_FUNCTION_ARGS)
{
	Actor actor;
	SheetAsked *asked;
	const char *file;
	Reply reply = {0};

	reply_begin();
	actor_read(fcinfo, 2, &actor);
	asked = contents_ask(reply_argument(fcinfo, 1), &actor);
	file = named_id(asked->params->resource, reply_required(fcinfo, 0), actor.sight);
	answer(asked, file, reply_argument(fcinfo, 3), &reply);
	version_release(asked->params);
	return reply_end(fcinfo, &reply);
}
