/*
 * visual_read.c
 *	  Common parts of reads of one map or chart.
 */
#include "catalogue.h"

#include "executor/spi.h"
#include "utils/builtins.h"

#include "base/base.h"
#include "call/call.h"
#include "contents/contents.h"
#include "history/history.h"
#include "query/query.h"
#include "query/sql_builder.h"
#include "read/read.h"
#include "registry/registry.h"
#include "visuals/visuals_internal.h"

static void
read_words(VisualRead *read, const char *query)
{
	char *name;
	char *value;

	while (cat_query_string_next(&query, &name, &value))
	{
		SheetWord *word;

		if (cat_request_params_read_common(read->params, name, value))
			continue;
		word = palloc(sizeof(SheetWord));
		word->name = name;
		word->value = value;
		read->words = lappend(read->words, word);
	}
}

/*
 * Begin a read of one record; the arguments are its id, the query, the actor and the known states.
 *
 * Raises OD404 if the resource is closed to the actor, OD422 for an invalid value of a parameter.
 */
void
cat_visual_read_begin(VisualRead *read, FunctionCallInfo fcinfo, const char *name)
{
	Resource *resource;

	memset(read, 0, sizeof(*read));
	cat_call_reply_begin();
	cat_actor_read(fcinfo, 2, &read->actor);
	resource = cat_registry_resource(name);
	cat_visibility_require(resource, read->actor.access);
	read->params =
		cat_request_params_begin(resource, cat_call_reply_argument(fcinfo, 1), &read->actor);
	read_words(read, read->params->query);
	read->id = cat_call_reply_required(fcinfo, 0);
	cat_read_version_settle(read->params, list_make1(resource->name));
	read->reply.etag =
		cat_etag_of_version(read->params->version, list_make1(resource->name), read->params);
	read->known = cat_etag_is_among(cat_call_reply_argument(fcinfo, 3), read->reply.etag);
	read->reply.resource = resource->name;
	read->reply.version = read->params->version;
}

/*
 * Return the values of fields of the record at the instant of the read, NULL for null; the reply
 * gets its id.  Raises OD404 if the record is not visible.
 */
char **
cat_visual_read_fields(VisualRead *read, const char *const *fields)
{
	const Resource *resource = read->params->resource;
	MemoryContext memory = CurrentMemoryContext;
	Selection *selection = cat_selection_all(read->params->resource, &read->actor, false);
	Rows rows = cat_read_named_then(read->params, selection, read->id);
	char **values;
	int count = 0;

	if (rows.count == 0)
		ereport(ERROR,
				(errcode(OD404), errmsg("%s \"%s\" does not exist", resource->model, read->id)));
	MemoryContextSwitchTo(memory);
	while (fields[count])
		count++;
	values = palloc(sizeof(char *) * (size_t) (count + 1));
	for (int i = 0; i < count; i++)
		values[i] =
			SPI_getvalue(rows.tuples[0], rows.desc,
						 cat_rows_column(&rows, resource, selection->fields, fields[i]) + 1);
	read->reply.id = SPI_getvalue(rows.tuples[0], rows.desc,
								  cat_rows_column(&rows, resource, selection->fields, "id") + 1);
	return values;
}

/* The value of a parameter, NULL where it is not given; names: those that the call takes, up to a
 * NULL.  Other parameters are ignored. */
const char *
cat_visual_read_word(const VisualRead *read, const char *name)
{
	const char *value = NULL;
	ListCell *cell;

	foreach(cell, read->words)
		if (strcmp(((SheetWord *) lfirst(cell))->name, name) == 0)
			value = ((SheetWord *) lfirst(cell))->value;
	return value;
}

/* Ignore the parameters that the call does not have; under strict handling they raise OD422. */
void
cat_visual_read_require_known(VisualRead *read, const char *const *names)
{
	List *known = cat_request_params_common_words();
	ListCell *cell;

	for (int i = 0; names[i]; i++)
		known = lappend(known, unconstify(char *, names[i]));
	foreach(cell, read->words)
		if (!cat_query_string_has_word(known, ((SheetWord *) lfirst(cell))->name))
			cat_ignored_add(read->params, ((SheetWord *) lfirst(cell))->name);
	cat_ignored_require_known(&read->actor, read->params->ignored, known);
}

/* End the read with its reply. */
Datum
cat_visual_read_end(VisualRead *read, FunctionCallInfo fcinfo)
{
	read->reply.ignored = cat_ignored_of_params(read->params);
	cat_read_version_release(read->params);
	return cat_call_reply_end(fcinfo, &read->reply);
}
