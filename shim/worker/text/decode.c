/*
 * decode.c - decode a text: in the encoding of the parse options, else in the one that is found.
 *
 * The encoding of a text without a mark is determined by its first block that is not plain ASCII.
 * No bytes are dropped: in a UTF-8 text an invalid byte is decoded as Windows-1252; an unpaired
 * surrogate, a zero byte and a byte that the encoding does not define become U+FFFD.  Every
 * replacement is reported.
 */
#include <errno.h>
#include <strings.h>

#include "text/decode.h"

bool
decode_append_unit(Buffer *text, uint32_t unit, uint32_t *high, const char *half)
{
	char bytes[4];
	bool low = unit >> 10 == 0xDC00 >> 10;
	bool lost = *high != 0 && !low;

	if (lost)
		buffer_text(text, half);
	if (low && *high == 0)
	{
		buffer_text(text, half);
		return true;
	}
	if (low)
		unit = 0x10000 + ((*high & 0x3FF) << 10) + (unit & 0x3FF);
	*high = unit >> 10 == 0xD800 >> 10 ? unit : 0;
	if (*high == 0 && unit != NO_UNIT)
		buffer_append(text, bytes, (size_t) (text_put(bytes, unit) - bytes));
	return lost;
}

/* Characters of 0x80 to 0x9F; those that Windows-1252 does not have are control characters. */
static const uint16_t windows_characters[32] = {
	0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
	0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
	0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

static void
close_decoder(Parse *parse)
{
	Decoder *decoder = parse->open;

	if (decoder->converter != NO_CONVERTER)
		iconv_close(decoder->converter);
}

/* Use an encoding for which the C library has a converter. */
static void
set_converter(Decoder *decoder, const char *name, const char *iconv, const char *reason)
{
	decoder->converter = encoding_open_as("UTF-8", iconv);
	if (decoder->converter == NO_CONVERTER)
		parse_refuse(decoder->parse, "the encoding \"%s\" is not known", name);
	decoder->form = FORM_CONVERTED;
	decoder->name = name;
	decoder->reason = reason;
	snprintf(decoder->lacking, sizeof(decoder->lacking),
			 "bytes that %s does not have are shown as U+FFFD", name);
}

static void
set_form(Decoder *decoder, Form form, const char *name, const char *reason)
{
	decoder->form = form;
	decoder->name = name;
	decoder->reason = reason;
}

Decoder *
decode_new(Parse *parse)
{
	static const char said[] = "parseOptions says so";
	const char *encoding = parse->options.encoding;
	Decoder *decoder = parse_allocate(parse, sizeof(Decoder));

	decoder->parse = parse;
	decoder->converter = NO_CONVERTER;
	parse->open = decoder;
	parse->close = close_decoder;
	set_form(decoder, FORM_ASCII, "UTF-8", "all its bytes are ASCII");
	if (encoding != NULL &&
		(strcasecmp(encoding, "UTF-8") == 0 || strcasecmp(encoding, "UTF8") == 0))
		set_form(decoder, FORM_UTF8, "UTF-8", said);
	else if (encoding != NULL)
		set_converter(decoder, encoding, encoding, said);
	return decoder;
}

bool
decode_fault(Decoder *decoder, uint64_t end, const char **what)
{
	Fault *fault = &decoder->fault[decoder->first_fault];

	if (decoder->first_fault == decoder->faults || fault->offset >= end)
		return false;
	*what = fault->what;
	if (++decoder->first_fault == decoder->faults)
		decoder->first_fault = decoder->faults = 0;
	return true;
}

/* Record that a byte was replaced at an offset of the decoded text. */
static void
decoder_replaced(Decoder *decoder, uint64_t offset, const char *what)
{
	if (decoder->faults < FAULTS_MAXIMUM)
		decoder->fault[decoder->faults++] = (Fault){offset, what};
}

/*
 * Determine the encoding from a block that is not plain ASCII: UTF-8 if most of its characters are
 * valid.
 */
static void
choose(Decoder *decoder, const char *at, const char *end)
{
	const Encoding *guess;
	size_t wrong;

	if (encoding_is_utf8(at, (size_t) (end - at), &wrong))
	{
		set_form(decoder, FORM_UTF8, "UTF-8",
				 wrong == 0 ? "its bytes are UTF-8" : "most of its characters are UTF-8");
		return;
	}
	guess = encoding_guess(at, (size_t) (end - at));
	set_converter(decoder, guess->name, guess->iconv, guess->reason);
}

/* Copy ASCII without zero bytes, eight bytes at a time, and advance *to. */
static const char *
copy_ascii(const char *at, const char *end, char **to)
{
	while (end - at >= 8 && clean_word(clean_load(at, 8)))
	{
		memcpy(*to, at, 8);
		at += 8;
		*to += 8;
	}
	return at;
}

/* Decode a character that is not ASCII, or a zero byte; NULL if it is incomplete in this block. */
static const char *
decode_odd(Decoder *decoder, const char *at, const char *end, const char *text, char **to)
{
	size_t length = text_character(at, (size_t) (end - at));
	uint64_t offset = decoder->given + (uint64_t) (*to - text);
	unsigned char byte = (unsigned char) *at; /* of no ASCII, unless it is zero */

	if (*at == '\0')
	{
		decoder_replaced(decoder, offset, "a zero byte is shown as U+FFFD");
		*to = text_put(*to, 0xFFFD);
		return at + 1;
	}
	if (decoder->form == FORM_ASCII)
	{
		if (end - at < EVIDENCE && at > decoder->bytes && !decoder->ended)
			return NULL;
		choose(decoder, at, end);
	}
	if (decoder->form == FORM_CONVERTED)
		return NULL;
	if (length > 0)
	{
		memcpy(*to, at, length);
		*to += length;
		return at + length;
	}
	if (end - at < 4 && !decoder->ended)
		return NULL;
	decoder_replaced(decoder, offset, "a byte that is not UTF-8 is read as Windows-1252");
	*to = text_put(*to, byte < 0xA0 ? windows_characters[byte - 0x80] : byte);
	return at + 1;
}

static const char *
decode_bytes(Decoder *decoder, char *text, char **to)
{
	const char *at = decoder->bytes;
	const char *end = at + decoder->length;
	const char *next;

	while (at < end)
	{
		at = copy_ascii(at, end, to);
		while (at<end && * at> '\0')
		{
			*(*to)++ = *at++;
			if (end - at >= 8 && ((uintptr_t) at & 7) == 0)
				break;
		}
		if (at == end || *at > '\0')
			continue;
		next = decode_odd(decoder, at, end, text, to);
		if (next == NULL)
			break;
		at = next;
	}
	return at;
}

/* Examine the first bytes: a byte order mark, or the signature of another format. */
static void
begin(Decoder *decoder)
{
	static const struct
	{
		const char *bytes;
		size_t length;
		Form form;
		const char *name;
	} signatures[] = {{BYTE_ORDER_MARK, 3, FORM_UTF8, "UTF-8"},
					  {"\xFF\xFE\0\0", 4, FORM_CONVERTED, "UTF-32LE"},
					  {"\0\0\xFE\xFF", 4, FORM_CONVERTED, "UTF-32BE"},
					  {"\xFF\xFE", 2, FORM_UTF16LE, "UTF-16LE"},
					  {"\xFE\xFF", 2, FORM_UTF16BE, "UTF-16BE"}};
	static const char reason[] = "it begins with a byte order mark";
	bool said = decoder->form != FORM_ASCII;
	size_t zeros = 0;

	decoder->begun = true;
	parse_check_magic(decoder->parse, decoder->bytes, decoder->length);
	for (size_t i = 0; i < (said ? 0 : lengthof(signatures)); i++)
	{
		if (decoder->length < signatures[i].length ||
			memcmp(decoder->bytes, signatures[i].bytes, signatures[i].length) != 0)
			continue;
		if (signatures[i].form == FORM_CONVERTED)
			set_converter(decoder, signatures[i].name, signatures[i].name, reason);
		else
			set_form(decoder, signatures[i].form, signatures[i].name, reason);
		decoder->length -= signatures[i].length;
		memmove(decoder->bytes, decoder->bytes + signatures[i].length, decoder->length);
		return;
	}
	for (size_t i = 0; i < decoder->length; i++)
		zeros += decoder->bytes[i] == '\0';
	if (!said && zeros > 1 && zeros > decoder->length / 10)
		parse_refuse(decoder->parse,
					 "the file has so many zero bytes that it is no text, or one in UTF-16 or "
					 "UTF-32 without a byte order mark: name its encoding in parseOptions");
}

/* Fill the block; false at the end of the file. */
static bool
fill(Decoder *decoder)
{
	while (!decoder->ended && decoder->length < DECODER_BLOCK)
	{
		size_t got = parse_read(decoder->parse, decoder->bytes + decoder->length,
								DECODER_BLOCK - decoder->length);

		decoder->ended = got == 0;
		decoder->length += got;
	}
	if (!decoder->begun)
		begin(decoder);
	return decoder->length > 0;
}

/* Skip a byte order mark also if the encoding is a parse option. */
static void
drop_byte_order_mark(const Decoder *decoder, char *text, char **to)
{
	if (decoder->given > 0 || *to - text < 3 || memcmp(text, BYTE_ORDER_MARK, 3) != 0)
		return;
	memmove(text, text + 3, (size_t) (*to - text - 3));
	*to -= 3;
}

static uint32_t
unit(const Decoder *decoder, const char *at)
{
	unsigned char first = (unsigned char) at[decoder->form == FORM_UTF16BE];
	unsigned char second = (unsigned char) at[decoder->form == FORM_UTF16LE];

	return (uint32_t) second << 8 | first;
}

static const char *
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
		*to = text_put(*to, character);
	}
	if (at == end || !decoder->ended)
		return at;
	decoder_replaced(decoder, decoder->given + (uint64_t) (*to - text),
					 "a single byte at the end is shown as U+FFFD");
	*to = text_put(*to, 0xFFFD);
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
	*to = text_put(*to, 0xFFFD);
	*left -= step;
	return at + step;
}

static const char *
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
static void
decoder_flush(Decoder *decoder, char **to)
{
	size_t room = 16;

	if (decoder->flushed || decoder->form != FORM_CONVERTED)
		return;
	decoder->flushed = true;
	(void) iconv(decoder->converter, NULL, NULL, to, &room);
}

size_t
decode_read(Decoder *decoder, char *text)
{
	char *to = text;
	const char *rest;

	while (to == text && fill(decoder))
	{
		if (decoder->form == FORM_CONVERTED)
			rest = decoder_converted(decoder, text, &to);
		else if (decoder->form >= FORM_UTF16LE)
			rest = decoder_units(decoder, text, &to);
		else
			rest = decode_bytes(decoder, text, &to);
		decoder->length -= (size_t) (rest - decoder->bytes);
		memmove(decoder->bytes, rest, decoder->length);
		drop_byte_order_mark(decoder, text, &to);
	}
	if (to == text)
		decoder_flush(decoder, &to);
	decoder->given += (uint64_t) (to - text);
	parse_progress(decoder->parse);
	return (size_t) (to - text);
}
