/*
 * login_history.c - who has logged in here, and whose last password was wrong.
 *
 * Passwords are hashed one after the other, and wrong logins may arrive from many addresses, each of
 * which is a client of its own.  Therefore a user who has logged in from an address before is
 * preferred there, and a client whose password was wrong is served last.  Only the order is decided
 * here; the database decides what is refused (throttle.c of the extension).
 *
 * All threads share it.  It stores salted hashes, and replaces the oldest entry when it is full.
 */
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <jansson.h>

#include "database/clients.h"

#define ENTRIES 4096	  /* of each kind */
#define PLACES 8		  /* slots that a key may be in */
#define FAILED_FOR 900000 /* milliseconds that a wrong password counts */

typedef struct Entry
{
	uint64_t key;  /* 0: none */
	int64_t noted; /* milliseconds of the monotonic clock */
} Entry;

struct LoginHistory
{
	pthread_mutex_t lock;
	unsigned char seed[16];
	Entry succeeded[ENTRIES]; /* users at their addresses */
	Entry failed[ENTRIES];	  /* clients */
};

LoginHistory *
login_history_open(void)
{
	LoginHistory *history = calloc(1, sizeof(LoginHistory));

	if (history == NULL)
		return NULL;
	pthread_mutex_init(&history->lock, NULL);
	if (getrandom(history->seed, sizeof(history->seed), 0) == sizeof(history->seed))
		return history;
	login_history_close(history);
	return NULL;
}

void
login_history_close(LoginHistory *history)
{
	if (history == NULL)
		return;
	pthread_mutex_destroy(&history->lock);
	free(history);
}

/* A hash for a user at an address, or with an empty name for a client; never 0. */
static uint64_t
key_of(const LoginHistory *history, const char *name, const void *client, size_t length)
{
	unsigned char sum[SHA256_DIGEST_LENGTH];
	EVP_MD_CTX *digest = EVP_MD_CTX_new();
	uint64_t key = 0;

	if (digest != NULL && EVP_DigestInit_ex(digest, EVP_sha256(), NULL) == 1 &&
		EVP_DigestUpdate(digest, history->seed, sizeof(history->seed)) == 1 &&
		EVP_DigestUpdate(digest, name, strlen(name) + 1) == 1 &&
		EVP_DigestUpdate(digest, client, length) == 1 && EVP_DigestFinal_ex(digest, sum, NULL) == 1)
		memcpy(&key, sum, sizeof(key));
	EVP_MD_CTX_free(digest);
	return key | 1;
}

/* The entry of a key, or the oldest of those that it may replace. */
static Entry *
entry_place(Entry *entries, uint64_t key)
{
	Entry *oldest = NULL;

	for (uint64_t i = 0; i < PLACES; i++)
	{
		Entry *entry = &entries[(key / 2 + i) % ENTRIES];

		if (entry->key == key)
			return entry;
		if (oldest == NULL || entry->noted < oldest->noted)
			oldest = entry;
	}
	return oldest;
}

/* The name in the body of a login, in small letters, to be freed; NULL when there is none. */
static char *
name_of(const Request *request)
{
	json_t *body = json_loadb(request->body.data, request->body.length, 0, NULL);
	const char *name = json_string_value(json_object_get(body, "username"));
	char *copy = name != NULL ? strdup(name) : NULL;

	for (char *c = copy; c != NULL && *c != '\0'; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c += 'a' - 'A';
	json_decref(body);
	return copy;
}

/* Compute the keys: of a login by its name and address, of another call by its user. */
static void
take_keys(Request *request)
{
	const LoginHistory *history = request->worker->settings->logins;
	unsigned char network[CLIENT_NETWORK];
	size_t length = client_network(request, network);
	bool logs_in = request->route->call == CALL_LOGIN;
	char *name = logs_in ? name_of(request) : NULL;

	if (logs_in || request->user == NULL)
		request->login_client = key_of(history, "", network, length);
	else
		request->login_client = key_of(history, "", request->user, strlen(request->user));
	if (name != NULL)
		request->login_user = key_of(history, name, network, length);
	free(name);
}

QueueName
login_history_queue(Request *request)
{
	LoginHistory *history = request->worker->settings->logins;
	const Entry *user;
	const Entry *client;
	QueueName queue = QUEUE_HASH_NEW;

	if (request->login_client == 0)
		take_keys(request);
	pthread_mutex_lock(&history->lock);
	user = entry_place(history->succeeded, request->login_user);
	client = entry_place(history->failed, request->login_client);
	if (request->login_user != 0 && user->key == request->login_user)
		queue = QUEUE_HASH_KNOWN;
	else if (client->key == request->login_client &&
			 request->worker->now - client->noted < FAILED_FOR)
		queue = QUEUE_HASH_FAILED;
	else if (request->user != NULL && request->route->call != CALL_LOGIN)
		queue = QUEUE_HASH_KNOWN;
	pthread_mutex_unlock(&history->lock);
	return queue;
}

void
login_history_note(const Request *request, bool succeeded)
{
	LoginHistory *history = request->worker->settings->logins;
	Entry *entries = succeeded ? history->succeeded : history->failed;
	uint64_t key = succeeded ? request->login_user : request->login_client;

	if (key == 0)
		return;
	pthread_mutex_lock(&history->lock);
	*entry_place(entries, key) = (Entry){key, request->worker->now};
	pthread_mutex_unlock(&history->lock);
}
