/*
 * field_name.c
 *	  Names of fields, and qualified names of tables.
 */
#include "catalogue.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "registry/registry_internal.h"

PG_FUNCTION_INFO_V1(catalogue_camel);
PG_FUNCTION_INFO_V1(catalogue_qualified_name);

/* Return the lowerCamelCase name of a column, palloc'd: created_by becomes createdBy. */
char *
cat_name_camel(const char *column)
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

Datum
catalogue_camel(PG_FUNCTION_ARGS)
{
	char *column = text_to_cstring(PG_GETARG_TEXT_PP(0));

	PG_RETURN_TEXT_P(cstring_to_text(cat_name_camel(column)));
}

/* Return the qualified and quoted name of a table, palloc'd; NULL if there is no such table. */
char *
cat_name_of_table(Oid relid)
{
	char *name = get_rel_name(relid);
	char *schema = name ? get_namespace_name(get_rel_namespace(relid)) : NULL;

	return schema ? quote_qualified_identifier(schema, name) : NULL;
}

Datum
catalogue_qualified_name(PG_FUNCTION_ARGS)
{
	char *name = cat_name_of_table(PG_GETARG_OID(0));

	if (!name)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(name));
}
