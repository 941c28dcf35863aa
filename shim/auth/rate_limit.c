/*
 * rate_limit.c - what the key of a consumer allows: methods, and a rate that all servers hold together.
 *
 * A rate is kept by the database: it grants a part of what is left of the minute to each thread
 * that asks, and never more than the rate in all.  A thread asks when it has used up what it was
 * granted, so most requests cost no call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "shim.h"

#define MINUTE 60000 /* milliseconds */
#define WANTED_MAXIMUM (1 << 20)

/* Answer that the rate of the key is used up, for so many seconds. */
static void
refuse_rate(Request *request, int64_t seconds)
{
	error_set(request, 429, "the requests that this key may make in a minute are used up");
	request->answer.retry_after = seconds > 0 ? (int) seconds : 1;
}

/* The database has noted the use of the key, and granted requests where it has a rate. */
static void
take_grant(Request *request)
{
	Worker *worker = request->worker;
	Key *key = key_place(&worker->keys, request->auth.name);
	Reply reply;
	json_t *object;
	int64_t granted;
	int64_t seconds;

	if (strcmp(key->name, request->auth.name) != 0)
	{
		/* so many keys are in use that this one was forgotten in the meantime */
		error_set(request, 503, NULL);
		return;
	}
	/* a key without a rate is good whether its use can be noted or not */
	if (key->rated && error_of_call(request))
		return;
	if (key->rated && reply_of_call(&request->call, &reply) && reply.data != NULL)
	{
		object = json_loadb(reply.data, reply.data_length, 0, NULL);
		granted = json_integer_value(json_object_get(object, "granted"));
		seconds = json_integer_value(json_object_get(object, "seconds"));
		json_decref(object);
		key->left = (int) granted;
		key->left_until = worker->now + seconds * 1000;
	}
	request->auth.noted = true;
	auth_go_on(request);
}

/* Have the use of the key noted, and so many requests granted. */
static Verdict
ask_grant(Request *request, Key *key, int wanted)
{
	snprintf(request->auth.wanted, sizeof(request->auth.wanted), "%d", wanted);
	key->noted = request->worker->now;
	call_start(request, CALL_USE_KEY, take_grant);
	return VERDICT_OPEN;
}

/*
 * Take one of the requests that were granted; more are asked for when they are used up, twice as
 * many as the last time, so that a key in much use costs few calls and one in little use leaves
 * hardly any for nothing.
 */
static Verdict
spend(Request *request, Key *key)
{
	int64_t now = request->worker->now;

	if (now < key->left_until && key->left > 0)
	{
		key->left--;
		return VERDICT_GOOD;
	}
	if (request->auth.noted || (now < key->left_until && key->left == 0 && key->wanted == 0))
	{
		key->wanted = 0; /* until the minute is over there is nothing to be had */
		refuse_rate(request, (key->left_until - now + 999) / 1000);
		return VERDICT_OPEN;
	}
	if (now >= key->left_until || key->wanted == 0)
		key->wanted = 1;
	else if (key->wanted < WANTED_MAXIMUM)
		key->wanted *= 2;
	return ask_grant(request, key, key->wanted);
}

Verdict
grant_request(Request *request, Key *key)
{
	if (key->verbs != 0 && request->verb != VERB_OTHER && !(key->verbs & 1u << request->verb))
	{
		error_set(request, 403, "this key is not for this method");
		return VERDICT_OPEN;
	}
	if (key->rated)
		return spend(request, key);
	if (key->name[0] != '@' && !request->auth.noted &&
		(key->noted == 0 || request->worker->now - key->noted >= MINUTE))
		return ask_grant(request, key, 0);
	return VERDICT_GOOD;
}
