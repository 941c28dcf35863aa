/*
 * blob_reader.c - reads stored bytes, a chunk at a time.
 *
 * The next chunk is asked for as soon as one has arrived, so that PostgreSQL reads while the chunk
 * is used.
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

/* Take the answer that was asked for, and the end of it; false with a fault. */
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
	/* what was asked for comes, and is not wanted any more */
	take_answer(reader);
	PQclear(reader->chunk);
	reader->chunk = NULL;
}
