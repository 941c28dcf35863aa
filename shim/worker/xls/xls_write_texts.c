/*
 * xls_write_texts.c - shared strings: the SST record and its CONTINUE records.
 *
 * A string may continue in the next record, which then begins with the flag for characters of one
 * byte or two.  The header of a string, a two-byte character and a surrogate pair are never split.
 * A short string that is in the cache is not written again.
 */
#include <stdlib.h>
#include <string.h>

#include "xls/xls_write.h"

#define TEXT_HEAD 3 /* bytes of the header of a string: length and flags */

unsigned
xls_units(const char *text, size_t length, uint16_t *units, bool *wide)
{
	const unsigned char *at = (const unsigned char *) text;
	const unsigned char *end = at + length;
	unsigned count = 0;

	*wide = false;
	while (at < end)
	{
		unsigned more = *at < 0x80 ? 0 : *at < 0xE0 ? 1 : *at < 0xF0 ? 2 : 3;
		uint32_t character = more == 0 ? *at : *at & (0x3FU >> more);

		if (end - at <= (ptrdiff_t) more || count + 1 + (more == 3) > XLS_TEXT)
			return XLS_TEXT + 1;
		for (unsigned i = 1; i <= more; i++)
			character = character << 6 | (at[i] & 0x3F);
		at += more + 1;
		*wide |= character > 0xFF;
		if (character >= 0x10000)
		{
			units[count++] = (uint16_t) (0xD800 + ((character - 0x10000) >> 10));
			character = 0xDC00 + ((character - 0x10000) & 0x3FF);
		}
		units[count++] = (uint16_t) character;
	}
	return count;
}

bool
xls_texts_open(XlsTexts *texts)
{
	int file = unnamed_file();

	texts->file = file >= 0 ? fdopen(file, "w+") : NULL;
	/* counts of references and strings, which xls_texts_end() fills in */
	xls_put(&texts->open, 0, 8);
	return texts->file != NULL;
}

static void
end_record(XlsTexts *texts)
{
	xls_record(texts->file, texts->continued ? XLS_CONTINUE : XLS_SST, &texts->open);
	texts->continued = true;
	texts->open.length = 0;
}

static void
write_text(XlsTexts *texts, const uint16_t *units, unsigned count, bool wide)
{
	unsigned size = wide ? 2 : 1;

	if (XLS_RECORD - texts->open.length < TEXT_HEAD + 2 * size)
		end_record(texts);
	xls_put(&texts->open, count, 2);
	xls_put(&texts->open, wide, 1);
	for (unsigned i = 0; i < count; i++)
	{
		bool pair = wide && (units[i] & 0xFC00) == 0xD800;

		if (XLS_RECORD - texts->open.length < (pair ? 2 * size : size))
		{
			end_record(texts);
			xls_put(&texts->open, wide, 1);
		}
		xls_put(&texts->open, units[i], size);
	}
}

/* The cache entry of a short string. */
static XlsRemembered *
place_of(XlsTexts *texts, const char *text, size_t length)
{
	uint32_t hash = 2166136261U;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char) text[i]) * 16777619U;
	return &texts->remembered[hash % XLS_REMEMBERED];
}

bool
xls_texts_add(XlsTexts *texts, const char *text, size_t length, uint32_t *number)
{
	bool is_short = length > 0 && length <= XLS_SHORT;
	XlsRemembered *known = is_short ? place_of(texts, text, length) : NULL;
	unsigned count;
	bool wide;

	texts->used++;
	if (known != NULL && known->length == length && memcmp(known->text, text, length) == 0)
	{
		*number = known->number;
		return true;
	}
	count = xls_units(text, length, texts->units, &wide);
	if (count > XLS_TEXT)
		return false;
	*number = texts->count++;
	if (known != NULL)
	{
		known->number = *number;
		known->length = (unsigned char) length;
		memcpy(known->text, text, length);
	}
	write_text(texts, texts->units, count, wide);
	return true;
}

uint64_t
xls_texts_end(XlsTexts *texts)
{
	XlsBytes counts = {0};
	off_t end;

	end_record(texts);
	fflush(texts->file);
	end = ftello(texts->file);
	xls_put(&counts, texts->used, 4);
	xls_put(&counts, texts->count, 4);
	if (fseeko(texts->file, 4, SEEK_SET) == 0)
		fwrite(counts.bytes, 1, counts.length, texts->file);
	return end > 0 ? (uint64_t) end : 0;
}
