/*
 * upload.c
 *	  Uploads: begin, write, state, drop, and completion, by which a record is made.
 *
 * A caller who may not create or change the record is refused before the first byte.
 */
#include "catalogue.h"

#include "utils/jsonb.h"

#include "base/body.h"
#include "base/settings.h"
#include "files/files.h"
#include "files/files_internal.h"

/* Documents to import make datasets, which take no other uploads. */
#define IMPORTS "imports"
#define IMPORTED "datasets"

static bool
is_import(const Resource *resource)
{
	return strcmp(resource->name, IMPORTED) == 0;
}

/* Return the maximum size of an upload for a resource, in bytes. */
static int64
size_limit(const Resource *resource)
{
	int64 limit = (int64) cat_upload_limit * 1024;

	if (strcmp(resource->name, "categories") == 0)
		return IMAGE_MAX;
	return is_import(resource) ? Min(limit, DOCUMENT_MAX) : limit;
}

/* Raise OD413 if a size exceeds the limit of an upload. */
static void
upload_require_size(const Resource *resource, int64 size)
{
	if (size > size_limit(resource))
		ereport(ERROR, (errcode(OD413), errmsg("the upload is too large"),
						errhint("It may have " INT64_FORMAT " bytes.", size_limit(resource))));
}

/* Return the owner of the actor's uploads; a trusted database user has access to all uploads. */
static char *
owner_of(const Actor *actor)
{
	return actor->user[0] != '\0' ? pstrdup(actor->user) : psprintf("@%s", actor->consumer);
}

static const char upload_sql[] =
	"SELECT u.blob, u.owner, u.length, u.resumable, b.size, u.request ->> 'resource', "
	"u.request ->> 'record', u.request ->> 'name', u.request ->> 'body', "
	"u.moved_at < now() - interval '5 s', u.request ->> 'digest', u.request ->> 'organization' "
	"FROM catalogue.upload u JOIN catalogue.blob b ON b.id = u.blob WHERE u.id = $1";

/*
 * Raise OD403 unless the actor's key includes an upload: its resource, and of a key of an organization
 * the record; an upload for a new record must have been begun with such a key.
 */
static void
require_key(const Actor *actor, const Upload *upload, const char *organization)
{
	cat_consumer_require(actor, upload->resource->name);
	if (upload->record)
		cat_consumer_require_record(actor, upload->resource, upload->record);
	else if (actor->organization[0] != '\0' &&
			 (!organization || strcmp(organization, actor->organization) != 0))
		ereport(ERROR, (errcode(OD403), errmsg("this key is for records of another organization")));
}

/*
 * Return an upload of the actor; locked: lock its row until the end of the transaction.
 *
 * Raises OD404 if there is none or if it belongs to another actor, OD403 if the actor's key does not
 * include it.
 */
static Upload
upload_find(const char *id, const Actor *actor, bool locked)
{
	Upload upload = {.id = id};
	const char *organization;

	cat_statement_with(locked,
					   locked ? psprintf("%s FOR NO KEY UPDATE OF u", upload_sql) : upload_sql,
					   text_param(id));
	if (SPI_processed == 0 || (!actor->trusted && strcmp(cat_result_text(2), owner_of(actor)) != 0))
		ereport(ERROR, (errcode(OD404), errmsg("upload \"%s\" does not exist", id)));
	upload.blob = cat_result_int64(1);
	upload.length = cat_result_text(3) ? cat_result_int64(3) : -1;
	upload.resumable = cat_result_bool(4);
	upload.size = cat_result_int64(5);
	upload.resource = cat_registry_resource(cat_result_text(6));
	upload.record = cat_result_text(7);
	upload.name = cat_result_text(8);
	upload.body = cat_result_text(9);
	upload.rested = cat_result_bool(10);
	upload.digest = cat_result_text(11);
	organization = cat_result_text(12);
	require_key(actor, &upload, organization);
	return upload;
}

/* Remove an upload; its bytes become unreferenced unless they were sealed. */
static void
upload_remove(const char *id)
{
	cat_statement_fresh("DELETE FROM catalogue.upload u WHERE u.id = $1", text_param(id));
}

/* Return the text of a member, NULL if it is missing or not a string. */
static char *
upload_text(List *members, const char *name)
{
	const Member *member = cat_body_member(members, name);

	return member && member->kind == MEMBER_STRING ? member->text : NULL;
}

static bool
has_flag(List *members, const char *name)
{
	const Member *member = cat_body_member(members, name);

	return member && member->kind == MEMBER_BOOLEAN && *member->text == 't';
}

/* Return the announced length of an upload in bytes, -1 if there is none. */
static int64
said_length(List *members)
{
	const Member *member = cat_body_member(members, "length");

	if (!member || member->kind == MEMBER_NULL)
		return -1;
	if (member->kind != MEMBER_NUMBER || !cat_literal_integer(member->text) ||
		*member->text == '-' || strlen(member->text) > 18)
		ereport(ERROR, (errcode(OD400), errmsg("the length of an upload is a number of bytes")));
	return pg_strtoint64(member->text);
}

static void
insert_upload(const char *id, const WriteCall *call, List *members, int64 length)
{
	const Member *body = cat_body_member(members, "body");
	const char *fields = body && body->kind == MEMBER_OBJECT ? body->raw : NULL;

	if (fields)
		cat_body_record(fields, strlen(fields));
	cat_statement_fresh(
		"INSERT INTO catalogue.upload (id, blob, owner, length, resumable, request) "
		"VALUES ($1, $2, $3, $4, $5, jsonb_build_object('resource', $6, 'record', $7, 'name', $8, "
		"'digest', $9, 'body', $10::jsonb, 'organization', nullif($11, '')))",
		text_param(id), int8_param(cat_blob_new()), text_param(owner_of(&call->actor)),
		length < 0 ? null_param(INT8OID) : int8_param(length),
		bool_param(has_flag(members, "resumable")), text_param(call->resource->name),
		text_param(call->id), text_param(upload_text(members, "name")),
		text_param(upload_text(members, "digest")), text_param(fields),
		text_param(call->actor.organization));
}

/* Raise OD415 for a resource whose records have no bytes. */
static void
require_uploads(const Resource *resource)
{
	if (strcmp(resource->name, "files") != 0 && strcmp(resource->name, "categories") != 0)
		ereport(ERROR,
				(errcode(OD415), errmsg("resource \"%s\" takes no uploads", resource->name)));
}

/* Raise OD401, OD403 or OD404 unless the actor may create or change the record of the upload. */
static void
require_target(WriteCall *call, FunctionCallInfo fcinfo)
{
	const char *name = cat_call_reply_required(fcinfo, ARG_UPLOAD_BEGIN_RESOURCE);
	const char *id = cat_call_reply_optional(fcinfo, ARG_UPLOAD_BEGIN_ID);
	bool imports = strcmp(name, IMPORTS) == 0 && !id;

	cat_write_call_open(call, fcinfo, imports ? IMPORTED : name, id ? "update" : "create",
						ARG_UPLOAD_BEGIN_ACTOR);
	cat_write_call_leave(call);
	if (!imports)
		require_uploads(call->resource);
	if (!id)
		return;
	id = cat_record_named_id(call->resource, id, call->actor.access);
	cat_write_call_take(call, id, NULL);
	if (!cat_rows_exists(call->resource, id, call->actor.access))
		ereport(ERROR,
				(errcode(OD404), errmsg("%s \"%s\" does not exist", call->resource->model, id)));
}

CAT_REPLY(catalogue_upload_begin)
{
	WriteCall call;
	char id[ID_LENGTH + 1];
	List *members;
	int64 length;

	require_target(&call, fcinfo);
	members = cat_body_optional(fcinfo, ARG_UPLOAD_BEGIN_DETAILS);
	length = said_length(members);
	upload_require_size(call.resource, length);
	if (!has_flag(members, "resumable"))
		cat_blob_commit_later();
	cat_id_generate(id);
	insert_upload(id, &call, members, length);
	reply->resource = call.resource->name;
	reply->id = pstrdup(id);
	cat_call_reply_format(reply, "{\"offset\":0,\"limit\":" INT64_FORMAT "}",
						  size_limit(call.resource));
}

CAT_REPLY(catalogue_upload_write)
{
	Upload upload;
	Actor actor;
	int64 position;
	bytea *bytes;
	int64 end;

	if (PG_ARGISNULL(ARG_UPLOAD_WRITE_POSITION) || PG_ARGISNULL(ARG_UPLOAD_WRITE_BYTES))
		ereport(ERROR, (errcode(OD400), errmsg("a position and bytes are needed")));
	position = PG_GETARG_INT64(ARG_UPLOAD_WRITE_POSITION);
	bytes = PG_GETARG_BYTEA_PP(ARG_UPLOAD_WRITE_BYTES);
	end = position + (int64) VARSIZE_ANY_EXHDR(bytes);
	cat_actor_read(fcinfo, ARG_UPLOAD_WRITE_ACTOR, &actor);
	upload = upload_find(cat_call_reply_required(fcinfo, ARG_UPLOAD_WRITE_ID), &actor, true);
	upload_require_size(upload.resource, end);
	if (upload.length >= 0 && end > upload.length)
		ereport(ERROR,
				(errcode(OD413), errmsg("the upload has more bytes than it said it would have")));
	cat_blob_commit_later();
	upload.size = cat_blob_write(upload.blob, position, bytes);
	/* for the sweep; at most once every few seconds */
	if (upload.rested)
		cat_statement_fresh("UPDATE catalogue.upload u SET moved_at = now() WHERE u.id = $1",
							text_param(upload.id));
	reply->id = upload.id;
	cat_call_reply_format(reply, "{\"offset\":" INT64_FORMAT "}", upload.size);
}

CAT_REPLY(catalogue_upload_state)
{
	Upload upload;
	Actor actor;

	cat_actor_read(fcinfo, ARG_UPLOAD_STATE_ACTOR, &actor);
	upload = upload_find(cat_call_reply_required(fcinfo, ARG_UPLOAD_STATE_ID), &actor, false);
	reply->resource = upload.resource->name;
	reply->id = upload.id;
	cat_call_reply_format(
		reply,
		"{\"offset\":" INT64_FORMAT ",\"length\":%s,\"limit\":" INT64_FORMAT
		",\"complete\":false,\"resumable\":%s,\"resource\":\"%s\",\"record\":%s,\"name\":%s,"
		"\"body\":%s}",
		upload.size, upload.length < 0 ? "null" : psprintf(INT64_FORMAT, upload.length),
		size_limit(upload.resource), upload.resumable ? "true" : "false",
		is_import(upload.resource) ? IMPORTS : upload.resource->name,
		cat_json_quoted(upload.record), cat_json_quoted(upload.name),
		upload.body ? upload.body : "null");
}

CAT_REPLY(catalogue_upload_drop)
{
	Actor actor;

	cat_actor_read(fcinfo, ARG_UPLOAD_DROP_ACTOR, &actor);
	reply->id = upload_find(cat_call_reply_required(fcinfo, ARG_UPLOAD_DROP_ID), &actor, true).id;
	upload_remove(reply->id);
}

/*
 * ---- Completion of an upload, which becomes a file or the image of a category ----
 *
 * One transaction does all: either the record exists with its bytes, or neither does.
 */

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
	bool image = strcmp(call->resource->name, "categories") == 0;
	/*
	 * Whether bytes have arrived. A form has an empty part without a name if no file was chosen.
	 */
	bool arrived = arrival->size > 0 || *arrival->name != '\0';
	NewRecord record;

	require_uploads(call->resource);
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
		(image ? cat_image_keep : cat_file_record_keep)(arrival, call->id);
}

/* Return the members of a body; those of a form are converted from text. */
static List *
members_of(const WriteCall *call, const char *body, List *details)
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
	const char *name = upload_text(details, "name");
	const char *base = upload_text(details, "base");

	arrival.name = name ? name : upload->name ? upload->name : "";
	arrival.base = base ? base : "";
	arrival.digests[0] = upload->digest;
	arrival.digests[1] = upload_text(details, "digest");
	return arrival;
}

UploadedDocument
cat_upload_document(const char *id, const Actor *actor, List *details)
{
	Upload upload = upload_find(id, actor, true);
	Arrival arrival;

	if (!is_import(upload.resource))
		ereport(ERROR, (errcode(OD409), errmsg("the upload is not for an import")));
	require_length(&upload, details);
	arrival = arrival_of(&upload, details);
	seal(&arrival);
	upload_remove(upload.id);
	return (UploadedDocument){arrival.blob, arrival.size, upload.body, ""};
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
	upload = upload_find(cat_call_reply_required(fcinfo, ARG_UPLOAD_FINISH_ID), &actor, true);
	details = cat_body_optional(fcinfo, ARG_UPLOAD_FINISH_DETAILS);
	cat_write_call_open(&call, fcinfo, upload.resource->name, upload.record ? "update" : "create",
						ARG_UPLOAD_FINISH_ACTOR);
	if (upload.record)
		cat_write_call_take(&call, upload.record,
							cat_call_reply_optional(fcinfo, ARG_UPLOAD_FINISH_MATCH));
	require_length(&upload, details);
	arrival = arrival_of(&upload, details);
	write_record(&call, &arrival,
				 members_of(&call,
							PG_ARGISNULL(ARG_UPLOAD_FINISH_BODY)
								? upload.body
								: cat_call_reply_argument(fcinfo, ARG_UPLOAD_FINISH_BODY),
							details));
	upload_remove(upload.id);
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
		upload_require_size(call.resource, (int64) VARSIZE_ANY_EXHDR(bytes));
		arrival.blob = cat_blob_new();
		arrival.size = cat_blob_write(arrival.blob, 0, bytes);
	}
	write_record(&call, &arrival,
				 members_of(&call, cat_call_reply_optional(fcinfo, ARG_UPLOAD_BODY), NIL));
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
