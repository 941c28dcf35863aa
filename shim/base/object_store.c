/*
 * object_store.c - one request to the object store: its options, its signature, its answer.
 *
 * libcurl 7.88 signs the header fields that it is given, also those that it does not send, and a body
 * that it has not seen as an empty one, unless x-amz-content-sha256 tells its digest; 8.14 signs no
 * request with CURLOPT_PATH_AS_IS.
 */
#include <strings.h>

#include <curl/curl.h>

#include "base/curl_options.h"
#include "base/object_store.h"

/* What x-amz-content-sha256 has of a part, whose digest is not known: the whole object is read back and compared. */
#define UNSIGNED "UNSIGNED-PAYLOAD"
#define NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" /* SHA-256 */
#define CONNECT_TIMEOUT 5000L /* milliseconds */
#define CONTINUE_TIMEOUT 100L /* milliseconds in which a refusal before the body may come */
#define JOIN_TIMEOUT 600000L  /* milliseconds in which the store makes an object of its parts */
#define SLOW_RATE 1024L		  /* bytes a second, of which a request must move more */
#define LOOKS 1000 /* milliseconds after which libcurl looks at its timeouts at the latest */
#define HEADERS_MAXIMUM 65536	/* bytes of all header fields of an answer */
#define CREDENTIALS_MAXIMUM 512 /* bytes of the file */
#define OK_WHOLE 200L
#define OK_EMPTY 204L
#define OK_RANGE 206L

/* What becomes of the body of an answer. */
typedef enum Answer
{
	ANSWER_NONE,
	ANSWER_TAKEN,
	ANSWER_SAID
} Answer;

static const struct
{
	const char *method; /* NULL: GET, PUT where bytes are sent */
	bool sends;
	Answer answer;
	long status;
} verbs[] = {[OBJECT_GET] = {NULL, false, ANSWER_TAKEN, OK_WHOLE},
			 [OBJECT_PUT] = {NULL, true, ANSWER_NONE, OK_WHOLE},
			 [OBJECT_DELETE] = {"DELETE", false, ANSWER_NONE, OK_EMPTY},
			 [OBJECT_LIST] = {NULL, false, ANSWER_TAKEN, OK_WHOLE},
			 [OBJECT_BEGIN] = {"POST", true, ANSWER_SAID, OK_WHOLE},
			 [OBJECT_PART] = {NULL, true, ANSWER_NONE, OK_WHOLE},
			 [OBJECT_COMPLETE] = {"POST", true, ANSWER_SAID, OK_WHOLE},
			 [OBJECT_ABORT] = {"DELETE", false, ANSWER_NONE, OK_EMPTY},
			 [OBJECT_UPLOADS] = {NULL, false, ANSWER_TAKEN, OK_WHOLE}};

static bool
fail(ObjectRequest *request, const char *reason)
{
	snprintf(request->reason, sizeof(request->reason), "%s", reason);
	return false;
}

static bool
is_range(const ObjectRequest *request)
{
	return request->verb == OBJECT_GET && request->length < request->size;
}

static long
wanted_status(const ObjectRequest *request)
{
	return is_range(request) ? OK_RANGE : verbs[request->verb].status;
}

static long
status_of(const ObjectRequest *request)
{
	long status = 0;

	curl_easy_getinfo(request->curl, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

/* Copy the value of a line of the header, where it has the name. */
static void
copy_value(const char *line, size_t length, const char *name, char *value, size_t size)
{
	size_t start = strlen(name);

	if (length <= start || strncasecmp(line, name, start) != 0)
		return;
	start += line[start] == ' ';
	snprintf(value, size, "%.*s", (int) strcspn(line + start, "\r\n"), line + start);
}

static size_t
take_header(char *line, size_t size, size_t count, void *data)
{
	ObjectRequest *request = data;
	size_t length = size * count;

	request->head += length;
	if (request->head > HEADERS_MAXIMUM)
		return 0;
	copy_value(line, length, "content-range:", request->range, sizeof(request->range));
	copy_value(line, length, "etag:", request->tag, sizeof(request->tag));
	return length;
}

/* Is the answer the range that was asked for? */
static bool
has_range(const ObjectRequest *request)
{
	char range[96];

	snprintf(range, sizeof(range), "bytes %lld-%lld/%lld", (long long) request->first,
			 (long long) (request->first + request->length - 1), (long long) request->size);
	return !is_range(request) || strcasecmp(range, request->range) == 0;
}

/* Keep the beginning of a body, without the white space before it. */
static void
take_said(ObjectRequest *request, const char *bytes, size_t length)
{
	size_t said = strlen(request->said);

	for (size_t i = 0; i < length && said < sizeof(request->said) - 1; i++)
		if (bytes[i] != '\0' && (said > 0 || strchr(" \t\r\n", bytes[i]) == NULL))
			request->said[said++] = bytes[i];
	request->said[said] = '\0';
}

static size_t
take_body(char *bytes, size_t size, size_t count, void *data)
{
	ObjectRequest *request = data;
	size_t length = size * count;
	bool good = status_of(request) == wanted_status(request);

	if (!good || verbs[request->verb].answer == ANSWER_SAID)
		take_said(request, bytes, length);
	if (!good || verbs[request->verb].answer != ANSWER_TAKEN)
		return length;
	request->taken += (int64_t) length;
	request->refused = request->taken > request->length || !has_range(request) ||
					   !request->take(request->target, bytes, length);
	return request->refused ? 0 : length;
}

static size_t
give_body(char *space, size_t size, size_t count, void *data)
{
	ObjectRequest *request = data;
	int64_t left = request->size - request->given;
	size_t room = size * count;
	ptrdiff_t given = 0;

	if (left > 0)
		given = request->give(request->target, space, left < (int64_t) room ? (size_t) left : room);
	request->given += given > 0 ? given : 0;
	return given >= 0 ? (size_t) given : CURL_READFUNC_ABORT;
}

/* Read the credentials, "key:secret", into both, which point into the space. */
static bool
read_credentials(ObjectRequest *request, const char *path, char *space, char **secret)
{
	FILE *file = fopen(path, "re");
	size_t length = file != NULL ? fread(space, 1, CREDENTIALS_MAXIMUM - 1, file) : 0;

	if (file == NULL)
		return fail(request, "the file of store_credentials cannot be opened");
	fclose(file);
	space[length] = '\0';
	space[strcspn(space, "\r\n")] = '\0';
	*secret = strchr(space, ':');
	if (*secret == NULL || *secret == space || (*secret)[1] == '\0')
		return fail(request, "the file of store_credentials does not begin with key:secret");
	*(*secret)++ = '\0';
	return true;
}

/* Set what all requests have in common. */
static bool
set_limits(ObjectRequest *request, const Settings *settings)
{
	long silent = (long) ((settings->store_timeout + 999) / 1000);
	long whole = (long) settings->store_timeout;
	bool joins = request->verb == OBJECT_COMPLETE;
	bool window = request->verb == OBJECT_BEGIN ||
				  (!verbs[request->verb].sends && request->length <= OBJECT_WINDOW);
	const struct
	{
		CURLoption option;
		long value;
	} numbers[] = {{CURLOPT_CONNECTTIMEOUT_MS, whole < CONNECT_TIMEOUT ? whole : CONNECT_TIMEOUT},
				   {CURLOPT_TIMEOUT_MS, joins	 ? JOIN_TIMEOUT
										: window ? whole
												 : 0},
				   {CURLOPT_EXPECT_100_TIMEOUT_MS, CONTINUE_TIMEOUT},
				   {CURLOPT_LOW_SPEED_LIMIT, SLOW_RATE},
				   {CURLOPT_LOW_SPEED_TIME, joins ? 0 : silent}};
	CURL *curl = request->curl;

	for (size_t i = 0; i < lengthof(numbers); i++)
		if (curl_easy_setopt(curl, numbers[i].option, numbers[i].value) != CURLE_OK)
			return false;
	return curl_options_set(curl, settings->store_ca_file);
}

/* Set who signs the request; libcurl copies the texts. */
static bool
set_signer(ObjectRequest *request, const Settings *settings)
{
	char space[CREDENTIALS_MAXIMUM];
	char signer[128];
	char *secret;
	bool good = read_credentials(request, settings->store_credentials, space, &secret);

	snprintf(signer, sizeof(signer), "aws:amz:%s:s3", settings->store_region);
	good = good && curl_easy_setopt(request->curl, CURLOPT_AWS_SIGV4, signer) == CURLE_OK &&
		   curl_easy_setopt(request->curl, CURLOPT_USERNAME, space) == CURLE_OK &&
		   curl_easy_setopt(request->curl, CURLOPT_PASSWORD, secret) == CURLE_OK;
	explicit_bzero(space, sizeof(space));
	return good;
}

/* Write the query of a request; a signed one is sorted, and has a value for each name. */
static void
write_query(const ObjectRequest *request, char *query, size_t size)
{
	*query = '\0';
	if (request->verb == OBJECT_LIST)
		snprintf(query, size, "?list-type=2&start-after=%s", request->key);
	else if (request->verb == OBJECT_PART)
		snprintf(query, size, "?partNumber=%d&uploadId=%s", request->part, request->upload);
	else if (request->verb == OBJECT_COMPLETE || request->verb == OBJECT_ABORT)
		snprintf(query, size, "?uploadId=%s", request->upload);
	else if (request->verb == OBJECT_BEGIN || request->verb == OBJECT_UPLOADS)
		snprintf(query, size, "?uploads=");
}

/* Return what x-amz-content-sha256 is to have. */
static const char *
sent_digest(const ObjectRequest *request)
{
	if (request->verb == OBJECT_PUT)
		return request->key;
	return verbs[request->verb].sends && request->size > 0 ? UNSIGNED : NOTHING;
}

/* Set the address and the header fields. */
static bool
set_target(ObjectRequest *request, const Settings *settings)
{
	bool of_bucket = request->verb == OBJECT_LIST || request->verb == OBJECT_UPLOADS;
	char digest[OBJECT_KEY + 32];
	char query[OBJECT_UPLOAD + 64];
	char url[OBJECT_UPLOAD + 2048];

	write_query(request, query, sizeof(query));
	snprintf(url, sizeof(url), "%s%s%s%s", settings->store_url, of_bucket ? "" : "/",
			 of_bucket ? "" : request->key, query);
	snprintf(digest, sizeof(digest), "x-amz-content-sha256: %s", sent_digest(request));
	request->fields = curl_slist_append(NULL, digest);
	return request->fields != NULL &&
		   curl_easy_setopt(request->curl, CURLOPT_URL, url) == CURLE_OK &&
		   curl_easy_setopt(request->curl, CURLOPT_HTTPHEADER, request->fields) == CURLE_OK;
}

static bool
set_verb(ObjectRequest *request)
{
	CURL *curl = request->curl;
	const char *method = verbs[request->verb].method;
	char range[64];

	snprintf(range, sizeof(range), "%lld-%lld", (long long) request->first,
			 (long long) (request->first + request->length - 1));
	if (is_range(request))
		return curl_easy_setopt(curl, CURLOPT_RANGE, range) == CURLE_OK;
	if (method != NULL && curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method) != CURLE_OK)
		return false;
	return !verbs[request->verb].sends ||
		   (curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L) == CURLE_OK &&
			curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t) request->size) ==
				CURLE_OK &&
			curl_easy_setopt(curl, CURLOPT_READFUNCTION, give_body) == CURLE_OK &&
			curl_easy_setopt(curl, CURLOPT_READDATA, request) == CURLE_OK);
}

static bool
set_answer(ObjectRequest *request)
{
	CURL *curl = request->curl;

	return curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header) == CURLE_OK &&
		   curl_easy_setopt(curl, CURLOPT_HEADERDATA, request) == CURLE_OK &&
		   curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body) == CURLE_OK &&
		   curl_easy_setopt(curl, CURLOPT_WRITEDATA, request) == CURLE_OK &&
		   curl_easy_setopt(curl, CURLOPT_PRIVATE, request) == CURLE_OK;
}

bool
object_store_prepare(ObjectRequest *request, const Settings *settings)
{
	request->taken = request->given = 0;
	request->head = 0;
	request->refused = false;
	request->range[0] = request->tag[0] = request->said[0] = request->reason[0] = '\0';
	curl_slist_free_all(request->fields);
	request->fields = NULL;
	if (settings->store_url[0] == '\0')
		return fail(request, "store_url is not set");
	if (request->curl == NULL)
		request->curl = curl_easy_init();
	else
		curl_easy_reset(request->curl);
	if (request->curl != NULL && set_limits(request, settings) && set_target(request, settings) &&
		set_verb(request) && set_answer(request) && set_signer(request, settings))
		return true;
	return request->reason[0] != '\0' ? false : fail(request, "the request cannot be prepared");
}

/* The code in the body of an error, letters only; empty: there is none. */
static void
find_code(const ObjectRequest *request, char *code, size_t size)
{
	const char *start = strstr(request->said, "<Code>");
	size_t length = start != NULL ? strspn(start + 6, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
													  "abcdefghijklmnopqrstuvwxyz0123456789")
								  : 0;

	snprintf(code, size, "%.*s", (int) length, start != NULL ? start + 6 : "");
}

/* The answer has a status that was not wanted. */
static ObjectEnd
refused(ObjectRequest *request, long status)
{
	static const struct
	{
		const char *code;
		ObjectEnd end;
	} codes[] = {{"NoSuchKey", OBJECT_MISSING},
				 {"NoSuchUpload", OBJECT_MISSING},
				 {"InvalidPart", OBJECT_WRONG},
				 {"EntityTooSmall", OBJECT_WRONG},
				 {"EntityTooLarge", OBJECT_WRONG},
				 {"BadDigest", OBJECT_WRONG},
				 {"XAmzContentSHA256Mismatch", OBJECT_WRONG},
				 {"InvalidRange", OBJECT_WRONG}};
	char code[64];

	find_code(request, code, sizeof(code));
	snprintf(request->reason, sizeof(request->reason), "the store answers with %ld%s%s", status,
			 code[0] != '\0' ? " " : "", code);
	for (size_t i = 0; i < lengthof(codes); i++)
		if (strcmp(codes[i].code, code) == 0)
			return codes[i].end;
	return OBJECT_AWAY;
}

bool
object_store_upload(ObjectRequest *request, const char *xml)
{
	static const char name[] = "<UploadId>";
	const char *id = strstr(xml, name);
	size_t length = id != NULL ? strcspn(id + strlen(name), "<") : 0;
	char *escaped = length > 0 && length < OBJECT_UPLOAD
						? curl_easy_escape(request->curl, id + strlen(name), (int) length)
						: NULL;
	bool good = escaped != NULL && strlen(escaped) < sizeof(request->upload);

	if (good)
		snprintf(request->upload, sizeof(request->upload), "%s", escaped);
	curl_free(escaped);
	return good;
}

/* An answer may begin before the store knows that it fails: its body says how that ended. */
static ObjectEnd
end_by_body(ObjectRequest *request)
{
	if (request->verb == OBJECT_COMPLETE &&
		strstr(request->said, "<CompleteMultipartUploadResult") == NULL)
		return refused(request, OK_WHOLE);
	if (request->verb != OBJECT_BEGIN || object_store_upload(request, request->said))
		return OBJECT_DONE;
	fail(request, "the answer has no id of an upload");
	return OBJECT_AWAY;
}

ObjectEnd
object_store_end(ObjectRequest *request, int code)
{
	long status = status_of(request);

	if (code == CURLE_OK && status != wanted_status(request))
		return refused(request, status);
	if (request->refused || (code == CURLE_OK && request->verb == OBJECT_GET &&
							 (request->taken != request->length || !has_range(request))))
	{
		fail(request, "the answer is not what was asked for");
		return OBJECT_WRONG;
	}
	if (code == CURLE_OK)
		return end_by_body(request);
	fail(request, curl_easy_strerror((CURLcode) code));
	return OBJECT_AWAY;
}

bool
object_store_begin(ObjectRequest *request, const Settings *settings)
{
	int running;

	if (!object_store_prepare(request, settings))
		return false;
	if (request->multi == NULL)
		request->multi = curl_multi_init();
	if (request->multi == NULL || curl_multi_add_handle(request->multi, request->curl) != CURLM_OK)
		return fail(request, "the request cannot be prepared");
	(void) curl_multi_perform(request->multi, &running);
	return true;
}

ObjectEnd
object_store_wait(ObjectRequest *request)
{
	CURLcode code = CURLE_FAILED_INIT;
	const CURLMsg *message;
	int number = 1;

	while (number > 0 && curl_multi_perform(request->multi, &number) == CURLM_OK && number > 0)
		(void) curl_multi_poll(request->multi, NULL, 0, LOOKS, NULL);
	message = curl_multi_info_read(request->multi, &number);
	if (message != NULL && message->msg == CURLMSG_DONE)
		code = message->data.result;
	(void) curl_multi_remove_handle(request->multi, request->curl);
	return object_store_end(request, code);
}

ObjectEnd
object_store_ask(ObjectRequest *request, const Settings *settings)
{
	return object_store_begin(request, settings) ? object_store_wait(request) : OBJECT_AWAY;
}

void
object_store_close(ObjectRequest *request)
{
	if (request->multi != NULL && request->curl != NULL)
		(void) curl_multi_remove_handle(request->multi, request->curl);
	curl_easy_cleanup(request->curl);
	curl_multi_cleanup(request->multi);
	curl_slist_free_all(request->fields);
	request->curl = request->multi = NULL;
	request->fields = NULL;
}

static ptrdiff_t
give_nothing(void *target, char *space, size_t room)
{
	return 0;
}

static bool
take_nothing(void *target, const char *bytes, size_t length)
{
	return true;
}

/* The object is the empty one, which no blob has. */
bool
object_store_check(const Settings *settings, bool moves)
{
	static const ObjectVerb tried[] = {OBJECT_PUT, OBJECT_GET, OBJECT_DELETE};
	ObjectRequest request = {.key = NOTHING, .give = give_nothing, .take = take_nothing};
	bool good = true;

	for (size_t i = 0; settings->store_url[0] != '\0' && good && i < lengthof(tried); i++)
	{
		ObjectEnd end = OBJECT_DONE;

		request.verb = tried[i];
		if (moves || request.verb == OBJECT_GET)
			end = object_store_ask(&request, settings);
		good = end == OBJECT_DONE || (!moves && end == OBJECT_MISSING);
	}
	if (settings->store_url[0] != '\0')
		printf("object store: %s\n", good ? "good" : request.reason);
	object_store_close(&request);
	return good;
}
