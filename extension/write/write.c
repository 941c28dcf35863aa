/*
 * write.c
 *	  SQL functions create and update.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"

#include "account/account.h"
#include "base/body.h"
#include "call/call.h"
#include "pg/pg.h"
#include "registry/registry.h"
#include "write/validation_internal.h"
#include "write/write.h"
#include "write/write_internal.h"

PG_FUNCTION_INFO_V1(catalogue_create);
PG_FUNCTION_INFO_V1(catalogue_update);

/* Parameters of a writing statement. */
typedef struct Arguments
{
	int count;
	Oid *types;
	Datum *values;
	char *nulls;
} Arguments;

static void
begin_arguments(Arguments *arguments, const NewRecord *draft)
{
	arguments->count = 0;
	arguments->types = palloc(sizeof(Oid) * (draft->natts + 1));
	arguments->values = palloc(sizeof(Datum) * (draft->natts + 1));
	arguments->nulls = palloc(draft->natts + 1);
}

static int
add_argument(Arguments *arguments, Oid type, Datum value, bool isnull)
{
	arguments->types[arguments->count] = type;
	arguments->values[arguments->count] = value;
	arguments->nulls[arguments->count] = isnull ? 'n' : ' ';
	return ++arguments->count;
}

static int
add_field(Arguments *arguments, const NewRecord *draft, const Field *field)
{
	int at = field->attno - 1;

	return add_argument(arguments, field->type_oid, draft->values[at], draft->nulls[at]);
}

static void
run_with(const Arguments *arguments, const char *sql)
{
	cat_statement_run(sql, arguments->count, arguments->types, arguments->values, arguments->nulls,
					  true, 0);
}

static char *
only_id(void)
{
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
}

/* Insert a record, and set draft->id. */
static void
insert_record(NewRecord *draft)
{
	Resource *resource = draft->resource;
	StringInfoData columns;
	StringInfoData places;
	Arguments arguments;

	begin_arguments(&arguments, draft);
	initStringInfo(&columns);
	initStringInfo(&places);
	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];

		if (!draft->given[field->attno - 1])
			continue;
		appendStringInfo(&columns, "%s%s", columns.len ? ", " : "", field->quoted);
		appendStringInfo(&places, "%s$%d", places.len ? ", " : "",
						 add_field(&arguments, draft, field));
	}
	run_with(&arguments,
			 columns.len
				 ? psprintf("INSERT INTO %s (%s) VALUES (%s) RETURNING id::text", resource->table,
							columns.data, places.data)
				 : psprintf("INSERT INTO %s DEFAULT VALUES RETURNING id::text", resource->table));
	draft->id = only_id();
}

/* Update the record.  Raises OD404 if it is not living. */
static void
update_record(NewRecord *draft)
{
	const char *id = draft->id;
	Resource *resource = draft->resource;
	StringInfoData sets;
	Arguments arguments;

	begin_arguments(&arguments, draft);
	initStringInfo(&sets);
	for (int i = 0; i < resource->nfields; i++)
	{
		const Field *field = &resource->fields[i];

		if (draft->given[field->attno - 1])
			appendStringInfo(&sets, "%s%s = $%d", sets.len ? ", " : "", field->quoted,
							 add_field(&arguments, draft, field));
	}
	add_argument(&arguments, TEXTOID, CStringGetTextDatum(id), false);
	run_with(&arguments,
			 psprintf("UPDATE %s SET %s WHERE id = $%d AND deleted_at IS NULL RETURNING id::text",
					  resource->table, sets.len ? sets.data : "updated_at = updated_at",
					  arguments.count));
	cat_write_call_require_met(resource, id);
}

/*
 * Write the row.  A violated unique index, caused by a concurrent writer, becomes a fault of the
 * record.
 *
 * Raises 40001 if the columns may no longer have the types of the values.
 */
static void
write_row(NewRecord *draft, void (*step)(NewRecord *draft))
{
	MemoryContext context = CurrentMemoryContext;

	LockRelationOid(draft->resource->relid, RowExclusiveLock);
	cat_registry_require();
	PG_TRY();
	{
		step(draft);
	}
	PG_CATCH();
	{
		List *faults;

		MemoryContextSwitchTo(context);
		faults = cat_validate_caught(draft->resource);
		if (faults == NIL)
			PG_RE_THROW();
		cat_validation_error_raise(faults, OD400, NULL);
	}
	PG_END_TRY();
}

/* Return the status in the body, NULL if there is none. */
static const char *
given_status(const NewRecord *draft)
{
	const Field *status = draft->resource->status;

	if (!status || !draft->given[status->attno - 1] || draft->nulls[status->attno - 1])
		return NULL;
	return TextDatumGetCString(draft->values[status->attno - 1]);
}

/* Write the links of the record by the given function. */
static void
write_links(const NewRecord *draft, void (*write)(const CatRelation *, const char *, List *))
{
	for (int i = 0; i < draft->resource->nrelations; i++)
		if (draft->linked[i])
			write(&draft->resource->relations[i], draft->id, draft->links[i]);
}

/* Create a record, and set writer->id. */
void
cat_write_create(WriteCall *writer, NewRecord *draft)
{
	cat_new_record_refuse(draft, NULL);
	cat_state_require(writer, given_status(draft));
	write_row(draft, insert_record);
	writer->id = draft->id;
	writer->ignored = draft->ignored;
	write_links(draft, cat_link_write);
	cat_permission_require_written(&writer->actor, writer->resource, writer->action, writer->id);
}

/* Change the writer's record. */
void
cat_write_update(WriteCall *writer, NewRecord *draft)
{
	cat_new_record_refuse(draft, writer->id);
	cat_state_require(writer, given_status(draft));
	draft->id = writer->id;
	writer->ignored = draft->ignored;
	write_row(draft, update_record);
	write_links(draft, cat_link_replace);
	cat_permission_require_written(&writer->actor, writer->resource, writer->action, writer->id);
}

/* The hooks of all resources. */
static const WriteHook *hooks;
static int nhooks;

void
cat_write_set_hooks(const WriteHook *all, int count)
{
	hooks = all;
	nhooks = count;
}

void
cat_write_run_hooks(const WriteCall *writer, List *members, NewRecord *draft)
{
	for (int i = 0; i < nhooks; i++)
		if (strcmp(hooks[i].resource, writer->resource->name) == 0)
			hooks[i].update(writer, members, draft);
}

Datum
catalogue_create(PG_FUNCTION_ARGS)
{
	WriteCall writer;
	List *members;
	NewRecord draft;

	cat_write_call_begin(&writer, fcinfo, "create", 4);
	PG_TRY();
	{
		members = cat_body_argument(fcinfo, 1);
		cat_new_record_begin(&draft, writer.resource);
		cat_new_record_read(&draft, &writer, members);
		if (writer.actor.sight == ACCESS_OUTSIDER && !PG_ARGISNULL(5))
			cat_throttle_creation(cat_call_reply_argument(fcinfo, 5));
		cat_write_create(&writer, &draft);
	}
	PG_FINALLY();
	{
		cat_write_call_leave(&writer);
	}
	PG_END_TRY();
	return cat_write_call_end(&writer, fcinfo, 2);
}

Datum
catalogue_update(PG_FUNCTION_ARGS)
{
	WriteCall writer;
	List *members;
	NewRecord draft;

	cat_write_call_begin(&writer, fcinfo, "update", 5);
	PG_TRY();
	{
		cat_write_call_target(&writer, fcinfo, 6);
		members = cat_body_argument(fcinfo, 2);
		cat_new_record_begin(&draft, writer.resource);
		cat_user_check_own_password(writer.resource, writer.id, &writer.actor, members,
									&draft.faults);
		cat_new_record_read(&draft, &writer, members);
		cat_write_run_hooks(&writer, members, &draft);
		cat_write_update(&writer, &draft);
	}
	PG_FINALLY();
	{
		cat_write_call_leave(&writer);
	}
	PG_END_TRY();
	return cat_write_call_end(&writer, fcinfo, 3);
}
