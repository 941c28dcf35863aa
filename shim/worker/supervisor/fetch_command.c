/*
 * fetch_command.c - catalogue-worker --fetch URL [--header LINE]... [--body TEXT]: send one request
 * as jobs do, so that an operator can see the answer of a remote service.
 *
 * The body of the answer is written to the standard output; status and header fields, or the error,
 * to the standard error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "fetch/fetch.h"
#include "supervisor/supervisor.h"

static bool
print(void *target, const char *bytes, size_t length)
{
	return fwrite(bytes, 1, length, target) == length;
}

int
fetch_command_run(const Settings *settings, const FetchCommand *command)
{
	FetchRequest request = {.url = command->url,
							.headers = command->headers,
							.body = command->body,
							.length = command->body != NULL ? strlen(command->body) : 0,
							.take = print,
							.target = stdout};
	FetchReply reply;

	if (fetch(settings, &request, &reply) != FETCH_DONE)
	{
		fprintf(stderr, "catalogue-worker: %s\n", reply.reason);
		return EXIT_FAILURE;
	}
	fprintf(stderr, "status: %ld\nbytes: %lld\ncontent-type: %s\netag: %s\nlast-modified: %s\n",
			reply.status, (long long) reply.length, reply.content_type, reply.etag,
			reply.last_modified);
	return EXIT_SUCCESS;
}
