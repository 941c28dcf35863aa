/*
 * web_access.c - what requests need of the database that is not asked for by each: web applications that are registered,
 * title, colours and addresses of the catalogue.
 *
 * Each thread queries them every second, so that changes take effect while the program runs.  While
 * the database is not available the last answer is used.
 */

#include <jansson.h>

#include "database/clients.h"
#include "database/reply.h"

#define RENEWAL 1000 /* milliseconds between two queries */

static const char *const names[WEB_FACTS] = {"origins",	 "paths",		 "title",  "lead",
											 "language", "translations", "accent", "logo",
											 "contact",	 "legal",		 "pages"};

struct WebAccess
{
	HttpThread *thread;
	Call call;
	bool asking;
	int64_t ask_at;			/* milliseconds of the monotonic clock */
	char *facts[WEB_FACTS]; /* NULL: not known yet */
};

/* Replace a text by a member of the answer. */
static void
take_member(char **member, const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));
	char *copy = text != NULL ? strdup(text) : NULL;

	if (copy == NULL)
		return;
	free(*member);
	*member = copy;
}

static void
answered(Call *call)
{
	WebAccess *access = (WebAccess *) ((char *) call - offsetof(WebAccess, call));
	json_t *object;
	Reply reply;

	access->asking = false;
	if (call->outcome == RESULT_ANSWER && PQresultStatus(call->result) == PGRES_TUPLES_OK &&
		call_reply_of_result(call->result, &reply) && reply.data != NULL)
	{
		object = json_loadb(reply.data, reply.data_length, 0, NULL);
		for (size_t i = 0; i < WEB_FACTS; i++)
			take_member(&access->facts[i], object, names[i]);
		json_decref(object);
	}
	call_forget_result(call);
}

WebAccess *
web_access_open(HttpThread *thread)
{
	WebAccess *access = calloc(1, sizeof(WebAccess));

	if (access != NULL)
		access->thread = thread;
	return access;
}

void
web_access_tick(WebAccess *access)
{
	const HttpThread *thread = access->thread;

	if (access->asking || thread->now < access->ask_at)
		return;
	access->ask_at = thread->now + RENEWAL;
	access->asking = true;
	access->call = (Call){.spec = &call_specs[CALL_WEB_ACCESS],
						  .queue = QUEUE_SHARED,
						  .alone = true,
						  .wait_until = thread->now + thread->settings->queue_timeout,
						  .done = answered};
	database_submit(thread->database, &access->call);
}

void
web_access_close(WebAccess *access)
{
	if (access == NULL)
		return;
	for (size_t i = 0; i < WEB_FACTS; i++)
		free(access->facts[i]);
	free(access);
}

const char *
web_access_fact(const HttpThread *thread, WebFact fact)
{
	const WebAccess *access = thread->web_access;

	return access != NULL && access->facts[fact] != NULL ? access->facts[fact] : "";
}
