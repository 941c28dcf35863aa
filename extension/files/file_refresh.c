/*
 * file_refresh.c
 *	  Fetch of a file from its remote service that a user asks for.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "call/call.h"
#include "files/files.h"
#include "pg/pg.h"
#include "read/read.h"

PG_FUNCTION_INFO_V1(catalogue_refresh_file);

/* Queue the fetch of a file; return the job.  Raises OD404 or OD409 if there is none to queue. */
static const char *
enqueue(const char *id)
{
	Oid type = TEXTOID;
	Datum value = CStringGetTextDatum(id);
	const char *job;

	cat_statement_run("SELECT catalogue.enqueue_fetch(f.id) FROM catalogue.files f "
					  "WHERE f.id = $1 AND f.deleted_at IS NULL",
					  1, &type, &value, NULL, true, 1);
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(OD404), errmsg("File \"%s\" does not exist", id)));
	job = cat_result_text(1);
	if (!job)
		ereport(ERROR, (errcode(OD409), errmsg("File \"%s\" has no remote service", id)));
	return job;
}

Datum
catalogue_refresh_file(PG_FUNCTION_ARGS)
{
	CallReply reply = {.resource = "jobs"};
	WriteCall call;

	cat_call_reply_begin();
	cat_write_call_open(&call, fcinfo, "files", "update", 1);
	cat_write_call_leave(&call);
	cat_write_call_take(
		&call, cat_named_id(call.resource, cat_call_reply_required(fcinfo, 0), call.actor.access),
		NULL);
	reply.id = enqueue(call.id);
	return cat_call_reply_end(fcinfo, &reply);
}
