/*
 * session.c - a connection to PostgreSQL, its statements, blobs read and written in chunks, the end of a job.
 *
 * Every wait has a timeout: a server process that was stopped neither answers nor closes the
 * connection.
 */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <unistd.h>

#include "jobs/jobs_internal.h"

#define CONNECT_TIMEOUT 5000 /* milliseconds */

#define ARGUMENTS_0 ""
#define ARGUMENTS_1 "$1"
#define ARGUMENTS_2 "$1, $2"
#define ARGUMENTS_3 "$1, $2, $3"
#define ARGUMENTS_4 "$1, $2, $3, $4"
#define ARGUMENTS_5 "$1, $2, $3, $4, $5"

static const struct
{
	const char *sql;
	int count; /* of parameters */
} statements[STATEMENTS] = {
#define STATEMENT(name, sql, count) [ASK_##name] = {sql, count},
#define CALL(name, function, count) \
	STATEMENT(name, "SELECT catalogue." function "(" ARGUMENTS_##count ")::text", count)
#include "jobs/statements.h"
#undef STATEMENT
#undef CALL
};

const char *
session_statement(Statement statement)
{
	return statements[statement].sql;
}

Value
session_number(int64_t number)
{
	Value value = {0};

	snprintf(value.number, sizeof(value.number), "%lld", (long long) number);
	return value;
}

static void
keep_fault(Session *session, const char *state, const char *text)
{
	snprintf(session->state, sizeof(session->state), "%s", state ? state : "");
	snprintf(session->fault, sizeof(session->fault), "%s", text ? text : "out of memory");
	session->fault[strcspn(session->fault, "\n")] = '\0';
}

void
session_broken(Session *session)
{
	keep_fault(session, "",
			   session->pg == NULL						? "not connected"
			   : PQerrorMessage(session->pg)[0] != '\0' ? PQerrorMessage(session->pg)
														: "no answer in time");
}

bool
session_is_gone(const Session *session)
{
	return session->state[0] == '\0' || strncmp(session->state, "57P", 3) == 0 ||
		   strncmp(session->state, "08", 2) == 0;
}

/* Record the error of a result; true if it has none. */
static bool
session_check(Session *session, const PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
		return true;
	keep_fault(session, PQresultErrorField(result, PG_DIAG_SQLSTATE),
			   PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY)
				   ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY)
				   : PQresultErrorMessage(result));
	return false;
}

static bool
connected(Session *session)
{
	int64_t end = clock_now() + CONNECT_TIMEOUT;
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;

	while (PQstatus(session->pg) != CONNECTION_BAD && status != PGRES_POLLING_OK &&
		   status != PGRES_POLLING_FAILED)
	{
		if (!child_wait(PQsocket(session->pg), status == PGRES_POLLING_READING ? POLLIN : POLLOUT,
						end))
			return false;
		status = PQconnectPoll(session->pg);
	}
	return status == PGRES_POLLING_OK && PQsetnonblocking(session->pg, 1) == 0;
}

/*
 * Without a connection setting of its own the worker uses that of the shim with its own role:
 * parameters after dbname override those inside it.
 */
bool
session_open(Session *session, const Settings *settings, int64_t limit)
{
	static const char options[] = "-c search_path=pg_catalog,pg_temp -c jit=off"
								  " -c client_connection_check_interval=1s";
	bool own = settings->worker_database[0] != '\0';
	const char *names[] = {"dbname",  "fallback_application_name", "client_encoding",
						   "options", own ? NULL : "user",		   NULL};
	const char *values[] = {own ? settings->worker_database : settings->database,
							"catalogue-worker",
							"UTF8",
							options,
							own ? NULL : "catalogue_worker",
							NULL};

	*session = (Session){.settings = settings, .limit = limit};
	session->pg = PQconnectStartParams(names, values, 1);
	if (session->pg != NULL && connected(session))
		return true;
	session_broken(session);
	session_close(session);
	return false;
}

void
session_close(Session *session)
{
	PQfinish(session->pg);
	session->pg = NULL;
	session->ready = 0;
}

/* Flush the output buffer of libpq; false at the timeout. */
static bool
flush_all(Session *session, int64_t until)
{
	int rest;

	while ((rest = PQflush(session->pg)) > 0)
	{
		/* the server may wait for us to read before it reads more */
		if (!child_wait(PQsocket(session->pg), POLLIN | POLLOUT, until) ||
			!PQconsumeInput(session->pg))
			return false;
	}
	return rest == 0;
}

/* Wait for the next result of a statement; NULL at the end of them, or at the timeout. */
static PGresult *
receive(Session *session)
{
	int64_t until = clock_now() + session->limit;
	bool good = flush_all(session, until);

	while (good && PQisBusy(session->pg))
		good = child_wait(PQsocket(session->pg), POLLIN, until) && PQconsumeInput(session->pg);
	return good ? PQgetResult(session->pg) : NULL;
}

/* Receive the first result of a statement and discard the others; NULL on an error. */
static PGresult *
receive_all(Session *session)
{
	PGresult *first = receive(session);
	PGresult *more;

	while (first != NULL && (more = receive(session)) != NULL)
		PQclear(more);
	if (first == NULL || PQstatus(session->pg) != CONNECTION_OK)
		session_broken(session);
	else if (session_check(session, first))
		return first;
	PQclear(first);
	return NULL;
}

bool
session_prepare(Session *session, Statement statement)
{
	uint64_t bit = (uint64_t) 1 << statement;
	PGresult *result;

	if (session->ready & bit)
		return true;
	if (session->pg == NULL || !PQsendPrepare(session->pg, session_number(statement).number,
											  statements[statement].sql, 0, NULL))
	{
		session_broken(session);
		return false;
	}
	result = receive_all(session);
	PQclear(result);
	if (result != NULL)
		session->ready |= bit;
	return result != NULL;
}

PGresult *
session_ask(Session *session, Statement statement, const Value *values)
{
	const char *data[5];
	int lengths[5];
	int formats[5];
	int count = values != NULL ? statements[statement].count : 0;

	for (int i = 0; i < count; i++)
	{
		data[i] = values[i].number[0] != '\0' ? values[i].number : values[i].data;
		lengths[i] = (int) values[i].length;
		formats[i] = values[i].binary;
	}
	if (!session_prepare(session, statement))
		return NULL;
	if (PQsendQueryPrepared(session->pg, session_number(statement).number, count, data, lengths,
							formats, RESULT_BINARY))
		return receive_all(session);
	session_broken(session);
	return NULL;
}

bool
session_do(Session *session, Statement statement, const Value *values)
{
	PGresult *result = session_ask(session, statement, values);

	PQclear(result);
	return result != NULL;
}

char *
session_text(Session *session, Statement statement, const Value *values)
{
	PGresult *result = session_ask(session, statement, values);
	char *text = NULL;

	if (result == NULL)
		return NULL;
	if (PQntuples(result) == 1 && !PQgetisnull(result, 0, 0))
		text = strdup(PQgetvalue(result, 0, 0));
	else
		keep_fault(session, "02000", "no such record");
	PQclear(result);
	return text;
}

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

bool
session_true(Session *session, Statement statement, const Value *values, bool *is_true)
{
	char *text = session_text(session, statement, values);
	bool good = text != NULL;

	*is_true = good && strcmp(text, "true") == 0;
	free(text);
	return good;
}

const char *
job_detail(const Job *job, const char *name)
{
	return json_string_value(json_object_get(job->details, name));
}

Value
job_number(const Job *job, const char *name)
{
	const json_t *value = json_object_get(job->details, name);

	return json_is_string(value) ? TEXT(json_string_value(value))
								 : session_number(json_integer_value(value));
}

JobEnd
job_ends(Job *job, JobEnd end, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(job->reason, sizeof(job->reason), format, arguments);
	va_end(arguments);
	return end;
}

JobEnd
job_without_file(Job *job, int error)
{
	log_event(job->settings->log, LOG_ERROR, "temporary file failed", "job %s: \"%s\": %s", job->id,
			  unnamed_file_directory(), strerror(error));
	return job_ends(job, JOB_FAILED, "%s",
					error == ENOSPC || error == EDQUOT ? "there is no space for temporary files"
													   : "no temporary file could be created");
}

/* Is the error caused by the stored data, so that every attempt would fail? */
static bool
is_refused(const Session *session)
{
	/* data exceptions, constraint violations, program limits, damaged rows of a sheet */
	static const char *const states[] = {"22", "23502", "23514", "54", "XX001"};

	for (size_t i = 0; i < lengthof(states); i++)
		if (strncmp(session->state, states[i], strlen(states[i])) == 0)
			return true;
	return false;
}

/*
 * An error message of PostgreSQL goes to the log only, unless it concerns the contents of the file.
 */
JobEnd
job_stopped(Job *job, const Session *session)
{
	bool gone = session_is_gone(session);

	log_event(job->settings->log, gone ? LOG_WARN : LOG_ERROR, "job stopped", "%s %s: %s%s%s",
			  job->kind, job->id, session->fault, gone ? "" : ", SQLSTATE ", session->state);
	if (strncmp(session->state, "OD", 2) == 0)
		return job_ends(job, JOB_FAILED, "%s", session->fault);
	if (is_refused(session))
		return job_ends(job, JOB_FINAL, "the database does not take the result: %s",
						session->fault);
	return job_ends(job, JOB_FAILED, "%s",
					gone ? "the connection to the database was lost"
						 : "the result could not be stored");
}
