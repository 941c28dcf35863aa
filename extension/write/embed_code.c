/*
 * embed_code.c
 *	  The code by which a page shows the picture of a chart or map.
 *
 * The service gives the code to a record with a file that has none of its client's.  The code
 * follows the name of the record, and is kept where a client has written another one.
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"

#include "rows/pictures/pictures.h"
#include "write/write_internal.h"

#define BEGIN "<img src=\""
#define MIDDLE "\" alt=\""
#define END "\">"

/* Resources whose records have a picture at the sub-path "image". */
static const char *const drawn[] = {"charts", "maps", NULL};

/* Return the text of a column; NULL for null, and if there is no such column. */
static char *
text_of(Resource *resource, const char *column, const Datum *values, const bool *nulls)
{
	const Field *field = cat_registry_column(resource, column);

	return !field || nulls[field->attno - 1] ? NULL : TextDatumGetCString(values[field->attno - 1]);
}

/* Append as many characters of a name as there is room for in the column. */
static void
append_name(StringInfo out, const char *name, int most)
{
	int length;

	for (; *name; name += length)
	{
		int before = out->len;

		length = pg_mblen(name);
		cat_svg_text(out, pnstrdup(name, (Size) length));
		if (pg_mbstrlen(out->data) + (int) strlen(END) > most)
		{
			out->len = before;
			out->data[before] = '\0';
			return;
		}
	}
}

/*
 * Return the code of a record; NULL if it has no file, or if the address is too long.
 *
 * base: address of the service, as text of HTML.
 */
static char *
make_code(Resource *resource, const char *base, const Datum *values, const bool *nulls)
{
	const Field *field = cat_registry_column(resource, "embed_code");
	const char *id = text_of(resource, "id", values, nulls);
	const char *name = text_of(resource, "name", values, nulls);
	StringInfoData out;

	if (!text_of(resource, "file", values, nulls) || !id)
		return NULL;
	initStringInfo(&out);
	appendStringInfo(&out, BEGIN "%s/%s/%s/image" MIDDLE, base, resource->name, id);
	if (field->max > 0 && pg_mbstrlen(out.data) + (int) strlen(END) > field->max)
		return NULL;
	append_name(&out, name ? name : "", field->max > 0 ? field->max : INT_MAX);
	appendStringInfoString(&out, END);
	return out.data;
}

/* Return the address of the service in the code that it gave a record; NULL for another code. */
static char *
base_of(Resource *resource, const char *code, const Datum *values, const bool *nulls)
{
	const char *id = text_of(resource, "id", values, nulls);
	const char *end = strstr(code, psprintf("/%s/%s/image" MIDDLE, resource->name, id));
	char *base;
	char *made;

	if (!end || strncmp(code, BEGIN, strlen(BEGIN)) != 0 || end < code + strlen(BEGIN))
		return NULL;
	code += strlen(BEGIN);
	base = pnstrdup(code, (Size) (end - code));
	made = make_code(resource, base, values, nulls);
	return made && strcmp(made, code - strlen(BEGIN)) == 0 ? base : NULL;
}

/* Return the address at which the present call was received, as text of HTML; NULL for none. */
static char *
base_of_call(void)
{
	const Actor *actor = cat_security_context_actor();
	StringInfoData out;

	if (!actor || !actor->base)
		return NULL;
	initStringInfo(&out);
	cat_svg_text(&out, actor->base);
	return out.data;
}

/*
 * Give a record its code if it has none, and make the code again that the service gave.
 *
 * old_values, old_nulls: the record before an update, NULL for a new one; changed: the columns that
 * the statement changes.
 */
void
cat_embed_code_fill(Resource *resource, const Datum *old_values, const bool *old_nulls,
					Datum *values, bool *nulls, const bool *changed)
{
	const Field *field = cat_query_string_is_among(resource->name, drawn)
							 ? cat_registry_column(resource, "embed_code")
							 : NULL;
	char *base = NULL;
	char *code;

	if (!field || field->kind != FIELD_TEXT)
		return;
	if (nulls[field->attno - 1])
		base = base_of_call();
	else if (old_values && !changed[field->attno - 1])
		base = base_of(resource, text_of(resource, "embed_code", old_values, old_nulls), old_values,
					   old_nulls);
	if (!base)
		return;
	code = make_code(resource, base, values, nulls);
	nulls[field->attno - 1] = code == NULL;
	if (code)
		values[field->attno - 1] = CStringGetTextDatum(code);
}
