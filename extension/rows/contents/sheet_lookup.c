/*
 * sheet_lookup.c
 *	  The file, sheet and columns of a query on rows.
 */
#include "catalogue.h"

#include "utils/memutils.h"

#include "base/body.h"
#include "rows/contents/contents_internal.h"

static const char sheet_sql[] =
	"SELECT s.id, s.revision, s.number, s.name, s.hidden, s.row_count, s.columns, "
	"s.details #>> '{geography,latitude}', s.details #>> '{geography,longitude}', "
	"s.details #>> '{geography,geometry}', coalesce(s.details ->> 'longGeometries', '0'), "
	"coalesce(s.details ->> 'omittedGeometries', '0') FROM catalogue.sheet s WHERE s.file = $1 AND "
	"s.revision = $2 ";

/* Return the text of a field of the first row; NULL for null. */
static char *
text_of(const Rows *rows, const Selection *selection, const char *name)
{
	return SPI_getvalue(rows->tuples[0], rows->desc,
						cat_rows_column(rows, selection->resource, selection->fields, name) + 1);
}

/* Raise OD409 for a file that is not parsed yet or could not be; state: its parse state. */
void
cat_sheet_lookup_refuse(const char *file, const char *state, const char *reason)
{
	ereport(ERROR, (errcode(OD409),
					errmsg(strcmp(state, "pending") == 0
							   ? "the contents of File \"%s\" are still being read"
							   : "the contents of File \"%s\" could not be read",
						   file),
					errdetail_internal("{\"parseState\":\"%s\",\"parseReason\":%s}", state,
									   cat_json_quoted(reason))));
}

/* Raise the error for a file without contents. */
pg_noreturn static void
refuse_unread(const Rows *rows, const Selection *selection, const char *file)
{
	const char *state = text_of(rows, selection, "parseState");

	if (!state && !text_of(rows, selection, "size"))
		ereport(ERROR, (errcode(OD404), errmsg("File \"%s\" has no contents", file)));
	if (!state)
		ereport(ERROR, (errcode(OD406), errmsg("the type of File \"%s\" is not read", file),
						errhint("Rows are read of csv, tsv, xlsx, ods, xls, geojson, kml, kmz, "
								"gpkg and Shapefiles in a zip.")));
	cat_sheet_lookup_refuse(file, state, text_of(rows, selection, "parseReason"));
}

void
cat_sheet_lookup_file(SheetQuery *sheet_query, const char *file)
{
	const RequestParams *params = sheet_query->params;
	MemoryContext memory = CurrentMemoryContext;
	Selection *selection = cat_selection_all(params->resource, params->actor, false);
	Rows rows = cat_record_named(params, file);
	char *revision;

	if (rows.count == 0)
		ereport(ERROR, (errcode(OD404), errmsg("File \"%s\" does not exist", file)));
	revision = text_of(&rows, selection, "revision");
	if (!revision)
		refuse_unread(&rows, selection, file);
	/* running a statement changes the current memory context */
	MemoryContextSwitchTo(memory);
	sheet_query->file = text_of(&rows, selection, "id");
	sheet_query->revision = strtoll(revision, NULL, 10);
}

/* Return the text of a member; NULL for null and where there is none. */
static char *
member_text(List *members, const char *name)
{
	const Member *member = cat_body_member(members, name);

	return member && member->kind != MEMBER_NULL ? member->text : NULL;
}

/* Read the texts of a column that stand for no value, and how many cells have each: the members of an object. */
static void
read_marks(SheetColumn *column, const Member *object)
{
	CellValue value;
	bool masked = false;

	foreach_ptr(Member, mark, cat_body_members(object->raw, strlen(object->raw)))
	{
		masked |= cat_cell_value(column, mark->name, (int) strlen(mark->name), &value);
		column->marks = lappend(column->marks, mark->name);
		/* in a column of text they are texts like others */
		if (column->nulls >= 0 && column->kind != CELL_TEXT)
			column->nulls += strtoll(mark->raw, NULL, 10);
	}
	column->masked = masked;
}

/* Read a column from its JSON object. */
static void
read_column(SheetColumn *column, const Member *object)
{
	List *members = cat_body_members(object->raw, strlen(object->raw));
	const Member *comma = cat_body_member(members, "decimalComma");
	const Member *marks = cat_body_member(members, "marks");
	const Member *nulls = cat_body_member(members, "nulls");
	char *name = member_text(members, "name");
	char *title = member_text(members, "title");
	const char *type = member_text(members, "type");
	const char *thousands = member_text(members, "thousands");
	size_t size;

	column->name = name ? name : pstrdup("");
	column->title = title ? title : column->name;
	column->kind = cat_cell_kind_named(type ? type : "");
	column->point = comma && strcmp(comma->raw, "true") == 0 ? ',' : '.';
	if (thousands)
		column->thousands = number_thousands(&(NumberText){thousands, strlen(thousands)}, &size);
	column->unit = member_text(members, "unit");
	column->format = member_text(members, "format");
	column->note = member_text(members, "note");
	column->member = psprintf(",%s:", cat_json_quoted(column->name));
	column->nulls = nulls && nulls->kind == MEMBER_NUMBER ? strtoll(nulls->raw, NULL, 10) : -1;
	if (marks && marks->kind == MEMBER_OBJECT)
		read_marks(column, marks);
}

/* The columns that were read last. */
typedef struct KnownColumns
{
	MemoryContext memory; /* holds what follows; NULL: none were */
	const char *json;
	SheetColumn *columns;
	int count;
} KnownColumns;

static KnownColumns known;

/* Return the columns of their JSON, in a memory context of their own. */
static KnownColumns
known_of(const char *json)
{
	KnownColumns read = {.memory = AllocSetContextCreate(CurrentMemoryContext, "columns of a sheet",
														 ALLOCSET_SMALL_SIZES)};
	MemoryContext outer = MemoryContextSwitchTo(read.memory);
	char *copy = pstrdup(json);
	List *objects = cat_body_elements(copy);

	read.json = copy;
	read.count = list_length(objects);
	read.columns = palloc0(sizeof(SheetColumn) * (read.count + 1));
	foreach_ptr(Member, member, objects)
		read_column(&read.columns[foreach_current_index(member)], member);
	MemoryContextSwitchTo(outer);
	return read;
}

/*
 * Set the columns of a sheet from their JSON.
 *
 * The last ones are cached, since a client that reads a page usually reads the next one.  When they
 * are replaced, they live until the end of the transaction, since a cursor may still use them.
 */
static void
read_columns(Sheet *sheet, const char *json)
{
	if (!known.memory || strcmp(known.json, json) != 0)
	{
		KnownColumns read = known_of(json);

		if (known.memory)
			MemoryContextSetParent(known.memory, TopTransactionContext);
		known = read;
		MemoryContextSetParent(known.memory, TopMemoryContext);
	}
	sheet->columns = known.columns;
	sheet->ncolumns = known.count;
}

static Sheet *
read_sheet(HeapTuple tuple, TupleDesc desc)
{
	Sheet *sheet = palloc0(sizeof(Sheet));

	sheet->id = strtoll(SPI_getvalue(tuple, desc, 1), NULL, 10);
	sheet->revision = strtoll(SPI_getvalue(tuple, desc, 2), NULL, 10);
	sheet->number = (int) strtol(SPI_getvalue(tuple, desc, 3), NULL, 10);
	sheet->name = SPI_getvalue(tuple, desc, 4);
	sheet->hidden = *SPI_getvalue(tuple, desc, 5) == 't';
	sheet->rows = strtoll(SPI_getvalue(tuple, desc, 6), NULL, 10);
	read_columns(sheet, SPI_getvalue(tuple, desc, 7));
	for (int i = 0; i < PLACE_COLUMNS; i++)
		sheet->places[i] = SPI_getvalue(tuple, desc, 8 + i);
	sheet->longer = strtoll(SPI_getvalue(tuple, desc, 8 + PLACE_COLUMNS), NULL, 10);
	sheet->omitted = strtoll(SPI_getvalue(tuple, desc, 9 + PLACE_COLUMNS), NULL, 10);
	return sheet;
}

static void
run(const SheetQuery *sheet_query, const char *rest)
{
	MemoryContext memory = CurrentMemoryContext;

	cat_statement_read(psprintf("%s%s", sheet_sql, rest), text_param(sheet_query->file),
					   int8_param(sheet_query->revision),
					   text_param(sheet_query->name ? sheet_query->name : ""));
	MemoryContextSwitchTo(memory);
}

Sheet *
cat_sheet_lookup_default(SheetQuery *sheet_query)
{
	/* the function is called only where the owner of the file has chosen a sheet */
	static const char default_first[] =
		"ORDER BY s.number IS DISTINCT FROM ("
		"SELECT catalogue.sheet_named($1, $2, f.parse_options ->> 'sheet') FROM catalogue.files f "
		"WHERE f.id = $1 AND f.parse_options ->> 'sheet' IS NOT NULL), s.hidden, s.number LIMIT 1";

	run(sheet_query, default_first);
	return SPI_processed > 0 ? read_sheet(SPI_tuptable->vals[0], SPI_tuptable->tupdesc) : NULL;
}

void
cat_sheet_lookup(SheetQuery *sheet_query)
{
	if (!sheet_query->name)
	{
		sheet_query->sheet = cat_sheet_lookup_default(sheet_query);
		if (sheet_query->sheet)
			return;
	}
	else
		run(sheet_query, "AND s.number = (SELECT catalogue.sheet_number($1, $2, $3))");
	if (SPI_processed == 0)
		ereport(ERROR, (errcode(OD404), errmsg("File \"%s\" has no sheets", sheet_query->file)));
	sheet_query->sheet = read_sheet(SPI_tuptable->vals[0], SPI_tuptable->tupdesc);
}

const char *
cat_sheet_lookup_hint(const Sheet *sheet, List *names)
{
	for (int i = 0; i < sheet->ncolumns; i++)
		names = lappend(names, sheet->columns[i].name);
	return cat_query_string_hint(names, "");
}

int
cat_sheet_lookup_column(const Sheet *sheet, const char *name)
{
	for (int i = 0; i < sheet->ncolumns; i++)
		if (strcmp(sheet->columns[i].name, name) == 0)
			return i;
	/* a heading is kept as the file writes it, in whatever form of Unicode */
	name = cat_compose_text(name);
	for (int i = 0; i < sheet->ncolumns; i++)
		if (strcmp(cat_compose_text(sheet->columns[i].name), name) == 0)
			return i;
	return -1;
}
