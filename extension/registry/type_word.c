/*
 * type_word.c
 *	  Types in the definition: base types and JSON type names.
 */
#include "catalogue.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "registry/registry_internal.h"

PG_FUNCTION_INFO_V1(catalogue_base_type);
PG_FUNCTION_INFO_V1(catalogue_type_word);

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
Datum
catalogue_base_type(PG_FUNCTION_ARGS)
{
	Oid type = PG_GETARG_OID(0);

	if (!SearchSysCacheExists1(TYPEOID, ObjectIdGetDatum(type)))
		PG_RETURN_NULL();
	PG_RETURN_OID(getBaseType(type));
}

/* Return the definition's name for a type, a constant string; NULL if there is no such type. */
const char *
cat_type_word(Oid type)
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

Datum
catalogue_type_word(PG_FUNCTION_ARGS)
{
	const char *word = cat_type_word(PG_GETARG_OID(0));

	if (!word)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(word));
}
