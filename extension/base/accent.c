/*
 * accent.c
 *	  The accent colour of pages: whether it can be read, and the colours that go with it.
 *
 * Links of this colour stand on a tint of it.  Contrast is that of WCAG 2.
 */
#include "catalogue.h"

#include <math.h>

#include "base/accent.h"
#include "utils/builtins.h"

#define TINT 0.09	   /* share of the accent in the tint of light pages */
#define DARK_TINT 0.08 /* and of dark ones */
#define DARK_STEP 0.05 /* by which the accent of dark pages becomes lighter */
#define COLOR_DIGITS 6

typedef struct Color
{
	int parts[3]; /* red, green, blue, up to 255 */
} Color;

static const Color light_ground = {{255, 255, 255}};
static const Color dark_ground = {{28, 32, 36}}; /* --surface of style.css */

/* Read six hexadecimal digits, before which # may stand. */
static bool
read_color(const char *text, Color *color)
{
	int value;

	text += *text == '#';
	if (strlen(text) != COLOR_DIGITS || strspn(text, "0123456789abcdefABCDEF") != COLOR_DIGITS)
		return false;
	value = (int) strtol(text, NULL, 16);
	*color = (Color){{value >> 16, value >> 8 & 255, value & 255}};
	return true;
}

/* A share of one colour, and the rest of another one. */
static Color
mix(Color one, Color other, double share)
{
	Color mixed;

	for (int i = 0; i < 3; i++)
		mixed.parts[i] = (int) rint(one.parts[i] * share + other.parts[i] * (1 - share));
	return mixed;
}

static double
luminance(Color color)
{
	static const double weights[] = {0.2126, 0.7152, 0.0722};
	double sum = 0;

	for (int i = 0; i < 3; i++)
	{
		double part = color.parts[i] / 255.0;

		sum += weights[i] * (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
	}
	return sum;
}

static double
contrast(Color one, Color other)
{
	double first = luminance(one) + 0.05;
	double second = luminance(other) + 0.05;

	return first > second ? first / second : second / first;
}

double
cat_accent_contrast(const char *text)
{
	Color color;

	return read_color(text, &color) ? contrast(color, mix(color, light_ground, TINT)) : 0;
}

/* The accent of dark pages: as much lighter as it must be to be read. */
static Color
dark_of(Color color)
{
	Color dark = color;

	for (double share = 1;
		 share > 0 && contrast(dark, mix(dark, dark_ground, DARK_TINT)) < CAT_ACCENT_CONTRAST;)
		dark = mix(color, light_ground, share -= DARK_STEP);
	return dark;
}

CAT_FUNCTION(catalogue_accent_colors)
{
	const char *accent = text_to_cstring(PG_GETARG_TEXT_PP(ARG_ACCENT_COLORS_ACCENT));
	StringInfo out = makeStringInfo();
	Color colors[4];

	if (cat_accent_contrast(accent) < CAT_ACCENT_CONTRAST || !read_color(accent, &colors[0]))
		PG_RETURN_NULL();
	colors[1] = mix(colors[0], light_ground, TINT);
	colors[2] = dark_of(colors[0]);
	colors[3] = mix(colors[2], dark_ground, DARK_TINT);
	for (size_t i = 0; i < lengthof(colors); i++)
		appendStringInfo(out, "%02x%02x%02x", colors[i].parts[0], colors[i].parts[1],
						 colors[i].parts[2]);
	PG_RETURN_TEXT_P(cstring_to_text(out->data));
}
