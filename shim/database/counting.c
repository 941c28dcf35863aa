/*
 * counting.c - count a download, by a call that no request waits for.
 */
#include <stdlib.h>
#include <string.h>

#include "database/clients.h"

typedef struct Counting
{
	Call call;
	char name[ID_MAXIMUM + 1];
} Counting;

static void
done(Call *call)
{
	/* an error is ignored: then the download is not counted */
	call_forget_result(call);
	free((char *) call - offsetof(Counting, call));
}

void
counting_start(Worker *worker, const char *file, const char *dataset)
{
	const char *name = file != NULL ? file : dataset;
	Counting *counting = calloc(1, sizeof(Counting));

	if (counting == NULL || name == NULL || strlen(name) > ID_MAXIMUM)
	{
		free(counting);
		return;
	}
	stpcpy(counting->name, name);
	counting->call = (Call){
		.spec = &call_specs[CALL_COUNT_DOWNLOAD], .queue = QUEUE_OWN, .alone = true, .done = done};
	counting->call.arguments[file != NULL ? 0 : 1] = counting->name;
	counting->call.wait_until = worker->now + worker->settings->call_timeout;
	counting->call.deadline = counting->call.wait_until + worker->settings->call_timeout;
	database_submit(worker->transfers, &counting->call);
}
