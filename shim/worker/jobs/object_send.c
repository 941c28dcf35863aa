/*
 * object_send.c - send bytes to the object store, in one request or by parts, and compare what is there.
 *
 * An object is there when the store has joined its parts.  What is left unfinished is aborted when all objects are listed
 * (objects/object_put.c), at the start of a worker and once a day.  If that hits what is just sent, it fails.
 */
#include <poll.h>

#include <openssl/evp.h>

#include "jobs/object_send.h"

#define PARTS 10000		   /* that an object may have */
#define PART_ATTEMPTS 3	   /* of a part, since others were sent already */
#define PART_PAUSE 1000	   /* milliseconds between them */
#define PARTS_TEXT 2097152 /* bytes of the list of parts */
#define KEPT_HERE 524288   /* bytes of what is never moved: catalogue.object_next() */

/* A text that is sent. */
typedef struct Text
{
	const char *data;
	size_t left;
} Text;

static ptrdiff_t
give_text(void *target, char *space, size_t room)
{
	Text *text = target;
	size_t part = text->left < room ? text->left : room;

	if (part > 0)
		memcpy(space, text->data, part);
	text->data += part;
	text->left -= part;
	return (ptrdiff_t) part;
}

/* Send a request with so many bytes. */
static ObjectEnd
ask_sized(ObjectRequest *request, const Settings *settings, ObjectVerb verb, int64_t size)
{
	request->verb = verb;
	request->size = size;
	request->first = request->length = 0;
	return object_store_ask(request, settings);
}

/* Send bytes of the source from an offset on. */
static ObjectEnd
send_bytes(ObjectRequest *request, const Settings *settings, const ObjectSource *source,
		   ObjectVerb verb, int64_t first, int64_t size)
{
	request->give = source->give;
	request->target = source->target;
	if (source->seek(source->target, first))
		return ask_sized(request, settings, verb, size);
	snprintf(request->reason, sizeof(request->reason), "the bytes cannot be read");
	return OBJECT_AWAY;
}

/* Send a part, and append it to the list of parts. */
static ObjectEnd
send_part(ObjectRequest *request, const Settings *settings, const ObjectSource *source,
		  int64_t first, int64_t size, Buffer *list)
{
	char entry[sizeof(request->tag) + 128];
	ObjectEnd end;

	request->part++;
	for (int attempt = 1;; attempt++)
	{
		end = send_bytes(request, settings, source, OBJECT_PART, first, size);
		if (end != OBJECT_AWAY || attempt == PART_ATTEMPTS)
			break;
		poll(NULL, 0, PART_PAUSE);
	}
	snprintf(entry, sizeof(entry), "<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>",
			 request->part, strpbrk(request->tag, "<&") == NULL ? request->tag : "");
	buffer_text(list, entry);
	return end;
}

/* The bytes of each part but the last one, a multiple of those of a chunk. */
static int64_t
part_size(const Settings *settings, int64_t size)
{
	int64_t least = (size + PARTS - 1) / PARTS;
	int64_t wanted = settings->store_part;

	wanted = wanted > least ? wanted : least;
	return (wanted + BLOB_CHUNK - 1) / BLOB_CHUNK * BLOB_CHUNK;
}

/* Send bytes by parts. */
static ObjectEnd
send_parts(ObjectRequest *request, const Settings *settings, const ObjectSource *source,
		   int64_t part)
{
	ObjectEnd end = ask_sized(request, settings, OBJECT_BEGIN, 0);
	Buffer list;
	Text text;

	buffer_init(&list, PARTS_TEXT);
	buffer_text(&list, "<CompleteMultipartUpload>");
	request->part = 0;
	for (int64_t first = 0; end == OBJECT_DONE && first < source->size; first += part)
	{
		int64_t left = source->size - first;

		end = send_part(request, settings, source, first, left < part ? left : part, &list);
	}
	buffer_text(&list, "</CompleteMultipartUpload>");
	text = (Text){list.data, list.length};
	request->give = give_text;
	request->target = &text;
	if (end == OBJECT_DONE)
		end = list.failed ? OBJECT_AWAY
						  : ask_sized(request, settings, OBJECT_COMPLETE, (int64_t) list.length);
	buffer_free(&list);
	return end;
}

ObjectEnd
object_send(ObjectRequest *request, const Settings *settings, const ObjectSource *source)
{
	int64_t part = part_size(settings, source->size);

	return source->size > part ? send_parts(request, settings, source, part)
							   : send_bytes(request, settings, source, OBJECT_PUT, 0, source->size);
}

static bool
take_hash(void *target, const char *bytes, size_t length)
{
	return EVP_DigestUpdate(target, bytes, length) == 1;
}

/* Write the digest that was computed, in hexadecimal; false on an error. */
static bool
end_hash(EVP_MD_CTX *hash, char *digest)
{
	unsigned char sum[EVP_MAX_MD_SIZE] = {0};
	bool good = EVP_DigestFinal_ex(hash, sum, NULL) == 1;

	text_hex(sum, OBJECT_DIGEST, digest);
	return good;
}

ObjectEnd
object_send_compare(ObjectRequest *request, const Settings *settings)
{
	char digest[OBJECT_KEY] = "";
	EVP_MD_CTX *hash = EVP_MD_CTX_new();
	ObjectEnd end = OBJECT_AWAY;

	request->verb = OBJECT_GET;
	request->first = 0;
	request->length = request->size;
	request->take = take_hash;
	request->target = hash;
	if (hash != NULL && EVP_DigestInit_ex(hash, EVP_sha256(), NULL) == 1)
		end = object_store_ask(request, settings);
	if (end == OBJECT_DONE && !end_hash(hash, digest))
		end = OBJECT_AWAY;
	EVP_MD_CTX_free(hash);
	if (end != OBJECT_DONE || strcmp(digest, request->key) == 0)
		return end;
	snprintf(request->reason, sizeof(request->reason),
			 "its bytes in the object store have another digest");
	return OBJECT_WRONG;
}

/* ---- A file ---- */

static bool
seek_file(void *target, int64_t offset)
{
	return fseeko(target, offset, SEEK_SET) == 0;
}

static ptrdiff_t
give_file(void *target, char *space, size_t room)
{
	size_t length = fread(space, 1, room, target);

	return ferror((FILE *) target) ? -1 : (ptrdiff_t) length;
}

/* Compute the digest of a file, in hexadecimal; false on an error. */
static bool
hash_file(FILE *file, char *digest)
{
	char bytes[16384];
	size_t length;
	EVP_MD_CTX *hash = EVP_MD_CTX_new();
	bool good = hash != NULL && EVP_DigestInit_ex(hash, EVP_sha256(), NULL) == 1;

	rewind(file);
	while (good && (length = fread(bytes, 1, sizeof(bytes), file)) > 0)
		good = take_hash(hash, bytes, length);
	good = good && !ferror(file) && end_hash(hash, digest);
	EVP_MD_CTX_free(hash);
	return good;
}

/* Send the file, and compare the object with it. */
static bool
is_stored(ObjectRequest *request, const Settings *settings, FILE *file, int64_t size)
{
	const ObjectSource source = {
		.size = size, .seek = seek_file, .give = give_file, .target = file};
	ObjectEnd end = object_send(request, settings, &source);

	request->size = size;
	if (end == OBJECT_DONE)
		end = object_send_compare(request, settings);
	if (end != OBJECT_DONE)
		log_event(settings->log, LOG_ERROR, "object store failed", "put %s: %s", request->key,
				  request->reason);
	return end == OBJECT_DONE;
}

/* Read a chunk of the file from an offset on; false if it is not there. */
static bool
read_chunk(FILE *file, int64_t offset, int64_t size, char *bytes, size_t *length)
{
	*length = size - offset < BLOB_CHUNK ? (size_t) (size - offset) : BLOB_CHUNK;
	return seek_file(file, offset) && fread(bytes, 1, *length, file) == *length;
}

/* Begin a transaction with a blob of the object, whose id is returned; "0": there may be no such object any more. */
static char *
make_blob(Session *session, FILE *file, const char *key, int64_t size)
{
	char *bytes = malloc((size_t) 2 * BLOB_CHUNK);
	char *last = bytes + BLOB_CHUNK;
	size_t lengths[2];
	char *blob = NULL;

	if (bytes != NULL && read_chunk(file, 0, size, bytes, &lengths[0]) &&
		read_chunk(file, (size - 1) / BLOB_CHUNK * BLOB_CHUNK, size, last, &lengths[1]) &&
		session_do(session, ASK_BEGIN, NULL))
	{
		const Value values[] = {TEXT(key), session_number(size), BYTES(bytes, lengths[0]),
								BYTES(last, lengths[1])};

		blob = session_text(session, ASK_OBJECT_SENT, values);
	}
	free(bytes);
	return blob;
}

char *
object_send_file(Session *session, FILE *file)
{
	const Settings *settings = session->settings;
	int64_t size = fseeko(file, 0, SEEK_END) == 0 ? (int64_t) ftello(file) : 0;
	ObjectRequest request = {0};
	const Value key = TEXT(request.key);
	bool is_new;
	char *blob = NULL;

	if (settings->store_url[0] == '\0' || !settings->store_bytes || size <= KEPT_HERE ||
		!hash_file(file, request.key) || !session_true(session, ASK_OBJECT_EXPECTED, &key, &is_new))
		return NULL;
	if (!is_new || is_stored(&request, settings, file, size))
	{
		blob = make_blob(session, file, request.key, size);
		if (blob == NULL || strcmp(blob, "0") == 0)
		{
			(void) session_do(session, ASK_ROLLBACK, NULL);
			free(blob);
			blob = NULL;
		}
	}
	object_store_close(&request);
	return blob;
}
