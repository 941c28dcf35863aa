/*
 * request_call.c - calls of requests: their arguments, the client they count for, and the queue that they wait in.
 */
#include <sys/uio.h>

#include <openssl/evp.h>

#include "database/clients.h"
#include "net/header.h"

/*
 * ---- The client that a request counts for ----
 *
 * A client is the user, else the consumer together with its address, else the address; of an IPv6
 * address the first 64 bits, since one customer has all the others.  The address is used with the
 * consumer because the token of a web application is in the browser of each of its visitors.
 *
 * For streams, which a client can hold as long as it likes, the network stands for the address:
 * of IPv4 the first 24 bits, of IPv6 the first 48.
 */

#define SHA256_BYTES 32

/* The key of the user, else of the consumer and the address, else of the address; the seed is not known to clients. */
static uint32_t
key_at(Request *request, bool of_stream)
{
	const Caller *caller = &request->caller;
	uint32_t key = TEXT_HASH ^ request->thread->run;
	Address address;
	size_t length;

	if (caller->user != NULL)
		return text_hash(key, caller->user, strlen(caller->user));
	if (caller->consumer != NULL)
		key = text_hash(key, caller->consumer, strlen(caller->consumer));
	if (!address_read(proxy_client(request), &address))
		return key;
	/* of a stream without the host, or the subnet of a site */
	if (address_is_ipv4(&address))
		length = sizeof(address.bytes) - of_stream;
	else
		length = sizeof(address.bytes) / 2 - 2 * of_stream;
	return text_hash(key, (const char *) address.bytes, length);
}

uint32_t
request_call_client(Request *request)
{
	return key_at(request, false);
}

const char *
request_call_digest(Request *request, const struct iovec *pieces, size_t count, size_t bytes)
{
	EVP_MD_CTX *digest = request->thread->digest;
	unsigned char sum[EVP_MAX_MD_SIZE];
	char text[2 * EVP_MAX_MD_SIZE + 1];
	bool done = EVP_DigestInit_ex(digest, NULL, NULL) == 1;

	for (size_t i = 0; i < count; i++)
		done = done && EVP_DigestUpdate(digest, pieces[i].iov_base, pieces[i].iov_len) == 1;
	if (!done || EVP_DigestFinal_ex(digest, sum, NULL) != 1)
	{
		request->arena.failed = true;
		return "";
	}
	text_hex(sum, bytes, text);
	return arena_text(&request->arena, text, 2 * bytes);
}

/* If the request has a key, let its call be made once for that. */
static void
idempotency_set(Request *request, Call *call)
{
	const char *key = request->headers[HEADER_IDEMPOTENCY_KEY];
	const char *verb = verb_names[request->verb];
	const struct iovec pieces[] = {{(void *) verb, strlen(verb) + 1},
								   {(void *) request->target, strlen(request->target) + 1},
								   {request->body.bytes.data, request->body.bytes.length}};

	if (key == NULL || request->verb != VERB_POST || call->spec->trait != TRAIT_ONCE)
		return;
	call->key = key;
	call->digest = request_call_digest(request, pieces, lengthof(pieces), SHA256_BYTES);
}

/*
 * The parameters with which a page costs no more than without any, and the maximum length of their
 * values; keyed: when the query says at which record the page begins or ends, so that no records
 * are skipped; rows: for rows of a file, which are found by their number.
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

/* The maximum length of a parameter's value; 0 if a page with the parameter may be slow. */
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

/* Does PostgreSQL have to read no more than one page of records for the query? */
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

/* The argument, NULL if it is the default: PostgreSQL need not parse it then. */
static const char *
unless(const char *argument, const char *usual)
{
	return argument != NULL && strcmp(argument, usual) != 0 ? argument : NULL;
}

/*
 * The address by which a call counts wrong credentials and messages, and records of those who are no users;
 * NULL: it counts none.
 */
static const char *
counted_address(Request *request, const CallSpec *spec)
{
	bool creates = call_takes(spec, ARGUMENT_RETURN);

	return call_takes(spec, ARGUMENT_ADDRESS) && (!creates || request->caller.user == NULL)
			   ? proxy_client(request)
			   : NULL;
}

/* Set the arguments of a call from the request. */
static void
set_arguments(Request *request, const CallSpec *spec, const char **arguments)
{
	const char *id = request->path_id;
	const char *key = request->caller.key_name;
	bool by_gateway = key != NULL && *key == '@';
	const char *values[] = {
		[ARGUMENT_RESOURCE] = request->resource,
		[ARGUMENT_ID] = id ? id : request->caller.user,
		[ARGUMENT_RELATION] = request->path_relation,
		[ARGUMENT_ACTION] = request->route ? request->route->action : NULL,
		[ARGUMENT_QUERY] = unless(request->query, ""),
		/* the extension refuses "null", possibly with another error than that it is no object */
		[ARGUMENT_BODY] = request->body.bytes.length > 0 ? request->body.bytes.data
						  : request->body.rows != NULL	 ? ""
														 : "null",
		[ARGUMENT_RETURN] = unless(request->prefer.returns, "minimal"),
		[ARGUMENT_RELATIONS] = unless(request->prefer.relations, "ids"),
		[ARGUMENT_ACTOR] = request->caller.actor,
		[ARGUMENT_KNOWN] = request->known,
		[ARGUMENT_MATCH] = request->match,
		[ARGUMENT_KEY] = by_gateway ? NULL : key,
		[ARGUMENT_CONSUMER] = by_gateway ? key + 1 : NULL,
		[ARGUMENT_WANTED] = request->caller.key_wanted,
		[ARGUMENT_FORMAT] = request->body.rows	? request->body.rows
							: request->format	? request->format->name
							: request->document ? request->document->name
												: NULL,
		[ARGUMENT_BASE] = request->base,
		[ARGUMENT_ADDRESS] = counted_address(request, spec),
		[ARGUMENT_TARGET] = id,
		[ARGUMENT_UPLOAD] = request->upload_id != NULL ? request->upload_id : id,
		[ARGUMENT_DETAILS] = request->details,
		[ARGUMENT_TEXTS] = request->body.bytes.length > 0 ? request->body.bytes.data : NULL,
		[ARGUMENT_FORM] = request->path_format,
		[ARGUMENT_STRICT] = request->strict ? "true" : NULL,
		[ARGUMENT_MONITOR] =
			spec == &call_specs[CALL_METRICS] && proxy_monitors(request) ? "true" : NULL,
		[ARGUMENT_VERSION] = SHIM_VERSION,
	};

	for (int i = 0; i < spec->count; i++)
		arguments[i] = values[spec->arguments[i]];
}

/* May a password be hashed by the call? */
static bool
hashes(const Request *request, const CallSpec *spec)
{
	return spec == &call_specs[CALL_LOGIN] || spec == &call_specs[CALL_CONFIRM] ||
		   (strcmp(request->resource, "users") == 0 &&
			(spec == &call_specs[CALL_CREATE] || spec == &call_specs[CALL_UPDATE]));
}

/* Does the answer contain embedded records, of which there may be any number? */
static bool
embeds(const Request *request, const CallSpec *spec)
{
	return request->prefer.relations != NULL && call_takes(spec, ARGUMENT_RELATIONS) &&
		   strcmp(request->prefer.relations, "embedded") == 0;
}

/* Is it a read that is never slow? */
static bool
is_quick(const Request *request, const CallSpec *spec)
{
	if (spec->kind == KIND_KEYED && !call_takes(spec, ARGUMENT_QUERY))
		return true;
	return (spec->kind == KIND_KEYED || spec->kind == KIND_PAGE) && !embeds(request, spec) &&
		   plain_query(request->query, spec == &call_specs[CALL_CONTENTS]);
}

/* The queue in which the call waits. */
static QueueName
queue_for(const Request *request, const CallSpec *spec)
{
	if (spec->kind == KIND_STREAM)
		return QUEUE_STREAM;
	if (hashes(request, spec))
		return QUEUE_HASH;
	return is_quick(request, spec) ? QUEUE_SHARED : QUEUE_OWN;
}

bool
request_call_follows(const Request *request, const CallSpec *spec)
{
	/* the state for If-Match is compared here */
	return request->caller.good && request->caller.user == NULL && spec->kind != KIND_WRITE &&
		   spec->kind != KIND_PRIMARY && request->headers[HEADER_IF_MATCH] == NULL;
}

static StageResult
start(Request *request, CallName name, StageResult (*then)(Request *), bool unchecked)
{
	const Settings *settings = request->thread->settings;
	const RequestEvents *events = request->thread->events;
	Call *call = request->call;
	const CallSpec *spec = &call_specs[name];

	call_forget_result(call);
	*call = (Call){.request = request,
				   .spec = spec,
				   .done = events->returned,
				   .take_row = events->row,
				   .preempted = events->preempted,
				   .then = then,
				   .unchecked = unchecked};
	set_arguments(request, spec, call->arguments);
	idempotency_set(request, call);
	call->queue = queue_for(request, spec);
	if (call->queue != QUEUE_SHARED)
		call->client = key_at(request, call->queue == QUEUE_STREAM);
	call->anonymous = request->caller.user == NULL && spec->kind != KIND_WRITE;
	call->follows = request_call_follows(request, spec);
	/* password hashes wait for each other only, and when many are requested they wait long */
	call->wait_until = request->thread->now + (call->queue == QUEUE_HASH ? settings->call_timeout
																		 : settings->queue_timeout);
	call->deadline = call->wait_until + settings->call_timeout;
	request->arena.failed |= request->body.bytes.failed;
	if (!request->arena.failed)
		database_submit(request->thread->database, call);
	return WAITING;
}

StageResult
request_call_start(Request *request, CallName name, StageResult (*then)(Request *))
{
	return start(request, name, then, false);
}

StageResult
request_call_start_unchecked(Request *request, CallName name, StageResult (*then)(Request *))
{
	return start(request, name, then, true);
}
