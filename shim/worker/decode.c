/*
 * decode.c - the encoding of a text: UTF-8, UTF-16 with a byte order mark, else Windows-1252.
 *
 * A text without mark is decided by the first of its blocks that has more than ASCII.  Nothing is
 * dropped after that: a byte that is not UTF-8 in a text that is stands for its character of
 * Windows-1252, half a surrogate pair and a zero byte for U+FFFD, and where that happened is told.
 */
#include <string.h>

#include "parse.h"

#define FAULTS_MAXIMUM 1024 /* places that are kept; of more only the first are told */

typedef enum Encoding
{
	ENCODING_ASCII, /* so far */
	ENCODING_UTF8,
	ENCODING_WINDOWS,
	ENCODING_UTF16LE,
	ENCODING_UTF16BE
} Encoding;

typedef struct Fault
{
	uint64_t place;
	const char *what;
} Fault;

struct Decoder
{
	Parse *parse;
	Encoding encoding;
	bool begun;
	bool ended;
	size_t length; /* of bytes */
	char bytes[DECODER_BLOCK];
	uint64_t given; /* bytes of decoded text, of all blocks */
	unsigned first_fault;
	unsigned faults;
	Fault places[FAULTS_MAXIMUM];
};

/* Characters of 0x80 to 0x9F; those that Windows-1252 does not have are control characters. */
static const uint16_t windows_characters[32] = {
	0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
	0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
	0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

Decoder *
decoder_new(Parse *parse)
{
	Decoder *decoder = parse_allocate(parse, sizeof(Decoder));

	decoder->parse = parse;
	return decoder;
}

const char *
decoder_encoding(const Decoder *decoder)
{
	static const char *const names[] = {"UTF-8", "UTF-8", "Windows-1252", "UTF-16LE", "UTF-16BE"};

	return names[decoder->encoding];
}

bool
decoder_fault(Decoder *decoder, uint64_t end, const char **what)
{
	Fault *fault = &decoder->places[decoder->first_fault];

	if (decoder->first_fault == decoder->faults || fault->place >= end)
		return false;
	*what = fault->what;
	if (++decoder->first_fault == decoder->faults)
		decoder->first_fault = decoder->faults = 0;
	return true;
}

static void
add_fault(Decoder *decoder, uint64_t place, const char *what)
{
	if (decoder->faults < FAULTS_MAXIMUM)
		decoder->places[decoder->faults++] = (Fault){place, what};
}

char *
decoder_put(char *to, uint32_t character)
{
	if (character < 0x80)
		*to++ = (char) character;
	else if (character < 0x800)
		*to++ = (char) (0xC0 | character >> 6);
	else if (character < 0x10000)
	{
		*to++ = (char) (0xE0 | character >> 12);
		*to++ = (char) (0x80 | (character >> 6 & 0x3F));
	}
	else
	{
		*to++ = (char) (0xF0 | character >> 18);
		*to++ = (char) (0x80 | (character >> 12 & 0x3F));
		*to++ = (char) (0x80 | (character >> 6 & 0x3F));
	}
	if (character >= 0x80)
		*to++ = (char) (0x80 | (character & 0x3F));
	return to;
}

static char *
put_windows(char *to, unsigned char byte)
{
	return decoder_put(to, byte >= 0x80 && byte < 0xA0 ? windows_characters[byte - 0x80] : byte);
}

/* Which it is, by a block with more than ASCII: what most of its characters could be. */
static Encoding
choose(const char *at, const char *end)
{
	size_t good = 0;
	size_t wrong = 0;

	while (at < end)
	{
		size_t length = text_character(at, (size_t) (end - at));

		good += length > 1;
		wrong += length == 0 && end - at >= 4;
		at += length > 0 ? length : 1;
	}
	return good >= wrong ? ENCODING_UTF8 : ENCODING_WINDOWS;
}

/* Copy ASCII without zero bytes, eight at a time; *to goes on behind it. */
static const char *
copy_ascii(const char *at, const char *end, char **to)
{
	while (end - at >= 8 && clean_word(at))
	{
		memcpy(*to, at, 8);
		at += 8;
		*to += 8;
	}
	return at;
}

/* Decode a character that is not ASCII, or a zero byte; NULL: it goes on in the next block. */
static const char *
decode_odd(Decoder *decoder, const char *at, const char *end, const char *text, char **to)
{
	size_t length = text_character(at, (size_t) (end - at));
	uint64_t place = decoder->given + (uint64_t) (*to - text);

	if (*at == '\0')
	{
		add_fault(decoder, place, "a zero byte is shown as U+FFFD");
		*to = decoder_put(*to, 0xFFFD);
		return at + 1;
	}
	if (decoder->encoding == ENCODING_ASCII)
		decoder->encoding = choose(at, end);
	if (decoder->encoding == ENCODING_WINDOWS)
	{
		*to = put_windows(*to, (unsigned char) *at);
		return at + 1;
	}
	if (length > 0)
	{
		memcpy(*to, at, length);
		*to += length;
		return at + length;
	}
	if (end - at < 4 && !decoder->ended)
		return NULL;
	add_fault(decoder, place, "a byte that is not UTF-8 is read as Windows-1252");
	*to = put_windows(*to, (unsigned char) *at);
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

static uint32_t
unit(const Decoder *decoder, const char *at)
{
	unsigned char first = (unsigned char) at[decoder->encoding == ENCODING_UTF16BE];
	unsigned char second = (unsigned char) at[decoder->encoding == ENCODING_UTF16LE];

	return (uint32_t) second << 8 | first;
}

static const char *
decode_units(Decoder *decoder, char *text, char **to)
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
			add_fault(decoder, decoder->given + (uint64_t) (*to - text),
					  character == 0 ? "a zero character is shown as U+FFFD"
									 : "half of a surrogate pair is shown as U+FFFD");
			character = 0xFFFD;
		}
		*to = decoder_put(*to, character);
	}
	if (at == end || !decoder->ended)
		return at;
	add_fault(decoder, decoder->given + (uint64_t) (*to - text),
			  "a single byte at the end is shown as U+FFFD");
	*to = decoder_put(*to, 0xFFFD);
	return end;
}

/* Look at the first bytes: a mark, or that it is no text. */
static void
begin(Decoder *decoder)
{
	static const struct
	{
		const char *bytes;
		size_t length;
		Encoding encoding;
	} marks[] = {{"\xEF\xBB\xBF", 3, ENCODING_UTF8},
				 {"\xFF\xFE", 2, ENCODING_UTF16LE},
				 {"\xFE\xFF", 2, ENCODING_UTF16BE}};
	size_t zeros = 0;

	decoder->begun = true;
	parse_check_magic(decoder->parse, decoder->bytes, decoder->length);
	for (size_t i = 0; i < lengthof(marks); i++)
	{
		if (decoder->length < marks[i].length ||
			memcmp(decoder->bytes, marks[i].bytes, marks[i].length) != 0)
			continue;
		decoder->encoding = marks[i].encoding;
		decoder->length -= marks[i].length;
		memmove(decoder->bytes, decoder->bytes + marks[i].length, decoder->length);
		return;
	}
	for (size_t i = 0; i < decoder->length; i++)
		zeros += decoder->bytes[i] == '\0';
	if (zeros > decoder->length / 10)
		parse_refuse(decoder->parse,
					 "the file has so many zero bytes that it is no text, or one in "
					 "UTF-16 without a byte order mark: save it as UTF-8");
}

/* Fill the block; false at the end of the file when nothing is left. */
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

size_t
decoder_read(Decoder *decoder, char *text)
{
	char *to = text;
	const char *rest;

	while (to == text && fill(decoder))
	{
		if (decoder->encoding >= ENCODING_UTF16LE)
			rest = decode_units(decoder, text, &to);
		else
			rest = decode_bytes(decoder, text, &to);
		decoder->length -= (size_t) (rest - decoder->bytes);
		memmove(decoder->bytes, rest, decoder->length);
	}
	decoder->given += (uint64_t) (to - text);
	parse_progress(decoder->parse);
	return (size_t) (to - text);
}
