/*
 * objects.c - move blobs to the object store or back, and delete objects that nothing needs.
 *
 * On the way in a blob has its chunks until its object was read back and has the digest.
 */
#include <poll.h>

#include "objects/objects_internal.h"

#define PAUSE 10000			 /* milliseconds between looks, and after a failure of the store */
#define LISTED 86400000		 /* milliseconds between two lists of all objects */
#define WATCH 1000			 /* of the command, that waits for another worker */
#define ANSWER_LIMIT 3600000 /* timeout of a statement in milliseconds */

static void
log_away(Mover *mover, const Task *task)
{
	if (!mover->away)
		log_event(mover->session->settings->log, LOG_ERROR, "object store failed", "%s %s: %s",
				  task->name, task->key, mover->request.reason);
	mover->away = true;
}

Step
objects_store_end(Mover *mover, Statement statement, const Task *task)
{
	const Value values[] = {TEXT(statement == ASK_OBJECT_DELETED ? task->key : task->blob),
							TEXT(task->key)};

	if (!session_do(mover->session, statement, values))
		return STEP_BROKEN;
	log_event(mover->session->settings->log, LOG_VERBOSE, "object", "%s %s", task->name, task->key);
	return STEP_DONE;
}

Step
objects_store_failure(Mover *mover, const Task *task, const char *reason)
{
	const Value values[] = {TEXT(task->blob), TEXT(reason)};

	log_event(mover->session->settings->log, LOG_ERROR, "object failed", "%s %s: %s", task->name,
			  task->key, reason);
	return session_do(mover->session, ASK_OBJECT_FAILED, values) ? STEP_DONE : STEP_BROKEN;
}

ObjectEnd
objects_asked(Mover *mover, const Task *task, ObjectEnd end)
{
	if (end == OBJECT_AWAY)
		log_away(mover, task);
	else
		mover->away = false;
	return end;
}

ObjectEnd
objects_ask(Mover *mover, const Task *task, ObjectVerb verb)
{
	mover->request.verb = verb;
	mover->request.size = task->size;
	mover->request.first = 0;
	mover->request.length =
		verb == OBJECT_GET || verb == OBJECT_LIST || verb == OBJECT_UPLOADS ? task->size : 0;
	snprintf(mover->request.key, sizeof(mover->request.key), "%s", task->key);
	return objects_asked(mover, task, object_store_ask(&mover->request, mover->session->settings));
}

/* Compare the object with its digest. */
static Step
check(Mover *mover, const Task *task)
{
	ObjectEnd end;

	mover->request.size = task->size;
	snprintf(mover->request.key, sizeof(mover->request.key), "%s", task->key);
	end =
		objects_asked(mover, task, object_send_compare(&mover->request, mover->session->settings));
	if (end == OBJECT_AWAY)
		return STEP_AWAY;
	if (end != OBJECT_DONE)
		return objects_store_failure(mover, task, mover->request.reason);
	return objects_store_end(mover, ASK_OBJECT_KEPT, task);
}

/* Store bytes as chunks; false on an error of the session. */
static bool
store_chunks(Mover *mover, const Task *task, int64_t *number, const char *data, size_t length)
{
	for (size_t at = 0; at < length; at += BLOB_CHUNK)
	{
		size_t part = length - at < BLOB_CHUNK ? length - at : BLOB_CHUNK;
		const Value values[] = {TEXT(task->blob), session_number((*number)++),
								BYTES(data + at, part)};

		if (!session_do(mover->session, ASK_OBJECT_BACK, values))
			return false;
	}
	return true;
}

/* Read all bytes into chunks; false on an error of the session, or of the store as such. */
static bool
read_back(Mover *mover, const Task *task)
{
	BlobReader reader = {.session = mover->session, .blob = TEXT(task->blob)};
	const char *data = NULL;
	size_t length = 0;
	int64_t number = 0;
	bool good;

	do
		good = blob_reader_next(&reader, &data, &length) &&
			   store_chunks(mover, task, &number, data, length);
	while (good && length > 0);
	blob_reader_close(&reader);
	return good;
}

/* Move a blob back, in one transaction. */
static Step
get(Mover *mover, const Task *task)
{
	Session *session = mover->session;
	bool good = session_do(session, ASK_BEGIN, NULL) && read_back(mover, task) &&
				objects_store_end(mover, ASK_OBJECT_RETURNED, task) == STEP_DONE;
	char sqlstate[sizeof(session->sqlstate)];
	char fault[sizeof(session->fault)];

	memcpy(sqlstate, session->sqlstate, sizeof(sqlstate));
	memcpy(fault, session->fault, sizeof(fault));
	if (!session_do(session, good ? ASK_COMMIT : ASK_ROLLBACK, NULL))
		return STEP_BROKEN;
	if (good)
		return STEP_DONE;
	if (strcmp(sqlstate, SQLSTATE_AWAY) == 0)
		return STEP_AWAY;
	return strncmp(sqlstate, "OD", 2) == 0 ? objects_store_failure(mover, task, fault)
										   : STEP_BROKEN;
}

static Step delete (Mover *mover, const Task *task)
{
	return objects_ask(mover, task, OBJECT_DELETE) == OBJECT_AWAY
			   ? STEP_AWAY
			   : objects_store_end(mover, ASK_OBJECT_DELETED, task);
}

/* Do the task that comes next. */
static Step
step(Mover *mover)
{
	static const struct
	{
		const char *name;
		Step (*run)(Mover *mover, const Task *task);
	} tasks[] = {{"put", object_put}, {"check", check}, {"get", get}, {"delete", delete}};
	const Value values[] = {TEXT(mover->session->settings->store_bytes ? "true" : "false")};
	PGresult *result = session_ask(mover->session, ASK_OBJECT_NEXT, values);
	Step end = result != NULL ? STEP_NOTHING : STEP_BROKEN;
	Task task = {0};

	if (result != NULL && PQntuples(result) == 1)
	{
		snprintf(task.name, sizeof(task.name), "%s", PQgetvalue(result, 0, 0));
		snprintf(task.blob, sizeof(task.blob), "%s", PQgetvalue(result, 0, 1));
		snprintf(task.key, sizeof(task.key), "%s", PQgetvalue(result, 0, 2));
		task.size = strtoll(PQgetvalue(result, 0, 3), NULL, 10);
	}
	PQclear(result);
	for (size_t i = 0; i < lengthof(tasks); i++)
		if (strcmp(tasks[i].name, task.name) == 0)
			end = tasks[i].run(mover, &task);
	return end;
}

/* Append the keys of a list to an array; key is the last one, to ask for those behind it.  False: there are none. */
static bool
read_keys(const char *xml, Buffer *keys, char *key)
{
	static const char hex[] = "0123456789abcdef";
	const char *at = xml;
	bool any = false;

	buffer_text(keys, "{");
	while ((at = strstr(at, "<Key>")) != NULL)
	{
		size_t length = strspn(at += strlen("<Key>"), hex);

		/* what is not a digest is not an object of the service */
		if (length != OBJECT_KEY - 1 || at[length] != '<')
			continue;
		if (any)
			buffer_text(keys, ",");
		buffer_append(keys, at, length);
		snprintf(key, OBJECT_KEY, "%.*s", (int) length, at);
		any = true;
	}
	buffer_append(keys, "}", sizeof("}"));
	return any && !keys->failed;
}

bool
objects_take_list(void *target, const char *bytes, size_t length)
{
	buffer_append(target, bytes, length);
	return !((Buffer *) target)->failed;
}

/* Ask for the keys behind one, and store which of them no blob has; *more: the list has an end behind them. */
static Step
list_page(Mover *mover, Task *task, Buffer *xml, bool *more, char **orphans)
{
	Value values[] = {TEXT(NULL), TEXT(task->key[0] == '\0' ? "true" : "false")};
	Buffer keys;

	buffer_clear(xml);
	buffer_init(&keys, OBJECT_WINDOW);
	mover->request.take = objects_take_list;
	mover->request.target = xml;
	task->size = OBJECT_WINDOW;
	if (objects_ask(mover, task, OBJECT_LIST) != OBJECT_DONE)
		return STEP_AWAY;
	buffer_append(xml, "", 1);
	*more = read_keys(xml->data, &keys, task->key) &&
			strstr(xml->data, "<IsTruncated>true</IsTruncated>") != NULL;
	values[0] = TEXT(keys.data);
	free(*orphans);
	*orphans = session_text(mover->session, ASK_OBJECTS_LISTED, values);
	buffer_free(&keys);
	return *orphans != NULL ? STEP_DONE : STEP_BROKEN;
}

/* List all objects once a day, and store those that belong to no blob. */
static Step
list(Mover *mover)
{
	Task task = {.name = "list"};
	char *orphans = NULL;
	bool more = true;
	Step end = STEP_DONE;
	Buffer xml;

	buffer_init(&xml, OBJECT_WINDOW + 1);
	while (more && end == STEP_DONE)
		end = list_page(mover, &task, &xml, &more, &orphans);
	if (end == STEP_DONE)
		mover->list_at = clock_now() + LISTED;
	if (end == STEP_DONE && strcmp(orphans, "0") != 0)
		log_event(mover->session->settings->log, LOG_WARN, "objects without a blob", "%s", orphans);
	free(orphans);
	buffer_free(&xml);
	if (end == STEP_DONE)
		object_put_abort(mover);
	return end == STEP_DONE ? STEP_NOTHING : end;
}

/* A step, where no other worker does them. */
static Step
step_alone(Mover *mover)
{
	if (!mover->locked && !session_true(mover->session, ASK_OBJECTS_LOCK, NULL, &mover->locked))
		return STEP_BROKEN;
	return mover->locked ? step(mover) : STEP_NOTHING;
}

void
objects_keep(Session *session, const char *worker)
{
	Mover mover = {.session = session};
	Step end;

	do
	{
		end = step_alone(&mover);
		if (end == STEP_NOTHING && mover.locked && clock_now() >= mover.list_at)
			end = list(&mover);
		if (end == STEP_NOTHING || end == STEP_AWAY)
			poll(NULL, 0, PAUSE);
	} while (end != STEP_BROKEN);
	object_store_close(&mover.request);
}

/* How many blobs are still to be moved; -1 on an error of the session. */
static long
count_left(Session *session)
{
	const Value values[] = {TEXT(session->settings->store_bytes ? "true" : "false")};
	char *text = session_text(session, ASK_OBJECTS_LEFT, values);
	long left = text != NULL ? strtol(text, NULL, 10) : -1;

	free(text);
	return left;
}

/* Move what is left, and print how much that is. */
static bool
move_all(Mover *mover)
{
	Step end;
	long left;

	for (;;)
	{
		while ((end = step_alone(mover)) == STEP_DONE)
			;
		left = count_left(mover->session);
		if (left <= 0 || end != STEP_NOTHING || mover->locked)
			break;
		poll(NULL, 0, WATCH);
	}
	if (left < 0 || end == STEP_BROKEN)
		fprintf(stderr, "catalogue-worker: %s\n", mover->session->fault);
	else if (left > 0)
		fprintf(stderr, "catalogue-worker: %ld blobs are not moved: %s\n", left,
				end == STEP_AWAY ? "the object store does not answer as it should, see the log"
								 : "see catalogue.check_all()");
	else
		printf("all bytes are %s\n",
			   mover->session->settings->store_bytes ? "in the object store" : "in the database");
	return left == 0;
}

bool
objects_move(const Settings *settings)
{
	Session session;
	Mover mover = {.session = &session};
	bool good = settings->store_url[0] != '\0';

	if (!good)
		fprintf(stderr, "catalogue-worker: store_url is not set\n");
	else if (!session_open(&session, settings, ANSWER_LIMIT))
		fprintf(stderr, "catalogue-worker: %s\n", session.fault);
	else
	{
		good = move_all(&mover);
		object_store_close(&mover.request);
		session_close(&session);
		return good;
	}
	return false;
}
