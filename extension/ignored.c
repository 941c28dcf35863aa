/*
 * ignored.c
 *	  Names in a query that mean nothing: they change nothing, and are told.
 */
#include "catalogue.h"

/* Keep a name that means nothing here, once. */
void
params_ignore(Params *params, const char *name)
{
	if (!words_have(params->ignored, name))
		params->ignored = lappend(params->ignored, pstrdup(name));
}

/* The ignored names as a JSON array, NULL where there are none. */
char *
params_ignored(const Params *params)
{
	StringInfoData out;
	ListCell *cell;

	if (params->ignored == NIL)
		return NULL;
	initStringInfo(&out);
	foreach(cell, params->ignored)
	{
		appendStringInfoChar(&out, out.len ? ',' : '[');
		json_string(&out, lfirst(cell));
	}
	appendStringInfoChar(&out, ']');
	return out.data;
}
