/*
 * api_key.c - what a thread knows of the keys of consumers.
 *
 * A key is good for a second from when the database has said so, and asked for anew when half of
 * that is over, by one request while others go on with what is known.  So a key that is revoked,
 * rotated or limited in another way is seen to be so within a second, whatever the call itself
 * looks at, and a key in use costs two quick calls a second.
 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "shim.h"

#define LIFETIME 1000 /* milliseconds */
#define PLACES 8	  /* that a key may be in */
#define RENEWAL 500	  /* so: from then on it is asked for anew */

/* The place of a key, or the one among a few that has been there longest, for it to be put into. */
Key *
key_place(Keyring *ring, const char *name)
{
	uint32_t hash = 2166136261u; /* FNV-1a */
	Key *oldest = NULL;

	for (const char *c = name; *c != '\0'; c++)
		hash = (hash ^ (unsigned char) *c) * 16777619u;
	for (uint32_t i = 0; i < PLACES; i++)
	{
		Key *key = &ring->keys[(hash + i) % lengthof(ring->keys)];

		if (strcmp(key->name, name) == 0)
			return key;
		if (oldest == NULL || key->fetched < oldest->fetched)
			oldest = key;
	}
	return oldest;
}

Key *
key_find(Keyring *ring, const char *name, int64_t now)
{
	Key *key = key_place(ring, name);

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
clear(Key *key)
{
	signature_forget(&key->material);
	free(key->reply);
	*key = (Key){0};
}

/* The preference as the program knows it; NULL for what is none. */
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
	/* they show no more than GET does */
	if (verbs & 1u << VERB_GET)
		verbs |= 1u << VERB_HEAD | 1u << VERB_OPTIONS;
	return verbs;
}

/* Take the members of the reply; the key is good when they make sense. */
static void
take(Key *key, const json_t *object)
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

/* Is the place taken by another key that is good and in use? */
static bool
is_taken(const Key *key, const char *name, int64_t now)
{
	return key->good && strcmp(key->name, name) != 0 && now - key->fetched < LIFETIME;
}

/* A name that stands for no key is not kept where that would push a good one out. */
void
key_store(Keyring *ring, const char *name, const char *reply, size_t length, int64_t now)
{
	Key *key = key_place(ring, name);
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
key_forget(Keyring *ring)
{
	for (size_t i = 0; i < lengthof(ring->keys); i++)
		clear(&ring->keys[i]);
}
