/*
 * store.c - store the frames of a child in the database.
 *
 * A reading is one transaction in pipeline mode, so the child continues while PostgreSQL stores.
 * The number of statements without an answer is limited, or a child that is faster than PostgreSQL
 * would fill our memory.
 */
#include <poll.h>

#include "jobs/contents.h"

#define CHUNK_START 12	   /* bytes before the packed rows in a frame */
#define NAME_MAXIMUM 1000  /* maximum bytes of the name of a sheet */
#define ISSUE_MAXIMUM 2000 /* maximum bytes of an issue */

/* The output of the child is malformed. */
static bool
malformed(Store *store)
{
	store->malformed = true;
	return false;
}

/* Send a statement, and request its answer without delay. */
static bool
send_one(Store *store, Statement statement, const Value *values)
{
	PGconn *pg = store->session->pg;

	if (!session_send(store->session, statement, values))
		return false;
	store->flight++;
	if (PQsendFlushRequest(pg) && PQflush(pg) >= 0)
		return true;
	session_broken(store->session);
	return false;
}

/*
 * Process the answers that have arrived; *text, if not NULL, is set to the value of the last one.
 */
static bool
take(Store *store, char **text)
{
	Session *session = store->session;

	if (PQflush(session->pg) < 0 || !PQconsumeInput(session->pg))
	{
		session_broken(session);
		return false;
	}
	while (store->flight > 0 && !PQisBusy(session->pg))
	{
		PGresult *result = PQgetResult(session->pg);
		bool good = result == NULL || session_check(session, result);

		if (result != NULL)
			store->flight--;
		if (good && result != NULL && text != NULL && store->flight == 0 &&
			PQntuples(result) == 1 && !PQgetisnull(result, 0, 0))
			*text = strdup(PQgetvalue(result, 0, 0));
		PQclear(result);
		if (!good)
			return false;
	}
	return true;
}

bool
store_advance(Store *store)
{
	return take(store, NULL);
}

/* Wait for all answers; *text, if not NULL, is set to the value of the last one, to be freed. */
static bool
settle(Store *store, char **text)
{
	Session *session = store->session;
	int64_t until = clock_now() + session->limit;

	while (take(store, text))
	{
		short events = PQflush(session->pg) > 0 ? POLLIN | POLLOUT : POLLIN;

		if (store->flight == 0)
			return true;
		if (!child_wait(PQsocket(session->pg), events, until))
		{
			session_broken(session);
			return false;
		}
	}
	return false;
}

/* Send a statement and return its value as text, to be freed. */
static char *
ask(Store *store, Statement statement, const Value *values)
{
	char *text = NULL;

	if (send_one(store, statement, values) && settle(store, &text) && text == NULL)
		session_broken(store->session);
	return text;
}

bool
store_open(Store *store, Session *session, Job *job)
{
	static const Statement needed[] = {ASK_CONTENTS_BEGIN,	   ASK_CONTENTS_SHEET,
									   ASK_CONTENTS_ADD,	   ASK_CONTENTS_ISSUE,
									   ASK_CONTENTS_SHEET_END, ASK_CONTENTS_PUBLISH};
	Value values[] = {TEXT(job->resource), TEXT(job->id)};

	*store = (Store){.session = session, .job = job};
	store->fetched = job_detail(job, "fetched");
	if (store->fetched != NULL && !session_prepare(session, ASK_FETCH_STORE))
		return false;
	for (size_t i = 0; i < lengthof(needed); i++)
		if (!session_prepare(session, needed[i]))
			return false;
	if (!session_do(session, ASK_BEGIN, NULL))
		return false;
	if (!PQenterPipelineMode(session->pg))
	{
		session_broken(session);
		return false;
	}
	store->revision = ask(store, ASK_CONTENTS_BEGIN, values);
	return store->revision != NULL;
}

bool
store_has_room(const Store *store)
{
	return store->flight < STORE_FLIGHT;
}

void
store_close(Store *store)
{
	free(store->revision);
	free(store->sheet);
	store->revision = store->sheet = NULL;
}

/* Parse the JSON object of a frame; NULL if it is malformed. */
static json_t *
object_of(const Frame *frame)
{
	json_t *object = json_loadb(frame->data, frame->length, JSON_REJECT_DUPLICATES, NULL);

	if (json_is_object(object))
		return object;
	json_decref(object);
	return NULL;
}

/* A text member of an object with at most maximum bytes; NULL if absent or longer. */
static const char *
text_of(const json_t *object, const char *name, size_t maximum)
{
	const json_t *value = json_object_get(object, name);

	return json_is_string(value) && json_string_length(value) <= maximum ? json_string_value(value)
																		 : NULL;
}

static bool
begin_sheet(Store *store, const Frame *frame)
{
	json_t *object = object_of(frame);
	const char *name = text_of(object, "name", NAME_MAXIMUM);
	bool hidden = json_is_true(json_object_get(object, "hidden"));
	NumberText number = session_number(store->sheets + 1);
	Value values[] = {TEXT(store->job->resource), TEXT(store->revision), TEXT(number.text),
					  TEXT(name), TEXT(hidden ? "true" : "false")};

	if (store->sheet != NULL || name == NULL || store->sheets == CONTENTS_SHEETS)
	{
		json_decref(object);
		return malformed(store);
	}
	store->sheets++;
	store->rows = 0;
	store->issues = 0;
	store->sheet = ask(store, ASK_CONTENTS_SHEET, values);
	json_decref(object);
	return store->sheet != NULL;
}

/* Do the rows of the frame follow those of the one before? */
static bool
is_chunk(const Store *store, const Frame *frame, uint32_t *rows)
{
	if (store->sheet == NULL || frame->length < CHUNK_START + CHUNK_HEAD ||
		frame_reader_u64(frame->data) != (uint64_t) store->rows + 1)
		return false;
	*rows = frame_reader_u32(frame->data + 8);
	return *rows > 0 && *rows <= CHUNK_ROWS;
}

static bool
send_rows(Store *store, const Frame *frame, uint32_t rows)
{
	NumberText first = session_number(store->rows + 1);
	NumberText count = session_number(rows);
	Value values[] = {TEXT(store->sheet), TEXT(first.text), TEXT(count.text),
					  BYTES(frame->data + CHUNK_START, frame->length - CHUNK_START)};

	store->rows += rows;
	return send_one(store, ASK_CONTENTS_ADD, values);
}

static bool
add_rows(Store *store, const Frame *frame)
{
	uint32_t rows = 0;

	return is_chunk(store, frame, &rows) ? send_rows(store, frame, rows) : malformed(store);
}

static bool
add_issue(Store *store, const Frame *frame)
{
	json_t *object = object_of(frame);
	const char *reason = text_of(object, "reason", ISSUE_MAXIMUM);
	NumberText line = session_number(json_integer_value(json_object_get(object, "line")));
	NumberText number = session_number(store->issues + 1);
	Value values[] = {TEXT(store->sheet), TEXT(number.text), TEXT(line.text), TEXT(reason)};
	bool good;

	if (store->sheet == NULL || reason == NULL || store->issues == CONTENTS_ISSUES)
	{
		json_decref(object);
		return malformed(store);
	}
	store->issues++;
	good = send_one(store, ASK_CONTENTS_ISSUE, values);
	json_decref(object);
	return good;
}

static bool
end_sheet(Store *store, const Frame *frame)
{
	char *summary = strndup(frame->data, frame->length);
	Value values[] = {TEXT(store->sheet), TEXT(summary)};
	bool good;

	if (store->sheet == NULL || summary == NULL || strlen(summary) != frame->length)
	{
		free(summary);
		return malformed(store);
	}
	good = send_one(store, ASK_CONTENTS_SHEET_END, values);
	free(summary);
	free(store->sheet);
	store->sheet = NULL;
	return good;
}

static bool
note_progress(Store *store, const Frame *frame)
{
	if (frame->length != sizeof(uint64_t) || frame_reader_u64(frame->data) > INT64_MAX)
		return malformed(store);
	store->job->progress->done = (int64_t) frame_reader_u64(frame->data);
	return true;
}

static bool
end_reading(Store *store, const Frame *frame)
{
	store->ended = true;
	return store->sheet == NULL || malformed(store);
}

static bool
refuse(Store *store, const Frame *frame)
{
	json_t *object = object_of(frame);
	const char *reason = text_of(object, "reason", REASON_SIZE - 1);

	store->ended = true;
	store->refused = reason != NULL;
	if (reason != NULL)
		snprintf(store->job->reason, sizeof(store->job->reason), "%s", reason);
	json_decref(object);
	return reason != NULL || malformed(store);
}

bool
store_frame(Store *store, const Frame *frame)
{
	static const struct
	{
		char type;
		bool (*take)(Store *store, const Frame *frame);
	} takers[] = {{'S', begin_sheet},	{'C', add_rows},	{'I', add_issue}, {'E', end_sheet},
				  {'P', note_progress}, {'D', end_reading}, {'X', refuse}};

	for (size_t i = 0; !store->ended && i < lengthof(takers); i++)
		if (takers[i].type == frame->type)
			return takers[i].take(store, frame);
	return malformed(store);
}

/* Leave pipeline mode, in the same transaction. */
static bool
leave_pipeline(Session *session)
{
	PGresult *result;
	bool synced = false;

	if (!PQpipelineSync(session->pg))
	{
		session_broken(session);
		return false;
	}
	/* a NULL ends the results of the previous statement */
	for (int nothing = 0; !synced && nothing < 2;)
	{
		result = session_receive(session);
		nothing += result == NULL;
		synced = result != NULL && PQresultStatus(result) == PGRES_PIPELINE_SYNC;
		PQclear(result);
	}
	if (synced && PQexitPipelineMode(session->pg))
		return true;
	session_broken(session);
	return false;
}

/* Make the bytes that a remote service has given those of the file. */
static bool
store_fetched(Store *store)
{
	NumberText blob = job_number(store->job, "blob");
	Value values[] = {TEXT(store->job->id), TEXT(store->job->worker), TEXT(blob.text),
					  TEXT(store->fetched)};

	return store->fetched == NULL || send_one(store, ASK_FETCH_STORE, values);
}

bool
store_publish(Store *store)
{
	NumberText blob = job_number(store->job, "blob");
	Value values[] = {TEXT(store->job->resource), TEXT(store->revision), TEXT(blob.text)};

	return store_fetched(store) && send_one(store, ASK_CONTENTS_PUBLISH, values) &&
		   settle(store, NULL) && leave_pipeline(store->session);
}
