/*
 * store.c - store the frames of a child in the database, in one transaction.
 *
 * While PostgreSQL stores a frame, the child prepares the next one.
 */
#include "../../extension/rows/sheets/reader_version.h"
#include "jobs/contents.h"

#define NAME_MAXIMUM 1000  /* maximum bytes of the name of a sheet */
#define ISSUE_MAXIMUM 2000 /* maximum bytes of an issue */

/* The number of eight bytes, the lowest byte first. */
static uint64_t
little_u64(const char *bytes)
{
	return little_u32(bytes) | (uint64_t) little_u32(bytes + 4) << 32;
}

/* The output of the child is malformed. */
static bool
malformed(Store *store)
{
	store->malformed = true;
	return false;
}

bool
store_open(Store *store, Session *session, Job *job)
{
	Value values[] = {TEXT(job->resource), TEXT(job->id)};

	*store = (Store){.session = session, .job = job, .fetched = job_detail(job, "fetched")};
	if (!session_do(session, ASK_BEGIN, NULL))
		return false;
	if (strcmp(job->kind, "preview") == 0)
		return (store->preview = json_pack(
					"{s:O*}", "chosen",
					json_object_get(json_object_get(job->details, "options"), "sheet"))) != NULL;
	store->revision = session_text(session, ASK_CONTENTS_BEGIN, values);
	return store->revision != NULL;
}

void
store_close(Store *store)
{
	free(store->revision);
	free(store->sheet);
	json_decref(store->preview);
	store->revision = store->sheet = NULL;
	store->preview = NULL;
}

static json_t *
object_of(const Frame *frame)
{
	return json_loadb(frame->data, frame->length, JSON_REJECT_DUPLICATES, NULL);
}

/* A text member with at most maximum bytes; NULL if absent or longer, or if it is no object. */
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
	Value values[] = {TEXT(store->job->resource), TEXT(store->revision),
					  session_number(store->sheets + 1), TEXT(name),
					  TEXT(hidden ? "true" : "false")};
	bool good = store->sheet == NULL && name != NULL && store->sheets < CONTENTS_SHEETS;

	if (good)
		store->sheet = session_text(store->session, ASK_CONTENTS_SHEET, values);
	store->sheets++;
	store->rows = 0;
	store->issues = 0;
	json_decref(object);
	return good ? store->sheet != NULL : malformed(store);
}

/* Add rows, which must follow those of the frame before. */
static bool
add_rows(Store *store, const Frame *frame)
{
	bool follows = store->sheet != NULL && frame->length >= CHUNK_START + CHUNK_HEAD &&
				   little_u64(frame->data) == (uint64_t) store->rows + 1;
	uint32_t rows = follows ? little_u32(frame->data + 8) : 0;
	int64_t first = store->rows + 1;

	if (rows == 0 || rows > CHUNK_ROWS)
		return malformed(store);
	store->rows += rows;
	return session_do(store->session, ASK_CONTENTS_ADD,
					  (Value[]){TEXT(store->sheet), session_number(first), session_number(rows),
								BYTES(frame->data + CHUNK_START, frame->length - CHUNK_START)});
}

static bool
add_issue(Store *store, const Frame *frame)
{
	json_t *object = object_of(frame);
	const char *reason = text_of(object, "reason", ISSUE_MAXIMUM);
	Value values[] = {TEXT(store->sheet), session_number(store->issues + 1),
					  session_number(json_integer_value(json_object_get(object, "line"))),
					  TEXT(reason)};
	bool good = store->sheet != NULL && reason != NULL && store->issues++ < CONTENTS_ISSUES;

	good = good ? session_do(store->session, ASK_CONTENTS_ISSUE, values) : malformed(store);
	json_decref(object);
	return good;
}

static bool
end_sheet(Store *store, const Frame *frame)
{
	char *summary = strndup(frame->data, frame->length);
	Value values[] = {TEXT(store->sheet), TEXT(summary)};
	bool good = store->sheet != NULL && summary != NULL && strlen(summary) == frame->length;

	good = good ? session_do(store->session, ASK_CONTENTS_SHEET_END, values) : malformed(store);
	free(summary);
	free(store->sheet);
	store->sheet = NULL;
	return good;
}

static bool
note_progress(Store *store, const Frame *frame)
{
	if (frame->length != sizeof(uint64_t) || little_u64(frame->data) > INT64_MAX)
		return malformed(store);
	store->job->progress->done = (int64_t) little_u64(frame->data);
	return true;
}

static bool
end_reading(Store *store, const Frame *frame)
{
	(void) frame;
	return store->sheet == NULL || malformed(store);
}

static bool
refuse_file(Store *store, const Frame *frame)
{
	json_t *object = object_of(frame);
	const char *reason = text_of(object, "reason", REASON_SIZE - 1);

	store->refused = reason != NULL;
	if (reason != NULL)
		snprintf(store->job->reason, sizeof(store->job->reason), "%s", reason);
	json_decref(object);
	return reason != NULL || malformed(store);
}

/* Keep a frame of rows for the preview; *kept: it is such a frame.  False if it is malformed. */
static bool
keep_frame(Store *store, const Frame *frame, bool *kept)
{
	static const struct
	{
		char type;
		bool (*keep)(json_t *preview, const Frame *frame);
	} keepers[] = {
		{'S', preview_sheet}, {'C', preview_rows}, {'I', preview_issue}, {'E', preview_sheet_end}};

	for (size_t i = 0; i < lengthof(keepers); i++)
		if ((*kept = keepers[i].type == frame->type))
			return keepers[i].keep(store->preview, frame) || malformed(store);
	return true;
}

bool
store_frame(void *target, const Frame *frame)
{
	Store *store = target;
	bool kept = false;
	static const struct
	{
		char type;
		bool (*take)(Store *store, const Frame *frame);
	} takers[] = {{'S', begin_sheet},	{'C', add_rows},	{'I', add_issue},  {'E', end_sheet},
				  {'P', note_progress}, {'D', end_reading}, {'X', refuse_file}};

	if (store->preview != NULL && (!keep_frame(store, frame, &kept) || kept))
		return !store->malformed;
	for (size_t i = 0; i < lengthof(takers); i++)
		if (takers[i].type == frame->type)
			return takers[i].take(store, frame);
	return malformed(store);
}

/*
 * Publish a reading anew, if it has found anything else.  The charts and maps that have other values
 * then are the reason of the job, which succeeds.
 */
static bool
publish_anew(Store *store, const Value *values)
{
	char *changed = session_text(store->session, ASK_CONTENTS_REPARSE, values);
	bool good = changed != NULL;

	if (good)
		job_ends(store->job, JOB_DONE, "%s", changed);
	free(changed);
	return good;
}

/* Store the preview. */
static bool
publish_preview(Store *store)
{
	char *text = preview_text(store->preview);
	bool good = text != NULL && session_do(store->session, ASK_PREVIEW_STORE,
										   (Value[]){TEXT(store->job->id), TEXT(text)});

	free(text);
	return good;
}

bool
store_publish(Store *store)
{
	Value blob = job_number(store->job, "blob");
	Value fetched[] = {TEXT(store->job->id), TEXT(store->job->worker), blob, TEXT(store->fetched)};
	Value values[] = {TEXT(store->job->resource), TEXT(store->revision), blob,
					  session_number(READER_VERSION)};

	if (store->preview != NULL)
		return publish_preview(store);
	if (strcmp(store->job->kind, "reparse") == 0)
		return publish_anew(store, values);
	/* the bytes that a remote service has given become those of the file */
	return (store->fetched == NULL || session_do(store->session, ASK_FETCH_STORE, fetched)) &&
		   session_do(store->session, ASK_CONTENTS_PUBLISH, values);
}
