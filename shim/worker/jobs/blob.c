/*
 * blob.c - read and write a blob in chunks.
 */
#include "jobs/jobs_internal.h"

bool
blob_reader_next(BlobReader *reader, const char **data, size_t *length)
{
	Value values[] = {reader->blob, session_number(reader->number++)};

	*length = 0;
	blob_reader_close(reader);
	if (reader->ended)
		return true;
	reader->chunk = session_ask(reader->session, ASK_BLOB_BYTES, values);
	if (reader->chunk == NULL)
		return false;
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
	PQclear(reader->chunk);
	reader->chunk = NULL;
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

bool
blob_store(Session *session, FILE *file, Statement statement, Value *values)
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
	values[3] = TEXT(blob);
	good = blob != NULL && session_do(session, statement, values);
	free(blob);
	blob_writer_close(&writer);
	return good;
}
