/*
 * call.c - the calls: the only SQL of this program, and what stands for each argument.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#define PARAMETER_BINARY 1 /* what libpq is told: an argument is bytes, and not their text */

#define RESOURCE ARGUMENT_RESOURCE
#define ID ARGUMENT_ID
#define RELATION ARGUMENT_RELATION
#define ACTION ARGUMENT_ACTION
#define QUERY ARGUMENT_QUERY
#define BODY ARGUMENT_BODY
#define RETURN ARGUMENT_RETURN
#define RELATIONS ARGUMENT_RELATIONS
#define ACTOR ARGUMENT_ACTOR
#define KNOWN ARGUMENT_KNOWN
#define MATCH ARGUMENT_MATCH
#define FORMAT ARGUMENT_FORMAT
#define BASE ARGUMENT_BASE
#define KEY ARGUMENT_KEY
#define CONSUMER ARGUMENT_CONSUMER
#define WANTED ARGUMENT_WANTED
#define ADDRESS ARGUMENT_ADDRESS
#define TARGET ARGUMENT_TARGET
#define UPLOAD ARGUMENT_UPLOAD
#define DETAILS ARGUMENT_DETAILS
#define FORM ARGUMENT_FORM
#define TEXTS ARGUMENT_TEXTS
#define STRICT ARGUMENT_STRICT

const CallSpec call_specs[CALL_NAMES] = {
	[CALL_LIST] = {"list", KIND_PAGE, 5, {RESOURCE, QUERY, RELATIONS, ACTOR, KNOWN}},
	/* one or several by one statement: the ids, and what is known of each, are arrays (call_batch.c) */
	[CALL_ITEM] = {"items", KIND_KEYED, 6, {RESOURCE, ID, QUERY, RELATIONS, ACTOR, KNOWN}},
	[CALL_FIRST] = {"first", KIND_PAGE, 5, {RESOURCE, QUERY, RELATIONS, ACTOR, KNOWN}},
	[CALL_LAST] = {"last", KIND_PAGE, 5, {RESOURCE, QUERY, RELATIONS, ACTOR, KNOWN}},
	[CALL_COUNT] = {"count", KIND_PAGE, 4, {RESOURCE, QUERY, ACTOR, KNOWN}},
	[CALL_RELATED] = {"related",
					  KIND_PAGE,
					  7,
					  {RESOURCE, ID, RELATION, QUERY, RELATIONS, ACTOR, KNOWN}},
	[CALL_DATASET_FILETYPES] = {"dataset_filetypes",
								KIND_SLOW,
								5,
								{ID, QUERY, RELATIONS, ACTOR, KNOWN}},
	[CALL_FEED] = {"feed", KIND_SLOW, 3, {QUERY, BASE, ACTOR}},
	[CALL_USAGE] = {"usage", KIND_SLOW, 5, {RESOURCE, QUERY, RELATIONS, ACTOR, KNOWN}},
	[CALL_SEARCH] = {"search", KIND_SLOW, 4, {QUERY, RELATIONS, ACTOR, KNOWN}},
	[CALL_VERSIONS] = {"versions", KIND_SLOW, 5, {RESOURCE, ID, QUERY, ACTOR, KNOWN}},
	[CALL_CREATE] = {"create", KIND_WRITE, 6, {RESOURCE, BODY, RETURN, RELATIONS, ACTOR, ADDRESS}},
	[CALL_UPDATE] = {"update",
					 KIND_WRITE,
					 7,
					 {RESOURCE, ID, BODY, RETURN, RELATIONS, ACTOR, MATCH}},
	[CALL_DELETE] = {"delete", KIND_WRITE, 6, {RESOURCE, ID, ACTOR, MATCH, RETURN, RELATIONS}},
	[CALL_RESTORE] = {"restore", KIND_WRITE, 6, {RESOURCE, ID, RETURN, RELATIONS, ACTOR, MATCH}},
	[CALL_DEACTIVATE] = {"deactivate",
						 KIND_WRITE,
						 6,
						 {RESOURCE, ID, RETURN, RELATIONS, ACTOR, MATCH}},
	[CALL_ACT] = {"act", KIND_WRITE, 7, {RESOURCE, ID, ACTION, RETURN, RELATIONS, ACTOR, MATCH}},
	[CALL_EXPORT] = {"export",
					 KIND_STREAM,
					 7,
					 {RESOURCE, ID, RELATION, QUERY, RELATIONS, ACTOR, FORMAT}},
	[CALL_DESCRIBE] = {"describe", KIND_KEYED, 3, {RESOURCE, ACTOR, ID}},
	[CALL_LOGIN] = {"login", KIND_WRITE, 3, {BODY, ADDRESS, STRICT}},
	[CALL_CONFIRM] = {"confirm_password", KIND_WRITE, 4, {ID, BODY, ACTOR, ADDRESS}},
	[CALL_LOGOUT] = {"logout", KIND_WRITE, 1, {ACTOR}},
	[CALL_SESSION] = {"session", KIND_KEYED, 1, {ACTOR}},
	[CALL_CREDENTIAL] = {"credential", KIND_KEYED, 2, {KEY, CONSUMER}},
	/* it writes, and nothing is lost when it is made twice */
	[CALL_USE_KEY] = {"use_key", KIND_SLOW, 2, {KEY, WANTED}},
	/* likewise; it writes when the consumer is not found */
	[CALL_CLIENT_TOKEN] = {"client_token", KIND_SLOW, 3, {BODY, ADDRESS, STRICT}},
	[CALL_WEB_ACCESS] = {"web_access", KIND_KEYED, 0, {0}},
	[CALL_ENTRY] = {"entry", KIND_KEYED, 2, {BASE, ACTOR}},
	[CALL_ROLES] = {"roles", KIND_KEYED, 1, {ACTOR}},
	[CALL_HEALTH] = {"health", KIND_KEYED, 0, {0}},
	[CALL_UPLOAD_BEGIN] = {"upload_begin", KIND_WRITE, 4, {RESOURCE, TARGET, DETAILS, ACTOR}},
	[CALL_UPLOAD_STATE] = {"upload_state", KIND_SLOW, 2, {UPLOAD, ACTOR}},
	[CALL_UPLOAD_FINISH] = {"upload_finish",
							KIND_WRITE,
							7,
							{UPLOAD, TEXTS, DETAILS, RETURN, RELATIONS, ACTOR, MATCH}},
	[CALL_UPLOAD_DROP] = {"upload_drop", KIND_WRITE, 2, {UPLOAD, ACTOR}},
	[CALL_DOWNLOAD] = {"download", KIND_SLOW, 4, {ID, FORM, QUERY, ACTOR}},
	[CALL_IMAGE] = {"image", KIND_SLOW, 2, {ID, ACTOR}},
	[CALL_ARCHIVE] = {"archive", KIND_SLOW, 2, {ID, ACTOR}},
	[CALL_CATEGORY_DOWNLOADS] = {"category_downloads", KIND_SLOW, 1, {ACTOR}},
	[CALL_CANCEL_JOB] = {"cancel_job", KIND_WRITE, 2, {ID, ACTOR}},
	[CALL_CONTENTS] = {"contents_page", KIND_PAGE, 4, {ID, QUERY, ACTOR, KNOWN}},
	[CALL_CONTENTS_EXPORT] = {"contents_export", KIND_STREAM, 4, {ID, QUERY, ACTOR, FORMAT}},
	[CALL_COLUMNS] = {"contents_columns", KIND_PAGE, 4, {ID, QUERY, ACTOR, KNOWN}},
	[CALL_SCHEMA] = {"contents_schema", KIND_PAGE, 4, {ID, QUERY, ACTOR, KNOWN}},
	[CALL_ISSUES] = {"contents_issues", KIND_PAGE, 4, {ID, QUERY, ACTOR, KNOWN}},
	[CALL_SHEETS] = {"contents_sheets", KIND_PAGE, 4, {ID, QUERY, ACTOR, KNOWN}},
	[CALL_FILE_RESOURCES] = {"file_resources", KIND_SLOW, 3, {ID, RELATIONS, ACTOR}},
	/* what makes these calls makes their arguments too; to write bytes twice does no harm */
	[CALL_UPLOAD_WRITE] = {"upload_write", KIND_SLOW, 4, {0}},
	[CALL_BLOB_BYTES] = {"blob_bytes", KIND_SLOW, 2, {0}},
	[CALL_COUNT_DOWNLOAD] = {"count_download", KIND_WRITE, 2, {0}},
	[CALL_RECORD] = {"record_statistics", KIND_WRITE, 3, {0}},
};

/* Does the call give a value, and not a reply? */
static bool
gives_value(const CallSpec *spec)
{
	return spec == &call_specs[CALL_RECORD] || spec == &call_specs[CALL_BLOB_BYTES] ||
		   spec == &call_specs[CALL_ITEM];
}

bool
call_takes(const CallSpec *spec, Argument argument)
{
	for (int i = 0; i < spec->count; i++)
		if (spec->arguments[i] == argument)
			return true;
	return false;
}

void
call_statement(const CallSpec *spec, char *text, size_t size)
{
	static const char parameters[] = "$1, $2, $3, $4, $5, $6, $7";
	int length = spec->count > 0 ? spec->count * 4 - 2 : 0;

	snprintf(text, size,
			 gives_value(spec) ? "SELECT catalogue.%s(%.*s)"
							   : "SELECT catalogue.packed(catalogue.%s(%.*s))",
			 spec->function, length, parameters);
}

bool
call_send(PGconn *pg, const Call *call)
{
	const CallSpec *spec = call->spec;
	int lengths[ARGUMENTS_MAXIMUM] = {0};
	int formats[ARGUMENTS_MAXIMUM] = {0};

	if (spec == &call_specs[CALL_ITEM])
		return join_send(pg, call);
	if (call->bytes == 0)
		return PQsendQueryPrepared(pg, spec->function, spec->count, call->arguments, NULL, NULL,
								   RESULT_BINARY);
	lengths[call->bytes - 1] = call->length;
	formats[call->bytes - 1] = PARAMETER_BINARY;
	return PQsendQueryPrepared(pg, spec->function, spec->count, call->arguments, lengths, formats,
							   RESULT_BINARY);
}

/*
 * The words of a query that leave a page as cheap as none would, and how long a value may be;
 * keyed: where the query says at which record the page begins or ends, so that nothing is passed
 * over; rows: of a file, where that is never needed, and what is not among these words may be the
 * name of a column.
 */
static const struct
{
	const char *name;
	size_t maximum;
	size_t keyed;
	size_t rows;
} plain_words[] = {
	{"limit", 3, 3, 3},
	{"skip", 4, SIZE_MAX, SIZE_MAX},
	{"sort", 4, 4, 4},
	{"version", SIZE_MAX, SIZE_MAX, SIZE_MAX},
	{"after", SIZE_MAX, SIZE_MAX, 0},
	{"before", SIZE_MAX, SIZE_MAX, 0},
	{"fields", SIZE_MAX, SIZE_MAX, SIZE_MAX},
	{"sheet", 0, 0, SIZE_MAX},
	{"types", 0, 0, SIZE_MAX},
};

/* Does a query say at which record the page begins or ends? */
static bool
keyed_query(const char *query)
{
	const char *word;
	size_t length;

	while ((word = text_query_word(&query, &length)) != NULL)
		if (strncmp(word, "after=", 6) == 0 || strncmp(word, "before=", 7) == 0)
			return true;
	return false;
}

/* How long the value of a word may be; 0 where the word is none that leaves a page cheap. */
static size_t
plain_length(const char *word, size_t name, bool rows, bool keyed)
{
	for (size_t i = 0; i < lengthof(plain_words); i++)
		if (strlen(plain_words[i].name) == name && strncmp(word, plain_words[i].name, name) == 0)
			return rows	   ? plain_words[i].rows
				   : keyed ? plain_words[i].keyed
						   : plain_words[i].maximum;
	return 0;
}

/*
 * Is there nothing in the query that makes PostgreSQL look at more than a page of records, or one?
 */
static bool
plain_query(const char *query, bool rows)
{
	bool keyed = keyed_query(query);
	const char *word;
	size_t length;

	while ((word = text_query_word(&query, &length)) != NULL)
	{
		size_t name = strcspn(word, "=&");
		size_t value = length > name ? length - name - 1 : 0;
		size_t most = plain_length(word, name, rows, keyed);

		if (most == 0 || value > most)
			return false;
	}
	return true;
}

/* An argument, none where it says what none would: PostgreSQL has work with every text. */
static const char *
unless(const char *argument, const char *usual)
{
	return argument != NULL && strcmp(argument, usual) != 0 ? argument : NULL;
}

/* Wrong credentials are counted by address, and records that nobody made. */
static bool
is_counted(const Request *request, const CallSpec *spec)
{
	return spec == &call_specs[CALL_LOGIN] || spec == &call_specs[CALL_CONFIRM] ||
		   spec == &call_specs[CALL_CLIENT_TOKEN] ||
		   (spec == &call_specs[CALL_CREATE] && request->user == NULL);
}

/* What stands for each argument of a call in the request. */
static void
set_arguments(Request *request, const CallSpec *spec, const char **arguments)
{
	const char *id = route_word(request, "id");
	const char *key = request->auth.name;
	bool vouched = key != NULL && *key == '@';
	const Upload *upload = upload_of(request);
	const char *values[] = {
		[ARGUMENT_RESOURCE] = request->resource,
		[ARGUMENT_ID] = id ? id : request->user,
		[ARGUMENT_RELATION] = route_word(request, "relation"),
		[ARGUMENT_ACTION] = request->route ? request->route->action : NULL,
		[ARGUMENT_QUERY] = unless(request->query, ""),
		/* no body is no object, but the extension may have more to say than that */
		[ARGUMENT_BODY] = request->body.length > 0 ? request->body.data : "null",
		[ARGUMENT_RETURN] = unless(request->prefer_return, "minimal"),
		[ARGUMENT_RELATIONS] = unless(request->prefer_relations, "ids"),
		[ARGUMENT_ACTOR] = request->actor,
		[ARGUMENT_KNOWN] = request->known,
		[ARGUMENT_MATCH] = request->match,
		[ARGUMENT_KEY] = vouched ? NULL : key,
		[ARGUMENT_CONSUMER] = vouched ? key + 1 : NULL,
		[ARGUMENT_WANTED] = request->auth.wanted,
		[ARGUMENT_FORMAT] = request->format ? request->format->name : NULL,
		[ARGUMENT_BASE] = request->base,
		[ARGUMENT_ADDRESS] = is_counted(request, spec) ? proxy_client(request) : NULL,
		[ARGUMENT_TARGET] = id,
		[ARGUMENT_UPLOAD] = upload != NULL && upload->id[0] != '\0' ? upload->id : id,
		[ARGUMENT_DETAILS] = upload != NULL ? upload->details : NULL,
		[ARGUMENT_TEXTS] = request->body.length > 0 ? request->body.data : NULL,
		[ARGUMENT_FORM] = route_word(request, "format"),
		[ARGUMENT_STRICT] = negotiate_strict(request) ? "true" : NULL,
	};

	for (int i = 0; i < spec->count; i++)
		arguments[i] = values[spec->arguments[i]];
}

/* The request goes on, to its answer or to a further call. */
static void
resume(Call *call)
{
	Request *request = call->request;

	call->then(request);
	if (request->answer.status != 0 || request->arena.failed)
		request_wake(request);
}

/* May a password be hashed by the call? */
static bool
hashes(const Request *request, const CallSpec *spec)
{
	return spec == &call_specs[CALL_LOGIN] || spec == &call_specs[CALL_CONFIRM] ||
		   (strcmp(request->resource, "users") == 0 &&
			(spec == &call_specs[CALL_CREATE] || spec == &call_specs[CALL_UPDATE]));
}

/* Does the answer have records of relations in it, of which there may be any number? */
static bool
embeds(const Request *request, const CallSpec *spec)
{
	return request->prefer_relations != NULL && call_takes(spec, RELATIONS) &&
		   strcmp(request->prefer_relations, "embedded") == 0;
}

/* Is it a read that is never slow? */
static bool
is_quick(const Request *request, const CallSpec *spec)
{
	if (spec->kind == KIND_KEYED && !call_takes(spec, QUERY))
		return true;
	return (spec->kind == KIND_KEYED || spec->kind == KIND_PAGE) && !embeds(request, spec) &&
		   plain_query(request->query, spec == &call_specs[CALL_CONTENTS]);
}

/* What the call waits for. */
static QueueName
queue_for(Request *request, const CallSpec *spec)
{
	if (spec->kind == KIND_STREAM)
		return QUEUE_STREAM;
	if (hashes(request, spec))
		return login_history_queue(request);
	return is_quick(request, spec) ? QUEUE_SHARED : QUEUE_OWN;
}

/* Whom the call counts for. */
static uint64_t
client_of(Request *request, QueueName queue)
{
	if (queue == QUEUE_SHARED)
		return 0;
	return request->route != NULL && request->route->call == CALL_LOGIN
			   ? client_key_of_address(request)
			   : client_key(request);
}

void
call_start(Request *request, CallName name, void (*then)(Request *))
{
	const Settings *settings = request->worker->settings;
	Call *call = &request->call;
	const CallSpec *spec = &call_specs[name];

	call_forget_result(call);
	*call = (Call){.request = request, .spec = spec, .done = resume, .then = then};
	set_arguments(request, spec, call->arguments);
	call->queue = queue_for(request, spec);
	call->client = client_of(request, call->queue);
	/* hashes wait for each other only, and where many come at once they wait long */
	call->wait_until =
		request->worker->now +
		(call->queue <= QUEUE_HASH_LAST ? settings->call_timeout : settings->queue_timeout);
	call->deadline = call->wait_until + settings->call_timeout;
	if (request->arena.failed || request->body.failed)
	{
		error_set(request, 500, NULL);
		return;
	}
	database_submit(request->worker->database, call);
}
