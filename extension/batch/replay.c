/*
 * replay.c
 *	  Rights to a reply that was kept: those that the change itself needs, as they are now.
 *
 * A role, a rule or an API key may have been changed since the reply was kept.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "batch/batch_internal.h"
#include "call/call.h"
#include "call/reply_columns.h"
#include "registry/registry.h"

#define ACTIONS 4

/* What a function needs besides the method of its request. */
typedef struct Need
{
	const char *function;
	const char *resource;		  /* NULL: that of the reply */
	const char *actions[ACTIONS]; /* one of them; none: no rule is asked */
} Need;

static const Need needs[] = {
	{"create", NULL, {"create"}},
	{"import", "datasets", {"create"}},
	{"restore", NULL, {"restore"}},
	{"deactivate", NULL, {"deactivate"}},
	{"undo", NULL, {"update", "delete", "restore", "deactivate"}},
	{"upload_finish", NULL, {"create", "update"}},
	{"cancel_job", "jobs", {"cancel"}},
	{"refresh_file", "files", {"update"}},
	{"send_email", "email", {NULL}},
};

/* Raise unless the actor may do one of the actions with the record of a resource. */
static void
require_action(const Actor *actor, const char *name, const char *const *actions, const char *id)
{
	const Resource *resource = cat_registry_resource(name);
	bool granted = false;

	for (int i = 0; i < ACTIONS && actions[i]; i++)
		granted |= cat_permission_decides(actor, resource, actions[i]);
	if (!granted)
		cat_permission_require(actor, resource, actions[0]);
	cat_consumer_require(actor, resource->name);
	cat_consumer_require_record(actor, resource, id);
}

/* Return a member of a packed reply; its data are behind the others, up to the end. */
static char *
member_of(Datum reply, int member)
{
	bytea *packed = DatumGetByteaPP(reply);
	const char *at = VARDATA_ANY(packed);
	const char *end = at + VARSIZE_ANY_EXHDR(packed);
	int before = member < REPLY_DATA	? member
				 : member == REPLY_DATA ? REPLY_COLUMNS - 1
										: member - 1;

	for (int i = 0; i < before; i++)
		at += strlen(at) + 1;
	return member == REPLY_DATA ? pnstrdup(at, end - at) : pstrdup(at);
}

/* The arguments are not those that the reply was kept with. */
pg_noreturn static void
refuse_arguments(void)
{
	ereport(ERROR, (errcode(OD422), errmsg("this Idempotency-Key was used for another request")));
}

/* Require the rights to a part of a batch.  result: the element of the reply. */
static void
require_part(const Actor *actor, const Member *element, const Member *result)
{
	List *members = cat_body_members(result->raw, strlen(result->raw));
	const char *actions[ACTIONS] = {NULL};
	List *errors = NIL;
	Part part = {0};

	cat_batch_part_read(&part, BATCH_PARTS_MAX, element, &errors);
	if (errors)
		refuse_arguments();
	actions[0] = part.operation->action ? part.operation->action : part.words[2];
	cat_consumer_require_method(actor, part.operation->method);
	require_action(actor, cat_body_text(members, "resource", &errors), actions,
				   cat_body_text(members, "id", &errors));
}

/* Require the rights to each part of a batch.  body: its argument; results: the data of its reply. */
static void
require_parts(const Actor *actor, const char *body, const char *results)
{
	const Member *parts =
		body ? cat_body_member(cat_body_members(body, strlen(body)), "parts") : NULL;
	List *elements = parts && parts->kind == MEMBER_ARRAY ? cat_body_elements(parts->raw) : NIL;
	List *done = cat_body_elements(results);
	ListCell *cell;

	if (list_length(elements) != list_length(done))
		refuse_arguments();
	foreach(cell, elements)
		require_part(actor, lfirst(cell), list_nth(done, foreach_current_index(cell)));
}

/* Require the rights to each record that rows made.  results: the data of the reply. */
static void
require_rows(const Actor *actor, const char *results)
{
	static const char *const actions[ACTIONS] = {"create"};
	ListCell *cell;

	foreach(cell, cat_body_elements(results))
	{
		const Member *result = lfirst(cell);
		List *members = cat_body_members(result->raw, strlen(result->raw));
		List *errors = NIL;

		require_action(actor, cat_body_text(members, "resource", &errors), actions,
					   cat_body_text(members, "id", &errors));
	}
}

/* Return the first argument of a function, which is the body of a batch; NULL for none. */
static char *
first_argument(ArrayType *arguments)
{
	Datum *values;
	bool *missing;
	int count;

	deconstruct_array(arguments, TEXTOID, -1, false, TYPALIGN_INT, &values, &missing, &count);
	return count > 0 && !missing[0] ? TextDatumGetCString(values[0]) : NULL;
}

void
cat_replay_require(const Actor *actor, const char *function, ArrayType *arguments, Datum reply)
{
	cat_consumer_require_method(actor, "POST");
	if (strcmp(function, "batch") == 0)
	{
		require_parts(actor, first_argument(arguments), member_of(reply, REPLY_DATA));
		return;
	}
	if (strcmp(function, "create_rows") == 0)
		require_rows(actor, member_of(reply, REPLY_DATA));
	for (size_t i = 0; i < lengthof(needs); i++)
	{
		const Need *need = &needs[i];

		if (strcmp(need->function, function) != 0)
			continue;
		if (need->actions[0])
			require_action(actor,
						   need->resource ? need->resource : member_of(reply, REPLY_RESOURCE),
						   need->actions, member_of(reply, REPLY_ID));
		else
			cat_consumer_require(actor, need->resource);
	}
}
