/*
 * internal_update.c
 *	  Updates that the service makes by itself.
 *
 * Such an update is no action of a user: it is not logged and does not change updated_at.  The history
 * contains it, and the entity tag changes, since the record's representation does.
 */
#include "catalogue.h"

#include "write/write_internal.h"

/*
 * Return whether the service maintains a column: a visibility flag, or a kept column outside of API
 * calls, which are actions of a user.  New bytes of a file, whoever brings them, are a change of it.
 */
static bool
is_kept(const Resource *resource, AttrNumber attno)
{
	for (int i = 0; i < resource->nfields; i++)
		if (resource->fields[i].attno == attno)
			return cat_visibility_is_flag(&resource->fields[i]) ||
				   (!cat_security_context_actor() &&
					strcmp(resource->fields[i].column, "sha256") != 0 &&
					cat_query_string_has_word(resource->kept, resource->fields[i].column));
	return false;
}

/* Return whether internal updates are possible now. */
static bool
is_possible(const Resource *resource)
{
	return resource->flagged || (resource->kept != NIL && !cat_security_context_actor());
}

/* Return whether an update is internal; changed: by attribute number minus one. */
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

/* Return whether an update is internal, from the rows before and after it. */
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
