/*
 * number_format.c - number formats of cell styles: which numbers are dates.
 *
 * A date is a number whose cell has a format with days or hours.  The formats below 164 are built
 * into Excel; the others are stored in the workbook as codes such as yyyy\-mm\-dd;@.
 */
#include <string.h>
#include <strings.h>

#include "formats/book.h"

#define STYLES_MAXIMUM 65536

struct CustomFormat
{
	uint64_t id;
	NumberFormat kind;
};

static NumberFormat
kind_of_own(uint64_t id)
{
	static const struct
	{
		unsigned char first, last;
		unsigned char kind;
	} own[] = {{14, 17, FORMAT_DATE}, {18, 21, FORMAT_TIME},	{22, 22, FORMAT_DATE_TIME},
			   {27, 31, FORMAT_DATE}, {32, 35, FORMAT_TIME},	{36, 36, FORMAT_DATE},
			   {45, 45, FORMAT_TIME}, {46, 46, FORMAT_ELAPSED}, {47, 47, FORMAT_TIME},
			   {50, 54, FORMAT_DATE}, {55, 56, FORMAT_TIME},	{57, 58, FORMAT_DATE}};

	for (size_t i = 0; i < lengthof(own); i++)
		if (id >= own[i].first && id <= own[i].last)
			return (NumberFormat) own[i].kind;
	return FORMAT_PLAIN;
}

/* Return what follows a literal part of a code. */
static const char *
skip_literal(const char *code)
{
	const char *end;

	switch (*code)
	{
		case '"':
			end = strchr(code + 1, '"');
			return end == NULL ? code + strlen(code) : end + 1;
		case '\\':
		case '_':
		case '*':
			return code[1] == '\0' ? code + 1 : code + 2;
		case '[':
			/* colours, conditions, languages; elapsed times were recognized before */
			end = strchr(code, ']');
			return end == NULL ? code + 1 : end + 1;
		default:
			return code;
	}
}

/* Is this an elapsed time such as [h] or [mm]? */
static bool
is_elapsed(const char *code)
{
	size_t length = strspn(code + 1, "hHmMsS");

	return length > 0 && code[1 + length] == ']';
}

NumberFormat
formats_kind(const char *code)
{
	bool date = false;
	bool time = false;
	bool month = false;
	bool elapsed = false;

	if (strcasecmp(code, "General") == 0)
		return FORMAT_PLAIN;
	while (*code != '\0' && *code != ';')
	{
		const char *next = skip_literal(code);

		elapsed |= *code == '[' && is_elapsed(code);
		if (next != code)
		{
			code = next;
			continue;
		}
		date |= strchr("yYdD", *code) != NULL;
		time |= strchr("hHsS", *code) != NULL;
		month |= *code == 'm' || *code == 'M';
		if (strncasecmp(code, "am/pm", 5) == 0)
			code += 4;
		code++;
	}
	/* m is a month, but minutes next to hours or seconds */
	date |= month && !time && !elapsed;
	if (elapsed && !date)
		return FORMAT_ELAPSED;
	time |= elapsed;
	return (NumberFormat) ((date ? FORMAT_DATE : 0) | (time ? FORMAT_TIME : 0));
}

void
formats_add(Formats *formats, uint64_t id, const char *code)
{
	if (code == NULL || formats->customs >= STYLES_MAXIMUM)
		return;
	if (formats->customs == formats->custom_room)
	{
		formats->custom_room = formats->custom_room * 2 + 16;
		formats->custom = parse_resize(formats->parse, formats->custom,
									   formats->custom_room * sizeof(*formats->custom));
	}
	formats->custom[formats->customs++] = (struct CustomFormat){id, formats_kind(code)};
}

static NumberFormat
kind_of(const Formats *formats, uint64_t id)
{
	/* the last format with a number applies; formats of the workbook override built-in ones */
	for (unsigned i = formats->customs; i > 0; i--)
		if (formats->custom[i - 1].id == id)
			return formats->custom[i - 1].kind;
	return kind_of_own(id);
}

void
formats_add_style(Formats *formats, uint64_t id)
{
	if (formats->styles >= STYLES_MAXIMUM)
		return;
	if (formats->styles == formats->room)
	{
		formats->room = formats->room * 2 + 64;
		formats->kinds = parse_resize(formats->parse, formats->kinds, formats->room);
	}
	formats->kinds[formats->styles++] = (unsigned char) kind_of(formats, id);
}

void
formats_clear(Formats *formats)
{
	formats->styles = formats->customs = 0;
	formats->in_cells = false;
}

static void
start(void *data, const char *name, const char **attributes)
{
	Formats *formats = data;
	uint64_t id = xml_number(xml_attribute(attributes, "numFmtId"), UINT32_MAX, 0);

	if (strcmp(name, "numFmt") == 0)
		formats_add(formats, id, xml_attribute(attributes, "formatCode"));
	else if (strcmp(name, "cellXfs") == 0)
		formats->in_cells = true;
	else if (formats->in_cells && strcmp(name, "xf") == 0)
		formats_add_style(formats, id);
}

static void
end(void *data, const char *name)
{
	Formats *formats = data;

	if (strcmp(name, "cellXfs") == 0)
		formats->in_cells = false;
}

const XmlHandlers formats_handlers = {start, end, NULL};
