/*
 * ods_cell.c - a cell of OpenDocument: its value, or its text.
 *
 * The value of numbers, dates and booleans stands in attributes; the paragraphs beside it are how
 * it is shown.  White space of paragraphs counts as in HTML, once; more of it is elements.
 */
#include <stdio.h>
#include <string.h>

#include "ods.h"

static void
append_spaces(OdsCell *cell, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		buffer_append(cell->text, " ", 1);
	cell->spaced = false;
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

	*cell = (OdsCell){.text = text, .repeated = 1};
	text->length = 0;
	cell->repeated = (unsigned) xml_number(xml_attribute(attributes, "number-columns-repeated"),
										   BOOK_COLUMNS, 1);
	cell->merged =
		xml_number(xml_attribute(attributes, "number-columns-spanned"), BOOK_COLUMNS, 1) > 1 ||
		xml_number(xml_attribute(attributes, "number-rows-spanned"), BOOK_ROWS, 1) > 1;
	for (size_t i = 0; type != NULL && i < lengthof(values); i++)
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

/* Is an element one that a paragraph's text goes on in? */
static bool
is_running(const char *name)
{
	static const char *const names[] = {"p",   "span",		 "a",	 "s",
										"tab", "line-break", "ruby", "ruby-base"};

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

/* PT12H30M05.5S as 12:30:05.5; what is not like that stays. */
static size_t
write_time(char *value, const char *text)
{
	unsigned hours = 0;
	unsigned minutes = 0;
	unsigned seconds = 0;
	char fraction[12] = "";
	int length = 0;

	if (sscanf(text, "PT%6uH%2uM%2u%11[.,0-9]S", &hours, &minutes, &seconds, fraction) < 3)
		return 0;
	fraction[0] = fraction[0] == ',' ? '.' : fraction[0];
	for (length = (int) strlen(fraction);
		 length > 0 && (fraction[length - 1] == '0' || fraction[length - 1] == '.');)
		fraction[--length] = '\0';
	return (size_t) snprintf(value, VALUE_MAXIMUM, "%02u:%02u:%02u%s", hours, minutes, seconds,
							 fraction);
}

void
ods_cell_end(OdsCell *cell)
{
	Buffer *text = cell->text;
	char value[VALUE_MAXIMUM];
	size_t length = 0;

	/* a space at the end of a paragraph counts no more than one at its beginning */
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
