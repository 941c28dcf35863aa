/*
 * file_source.c - stored bytes, read and written a chunk at a time.
 *
 * A reader asks for the next chunk as soon as it has one, so that PostgreSQL reads while the chunk
 * is used.  A writer keeps the last chunk until it is full: what is written anew there, as the
 * heads of small entries of a zip file are, costs nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "jobs/jobs_internal.h"

static bool
ask_next(ByteReader *reader)
{
	Number number = number_text(reader->number);
	Value values[] = {TEXT(reader->blob), TEXT(number.text)};

	reader->asked = session_send(reader->session, ASK_BLOB_BYTES, values);
	reader->number++;
	return reader->asked;
}

bool
bytes_open(ByteReader *reader, Session *session, const char *blob)
{
	*reader = (ByteReader){.session = session, .blob = blob};
	return session_prepare(session, ASK_BLOB_BYTES) && ask_next(reader);
}

bool
bytes_ready(ByteReader *reader)
{
	if (!reader->asked)
		return true;
	PQflush(reader->session->pg);
	return !PQconsumeInput(reader->session->pg) || !PQisBusy(reader->session->pg);
}

/* Take the answer that was asked for, and the end of it; false with a fault. */
static bool
take_answer(ByteReader *reader)
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
bytes_next(ByteReader *reader, const char **data, size_t *length)
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
bytes_close(ByteReader *reader)
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

bool
writer_open(ByteWriter *writer, Session *session)
{
	*writer = (ByteWriter){.session = session, .buffer = malloc(BLOB_CHUNK)};
	if (writer->buffer != NULL)
		writer->blob = session_text(session, ASK_BLOB_CREATE, NULL);
	return writer->blob != NULL;
}

void
writer_close(ByteWriter *writer)
{
	free(writer->buffer);
	free(writer->blob);
	*writer = (ByteWriter){0};
}

bool
writer_flush(ByteWriter *writer)
{
	Number at = number_text(writer->flushed);
	Value values[] = {TEXT(writer->blob), TEXT(at.text), BYTES(writer->buffer, writer->held)};

	if (writer->held == 0)
		return true;
	if (!session_do(writer->session, ASK_BLOB_APPEND, values))
		return false;
	writer->flushed += (int64_t) writer->held;
	writer->held = 0;
	return true;
}

/* Write over what is stored already. */
static bool
overwrite(ByteWriter *writer, const char *data, size_t length)
{
	Number at = number_text(writer->at);
	Value values[] = {TEXT(writer->blob), TEXT(at.text), BYTES(data, length)};

	return session_do(writer->session, ASK_BLOB_OVERWRITE, values);
}

/* Write into the buffer, which is not full; how many bytes it took. */
static size_t
fill(ByteWriter *writer, const char *data, size_t length)
{
	size_t place = (size_t) (writer->at - writer->flushed);
	size_t part = length < BLOB_CHUNK - place ? length : BLOB_CHUNK - place;

	memcpy(writer->buffer + place, data, part);
	if (place + part > writer->held)
		writer->held = place + part;
	return part;
}

bool
writer_put(ByteWriter *writer, const char *data, size_t length)
{
	while (length > 0)
	{
		int64_t before = writer->flushed - writer->at;
		size_t part;

		if (before > 0)
		{
			part = (int64_t) length < before ? length : (size_t) before;
			if (!overwrite(writer, data, part))
				return false;
		}
		else
			part = fill(writer, data, length);
		writer->at += (int64_t) part;
		data += part;
		length -= part;
		if (writer->held == BLOB_CHUNK && !writer_flush(writer))
			return false;
	}
	return true;
}

char *
writer_seal(ByteWriter *writer)
{
	Value values[] = {TEXT(writer->blob)};

	return writer_flush(writer) ? session_text(writer->session, ASK_BLOB_SEAL, values) : NULL;
}
