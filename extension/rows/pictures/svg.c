/*
 * svg.c
 *	  Elements of SVG, numbers and texts of a width in it; rows/visuals/chart_drawing.sql draws charts of them.
 *
 * The document has no scripts and refers to nothing outside itself.  Its colours are in a style
 * sheet, so that they follow the colour scheme that the reader prefers.
 */
#include "catalogue.h"

#include <math.h>

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "rows/pictures/pictures_internal.h"

#define MINUS "\xE2\x88\x92"

/* Units of great numbers, the greatest first. */
static const struct
{
	double unit;
	const char *name; /* of the unit */
} units[] = {{1e12, WORD("{number} tn")}, {1e9, WORD("{number} bn")}, {1e6, WORD("{number} M")}};

/* From this size on a number is written in units, or with an exponent. */
#define UNITS_FROM 1e7
#define EXPONENT_FROM 1e15
#define EXPONENT_BELOW 1e-4

double
cat_svg_round_step(double least)
{
	double power = pow(10, floor(log10(least)));
	double digits = least / power;

	return power * (digits <= 1.000001 ? 1 : digits <= 2.000001 ? 2 : digits <= 5.000001 ? 5 : 10);
}

/* Append digits of an integer in groups of three. */
static void
append_grouped(StringInfo out, const PictureLanguage *language, const char *digits, int count)
{
	const char *sign = count > 4 ? language->group : language->short_group;

	for (int i = 0; i < count; i++)
	{
		if (i > 0 && (count - i) % 3 == 0)
			appendStringInfoString(out, sign);
		appendStringInfoChar(out, digits[i]);
	}
}

/* Take the zeros off the end of the decimals. */
static void
trim_zeros(char *digits)
{
	size_t length = strlen(digits);

	if (!strchr(digits, '.'))
		return;
	while (digits[length - 1] == '0')
		length--;
	if (digits[length - 1] == '.')
		length--;
	digits[length] = '\0';
}

/* Append a point and the digits behind it, if there are any. */
static void
append_decimals(StringInfo out, const PictureLanguage *language, const char *digits)
{
	if (*digits == '.')
		appendStringInfo(out, "%s%s", language->decimal, digits + 1);
}

char *
cat_svg_decimal(const PictureLanguage *language, const char *digits)
{
	int whole = (int) strcspn(digits, ".");
	StringInfo out = makeStringInfo();

	appendBinaryStringInfo(out, digits, whole);
	append_decimals(out, language, digits + whole);
	return out->data;
}

/* Return a number of these digits, which are those of its absolute value; unit: NULL for none. */
static char *
decimal_text(const PictureLanguage *language, double value, const char *digits, const char *unit)
{
	int whole = (int) strcspn(digits, ".");
	StringInfo out = makeStringInfo();

	if (value < 0 && digits[strspn(digits, "0.")] != '\0')
		appendStringInfoString(out, MINUS);
	append_grouped(out, language, digits, whole);
	append_decimals(out, language, digits + whole);
	return unit ? cat_picture_words_text(language, unit, "number", out->data, PICTURE_END)
				: out->data;
}

/* Return a number with as many decimals as it needs, up to a number of them. */
static char *
short_text(const PictureLanguage *language, double value, int decimals, const char *unit)
{
	char *digits = psprintf("%.*f", decimals, fabs(value));

	trim_zeros(digits);
	return decimal_text(language, value, digits, unit);
}

/* Return a number as a multiple of a power of ten. */
static char *
power_text(const PictureLanguage *language, double value)
{
	static const char *const superscripts[] = {
		"\xE2\x81\xB0", "\xC2\xB9",		"\xC2\xB2",		"\xC2\xB3",		"\xE2\x81\xB4",
		"\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7", "\xE2\x81\xB8", "\xE2\x81\xB9"};
	char *digits = psprintf("%.2e", fabs(value));
	char *exponent = strchr(digits, 'e');
	StringInfoData out;

	*exponent++ = '\0';
	trim_zeros(digits);
	initStringInfo(&out);
	appendStringInfo(&out,
					 "%s%s\xC3\x97"
					 "10%s",
					 value < 0 ? MINUS : "", cat_svg_decimal(language, digits),
					 *exponent == '-' ? "\xE2\x81\xBB" : "");
	exponent++;
	exponent += *exponent == '0';
	for (; *exponent; exponent++)
		appendStringInfoString(&out, superscripts[*exponent - '0']);
	return out.data;
}

/* Return a number of a scale with these steps; most: the greatest one, without its sign. */
static char *
tick_text(const PictureLanguage *language, double value, double step, double most)
{
	double unit = 1;
	const char *name = NULL;
	int decimals;

	if (fabs(value) < step / 2)
		return pstrdup("0");
	if (most >= EXPONENT_FROM || most < EXPONENT_BELOW)
		return power_text(language, value);
	for (size_t i = 0; most >= UNITS_FROM && i < lengthof(units) && unit == 1; i++)
		if (most >= units[i].unit)
		{
			unit = units[i].unit;
			name = units[i].name;
		}
	decimals = (int) Max(0, -floor(log10(step / unit) + 1e-9));
	return decimal_text(language, value, psprintf("%.*f", decimals, fabs(value) / unit), name);
}

char *
cat_svg_scale_value(const PictureLanguage *language, double value)
{
	double size = fabs(value);

	if (size >= EXPONENT_FROM || (size > 0 && size < EXPONENT_BELOW))
		return power_text(language, value);
	for (size_t i = 0; size >= UNITS_FROM && i < lengthof(units); i++)
		if (size >= units[i].unit)
			return short_text(language, value / units[i].unit, 2, units[i].name);
	return short_text(language, value, size < 0.01 ? 6 : 2, NULL);
}

/*
 * ---- Text, with estimated widths ----
 *
 * The service has no fonts, so widths are estimated from those of the wider ones of usual sans-serif
 * fonts.
 */

#define ELLIPSIS "\xE2\x80\xA6"
#define ROUNDING 0.01 /* of a sum of widths */

/* Characters of a range and their width as a part of the size of the font. */
typedef struct WidthRange
{
	pg_wchar first, last;
	double width;
} WidthRange;

/* In order.  What is in no range has the width of a usual letter. */
static const WidthRange ranges[] = {
	{0x00, 0x1F, 0},	   {' ', '!', 0.34},		{'\'', '\'', 0.3},		 {'(', ')', 0.4},
	{',', '/', 0.36},	   {'0', '9', 0.64},		{':', ';', 0.36},		 {'@', '@', 1.0},
	{'A', 'H', 0.72},	   {'I', 'I', 0.36},		{'J', 'L', 0.64},		 {'M', 'M', 0.88},
	{'N', 'V', 0.74},	   {'W', 'W', 1.0},			{'X', 'Z', 0.69},		 {'i', 'j', 0.3},
	{'l', 'l', 0.3},	   {'m', 'm', 0.98},		{'r', 'r', 0.42},		 {'t', 't', 0.4},
	{'w', 'w', 0.82},	   {0x300, 0x36F, 0},		{0x591, 0x5C7, 0},		 {0x610, 0x61A, 0},
	{0x64B, 0x65F, 0},	   {0xE31, 0xE3A, 0},		{0x1100, 0x115F, 1.0},	 {0x200B, 0x200F, 0},
	{0x2026, 0x2026, 1.0}, {0x202A, 0x202E, 0},		{0x2060, 0x206F, 0},	 {0x2212, 0x2212, 0.84},
	{0x2E80, 0xA4CF, 1.0}, {0xAC00, 0xD7A3, 1.0},	{0xF900, 0xFAFF, 1.0},	 {0xFE00, 0xFE0F, 0},
	{0xFF00, 0xFF60, 1.0}, {0x1F000, 0x1FAFF, 1.3}, {0x20000, 0x3FFFD, 1.0},
};

/* Return the width of a character as a part of the size of the font. */
static double
width_of(pg_wchar character)
{
	size_t low = 0;
	size_t high = lengthof(ranges);

	while (low < high)
	{
		size_t middle = (low + high) / 2;

		if (character > ranges[middle].last)
			low = middle + 1;
		else if (character < ranges[middle].first)
			high = middle;
		else
			return ranges[middle].width;
	}
	return 0.62;
}

double
cat_svg_width(const char *text, double size)
{
	double width = 0;

	for (; *text; text += pg_utf_mblen((const unsigned char *) text))
		width += width_of(utf8_to_unicode((const unsigned char *) text));
	return width * size;
}

/* Return how many bytes of a text fit into a width. */
static int
length_that_fits(const char *text, double size, double width)
{
	const char *end = text;

	for (double used = 0; *end; end += pg_utf_mblen((const unsigned char *) end))
	{
		used += width_of(utf8_to_unicode((const unsigned char *) end)) * size;
		if (used > width + ROUNDING)
			break;
	}
	return (int) (end - text);
}

/* Return a text that is no wider, cut and ended by an ellipsis if needed; palloc'd. */
static char *
label_fit(const char *text, double size, double width)
{
	int length = length_that_fits(text, size, width);

	if (text[length] == '\0')
		return pstrdup(text);
	length = length_that_fits(text, size, width - cat_svg_width(ELLIPSIS, size));
	while (length > 0 && text[length - 1] == ' ')
		length--;
	return psprintf("%.*s" ELLIPSIS, length, text);
}

/* Break a text into at most count lines, the last one with an ellipsis if needed; returns their
 * number. */
static int
label_wrap(const char *text, double size, double width, char **lines, int count)
{
	int used = 0;

	while (*text && used < count)
	{
		int length = length_that_fits(text, size, width);
		int end = length;

		if (text[length] == '\0' || used == count - 1)
		{
			lines[used++] = label_fit(text, size, width);
			break;
		}
		while (end > 0 && text[end] != ' ')
			end--;
		if (end == 0)
			end = Max(length, pg_utf_mblen((const unsigned char *) text));
		lines[used++] = pnstrdup(text, (Size) end);
		text += end;
		text += strspn(text, " ");
	}
	return used;
}

#define HEADLINE_SIZE 18.0
#define BOLD 1.13 /* width of bold letters */
#define HEADLINE_LINES 2

/*
 * Series have the classes f0 to f7 (areas) and l0 to l7 (lines), shades of a heat map from the least
 * to the greatest value q0 to q6, or d0 to d6 around zero; v and the class of a shade is a number on
 * it.  Each colour of a series has a contrast of 3:1 with the background, and they were chosen to
 * differ for people with each kind of colour blindness.
 */
static const char style[] =
	"text{font:12px system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",Arial,sans-serif;"
	"fill:#1f2328;unicode-bidi:plaintext}"
	".name{font-size:18px;font-weight:600}.soft{fill:#57606a}.mid{text-anchor:middle}"
	".end{text-anchor:end}.paper{fill:#fff}.halo{stroke:#fff}"
	".grid{stroke:#dde2e8;fill:none}.base{stroke:#57606a;fill:none}.frame{stroke:#afb8c1;fill:none}"
	".land{fill:#edf0ea;stroke:#c9d1c3}"
	".f0{fill:#0e56d5}.f1{fill:#ff4315}.f2{fill:#376655}.f3{fill:#a332af}.f4{fill:#95992d}"
	".f5{fill:#3f306e}.f6{fill:#6f002b}.f7{fill:#7d8590}"
	".l0{stroke:#0e56d5}.l1{stroke:#ff4315}.l2{stroke:#376655}.l3{stroke:#a332af}"
	".l4{stroke:#95992d}.l5{stroke:#3f306e}.l6{stroke:#6f002b}.l7{stroke:#7d8590}"
	".line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}"
	".v{fill:none;pointer-events:all}"
	".area{fill-opacity:.25;fill-rule:evenodd}"
	".q0{fill:#e4eefb}.q1{fill:#c3daf6}.q2{fill:#9bc0ee}.q3{fill:#6ea2e3}.q4{fill:#3a71c3}"
	".q5{fill:#265cb0}.q6{fill:#123a80}"
	".t1{stroke:#c3daf6}.t2{stroke:#9bc0ee}.t3{stroke:#6ea2e3}.t4{stroke:#3a71c3}.t6{stroke:#"
	"123a80}"
	".shade{fill-opacity:.85;fill-rule:evenodd}"
	".d0{fill:#8f3600}.d1{fill:#b9540a}.d2{fill:#f2b27c}.d3{fill:#eef0f2}.d4{fill:#9bc0ee}"
	".d5{fill:#3a71c3}.d6{fill:#123a80}"
	".vq4,.vq5,.vq6,.vd0,.vd1,.vd5,.vd6{fill:#fff}"
	"@media(prefers-color-scheme:dark){"
	"text{fill:#e6edf3}.soft{fill:#9da7b3}.paper{fill:#14181d}.halo{stroke:#14181d}"
	".grid{stroke:#2d343d}.base{stroke:#9da7b3}.frame{stroke:#57606a}"
	".land{fill:#222a2c;stroke:#3b4744}"
	".f0{fill:#3191f8}.f1{fill:#c58f24}.f2{fill:#47d28c}.f3{fill:#ff5ea2}.f4{fill:#ebd871}"
	".f5{fill:#a0beda}.f6{fill:#af6120}.f7{fill:#8b949e}"
	".l0{stroke:#3191f8}.l1{stroke:#c58f24}.l2{stroke:#47d28c}.l3{stroke:#ff5ea2}"
	".l4{stroke:#ebd871}.l5{stroke:#a0beda}.l6{stroke:#af6120}.l7{stroke:#8b949e}"
	".q0{fill:#1b2a40}.q1{fill:#1d3f6e}.q2{fill:#22559c}.q3{fill:#3172c6}.q4{fill:#5a97e4}"
	".q5{fill:#93bdf3}.q6{fill:#d0e3fc}"
	".t1{stroke:#1d3f6e}.t2{stroke:#22559c}.t3{stroke:#3172c6}.t4{stroke:#5a97e4}.t6{stroke:#"
	"d0e3fc}"
	".d0{fill:#ffc999}.d1{fill:#e0853d}.d2{fill:#8a4a1c}.d3{fill:#2a3038}.d4{fill:#22559c}"
	".d5{fill:#5a97e4}.d6{fill:#d0e3fc}"
	".vq0,.vq1,.vq2,.vq3,.vd2,.vd3,.vd4{fill:#fff}"
	".vq4,.vq5,.vq6,.vd0,.vd1,.vd5,.vd6{fill:#0d1117}}";

/* Return what a character of markup is written as; NULL for another character. */
static const char *
entity_of(char character)
{
	switch (character)
	{
		case '&':
			return "&amp;";
		case '<':
			return "&lt;";
		case '>':
			return "&gt;";
		case '"':
			return "&quot;";
		case '\'':
			return "&#39;";
		default:
			return NULL;
	}
}

/* Return whether XML 1.0 permits a character; ends of lines and tabs are permitted. */
static bool
is_permitted(pg_wchar character)
{
	if (character < ' ')
		return character == '\t' || character == '\n' || character == '\r';
	return character != 0x7F && (character & 0xFFFE) != 0xFFFE &&
		   !(character >= 0x80 && character <= 0x9F);
}

void
cat_svg_text(StringInfo out, const char *text)
{
	int length;

	for (; *text; text += length)
	{
		const char *entity = entity_of(*text);

		length = pg_utf_mblen((const unsigned char *) text);
		if (entity)
			appendStringInfoString(out, entity);
		else if (is_permitted(utf8_to_unicode((const unsigned char *) text)))
			appendBinaryStringInfo(out, text, length);
	}
}

void
cat_svg_begin(Canvas *canvas, const char *name, const PictureLanguage *language)
{
	char *lines[HEADLINE_LINES];
	int count;

	initStringInfo(&canvas->out);
	canvas->language = language;
	canvas->y = PICTURE_MARGIN;
	count = label_wrap(name ? name : "", HEADLINE_SIZE * BOLD, PICTURE_RIGHT - PICTURE_MARGIN,
					   lines, HEADLINE_LINES);
	for (int i = 0; i < count; i++)
	{
		canvas->y += i == 0 ? HEADLINE_SIZE - 4 : HEADLINE_SIZE + 5;
		cat_svg_label(canvas, "name", PICTURE_MARGIN, canvas->y, lines[i]);
	}
	canvas->y += count > 0 ? 18 : 0;
}

void
cat_svg_label(Canvas *canvas, const char *classes, double x, double y, const char *text)
{
	appendStringInfo(&canvas->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", classes, x, y);
	cat_svg_text(&canvas->out, text);
	appendStringInfoString(&canvas->out, "</text>\n");
}

void
cat_svg_line(Canvas *canvas, const char *classes, double x1, double y1, double x2, double y2)
{
	appendStringInfo(&canvas->out, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", classes, x1,
					 y1, x2, y2);
}

void
cat_svg_note(Canvas *canvas, const char *text)
{
	canvas->y += 16;
	cat_svg_label(canvas, "soft", PICTURE_MARGIN, canvas->y, text);
	canvas->y += PICTURE_MARGIN;
}

void
cat_svg_end(StringInfo out, const Canvas *canvas, const char *name, const char *description)
{
	appendStringInfo(out,
					 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
					 "viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-labelledby=\"title desc\">\n"
					 "<title id=\"title\">",
					 PICTURE_WIDTH, canvas->y, PICTURE_WIDTH, canvas->y);
	cat_svg_text(out, name ? name : "");
	appendStringInfoString(out, "</title>\n<desc id=\"desc\">");
	cat_svg_text(out, description);
	appendStringInfo(out,
					 "</desc>\n<style>%s</style>\n"
					 "<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\"/>\n",
					 style, PICTURE_WIDTH, canvas->y);
	appendBinaryStringInfo(out, canvas->out.data, canvas->out.len);
	appendStringInfoString(out, "</svg>\n");
}

/* ---- What charts are drawn of in SQL ---- */

CAT_FUNCTION(catalogue_label_width)
{
	PG_RETURN_FLOAT8(
		cat_svg_width(text_to_cstring(PG_GETARG_TEXT_PP(ARG_LABEL_WIDTH_LABEL)), LABEL_SIZE));
}

CAT_FUNCTION(catalogue_label_fit)
{
	const char *label = text_to_cstring(PG_GETARG_TEXT_PP(ARG_LABEL_FIT_LABEL));

	PG_RETURN_TEXT_P(
		cstring_to_text(label_fit(label, LABEL_SIZE, PG_GETARG_FLOAT8(ARG_LABEL_FIT_WIDTH))));
}

CAT_FUNCTION(catalogue_value_text)
{
	PG_RETURN_TEXT_P(cstring_to_text(
		cat_svg_scale_value(cat_picture_words_argument(PG_GETARG_DATUM(ARG_VALUE_TEXT_LANGUAGE)),
							PG_GETARG_FLOAT8(ARG_VALUE_TEXT_VALUE))));
}

CAT_FUNCTION(catalogue_percent_text)
{
	const PictureLanguage *language =
		cat_picture_words_argument(PG_GETARG_DATUM(ARG_PERCENT_TEXT_LANGUAGE));
	double part = PG_GETARG_FLOAT8(ARG_PERCENT_TEXT_PART);
	const char *percent = cat_picture_words_text(
		language, "{number}%", "number",
		cat_svg_decimal(language, part < 0.001 ? "0.1" : psprintf("%.1f", part * 100)),
		PICTURE_END);

	PG_RETURN_TEXT_P(cstring_to_text(part < 0.001 ? psprintf("<%s", percent) : percent));
}

CAT_FUNCTION(catalogue_round_step)
{
	PG_RETURN_FLOAT8(cat_svg_round_step(PG_GETARG_FLOAT8(ARG_ROUND_STEP_MINIMUM)));
}

CAT_FUNCTION(catalogue_tick_text)
{
	PG_RETURN_TEXT_P(cstring_to_text(
		tick_text(cat_picture_words_argument(PG_GETARG_DATUM(ARG_TICK_TEXT_LANGUAGE)),
				  PG_GETARG_FLOAT8(ARG_TICK_TEXT_VALUE), PG_GETARG_FLOAT8(ARG_TICK_TEXT_STEP),
				  PG_GETARG_FLOAT8(ARG_TICK_TEXT_MOST))));
}

CAT_FUNCTION(catalogue_svg_text)
{
	StringInfo out = makeStringInfo();

	cat_svg_text(out, text_to_cstring(PG_GETARG_TEXT_PP(ARG_SVG_TEXT_CONTENT)));
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out->data, out->len));
}
