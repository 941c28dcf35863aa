/*
 * preview.c
 *	  Previews of files and uploads: the first rows as they are read with parseOptions that are not stored.
 */
#include "catalogue.h"

#include "base/body.h"
#include "base/settings.h"
#include "call/call.h"
#include "files/files.h"
#include "files/files_internal.h"
#include "write/write.h"

/* Return the options of a body, which are valid, as JSON; "{}" for none.  Raises OD400. */
static const char *
read_options(const char *body)
{
	const Member *options = cat_body_member(cat_body_members(body, strlen(body)), "parseOptions");
	List *errors = NIL;

	if (!options || options->kind == MEMBER_NULL)
		return "{}";
	cat_parse_options_check("parseOptions", options, &errors);
	if (errors)
		cat_validation_error_raise(errors, OD400, NULL);
	return options->raw;
}

CAT_REPLY(catalogue_preview_file)
{
	const char *options;
	WriteCall call;

	reply->resource = "jobs";
	cat_write_call_open(&call, fcinfo, "files", "update", ARG_PREVIEW_FILE_ACTOR);
	cat_write_call_leave(&call);
	cat_write_call_take(&call,
						cat_record_named_id(call.resource,
											cat_call_reply_required(fcinfo, ARG_PREVIEW_FILE_FILE),
											call.actor.access),
						NULL);
	options = read_options(cat_call_reply_required(fcinfo, ARG_PREVIEW_FILE_BODY));
	cat_statement_fresh("SELECT catalogue.enqueue_file_preview($1, $2::jsonb, $3)",
						text_param(call.id), text_param(options), text_param(call.actor.user));
	reply->id = cat_result_text(1);
}

/* Raise OD409 unless an upload can be read: one for a file, with all its bytes, that is not held. */
static void
require_readable(const Upload *upload)
{
	if (strcmp(upload->resource->name, "files") != 0)
		ereport(ERROR, (errcode(OD409), errmsg("upload \"%s\" is for no file", upload->id)));
	if (upload->size != upload->length)
		ereport(ERROR, (errcode(OD409), errmsg("bytes of upload \"%s\" are missing", upload->id)));
	if (cat_hold_uploads)
		ereport(ERROR, (errcode(OD409), errmsg("files are scanned before they are read")));
}

CAT_REPLY(catalogue_preview_upload)
{
	const char *options;
	Upload upload;
	Actor actor;

	reply->resource = "jobs";
	cat_actor_read(fcinfo, ARG_PREVIEW_UPLOAD_ACTOR, &actor);
	upload = cat_upload_find(cat_call_reply_required(fcinfo, ARG_PREVIEW_UPLOAD_ID), &actor, false);
	require_readable(&upload);
	options = read_options(cat_call_reply_required(fcinfo, ARG_PREVIEW_UPLOAD_BODY));
	cat_statement_fresh("SELECT catalogue.enqueue_upload_preview($1, $2::jsonb, $3)",
						text_param(upload.id), text_param(options), text_param(actor.user));
	reply->id = cat_result_text(1);
}

/* Raise an error unless the actor may read the preview of a file or of an upload. */
static void
require_previewed(const Actor *actor, const char *file, const char *upload)
{
	const Resource *files = cat_registry_resource("files");

	if (upload)
	{
		cat_upload_find(upload, actor, false);
		return;
	}
	cat_permission_require_record(actor, files, "update", file);
	cat_consumer_require_record(actor, files, file);
}

/* Raise OD409 with the state of a job that has no preview. */
pg_noreturn static void
refuse_state(const char *id, const char *state, const char *reason)
{
	if (strcmp(state, "done") == 0)
		ereport(ERROR, (errcode(OD409), errmsg("the preview of job \"%s\" was removed", id),
						errhint("Previews are kept for ten minutes.")));
	if (reason && strcmp(state, "failed") == 0)
		ereport(ERROR, (errcode(OD409), errmsg("the file cannot be read so: %s", reason)));
	ereport(ERROR, (errcode(OD409), errmsg("job \"%s\" is %s", id, state)));
}

CAT_REPLY(catalogue_preview)
{
	const char *id = cat_call_reply_required(fcinfo, ARG_PREVIEW_ID);
	const Resource *files = cat_registry_resource("files");
	char *file, *upload, *state, *reason, *result;
	Actor actor;

	cat_actor_read(fcinfo, ARG_PREVIEW_ACTOR, &actor);
	cat_statement_fresh("SELECT j.file::text, j.state::text, j.reason::text, p.result::text, "
						"CASE j.target WHEN 'upload' THEN j.resource END "
						"FROM catalogue.jobs j LEFT JOIN catalogue.preview p ON p.job = j.id "
						"WHERE j.id = $1 AND j.kind = 'preview' AND j.deleted_at IS NULL",
						text_param(id));
	file = SPI_processed > 0 ? cat_result_text(1) : NULL;
	upload = SPI_processed > 0 ? cat_result_text(5) : NULL;
	if (!upload)
	{
		cat_permission_require(&actor, files, "update");
		cat_consumer_require(&actor, files->name);
	}
	if (!file && !upload)
		ereport(ERROR, (errcode(OD404), errmsg("there is no preview \"%s\"", id)));
	state = cat_result_text(2);
	reason = cat_result_text(3);
	result = cat_result_text(4);
	require_previewed(&actor, file, upload);
	if (!result)
		refuse_state(id, state, reason);
	reply->data = makeStringInfo();
	appendStringInfoString(reply->data, result);
}
