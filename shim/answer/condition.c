/*
 * condition.c - entity tags, If-Match and If-None-Match (RFC 9110, 8.8.3 and 13).
 *
 * A tag is "<state>-<variant>".  The state is the extension's identifier of what was read, or a hash
 * of the body if it has none.  The variant is a hash of everything else that the bytes depend on, so
 * that equal tags mean equal bytes.  The extension decides whether a write is allowed, while it holds
 * the lock of the record, by the state alone: tags of all representations are accepted.
 */
#include <ctype.h>

#include <openssl/evp.h>

#include "answer/answer.h"
#include "answer/envelope.h"
#include "net/header.h"

#define STATE_BYTES 16	/* of the hash of a body */
#define VARIANT_BYTES 8 /* of the hash of what shapes a representation */

/* A state that no record has. */
#define NEVER "-"

/* One entity tag of a list, without its quotes. */
typedef struct Tag
{
	const char *text;
	size_t length;
	bool weak;
} Tag;

typedef enum Step
{
	STEP_TAG,
	STEP_END,
	STEP_MALFORMED
} Step;

struct evp_md_ctx_st *
condition_open(void)
{
	EVP_MD_CTX *digest = EVP_MD_CTX_new();

	if (digest != NULL && EVP_DigestInit_ex(digest, EVP_sha256(), NULL) != 1)
	{
		EVP_MD_CTX_free(digest);
		digest = NULL;
	}
	return digest;
}

void
condition_close(struct evp_md_ctx_st *digest)
{
	EVP_MD_CTX_free(digest);
}

/* The settings that the description of the service depends on, for it has the paths that are built. */
static const char *
shaping_settings(const Request *request)
{
	return request->route->call == CALL_OPENAPI &&
				   request->thread->settings->mail_command[0] != '\0'
			   ? "mail"
			   : "";
}

/* A hash of all that the bytes of an answer depend on, besides the records. */
static const char *
variant(Request *request)
{
	const char *shapes[] = {SHIM_VERSION,
							request->base,
							request->prefer.relations,
							request->prefer.color,
							request->caller.user ? request->caller.user : "",
							request->caller.consumer ? request->caller.consumer : "",
							request->caller.consumer ? request->caller.key_name : "",
							request->document ? request->document->field : "",
							request->language ? request->language : "",
							request->document && compress_accepted(request) ? "gzip" : "",
							shaping_settings(request),
							request->query};
	struct iovec pieces[lengthof(shapes) + 1];

	for (size_t i = 0; i < lengthof(shapes); i++)
		pieces[i] = (struct iovec){(void *) shapes[i], strlen(shapes[i]) + 1};
	pieces[lengthof(shapes)] =
		(struct iovec){(void *) request->target, strcspn(request->target, "?")};
	return request_call_digest(request, pieces, lengthof(pieces), VARIANT_BYTES);
}

/* May the character stand in an entity tag? */
static bool
is_etagc(char c)
{
	unsigned char byte = (unsigned char) c;

	return byte == 0x21 || (byte >= 0x23 && byte != 0x7F);
}

/* The next tag of a list.  A tag may contain a comma; empty elements are skipped. */
static Step
next_tag(const char **list, Tag *tag)
{
	const char *c = *list + strspn(*list, ", \t");

	if (*c == '\0')
		return STEP_END;
	tag->weak = strncmp(c, "W/", 2) == 0;
	c += tag->weak ? 2 : 0;
	if (*c++ != '"')
		return STEP_MALFORMED;
	tag->text = c;
	while (is_etagc(*c))
		c++;
	tag->length = (size_t) (c - tag->text);
	if (*c++ != '"')
		return STEP_MALFORMED;
	c += strspn(c, " \t");
	*list = c;
	return *c == '\0' || *c == ',' ? STEP_TAG : STEP_MALFORMED;
}

/* Does the header field match any state? */
static bool
is_any(const char *list)
{
	list += strspn(list, " \t");
	return *list == '*' && list[1 + strspn(list + 1, " \t")] == '\0';
}

static bool
is_malformed(const char *list)
{
	Step step;
	Tag tag;

	if (list == NULL || is_any(list))
		return false;
	while ((step = next_tag(&list, &tag)) == STEP_TAG)
		;
	return step == STEP_MALFORMED;
}

bool
condition_names(const char *list, const char *tag, bool weak_counts)
{
	Tag named;

	if (is_any(list))
		return true;
	while (next_tag(&list, &named) == STEP_TAG)
		if ((weak_counts || !named.weak) && named.length == strlen(tag) - 2 &&
			memcmp(named.text, tag + 1, named.length) == 0)
			return true;
	return false;
}

/* The length of the state at the beginning of a tag: letters, digits and the characters given. */
static size_t
state_length(const Tag *tag, const char *others)
{
	size_t length = 0;

	while (length < tag->length &&
		   (isalnum((unsigned char) tag->text[length]) || strchr(others, tag->text[length])))
		length++;
	return length;
}

static void
add_word(Buffer *words, const char *sign, const char *bytes, size_t length)
{
	if (words->length > 0)
		buffer_append(words, ",", 1);
	buffer_text(words, sign);
	buffer_append(words, bytes, length);
}

/* The words as the argument of a call; NULL if there are none. */
static const char *
argument(Request *request, Buffer *words)
{
	bool any = words->length > 0;
	const char *text = arena_take(&request->arena, words);

	return any ? text : NULL;
}

/* The states that the client has of the representation that it requests. */
static const char *
known_states(Request *request)
{
	const char *list = request->headers[HEADER_IF_NONE_MATCH];
	size_t ours = strlen(request->variant);
	Buffer words;
	Tag tag;

	if (list == NULL)
		return NULL;
	if (is_any(list))
		return "*";
	buffer_init(&words, HEADERS_MAXIMUM);
	while (next_tag(&list, &tag) == STEP_TAG)
	{
		size_t state = state_length(&tag, ".");

		if (state > 0 && state + 1 + ours == tag.length && tag.text[state] == '-' &&
			memcmp(tag.text + state + 1, request->variant, ours) == 0)
			add_word(&words, "", tag.text, state);
	}
	return argument(request, &words);
}

/* Add the states of the tags in a header field. */
static void
add_states(Buffer *words, const char *sign, const char *list, bool weak_counts)
{
	Tag tag;

	if (is_any(list))
		add_word(words, sign, "*", 1);
	while (next_tag(&list, &tag) == STEP_TAG)
	{
		size_t state = state_length(&tag, "");

		if (state > 0 && (weak_counts || !tag.weak))
			add_word(words, sign, tag.text, state);
	}
}

/* The argument of calls with the states that the record may, and may not, be in. */
static const char *
match_states(Request *request)
{
	const char *wanted = request->headers[HEADER_IF_MATCH];
	const char *unwanted = request->headers[HEADER_IF_NONE_MATCH];
	Buffer words;

	buffer_init(&words, 2 * HEADERS_MAXIMUM);
	if (wanted != NULL)
	{
		add_states(&words, "", wanted, false);
		if (words.length == 0)
			add_word(&words, "", NEVER, strlen(NEVER));
	}
	if (unwanted != NULL)
		add_states(&words, "!", unwanted, true);
	return argument(request, &words);
}

/* A creation changes no record, so no condition but "If-Match: *" can be fulfilled. */
static bool
forbids_creation(const Request *request)
{
	const char *wanted = request->headers[HEADER_IF_MATCH];

	return (request->route->call == CALL_CREATE || request->body.rows != NULL) &&
		   request->caller.user != NULL &&
		   (request->headers[HEADER_IF_NONE_MATCH] != NULL || (wanted != NULL && !is_any(wanted)));
}

StageResult
condition_read(Request *request)
{
	bool reads = request->route->verb == VERB_GET;

	/* a malformed If-None-Match is ignored by reads, but must not allow a change */
	if (is_malformed(request->headers[HEADER_IF_MATCH]) ||
		(!reads && is_malformed(request->headers[HEADER_IF_NONE_MATCH])))
		return error_set(
			request, 400,
			"malformed entity tag: it is an ETag in double quotes, several with commas, or *");
	if (reads)
	{
		request->variant = variant(request);
		/* a page shows more than the record or list whose state the extension compares */
		request->known =
			request->format == NULL && request->language == NULL ? known_states(request) : NULL;
	}
	else if (call_takes(&call_specs[request->route->call], ARGUMENT_MATCH))
		request->match = match_states(request);
	else if (forbids_creation(request))
		return error_set(
			request, 412,
			"a creation has no state to compare: leave out If-Match and If-None-Match, "
			"and send Idempotency-Key to have the record made once");
	return NEXT;
}

/* Answer 304. */
static void
answer_unchanged(Request *request, const char *tag)
{
	Answer *answer = &request->answer;
	AnswerFields *fields = answer->fields;

	answer_free(answer);
	answer_init(answer);
	answer_status(request, MHD_HTTP_NOT_MODIFIED);
	answer->fields = fields;
	answer->etag = tag;
}

bool
condition_tag(Request *request, const char *tag)
{
	const char *wanted = request->headers[HEADER_IF_MATCH];
	const char *unwanted = request->headers[HEADER_IF_NONE_MATCH];

	request->answer.etag = tag;
	if (wanted != NULL && !condition_names(wanted, tag, false))
		(void) error_set(request, 412, NULL);
	else if (unwanted != NULL && condition_names(unwanted, tag, true))
		answer_unchanged(request, tag);
	return request->answer.status != 0;
}

bool
condition_tag_dated(Request *request, const char *tag, int64_t modified)
{
	const char *since = request->headers[HEADER_IF_MODIFIED_SINCE];
	int64_t known;

	if (modified > 0)
		answer_field(
			request, "Last-Modified",
			header_date_write(&request->arena, modified < clock_time() ? modified : clock_time()));
	if (condition_tag(request, tag))
		return true;
	/* a client that sends If-None-Match as well is answered by that */
	if (modified > 0 && since != NULL && request->headers[HEADER_IF_NONE_MATCH] == NULL &&
		header_date_read(since, &known) && modified <= known)
		answer_unchanged(request, tag);
	return request->answer.status != 0;
}

/* Set the entity tag of the answer from its state. */
static bool
set_tag(Request *request, const char *state)
{
	return condition_tag(request,
						 arena_join(&request->arena, "\"", state, "-", request->variant, "\""));
}

bool
condition_unchanged(Request *request, const Reply *reply)
{
	if (request->route->verb != VERB_GET || request->format != NULL || request->language != NULL ||
		reply->etag == NULL)
		return false;
	return set_tag(request, reply->etag);
}

void
condition_seal(Request *request)
{
	const Answer *answer = &request->answer;
	const struct iovec body[] = {{answer->head.data, answer->head.length},
								 {(void *) answer->data, answer->data_length},
								 {answer->tail.data, answer->tail.length}};

	if (request->route->verb == VERB_GET && answer->etag == NULL && answer->status < 300)
		(void) set_tag(request, request_call_digest(request, body, lengthof(body), STATE_BYTES));
}
