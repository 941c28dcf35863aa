/*
 * blob.c - read a blob, in chunks or from the object store; write one in chunks.
 */
#include "jobs/jobs_internal.h"
#include "jobs/object_send.h"

static void
drop_chunk(BlobReader *reader)
{
	PQclear(reader->chunk);
	reader->chunk = NULL;
}

/* Find out whether the bytes are in the object store; false on an error. */
static bool
find_object(BlobReader *reader)
{
	ObjectRequest *object = &reader->object;
	char *stored = session_text(reader->session, ASK_BLOB_STORED, &reader->blob);

	if (stored == NULL)
		return false;
	if (strlen(stored) > OBJECT_KEY)
	{
		memcpy(object->key, stored, OBJECT_KEY - 1);
		object->size = strtoll(stored + OBJECT_KEY, NULL, 10);
		object->first = reader->number * BLOB_CHUNK;
	}
	free(stored);
	return true;
}

static bool
take_window(void *target, const char *bytes, size_t length)
{
	buffer_append(target, bytes, length);
	return !((Buffer *) target)->failed;
}

/* Ask for the window ahead; false: there is none, or it cannot be asked for. */
static bool
ask_window(BlobReader *reader)
{
	ObjectRequest *object = &reader->object;
	Buffer *window = &reader->windows[1];
	int64_t left = object->size - object->first;

	if (left <= 0)
		return false;
	if (window->maximum == 0)
		buffer_init(window, OBJECT_WINDOW);
	buffer_clear(window);
	object->length = left < OBJECT_WINDOW ? left : OBJECT_WINDOW;
	object->take = take_window;
	object->target = window;
	return object_store_begin(object, reader->session->settings);
}

/* Wait for the window ahead; where it was asked for so long ago that it may be too late for it, once more. */
static ObjectEnd
wait_window(BlobReader *reader)
{
	ObjectEnd end = reader->ahead ? object_store_wait(&reader->object) : OBJECT_AWAY;

	if (end == OBJECT_AWAY)
		end = ask_window(reader) ? object_store_wait(&reader->object) : OBJECT_AWAY;
	reader->ahead = false;
	return end;
}

/* Read the next window from the object store, and ask for the one behind it; false, with a fault of the session, where
 * it is not given. */
static bool
next_window(BlobReader *reader, const char **data, size_t *length)
{
	const Settings *settings = reader->session->settings;
	ObjectRequest *object = &reader->object;
	Buffer window = reader->windows[0];
	ObjectEnd end;

	if (object->first >= object->size)
		return true;
	end = wait_window(reader);
	if (end != OBJECT_DONE)
	{
		log_event(settings->log, LOG_ERROR, "object store failed", "GET %s: %s", object->key,
				  object->reason);
		session_fault(reader->session, end == OBJECT_AWAY ? SQLSTATE_AWAY : "OD404",
					  end == OBJECT_AWAY ? "the object store does not answer"
										 : "the object store does not have the bytes");
		return false;
	}
	reader->windows[0] = reader->windows[1];
	reader->windows[1] = window;
	*data = reader->windows[0].data;
	*length = reader->windows[0].length;
	object->first += object->length;
	reader->ahead = ask_window(reader);
	return true;
}

bool
blob_reader_next(BlobReader *reader, const char **data, size_t *length)
{
	Value values[] = {reader->blob, session_number(reader->number)};

	*length = 0;
	drop_chunk(reader);
	if (reader->ended)
		return true;
	if (reader->number == 0 && reader->object.key[0] == '\0' && !find_object(reader))
		return false;
	if (reader->object.key[0] != '\0')
		return next_window(reader, data, length);
	reader->chunk = session_ask(reader->session, ASK_BLOB_BYTES, values);
	if (reader->chunk == NULL)
		/* it was moved since the last chunk */
		return strcmp(reader->session->sqlstate, "OD503") == 0 && find_object(reader) &&
			   reader->object.key[0] != '\0' && next_window(reader, data, length);
	reader->number++;
	if (PQntuples(reader->chunk) == 1)
	{
		*data = PQgetvalue(reader->chunk, 0, 0);
		*length = (size_t) PQgetlength(reader->chunk, 0, 0);
	}
	/* a chunk that is not full is the last one */
	reader->ended = *length < BLOB_CHUNK;
	return true;
}

void
blob_reader_close(BlobReader *reader)
{
	drop_chunk(reader);
	object_store_close(&reader->object);
	buffer_free(&reader->windows[0]);
	buffer_free(&reader->windows[1]);
}

bool
blob_writer_open(BlobWriter *writer, Session *session)
{
	*writer = (BlobWriter){.session = session, .buffer = malloc(BLOB_CHUNK)};
	if (writer->buffer != NULL)
		writer->blob = session_text(session, ASK_BLOB_CREATE, NULL);
	return writer->blob != NULL;
}

void
blob_writer_close(BlobWriter *writer)
{
	free(writer->buffer);
	free(writer->blob);
	*writer = (BlobWriter){0};
}

static bool
blob_writer_flush(BlobWriter *writer)
{
	Value values[] = {TEXT(writer->blob), session_number(writer->flushed),
					  BYTES(writer->buffer, writer->held)};

	if (writer->held == 0)
		return true;
	if (!session_do(writer->session, ASK_BLOB_APPEND, values))
		return false;
	writer->flushed += (int64_t) writer->held;
	writer->held = 0;
	return true;
}

bool
blob_writer_put(BlobWriter *writer, const char *data, size_t length)
{
	while (length > 0)
	{
		size_t room = BLOB_CHUNK - writer->held;
		size_t part = length < room ? length : room;

		memcpy(writer->buffer + writer->held, data, part);
		writer->held += part;
		data += part;
		length -= part;
		if (writer->held == BLOB_CHUNK && !blob_writer_flush(writer))
			return false;
	}
	return true;
}

char *
blob_writer_seal(BlobWriter *writer)
{
	Value values[] = {TEXT(writer->blob)};

	return blob_writer_flush(writer) ? session_text(writer->session, ASK_BLOB_SEAL, values) : NULL;
}

/* Store a file as a blob of the database and begin a transaction in which it is sealed; its id, to be freed. */
static char *
store_here(Session *session, FILE *file)
{
	BlobWriter writer;
	char bytes[16384];
	size_t length;
	char *blob = NULL;
	bool good = blob_writer_open(&writer, session);

	rewind(file);
	while (good && (length = fread(bytes, 1, sizeof(bytes), file)) > 0)
		good = blob_writer_put(&writer, bytes, length);
	if (good && !ferror(file) && session_do(session, ASK_BEGIN, NULL))
		blob = blob_writer_seal(&writer);
	blob_writer_close(&writer);
	return blob;
}

bool
blob_store(Session *session, FILE *file, Statement statement, Value *values)
{
	char *blob = object_send_file(session, file);
	bool good;

	if (blob == NULL)
		blob = store_here(session, file);
	values[session_parameters(statement) - 1] = TEXT(blob);
	good = blob != NULL && session_do(session, statement, values);
	free(blob);
	return good;
}
