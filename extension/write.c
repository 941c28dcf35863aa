/*
 * write.c
 *	  create, update.
 */
#include "catalogue.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(catalogue_create);
PG_FUNCTION_INFO_V1(catalogue_update);

/* A record as a client writes it. */
typedef struct Draft
{
	Resource *resource;
	int natts;
	Datum *values; /* by attribute number less one */
	bool *nulls;
	bool *given;
	List **links; /* by relation: ids, where linked */
	bool *linked;
	List *faults;
} Draft;

/* Names of earlier shapes of the interface; used where the resource has no such field now. */
static const struct
{
	const char *earlier;
	const char *now;
} earlier_names[] = {
	{"visibility", "visible"},
	{"category", "categories"},
};

/* Words that a map's basemap took in an earlier shape. */
static const char *const basemap_words[] = {"roadmap", "satellite", "hybrid", "terrain"};

static void
begin_draft(Draft *draft, Resource *resource)
{
	memset(draft, 0, sizeof(*draft));
	draft->resource = resource;
	for (int i = 0; i < resource->nfields; i++)
		draft->natts = Max(draft->natts, resource->fields[i].attno);
	draft->values = palloc0(sizeof(Datum) * draft->natts);
	draft->given = palloc0(sizeof(bool) * draft->natts);
	draft->nulls = palloc(sizeof(bool) * draft->natts);
	memset(draft->nulls, true, sizeof(bool) * draft->natts);
	draft->links = palloc0(sizeof(List *) * (resource->nrelations + 1));
	draft->linked = palloc0(sizeof(bool) * (resource->nrelations + 1));
}

/* The member for a name of now, or for an earlier name of it. */
static Member *
member_for(Resource *resource, List *members, const char *name)
{
	Member *member = body_member(members, name);

	for (size_t i = 0; !member && i < lengthof(earlier_names); i++)
		if (strcmp(earlier_names[i].now, name) == 0 &&
			!registry_field(resource, earlier_names[i].earlier))
			member = body_member(members, earlier_names[i].earlier);
	return member;
}

static bool
is_earlier_word(const Field *field, const Member *member)
{
	if (!field->reference || strcmp(field->reference, "basemaps") != 0 ||
		member->kind != MEMBER_STRING)
		return false;
	for (size_t i = 0; i < lengthof(basemap_words); i++)
		if (strcmp(basemap_words[i], member->text) == 0)
			return true;
	return false;
}

static void
draft_fields(Draft *draft, List *members, const Actor *actor, bool creating)
{
	for (int i = 0; i < draft->resource->nfields; i++)
	{
		const Field *field = &draft->resource->fields[i];
		Member *member = member_for(draft->resource, members, field->name);
		int at = field->attno - 1;

		if (!member || is_earlier_word(field, member) ||
			!permission_writes(actor, draft->resource, field, creating))
			continue;
		convert_member(field, member, &draft->values[at], &draft->nulls[at], &draft->faults);
		draft->given[at] = !creating || member->kind != MEMBER_NULL;
	}
}

/* The record keeps the list of what it is linked with. */
static void
draft_list(Draft *draft, const Field *list, List *ids)
{
	draft->values[list->attno - 1] = texts_of_list(ids);
	draft->nulls[list->attno - 1] = false;
	draft->given[list->attno - 1] = true;
}

static void
draft_links(Draft *draft, List *members, const char *id, bool creating)
{
	for (int i = 0; i < draft->resource->nrelations; i++)
	{
		const CatRelation *relation = &draft->resource->relations[i];
		Member *member;

		if (relation->kind != RELATION_MANY_TO_MANY || !relation->owned)
			continue;
		member = member_for(draft->resource, members, relation->name);
		draft->linked[i] = member != NULL;
		if (member)
			draft->links[i] = link_ids(relation, member, &draft->faults);
		if (member && relation->list)
			draft_list(draft, relation->list, draft->links[i]);
		if (fault_has(draft->faults, relation->name))
			continue;
		if (relation->required && draft->links[i] == NIL && (member || creating))
			fault_add(&draft->faults, relation->name, "required", NULL, "needs at least one id");
		validate_references(relation->name, registry_resource(relation->target),
							relation->condition, id, draft->links[i], &draft->faults);
	}
}

/* The fields of a new record to check: a column default stands for what is not given. */
static bool *
without_defaults(const Draft *draft)
{
	bool *checked = palloc(sizeof(bool) * draft->natts);

	memset(checked, true, sizeof(bool) * draft->natts);
	for (int i = 0; i < draft->resource->nfields; i++)
	{
		const Field *field = &draft->resource->fields[i];

		if (field->has_default && !draft->given[field->attno - 1])
			checked[field->attno - 1] = false;
	}
	return checked;
}

/*
 * Raise what is wrong, if anything is: the faults of the body, and with them
 * what the trigger would find besides.  id: the record that is changed, NULL
 * for a new one.
 */
static void
refuse_faults(Draft *draft, const char *id)
{
	int at = registry_column(draft->resource, "id")->attno - 1;

	if (draft->faults == NIL)
		return;
	if (!id)
		defaults_fill(draft->resource, draft->values, draft->nulls);
	else
	{
		draft->values[at] = CStringGetTextDatum(id);
		draft->nulls[at] = false;
	}
	validate_record(draft->resource, draft->values, draft->nulls,
					id ? draft->given : without_defaults(draft), &draft->faults);
	fault_raise(draft->faults, OD400, NULL);
}

/* Run the statement; a violated unique index is a fault of the record: two writers met. */
static void
run_statement(const Draft *draft, const char *sql, int count, Oid *types, Datum *values,
			  const char *nulls)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		plan_run(sql, count, types, values, nulls, true, 0);
	}
	PG_CATCH();
	{
		List *faults;

		MemoryContextSwitchTo(context);
		faults = validate_caught(draft->resource);
		if (faults == NIL)
			PG_RE_THROW();
		fault_raise(faults, OD400, NULL);
	}
	PG_END_TRY();
}

/* Parameters of a statement that writes the given fields. */
typedef struct Arguments
{
	int count;
	Oid *types;
	Datum *values;
	char *nulls;
} Arguments;

static void
begin_arguments(Arguments *arguments, const Draft *draft)
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
add_field(Arguments *arguments, const Draft *draft, const Field *field)
{
	int at = field->attno - 1;

	return add_argument(arguments, field->type_oid, draft->values[at], draft->nulls[at]);
}

static char *
only_id(void)
{
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
}

static char *
insert_record(const Draft *draft)
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
	run_statement(
		draft,
		columns.len ? psprintf("INSERT INTO %s (%s) VALUES (%s) RETURNING id::text",
							   resource->table, columns.data, places.data)
					: psprintf("INSERT INTO %s DEFAULT VALUES RETURNING id::text", resource->table),
		arguments.count, arguments.types, arguments.values, arguments.nulls);
	return only_id();
}

/* Change the record; OD404 where it does not live.  updated_at moves even if nothing is given. */
static void
update_record(const Draft *draft, const char *id)
{
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
	run_statement(
		draft,
		psprintf("UPDATE %s SET %s WHERE id = $%d AND deleted_at IS NULL RETURNING id::text",
				 resource->table, sets.len ? sets.data : "updated_at = updated_at",
				 arguments.count),
		arguments.count, arguments.types, arguments.values, arguments.nulls);
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(OD404), errmsg("%s \"%s\" does not exist", resource->model, id)));
}

/* The status that the body gives, NULL for none. */
static const char *
given_status(const Draft *draft)
{
	const Field *status = registry_column(draft->resource, "status");

	if (!status || !status->reference || strcmp(status->reference, "statuses") != 0 ||
		!draft->given[status->attno - 1] || draft->nulls[status->attno - 1])
		return NULL;
	return TextDatumGetCString(draft->values[status->attno - 1]);
}

static void
write_links(const Draft *draft, const char *id,
			void (*write)(const CatRelation *, const char *, List *))
{
	for (int i = 0; i < draft->resource->nrelations; i++)
		if (draft->linked[i])
			write(&draft->resource->relations[i], id, draft->links[i]);
}

static List *
read_body(FunctionCallInfo fcinfo, int number)
{
	text *body;

	if (PG_ARGISNULL(number))
		ereport(ERROR, (errcode(OD400), errmsg("a body is needed")));
	body = PG_GETARG_TEXT_PP(number);
	return body_members(VARDATA_ANY(body), VARSIZE_ANY_EXHDR(body));
}

Datum
catalogue_create(PG_FUNCTION_ARGS)
{
	Writer writer;
	List *members;
	Draft draft;

	writer_begin(&writer, fcinfo, "create", 4);
	PG_TRY();
	{
		members = read_body(fcinfo, 1);
		begin_draft(&draft, writer.resource);
		draft_fields(&draft, members, &writer.actor, true);
		draft_links(&draft, members, "", true);
		refuse_faults(&draft, NULL);
		state_require(&writer, given_status(&draft));
		writer.id = insert_record(&draft);
		write_links(&draft, writer.id, link_write);
		permission_require_written(&writer.actor, writer.resource, writer.action, writer.id);
	}
	PG_FINALLY();
	{
		actor_set(NULL);
	}
	PG_END_TRY();
	return writer_end(&writer, fcinfo, 2);
}

Datum
catalogue_update(PG_FUNCTION_ARGS)
{
	Writer writer;
	List *members;
	Draft draft;

	writer_begin(&writer, fcinfo, "update", 5);
	PG_TRY();
	{
		writer_target(&writer, fcinfo, 6);
		members = read_body(fcinfo, 2);
		begin_draft(&draft, writer.resource);
		user_check_own_password(&writer, members, &draft.faults);
		draft_fields(&draft, members, &writer.actor, false);
		draft_links(&draft, members, writer.id, false);
		refuse_faults(&draft, writer.id);
		state_require(&writer, given_status(&draft));
		update_record(&draft, writer.id);
		write_links(&draft, writer.id, link_replace);
		permission_require_written(&writer.actor, writer.resource, writer.action, writer.id);
	}
	PG_FINALLY();
	{
		actor_set(NULL);
	}
	PG_END_TRY();
	return writer_end(&writer, fcinfo, 3);
}
