/*
 * api_key.c - the cache of consumers' keys of a thread.
 *
 * An entry is valid for one second.  After half of that, one request renews it, while others use the
 * old entry.  Therefore a change of a key takes effect within a second, and a key in use costs two
 * quick calls per second.
 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "auth/credentials.h"
#include "net/header.h"

#define LIFETIME 1000 /* milliseconds */
#define PLACES 8	  /* slots that a key may be in */
#define RENEWAL 500	  /* milliseconds until an entry is renewed */

ApiKey *
api_key_slot(ApiKeyCache *ring, const char *name)
{
	uint32_t hash = 2166136261u; /* FNV-1a */
	ApiKey *oldest = NULL;

	for (const char *c = name; *c != '\0'; c++)
		hash = (hash ^ (unsigned char) *c) * 16777619u;
	for (uint32_t i = 0; i < PLACES; i++)
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
	signature_forget(&key->material);
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
take(ApiKey *key, const json_t *object)
{
	const char *consumer = json_string_value(json_object_get(object, "consumer"));
	const char *material = json_string_value(json_object_get(object, "material"));
	const json_t *rate = json_object_get(object, "rate");

	if (consumer == NULL || strlen(consumer) > CONSUMER_MAXIMUM)
		return;
	strcpy(key->consumer, consumer);
	key->usual_return = preference(object, "return");
	key->usual_relations = preference(object, "relations");
	key->usual_color = preference(object, "color");
	key->verbs = verbs_of(json_string_value(json_object_get(object, "verbs")));
	key->expires = json_integer_value(json_object_get(object, "expires"));
	key->rated = rate != NULL;
	key->wanted = 1;
	key->good = key->name[0] == '@' ||
				(material != NULL &&
				 signature_material(
					 &key->material,
					 signature_kind(json_string_value(json_object_get(object, "kind"))), material));
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
			take(key, object);
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
