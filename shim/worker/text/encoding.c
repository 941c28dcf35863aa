/*
 * encoding.c - guess the encoding of a text that is neither UTF-8 nor UTF-16; open converters.
 *
 * The guess uses typical features: consecutive pairs of bytes for the encodings of Chinese,
 * Japanese and Korean; words of bytes above 0x7F with the most frequent letters for Russian;
 * letters within words that are symbols in Windows-1252 for Windows-1250.  A text without these
 * features is Windows-1252.
 */
#include <strings.h>

#include "text/decode.h"

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

bool
encoding_is_utf8(const char *bytes, size_t length, size_t *wrong)
{
	const char *end = bytes + length;
	size_t good = 0;

	*wrong = 0;
	while (bytes < end)
	{
		size_t step = text_character(bytes, (size_t) (end - bytes));

		good += step > 1;
		*wrong += step == 0 && end - bytes >= 4;
		bytes += step > 0 ? step : 1;
	}
	return good >= *wrong;
}

/* Guess the encoding of a text that is neither UTF-8 nor UTF-16 from its first bytes. */
const Encoding *
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
