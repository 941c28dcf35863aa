/*
 * api_key.c - the keys of consumers that a thread knows, their methods, and a rate for all servers together.
 *
 * An entry is valid for one second.  After half of that, one request renews it, while others use the
 * old entry.  Therefore a change of a key takes effect within a second, and a key in use costs two
 * quick calls per second.
 */

#include <jansson.h>

#include "answer/answer.h"
#include "auth/auth.h"
#include "net/header.h"

#define LIFETIME 1000 /* milliseconds */
#define SLOTS 8		  /* slots that a key may be in */
#define RENEWAL 500	  /* milliseconds until an entry is renewed */

/* The slot of a key, which another key may use. */
static ApiKey *
api_key_slot(ApiKeyCache *ring, const char *name)
{
	uint32_t hash = text_hash(TEXT_HASH, name, strlen(name));
	ApiKey *oldest = NULL;

	for (uint32_t i = 0; i < SLOTS; i++)
	{
		ApiKey *key = &ring->keys[(hash + i) % lengthof(ring->keys)];

		if (strcmp(key->name, name) == 0)
			return key;
		if (oldest == NULL || key->fetched < oldest->fetched)
			oldest = key;
	}
	return oldest;
}

ApiKey *
api_key_find(ApiKeyCache *ring, const char *name, int64_t now)
{
	ApiKey *key = api_key_slot(ring, name);

	if (strcmp(key->name, name) != 0 || now - key->fetched >= LIFETIME)
		return NULL;
	if (now - key->fetched >= RENEWAL && now - key->asked >= RENEWAL)
	{
		key->asked = now;
		return NULL;
	}
	return key;
}

static void
clear(ApiKey *key)
{
	token_signature_forget(&key->material);
	free(key->reply);
	*key = (ApiKey){0};
}

/* The value of a preference as a constant; NULL: it has none. */
static const char *
preference(const json_t *object, const char *name)
{
	static const char *const values[] = {"minimal",	 "representation", "ids",
										 "embedded", "bare",		   "css"};
	const char *given = json_string_value(json_object_get(object, name));

	for (size_t i = 0; i < lengthof(values); i++)
		if (given != NULL && strcmp(values[i], given) == 0)
			return values[i];
	return NULL;
}

/* A bit for each verb of a list. */
static unsigned int
verbs_of(const char *list)
{
	unsigned int verbs = 0;

	for (Verb verb = 0; verb < VERB_OTHER; verb++)
		if (list != NULL && text_has_word(list, verb_names[verb]))
			verbs |= 1u << verb;
	/* HEAD and OPTIONS disclose no more than GET */
	if (verbs & 1u << VERB_GET)
		verbs |= 1u << VERB_HEAD | 1u << VERB_OPTIONS;
	return verbs;
}

/* Read the members of the reply; the key is valid if they are. */
static void
take_key(ApiKey *key, const json_t *object)
{
	const char *consumer = json_string_value(json_object_get(object, "consumer"));
	const char *material = json_string_value(json_object_get(object, "material"));

	if (consumer == NULL || strlen(consumer) > CONSUMER_MAXIMUM)
		return;
	strcpy(key->consumer, consumer);
	key->usual.returns = preference(object, "return");
	key->usual.relations = preference(object, "relations");
	key->usual.color = preference(object, "color");
	key->verbs = verbs_of(json_string_value(json_object_get(object, "verbs")));
	key->expires = json_integer_value(json_object_get(object, "expires"));
	key->rate = json_integer_value(json_object_get(object, "rate"));
	key->wanted = 1;
	key->good =
		key->name[0] == '@' ||
		(material != NULL &&
		 token_signature_material(
			 &key->material,
			 token_signature_kind(json_string_value(json_object_get(object, "kind"))), material));
}

/* Is the slot used by another key that is valid? */
static bool
is_taken(const ApiKey *key, const char *name, int64_t now)
{
	return key->good && strcmp(key->name, name) != 0 && now - key->fetched < LIFETIME;
}

/* A name without a key is not cached if it would replace a valid key. */
void
api_key_store(ApiKeyCache *ring, const char *name, const char *reply, size_t length, int64_t now)
{
	ApiKey *key = api_key_slot(ring, name);
	json_t *object;

	if (strcmp(key->name, name) != 0 || key->reply == NULL || strlen(key->reply) != length ||
		memcmp(key->reply, reply, length) != 0)
	{
		object = json_loadb(reply, length, JSON_REJECT_DUPLICATES, NULL);
		if (json_object_size(object) > 0 || !is_taken(key, name, now))
		{
			clear(key);
			strcpy(key->name, name);
			key->reply = strndup(reply, length);
			key->serial = ++ring->serial;
			take_key(key, object);
		}
		json_decref(object);
	}
	if (strcmp(key->name, name) == 0)
		key->fetched = key->asked = now;
}

void
api_key_forget(ApiKeyCache *ring)
{
	for (size_t i = 0; i < lengthof(ring->keys); i++)
		clear(&ring->keys[i]);
}

/*
 * ---- Limits of requests by key ----
 *
 * The database grants each thread that asks a part of the requests that are left in the minute, and
 * never more than the rate in total.  A thread asks when it has used up what it was granted, so most
 * requests need no call.  Without a primary each thread of a shim grants itself its part of the rate.
 */

#define MINUTE 60000 /* milliseconds */
#define WANTED_MAXIMUM (1 << 20)

/* There is no primary that counts for all servers: grant the thread its part of the rate, once in a minute. */
static void
grant_part(const HttpThread *thread, ApiKey *key)
{
	int64_t now = clock_time();
	int64_t part = key->rate / config_threads(thread->settings);

	key->left = key->alone == now / 60 ? 0 : (int) (part > 0 ? part : 1);
	key->left_until = thread->now + (60 - now % 60) * 1000;
	key->alone = now / 60;
}

/* The database has recorded the use of the key, and granted requests if it has a rate. */
static StageResult
take_grant(Request *request)
{
	HttpThread *thread = request->thread;
	ApiKey *key = api_key_slot(thread->keys, request->caller.key_name);
	CallResult outcome = request->call->outcome;
	Reply reply;
	json_t *object;
	int64_t granted;
	int64_t seconds;

	/* so many keys are in use that this one was evicted in the meantime */
	if (strcmp(key->name, request->caller.key_name) != 0)
		return error_set(request, 503, NULL);
	/* the use of a key without a rate need not be recorded */
	if (key->rate > 0 && (outcome == RESULT_READ_ONLY || outcome == RESULT_AWAY))
		grant_part(thread, key);
	else if (key->rate > 0 && error_of_call(request))
		return ANSWERED;
	else if (key->rate > 0 && call_reply(request->call, &reply) && reply.data != NULL)
	{
		object = json_loadb(reply.data, reply.data_length, 0, NULL);
		granted = json_integer_value(json_object_get(object, "granted"));
		seconds = json_integer_value(json_object_get(object, "seconds"));
		json_decref(object);
		key->left = (int) granted;
		key->left_until = thread->now + seconds * 1000;
	}
	request->auth->noted = true;
	return auth_continue(request);
}

/* Ask the database to record the use of the key, and to grant so many requests. */
static Verdict
ask_grant(Request *request, ApiKey *key, int wanted)
{
	snprintf(request->auth->wanted, sizeof(request->auth->wanted), "%d", wanted);
	key->noted = request->thread->now;
	request->caller.key_wanted = request->auth->wanted;
	(void) request_call_start_unchecked(request, CALL_USE_KEY, take_grant);
	return VERDICT_ASKED;
}

/*
 * Use one of the requests that were granted.  When they are used up, twice as many as before are
 * asked for, so that a busy key costs few calls, and few requests are granted that are not used.
 */
static Verdict
spend(Request *request, ApiKey *key)
{
	int64_t now = request->thread->now;

	if (now < key->left_until && key->left > 0)
	{
		key->left--;
		return VERDICT_GOOD;
	}
	if (request->auth->noted || (now < key->left_until && key->left == 0 && key->wanted == 0))
	{
		key->wanted = 0; /* nothing is granted until the end of the minute */
		(void) error_set(request, 429,
						 "the requests that this key may make in a minute are used up");
		request->answer.retry_after =
			key->left_until > now ? (int) ((key->left_until - now + 999) / 1000) : 1;
		return VERDICT_REFUSED;
	}
	if (now >= key->left_until || key->wanted == 0)
		key->wanted = 1;
	else if (key->wanted < WANTED_MAXIMUM)
		key->wanted *= 2;
	return ask_grant(request, key, key->wanted);
}

Verdict
api_key_check_rate(Request *request, ApiKey *key)
{
	if (key->verbs != 0 && request->verb != VERB_OTHER && !(key->verbs & 1u << request->verb))
	{
		(void) error_set(request, 403, "this key is not for this method");
		return VERDICT_REFUSED;
	}
	if (key->rate > 0)
		return spend(request, key);
	if (key->name[0] != '@' && !request->auth->noted &&
		(key->noted == 0 || request->thread->now - key->noted >= MINUTE))
		return ask_grant(request, key, 0);
	return VERDICT_GOOD;
}
