/*
 * visual_read.c
 *	  Reads of visuals: what maps and charts have in common.
 */
#include "catalogue.h"

#include "access/xact.h"

#include "rows/visuals/visuals_internal.h"

/* Ignore the parameters that the call does not have; under strict handling they raise OD422. */
static void
require_known(VisualRead *read, const char *const *names)
{
	List *known = list_concat(cat_request_params_common_words(), cat_query_string_words(names));

	foreach_ptr(RequestWord, word, read->words)
		if (!cat_query_string_has_word(known, word->name))
			cat_ignored_add(read->call.plan.params, word->name);
	cat_ignored_require_known(&read->call.actor, read->call.plan.params->ignored, known);
}

/*
 * Begin a read of one map or chart; the arguments are its id, the query, the actor and the known states.
 *
 * words: the parameters that it has besides those of a list, NULL for none.
 *
 * Raises OD404 if the resource is private, OD422 for an invalid value of a parameter.
 */
void
cat_visual_read_ask(VisualRead *read, FunctionCallInfo fcinfo, const CallArguments *args,
					const char *const *words)
{
	ReadCall *call = &read->call;
	Resource *resource;

	memset(read, 0, sizeof(*read));
	cat_actor_read(fcinfo, args->actor, &call->actor);
	call->known = cat_call_reply_argument(fcinfo, args->known);
	resource = cat_registry_resource(args->map < 0 ? "charts" : "maps");
	cat_visibility_require(resource, call->actor.access);
	call->plan.params = cat_request_params_begin(
		resource, cat_call_reply_argument(fcinfo, args->query), &call->actor);
	call->plan.resources = list_make1(resource->name);
	read->words = cat_request_params_words(call->plan.params, call->plan.params->query);
	read->id = cat_call_reply_required(fcinfo, args->map < 0 ? args->chart : args->map);
	cat_read_state(call);
	if (words && cat_query_string_is_among("lang", words))
		read->language =
			cat_visual_read_language(call, cat_request_params_word(read->words, "lang"));
	read->known = cat_read_is_known(call);
	require_known(read, words ? words : &(const char *){NULL});
}

void
cat_visual_read_begin(VisualRead *read, FunctionCallInfo fcinfo, const CallArguments *args,
					  const char *const *words)
{
	cat_call_reply_begin();
	cat_visual_read_ask(read, fcinfo, args, words);
}

const PictureLanguage *
cat_visual_read_language(ReadCall *call, const char *name)
{
	const PictureLanguage *language;

	if (!name)
	{
		cat_statement_read("SELECT catalogue.picture_language()");
		name = cat_result_text(1);
	}
	language = cat_picture_words_language(name);
	if (!language)
	{
		cat_statement_read("SELECT array_to_string(catalogue.picture_languages(), ', ')");
		cat_query_string_refuse("lang", name, psprintf("It takes %s.", cat_result_text(1)));
	}
	call->tag = cat_etag_join(call->tag, cat_picture_words_name(language));
	return language;
}

/*
 * Return the values of fields of the record at the instant of the read, NULL for null; the reply
 * gets its id.  Raises OD404 if the record is not visible.
 */
char **
cat_visual_read_fields(VisualRead *read, const char *const *fields)
{
	const Resource *resource = read->call.plan.params->resource;
	MemoryContext memory = CurrentMemoryContext;
	Selection *selection =
		cat_selection_all(read->call.plan.params->resource, &read->call.actor, false);
	Rows rows = cat_record_named(read->call.plan.params, read->id);
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
	read->call.reply.id = SPI_getvalue(
		rows.tuples[0], rows.desc, cat_rows_column(&rows, resource, selection->fields, "id") + 1);
	return values;
}
