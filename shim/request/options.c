/*
 * options.c - what a path offers: OPTIONS, and Allow of 405.
 *
 * A verb is offered if the route table has it and describe() has its action.  The fields and the
 * query parameters are those of describe().
 */

#include <jansson.h>

#include "database/clients.h"
#include "request/request.h"

#define CONSUMER_MEMBERS                                                            \
	"\"return\":{\"type\":\"string\",\"enum\":[\"minimal\",\"representation\"]},"   \
	"\"relations\":{\"type\":\"string\",\"enum\":[\"ids\",\"embedded\"]},"          \
	"\"color\":{\"type\":\"string\",\"enum\":[\"bare\",\"css\"]},"                  \
	"\"expires\":{\"type\":\"datetime\"},\"tokenLifetime\":{\"type\":\"integer\"}," \
	"\"origins\":{\"type\":\"array\"},\"publicPaths\":{\"type\":\"array\"}"

/* The bodies of the calls that are not about the fields of a resource. */
static const char *const bodies[CALL_NAMES] = {
	/* NOLINTNEXTLINE(bugprone-suspicious-missing-comma) */
	[CALL_LOGIN] = "{\"username\":{\"type\":\"string\",\"required\":true},"
				   "\"password\":{\"type\":\"string\",\"required\":true}}",
	[CALL_CLIENT_TOKEN] = "{\"consumer\":{\"type\":\"string\",\"required\":true},"
						  "\"consumerId\":{\"type\":\"string\",\"required\":true}}",
	[CALL_QUERY] = "{\"sql\":{\"type\":\"string\",\"required\":true,\"max\":20000}}",
	[CALL_TRANSFER] = "{\"to\":{\"type\":\"string\",\"required\":true,\"reference\":\"users\"}}",
	[CALL_BATCH] = "{\"parts\":{\"type\":\"array\",\"required\":true,\"max\":1000}}",
	[CALL_IMPORT] =
		"{\"document\":{\"type\":\"json\"},\"url\":{\"type\":\"string\",\"max\":2000},"
		"\"source\":{\"type\":\"string\",\"max\":500},"
		"\"dryRun\":{\"type\":\"boolean\"},\"partial\":{\"type\":\"boolean\"},"
		"\"acceptLoss\":{\"type\":\"boolean\"},\"take\":{\"type\":\"array\"},"
		"\"publish\":{\"type\":\"boolean\"},"
		"\"gone\":{\"type\":\"string\",\"enum\":[\"keep\",\"unpublish\",\"delete\"]},"
		"\"category\":{\"type\":\"string\"},\"organization\":{\"type\":\"string\"},"
		"\"updateFrequency\":{\"type\":\"string\",\"reference\":\"updatefrequencies\"}}",
	[CALL_REGISTER_CONSUMER] = "{\"name\":{\"type\":\"string\",\"required\":true,\"max\":100},"
							   "\"id\":{\"type\":\"string\",\"max\":64}," CONSUMER_MEMBERS "}",
	[CALL_CHANGE_CONSUMER] = "{\"name\":{\"type\":\"string\",\"max\":100}," CONSUMER_MEMBERS "}",
	[CALL_MAKE_KEY] =
		"{\"kind\":{\"type\":\"string\",\"enum\":[\"apikey\",\"HS256\",\"RS256\",\"ES256\"],"
		"\"default\":\"apikey\"},\"key\":{\"type\":\"string\",\"max\":100},"
		"\"material\":{\"type\":\"string\",\"max\":4096},\"issuesTokens\":{\"type\":\"boolean\"},"
		"\"expires\":{\"type\":\"datetime\"},\"resources\":{\"type\":\"array\"},"
		"\"verbs\":{\"type\":\"array\"},"
		"\"organization\":{\"type\":\"string\",\"reference\":\"organizations\"},"
		"\"rate\":{\"type\":\"integer\"}}",
	[CALL_REPLACE_KEY] =
		"{\"grace\":{\"type\":\"integer\"},\"material\":{\"type\":\"string\",\"max\":4096}}",
	[CALL_FOLLOW] =
		"{\"email\":{\"type\":\"string\",\"max\":250},\"language\":{\"type\":\"string\"}}",
	[CALL_SEND_EMAIL] =
		"{\"template\":{\"type\":\"string\",\"enum\":[\"contact\",\"datasetrequest\"]},"
		"\"name\":{\"type\":\"string\",\"max\":100},"
		"\"email\":{\"type\":\"string\",\"required\":true,\"max\":250},"
		"\"subject\":{\"type\":\"string\",\"max\":150},"
		"\"text\":{\"type\":\"string\",\"required\":true,\"max\":10000}}",
};

static bool
takes(CallName call, Argument argument)
{
	return call_takes(&call_specs[call], argument);
}

static bool
array_has(const json_t *array, const char *text)
{
	for (size_t i = 0; i < json_array_size(array); i++)
	{
		const char *item = json_string_value(json_array_get(array, i));

		if (item != NULL && strcasecmp(item, text) == 0)
			return true;
	}
	return false;
}

/*
 * Lists of actions in the result of describe(): those of the resource, those that are refused to all
 * although their paths exist, and those that are allowed to the caller.
 */
#define ACTIONS "actions"
#define REFUSED "refused"
#define ALLOWED "allowed"

/* The route of a verb on the path, if it is implemented and its action is in a list. */
static const Route *
offered(const Request *request, Verb verb, const json_t *described, const char *list)
{
	const Route *route = route_for(request, verb);

	if (route == NULL || !route_built(request, route))
		return NULL;
	if (route->action != NULL && !array_has(json_object_get(described, list), route->action))
		return NULL;
	return route;
}

/* Does the path exist, according to the actions and relations of the resource? */
static bool
exists(const Request *request, const json_t *described)
{
	const char *relation = request->path_relation;
	bool any = described == NULL;

	for (Verb verb = 0; verb < VERB_OPTIONS; verb++)
		any |= offered(request, verb, described, ACTIONS) != NULL ||
			   offered(request, verb, described, REFUSED) != NULL;
	return any &&
		   (relation == NULL || array_has(json_object_get(described, "relations"), relation));
}

static const char *
allowed_verbs(Request *request, const json_t *described, const char *list)
{
	const char *allow = "";

	for (Verb verb = 0; verb < VERB_OPTIONS; verb++)
		if (offered(request, verb, described, list) != NULL)
			allow = arena_format(&request->arena, "%s%s, ", allow, verb_names[verb]);
	return arena_format(&request->arena, "%s%s", allow, verb_names[VERB_OPTIONS]);
}

/* The fields that the caller may write. */
static json_t *
writable(const json_t *described, const Route *route)
{
	const json_t *names = json_object_get(described, route->action);
	const json_t *fields = json_object_get(described, "fields");
	json_t *parameters = json_object();

	for (size_t i = 0; i < json_array_size(names); i++)
	{
		const char *name = json_string_value(json_array_get(names, i));

		json_object_set(parameters, name, json_object_get(fields, name));
	}
	return parameters;
}

/* Add the fields as filters, without the facts that matter only for records. */
static void
add_filters(json_t *parameters, const json_t *fields)
{
	static const char *const of_records[] = {"required", "unique", "default", "readOnly",
											 "properties"};
	const char *name;
	json_t *facts;

	json_object_foreach((json_t *) fields, name, facts)
	{
		json_t *filter;

		if (json_object_get(parameters, name) != NULL)
			continue;
		filter = json_copy(facts);
		for (size_t i = 0; i < lengthof(of_records); i++)
			json_object_del(filter, of_records[i]);
		json_object_set_new(parameters, name, filter);
	}
}

/* Members of the body of a change: the fields, and the part of a form that is the file. */
static json_t *
members_of(const Request *request, const Route *route, const json_t *described)
{
	json_t *parameters = writable(described, route);
	const char *part = upload_part(request, route);

	if (part != NULL)
		json_object_set_new(parameters, part,
							json_pack("{s:s, s:s}", "type", "file", "in", "multipart/form-data"));
	return parameters;
}

json_t *
options_parameters(const Request *request, const Route *route, const json_t *described)
{
	const char *function = call_specs[route->call].function;
	json_t *parameters;

	if (bodies[route->call] != NULL)
		return json_loads(bodies[route->call], 0, NULL);
	if (takes(route->call, ARGUMENT_BODY))
		return members_of(request, route, described);
	parameters = json_copy(json_object_get(json_object_get(described, "parameters"), function));
	if (array_has(json_object_get(described, "filtering"), function))
		add_filters(parameters, json_object_get(described, "fields"));
	return parameters != NULL ? parameters : json_object();
}

/* The media types of the bodies that a route takes. */
static const char *
body_types(Request *request, const Route *route)
{
	const char *files = upload_part(request, route) != NULL
							? ", multipart/form-data, application/octet-stream"
							: "";
	const char *rows = body_rows_types(route);
	const char *documents = upload_document_types(route);
	const char *form = body_form_type(request, route);

	return arena_format(&request->arena, "application/json%s%s%s%s%s%s%s", files, form ? ", " : "",
						form ? form : "", rows ? ", " : "", rows ? rows : "", documents ? ", " : "",
						documents ? documents : "");
}

static json_t *
headers_of(Request *request, const Route *route)
{
	json_t *headers = json_object();

	json_object_set_new(headers, "Accept", json_string(negotiate_answer_types(request, route)));
	if (takes(route->call, ARGUMENT_BODY))
		json_object_set_new(headers, "Content-Type", json_string(body_types(request, route)));
	if (takes(route->call, ARGUMENT_ACTOR))
		json_object_set_new(headers, "Authorization", json_string("Bearer <token>"));
	if (route->verb == VERB_POST && call_specs[route->call].trait == TRAIT_ONCE)
		json_object_set_new(headers, "Idempotency-Key", json_string("<key>"));
	json_object_set_new(headers, "Prefer", json_string(negotiate_preferences(request, route)));
	return headers;
}

/* The entries of "methods". */
static const char *
methods_text(Request *request, const json_t *described)
{
	json_t *methods = json_array();
	Buffer url;

	buffer_init(&url, ANSWER_MAXIMUM);
	link_request(&url, request);
	for (Verb verb = 0; verb < VERB_OPTIONS; verb++)
	{
		const Route *route = offered(request, verb, described, ALLOWED);

		if (route == NULL || auth_anonymous_headers(request))
			continue;
		json_array_append_new(methods, json_pack("{s:s, s:s%, s:o, s:o}", "verb", verb_names[verb],
												 "url", url.data, url.length, "headers",
												 headers_of(request, route), "parameters",
												 options_parameters(request, route, described)));
	}
	if (!auth_anonymous_headers(request))
		json_array_append_new(methods,
							  json_pack("{s:s, s:s%, s:{s:s}, s:{}}", "verb",
										verb_names[VERB_OPTIONS], "url", url.data, url.length,
										"headers", "Accept", "application/json", "parameters"));
	buffer_free(&url);
	return arena_json(&request->arena, methods);
}

/* Tell the media types of bodies of PATCH, if the path takes any (RFC 5789). */
static void
accept_patch(Request *request, const json_t *described)
{
	const Route *route = offered(request, VERB_PATCH, described, ACTIONS);

	if (route == NULL)
		return;
	if (route->call == CALL_UPLOAD_FINISH)
		answer_field(request, "Accept-Patch", upload_part_types());
	else if (takes(route->call, ARGUMENT_BODY))
		answer_field(request, "Accept-Patch", body_types(request, route));
}

/* Tell how many bytes a file may have, if the path takes any. */
static void
upload_limit(Request *request, const json_t *described)
{
	const json_t *limit = json_object_get(described, "uploadLimit");

	if (json_is_integer(limit) &&
		(upload_part(request, offered(request, VERB_POST, described, ACTIONS)) != NULL ||
		 upload_part(request, offered(request, VERB_PUT, described, ACTIONS)) != NULL))
		upload_resume_limit(request, json_integer_value(limit));
}

/* Answer OPTIONS; described is NULL for a path that does not belong to a resource. */
static StageResult
answer_options(Request *request, const json_t *described)
{
	envelope_begin(request, MHD_HTTP_OK);
	buffer_text(&request->answer.head, "},\"methods\":");
	buffer_text(&request->answer.head, methods_text(request, described));
	buffer_text(&request->answer.head, "}");
	/* the verbs of the path, for all callers; the methods are those allowed to this one */
	request->answer.allow = allowed_verbs(request, described, ACTIONS);
	accept_patch(request, described);
	upload_limit(request, described);
	return ANSWERED;
}

static StageResult
answer_refusal(Request *request, const json_t *described)
{
	const char *allow = allowed_verbs(request, described, ACTIONS);

	(void) error_hint(request, 405, arena_format(&request->arena, "This path takes %s.", allow));
	request->answer.allow = allow;
	return ANSWERED;
}

/* Does what is offered on the path depend on the resource? */
static bool
depends_on_resource(const Request *request)
{
	for (Verb verb = 0; verb < VERB_OPTIONS; verb++)
	{
		const Route *route = route_for(request, verb);

		if (route != NULL && route->action != NULL)
			return true;
	}
	return false;
}

/* Answer with the result of describe(); 404: the resource does not have this path. */
static StageResult
finish(Request *request)
{
	json_t *described;
	Reply reply;
	StageResult progress;

	described = call_reply(request->call, &reply) && reply.data
					? json_loadb(reply.data, reply.data_length, 0, NULL)
					: NULL;
	if (described == NULL)
		progress = error_set(request, 500, NULL);
	else if (!exists(request, described))
		progress = error_set(request, 404, NULL);
	else
	{
		if (depends_on_resource(request))
			request->record_id = reply.id;
		progress = request->verb == VERB_OPTIONS ? answer_options(request, described)
												 : answer_refusal(request, described);
	}
	json_decref(described);
	return progress;
}

/* Does a call on the path read a query string? */
static bool
takes_parameters(const Request *request)
{
	for (Verb verb = 0; verb < VERB_OPTIONS; verb++)
	{
		const Route *route = route_for(request, verb);

		if (route != NULL && takes(route->call, ARGUMENT_QUERY))
			return true;
	}
	return false;
}

StageResult
options_answer(Request *request)
{
	if (depends_on_resource(request) || takes_parameters(request))
		return request_call_start(request, CALL_DESCRIBE, finish);
	return answer_options(request, NULL);
}

StageResult
options_refuse(Request *request)
{
	if (depends_on_resource(request))
		return request_call_start(request, CALL_DESCRIBE, finish);
	return answer_refusal(request, NULL);
}
