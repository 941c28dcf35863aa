/*
 * registry_names.c
 *	  Names of columns, tables and types in the definition, and the kinds of fields.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "registry/registry.h"
#include "registry/registry_internal.h"

/* Return the lowerCamelCase name of a column, palloc'd: created_by becomes createdBy. */
static char *
camel(const char *column)
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
	char *column = text_to_cstring(PG_GETARG_TEXT_PP(0));

	PG_RETURN_TEXT_P(cstring_to_text(camel(column)));
}

/* Return the qualified and quoted name of a table, palloc'd; NULL if there is no such table. */
char *
cat_name_of_table(Oid relid)
{
	char *name = get_rel_name(relid);
	char *schema = name ? get_namespace_name(get_rel_namespace(relid)) : NULL;

	return schema ? quote_qualified_identifier(schema, name) : NULL;
}

CAT_FUNCTION(catalogue_qualified_name)
{
	char *name = cat_name_of_table(PG_GETARG_OID(0));

	if (!name)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(name));
}

typedef struct NamedWord
{
	const char *name;
	const char *word;
	bool domain; /* only if the type of that name is a domain */
} NamedWord;

typedef struct BaseWord
{
	Oid base;
	const char *word;
} BaseWord;

/* Types that are recognized by name, in any schema. */
static const NamedWord named[] = {
	{"email", "email", true},
	{"password", "string", true},
	{"secret", "string", true},
	{"json_array", "array", false},
};

/* Types that are recognized by OID, also as base types of domains. */
static const BaseWord based[] = {
	{JSONOID, "json"},		{JSONBOID, "json"},			  {BOOLOID, "boolean"},
	{INT2OID, "integer"},	{INT4OID, "integer"},		  {INT8OID, "integer"},
	{NUMERICOID, "number"}, {FLOAT4OID, "number"},		  {FLOAT8OID, "number"},
	{DATEOID, "date"},		{TIMESTAMPTZOID, "datetime"}, {TIMESTAMPOID, "datetime"},
};

/* Return the type name for a type that is recognized by its name, or NULL. */
static const char *
word_of_name(const char *name, bool is_domain)
{
	for (size_t i = 0; i < lengthof(named); i++)
		if (strcmp(named[i].name, name) == 0 && (is_domain || !named[i].domain))
			return named[i].word;
	return NULL;
}

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
	Oid type = PG_GETARG_OID(0);

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
	const char *word;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	form = (Form_pg_type) GETSTRUCT(tuple);
	word = word_of_name(NameStr(form->typname), form->typtype == TYPTYPE_DOMAIN);
	ReleaseSysCache(tuple);
	return word ? word : word_of_base(getBaseType(type));
}

CAT_FUNCTION(catalogue_type_word)
{
	const char *word = type_word(PG_GETARG_OID(0));

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

/* Return the element of a list field, NULL if the field is not a list. */
static Field *
element_of(const Field *field, const char *type, Oid oid)
{
	Field *element;

	if (!type)
		return NULL;
	element = palloc0(sizeof(Field));
	element->name = field->name;
	element->type = unconstify(char *, type);
	element->type_oid = element->base_oid = oid;
	element->typmod = -1;
	element->labels = field->labels;
	element->is_element = true;
	element->kind = kind_of(type, oid, false, field->labels != NIL);
	return element;
}

/*
 * Set the kind of a field, and for a list also its element.
 *
 * items: name of the element type in the definition, NULL if the field is not a list; oid: the
 * element type.
 */
void
cat_registry_set_kind(Field *field, const char *items, Oid oid)
{
	bool is_id = field->reference || strcmp(field->column, "id") == 0;

	field->element = element_of(field, items, oid);
	field->kind = field->element
					  ? FIELD_LIST
					  : kind_of(field->type, field->base_oid, is_id, field->labels != NIL);
}
