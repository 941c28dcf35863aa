/*
 * decode_wide.c - decode blocks in UTF-16, and in encodings that the C library converts.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "text/decode.h"

static uint32_t
unit(const Decoder *decoder, const char *at)
{
	unsigned char first = (unsigned char) at[decoder->form == FORM_UTF16BE];
	unsigned char second = (unsigned char) at[decoder->form == FORM_UTF16LE];

	return (uint32_t) second << 8 | first;
}

const char *
decoder_units(Decoder *decoder, char *text, char **to)
{
	const char *at = decoder->bytes;
	const char *end = at + decoder->length;

	for (; end - at >= 2; at += 2)
	{
		uint32_t character = unit(decoder, at);
		bool high = (character & 0xFC00) == 0xD800;

		if (high && end - at < 4 && !decoder->ended)
			return at;
		if (high && end - at >= 4 && (unit(decoder, at + 2) & 0xFC00) == 0xDC00)
		{
			at += 2;
			character = 0x10000 + ((character & 0x3FF) << 10) + (unit(decoder, at) & 0x3FF);
		}
		else if ((character & 0xF800) == 0xD800 || character == 0)
		{
			decoder_replaced(decoder, decoder->given + (uint64_t) (*to - text),
							 character == 0 ? "a zero character is shown as U+FFFD"
											: "half of a surrogate pair is shown as U+FFFD");
			character = 0xFFFD;
		}
		*to = decoder_put(*to, character);
	}
	if (at == end || !decoder->ended)
		return at;
	decoder_replaced(decoder, decoder->given + (uint64_t) (*to - text),
					 "a single byte at the end is shown as U+FFFD");
	*to = decoder_put(*to, 0xFFFD);
	return end;
}

/* Append U+FFFD for invalid bytes; return what follows them. */
static char *
skip_bytes(Decoder *decoder, char *at, size_t *left, char *text, char **to)
{
	static const char *const wide[] = {"UTF-16", "UCS-2", "UTF-32", "UCS-4"};
	size_t step = 1;

	for (size_t i = 0; i < lengthof(wide); i++)
		if (strncasecmp(decoder->name, wide[i], strlen(wide[i])) == 0)
			step = i < 2 ? 2 : 4;
	step = step < *left ? step : *left;
	decoder_replaced(decoder, decoder->given + (uint64_t) (*to - text), decoder->lacking);
	*to = decoder_put(*to, 0xFFFD);
	*left -= step;
	return at + step;
}

const char *
decoder_converted(Decoder *decoder, char *text, char **to)
{
	char *at = decoder->bytes;
	size_t left = decoder->length;

	while (left > 0)
	{
		size_t room = (size_t) (text + DECODER_ROOM - 16 - *to);

		if (iconv(decoder->converter, &at, &left, to, &room) != (size_t) -1)
			break;
		if (errno == E2BIG || (errno == EINVAL && !decoder->ended))
			break;
		at = skip_bytes(decoder, at, &left, text, to);
	}
	return at;
}

/* A combining accent may follow a letter, so the converter buffers the letter. */
void
decoder_flush(Decoder *decoder, char **to)
{
	size_t room = 16;

	if (decoder->flushed || decoder->form != FORM_CONVERTED)
		return;
	decoder->flushed = true;
	(void) iconv(decoder->converter, NULL, NULL, to, &room);
}
