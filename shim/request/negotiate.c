/*
 * negotiate.c - which type the answer has, which type the body must have, what is preferred.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "shim.h"

/* What can be produced, the default first; all but that is for lists. */
static const Format producible[] = {
	{"application", "json", NULL, "application/json"},
	{"text", "csv", "csv", "text/csv; charset=utf-8; header=present"},
	{"application", "x-ndjson", "ndjson", "application/x-ndjson"},
};

/* One element of a header's list: what stands before the first ';', and its parameters. */
typedef struct Element
{
	const char *text;
	size_t length; /* without parameters and white space */
	const char *parameters;
	const char *end;
} Element;

static const char *
skip_space(const char *text)
{
	return text + strspn(text, " \t");
}

/* The end of what begins at text: the next of the given characters outside of quotes. */
static const char *
find_end(const char *text, const char *stops)
{
	bool quoted = false;

	for (; *text != '\0'; text++)
	{
		if (*text == '\\' && quoted && text[1] != '\0')
			text++;
		else if (*text == '"')
			quoted = !quoted;
		else if (!quoted && strchr(stops, *text) != NULL)
			break;
	}
	return text;
}

/* The next element of a comma-separated list; false at its end. */
static bool
next_element(const char **list, Element *element)
{
	const char *text = *list + strspn(*list, ", \t");
	const char *stop;

	if (*text == '\0')
		return false;
	element->text = text;
	element->end = find_end(text, ",");
	stop = find_end(text, ",;");
	element->parameters = stop;
	while (stop > text && isspace((unsigned char) stop[-1]))
		stop--;
	element->length = (size_t) (stop - text);
	*list = element->end;
	return true;
}

/* The quality of an element in thousandths: its parameter q, 1000 when there is none. */
static int
quality(const Element *element)
{
	const char *parameter = element->parameters;

	while (parameter < element->end && *parameter == ';')
	{
		double value;

		parameter = skip_space(parameter + 1);
		if (strncasecmp(parameter, "q=", 2) == 0)
		{
			value = strtod(parameter + 2, NULL);
			return value >= 0 && value <= 1 ? (int) (value * 1000) : 0;
		}
		parameter = find_end(parameter, ",;");
	}
	return 1000;
}

static bool
is_text(const char *text, size_t length, const char *expected)
{
	return length == strlen(expected) && strncasecmp(text, expected, length) == 0;
}

/* How closely a media range fits a type: 0 not at all, 1 all types, 2 its main type, 3 exactly. */
static int
closeness(const Element *range, const char *type, const char *subtype)
{
	const char *slash = memchr(range->text, '/', range->length);
	size_t main;

	if (slash == NULL)
		return is_text(range->text, range->length, "*") ? 1 : 0;
	main = (size_t) (slash - range->text);
	if (is_text(range->text, range->length, "*/*"))
		return 1;
	if (!is_text(range->text, main, type))
		return 0;
	if (is_text(slash + 1, range->length - main - 1, "*"))
		return 2;
	return is_text(slash + 1, range->length - main - 1, subtype) ? 3 : 0;
}

/* The quality that an Accept header gives to a type: that of the closest range. */
static int
accepted(const char *accept, const char *type, const char *subtype)
{
	const char *list = accept;
	Element range;
	int best = 0;
	int value = 0;

	while (next_element(&list, &range))
	{
		int fit = closeness(&range, type, subtype);

		if (fit <= best)
			continue;
		best = fit;
		value = quality(&range);
	}
	return value;
}

bool
negotiate_accepts(const Request *request, const char *type)
{
	const char *accept = request->headers[HEADER_ACCEPT];
	size_t length = strcspn(type, "; ");
	char name[128];
	char *slash;

	if (accept == NULL || *skip_space(accept) == '\0' || length >= sizeof(name))
		return true;
	memcpy(name, type, length);
	name[length] = '\0';
	slash = strchr(name, '/');
	if (slash == NULL)
		return true;
	*slash = '\0';
	return accepted(accept, name, slash + 1) > 0;
}

/* Is what the request asks for a list, as far as its path tells? */
static bool
asks_list(const Request *request)
{
	return request->route != NULL && stream_call(request->route) != CALL_NOT_IMPLEMENTED;
}

/* Choose the type that is liked best; false when there is none. */
static bool
choose_type(Request *request)
{
	const char *accept = request->headers[HEADER_ACCEPT];
	const Format *best = NULL;
	int most = 0;

	if (accept == NULL || *skip_space(accept) == '\0')
		return true;
	if (request->route != NULL && request->route->envelope == ENVELOPE_FEED)
		return accepted(accept, "application", "rss+xml") > 0;
	for (size_t i = 0; i < lengthof(producible); i++)
	{
		const Format *format = &producible[i];
		int value = accepted(accept, format->type, format->subtype);

		request->takes_json |= value > 0 && format->name == NULL;
		if (value <= most || (format->name != NULL && !asks_list(request)))
			continue;
		most = value;
		best = format;
	}
	if (best != NULL && best->name != NULL)
		request->format = best;
	return best != NULL;
}

/* Is the body, if there is one, JSON by its Content-Type, or a form where that is taken? */
static bool
consumable(Request *request)
{
	const char *list = request->headers[HEADER_CONTENT_TYPE];
	Element type;

	if (request->received == 0)
		return true;
	if (list == NULL || !next_element(&list, &type) || *list != '\0')
		return false;
	request->form =
		form_taken(request) && is_text(type.text, type.length, "application/x-www-form-urlencoded");
	return request->form || is_text(type.text, type.length, "application/json");
}

typedef struct Preference
{
	const char *name;
	const char *values[2];					/* the default first */
	size_t place;							/* in Request */
	size_t usual;							/* so, of the consumer's; 0: consumers have none */
	bool (*honoured)(const CallSpec *call); /* do answers of the call depend on it? */
	bool of_records;						/* it shapes the records of an answer */
} Preference;

/* Is it a change, which may be answered with the record? */
static bool
is_change(const CallSpec *call)
{
	return call_takes(call, ARGUMENT_RETURN);
}

static bool
gives_records(const CallSpec *call)
{
	return call_takes(call, ARGUMENT_RELATIONS);
}

/* The states of a record are shown with their colors, and with ids of what they refer to. */
static bool
gives_colors(const CallSpec *call)
{
	return gives_records(call) || call == &call_specs[CALL_VERSIONS];
}

/* Any request may have parameters or members of a body that mean nothing. */
static bool
takes_names(const CallSpec *call)
{
	(void) call;
	return true;
}

static const Preference preferences[] = {
	{"return",
	 {"minimal", "representation"},
	 offsetof(Request, prefer_return),
	 offsetof(Request, usual_return),
	 is_change,
	 false},
	{"relations",
	 {"ids", "embedded"},
	 offsetof(Request, prefer_relations),
	 offsetof(Request, usual_relations),
	 gives_records,
	 true},
	{"color",
	 {"bare", "css"},
	 offsetof(Request, prefer_color),
	 offsetof(Request, usual_color),
	 gives_colors,
	 true},
	{"handling", {"lenient", "strict"}, offsetof(Request, prefer_handling), 0, takes_names, false},
};

const char *
negotiate_preferences(Request *request, const Route *route)
{
	const char *list = NULL;

	for (size_t i = 0; i < lengthof(preferences); i++)
		if (preferences[i].honoured(&call_specs[route->call]))
			list = arena_format(&request->arena, "%s%s%s=%s", list ? list : "", list ? ", " : "",
								preferences[i].name, preferences[i].values[0]);
	return list;
}

/* Does the answer depend on a preference?  That for what changes give is settled before. */
static bool
shapes(const Request *request, const Preference *preference)
{
	const CallSpec *call = &call_specs[request->route->call];

	if (preference->of_records && is_change(call) &&
		strcmp(request->prefer_return, "representation") != 0)
		return false;
	return preference->honoured(call);
}

/* Take one element of Prefer; of several that name one preference the first counts. */
static void
apply(Request *request, const Preference *preference, const Element *element)
{
	const char **place = (const char **) ((char *) request + preference->place);
	size_t name = strlen(preference->name);
	const char *end = element->text + element->length;
	const char *value;
	size_t length;

	if (element->length <= name || strncasecmp(element->text, preference->name, name) != 0)
		return;
	value = skip_space(element->text + name);
	if (*value != '=' || *place != NULL)
		return;
	value = skip_space(value + 1);
	if (value >= end)
		return;
	length = (size_t) (end - value);
	if (length >= 2 && value[0] == '"' && value[length - 1] == '"')
	{
		value++;
		length -= 2;
	}
	for (size_t i = 0; i < lengthof(preference->values); i++)
		if (is_text(value, length, preference->values[i]))
			*place = preference->values[i];
}

/*
 * Say what was applied, and take the default, maybe the consumer's own, for what was not asked for.
 */
static void
settle(Request *request, const Preference *preference)
{
	const char **place = (const char **) ((char *) request + preference->place);
	const char *usual =
		preference->usual > 0 ? *(const char **) ((char *) request + preference->usual) : NULL;

	if (*place == NULL)
		*place = usual ? usual : preference->values[0];
	else if (request->route != NULL && shapes(request, preference))
		request->applied =
			arena_format(&request->arena, "%s%s%s=%s", request->applied ? request->applied : "",
						 request->applied ? ", " : "", preference->name, *place);
}

bool
negotiate_strict(const Request *request)
{
	return request->prefer_handling != NULL && strcmp(request->prefer_handling, "strict") == 0;
}

/* Tell the database of a preference, which is a matter of who asks, as its sight is. */
static void
tell_preference(Request *request, const char *member)
{
	const char *members = request->actor + 1;
	const char *texts[] = {"{", member, *members == '}' ? "" : ",", members, NULL};

	request->actor = arena_join(&request->arena, texts);
}

static void
read_preferences(Request *request)
{
	const char *list = request->headers[HEADER_PREFER];
	Element element;

	while (list != NULL && next_element(&list, &element))
		for (size_t i = 0; i < lengthof(preferences); i++)
			apply(request, &preferences[i], &element);
	for (size_t i = 0; i < lengthof(preferences); i++)
		settle(request, &preferences[i]);
	if (strcmp(request->prefer_color, "css") == 0)
		tell_preference(request, "\"color\":\"css\"");
	if (negotiate_strict(request))
		tell_preference(request, "\"handling\":\"strict\"");
}

/* Does the query have a parameter that the call could only leave aside? */
static bool
has_unknown_parameter(const Request *request)
{
	const char *query = request->query;
	size_t length;

	return negotiate_strict(request) && request->route != NULL &&
		   !call_takes(&call_specs[request->route->call], ARGUMENT_QUERY) &&
		   text_query_word(&query, &length) != NULL;
}

bool
negotiate_request(Request *request)
{
	bool bytes = request->route != NULL && request->route->envelope == ENVELOPE_BYTES;

	read_preferences(request);
	/* bytes are of the type that they are, which is known when they are found (download.c) */
	if (!bytes && !choose_type(request))
		error_set(request, 406, NULL);
	else if (!consumable(request))
		error_set(request, 415, NULL);
	else if (has_unknown_parameter(request))
		error_set(request, 422, "there are no parameters on this path");
	return request->answer.status == 0;
}
