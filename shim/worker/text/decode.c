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

/*
 * The guess uses typical features: consecutive pairs of bytes for the encodings of Chinese,
 * Japanese and Korean; words of bytes above 0x7F with the most frequent letters for Russian;
 * letters within words that are symbols in Windows-1252 for Windows-1250.  A text without these
 * features is Windows-1252.
 */

/* Counts of byte pairs, for the encodings of Chinese, Japanese and Korean. */
typedef struct Pairs
{
	unsigned count;
	unsigned adjacent; /* pairs that follow another pair */
	unsigned invalid;  /* bytes above 0x7F outside pairs */
	unsigned early;	   /* lead byte 0x81 to 0x9F */
	unsigned low;	   /* second byte below 0x80 */
	unsigned both;	   /* both bytes from 0xA1 on */
	unsigned kana;	   /* lead byte of Japanese syllables in EUC-JP */
	unsigned hangul;   /* lead byte of Korean syllables in EUC-KR */
} Pairs;

/* Counts of bytes above 0x7F, for single-byte encodings. */
typedef struct Letters
{
	unsigned count;
	unsigned middle;  /* 0x81 to 0xBF */
	unsigned in_runs; /* next to another such byte */
	unsigned koi;	  /* most frequent small letters of Russian in KOI8-R */
	unsigned windows; /* the same in Windows-1251 */
	unsigned central; /* letters of Windows-1250 within words that are symbols in Windows-1252 */
} Letters;

typedef enum Known
{
	KNOWN_JAPANESE,
	KNOWN_EUC_JAPANESE,
	KNOWN_KOREAN,
	KNOWN_TAIWAN,
	KNOWN_CHINESE,
	KNOWN_KOI,
	KNOWN_CYRILLIC,
	KNOWN_CENTRAL,
	KNOWN_WESTERN,
	KNOWN_COUNT
} Known;

static const Encoding encodings[KNOWN_COUNT] = {
	{"Shift_JIS", "CP932", "it has pairs of bytes as Japanese texts have them"},
	{"EUC-JP", "EUC-JP", "it has pairs of bytes as Japanese texts have them"},
	{"EUC-KR", "CP949", "it has pairs of bytes as Korean texts have them"},
	{"Big5", "BIG5", "it has pairs of bytes as Chinese texts of Taiwan have them"},
	{"GB18030", "GB18030", "it has pairs of bytes as Chinese texts have them"},
	{"KOI8-R", "KOI8-R", "it has words with the commonest letters of Russian"},
	{"Windows-1251", "CP1251", "it has words with the commonest letters of Russian"},
	{"Windows-1250", "CP1250", "it has letters within words that are signs in Windows-1252"},
	{"Windows-1252", "CP1252", "its bytes are not UTF-8, and tell of no other encoding"},
};

/* Names of encodings that are read as a superset. */
static const char *const later[][2] = {
	{"SHIFT_JIS", "CP932"}, {"SHIFT-JIS", "CP932"}, {"SJIS", "CP932"},
	{"EUC-KR", "CP949"},	{"GB2312", "GB18030"},	{"GBK", "GB18030"},
};

iconv_t
encoding_open_as(const char *form, const char *name)
{
	for (size_t i = 0; i < lengthof(later); i++)
		if (strcasecmp(later[i][0], name) == 0)
			name = later[i][1];
	return iconv_open(form, name);
}

bool
encoding_append_unit(Buffer *text, uint32_t unit, uint32_t *high, const char *half)
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

void
encoding_prepare(const Options *options)
{
	if (options->encoding != NULL)
		(void) encoding_open_as("UTF-8", options->encoding);
	for (size_t i = 0; i < lengthof(encodings); i++)
		(void) encoding_open_as("UTF-8", encodings[i].iconv);
	(void) encoding_open_as("UTF-8", "UTF-32LE");
	(void) encoding_open_as("UTF-8", "UTF-32BE");
}

/* Encodings that XML documents declare, besides those that expat knows. */
void
encoding_prepare_xml(const Options *options)
{
	static const char *const names[] = {
		"ISO-8859-2",	"ISO-8859-3",	"ISO-8859-4",	"ISO-8859-5",	"ISO-8859-6",
		"ISO-8859-7",	"ISO-8859-8",	"ISO-8859-9",	"ISO-8859-10",	"ISO-8859-11",
		"ISO-8859-13",	"ISO-8859-14",	"ISO-8859-15",	"ISO-8859-16",	"windows-1250",
		"windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255",
		"windows-1256", "windows-1257", "windows-1258", "KOI8-R",		"KOI8-U",
		"TIS-620",		"macintosh",	"IBM437",		"IBM850",		"IBM852",
		"IBM866",		"Shift_JIS",	"EUC-JP",		"EUC-KR",		"Big5",
		"GBK"};

	(void) options;
	for (size_t i = 0; i < lengthof(names); i++)
		(void) encoding_open_as("UTF-32LE", names[i]);
}

static bool
is_between(unsigned char byte, unsigned least, unsigned greatest)
{
	return byte >= least && byte <= greatest;
}

static void
add_pair(Pairs *pairs, unsigned char lead, unsigned char second, bool adjacent)
{
	pairs->count++;
	pairs->adjacent += adjacent;
	pairs->early += is_between(lead, 0x81, 0x9F);
	pairs->low += second < 0x80;
	pairs->both += lead >= 0xA1 && second >= 0xA1;
	pairs->kana += lead == 0xA4 || lead == 0xA5;
	pairs->hangul += is_between(lead, 0xB0, 0xC8);
}

/* Count the byte pairs; single: bytes from 0xA1 to 0xDF are single characters. */
static Pairs
count_pairs(const unsigned char *at, const unsigned char *end, bool single)
{
	Pairs pairs = {0};
	bool behind = false;

	for (; at < end; at++)
	{
		bool lead = is_between(*at, 0x81, 0xFE) && !(single && is_between(*at, 0xA0, 0xDF));

		if (lead && at + 1 == end)
			break;
		if (lead && is_between(at[1], 0x40, 0xFE) && at[1] != 0x7F)
		{
			add_pair(&pairs, *at, at[1], behind);
			behind = true;
			at++;
			continue;
		}
		/* a four-byte character of GB18030 */
		if (lead && end - at >= 4 && is_between(at[1], '0', '9') && is_between(at[2], 0x81, 0xFE))
			at += 3;
		else
			pairs.invalid += *at >= 0x80 && !(single && is_between(*at, 0xA1, 0xDF));
		behind = false;
	}
	return pairs;
}

static bool
is_letter(unsigned char byte)
{
	return byte >= 0xC0 || is_between((unsigned char) (byte | 0x20), 'a', 'z');
}

static Letters
count_letters(const unsigned char *start, const unsigned char *end)
{
	static const char koi[] = "\xCF\xC5\xC1\xC9\xCE\xD4\xD3\xD2\xD7\xCC";
	static const char windows[] = "\xEE\xE5\xE0\xE8\xED\xF2\xF1\xF0\xE2\xEB";
	static const char central[] = "\xB9\xB3\xBF\xBA\xBE\x9D\xEC\xF9";
	Letters letters = {0};

	for (const unsigned char *at = start; at < end; at++)
	{
		bool behind = at > start && is_letter(at[-1]);
		bool before = at + 1 < end && is_letter(at[1]);

		if (*at < 0x80)
			continue;
		letters.count++;
		letters.middle += is_between(*at, 0x81, 0xBF);
		letters.in_runs += (at > start && at[-1] >= 0xC0) || (at + 1 < end && at[1] >= 0xC0);
		letters.koi += strchr(koi, *at) != NULL;
		letters.windows += strchr(windows, *at) != NULL;
		letters.central += behind && before && strchr(central, *at) != NULL;
		/* Polish capitals at the beginning of words */
		letters.central += !behind && before && (*at == 0xA3 || *at == 0xAF);
	}
	return letters;
}

/* The double-byte encoding of the bytes; KNOWN_COUNT if none matches. */
static Known
guess_pairs(const unsigned char *start, const unsigned char *end, const Letters *letters)
{
	Pairs japanese = count_pairs(start, end, true);
	Pairs pairs = count_pairs(start, end, false);

	if (japanese.invalid == 0 && japanese.count >= 2 && japanese.early * 10 >= japanese.count * 6 &&
		japanese.adjacent * 2 >= japanese.count)
		return KNOWN_JAPANESE;
	/* words in single-byte encodings have almost no bytes below 0xC0 */
	if (pairs.invalid > 0 || pairs.count < 2 || pairs.adjacent * 2 < pairs.count ||
		letters->middle * 10 < letters->count)
		return KNOWN_COUNT;
	if (pairs.early == 0 && pairs.low * 4 >= pairs.count)
		return KNOWN_TAIWAN;
	if (pairs.both * 10 < pairs.count * 8)
		return KNOWN_COUNT;
	if (pairs.kana * 5 >= pairs.count)
		return KNOWN_EUC_JAPANESE;
	if (pairs.count >= 10 && pairs.hangul * 20 >= pairs.count * 19)
		return KNOWN_KOREAN;
	return KNOWN_CHINESE;
}

/* Guess the encoding of a text that is neither UTF-8 nor UTF-16 from its first bytes. */
static const Encoding *
encoding_guess(const char *bytes, size_t length)
{
	const unsigned char *start = (const unsigned char *) bytes;
	const unsigned char *end = start + length;
	Letters letters = count_letters(start, end);
	Known known = guess_pairs(start, end, &letters);
	unsigned russian = letters.koi > letters.windows ? letters.koi : letters.windows;

	if (known != KNOWN_COUNT)
		return &encodings[known];
	if (letters.count >= 4 && letters.in_runs * 10 >= letters.count * 9 &&
		russian * 10 >= letters.count * 4)
		return &encodings[letters.koi > letters.windows ? KNOWN_KOI : KNOWN_CYRILLIC];
	if (letters.central >= 2 && letters.central * 10 >= letters.count)
		return &encodings[KNOWN_CENTRAL];
	return &encodings[KNOWN_WESTERN];
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
decoder_new(Parse *parse)
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

/* Record that a byte was replaced at an offset of the decoded text. */
static void
decoder_replaced(Decoder *decoder, uint64_t place, const char *what)
{
	if (decoder->faults < FAULTS_MAXIMUM)
		decoder->places[decoder->faults++] = (Fault){place, what};
}

/*
 * Determine the encoding from a block that is not plain ASCII: UTF-8 if most of its characters are
 * valid.
 */
static void
choose(Decoder *decoder, const char *at, const char *end)
{
	const char *start = at;
	const Encoding *guess;
	size_t good = 0;
	size_t wrong = 0;

	while (at < end)
	{
		size_t length = text_character(at, (size_t) (end - at));

		good += length > 1;
		wrong += length == 0 && end - at >= 4;
		at += length > 0 ? length : 1;
	}
	if (good >= wrong)
	{
		set_form(decoder, FORM_UTF8, "UTF-8",
				 wrong == 0 ? "its bytes are UTF-8" : "most of its characters are UTF-8");
		return;
	}
	guess = encoding_guess(start, (size_t) (end - start));
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
	uint64_t place = decoder->given + (uint64_t) (*to - text);
	unsigned char byte = (unsigned char) *at; /* of no ASCII, unless it is zero */

	if (*at == '\0')
	{
		decoder_replaced(decoder, place, "a zero byte is shown as U+FFFD");
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
	decoder_replaced(decoder, place, "a byte that is not UTF-8 is read as Windows-1252");
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
	} marks[] = {{"\xEF\xBB\xBF", 3, FORM_UTF8, "UTF-8"},
				 {"\xFF\xFE\0\0", 4, FORM_CONVERTED, "UTF-32LE"},
				 {"\0\0\xFE\xFF", 4, FORM_CONVERTED, "UTF-32BE"},
				 {"\xFF\xFE", 2, FORM_UTF16LE, "UTF-16LE"},
				 {"\xFE\xFF", 2, FORM_UTF16BE, "UTF-16BE"}};
	static const char marked[] = "it begins with a byte order mark";
	bool said = decoder->form != FORM_ASCII;
	size_t zeros = 0;

	decoder->begun = true;
	parse_check_magic(decoder->parse, decoder->bytes, decoder->length);
	for (size_t i = 0; i < (said ? 0 : lengthof(marks)); i++)
	{
		if (decoder->length < marks[i].length ||
			memcmp(decoder->bytes, marks[i].bytes, marks[i].length) != 0)
			continue;
		if (marks[i].form == FORM_CONVERTED)
			set_converter(decoder, marks[i].name, marks[i].name, marked);
		else
			set_form(decoder, marks[i].form, marks[i].name, marked);
		decoder->length -= marks[i].length;
		memmove(decoder->bytes, decoder->bytes + marks[i].length, decoder->length);
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
drop_mark(const Decoder *decoder, char *text, char **to)
{
	if (decoder->given > 0 || *to - text < 3 || memcmp(text, "\xEF\xBB\xBF", 3) != 0)
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
decoder_read(Decoder *decoder, char *text)
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
		drop_mark(decoder, text, &to);
	}
	if (to == text)
		decoder_flush(decoder, &to);
	decoder->given += (uint64_t) (to - text);
	parse_progress(decoder->parse);
	return (size_t) (to - text);
}
