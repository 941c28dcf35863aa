/*
 * rate_limit.c - what the key of a consumer allows: methods, and a rate for all servers together.
 *
 * The database grants each thread that asks a part of the requests that are left in the minute, and
 * never more than the rate in total.  A thread asks when it has used up what it was granted, so most
 * requests need no call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "answer/answer.h"
#include "auth/auth.h"

#define MINUTE 60000 /* milliseconds */
#define WANTED_MAXIMUM (1 << 20)

/* Answer that the rate of the key is used up, for so many seconds. */
static Verdict
refuse_rate(Request *request, int64_t seconds)
{
	(void) error_set(request, 429, "the requests that this key may make in a minute are used up");
	request->answer.retry_after = seconds > 0 ? (int) seconds : 1;
	return VERDICT_REFUSED;
}

/* The database has recorded the use of the key, and granted requests if it has a rate. */
static StageResult
take_grant(Request *request)
{
	Worker *worker = request->worker;
	ApiKey *key = api_key_slot(worker->keys, request->key_name);
	Reply reply;
	json_t *object;
	int64_t granted;
	int64_t seconds;

	/* so many keys are in use that this one was evicted in the meantime */
	if (strcmp(key->name, request->key_name) != 0)
		return error_set(request, 503, NULL);
	/* the use of a key without a rate need not be recorded */
	if (key->rated && error_of_call(request))
		return ANSWERED;
	if (key->rated && reply_of_call(request->call, &reply) && reply.data != NULL)
	{
		object = json_loadb(reply.data, reply.data_length, 0, NULL);
		granted = json_integer_value(json_object_get(object, "granted"));
		seconds = json_integer_value(json_object_get(object, "seconds"));
		json_decref(object);
		key->left = (int) granted;
		key->left_until = worker->now + seconds * 1000;
	}
	request->auth->noted = true;
	return auth_continue(request);
}

/* Ask the database to record the use of the key, and to grant so many requests. */
static Verdict
ask_grant(Request *request, ApiKey *key, int wanted)
{
	snprintf(request->auth->wanted, sizeof(request->auth->wanted), "%d", wanted);
	key->noted = request->worker->now;
	request->key_wanted = request->auth->wanted;
	(void) call_start_unchecked(request, CALL_USE_KEY, take_grant);
	return VERDICT_ASKED;
}

/*
 * Use one of the requests that were granted.  When they are used up, twice as many as before are
 * asked for, so that a busy key costs few calls, and few requests are granted that are not used.
 */
static Verdict
spend(Request *request, ApiKey *key)
{
	int64_t now = request->worker->now;

	if (now < key->left_until && key->left > 0)
	{
		key->left--;
		return VERDICT_GOOD;
	}
	if (request->auth->noted || (now < key->left_until && key->left == 0 && key->wanted == 0))
	{
		key->wanted = 0; /* nothing is granted until the end of the minute */
		return refuse_rate(request, (key->left_until - now + 999) / 1000);
	}
	if (now >= key->left_until || key->wanted == 0)
		key->wanted = 1;
	else if (key->wanted < WANTED_MAXIMUM)
		key->wanted *= 2;
	return ask_grant(request, key, key->wanted);
}

Verdict
rate_limit_check(Request *request, ApiKey *key)
{
	if (key->verbs != 0 && request->verb != VERB_OTHER && !(key->verbs & 1u << request->verb))
	{
		(void) error_set(request, 403, "this key is not for this method");
		return VERDICT_REFUSED;
	}
	if (key->rated)
		return spend(request, key);
	if (key->name[0] != '@' && !request->auth->noted &&
		(key->noted == 0 || request->worker->now - key->noted >= MINUTE))
		return ask_grant(request, key, 0);
	return VERDICT_GOOD;
}
