/*
 * upload.c
 *	  Uploads: begin, write, state, drop.
 *
 * A caller who may not create or change the record is refused before the first byte.  The maximum size
 * is catalogue.upload_limit (base/settings.c); less for images and documents to import.
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

bool
cat_upload_is_import(const Resource *resource)
{
	return strcmp(resource->name, IMPORTED) == 0;
}

/* Return the maximum size of an upload for a resource, in bytes. */
static int64
size_limit(const Resource *resource)
{
	int64 limit = (int64) cat_upload_limit * 1024;

	if (cat_image_taken(resource))
		return IMAGE_MAX;
	return cat_upload_is_import(resource) ? Min(limit, DOCUMENT_MAX) : limit;
}

void
cat_upload_require_size(const Resource *resource, int64 size)
{
	if (size > size_limit(resource))
		ereport(ERROR, (errcode(OD413), errmsg("the upload is too large"),
						errdetail_internal("{\"limit\":" INT64_FORMAT "}", size_limit(resource)),
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

Upload
cat_upload_find(const char *id, const Actor *actor, bool locked)
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

/*
 * Find an upload that was finished; false: there is none of this actor.  Raises OD403 if the actor's key
 * does not include it.
 */
static bool
find_finished(Upload *upload, const char *id, const Actor *actor)
{
	const char *organization;

	cat_statement_read("SELECT f.owner, f.resource, f.record, f.organization, f.size "
					   "FROM catalogue.finished_upload f WHERE f.id = $1",
					   text_param(id));
	if (SPI_processed == 0 || (!actor->trusted && strcmp(cat_result_text(1), owner_of(actor)) != 0))
		return false;
	*upload = (Upload){.id = id, .resumable = true, .finished = true};
	upload->resource = cat_registry_resource(cat_result_text(2));
	upload->record = cat_result_text(3);
	organization = cat_result_text(4);
	upload->size = upload->length = cat_result_int64(5);
	require_key(actor, upload, organization);
	return true;
}

static void
remove_upload(const char *id)
{
	cat_statement_fresh("DELETE FROM catalogue.upload u WHERE u.id = $1", text_param(id));
}

void
cat_upload_end(const Upload *upload, const char *record)
{
	cat_statement_fresh(
		"WITH ended AS (DELETE FROM catalogue.upload u WHERE u.id = $1 RETURNING u.*) "
		"INSERT INTO catalogue.finished_upload (id, owner, resource, record, organization, size) "
		"SELECT e.id, e.owner, e.request ->> 'resource', $2, e.request ->> 'organization', $3 "
		"FROM ended e WHERE e.resumable",
		text_param(upload->id), text_param(record), int8_param(upload->size));
}

char *
cat_upload_text(List *members, const char *name)
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

/* Return the fields of the record, an object, from the details of an upload; NULL if they have none. */
static const char *
fields_of(List *members)
{
	const Member *body = cat_body_member(members, "body");

	return body && body->kind == MEMBER_OBJECT ? body->raw : NULL;
}

static void
insert_upload(const char *id, const WriteCall *call, List *members, int64 length)
{
	const char *fields = fields_of(members);

	if (fields)
		cat_body_record(fields, strlen(fields));
	cat_statement_fresh(
		"INSERT INTO catalogue.upload (id, blob, owner, length, resumable, request) "
		"VALUES ($1, $2, $3, $4, $5, jsonb_build_object('resource', $6, 'record', $7, 'name', $8, "
		"'digest', $9, 'body', $10::jsonb, 'organization', nullif($11, '')))",
		text_param(id), int8_param(cat_blob_new()), text_param(owner_of(&call->actor)),
		length < 0 ? null_param(INT8OID) : int8_param(length),
		bool_param(has_flag(members, "resumable")), text_param(call->resource->name),
		text_param(call->id), text_param(cat_upload_text(members, "name")),
		text_param(cat_upload_text(members, "digest")), text_param(fields),
		text_param(call->actor.organization));
}

void
cat_upload_require_resource(const Resource *resource)
{
	if (strcmp(resource->name, "files") != 0 && !cat_image_taken(resource))
		ereport(ERROR,
				(errcode(OD415), errmsg("resource \"%s\" takes no uploads", resource->name)));
}

/* Fields that the service sets when the bytes have come. */
static const char *const set_later[] = {"type", "fileName", "url", "image", NULL};

/* Refuse fields and the name of a file that would be refused when all bytes have come. */
static void
check_fields(WriteCall *call, List *details)
{
	const char *name = cat_upload_text(details, "name");

	if (!has_flag(details, "complete"))
		return;
	cat_write_check(call, cat_upload_finish_members(call, fields_of(details), details), set_later);
	if (name && *name && strcmp(call->resource->name, "files") == 0)
		cat_filetype_require(cat_filetype_extension(name));
}

/*
 * Raise OD401, OD403 or OD404 unless the actor may create or change the record of the upload; OD400 or
 * OD415 if its fields would be refused.
 */
static void
require_target(WriteCall *call, FunctionCallInfo fcinfo, List *details)
{
	const char *name = cat_call_reply_required(fcinfo, ARG_UPLOAD_BEGIN_RESOURCE);
	const char *id = cat_call_reply_optional(fcinfo, ARG_UPLOAD_BEGIN_ID);
	bool imports = strcmp(name, IMPORTS) == 0 && !id;

	cat_write_call_open(call, fcinfo, imports ? IMPORTED : name, id ? "update" : "create",
						ARG_UPLOAD_BEGIN_ACTOR);
	if (!imports)
		cat_upload_require_resource(call->resource);
	if (id)
	{
		id = cat_record_named_id(call->resource, id, call->actor.access);
		cat_write_call_take(call, id, NULL);
		if (!cat_rows_exists(call->resource, id, call->actor.access))
			ereport(ERROR, (errcode(OD404),
							errmsg("%s \"%s\" does not exist", call->resource->model, id)));
	}
	if (!imports)
		check_fields(call, details);
	cat_write_call_leave(call);
}

CAT_REPLY(catalogue_upload_begin)
{
	WriteCall call;
	char id[ID_LENGTH + 1];
	List *members;
	int64 length;

	members = cat_body_optional(fcinfo, ARG_UPLOAD_BEGIN_DETAILS);
	require_target(&call, fcinfo, members);
	length = said_length(members);
	cat_upload_require_size(call.resource, length);
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
	upload = cat_upload_find(cat_call_reply_required(fcinfo, ARG_UPLOAD_WRITE_ID), &actor, true);
	cat_upload_require_size(upload.resource, end);
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
	const char *id;

	cat_actor_read(fcinfo, ARG_UPLOAD_STATE_ACTOR, &actor);
	id = cat_call_reply_required(fcinfo, ARG_UPLOAD_STATE_ID);
	if (!find_finished(&upload, id, &actor))
		upload = cat_upload_find(id, &actor, false);
	reply->resource = upload.resource->name;
	reply->id = upload.id;
	cat_call_reply_format(
		reply,
		"{\"offset\":" INT64_FORMAT ",\"length\":%s,\"limit\":" INT64_FORMAT
		",\"complete\":%s,\"resumable\":%s,\"resource\":\"%s\",\"record\":%s,\"name\":%s,"
		"\"body\":%s}",
		upload.size, upload.length < 0 ? "null" : psprintf(INT64_FORMAT, upload.length),
		size_limit(upload.resource), upload.finished ? "true" : "false",
		upload.resumable ? "true" : "false",
		cat_upload_is_import(upload.resource) ? IMPORTS : upload.resource->name,
		cat_json_quoted(upload.record), cat_json_quoted(upload.name),
		upload.body ? upload.body : "null");
}

CAT_REPLY(catalogue_upload_drop)
{
	Upload upload;
	Actor actor;
	const char *id;

	cat_actor_read(fcinfo, ARG_UPLOAD_DROP_ACTOR, &actor);
	id = cat_call_reply_required(fcinfo, ARG_UPLOAD_DROP_ID);
	if (find_finished(&upload, id, &actor))
		cat_statement_fresh("DELETE FROM catalogue.finished_upload f WHERE f.id = $1",
							text_param(id));
	else
		remove_upload(cat_upload_find(id, &actor, true).id);
	reply->id = id;
}
