/*
 * registry_fields.c
 *	  Fields of a resource: names, types and kinds, from the columns of its table.
 */
#include "catalogue.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_collation_d.h"
#include "catalog/pg_enum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "pg/pg.h"
#include "registry/registry.h"
#include "registry/registry_internal.h"

/* Return the lowerCamelCase name of a column, palloc'd: created_by becomes createdBy. */
char *
cat_registry_fields_camel(const char *column)
{
	char *name = palloc(strlen(column) + 1);
	char *out = name;

	for (const char *in = column; *in; in++)
	{
		if (*in == '_' && in != column && in[1] >= 'a' && in[1] <= 'z')
			*out++ = pg_toupper((unsigned char) *++in);
		else
			*out++ = *in;
	}
	*out = '\0';
	return name;
}

CAT_FUNCTION(catalogue_camel)
{
	char *column = text_to_cstring(PG_GETARG_TEXT_PP(ARG_CAMEL_NAME));

	PG_RETURN_TEXT_P(cstring_to_text(cat_registry_fields_camel(column)));
}

/* Return the qualified and quoted name of a table, palloc'd; NULL if there is no such table. */
char *
cat_registry_fields_table_name(Oid relid)
{
	char *name = get_rel_name(relid);
	char *schema = name ? get_namespace_name(get_rel_namespace(relid)) : NULL;

	return schema ? quote_qualified_identifier(schema, name) : NULL;
}

CAT_FUNCTION(catalogue_qualified_name)
{
	char *name = cat_registry_fields_table_name(PG_GETARG_OID(ARG_QUALIFIED_NAME_RELATION));

	if (!name)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(name));
}

/* Properties of a field that follow from the name of its column or type. */
typedef struct NameRule
{
	const char *name;
	bool optional;	/* never required */
	bool read_only; /* set by the service */
	bool hidden;	/* never shown */
	bool write_only;
	bool internal;	  /* not shown to outsiders */
	bool fixed;		  /* not changed after creation */
	const char *word; /* of a type, in any schema: its name in the definition */
	bool domain;	  /* only if the type is a domain */
} NameRule;

static const NameRule no_rule;

static const NameRule column_rules[] = {
	{"id", .optional = true, .read_only = true},
	{"created_at", .optional = true, .read_only = true},
	{"updated_at", .optional = true, .read_only = true},
	{"deleted_at", .read_only = true, .internal = true},
	{"deactivated_at", .read_only = true, .hidden = true},
	{"slug", .read_only = true},
	{"created_by", .fixed = true},
	{"updated_by", .fixed = true},
};

/* Hidden and write-only apply only if the type is a domain. */
static const NameRule type_rules[] = {
	{"email", .word = "email", .domain = true},
	{"json_array", .word = "array"},
	{"password", .word = "string", .domain = true, .hidden = true, .write_only = true},
	{"secret", .word = "string", .domain = true, .hidden = true, .write_only = true},
	{"id_list", .optional = true, .read_only = true, .hidden = true},
	{"birth", .read_only = true, .hidden = true},
	{"least_access", .read_only = true, .hidden = true},
	{"session_start", .optional = true, .read_only = true, .hidden = true},
	{"shown", .optional = true, .read_only = true, .hidden = true},
};

static const NameRule *
rule_of(const NameRule *rules, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(rules[i].name, name) == 0)
			return &rules[i];
	return &no_rule;
}

typedef struct BaseWord
{
	Oid base;
	const char *word;
} BaseWord;

/* Types that are recognized by OID, also as base types of domains. */
static const BaseWord based[] = {
	{JSONOID, "json"},		{JSONBOID, "json"},			  {BOOLOID, "boolean"},
	{INT2OID, "integer"},	{INT4OID, "integer"},		  {INT8OID, "integer"},
	{NUMERICOID, "number"}, {FLOAT4OID, "number"},		  {FLOAT8OID, "number"},
	{DATEOID, "date"},		{TIMESTAMPTZOID, "datetime"}, {TIMESTAMPOID, "datetime"},
};

/* Return the type name for a base type. */
static const char *
word_of_base(Oid base)
{
	char category;
	bool preferred;

	for (size_t i = 0; i < lengthof(based); i++)
		if (based[i].base == base)
			return based[i].word;
	get_type_category_preferred(base, &category, &preferred);
	return category == TYPCATEGORY_ARRAY ? "array" : "string";
}

/* Return the base type of a domain, or the type itself; null if there is no such type. */
CAT_FUNCTION(catalogue_base_type)
{
	Oid type = PG_GETARG_OID(ARG_BASE_TYPE_TYPE);

	if (!SearchSysCacheExists1(TYPEOID, ObjectIdGetDatum(type)))
		PG_RETURN_NULL();
	PG_RETURN_OID(getBaseType(type));
}

/* Return the definition's name for a type, a constant string; NULL if there is no such type. */
static const char *
type_word(Oid type)
{
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	Form_pg_type form;
	const NameRule *rule;
	const char *word;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	form = (Form_pg_type) GETSTRUCT(tuple);
	rule = rule_of(type_rules, lengthof(type_rules), NameStr(form->typname));
	word = rule->domain && form->typtype != TYPTYPE_DOMAIN ? NULL : rule->word;
	ReleaseSysCache(tuple);
	return word ? word : word_of_base(getBaseType(type));
}

CAT_FUNCTION(catalogue_type_word)
{
	const char *word = type_word(PG_GETARG_OID(ARG_TYPE_WORD_TYPE));

	if (!word)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(word));
}

/* Field kinds by the type in the definition. */
static const struct
{
	const char *type;
	FieldKind kind;
} kinds[] = {
	{"string", FIELD_TEXT},		{"email", FIELD_TEXT},	  {"boolean", FIELD_BOOLEAN},
	{"integer", FIELD_INTEGER}, {"number", FIELD_NUMBER}, {"datetime", FIELD_DATETIME},
	{"date", FIELD_DATE},		{"json", FIELD_JSON},	  {"array", FIELD_ARRAY},
};

static FieldKind
kind_of(const char *type, Oid base, bool is_id, bool is_enum)
{
	if (is_id)
		return FIELD_ID;
	if (is_enum)
		return FIELD_ENUM;
	for (size_t i = 0; i < lengthof(kinds); i++)
		if (strcmp(kinds[i].type, type) == 0)
		{
			if (kinds[i].kind == FIELD_TEXT && base != TEXTOID && base != VARCHAROID &&
				base != BPCHAROID)
				return FIELD_OTHER;
			if (kinds[i].kind == FIELD_ARRAY && base != JSONOID && base != JSONBOID)
				return FIELD_OTHER;
			if (kinds[i].kind == FIELD_DATETIME && base != TIMESTAMPTZOID)
				return FIELD_OTHER;
			return kinds[i].kind;
		}
	return FIELD_OTHER;
}

/* Return the element of a list field. */
static Field *
element_of(const Field *field, const char *type, Oid oid)
{
	Field *element = palloc0(sizeof(Field));

	element->name = field->name;
	element->type = unconstify(char *, type);
	element->type_oid = element->base_oid = oid;
	element->typmod = -1;
	element->labels = field->labels;
	element->is_element = true;
	element->kind = kind_of(type, oid, false, field->labels != NIL);
	return element;
}

/* Return the labels of an enumeration in their order, NIL for other types. */
static List *
labels_of(Oid type)
{
	List *labels = NIL;
	Relation enums, index;
	SysScanDesc scan;
	ScanKeyData key;
	HeapTuple tuple;

	if (get_typtype(type) != TYPTYPE_ENUM)
		return NIL;
	enums = table_open(EnumRelationId, AccessShareLock);
	index = index_open(EnumTypIdSortOrderIndexId, AccessShareLock);
	ScanKeyInit(&key, Anum_pg_enum_enumtypid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(type));
	scan = systable_beginscan_ordered(enums, index, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
		labels = lappend(labels, pstrdup(NameStr(((Form_pg_enum) GETSTRUCT(tuple))->enumlabel)));
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	table_close(enums, AccessShareLock);
	return labels;
}

/*
 * Return the maximum length in characters, from the type modifiers of column and domain; 0 for no
 * limit.
 */
static int
longest(Oid base, int32 column, int32 domain)
{
	int32 typmod = Max(column, domain);

	if ((base != VARCHAROID && base != BPCHAROID) || typmod < (int32) VARHDRSZ)
		return 0;
	return typmod - (int32) VARHDRSZ;
}

/* Read the type of a field; return the rule for the type's name. */
static const NameRule *
load_type(Field *field, Form_pg_attribute column)
{
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(column->atttypid));
	Form_pg_type type;
	const NameRule *rule;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", column->atttypid);
	type = (Form_pg_type) GETSTRUCT(tuple);
	if (type->typtype == TYPTYPE_DOMAIN)
		field->domain = pstrdup(NameStr(type->typname));
	field->type_oid = column->atttypid;
	field->base_oid = getBaseType(column->atttypid);
	field->typmod = column->atttypmod;
	field->max = longest(field->base_oid, column->atttypmod, type->typtypmod);
	rule = rule_of(type_rules, lengthof(type_rules), NameStr(type->typname));
	ReleaseSysCache(tuple);
	field->type = pstrdup(type_word(field->type_oid));
	return rule;
}

/* Read the labels of an enumeration and the element type of an array; set the field's kind. */
static void
load_values(Field *field)
{
	Oid item = InvalidOid;
	bool is_id = field->reference || strcmp(field->column, "id") == 0;
	bool is_array = get_typsubscript(field->base_oid, &item) == F_ARRAY_SUBSCRIPT_HANDLER;

	if (is_array)
		item = getBaseType(item);
	field->labels = labels_of(is_array ? item : field->base_oid);
	if (is_array)
		field->element = element_of(field, pstrdup(type_word(item)), item);
	field->kind =
		is_array ? FIELD_LIST : kind_of(field->type, field->base_oid, is_id, field->labels != NIL);
}

/*
 * Read the properties that follow from the names of column and type, and from the resource's row.
 */
static void
load_rules(Field *field, Form_pg_attribute column, const NameRule *by_type,
		   const Resource *resource, const Definition *definition)
{
	const NameRule *by_name = rule_of(column_rules, lengthof(column_rules), field->column);
	bool generated = column->attgenerated != '\0';
	char *limit = cat_registry_load_text(definition->limits, field->column);

	field->unless = cat_registry_load_text(definition->unless, field->column);
	field->condition = cat_registry_load_text(definition->conditions, field->column);
	field->limit = limit ? pg_strtoint32(limit) : 0;
	field->required = (column->attnotnull || field->unless) && !generated &&
					  column->attidentity == '\0' && !by_name->optional && !by_type->optional;
	field->has_default = column->atthasdef && !generated;
	field->read_only = generated || column->attidentity == ATTRIBUTE_IDENTITY_ALWAYS ||
					   by_name->read_only || by_type->read_only ||
					   cat_query_string_has_word(resource->kept, field->column);
	field->write_only = field->domain && by_type->write_only;
	field->hidden = by_name->hidden || (field->domain && by_type->hidden);
	field->internal |= by_name->internal;
	field->fixed = by_name->fixed || cat_query_string_has_word(definition->fixed, field->column);
	field->reserved = cat_query_string_has_word(definition->reserved, field->column);
	field->searchable = cat_query_string_has_word(definition->searchable, field->column);
}

static void
load_field(Field *field, Form_pg_attribute column, const Resource *resource,
		   const Definition *definition)
{
	const Exposed *target =
		cat_registry_relations_reference(definition, resource->relid, column->attnum);
	const NameRule *by_type;

	field->column = pstrdup(NameStr(column->attname));
	field->quoted = pstrdup(quote_identifier(field->column));
	field->collated =
		OidIsValid(column->attcollation) && column->attcollation != DEFAULT_COLLATION_OID;
	field->name = cat_registry_fields_camel(field->column);
	field->member = cat_registry_load_member(field->name, &field->member_length);
	field->attno = column->attnum;
	field->reference = target ? pstrdup(target->name) : NULL;
	field->internal = target && target->private;
	field->closed = target ? target->closed : 0;
	by_type = load_type(field, column);
	load_rules(field, column, by_type, resource, definition);
	load_values(field);
	field->color = field->domain && strcmp(field->domain, "color") == 0;
	/* Whether a field contains addresses. */
	field->address = field->domain && (strcmp(field->domain, "web_address") == 0 ||
									   strcmp(field->domain, "service_address") == 0);
	field->strict = field->domain && cat_bulk_insert_refuses_null(field->type_oid);
}

/* Mark the slug of a resource whose slugs are made of names. */
static void
note_slug(Resource *resource)
{
	Field *slug = cat_registry_column(resource, "slug");
	const Field *name = cat_registry_column(resource, "name");

	if (slug && name)
		slug->slug = slug->kind == FIELD_TEXT && name->kind == FIELD_TEXT;
}

/* Return whether a field is called by its column: "name", "first_name". */
static bool
is_name(const Field *field)
{
	size_t length = strlen(field->column);

	return strcmp(field->column, "name") == 0 ||
		   (length > 5 && strcmp(field->column + length - 5, "_name") == 0);
}

static bool
is_unique(const Resource *resource, const Field *field)
{
	foreach_ptr(const UniqueKey, key, resource->unique_keys)
		if (list_member_int(key->fields, (int) (field - resource->fields)))
			return true;
	return false;
}

/* Mark the fields that are composed: names, searched texts and texts that are unique among the
 * living.  Passwords, secrets and addresses, also of e-mail, are stored as they are given. */
void
cat_registry_fields_mark_composed(Resource *resource)
{
	for (int i = 0; i < resource->nfields; i++)
	{
		Field *field = &resource->fields[i];
		const Field *text = field->kind == FIELD_LIST ? field->element : field;

		field->composed = text->kind == FIELD_TEXT && !field->address && !field->hidden &&
						  !field->write_only && strcmp(field->type, "email") != 0 &&
						  (field->searchable || is_name(field) || is_unique(resource, field));
		if (field->element)
			field->element->composed = field->composed;
	}
}

/* Read the fields of a resource from its tuple descriptor. */
void
cat_registry_fields_load(Resource *resource, const Definition *definition)
{
	resource->fields = palloc0(sizeof(Field) * resource->desc->natts);
	for (int i = 0; i < resource->desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(resource->desc, i);

		if (!column->attisdropped)
			load_field(&resource->fields[resource->nfields++], column, resource, definition);
	}
	note_slug(resource);
}
