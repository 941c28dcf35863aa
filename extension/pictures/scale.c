/*
 * scale.c
 *	  Scales with round numbers, and numbers as text.
 */
#include "catalogue.h"

#include <math.h>

#include "pictures/pictures_internal.h"

#define VALUE_MAX 1e300	   /* greater ones are drawn as this one */
#define RANGE_LEAST 1e-290 /* of different values: no step of a smaller one is exact */
#define MINUS "\xE2\x88\x92"

/* Units of great numbers, the greatest first. */
static const struct
{
	double unit;
	const char *name;
} units[] = {{1e12, " tn"}, {1e9, " bn"}, {1e6, " M"}};

/* From this size on a number is written in units, or with an exponent. */
#define UNITS_FROM 1e7
#define EXPONENT_FROM 1e15
#define EXPONENT_BELOW 1e-4

/* Return the least multiple of 1, 2 or 5 of a power of ten that is not less. */
static double
round_step(double least)
{
	double power = pow(10, floor(log10(least)));
	double digits = least / power;

	return power * (digits <= 1.000001 ? 1 : digits <= 2.000001 ? 2 : digits <= 5.000001 ? 5 : 10);
}

/* Append digits of an integer in groups of three. */
static void
append_grouped(StringInfo out, const char *digits, int count)
{
	for (int i = 0; i < count; i++)
	{
		if (i > 0 && (count - i) % 3 == 0)
			appendStringInfoChar(out, ',');
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

/* Return a number of these digits, which are those of its absolute value. */
static char *
decimal_text(double value, const char *digits, const char *unit)
{
	int whole = (int) strcspn(digits, ".");
	StringInfoData out;

	initStringInfo(&out);
	if (value < 0 && digits[strspn(digits, "0.")] != '\0')
		appendStringInfoString(&out, MINUS);
	append_grouped(&out, digits, whole);
	appendStringInfo(&out, "%s%s", digits + whole, unit);
	return out.data;
}

/* Return a number with as many decimals as it needs, up to a number of them. */
static char *
short_text(double value, int decimals, const char *unit)
{
	char *digits = psprintf("%.*f", decimals, fabs(value));

	trim_zeros(digits);
	return decimal_text(value, digits, unit);
}

/* Return a number as a multiple of a power of ten. */
static char *
power_text(double value)
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
					 value < 0 ? MINUS : "", digits, *exponent == '-' ? "\xE2\x81\xBB" : "");
	exponent++;
	exponent += *exponent == '0';
	for (; *exponent; exponent++)
		appendStringInfoString(&out, superscripts[*exponent - '0']);
	return out.data;
}

/* Set the form of the numbers at the ticks. */
static void
choose_unit(Scale *scale)
{
	double most = Max(fabs(scale->low), fabs(scale->high));

	scale->unit = 1;
	scale->unit_name = "";
	for (size_t i = 0; most >= UNITS_FROM && i < lengthof(units) && scale->unit == 1; i++)
		if (most >= units[i].unit)
		{
			scale->unit = units[i].unit;
			scale->unit_name = units[i].name;
		}
	scale->decimals = (int) Max(0, -floor(log10(scale->step / scale->unit) + 1e-9));
}

Scale
cat_scale_make(double low, double high, int ticks, bool whole)
{
	Scale scale;

	low = Max(low, -VALUE_MAX);
	high = Min(high, VALUE_MAX);
	if (high - low < RANGE_LEAST)
		high = low + (low != 0 ? fabs(low) : 1);
	scale.step = round_step((high - low) / ticks);
	if (whole)
		scale.step = Max(scale.step, 1);
	scale.low = floor(low / scale.step + 1e-9) * scale.step;
	scale.high = ceil(high / scale.step - 1e-9) * scale.step;
	choose_unit(&scale);
	return scale;
}

int
cat_scale_count(const Scale *scale)
{
	return (int) Min(round((scale->high - scale->low) / scale->step), 1000);
}

double
cat_scale_tick(const Scale *scale, int number)
{
	return scale->low + scale->step * number;
}

char *
cat_scale_text(const Scale *scale, int number)
{
	double value = cat_scale_tick(scale, number);
	double most = Max(fabs(scale->low), fabs(scale->high));

	if (fabs(value) < scale->step / 2)
		return pstrdup("0");
	if (most >= EXPONENT_FROM || most < EXPONENT_BELOW)
		return power_text(value);
	return decimal_text(value, psprintf("%.*f", scale->decimals, fabs(value) / scale->unit),
						scale->unit_name);
}

double
cat_scale_place(const Scale *scale, double value, double from, double to)
{
	double part = (value / 2 - scale->low / 2) / (scale->high / 2 - scale->low / 2);

	return from + (to - from) * Max(0, Min(1, part));
}

char *
cat_scale_value(double value)
{
	double size = fabs(value);

	if (size >= EXPONENT_FROM || (size > 0 && size < EXPONENT_BELOW))
		return power_text(value);
	for (size_t i = 0; size >= UNITS_FROM && i < lengthof(units); i++)
		if (size >= units[i].unit)
			return short_text(value / units[i].unit, 2, units[i].name);
	return short_text(value, size < 0.01 ? 6 : 2, "");
}
