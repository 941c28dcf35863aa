/*
 * fetch.c
 *	  Files whose contents a remote service provides: creation, permission, the request to fetch.
 */
#include "catalogue.h"

#include "base/body.h"
#include "base/state_action.h"
#include "files/files.h"
#include "files/files_internal.h"

/* Return a published file to review, as when its bytes are replaced by a user who may not publish. */
static void
take_back(const char *file)
{
	cat_statement_fresh(
		"UPDATE catalogue.files f SET status = $2 WHERE f.id = $1 AND f.status = $3 "
		"AND f.deleted_at IS NULL",
		text_param(file), text_param(UNDER_REVIEW), text_param(PUBLISHED));
}

/*
 * Require that the user of the running call may update a file, whose service is changed; what he may
 * not publish is returned to review.  Without a running call everything is permitted.
 *
 * Raises OD401, OD403 or OD404.
 */
CAT_FUNCTION(catalogue_permit_fetch)
{
	const Actor *actor = cat_security_context_actor();
	const char *file = text_to_cstring(PG_GETARG_TEXT_PP(ARG_PERMIT_FETCH_FILE));
	const Resource *files;
	int nest;

	if (!actor)
		PG_RETURN_VOID();
	nest = cat_security_context_pin();
	SPI_connect();
	files = cat_registry_resource("files");
	cat_permission_require_record(actor, files, "update", file);
	if (!cat_permission_reaches(actor, files, "publish", file))
		take_back(file);
	SPI_finish();
	cat_security_context_unpin(nest);
	PG_RETURN_VOID();
}

/* Queue the fetch of a file; return the job.  Raises OD404 or OD409 if there is none to queue. */
static const char *
enqueue_fetch(const char *id)
{
	const char *job;

	cat_statement_fresh("SELECT catalogue.enqueue_fetch(f.id) FROM catalogue.files f "
						"WHERE f.id = $1 AND f.deleted_at IS NULL",
						text_param(id));
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(OD404), errmsg("File \"%s\" does not exist", id)));
	job = cat_result_text(1);
	if (!job)
		ereport(ERROR, (errcode(OD409), errmsg("File \"%s\" has no remote service", id)));
	return job;
}

CAT_REPLY(catalogue_refresh_file)
{
	WriteCall call;

	reply->resource = "jobs";
	cat_write_call_open(&call, fcinfo, "files", "update", ARG_REFRESH_FILE_ACTOR);
	cat_write_call_leave(&call);
	cat_write_call_take(&call,
						cat_record_named_id(call.resource,
											cat_call_reply_required(fcinfo, ARG_REFRESH_FILE_FILE),
											call.actor.access),
						NULL);
	reply->id = enqueue_fetch(call.id);
}

/* Set the type of a file that was given none: that of the answers of its service. */
static void
add_type(NewRecord *record, const Resource *services)
{
	const Field *field = cat_registry_column(record->resource, "type");
	const char *type =
		cat_filetype_named(strcmp(services->name, "soapservices") == 0 ? "xml" : "json");

	if (field && !record->given[field->attno - 1] && type)
		cat_new_record_keep(record, "type", type);
}

void
cat_fetch_create_file(const WriteCall *call, List *members, WriteCall *other)
{
	Member *file = cat_body_member(members, "file");
	NewRecord record;

	if (!file || file->kind != MEMBER_OBJECT)
		return;
	*other = *call;
	other->resource = cat_registry_resource("files");
	cat_permission_require(&other->actor, other->resource, other->action);
	cat_consumer_require(&other->actor, other->resource->name);
	cat_new_record_begin(&record, other->resource);
	cat_new_record_read(&record, other, cat_body_record(file->raw, strlen(file->raw)));
	add_type(&record, call->resource);
	cat_write_create(other, &record);
	file->kind = MEMBER_STRING;
	file->text = pstrdup(other->id);
	file->raw = psprintf("\"%s\"", other->id);
}
