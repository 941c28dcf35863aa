/*
 * visual_source.c
 *	  The rows that a map or chart is made from, and the columns of its record.
 */
#include "catalogue.h"

#include "access/xact.h"

#include "base/body.h"
#include "rows/visuals/visuals_internal.h"

/* Return the value of a column as text, NULL for null. */
char *
cat_visual_source_text(const Made *made, const char *column)
{
	const Field *field = cat_registry_column(made->resource, column);

	return !field || made->nulls[field->attno - 1]
			   ? NULL
			   : TextDatumGetCString(made->values[field->attno - 1]);
}

void
cat_visual_source_set(const Made *made, const char *column, Datum value)
{
	const Field *field = cat_registry_column(made->resource, column);

	/* the tables of an earlier version may not have it yet */
	if (!field)
		return;
	made->values[field->attno - 1] = value;
	made->nulls[field->attno - 1] = false;
}

void
cat_visual_source_null(const Made *made, const char *column)
{
	const Field *field = cat_registry_column(made->resource, column);

	if (field)
		made->nulls[field->attno - 1] = true;
}

/*
 * Return the number of the contents of a file; 0 if it has none.  While the file is being read the
 * columns are not known, and strict handling ends: the record is made again then.
 *
 * The file is locked, so that new contents are published only after the record was written, and
 * the record is then made again.  Calls have locked it before the record
 * (cat_reference_lock_parents()).
 */
static int64
lock_contents(Made *made, const char *file)
{
	char *state;

	cat_statement_fresh("SELECT f.revision, f.parse_state::text, f.parse_reason::text "
						"FROM catalogue.files f WHERE f.id = $1 AND f.deleted_at IS NULL FOR SHARE",
						text_param(file));
	if (SPI_processed == 0)
		return 0;
	state = cat_result_text(2);
	if (state && strcmp(state, "pending") == 0)
	{
		made->strict = false;
		made->errors = palloc0(sizeof(List *));
	}
	else if (!cat_result_text(1) && state && made->strict)
		cat_sheet_lookup_refuse(file, state, cat_result_text(3));
	return cat_result_int64(1);
}

/*
 * Return the default sheet of the file that a column of the record names, with no column shown; NULL if the file
 * has no contents.
 *
 * Raises OD409 under strict handling if the file could not be parsed.
 */
SheetQuery *
cat_visual_source_rows(Made *made, const char *column)
{
	SheetQuery *asked = palloc0(sizeof(SheetQuery));

	asked->file = cat_visual_source_text(made, column);
	asked->revision = lock_contents(made, asked->file);
	if (asked->revision == 0)
		return NULL;
	asked->sheet = cat_sheet_lookup_default(asked);
	if (!asked->sheet)
		return NULL;
	asked->shown = palloc0(sizeof(bool) * (asked->sheet->ncolumns + 1));
	return asked;
}

/* Return the names of the columns of a sheet, separated by commas. */
static char *
column_names(const Sheet *sheet)
{
	StringInfo out = makeStringInfo();

	for (int i = 0; i < sheet->ncolumns; i++)
		appendStringInfo(out, "%s\"%s\"", i > 0 ? ", " : "", sheet->columns[i].name);
	return out->data;
}

/* Return the number of a column of the sheet; -1 if there is none. */
int
cat_visual_source_column(const Made *made, const SheetQuery *asked, const char *field,
						 const char *name)
{
	int column = cat_sheet_lookup_column(asked->sheet, name);

	if (column < 0)
		cat_validation_error_add(
			made->errors, field, "reference", cat_validation_error_value(name),
			psprintf("is no column of the file, which has %s", column_names(asked->sheet)));
	return column;
}

/* Return the elements of a JSON array as texts, List of char *; NIL for null. */
List *
cat_visual_source_names(const char *json)
{
	List *names = NIL;

	if (!json)
		return NIL;
	foreach_ptr(const Member, member, cat_body_elements(json))
		names = lappend(names, member->text ? member->text : member->raw);
	return names;
}
