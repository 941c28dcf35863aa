/*
 * ods_cell.c - a cell of an OpenDocument spreadsheet: its value, or its text.
 *
 * Numbers, dates and booleans have their value in attributes; their paragraphs are the displayed
 * text.  White space in paragraphs is collapsed as in HTML; more spaces are written as elements.
 */
#include <stdio.h>
#include <string.h>

#include "formats/ods.h"

static void
append_spaces(OdsCell *cell, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		buffer_append(cell->text, " ", 1);
	cell->spaced = false;
}

/* For an error the value is an empty text; the paragraph has its name. */
static bool
is_error(const char **attributes)
{
	for (; *attributes != NULL; attributes += 2)
		if (strcmp(attributes[0], "calcext:value-type") == 0 && strcmp(attributes[1], "error") == 0)
			return true;
	return false;
}

void
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
	const char *value = NULL;

	*cell = (OdsCell){.text = text, .repeated = 1, .there = is_error(attributes)};
	text->length = 0;
	cell->repeated = (unsigned) xml_number(xml_attribute(attributes, "number-columns-repeated"),
										   BOOK_COLUMNS, 1);
	cell->merged =
		xml_number(xml_attribute(attributes, "number-columns-spanned"), BOOK_COLUMNS, 1) > 1 ||
		xml_number(xml_attribute(attributes, "number-rows-spanned"), BOOK_ROWS, 1) > 1;
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

void
ods_cell_element(OdsCell *cell, const char *name, const char **attributes)
{
	if (cell->skipped > 0 || !is_running(name))
	{
		cell->skipped++;
		return;
	}
	if (cell->valued)
		return;
	if (strcmp(name, "p") == 0)
	{
		if (cell->paragraphs++ > 0)
			buffer_append(cell->text, "\n", 1);
		cell->open = true;
		cell->there = true;
		cell->spaced = true;
	}
	else if (strcmp(name, "s") == 0)
		append_spaces(cell, xml_number(xml_attribute(attributes, "c"), CONTENTS_CELL, 1));
	else if (strcmp(name, "tab") == 0)
		buffer_append(cell->text, "\t", 1);
	else if (strcmp(name, "line-break") == 0)
		buffer_append(cell->text, "\n", 1);
}

void
ods_cell_element_end(OdsCell *cell, const char *name)
{
	if (cell->skipped > 0)
		cell->skipped--;
	else if (strcmp(name, "p") == 0)
		cell->open = false;
}

void
ods_cell_text(OdsCell *cell, const char *text, size_t length)
{
	if (!cell->open || cell->skipped > 0 || cell->valued)
		return;
	for (size_t i = 0; i < length; i++)
	{
		bool space = text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r';

		if (!space || !cell->spaced)
			buffer_append(cell->text, space ? " " : text + i, 1);
		cell->spaced = space;
	}
}

/* Parse a number followed by this unit, if present, and advance *text. */
static unsigned
read_unit(const char **text, char unit)
{
	size_t digits = strspn(*text, "0123456789");
	unsigned number = 0;

	if (digits == 0 || digits > 6 ||
		((*text)[digits] != unit && (*text)[digits] != '.' && (*text)[digits] != ','))
		return 0;
	for (size_t i = 0; i < digits; i++)
		number = number * 10 + (unsigned) (*(*text)++ - '0');
	*text += **text == unit;
	return number;
}

/* Convert PT12H30M05.5S to 12:30:05.5; return the length, 0 if it is malformed. */
static size_t
write_time(char *value, const char *text)
{
	unsigned hours;
	unsigned minutes;
	unsigned seconds;
	size_t fraction = 0;

	if (strncmp(text, "PT", 2) != 0)
		return 0;
	text += 2;
	hours = read_unit(&text, 'H');
	minutes = read_unit(&text, 'M');
	seconds = read_unit(&text, 'S');
	if (*text == '.' || *text == ',')
		fraction = strspn(text + 1, "0123456789");
	if (text[fraction + (fraction > 0)] != '\0' &&
		strcmp(text + fraction + (fraction > 0), "S") != 0)
		return 0;
	while (fraction > 0 && text[fraction] == '0')
		fraction--;
	return (size_t) snprintf(value, VALUE_MAXIMUM, "%02u:%02u:%02u%s%.*s", hours, minutes, seconds,
							 fraction > 0 ? "." : "", (int) (fraction < 9 ? fraction : 9),
							 text + (fraction > 0));
}

void
ods_cell_end(OdsCell *cell)
{
	Buffer *text = cell->text;
	char value[VALUE_MAXIMUM];
	size_t length = 0;

	/* spaces at the end of a paragraph are removed, like those at its beginning */
	if (!cell->valued || text->failed)
		return;
	if (cell->type == 'f' || cell->type == 'p' || cell->type == 'c')
		length = value_number(value, text->data, text->length);
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
