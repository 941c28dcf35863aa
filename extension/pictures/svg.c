/*
 * svg.c
 *	  Elements of SVG, and the document around them.
 *
 * The document has no scripts and refers to nothing outside itself.  Its colours are in a style
 * sheet, so that they follow the colour scheme that the reader prefers.
 */
#include "catalogue.h"

#include "mb/pg_wchar.h"

#include "pictures/pictures_internal.h"

#define HEADLINE_SIZE 18.0
#define BOLD 1.13 /* width of bold letters */
#define HEADLINE_LINES 2
#define SQUARE 12.0

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
cat_svg_begin(Canvas *canvas, const char *name)
{
	char *lines[HEADLINE_LINES];
	int count;

	initStringInfo(&canvas->out);
	canvas->y = PICTURE_MARGIN;
	count = cat_label_wrap(name ? name : "", HEADLINE_SIZE * BOLD, PICTURE_RIGHT - PICTURE_MARGIN,
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
cat_svg_square(Canvas *canvas, const char *kind, int number, double x, double y)
{
	appendStringInfo(&canvas->out,
					 "<rect class=\"%s%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" "
					 "rx=\"2\"/>\n",
					 kind, number, x, y, SQUARE, SQUARE);
}

void
cat_svg_box(Canvas *canvas, double x, double y, double width, double height)
{
	appendStringInfo(&canvas->out, "M%.2f %.2fh%.2fv%.2fh-%.2fz", x, y, width, height, width);
}

void
cat_svg_nothing(Canvas *canvas, const char *text)
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
