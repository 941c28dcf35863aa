/*
 * registered.c - origins and public paths of web applications that are registered in the database.
 *
 * Each thread asks for them every second, so that one that is registered or revoked while the
 * program runs is served, or not, soon.  While the database is away the last answer holds.
 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "shim.h"

#define RENEWAL 1000 /* milliseconds between two questions */

/* Put a member of the answer in the place of the text that was there. */
static void
take(char **place, const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));
	char *copy = text != NULL ? strdup(text) : NULL;

	if (copy == NULL)
		return;
	free(*place);
	*place = copy;
}

static void
answered(Call *call)
{
	Registered *registered = (Registered *) ((char *) call - offsetof(Registered, call));
	json_t *object;
	Reply reply;

	registered->asking = false;
	if (call->outcome == RESULT_ANSWER && PQresultStatus(call->result) == PGRES_TUPLES_OK &&
		reply_of_result(call->result, &reply) && reply.data != NULL)
	{
		object = json_loadb(reply.data, reply.data_length, 0, NULL);
		take(&registered->origins, object, "origins");
		take(&registered->paths, object, "paths");
		json_decref(object);
	}
	call_forget_result(call);
}

void
registered_tick(Worker *worker)
{
	Registered *registered = &worker->registered;

	if (registered->asking || worker->now < registered->ask_at)
		return;
	registered->ask_at = worker->now + RENEWAL;
	registered->asking = true;
	registered->call = (Call){.spec = &call_specs[CALL_WEB_ACCESS],
							  .queue = QUEUE_SHARED,
							  .alone = true,
							  .wait_until = worker->now + worker->settings->queue_timeout,
							  .done = answered};
	database_submit(worker->database, &registered->call);
}

void
registered_close(Registered *registered)
{
	free(registered->origins);
	free(registered->paths);
	*registered = (Registered){0};
}

const char *
registered_origins(const Worker *worker)
{
	return worker->registered.origins ? worker->registered.origins : "";
}

const char *
registered_paths(const Worker *worker)
{
	return worker->registered.paths ? worker->registered.paths : "";
}
