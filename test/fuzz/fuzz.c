/*
 * fuzz.c - a shim without threads, sockets and database, for the fuzzing targets.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer.h"
#include "fuzz.h"
#include "log/log.h"
#include "net/net.h"

static Settings settings;
static HttpThread thread;
static Client client;

extern int LLVMFuzzerInitialize(int *argc, char ***argv);
extern int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

void
fuzz_broken(const char *condition, const char *file, int line)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
	abort();
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void) argc;
	(void) argv;
	setenv("CATALOGUE_TOKEN_SECRET", "a secret of the tests, at least 32 bytes", 1);
	setenv("CATALOGUE_TRUSTED_PROXIES", "192.0.2.1", 1);
	setenv("CATALOGUE_PRIVATE", "off", 1);
	MUST_HOLD(config_load(&settings, NULL));
	settings.log = log_open("build", "fuzz", LOG_SILENT);
	thread = (HttpThread){
		.settings = &settings, .events = &request_events, .port = 3000, .digest = condition_open()};
	client = (Client){.thread = &thread, .socket = -1, .address = "192.0.2.1"};
	return 0;
}

int
LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
	/* allocated with exactly this size, so that sanitizers find a read beyond the end */
	char *text = malloc(length + 1);

	MUST_HOLD(text != NULL);
	memcpy(text, bytes, length);
	text[length] = '\0';
	fuzz_one(text, length);
	free(text);
	return 0;
}

Request *
fuzz_request(const char *target)
{
	Request *request = request_new(&thread, &client, NULL);

	MUST_HOLD(request != NULL);
	request->target = target;
	return request;
}

Request *
fuzz_routed(const char *target)
{
	Request *request = fuzz_request(target);

	request->verb = VERB_GET;
	if (route_request(request) == NEXT && request->route != NULL)
		return request;
	request_free(request);
	return NULL;
}

char *
fuzz_line(char *text)
{
	char *end = strchrnul(text, '\n');

	if (*end == '\n')
		*end++ = '\0';
	return end;
}
