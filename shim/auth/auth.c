/*
 * auth.c - who makes a request: from its credentials to the actor of the call; envelopes with tokens.
 *
 * A request may be made by a user, a consumer, or a user through a consumer.  Only credentials are
 * checked here; whether user and consumer exist, and what they may do, is checked by the call.
 */
#include <strings.h>

#include <jansson.h>

#include "answer/answer.h"
#include "answer/envelope.h"
#include "auth/auth.h"
#include "database/clients.h"
#include "metrics/metrics.h"
#include "net/header.h"

/* Does the request's path match a pattern, in which * matches any word? */
static bool
is_path(const Request *request, const char *pattern, size_t length)
{
	const char *end = pattern + length;
	int word = 0;

	for (; pattern < end && *pattern == '/' && word < request->words; word++)
	{
		const char *stop = ++pattern;

		while (stop < end && *stop != '/')
			stop++;
		if ((stop - pattern != 1 || *pattern != '*') &&
			(strlen(request->path[word]) != (size_t) (stop - pattern) ||
			 strncasecmp(request->path[word], pattern, (size_t) (stop - pattern)) != 0))
			return false;
		pattern = stop;
	}
	return pattern == end && word == request->words;
}

/* Does the request's path match a pattern of a comma-separated list? */
static bool
is_among(const Request *request, const char *list)
{
	for (list += strspn(list, ", "); *list != '\0'; list += strspn(list, ", "))
	{
		size_t length = strcspn(list, ", ");

		if (is_path(request, list, length))
			return true;
		list += length;
	}
	return false;
}

static bool
is_public(const Request *request)
{
	return request->words <= SEGMENTS_MAXIMUM &&
		   (is_among(request, request->thread->settings->public_paths) ||
			is_among(request, web_access_fact(request->thread, WEB_PATHS)));
}

/* Does the service not serve the request, for want of a credential? */
static bool
lacks_credential(const Request *request)
{
	bool open = request->route != NULL && call_specs[request->route->call].trait == TRAIT_OPEN;

	return request->thread->settings->private && request->caller.user == NULL &&
		   request->caller.consumer == NULL && !open && !is_public(request);
}

/* Is the request a preflight, which browsers send without a credential? */
static bool
is_preflight(const Request *request)
{
	return request->verb == VERB_OPTIONS && request->headers[HEADER_PREFLIGHT_METHOD] != NULL;
}

bool
auth_anonymous_refused(const Request *request)
{
	return lacks_credential(request) && !is_preflight(request);
}

bool
auth_anonymous_headers(const Request *request)
{
	return lacks_credential(request) && is_preflight(request);
}

void
auth_session_login(Request *request, const Reply *reply)
{
	const Settings *settings = request->thread->settings;
	json_int_t now = clock_time();
	json_int_t login = request->route->call == CALL_LOGIN ? now : request->caller.login;
	char *token;

	if (reply->id == NULL)
	{
		(void) error_login(request);
		return;
	}
	/* the extension refuses tokens with another session than the user's */
	token = token_issue(json_pack("{s:s, s:s, s:I, s:I, s:I}", "id", reply->id, "session",
								  reply->version, "login", login, "iat", now, "exp",
								  now + (json_int_t) settings->token_lifetime / 1000),
						settings->token_secret);
	if (token == NULL || reply->data_length < 2)
	{
		free(token);
		(void) error_set(request, 500, NULL);
		return;
	}
	envelope_begin(request, MHD_HTTP_OK);
	envelope_ignored(request, reply);
	/* the members of the reply follow those written here */
	envelope_data(request, reply->data + 1, reply->data_length - 1);
	buffer_text(&request->answer.head, "{\"token\":\"");
	buffer_text(&request->answer.head, token);
	buffer_text(&request->answer.head, "\",");
	envelope_link(request, "user", request->resource, reply->id);
	envelope_link(request, "refreshToken", request->resource, "refreshToken", reply->id);
	buffer_text(&request->answer.tail, "}}");
	free(token);
}

/* A token for a consumer, signed with the key in the reply. */
void
auth_session_token(Request *request, const Reply *reply)
{
	json_t *object = json_loadb(reply->data, reply->data_length, 0, NULL);
	const char *key = json_string_value(json_object_get(object, "key"));
	const char *material = json_string_value(json_object_get(object, "material"));
	json_int_t lifetime = json_integer_value(json_object_get(object, "lifetime"));
	json_int_t now = clock_time();
	char *token = key && material ? token_issue(json_pack("{s:s, s:I, s:I}", "iss", key, "iat", now,
														  "exp", now + lifetime),
												material)
								  : NULL;

	if (json_object_size(object) == 0)
		(void) error_set(request, 401, "no consumer of this name and id may have tokens");
	else if (token == NULL)
		(void) error_set(request, 500, NULL);
	else
	{
		envelope_begin(request, MHD_HTTP_OK);
		envelope_ignored(request, reply);
		buffer_format(&request->answer.head, "},\"data\":\"%s\",\"links\":{}}", token);
	}
	free(token);
	json_decref(object);
}

/*
 * ---- The present password of a user who changes his own ----
 *
 * The update checks the password too.  But an update that fails is rolled back, so it could not count wrong
 * passwords, and the password could be guessed with a stolen token.
 */

/* Does the request change the user that makes it? */
static bool
is_own_update(const Request *request)
{
	const char *id = request->path_id;

	return request->route->call == CALL_UPDATE && request->caller.user != NULL && id != NULL &&
		   strcmp(request->resource, "users") == 0 && strcmp(id, request->caller.user) == 0;
}

/* The database has checked the password, if the request changes it; the reply of one that is wrong has
 * the validation errors. */
static StageResult
confirmed(Request *request)
{
	Reply reply = {0};
	StageResult progress;
	char *faults;

	if (!call_reply(request->call, &reply))
		return error_set(request, 500, NULL);
	if (reply.id != NULL)
		return NEXT;
	faults = strndup(reply.data, reply.data_length);
	progress = error_faults(
		request, 400, "invalid record: \"currentPassword\" is not the present password", faults);
	free(faults);
	return progress;
}

StageResult
auth_confirm_password(Request *request)
{
	return is_own_update(request) ? request_call_start(request, CALL_CONFIRM, confirmed) : NEXT;
}

#define NOBODY "{}"

/* An API key is a prefix, its name, and a secret. */
#define API_KEY_PREFIX "catalogue_"
#define API_KEY_SECRET 64

/* The credentials of a request; NULL: not sent. */
typedef struct Credentials
{
	const char *user; /* token of a user */
	Claims user_claims;
	const char *api_key; /* and no more than one of these of a consumer */
	const char *token;
	Claims token_claims;
	const char *gateway_name; /* name of a consumer that a gateway has authenticated */
} Credentials;

/* The token in the query string; NULL if there is none. */
static const char *
query_token(Request *request, int *count)
{
	const char *query = strchrnul(request->target, '?');
	const char *token = NULL;
	const char *word;
	size_t length;

	while (*query != '\0' && (word = text_query_word(&query, &length)) != NULL)
	{
		word += *word == '?';
		if (strncasecmp(word, "jwt=", 4) != 0)
			continue;
		token = arena_text(&request->arena, word + 4, strcspn(word + 4, "&"));
		++*count;
	}
	return token;
}

/* The token in Authorization; the empty text if its scheme is not Bearer. */
static const char *
bearer(const char *value)
{
	static const char scheme[] = "Bearer ";

	if (strncasecmp(value, scheme, strlen(scheme)) != 0)
		return "";
	value += strlen(scheme);
	return value + strspn(value, " ");
}

/*
 * Take the token of Authorization: that of a consumer or of a user; false: it is neither.  A user in
 * X-Admin-Authorization takes precedence.
 */
static bool
take_bearer(Request *request, Credentials *given, int *count)
{
	const char *value = request->headers[HEADER_AUTHORIZATION];
	const char *token = value ? bearer(value) : NULL;
	Claims claims;

	if (token == NULL || (given->user != NULL && *token == '\0'))
		return true;
	if (!token_claims(request->thread->tokens, token, &claims))
		return false;
	if (claims.issuer[0] != '\0')
	{
		given->token = token;
		given->token_claims = claims;
		++*count;
	}
	else if (given->user == NULL)
	{
		given->user = token;
		given->user_claims = claims;
	}
	return true;
}

/* Take the token in the query string; false: it is not that of a consumer. */
static bool
take_query(Request *request, Credentials *given, int *count)
{
	const char *token = query_token(request, count);

	if (token == NULL)
		return true;
	given->token = token;
	return token_claims(request->thread->tokens, token, &given->token_claims) &&
		   given->token_claims.issuer[0] != '\0';
}

/*
 * Collect the credentials; false: they contradict each other, or one is malformed.
 *
 * The consumer named by a trusted gateway replaces the credential that the gateway has checked.
 */
static bool
collect(Request *request, Credentials *given)
{
	const char *name = request->headers[HEADER_CONSUMER];
	int count = 0;
	bool good;

	*given = (Credentials){.user = request->headers[HEADER_ADMIN_AUTHORIZATION],
						   .api_key = request->headers[HEADER_API_KEY]};
	if (given->user != NULL &&
		!token_claims(request->thread->tokens, given->user, &given->user_claims))
		return false;
	count += given->api_key != NULL;
	good = take_bearer(request, given, &count);
	good &= take_query(request, given, &count);
	if (name == NULL || !proxy_trusted(request))
		return good && count <= 1;
	given->gateway_name = name;
	given->api_key = given->token = NULL;
	return true;
}

/* Note when a credential expires; 0: never. */
static void
note_expiry(Request *request, int64_t expires)
{
	Auth *auth = request->auth;

	if (expires > 0 && (auth->expires == 0 || expires < auth->expires))
		auth->expires = expires;
}

static bool
take_user(Request *request, const char *token, Claims *claims)
{
	HttpThread *thread = request->thread;

	if (!request->auth->asked)
		metrics_cache(thread, CACHE_TOKENS, claims->verified);
	if (!token_of_user(thread->tokens, thread->settings, token, clock_time(), claims))
		return false;
	request->caller.user = arena_text(&request->arena, claims->id, strlen(claims->id));
	request->caller.session = arena_text(&request->arena, claims->session, strlen(claims->session));
	request->caller.login = claims->login;
	note_expiry(request, claims->expires);
	return true;
}

/* The database has returned the key. */
static StageResult
take_key(Request *request)
{
	HttpThread *thread = request->thread;
	Reply reply;

	if (!call_reply(request->call, &reply) || reply.data == NULL)
		return error_set(request, 500, NULL);
	api_key_store(thread->keys, request->caller.key_name, reply.data, reply.data_length,
				  thread->now);
	request->auth->asked = true;
	return auth_continue(request);
}

/* Find a key in the cache by its name, or query it. */
static Verdict
find_key(Request *request, const char *name, size_t length, ApiKey **key)
{
	request->caller.key_name = arena_text(&request->arena, name, length);
	*key = api_key_find(request->thread->keys, request->caller.key_name, request->thread->now);
	if (!request->auth->asked)
		metrics_cache(request->thread, CACHE_API_KEYS, *key != NULL);
	if (*key == NULL && request->auth->asked)
		return VERDICT_BAD;
	if (*key == NULL)
	{
		(void) request_call_start(request, CALL_CREDENTIAL, take_key);
		return VERDICT_ASKED;
	}
	if (!(*key)->good || ((*key)->expires > 0 && (*key)->expires <= clock_time()))
		return VERDICT_BAD;
	note_expiry(request, (*key)->expires);
	return VERDICT_GOOD;
}

static Verdict
take_api_key(Request *request, const char *api_key, ApiKey **key)
{
	size_t prefix = strlen(API_KEY_PREFIX);
	size_t length = strlen(api_key);
	const char *end;
	Verdict verdict;

	if (length <= prefix + API_KEY_SECRET + 1 || strncmp(api_key, API_KEY_PREFIX, prefix) != 0)
		return VERDICT_BAD;
	end = api_key + length - API_KEY_SECRET - 1;
	length = (size_t) (end - api_key) - prefix;
	if (*end != '_' || length > ID_MAXIMUM || !text_is_alphanumeric(api_key + prefix, length) ||
		!text_is_alphanumeric(end + 1, API_KEY_SECRET))
		return VERDICT_BAD;
	verdict = find_key(request, api_key + prefix, length, key);
	if (verdict == VERDICT_GOOD && !token_signature_is_api_key(&(*key)->material, api_key))
		verdict = VERDICT_BAD;
	return verdict;
}

static Verdict
take_token(Request *request, const char *token, Claims *claims, ApiKey **key)
{
	int64_t now = clock_time();
	Verdict verdict;

	/* the key of an expired token need not be looked up */
	if (claims->expires <= now - CLOCK_SKEW)
		return VERDICT_BAD;
	verdict = find_key(request, claims->issuer, strlen(claims->issuer), key);
	if (verdict != VERDICT_GOOD)
		return verdict;
	metrics_cache(request->thread, CACHE_TOKENS,
				  claims->verified && claims->serial == (*key)->serial);
	if (!token_of_key(request->thread->tokens, *key, token, now, claims))
		verdict = VERDICT_BAD;
	note_expiry(request, claims->expires);
	return verdict;
}

static Verdict
take_gateway_name(Request *request, const char *name, ApiKey **key)
{
	const char *word;

	if (*name == '\0' || strlen(name) > CONSUMER_NAME_MAXIMUM ||
		!text_valid_utf8(name, strlen(name)))
		return VERDICT_BAD;
	word = arena_format(&request->arena, "@%s", name);
	return word ? find_key(request, word, strlen(word), key) : VERDICT_BAD;
}

/* Determine user and consumer; *key is that of the consumer, NULL if there is none. */
static Verdict
identify(Request *request, ApiKey **key)
{
	Credentials given;

	if (!collect(request, &given) ||
		(given.user != NULL && !take_user(request, given.user, &given.user_claims)))
		return VERDICT_BAD;
	if (given.gateway_name != NULL)
		return take_gateway_name(request, given.gateway_name, key);
	if (given.api_key != NULL)
		return take_api_key(request, given.api_key, key);
	if (given.token != NULL)
		return take_token(request, given.token, &given.token_claims, key);
	return VERDICT_GOOD;
}

/* The members of the actor for the consumer. */
static const char *
consumer_members(Request *request, const ApiKey *key)
{
	/* the key is not known if a gateway has checked the credential */
	bool named = key->name[0] != '@';

	return arena_join(&request->arena, "\"consumer\":\"", key->consumer,
					  named ? "\",\"key\":\"" : "\"", named ? key->name : NULL, "\"");
}

/* The actor as an argument of calls; key: of the consumer, NULL: none. */
static const char *
actor_of(Request *request, const ApiKey *key)
{
	const char *members = key ? consumer_members(request, key) : "";

	if (request->caller.user != NULL)
		return arena_join(&request->arena, "{\"user\":\"", request->caller.user,
						  "\",\"session\":\"", request->caller.session, "\"", *members ? "," : "",
						  members, "}");
	return *members ? arena_join(&request->arena, "{", members, "}") : NOBODY;
}

StageResult
auth_continue(Request *request)
{
	ApiKey *key = NULL;
	Verdict verdict = identify(request, &key);

	if (verdict == VERDICT_GOOD && key != NULL)
	{
		request->caller.consumer =
			arena_text(&request->arena, key->consumer, strlen(key->consumer));
		request->usual = key->usual;
		verdict = api_key_check_rate(request, key);
	}
	if (verdict == VERDICT_ASKED || verdict == VERDICT_REFUSED)
		return verdict == VERDICT_ASKED ? WAITING : ANSWERED;
	request->caller.good = verdict == VERDICT_GOOD;
	if (request->caller.good)
		request->caller.actor = actor_of(request, key);
	else
		request->caller.user = request->caller.consumer = NULL;
	return NEXT;
}

StageResult
auth_start(Request *request)
{
	*request->auth = (Auth){0};
	request->caller.actor = NOBODY;
	return auth_continue(request);
}

bool
auth_open(HttpThread *thread)
{
	thread->tokens = calloc(1, sizeof(TokenCache));
	thread->keys = calloc(1, sizeof(ApiKeyCache));
	return thread->tokens != NULL && thread->keys != NULL;
}

void
auth_close(HttpThread *thread)
{
	if (thread->keys != NULL)
		api_key_forget(thread->keys);
	free(thread->keys);
	free(thread->tokens);
}
