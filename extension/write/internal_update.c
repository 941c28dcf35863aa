/*
 * internal_update.c
 *	  Changes that the service makes by itself to what it keeps of a record.
 *
 * They are nobody's action: no log tells of them and updated_at stays.  The
 * history has them, and the state tag is another one, since what is shown is.
 */
#include "catalogue.h"

#include "executor/tuptable.h"

#include "base/base.h"
#include "call/call.h"
#include "registry/registry.h"
#include "write/write_internal.h"

/* Whether the service changes a column by itself: of what it keeps, not in a call of the API, which
 * is somebody's action. */
static bool
is_kept(const Resource *resource, AttrNumber attno)
{
	for (int i = 0; i < resource->nfields; i++)
		if (resource->fields[i].attno == attno)
			return cat_visibility_is_flag(&resource->fields[i]) ||
				   (!cat_actor_current() &&
					cat_query_string_has_word(resource->kept, resource->fields[i].column));
	return false;
}

/* Whether there can be such changes now. */
static bool
is_possible(const Resource *resource)
{
	return resource->flagged || (resource->kept != NIL && !cat_actor_current());
}

/* Whether an update is such a change; changed: by attribute number less one. */
bool
cat_internal_update_columns(const Resource *resource, const bool *changed, int natts)
{
	bool any = false;

	if (!is_possible(resource))
		return false;
	for (int i = 0; i < natts; i++)
	{
		if (changed[i] && !is_kept(resource, (AttrNumber) (i + 1)))
			return false;
		any |= changed[i];
	}
	return any;
}

/* Whether the service makes an update by itself, by the rows before and after it. */
bool
cat_internal_update_rows(const Resource *resource, TupleTableSlot *old, TupleTableSlot *new)
{
	TupleDesc desc = old->tts_tupleDescriptor;

	if (!is_possible(resource))
		return false;
	slot_getallattrs(old);
	slot_getallattrs(new);
	return cat_internal_update_columns(resource,
									   cat_differ_columns(desc, old->tts_values, old->tts_isnull,
														  new->tts_values, new->tts_isnull),
									   desc->natts);
}
