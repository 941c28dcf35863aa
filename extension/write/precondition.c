/*
 * precondition.c
 *	  Preconditions of a change: If-Match and If-None-Match.
 */
#include "catalogue.h"

#include "utils/snapmgr.h"

#include "read/read.h"
#include "write/write.h"
#include "write/write_internal.h"

/* Tag of a record that is not living, and one that matches no tag in a list. */
#define NO_STATE ""
#define UNKNOWN_STATE ","

/* Return the entity tag of a living record's present state. */
static const char *
present_tag(const WriteCall *call)
{
	char *tag = NULL;
	Rows rows;

	PushActiveSnapshot(GetLatestSnapshot());
	rows = cat_rows_by_id(call->resource, call->id, ACCESS_ALL);
	if (rows.count == 1)
		tag = cat_etag_of_record(call->resource, &rows, 0);
	PopActiveSnapshot();
	return tag ? tag : UNKNOWN_STATE;
}

/*
 * Raise OD412 if the record's state does not meet the caller's precondition.  The record stays
 * locked, so that its state holds until the change.
 *
 * If there is no living record, the change itself raises an error; call->match stays set if the
 * precondition was not met.
 */
void
cat_precondition_require(WriteCall *call)
{
	bool lives;

	if (!call->match)
		return;
	lives = cat_write_call_lock(call->resource, call->id);
	if (cat_etag_meets(call->match, lives ? present_tag(call) : NO_STATE))
		call->match = NULL;
	else if (lives)
		ereport(ERROR,
				(errcode(OD412), errmsg("%s \"%s\" does not meet the precondition of the request",
										call->resource->model, call->id)));
}
