/*
 * wkb.c - fuzzing target: a geometry in binary form, which becomes WKT; the first byte says whether its
 * coordinates are converted.
 */
#include <string.h>

#include "fuzz.h"
#include "geo/wkb.h"

static bool
convert(const void *data, double *x, double *y, size_t count)
{
	(void) data;
	for (size_t i = 0; i < count; i++)
	{
		x[i] /= 2;
		y[i] += 1;
	}
	return count == 0 || x[0] < 1000;
}

/* Is each bracket closed, and no more than those? */
static bool
is_balanced(const Buffer *text)
{
	long open = 0;

	for (size_t i = 0; i < text->length; i++)
	{
		open += text->data[i] == '(' ? 1 : text->data[i] == ')' ? -1 : 0;
		if (open < 0)
			return false;
	}
	return open == 0;
}

void
fuzz_one(char *bytes, size_t length)
{
	Buffer text;
	Wkb wkb = {.text = &text};
	WkbEnd end;

	if (length == 0)
		return;
	buffer_init(&text, 4 << 20);
	wkb.convert = *bytes == 'c' ? convert : NULL;
	end = wkb_write(&wkb, (const unsigned char *) bytes + 1, length - 1);
	MUST_HOLD(end <= WKB_LONG);
	if (end == WKB_SHAPE || (end == WKB_EMPTY && text.length > 0))
		MUST_HOLD(is_balanced(&text) && memchr(text.data, 0, text.length) == NULL);
	if (end == WKB_SHAPE)
		MUST_HOLD(text.length > 0 && text.length <= CONTENTS_GEOMETRY);
	buffer_free(&text);
}
