/*
 * idempotency.c - requests with an Idempotency-Key, whose calls catalogue.once() makes.
 */
#include <openssl/evp.h>
#include <string.h>

#include "database/clients.h"
#include "net/header.h"

/* The calls that catalogue.once() can make. */
static const CallName calls[] = {
	CALL_CREATE,	 CALL_BATCH,		CALL_CREATE_ROWS,	CALL_IMPORT,
	CALL_RESTORE,	 CALL_DEACTIVATE,	CALL_UNDO,			CALL_SEND_EMAIL,
	CALL_CANCEL_JOB, CALL_REFRESH_FILE, CALL_UPLOAD_FINISH,
};

bool
idempotency_taken(const CallSpec *spec)
{
	for (size_t i = 0; i < lengthof(calls); i++)
		if (spec == &call_specs[calls[i]])
			return true;
	return false;
}

/* Compute the digest of method, target and body; returns its length, 0: no memory. */
static unsigned int
digest_of(const Request *request, unsigned char *digest)
{
	const char *verb = verb_names[request->verb];
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	unsigned int length = 0;

	if (context == NULL || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1 ||
		EVP_DigestUpdate(context, verb, strlen(verb) + 1) != 1 ||
		EVP_DigestUpdate(context, request->target, strlen(request->target) + 1) != 1 ||
		EVP_DigestUpdate(context, request->body.data, request->body.length) != 1 ||
		EVP_DigestFinal_ex(context, digest, &length) != 1)
		length = 0;
	EVP_MD_CTX_free(context);
	return length;
}

void
idempotency_set(Request *request, Call *call)
{
	const char *key = request->headers[HEADER_IDEMPOTENCY_KEY];
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned int length;
	char *text;

	if (key == NULL || request->verb != VERB_POST || !idempotency_taken(call->spec))
		return;
	length = digest_of(request, digest);
	text = arena_zeroed(&request->arena, 2 * EVP_MAX_MD_SIZE + 1);
	if (length == 0 || text == NULL)
	{
		request->arena.failed = true;
		return;
	}
	text_hex(digest, length, text);
	call->key = key;
	call->digest = text;
}
