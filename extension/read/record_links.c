/*
 * record_links.c
 *	  Links of a record: its parts, and the actions that are possible now.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "utils/builtins.h"

#include "base/state_action.h"
#include "call/call.h"
#include "query/query.h"
#include "read/read_internal.h"
#include "registry/registry.h"
#include "registry/rows.h"

/* Parts of a record, each linked if its column has a value. */
static const struct
{
	const char *resource;
	const char *name;
	const char *column; /* NULL: always */
	bool address;		/* the value is an address; link it only if it is the part's own */
	const char *other;	/* resource that the caller's API key must allow, too */
} parts[] = {
	{"datasets", "download", NULL, false, "files"},
	{"files", "download", "sha256", false, "files"},
	{"files", "contents", "revision", false, "files"},
	{"categories", "image", "image", true, "categories"},
	{"maps", "geojson", "geojson", false, "maps"},
	{"maps", "image", "geojson", false, "maps"},
	{"maps", "issues", "incorrect", false, "files"},
	{"charts", "data", "data", false, "charts"},
	{"charts", "image", "data", false, "charts"},
};

static void
add_word(StringInfo links, const char *sign, const char *word)
{
	if (links->len > 0)
		appendStringInfoChar(links, ',');
	appendStringInfoString(links, sign);
	appendStringInfoString(links, word);
}

/* Return the text of a column of the record; NULL if it is null. */
static char *
text_at(const Rows *row, AttrNumber column)
{
	bool isnull;
	Datum value = heap_getattr(row->tuples[0], column, row->desc, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

/* Return whether the column of a part has a value that is not an address outside the record. */
static bool
has_part(const Resource *resource, const Rows *row, size_t part)
{
	const Field *field = cat_registry_column(unconstify(Resource *, resource), parts[part].column);
	const char *own;
	const char *address;

	if (!field || heap_attisnull(row->tuples[0], field->attno, row->desc))
		return false;
	if (!parts[part].address || field->kind != FIELD_TEXT)
		return !parts[part].address;
	own = psprintf("/%s/%s/%s", resource->name, text_at(row, resource->id), parts[part].name);
	address = strstr(text_at(row, field->attno), own);
	return address && strcmp(address, own) == 0;
}

static void
add_parts(StringInfo links, const RequestParams *params, const Rows *row)
{
	const Resource *resource = params->resource;

	for (size_t i = 0; i < lengthof(parts); i++)
		if (strcmp(parts[i].resource, resource->name) == 0 &&
			cat_consumer_may_ask(params->actor, parts[i].other) &&
			(!parts[i].column || has_part(resource, row, i)))
			add_word(links, "", parts[i].name);
}

/* Return the actions that the record's state allows; List of char *. */
static List *
actions_of(const Resource *resource, const Rows *row)
{
	const char *status = resource->status ? text_at(row, resource->status->attno) : NULL;
	bool hidden = resource->deactivates &&
				  !heap_attisnull(row->tuples[0], resource->deactivated_at, row->desc);
	List *actions = NIL;
	ListCell *cell;

	foreach(cell, resource->actions)
	{
		const char *action = lfirst(cell);

		if ((status && cat_state_action_allows(action, status)) ||
			(hidden && strcmp(action, "restore") == 0) ||
			(!hidden && resource->deactivates && strcmp(action, "deactivate") == 0))
			actions = lappend(actions, lfirst(cell));
	}
	return actions;
}

/* Return the HTTP method of an action. */
static const char *
verb_of(const char *action)
{
	bool posted = strcmp(action, "restore") == 0 || strcmp(action, "deactivate") == 0;

	return posted ? "POST" : "PATCH";
}

static void
add_actions(StringInfo links, const RequestParams *params, const Rows *row)
{
	const Actor *actor = params->actor;
	const Resource *resource = params->resource;
	List *actions = actions_of(resource, row);
	const char *id;
	ListCell *cell;

	if (resource->read_only || actions == NIL)
		return;
	id = text_at(row, resource->id);
	actions = cat_permission_granted(actor, resource, id, actions);
	if (actions == NIL || !cat_consumer_may_change(actor, resource, id))
		return;
	foreach(cell, actions)
		if (cat_consumer_may_send(actor, verb_of(lfirst(cell))))
			add_word(links, "+", lfirst(cell));
}

/*
 * Return the links of the first row, separated by commas: path segments relative to the record,
 * with "+" before an action that the caller may perform now.  NULL if there are none.
 *
 * An earlier state has neither actions nor parts, which may no longer exist.
 */
const char *
cat_record_links(const RequestParams *params, const Rows *row)
{
	StringInfoData links;

	initStringInfo(&links);
	if (params->resource->history_table)
		add_word(&links, "", "versions");
	if (params->resource->logged && !params->resource->change &&
		params->access != ACCESS_OUTSIDER && cat_consumer_may_ask(params->actor, "logs"))
		add_word(&links, "", "logs");
	if (row->whole && !params->as_of && !params->deleted)
	{
		add_parts(&links, params, row);
		add_actions(&links, params, row);
	}
	return links.len > 0 ? links.data : NULL;
}
