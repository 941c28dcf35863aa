/*
 * upload_finish.c
 *	  Completion of an upload, which becomes a file, the image of a category or a document to import.
 *
 * One transaction does all: either the record exists with its bytes, or neither does.
 */
#include "catalogue.h"

#include "base/body.h"
#include "files/files.h"
#include "files/files_internal.h"

/* Seal the bytes.  Raises OD400 if they do not have the digest that the client sent. */
static void
seal(Arrival *arrival)
{
	unsigned char digest[BLOB_DIGEST];

	arrival->blob = cat_blob_close(arrival->blob, digest);
	arrival->sha256[hex_encode((const char *) digest, BLOB_DIGEST, arrival->sha256)] = '\0';
	for (size_t i = 0; i < lengthof(arrival->digests); i++)
		if (arrival->digests[i] && pg_strcasecmp(arrival->digests[i], arrival->sha256) != 0)
			ereport(ERROR,
					(errcode(OD400), errmsg("the digest does not match the bytes received"),
					 errdetail_internal("{\"digest\":[{\"rule\":\"digest\",\"message\":"
										"\"does not match the bytes received\",\"value\":\"%s\"}]}",
										arrival->sha256)));
}

/*
 * Create or update the record with the members of a body, and with the bytes if any have arrived.
 *
 * An existing record is updated if call->id is set; it is set on return.
 */
static void
write_record(WriteCall *call, Arrival *arrival, List *members)
{
	bool image = cat_image_taken(call->resource);
	/*
	 * Whether bytes have arrived. A form has an empty part without a name if no file was chosen.
	 */
	bool arrived = arrival->size > 0 || *arrival->name != '\0';
	NewRecord record;

	cat_upload_require_resource(call->resource);
	cat_new_record_begin(&record, call->resource);
	cat_new_record_read(&record, call, members);
	if (call->id)
		cat_write_run_hooks(call, members, &record);
	if (arrived)
	{
		/* the bytes of an undone action are sealed already */
		if (arrival->sha256[0] == '\0')
			seal(arrival);
		(image ? cat_image_take : cat_file_record_take)(arrival, call, &record);
		if (arrival->file_name)
			cat_new_record_keep(&record, "file_name", arrival->file_name);
		if (arrival->url)
			cat_new_record_keep(&record, "url", arrival->url);
	}
	if (call->id)
		cat_write_update(call, &record);
	else
		cat_write_create(call, &record);
	if (arrived)
		(image ? cat_image_keep : cat_file_record_keep)(arrival, call);
}

List *
cat_upload_finish_members(const WriteCall *call, const char *body, List *details)
{
	const Member *form = cat_body_member(details, "form");
	List *members = body ? cat_body_record(body, strlen(body)) : NIL;

	if (form && form->kind == MEMBER_BOOLEAN && *form->text == 't')
		cat_form_convert(call->resource, members);
	return members;
}

/*
 * Raise OD400 if fewer bytes have arrived than announced, OD409 if others than the client of the
 * last request knows of.
 */
static void
require_length(const Upload *upload, List *details)
{
	const Member *offset = cat_body_member(details, "offset");

	if (offset && strcmp(offset->text, psprintf(INT64_FORMAT, upload->size)) != 0)
		ereport(ERROR, (errcode(OD409), errmsg("the upload stands at another byte"),
						errdetail_internal("{\"offset\":" INT64_FORMAT "}", upload->size)));
	if (upload->length >= 0 && upload->size != upload->length)
		ereport(ERROR, (errcode(OD400), errmsg("the upload is not complete"),
						errdetail_internal("{\"offset\":" INT64_FORMAT "}", upload->size)));
}

static Arrival
arrival_of(const Upload *upload, List *details)
{
	Arrival arrival = {.blob = upload->blob, .size = upload->size};
	const char *name = cat_upload_text(details, "name");
	const char *base = cat_upload_text(details, "base");

	arrival.name = name ? name : upload->name ? upload->name : "";
	arrival.base = base ? base : "";
	arrival.digests[0] = upload->digest;
	arrival.digests[1] = cat_upload_text(details, "digest");
	return arrival;
}

UploadedDocument
cat_upload_finish_document(const char *id, const Actor *actor, List *details)
{
	Upload upload = cat_upload_find(id, actor, true);
	Arrival arrival;

	if (!cat_upload_is_import(upload.resource))
		ereport(ERROR, (errcode(OD409), errmsg("the upload is not for an import")));
	require_length(&upload, details);
	arrival = arrival_of(&upload, details);
	seal(&arrival);
	cat_upload_end(&upload, NULL);
	return (UploadedDocument){arrival.blob,
							  cat_blob_piece(upload.blob, 0) ? upload.blob : arrival.blob,
							  arrival.size, upload.body, ""};
}

CAT_FUNCTION(catalogue_upload_finish)
{
	List *details;
	Arrival arrival;
	Upload upload;
	WriteCall call;
	Actor actor;

	cat_call_reply_begin();
	cat_actor_read(fcinfo, ARG_UPLOAD_FINISH_ACTOR, &actor);
	upload = cat_upload_find(cat_call_reply_required(fcinfo, ARG_UPLOAD_FINISH_ID), &actor, true);
	details = cat_body_optional(fcinfo, ARG_UPLOAD_FINISH_DETAILS);
	cat_write_call_open(&call, fcinfo, upload.resource->name, upload.record ? "update" : "create",
						ARG_UPLOAD_FINISH_ACTOR);
	if (upload.record)
		cat_write_call_take(&call, upload.record,
							cat_call_reply_optional(fcinfo, ARG_UPLOAD_FINISH_MATCH));
	require_length(&upload, details);
	arrival = arrival_of(&upload, details);
	write_record(
		&call, &arrival,
		cat_upload_finish_members(&call,
								  PG_ARGISNULL(ARG_UPLOAD_FINISH_BODY)
									  ? upload.body
									  : cat_call_reply_argument(fcinfo, ARG_UPLOAD_FINISH_BODY),
								  details));
	cat_upload_end(&upload, call.id);
	return cat_write_call_end(&call, fcinfo, &args_upload_finish);
}

/* Create or update a record with its bytes in a single call. */
CAT_FUNCTION(catalogue_upload)
{
	bool update = !PG_ARGISNULL(ARG_UPLOAD_ID);
	bytea *bytes = PG_ARGISNULL(ARG_UPLOAD_BYTES) ? NULL : PG_GETARG_BYTEA_PP(ARG_UPLOAD_BYTES);
	Arrival arrival = {.base = ""};
	WriteCall call;

	cat_write_call_begin(&call, fcinfo, update ? "update" : "create", &args_upload);
	if (update)
		cat_write_call_take(&call, cat_call_reply_argument(fcinfo, ARG_UPLOAD_ID), NULL);
	arrival.name = bytes ? cat_call_reply_argument(fcinfo, ARG_UPLOAD_NAME) : "";
	if (bytes)
	{
		cat_upload_require_size(call.resource, (int64) VARSIZE_ANY_EXHDR(bytes));
		arrival.blob = cat_blob_new();
		arrival.size = cat_blob_write(arrival.blob, 0, bytes);
	}
	write_record(
		&call, &arrival,
		cat_upload_finish_members(&call, cat_call_reply_optional(fcinfo, ARG_UPLOAD_BODY), NIL));
	return cat_write_call_end(&call, fcinfo, &args_upload);
}

/* ---- The bytes that a file had before an action of the log ---- */

pg_noreturn static void
refuse_bytes(const char *why)
{
	ereport(ERROR,
			(errcode(OD409), errmsg("the action cannot be undone because of sha256"),
			 errdetail_internal("{\"sha256\":[{\"rule\":\"undo\",\"message\":\"%s\"}]}", why)));
}

/* Find bytes by their digest, and keep them from being swept.  Raises OD409 if there are none. */
static void
find_bytes(Arrival *arrival, const char *sha256)
{
	if (!sha256)
		refuse_bytes("the file had no bytes before");
	cat_statement_fresh("SELECT b.id, b.size FROM catalogue.blob b "
						"WHERE b.digest = decode($1, 'hex') FOR NO KEY UPDATE",
						text_param(sha256));
	if (SPI_processed == 0)
		refuse_bytes("the former bytes are not kept any more");
	arrival->blob = cat_result_int64(1);
	arrival->size = cat_result_int64(2);
	strlcpy(arrival->sha256, sha256, sizeof(arrival->sha256));
}

/* Return the bytes that a file had before an action of the log, with their name and address; *file is
 * set to its id.  Raises OD404 for another log record, OD409 if the bytes are not kept. */
static Arrival
bytes_before(const char *log, char **file)
{
	Arrival arrival = {.base = ""};
	const char *sha256;

	cat_statement_fresh("SELECT f.id::text, l.changes::jsonb #>> '{sha256,before}', "
						"coalesce(l.changes::jsonb #>> '{fileName,before}', f.file_name), "
						"coalesce(l.changes::jsonb #>> '{url,before}', f.url) "
						"FROM catalogue.logs l JOIN catalogue.files f ON f.id = l.resource "
						"WHERE l.id = $1 AND l.target = 'file' AND l.changes::jsonb ? 'sha256'",
						text_param(log));
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(OD404), errmsg("Log \"%s\" does not exist", log)));
	*file = cat_result_text(1);
	sha256 = cat_result_text(2);
	arrival.file_name = cat_result_text(3);
	arrival.url = cat_result_text(4);
	arrival.name = arrival.file_name ? arrival.file_name : "";
	find_bytes(&arrival, sha256);
	return arrival;
}

/* Update a file with a body, and with the bytes that it had before an action of the log. */
CAT_FUNCTION(catalogue_undo_bytes)
{
	const char *body;
	WriteCall call;
	Arrival arrival;
	char *file;

	cat_call_reply_begin();
	cat_write_call_open(&call, fcinfo, "files", "update", ARG_UNDO_BYTES_ACTOR);
	arrival = bytes_before(cat_call_reply_required(fcinfo, ARG_UNDO_BYTES_ID), &file);
	cat_write_call_take(&call, file, NULL);
	body = cat_call_reply_required(fcinfo, ARG_UNDO_BYTES_BODY);
	write_record(&call, &arrival, cat_body_record(body, strlen(body)));
	return cat_write_call_end(&call, fcinfo, &args_undo_bytes);
}
