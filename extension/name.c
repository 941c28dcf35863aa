/*
 * name.c
 *	  Names of columns and names of fields.
 */
#include "catalogue.h"

#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(catalogue_camel);

/* The lowerCamelCase name of a column, palloc'd: created_by gives createdBy. */
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

Datum
catalogue_camel(PG_FUNCTION_ARGS)
{
	char *column = text_to_cstring(PG_GETARG_TEXT_PP(0));

	PG_RETURN_TEXT_P(cstring_to_text(camel(column)));
}
