/*
 * blob_writer.c - write a blob in chunks.
 *
 * The last chunk is buffered until it is full, so rewriting bytes in it, such as the headers of
 * small entries of a ZIP file, needs no statement.
 */
#include <stdlib.h>
#include <string.h>

#include "jobs/jobs_internal.h"

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

bool
blob_writer_flush(BlobWriter *writer)
{
	NumberText at = session_number(writer->flushed);
	Value values[] = {TEXT(writer->blob), TEXT(at.text), BYTES(writer->buffer, writer->held)};

	if (writer->held == 0)
		return true;
	if (!session_do(writer->session, ASK_BLOB_APPEND, values))
		return false;
	writer->flushed += (int64_t) writer->held;
	writer->held = 0;
	return true;
}

/* Overwrite bytes that are stored already. */
static bool
overwrite(BlobWriter *writer, const char *data, size_t length)
{
	NumberText at = session_number(writer->at);
	Value values[] = {TEXT(writer->blob), TEXT(at.text), BYTES(data, length)};

	return session_do(writer->session, ASK_BLOB_OVERWRITE, values);
}

/* Write into the buffer; return the number of bytes that fit. */
static size_t
fill(BlobWriter *writer, const char *data, size_t length)
{
	size_t place = (size_t) (writer->at - writer->flushed);
	size_t part = length < BLOB_CHUNK - place ? length : BLOB_CHUNK - place;

	memcpy(writer->buffer + place, data, part);
	if (place + part > writer->held)
		writer->held = place + part;
	return part;
}

bool
blob_writer_put(BlobWriter *writer, const char *data, size_t length)
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
