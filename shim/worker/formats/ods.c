/*
 * ods.c - an OpenDocument spreadsheet: one part with all sheets.
 *
 * Repeated rows and cells are written once with a repeat count.  Each sheet ends with many empty
 * ones, which are skipped.
 */
#include <ctype.h>

#include "formats/book.h"

typedef struct OdsCell
{
	Buffer *text;			   /* its value, or its displayed text */
	char shown[VALUE_MAXIMUM]; /* the displayed text of a number */
	size_t shown_length;
	unsigned repeated;
	unsigned skipped; /* open elements whose text is not that of the cell: notes, drawings */
	unsigned paragraphs;
	char type;		  /* first letter of the type; 'l': boolean */
	bool there;		  /* not empty */
	bool valued;	  /* the value is in the attributes */
	unsigned columns; /* of the merged range that begins here */
	uint64_t rows;
	bool open;	 /* in a paragraph */
	bool spaced; /* the last character is a space: more spaces are collapsed */
} OdsCell;

/*
 * ---- A cell: its value, or its text ----
 *
 * Numbers, dates and booleans have their value in attributes; their paragraphs are the displayed
 * text, which is taken of numbers whose format has all digits of a code, such as 00000.  White space in
 * paragraphs is collapsed as in HTML; more spaces are written as elements.
 */

/* For an error the value is an empty text; the paragraph has its name. */
static bool
is_error(const char **attributes)
{
	for (; *attributes != NULL; attributes += 2)
		if (strcmp(attributes[0], "calcext:value-type") == 0 && strcmp(attributes[1], "error") == 0)
			return true;
	return false;
}

static void
set_boolean(OdsCell *cell, const char *value)
{
	cell->type = 'l';
	cell->text->length = 0;
	buffer_text(cell->text, value);
}

static void
ods_cell_start(OdsCell *cell, const char **attributes, Buffer *text)
{
	static const struct
	{
		const char *type;
		const char *attribute;
	} values[] = {{"float", "value"},		 {"percentage", "value"}, {"currency", "value"},
				  {"date", "date-value"},	 {"time", "time-value"},  {"boolean", "boolean-value"},
				  {"string", "string-value"}};
	const char *type = xml_attribute(attributes, "value-type");
	const char *formula = xml_attribute(attributes, "formula");
	const char *value = NULL;

	*cell = (OdsCell){.text = text, .repeated = 1, .there = is_error(attributes)};
	text->length = 0;
	cell->repeated = (unsigned) xml_number(xml_attribute(attributes, "number-columns-repeated"),
										   BOOK_COLUMNS, 1);
	cell->columns =
		(unsigned) xml_number(xml_attribute(attributes, "number-columns-spanned"), BOOK_COLUMNS, 1);
	cell->rows = xml_number(xml_attribute(attributes, "number-rows-spanned"), BOOK_ROWS, 1);
	for (size_t i = 0; type != NULL && !cell->there && i < lengthof(values); i++)
	{
		if (strcmp(values[i].type, type) != 0)
			continue;
		value = xml_attribute(attributes, values[i].attribute);
		cell->type = *type;
		cell->there = true;
	}
	if (type != NULL && strcmp(type, "boolean") == 0)
		cell->type = 'l';
	if (value == NULL)
		return;
	cell->valued = true;
	buffer_text(text, value);
	/* LibreOffice and GDAL write booleans as formulas that are numbers */
	if (cell->type == 'f' && formula != NULL && strcmp(formula, "of:=TRUE()") == 0)
		set_boolean(cell, "true");
	else if (cell->type == 'f' && formula != NULL && strcmp(formula, "of:=FALSE()") == 0)
		set_boolean(cell, "false");
}

/* Does the text of a paragraph continue in this element? */
static bool
is_running(const char *name)
{
	static const char *const names[] = {"p",		  "span",		"a",		 "s",	 "tab",
										"line-break", "ruby",		"ruby-base", "date", "time",
										"title",	  "sheet-name", "file-name"};

	for (size_t i = 0; i < lengthof(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static void
ods_cell_element(OdsCell *cell, const char *name, const char **attributes)
{
	if (cell->skipped > 0 || !is_running(name))
	{
		cell->skipped++;
		return;
	}
	if (cell->valued)
	{
		cell->open |= strcmp(name, "p") == 0 && cell->type == 'f';
		return;
	}
	if (strcmp(name, "p") == 0)
	{
		if (cell->paragraphs++ > 0)
			buffer_append(cell->text, "\n", 1);
		cell->open = true;
		cell->there = true;
		cell->spaced = true;
	}
	else if (strcmp(name, "s") == 0)
	{
		uint64_t count = xml_number(xml_attribute(attributes, "c"), CONTENTS_CELL, 1);

		for (uint64_t i = 0; i < count; i++)
			buffer_append(cell->text, " ", 1);
		cell->spaced = false;
	}
	else if (strcmp(name, "tab") == 0)
		buffer_append(cell->text, "\t", 1);
	else if (strcmp(name, "line-break") == 0)
		buffer_append(cell->text, "\n", 1);
}

static void
ods_cell_element_end(OdsCell *cell, const char *name)
{
	if (cell->skipped > 0)
		cell->skipped--;
	else if (strcmp(name, "p") == 0)
		cell->open = false;
}

static void
ods_cell_text(OdsCell *cell, const char *text, size_t length)
{
	if (!cell->open || cell->skipped > 0)
		return;
	if (cell->valued)
	{
		if (length <= sizeof(cell->shown) - 1 - cell->shown_length)
			memcpy(cell->shown + cell->shown_length, text, length);
		cell->shown_length += length;
		return;
	}
	for (size_t i = 0; i < length; i++)
	{
		bool space = xml_is_space(text[i]);

		if (!space || !cell->spaced)
			buffer_append(cell->text, space ? " " : text + i, 1);
		cell->spaced = space;
	}
}

/*
 * Is the displayed text of a number its digits, and more than these: zeros in front, or what stands
 * between those of telephone numbers and postal codes?  A space alone may be one between thousands.
 */
static bool
is_code(const OdsCell *cell, const char *value)
{
	const char *shown = cell->shown;
	size_t zeros = 0;
	bool parted = false;
	bool begun = false;

	if (cell->shown_length >= sizeof(cell->shown) - 1 || !isdigit((unsigned char) *value))
		return false;
	value += *value == '0';
	for (size_t i = 0; i < cell->shown_length; i++)
	{
		begun |= isdigit((unsigned char) shown[i]) && shown[i] != '0';
		zeros += shown[i] == '0' && !begun;
		parted |= shown[i] == '-' || shown[i] == '(';
		if (begun && isdigit((unsigned char) shown[i]))
		{
			if (shown[i] != *value++)
				return false;
		}
		else if (strchr("0-() /+", shown[i]) == NULL)
			return false;
	}
	return *value == '\0' && (parted || zeros > !begun);
}

/* Read a number of a duration and its unit, if the text has it; false if there is neither. */
static bool
read_unit(const char **text, char unit, uint64_t *number)
{
	size_t digits = strspn(*text, "0123456789");

	if (digits == 0 || digits > 9 || (*text)[digits] != unit)
		return false;
	*number = strtoull(*text, NULL, 10);
	*text += digits + 1;
	return true;
}

/* Convert a duration such as -P1DT2H30M05.5S to -26:30:05.5; return the length, 0 if it is malformed. */
static size_t
write_time(char *value, const char *text)
{
	uint64_t days = 0;
	uint64_t hours = 0;
	uint64_t minutes = 0;
	uint64_t seconds = 0;
	bool negative = *text == '-';
	size_t digits;
	size_t fraction = 0;
	const char *decimals = "";

	text += negative;
	if (*text++ != 'P' || *text == '\0' || strcmp(text, "T") == 0)
		return 0;
	read_unit(&text, 'D', &days);
	if (*text == 'T')
	{
		text++;
		read_unit(&text, 'H', &hours);
		read_unit(&text, 'M', &minutes);
		digits = strspn(text, "0123456789");
		if (text[digits] == '.' || text[digits] == ',')
		{
			decimals = text + digits + 1;
			fraction = strspn(decimals, "0123456789");
			if (digits > 9 || strcmp(decimals + fraction, "S") != 0)
				return 0;
			seconds = strtoull(text, NULL, 10);
			text = "";
		}
		else
			read_unit(&text, 'S', &seconds);
	}
	if (*text != '\0')
		return 0;
	while (fraction > 0 && decimals[fraction - 1] == '0')
		fraction--;
	seconds += 60 * minutes + 3600 * (hours + 24 * days);
	return (size_t) snprintf(value, VALUE_MAXIMUM, "%s%02llu:%02d:%02d%s%.*s", negative ? "-" : "",
							 (unsigned long long) (seconds / 3600), (int) (seconds / 60 % 60),
							 (int) (seconds % 60), fraction > 0 ? "." : "",
							 (int) (fraction < 9 ? fraction : 9), decimals);
}

/* End of the cell: its text is complete. */
static void
ods_cell_end(OdsCell *cell)
{
	Buffer *text = cell->text;
	char value[VALUE_MAXIMUM];
	size_t length = 0;

	/* spaces at the end of a paragraph are removed, like those at its beginning */
	if (!cell->valued || text->failed)
		return;
	if (cell->type == 'f' || cell->type == 'p' || cell->type == 'c')
	{
		length = value_number(value, text->data, text->length);
		if (length > 0 && cell->type == 'f' && is_code(cell, value))
		{
			length = cell->shown_length;
			memcpy(value, cell->shown, length);
		}
	}
	else if (cell->type == 't')
	{
		buffer_append(text, "", 1);
		text->length--;
		length = write_time(value, text->data);
	}
	if (length > 0)
	{
		text->length = 0;
		buffer_append(text, value, length);
	}
}

typedef struct OdsValue
{
	unsigned column;
	uint32_t length;
} OdsValue;

typedef struct Ods
{
	Parse *parse;
	Sheet *sheet; /* the open sheet; NULL: none */
	unsigned sheets;
	unsigned inner;	   /* open tables nested in that of the sheet */
	uint64_t row;	   /* number of the open row */
	uint64_t repeated; /* repeat count of the open row */
	unsigned column;   /* column of the next cell */
	unsigned values;   /* cells of the open row */
	size_t length;	   /* bytes of these cells */
	bool in_cell;
	bool linked; /* after the sheets: cached data of other documents */
	OdsCell cell;
	char *style;	 /* of the open style of a table */
	unsigned hidden; /* styles of hidden tables */
	char *hidden_styles[CONTENTS_SHEETS];
	OdsValue value[CONTENTS_COLUMNS];
	char bytes[ROW_MAXIMUM];
} Ods;

static bool
is_hidden(const Ods *ods, const char *style)
{
	for (unsigned i = 0; style != NULL && i < ods->hidden; i++)
		if (strcmp(ods->hidden_styles[i], style) == 0)
			return true;
	return false;
}

static void
start_style(Ods *ods, const char *name, const char **attributes)
{
	const char *style = xml_attribute(attributes, "name");
	const char *display = xml_attribute(attributes, "display");

	if (strcmp(name, "style") == 0)
	{
		parse_release(ods->parse, ods->style);
		ods->style = parse_copy(ods->parse, style);
	}
	else if (strcmp(name, "table-properties") == 0 && ods->style != NULL && display != NULL &&
			 strcmp(display, "false") == 0 && ods->hidden < CONTENTS_SHEETS)
	{
		ods->hidden_styles[ods->hidden++] = ods->style;
		ods->style = NULL;
	}
}

static void
start_table(Ods *ods, const char **attributes)
{
	const char *name = xml_attribute(attributes, "name");
	const char *style = xml_attribute(attributes, "style-name");

	if (ods->sheet != NULL)
	{
		ods->inner++;
		return;
	}
	/* tables of this style cache cells of other documents that formulas refer to */
	if (ods->linked || (style != NULL && strcmp(style, "ta_extref") == 0))
		return;
	if (ods->sheets == CONTENTS_SHEETS)
		parse_refuse(ods->parse, "the workbook has more than 256 sheets");
	ods->sheet =
		sheet_begin(ods->parse, ++ods->sheets, name == NULL ? "" : name, is_hidden(ods, style));
	ods->row = 0;
	ods->repeated = 0;
}

static void
start_row(Ods *ods, const char **attributes)
{
	ods->row += ods->repeated;
	ods->repeated = xml_number(xml_attribute(attributes, "number-rows-repeated"), BOOK_ROWS, 1);
	ods->column = 0;
	ods->values = 0;
	ods->length = 0;
}

static void
start(void *data, const char *name, const char **attributes)
{
	Ods *ods = data;

	if (ods->in_cell)
		ods_cell_element(&ods->cell, name, attributes);
	else if (strcmp(name, "table-cell") == 0 || strcmp(name, "covered-table-cell") == 0)
	{
		if (ods->sheet == NULL)
			return;
		ods->in_cell = true;
		ods_cell_start(&ods->cell, attributes, &ods->parse->cell);
	}
	else if (strcmp(name, "table-row") == 0)
		start_row(ods, attributes);
	else if (strcmp(name, "table") == 0)
		start_table(ods, attributes);
	else if (strcmp(name, "dde-links") == 0)
		ods->linked = true;
	else if (ods->sheet == NULL)
		start_style(ods, name, attributes);
}

/* Keep the cell until the end of its row, which may be repeated. */
static void
keep(Ods *ods, unsigned column)
{
	Buffer *text = &ods->parse->cell;

	if (text->failed || text->length > CONTENTS_CELL)
		ods->sheet->fault = "a cell of the row is longer than 1 MiB";
	else if (column >= CONTENTS_COLUMNS)
		ods->sheet->fault = "the row has more than 16,384 columns";
	else if (ods->values == CONTENTS_COLUMNS || ods->length + text->length > ROW_MAXIMUM)
		ods->sheet->fault = "the row is longer than 2 MB";
	if (ods->sheet->fault != NULL)
		return;
	ods->value[ods->values++] = (OdsValue){column, (uint32_t) text->length};
	if (text->length > 0)
		memcpy(ods->bytes + ods->length, text->data, text->length);
	ods->length += text->length;
}

static void
end_cell(Ods *ods)
{
	OdsCell *cell = &ods->cell;

	ods->in_cell = false;
	ods_cell_end(cell);
	if (cell->columns > 1 || cell->rows > 1)
		merge_add(ods->sheet, ods->row + 1, ods->row + cell->rows, ods->column,
				  ods->column + cell->columns - 1);
	for (unsigned i = 0; cell->there && i < cell->repeated && ods->sheet->fault == NULL; i++)
		keep(ods, ods->column + i);
	ods->parse->cell.failed = false;
	ods->column += cell->repeated;
	if (ods->column > BOOK_COLUMNS)
		ods->column = BOOK_COLUMNS;
}

static void
put_row(Ods *ods, uint64_t line, const char *fault)
{
	const char *bytes = ods->bytes;

	ods->sheet->fault = fault;
	for (unsigned i = 0; i < ods->values; i++)
	{
		sheet_cell(ods->sheet, ods->value[i].column, bytes, ods->value[i].length);
		bytes += ods->value[i].length;
	}
	sheet_row(ods->sheet, line);
}

static void
end_row(Ods *ods)
{
	const char *fault = ods->sheet->fault;

	if (ods->values == 0 && fault == NULL)
		return;
	if (ods->row + ods->repeated > BOOK_ROWS)
		parse_refuse(ods->parse, "a sheet of the workbook has more than 1,048,576 rows");
	for (uint64_t i = 0; i < ods->repeated; i++)
		put_row(ods, ods->row + i + 1, fault);
}

static void
end_table(Ods *ods)
{
	if (ods->inner > 0)
	{
		ods->inner--;
		return;
	}
	sheet_end(ods->sheet);
	ods->sheet = NULL;
}

static void
end(void *data, const char *name)
{
	Ods *ods = data;
	bool cell = strcmp(name, "table-cell") == 0 || strcmp(name, "covered-table-cell") == 0;

	if (ods->in_cell && (!cell || ods->cell.skipped > 0))
		ods_cell_element_end(&ods->cell, name);
	else if (ods->in_cell)
		end_cell(ods);
	else if (ods->sheet == NULL)
		return;
	else if (strcmp(name, "table-row") == 0)
		end_row(ods);
	else if (strcmp(name, "table") == 0)
		end_table(ods);
}

static void
text(void *data, const char *bytes, size_t length)
{
	Ods *ods = data;

	if (ods->in_cell)
		ods_cell_text(&ods->cell, bytes, length);
}

const XmlHandlers ods_handlers = {start, end, text};

static void
start_manifest(void *data, const char *name, const char **attributes)
{
	(void) attributes;
	if (strcmp(name, "encryption-data") == 0)
		parse_refuse(data, "the workbook is encrypted: save it without a password");
}

void *
ods_new(Parse *parse)
{
	Ods *ods = parse_allocate(parse, sizeof(Ods));

	ods->parse = parse;
	return ods;
}

void
ods_read(Parse *parse)
{
	static const XmlHandlers manifest_handlers = {start_manifest, NULL, NULL};
	Ods *ods = ods_new(parse);
	Unzip *unzip = unzip_open(parse, &unzip_workbook);
	int64_t manifest = unzip_find(unzip, "META-INF/manifest.xml");
	int64_t content = unzip_find(unzip, "content.xml");

	if (content < 0 && unzip_find(unzip, "xl/workbook.xml") >= 0)
		parse_refuse(parse, "the file is not what its name says: it is a workbook of Excel (XLSX)");
	/* an encrypted document may lack the other parts */
	if (manifest >= 0)
		xml_read(unzip, manifest, &manifest_handlers, parse);
	if (content < 0)
		parse_refuse(parse, "the workbook lacks its part \"content.xml\"");
	xml_read(unzip, content, &ods_handlers, ods);
	if (ods->sheets == 0)
		parse_refuse(parse, "the file has no sheets: it is another kind of OpenDocument");
}
