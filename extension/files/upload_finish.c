/*
 * upload_finish.c
 *	  Completion of an upload, which becomes a file or the image of a category.
 *
 * All is done in one transaction: either the record exists with its bytes, or neither does.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "base/body.h"
#include "call/call.h"
#include "files/files.h"
#include "files/files_internal.h"
#include "write/write.h"

PG_FUNCTION_INFO_V1(catalogue_upload_finish);
PG_FUNCTION_INFO_V1(catalogue_upload);

/* Functions that accept and store the bytes for a resource. */
typedef struct Destination
{
	const char *resource;
	void (*take)(Arrival *arrival, const WriteCall *call, NewRecord *record);
	void (*keep)(const Arrival *arrival, const char *id);
} Destination;

static const Destination destinations[] = {
	{"files", cat_file_record_take, cat_file_record_keep},
	{"categories", cat_image_take, cat_image_keep},
};

static const Destination *
destination_of(const Resource *resource)
{
	for (size_t i = 0; i < lengthof(destinations); i++)
		if (strcmp(destinations[i].resource, resource->name) == 0)
			return &destinations[i];
	ereport(ERROR, (errcode(OD415), errmsg("resource \"%s\" takes no uploads", resource->name)));
}

static char *
hex_of(const unsigned char *bytes, size_t length)
{
	char *text = palloc(length * 2 + 1);

	for (size_t i = 0; i < length; i++)
		snprintf(text + i * 2, 3, "%02x", bytes[i]);
	return text;
}

/* Seal the bytes.  Raises OD400 if they do not have the digest that the client sent. */
static void
seal(Arrival *arrival)
{
	unsigned char digest[BLOB_DIGEST];

	arrival->blob = cat_blob_close(arrival->blob, digest);
	strlcpy(arrival->sha256, hex_of(digest, BLOB_DIGEST), sizeof(arrival->sha256));
	for (size_t i = 0; i < lengthof(arrival->digests); i++)
		if (arrival->digests[i] && pg_strcasecmp(arrival->digests[i], arrival->sha256) != 0)
			ereport(ERROR,
					(errcode(OD400), errmsg("the digest does not match the bytes received"),
					 errdetail_internal("{\"digest\":[{\"rule\":\"digest\",\"message\":"
										"\"does not match the bytes received\",\"value\":\"%s\"}]}",
										arrival->sha256)));
}

/*
 * Return whether bytes have arrived.  A form has an empty part without a name if no file was
 * chosen.
 */
static bool
has_bytes(const Arrival *arrival)
{
	return arrival->size > 0 || *arrival->name != '\0';
}

/*
 * Create or update the record with the members of a body, and with the bytes if any have arrived.
 *
 * An existing record is updated if call->id is set; it is set on return.
 */
static void
write_record(WriteCall *call, Arrival *arrival, List *members)
{
	const Destination *destination = destination_of(call->resource);
	bool arrived = has_bytes(arrival);
	NewRecord record;

	cat_new_record_begin(&record, call->resource);
	cat_new_record_read(&record, call, members);
	if (call->id)
		cat_write_run_hooks(call, members, &record);
	if (arrived)
	{
		seal(arrival);
		destination->take(arrival, call, &record);
	}
	if (call->id)
		cat_write_update(call, &record);
	else
		cat_write_create(call, &record);
	if (arrived)
		destination->keep(arrival, call->id);
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
	const char *name = cat_upload_text(details, "name");
	const char *base = cat_upload_text(details, "base");

	arrival.name = name ? name : upload->name ? upload->name : "";
	arrival.base = base ? base : "";
	arrival.digests[0] = upload->digest;
	arrival.digests[1] = cat_upload_text(details, "digest");
	return arrival;
}

static List *
details_of(FunctionCallInfo fcinfo, int number)
{
	const char *details = cat_call_reply_argument(fcinfo, number);

	return *details ? cat_body_members(details, strlen(details)) : NIL;
}

Datum
catalogue_upload_finish(PG_FUNCTION_ARGS)
{
	List *details;
	Arrival arrival;
	Upload upload;
	WriteCall call;
	Actor actor;

	cat_call_reply_begin();
	cat_actor_read(fcinfo, 5, &actor);
	upload = cat_upload_find(cat_call_reply_required(fcinfo, 0), &actor, true);
	details = details_of(fcinfo, 2);
	cat_write_call_open(&call, fcinfo, upload.resource->name, upload.record ? "update" : "create",
						5);
	PG_TRY();
	{
		if (upload.record)
			cat_write_call_take(&call, upload.record,
								PG_ARGISNULL(6) ? NULL : cat_call_reply_argument(fcinfo, 6));
		require_length(&upload, details);
		arrival = arrival_of(&upload, details);
		write_record(&call, &arrival,
					 members_of(&call,
								PG_ARGISNULL(1) ? upload.body : cat_call_reply_argument(fcinfo, 1),
								details));
		cat_upload_remove(upload.id);
	}
	PG_FINALLY();
	{
		cat_write_call_leave(&call);
	}
	PG_END_TRY();
	return cat_write_call_end(&call, fcinfo, 3);
}

/* Create or update a record with its bytes in a single call. */
Datum
catalogue_upload(PG_FUNCTION_ARGS)
{
	bool update = !PG_ARGISNULL(1);
	bytea *bytes = PG_ARGISNULL(3) ? NULL : PG_GETARG_BYTEA_PP(3);
	Arrival arrival = {.base = ""};
	WriteCall call;

	cat_write_call_begin(&call, fcinfo, update ? "update" : "create", 5);
	PG_TRY();
	{
		if (update)
			cat_write_call_take(&call, cat_call_reply_argument(fcinfo, 1), NULL);
		arrival.name = bytes ? cat_call_reply_argument(fcinfo, 2) : "";
		if (bytes)
		{
			cat_upload_require_size(call.resource, (int64) VARSIZE_ANY_EXHDR(bytes));
			arrival.blob = cat_blob_new();
			arrival.size = cat_blob_write(arrival.blob, 0, bytes);
		}
		write_record(
			&call, &arrival,
			members_of(&call, PG_ARGISNULL(4) ? NULL : cat_call_reply_argument(fcinfo, 4), NIL));
	}
	PG_FINALLY();
	{
		cat_write_call_leave(&call);
	}
	PG_END_TRY();
	return cat_write_call_end(&call, fcinfo, 6);
}
