/*
 * blob_reader.c - read a blob in chunks.
 *
 * The next chunk is requested as soon as one has arrived, so that PostgreSQL reads while the chunk
 * is processed.
 */
#include "jobs/jobs_internal.h"

static bool
ask_next(BlobReader *reader)
{
	NumberText number = session_number(reader->number);
	Value values[] = {TEXT(reader->blob), TEXT(number.text)};

	reader->asked = session_send(reader->session, ASK_BLOB_BYTES, values);
	reader->number++;
	return reader->asked;
}

bool
blob_reader_open(BlobReader *reader, Session *session, const char *blob)
{
	*reader = (BlobReader){.session = session, .blob = blob};
	return session_prepare(session, ASK_BLOB_BYTES) && ask_next(reader);
}

bool
blob_reader_ready(BlobReader *reader)
{
	if (!reader->asked)
		return true;
	PQflush(reader->session->pg);
	return !PQconsumeInput(reader->session->pg) || !PQisBusy(reader->session->pg);
}

/* Receive the requested chunk and the end of its result; false on an error. */
static bool
take_answer(BlobReader *reader)
{
	PGresult *rest;

	reader->chunk = session_receive(reader->session);
	reader->asked = false;
	if (reader->chunk == NULL)
		return false;
	while ((rest = session_receive(reader->session)) != NULL)
		PQclear(rest);
	return session_check(reader->session, reader->chunk);
}

bool
blob_reader_next(BlobReader *reader, const char **data, size_t *length)
{
	*length = 0;
	PQclear(reader->chunk);
	reader->chunk = NULL;
	if (reader->ended)
		return true;
	if (!reader->asked || !take_answer(reader))
		return false;
	reader->ended = PQntuples(reader->chunk) != 1 || PQgetisnull(reader->chunk, 0, 0);
	if (reader->ended)
		return true;
	*data = PQgetvalue(reader->chunk, 0, 0);
	*length = (size_t) PQgetlength(reader->chunk, 0, 0);
	/* a chunk that is not full is the last one */
	reader->ended = *length < BLOB_CHUNK;
	return reader->ended || ask_next(reader);
}

void
blob_reader_close(BlobReader *reader)
{
	PQclear(reader->chunk);
	reader->chunk = NULL;
	if (!reader->asked)
		return;
	/* discard the requested chunk */
	take_answer(reader);
	PQclear(reader->chunk);
	reader->chunk = NULL;
}
