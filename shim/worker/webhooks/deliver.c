/*
 * deliver.c - the process that sends the messages of webhooks, and their signature.
 *
 * The database says which messages are due and gets the end of each attempt.  An attempt is made by
 * a process, which reports in shared memory.  If this process or the connection ends, attempts that
 * are not reported are repeated after their lease, so a message can arrive twice, with the same id.
 */
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "fetch/fetch.h"
#include "webhooks/webhooks.h"

#define PREFIX "whsec_"
#define KEY_MAXIMUM 400	  /* bytes: 100 characters of UTF-8 */
#define SIGNATURE_SIZE 64 /* bytes of a signature with its terminator, at most */

/* A message of a webhook. */
typedef struct Message
{
	const char *webhook; /* id */
	const char *serial;	 /* number of the message of this webhook */
	const char *url;
	const char *secret;
	const char *body;
} Message;

/* How an attempt to send a message ended. */
typedef struct Delivery
{
	bool accepted;
	bool gone; /* the receiver does not exist any more */
	char reason[FETCH_REASON];
} Delivery;

/* Decode the key of a secret that is written in base64; its length, 0 if it is not. */
static size_t
decode_key(const char *text, unsigned char *key, size_t size)
{
	size_t length = strlen(text);
	int decoded;

	if (length == 0 || length % 4 != 0 || length / 4 * 3 > size)
		return 0;
	decoded = EVP_DecodeBlock(key, (const unsigned char *) text, (int) length);
	if (decoded < 0)
		return 0;
	for (size_t i = length; i > length - 2 && text[i - 1] == '='; i--)
		decoded--;
	return (size_t) decoded;
}

/*
 * Sign a message as Standard Webhooks 1.0 does: "v1," and base64 of the HMAC-SHA256 of
 * "id.time.body".  The key is the secret, or what follows "whsec_" decoded from base64.
 * False: no memory.
 */
static bool
webhook_signature(const Message *message, const char *id, const char *time,
				  char signature[SIGNATURE_SIZE])
{
	const char *secret = message->secret;
	unsigned char key[KEY_MAXIMUM];
	unsigned char digest[SHA256_DIGEST_LENGTH];
	unsigned char text[(SHA256_DIGEST_LENGTH + 2) / 3 * 4 + 1];
	unsigned int length = 0;
	size_t key_length = 0;
	char *content;
	int content_length = asprintf(&content, "%s.%s.%s", id, time, message->body);
	bool good;

	if (strncmp(secret, PREFIX, strlen(PREFIX)) == 0)
		key_length = decode_key(secret + strlen(PREFIX), key, sizeof(key));
	good = content_length >= 0 &&
		   HMAC(EVP_sha256(), key_length > 0 ? (const void *) key : secret,
				(int) (key_length > 0 ? key_length : strlen(secret)),
				(const unsigned char *) content, (size_t) content_length, digest, &length) != NULL;
	if (content_length >= 0)
		free(content);
	explicit_bzero(key, sizeof(key));
	if (!good)
		return false;
	EVP_EncodeBlock(text, digest, (int) length);
	snprintf(signature, SIGNATURE_SIZE, "v1,%s", (const char *) text);
	return true;
}

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

static void
webhook_send(const Settings *settings, const Message *message, Delivery *delivery)
{
	Value now = session_number((int64_t) time(NULL));
	char signature[SIGNATURE_SIZE];
	char id[ID_MAXIMUM + sizeof(now.number) + 1];
	char id_line[sizeof(id) + 16];
	char time_line[sizeof(now.number) + 32];
	char signature_line[sizeof(signature) + 32];
	const char *headers[] = {"Content-Type: application/json", id_line, time_line, signature_line,
							 NULL};

	*delivery = (Delivery){.reason = "there is no memory"};
	snprintf(id, sizeof(id), "%s-%s", message->webhook, message->serial);
	if (!webhook_signature(message, id, now.number, signature))
		return;
	snprintf(id_line, sizeof(id_line), "webhook-id: %s", id);
	snprintf(time_line, sizeof(time_line), "webhook-timestamp: %s", now.number);
	snprintf(signature_line, sizeof(signature_line), "webhook-signature: %s", signature);
	post(settings, message, headers, delivery);
}

#define SENDERS 64 /* messages that are sent at once, at most: half of them to a user's webhooks */
#define LEASE "1 min" /* longer than an attempt takes */
#define LOOK 500	  /* milliseconds between queries for messages */
#define LOOK_BUSY 20  /* milliseconds between looks for the end of an attempt */

/* A process that sends a message. */
typedef struct Sender
{
	pid_t pid; /* 0: none */
	char webhook[ID_MAXIMUM + 1];
	char serial[24];
} Sender;

typedef struct Deliverer
{
	Session *session;
	const char *worker;
	Sender sender[SENDERS];
	Delivery *delivery; /* shared with the senders, one for each */
	int busy;			/* number of senders with a process */
	int64_t look_at;
} Deliverer;

/* Start a sender for a row of messages. */
static void
start_sender(Deliverer *deliverer, const PGresult *result, int row)
{
	int i = 0;
	Sender *sender;
	Message message = {.webhook = PQgetvalue(result, row, 0),
					   .serial = PQgetvalue(result, row, 1),
					   .url = PQgetvalue(result, row, 3),
					   .secret = PQgetvalue(result, row, 4),
					   .body = PQgetvalue(result, row, 2)};

	while (deliverer->sender[i].pid != 0)
		i++;
	sender = &deliverer->sender[i];
	deliverer->delivery[i] = (Delivery){.reason = "the process that sent it ended unexpectedly"};
	snprintf(sender->webhook, sizeof(sender->webhook), "%s", message.webhook);
	snprintf(sender->serial, sizeof(sender->serial), "%s", message.serial);
	sender->pid = child_fork();
	if (sender->pid == 0)
	{
		webhook_send(deliverer->session->settings, &message, &deliverer->delivery[i]);
		_exit(EXIT_SUCCESS);
	}
	if (sender->pid > 0)
		deliverer->busy++;
	else
		sender->pid = 0; /* the message is due again after its lease */
}

/* Take messages for the senders that are free; false on an error of the session. */
static bool
take_messages(Deliverer *deliverer)
{
	Value values[] = {TEXT(deliverer->worker), session_number(SENDERS - deliverer->busy),
					  TEXT(LEASE)};
	PGresult *result;

	if (deliverer->busy == SENDERS || clock_now() < deliverer->look_at)
		return true;
	deliverer->look_at = clock_now() + LOOK;
	result = session_ask(deliverer->session, ASK_WEBHOOK_TAKE, values);
	if (result == NULL)
		return false;
	for (int row = 0; row < PQntuples(result); row++)
		start_sender(deliverer, result, row);
	PQclear(result);
	return true;
}

/* Store how an attempt ended; false on an error of the session. */
static bool
report(Deliverer *deliverer, const Sender *sender, const Delivery *delivery)
{
	Value values[] = {TEXT(sender->webhook), TEXT(deliverer->worker), TEXT(sender->serial),
					  TEXT(delivery->reason), TEXT(delivery->gone ? "true" : "false")};
	char *text;

	log_event(deliverer->session->settings->log, delivery->accepted ? LOG_VERBOSE : LOG_WARN,
			  delivery->accepted ? "webhook told" : "webhook failed", "%s, message %s%s%s",
			  sender->webhook, sender->serial, delivery->accepted ? "" : ": ",
			  delivery->accepted ? "" : delivery->reason);
	text = session_text(deliverer->session,
						delivery->accepted ? ASK_WEBHOOK_DONE : ASK_WEBHOOK_FAILED, values);
	free(text);
	return text != NULL;
}

/* Collect the senders that have ended; false on an error of the session. */
static bool
collect_senders(Deliverer *deliverer)
{
	pid_t pid;
	bool good = true;

	while (good && (pid = waitpid(-1, NULL, WNOHANG)) > 0)
		for (int i = 0; i < SENDERS; i++)
			if (deliverer->sender[i].pid == pid)
			{
				deliverer->sender[i].pid = 0;
				deliverer->busy--;
				deliverer->look_at = 0;
				good = report(deliverer, &deliverer->sender[i], &deliverer->delivery[i]);
			}
	return good;
}

void
deliver(Session *session, const char *worker)
{
	Deliverer deliverer = {.session = session, .worker = worker};

	deliverer.delivery = mmap(NULL, sizeof(Delivery) * SENDERS, PROT_READ | PROT_WRITE,
							  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (deliverer.delivery == MAP_FAILED)
		return;
	while (take_messages(&deliverer) && collect_senders(&deliverer))
	{
		/* a webhook whose message was accepted may have a further one, for a sender that is free */
		if (deliverer.look_at > 0 || deliverer.busy == SENDERS)
			poll(NULL, 0, deliverer.busy > 0 ? LOOK_BUSY : LOOK);
	}
	munmap(deliverer.delivery, sizeof(Delivery) * SENDERS);
}
