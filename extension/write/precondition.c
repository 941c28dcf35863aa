/*
 * precondition.c
 *	  The state that a record must be in for a change: If-Match and If-None-Match.
 */
#include "catalogue.h"

#include "utils/snapmgr.h"

#include "read/fast/fast.h"
#include "read/read.h"
#include "write/write.h"
#include "write/write_internal.h"

/* The tag of what does not live, and one that no word of a list is. */
#define NO_STATE ""
#define UNKNOWN_STATE ","

/* The tag of a living record as it is now. */
static const char *
present_tag(const WriteCall *writer)
{
	char *tag = NULL;
	Rows rows;

	PushActiveSnapshot(GetLatestSnapshot());
	if (cat_row_fetch_by_id(writer->resource, writer->id, ACCESS_ALL, &rows) && rows.count == 1)
		tag = cat_etag_of_record(writer->resource, &rows, 0);
	PopActiveSnapshot();
	return tag ? tag : UNKNOWN_STATE;
}

/*
 * Raise OD412 where the record is in another state than the caller's match says; it stays locked,
 * so that it is in that state when it is changed.
 *
 * Where none lives it is for the change to say that, or to raise OD412 for a match that is left.
 */
void
cat_precondition_require(WriteCall *writer)
{
	bool lives;

	if (!writer->match)
		return;
	lives = cat_write_call_lock(writer->resource, writer->id);
	if (cat_etag_meets(writer->match, lives ? present_tag(writer) : NO_STATE))
		writer->match = NULL;
	else if (lives)
		ereport(ERROR, (errcode(OD412), errmsg("%s \"%s\" is not in the state that is asked for",
											   writer->resource->model, writer->id)));
}
