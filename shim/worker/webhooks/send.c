/*
 * send.c - one attempt to send a message.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "webhooks/webhooks.h"

#define TIMEOUT 10000 /* milliseconds for the whole request, or fetch_timeout if that is less */
#define ANSWER_MAXIMUM 65536 /* bytes of an answer, which are not used */
#define OK_FIRST 200
#define OK_LAST 299
#define GONE 410

static void
post(const Settings *settings, const Message *message, const char *const *headers,
	 Delivery *delivery)
{
	FetchRequest request = {.url = message->url,
							.headers = headers,
							.body = message->body,
							.length = strlen(message->body),
							.timeout = settings->fetch_timeout < TIMEOUT ? settings->fetch_timeout
																		 : TIMEOUT,
							.maximum = ANSWER_MAXIMUM};
	FetchReply reply;

	if (fetch(settings, &request, &reply) != FETCH_DONE)
		snprintf(delivery->reason, sizeof(delivery->reason), "%s", reply.reason);
	else if (reply.status >= OK_FIRST && reply.status <= OK_LAST)
		delivery->accepted = true;
	else
		snprintf(delivery->reason, sizeof(delivery->reason), "its server answers with status %ld",
				 reply.status);
	delivery->gone = reply.status == GONE;
}

void
webhook_send(const Settings *settings, const Message *message, Delivery *delivery)
{
	NumberText now = session_number((int64_t) time(NULL));
	char signature[SIGNATURE_SIZE];
	char id[ID_MAXIMUM + sizeof(NumberText) + 1];
	char id_line[sizeof(id) + 16];
	char time_line[sizeof(NumberText) + 32];
	char signature_line[sizeof(signature) + 32];
	const char *headers[] = {"Content-Type: application/json", id_line, time_line, signature_line,
							 NULL};

	*delivery = (Delivery){.reason = "there is no memory"};
	snprintf(id, sizeof(id), "%s-%s", message->webhook, message->serial);
	if (!webhook_signature(message, id, now.text, signature))
		return;
	snprintf(id_line, sizeof(id_line), "webhook-id: %s", id);
	snprintf(time_line, sizeof(time_line), "webhook-timestamp: %s", now.text);
	snprintf(signature_line, sizeof(signature_line), "webhook-signature: %s", signature);
	post(settings, message, headers, delivery);
}
