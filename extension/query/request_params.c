/*
 * request_params.c
 *	  The query of a request: filters, order, page, fields, include.
 */
#include "catalogue.h"

#include "access/xact.h"
#include "utils/builtins.h"

#define DEFAULT_LIMIT 20

/* What a parameter does with its value; name is the parameter's. */
typedef void (*ParamReader)(Params *params, const char *value);

pg_noreturn static void
refuse(const char *name, const char *value, const char *expected)
{
	ereport(ERROR,
			(errcode(OD422), errmsg("invalid value for parameter \"%s\": \"%s\"", name, value),
			 errhint("%s", expected)));
}

/* A number of any length: the greatest there is, where it is greater than that. */
static int64
read_count(const char *name, const char *value)
{
	char *end;
	int64 count = strtoll(value, &end, 10);

	if (!isdigit((unsigned char) *value) || *end != '\0')
		refuse(name, value, "It takes a whole number, 0 or more.");
	return count;
}

static void
read_limit(Params *params, const char *value)
{
	int64 limit = read_count("limit", value);

	params->limit = limit == 0 ? DEFAULT_LIMIT : (int) Min(limit, cat_max_limit);
}

static void
read_skip(Params *params, const char *value)
{
	params->skip = read_count("skip", value);
}

/* The match of a name in any letter case; OD422 where there is none. */
Match
params_match(const char *name)
{
	static const char *const names[] = {"CONTAINS", "BEGINS", "ENDS", "EXACT"};

	for (size_t i = 0; i < lengthof(names); i++)
		if (pg_strcasecmp(name, names[i]) == 0)
			return (Match) i;
	refuse("match", name, "It takes BEGINS, ENDS, EXACT or CONTAINS.");
}

static void
read_match(Params *params, const char *value)
{
	params->match = params_match(value);
}

static void
read_condition(Params *params, const char *value)
{
	params->all = pg_strcasecmp(value, "AND") == 0;
	if (!params->all && pg_strcasecmp(value, "OR") != 0)
		refuse("condition", value, "It takes AND or OR.");
}

static void
read_order(Params *params, const char *value)
{
	ListCell *cell;

	params->orders = NIL;
	foreach(cell, path_list(params, value))
	{
		Order *order = palloc0(sizeof(Order));

		order->path = lfirst(cell);
		if (!path_sorts(params, order->path))
			refuse("orderBy", value, "It takes fields of the resource, or of a to-one relation.");
		params->orders = lappend(params->orders, order);
	}
	if (params->orders == NIL)
		refuse("orderBy", value, "It takes fields of the resource, or of a to-one relation.");
}

/* One direction for each field of orderBy; the last one given holds for the rest. */
static void
apply_sort(Params *params, const char *value)
{
	List *words = words_split(value, ',');
	ListCell *cell;
	int i = 0;

	foreach(cell, words)
		if (pg_strcasecmp(lfirst(cell), "ASC") != 0 && pg_strcasecmp(lfirst(cell), "DESC") != 0)
			refuse("sort", value, "It takes ASC or DESC.");
	if (words == NIL)
		refuse("sort", value, "It takes ASC or DESC.");
	if (params->orders == NIL)
	{
		Order *order = palloc0(sizeof(Order));

		order->path = list_make1("createdAt");
		params->orders = list_make1(order);
	}
	foreach(cell, params->orders)
	{
		Order *order = lfirst(cell);

		order->descending = pg_strcasecmp(list_nth(words, i), "DESC") == 0;
		i = Min(i + 1, list_length(words) - 1);
	}
}

static void
read_fields(Params *params, const char *value)
{
	ListCell *cell;

	params->partial = true;
	foreach(cell, words_split(value, ','))
	{
		List *path = path_split(params, lfirst(cell));

		if (path == NIL)
			continue;
		if (list_length(path) == 1 ? path_starts(params, params->resource, linitial(path))
								   : select_embeds(params->resource, path, params->sight))
			params->fields = lappend(params->fields, path);
		else
			params_ignore(params, lfirst(cell));
	}
}

static void
read_include(Params *params, const char *value)
{
	params->includes = list_concat(params->includes, path_list(params, value));
}

static void
read_version(Params *params, const char *value)
{
	if (!literal_datetime(value))
		refuse("version", value, "It takes an instant such as 2026-01-31T12:00:00.000000Z.");
	params->version = DatumGetTimestampTz(literal_timestamp(value));
	if (params->version > GetCurrentTimestamp())
		refuse("version", value, "It takes an instant that has passed.");
}

static void
read_after(Params *params, const char *value)
{
	params->place = value;
	params->backwards = false;
}

static void
read_before(Params *params, const char *value)
{
	params->place = value;
	params->backwards = true;
}

/*
 * The operator in brackets behind a name, which is cut off it; "" where there is none: other
 * brackets are a part of the name.
 */
const char *
params_cut_operator(char *name)
{
	static const char *const operators[] = {"gte", "lte", "gt", "lt", "ne"};
	char *bracket = strrchr(name, '[');

	if (!bracket)
		return "";
	for (size_t i = 0; i < lengthof(operators); i++)
		if (strlen(bracket) == strlen(operators[i]) + 2 && bracket[strlen(bracket) - 1] == ']' &&
			strncmp(bracket + 1, operators[i], strlen(operators[i])) == 0)
		{
			*bracket = '\0';
			return operators[i];
		}
	return "";
}

static void
read_filter(Params *params, const char *name, const char *value)
{
	char *bare = pstrdup(name);
	const char *comparison = params_cut_operator(bare);
	List *path = path_split(params, bare);

	if (path_filters(params, path))
		params->filters = lappend(
			params->filters, filter_make(params->resource, path, comparison, words_values(value)));
	else
		params_ignore(params, name);
}

/* Of lists that begin with the newest record; to others the word is a filter like any. */
static void
read_window(Params *params, const char *value)
{
	if (params->resource->newest_first)
		params->window = (int) Min(read_count("window", value), cat_max_limit);
	else
		read_filter(params, "window", value);
}

static const struct
{
	const char *name;
	ParamReader read;
	bool common; /* it is the same for rows of a file */
} readers[] = {
	{"limit", read_limit, true},	  {"skip", read_skip, true},
	{"match", read_match, true},	  {"condition", read_condition, true},
	{"orderBy", read_order, false},	  {"fields", read_fields, false},
	{"include", read_include, false}, {"version", read_version, true},
	{"after", read_after, false},	  {"before", read_before, false},
	{"query", search_read, false},	  {"window", read_window, false},
	{"deleted", deleted_read, false},
};

/* The names of all parameters. */
List *
params_words(void)
{
	List *words = list_make1("sort");

	for (size_t i = 0; i < lengthof(readers); i++)
		words = lappend(words, unconstify(char *, readers[i].name));
	return words;
}

/* The names of the parameters that every list takes, whatever is listed. */
List *
params_common_words(void)
{
	List *words = NIL;

	for (size_t i = 0; i < lengthof(readers); i++)
		if (readers[i].common)
			words = lappend(words, unconstify(char *, readers[i].name));
	return words;
}

/* Read a word that is the same for whatever is listed; false where it is another one. */
bool
params_read_common(Params *params, const char *name, const char *value)
{
	for (size_t i = 0; i < lengthof(readers); i++)
		if (readers[i].common && strcmp(readers[i].name, name) == 0)
		{
			readers[i].read(params, value);
			return true;
		}
	return false;
}

static void
read_param(Params *params, const char *name, const char *value, const char **sort)
{
	if (strcmp(name, "sort") == 0)
	{
		*sort = value;
		return;
	}
	for (size_t i = 0; i < lengthof(readers); i++)
		if (strcmp(readers[i].name, name) == 0)
		{
			readers[i].read(params, value);
			return;
		}
	read_filter(params, name, value);
}

/* What is asked for by no word at all. */
Params *
params_begin(Resource *resource, const char *query, const Actor *actor)
{
	Params *params = palloc0(sizeof(Params));

	consumer_require(actor, resource->name);
	params->resource = resource;
	params->actor = actor;
	params->query = query;
	params->sight = actor->sight;
	params->limit = DEFAULT_LIMIT;
	return params;
}

/*
 * Read a query string, percent-encoded as in a URL.
 *
 * OD422 for a value that a parameter does not take.  Unknown names are
 * ignored and kept in Params.ignored.
 */
Params *
params_read(Resource *resource, const char *query, const Actor *actor)
{
	Params *params = params_begin(resource, query, actor);
	const char *sort = NULL;
	char *name;
	char *value;

	while (words_next(&query, &name, &value))
		read_param(params, name, value, &sort);
	if (sort)
		apply_sort(params, sort);
	if (params->sought)
		search_split(params);
	return params;
}
