/*
 * registry_views.c
 *	  Fields, relations and dependents of a resource as rows of the views of those names.
 */
#include "catalogue.h"

#include "funcapi.h"

#include "base/parse_options.h"
#include "registry/registry.h"
#include "registry/registry_internal.h"

#define COLUMNS_MAX 32

/* A row of a view, filled column by column. */
typedef struct ViewRow
{
	int filled;
	Datum values[COLUMNS_MAX];
	bool nulls[COLUMNS_MAX];
} ViewRow;

static void
add(ViewRow *row, Datum value, bool isnull)
{
	row->values[row->filled] = value;
	row->nulls[row->filled++] = isnull;
}

static void
add_text(ViewRow *row, const char *text)
{
	add(row, text ? CStringGetTextDatum(text) : (Datum) 0, text == NULL);
}

static void
add_bool(ViewRow *row, bool value)
{
	add(row, BoolGetDatum(value), false);
}

static void
add_oid(ViewRow *row, Oid oid)
{
	add(row, ObjectIdGetDatum(oid), !OidIsValid(oid));
}

static void
add_number(ViewRow *row, int number)
{
	add(row, Int32GetDatum(number), false);
}

/* Add a limit; 0, which means no limit, becomes null. */
static void
add_limit(ViewRow *row, int limit)
{
	add(row, Int32GetDatum(limit), limit == 0);
}

static void
put(FunctionCallInfo fcinfo, ViewRow *row)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	Assert(row->filled == result->setDesc->natts);
	tuplestore_putvalues(result->setResult, result->setDesc, row->values, row->nulls);
}

static void
put_field(FunctionCallInfo fcinfo, const Field *field)
{
	ViewRow row = {0};

	add_text(&row, field->name);
	add_text(&row, field->column);
	add_number(&row, field->attno);
	add_text(&row, field->type);
	add_bool(&row, field->required);
	add_limit(&row, field->max);
	add_limit(&row, field->limit);
	add(&row, cat_text_array_of_list(field->labels), field->labels == NIL);
	add_text(&row, field->reference);
	add_text(&row, field->domain);
	add_bool(&row, field->read_only);
	add_bool(&row, field->write_only);
	add_bool(&row, field->hidden);
	add_bool(&row, field->internal);
	add_bool(&row, field->reserved);
	add_bool(&row, field->fixed);
	add_bool(&row, field->searchable);
	add_text(&row, field->unless);
	add_bool(&row, field->has_default);
	add_oid(&row, field->type_oid);
	add_oid(&row, field->base_oid);
	add_number(&row, field->typmod);
	add_text(&row, field->element ? field->element->type : NULL);
	add_oid(&row, field->element ? field->element->type_oid : InvalidOid);
	put(fcinfo, &row);
}

/* Return the fields of a table's resource, also if the table is unfit. */
CAT_FUNCTION(catalogue_fields_of)
{
	const Resource *resource = cat_registry_known(PG_GETARG_OID(ARG_FIELDS_OF_RELATION));

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; resource && i < resource->nfields; i++)
		put_field(fcinfo, &resource->fields[i]);
	return (Datum) 0;
}

static void
put_relation(FunctionCallInfo fcinfo, const CatRelation *relation)
{
	static const char *const kinds[] = {[RELATION_TO_ONE] = "to-one",
										[RELATION_ONE_TO_MANY] = "one-to-many",
										[RELATION_MANY_TO_MANY] = "many-to-many"};
	ViewRow row = {0};

	add_text(&row, relation->name);
	add_text(&row, kinds[relation->kind]);
	add_text(&row, relation->target);
	add_text(&row, relation->via);
	add_oid(&row, relation->via_oid);
	add_text(&row, relation->near_name);
	add_text(&row, relation->far_name);
	add_text(&row, psprintf("%c", relation->deletion));
	add_number(&row, relation->position);
	add_bool(&row, relation->owned);
	add_text(&row, relation->list_name);
	add_bool(&row, relation->internal);
	put(fcinfo, &row);
}

/* Return whether the texts of a column are composed; false where there is no such field. */
CAT_FUNCTION(catalogue_is_composed)
{
	Resource *resource =
		cat_registry_find_fit(text_to_cstring(PG_GETARG_TEXT_PP(ARG_IS_COMPOSED_RESOURCE)));
	const Field *field =
		resource ? cat_registry_column(
					   resource, text_to_cstring(PG_GETARG_TEXT_PP(ARG_IS_COMPOSED_COLUMN_NAME)))
				 : NULL;

	PG_RETURN_BOOL(field && field->composed);
}

/* Return the relations of a table's resource. */
CAT_FUNCTION(catalogue_relations_of)
{
	const Resource *resource = cat_registry_known(PG_GETARG_OID(ARG_RELATIONS_OF_RELATION));

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; resource && i < resource->nrelations; i++)
		put_relation(fcinfo, &resource->relations[i]);
	return (Datum) 0;
}

static void
put_dependent(FunctionCallInfo fcinfo, const Dependent *dependent)
{
	ViewRow row = {0};

	add_text(&row, dependent->resource);
	add_bool(&row, dependent->is_join);
	add_bool(&row, dependent->has_status);
	add_text(&row, dependent->table);
	add_text(&row, dependent->column_name);
	add_text(&row, dependent->far_name);
	add_text(&row, dependent->far_table);
	add_text(&row, psprintf("%c", dependent->deletion));
	add_text(&row, dependent->flag_name);
	put(fcinfo, &row);
}

/* Return the foreign keys that refer to a table's resource. */
CAT_FUNCTION(catalogue_dependents_of)
{
	const Resource *resource = cat_registry_known(PG_GETARG_OID(ARG_DEPENDENTS_OF_RELATION));

	InitMaterializedSRF(fcinfo, 0);
	foreach_ptr(Dependent, dependent, resource ? resource->dependents : NIL)
		put_dependent(fcinfo, dependent);
	return (Datum) 0;
}

/* Return the schemas of the options by their names. */
CAT_FUNCTION(catalogue_parse_options_schema)
{
	StringInfo out = makeStringInfo();

	for (size_t i = 0; i < lengthof(parse_options); i++)
		if (parse_options[i].schema)
			appendStringInfo(out, "%c\"%s\":%s", out->len > 0 ? ',' : '{', parse_options[i].name,
							 parse_options[i].schema);
	appendStringInfoChar(out, '}');
	PG_RETURN_TEXT_P(cstring_to_text(out->data));
}
