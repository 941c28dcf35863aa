/*
 * profile.c - profile of a column: type, empty cells, least and greatest value, distinct values.
 *
 * Cells are examined column by column when a chunk is full; a type that was ruled out is not tried
 * again.
 */
#include <endian.h>
#include <math.h>
#include <stdarg.h>
#include <strings.h>

#include "rows/columns.h"

/*
 * ---- Number of distinct values of a column: HyperLogLog with 4,096 registers ----
 *
 * Flajolet, Fusy, Gandouet, Meunier 2007.  The standard error is 1.6 %; small numbers are estimated
 * by linear counting of the empty registers.
 */

#define REGISTERS (1 << SKETCH_BITS)

/* A column is nearly of a type if at least 4 of 5 cells are of it, those that stand for no value
 * apart. */
#define NEARLY 4
#define NEARLY_OF 5

typedef enum ColumnType
{
	TYPE_TEXT,
	TYPE_NUMBER,
	TYPE_BOOLEAN,
	TYPE_MOMENT,
} ColumnType;

static uint64_t
mix(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t) a * b;

	return (uint64_t) product ^ (uint64_t) (product >> 64);
}

/* Values can be crafted to have equal hashes; then only the estimate is wrong. */
static uint64_t
distinct_sketch_hash(const char *bytes, size_t length)
{
	uint64_t hash = UINT64_C(0x9E3779B97F4A7C15) ^ length;
	uint64_t word;

	for (; length > 8; bytes += 8, length -= 8)
	{
		memcpy(&word, bytes, 8);
		hash = mix(hash ^ word, UINT64_C(0xA0761D6478BD642F));
	}
	memcpy(&word, bytes, 8);
	/* of the last word, as many bytes as there are */
	if (length < 8)
		word &= htole64(~(UINT64_MAX << (8 * length)));
	hash = mix(hash ^ word, UINT64_C(0xE7037ED1A0B428DB));
	return mix(hash ^ UINT64_C(0x8EBC6AF09C88C6E3), UINT64_C(0x589965CC75374CC3));
}

static uint64_t
distinct_sketch_estimate(const DistinctSketch *sketch)
{
	double sum = 0;
	unsigned empty = 0;
	double estimate;

	for (unsigned i = 0; i < REGISTERS; i++)
	{
		sum += ldexp(1, -(int) sketch->registers[i]);
		empty += sketch->registers[i] == 0;
	}
	estimate = 0.7213 / (1 + 1.079 / REGISTERS) * REGISTERS * REGISTERS / sum;
	if (estimate <= 2.5 * REGISTERS && empty > 0)
		estimate = REGISTERS * log((double) REGISTERS / empty);
	return (uint64_t) (estimate + 0.5);
}

/* The first eight bytes of a text as a big-endian number; 8 bytes must be readable. */
static uint64_t
order_key(const char *text, size_t length)
{
	uint64_t key;

	memcpy(&key, text, sizeof(key));
	key = be64toh(key);
	return length >= 8 ? key : length == 0 ? 0 : key & ~(UINT64_MAX >> (8 * length));
}

static void
set_sample(Sample *sample, uint64_t key, const char *text, size_t length)
{
	sample->key = key;
	sample->length = frame_cut(text, length, SAMPLE_MAXIMUM);
	memcpy(sample->text, text, sample->length);
}

/* Compare a text with a sample, bytewise. */
static int
compare_sample(const char *text, size_t length, const Sample *sample)
{
	size_t both = length < sample->length ? length : sample->length;
	int order = memcmp(text, sample->text, both);

	return order != 0 ? order : (length > both) - (sample->length > both);
}

static void
add_text(Profile *profile, const char *text, size_t length)
{
	uint64_t key = order_key(text, length);

	if (key <= profile->least.key && compare_sample(text, length, &profile->least) < 0)
		set_sample(&profile->least, key, text, length);
	if (key >= profile->greatest.key && compare_sample(text, length, &profile->greatest) > 0)
		set_sample(&profile->greatest, key, text, length);
}

static void
set_number(NumberSample *sample, const Number *number, const char *text, size_t length)
{
	sample->number = *number;
	sample->length = length;
	memcpy(sample->text, text, length);
}

/* Is a number less than another?  Integers are compared exactly if their doubles are equal. */
static bool
is_less(const Number *one, const Number *other)
{
	return one->value != other->value ? one->value < other->value : one->whole < other->whole;
}

static bool
is_digits(const char *text, size_t length)
{
	size_t digits = 0;

	while (digits < length && text[digits] >= '0' && text[digits] <= '9')
		digits++;
	return digits == length;
}

/* Count a cell that is of a type, or keep one that is not. */
static void
add_likeness(Likeness *likeness, bool alike, uint64_t row, const char *text, size_t length)
{
	if (alike)
		likeness->cells++;
	else if (likeness->count < OTHERS)
	{
		likeness->others[likeness->count].row = row;
		likeness->others[likeness->count].length = frame_cut(text, length, OTHER_BYTES);
		memcpy(likeness->others[likeness->count].text, text,
			   likeness->others[likeness->count].length);
		likeness->count++;
	}
}

static void
add_number(Profile *profile, uint64_t row, const char *text, size_t length)
{
	NumberSample *least = &profile->least_number;
	NumberSample *greatest = &profile->greatest_number;
	char decimal = profile->parse->options.decimal;
	Number number;

	number_read(&number, text, length);
	add_likeness(&profile->numbers, number.kind != NUMBER_NONE, row, text, length);
	profile->codes |= number.kind == NUMBER_NONE && is_digits(text, length);
	if (number.kind == NUMBER_NONE || (number.kind == NUMBER_COMMA && decimal == '.') ||
		(number.kind == NUMBER_POINT && decimal == ',') ||
		(number.kind != NUMBER_INTEGER && profile->fraction && profile->form != number.kind))
		profile->number = false;
	if (!profile->number)
		return;
	if (number.kind != NUMBER_INTEGER)
	{
		profile->fraction = true;
		profile->form = number.kind;
		profile->groups &= number.groups && decimal == '\0';
	}
	if (least->length == 0 || is_less(&number, &least->number))
		set_number(least, &number, text, length);
	if (greatest->length == 0 || is_less(&greatest->number, &number))
		set_number(greatest, &number, text, length);
}

bool
profile_is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

static void
add_boolean(Profile *profile, const char *text, size_t length)
{
	if (profile_is_word(text, length, "true"))
		profile->trues = true;
	else if (profile_is_word(text, length, "false"))
		profile->falses = true;
	else
		profile->boolean = false;
}

/* Is a text a date whose year has two digits, which is one only if the order is given? */
static bool
is_short_date(const char *text, size_t length)
{
	DateTime date_time;

	return (date_time_read(&date_time, text, length, DATE_DAY_FIRST) ||
			date_time_read(&date_time, text, length, DATE_MONTH_FIRST)) &&
		   date_time.short_year;
}

static void
add_moment(Profile *profile, uint64_t row, const char *text, size_t length)
{
	DateTime date_time;
	bool any = date_time_read(&date_time, text, length, profile->parse->options.dates);

	bool unordered =
		!any && profile->parse->options.dates == DATE_ANY && is_short_date(text, length);

	profile->unordered |= unordered;
	add_likeness(&profile->moments, any || unordered, row, text, length);
	profile->date_time &=
		any && (profile->separator == 0 || (profile->separator == date_time.separator &&
											profile->short_year == date_time.short_year));
	if (!profile->date_time)
		return;
	any = false;
	profile->separator = date_time.separator;
	profile->short_year = date_time.short_year;
	profile->timed |= date_time.timed;
	profile->zoned |= date_time.zoned;
	for (DateOrder order = DATE_YEAR_FIRST; order < DATE_ORDERS; order++)
	{
		int64_t instant = date_time.microseconds[order];

		profile->possible[order] &= date_time.possible[order];
		if (!profile->possible[order])
			continue;
		any = true;
		if (instant < profile->earliest[order])
			profile->earliest[order] = instant;
		if (instant > profile->latest[order])
			profile->latest[order] = instant;
	}
	profile->date_time = any;
}

void
profile_begin(Profile *profile, Parse *parse)
{
	memset(profile, 0, sizeof(*profile));
	profile->parse = parse;
	profile->number = profile->boolean = profile->date_time = true;
	profile->groups = true;
	for (DateOrder order = DATE_YEAR_FIRST; order < DATE_ORDERS; order++)
	{
		profile->possible[order] = true;
		profile->earliest[order] = INT64_MAX;
		profile->latest[order] = INT64_MIN;
	}
}

static void
add_value(Profile *profile, uint64_t row, const char *text, size_t length)
{
	distinct_sketch_add(&profile->sketch, distinct_sketch_hash(text, length));
	if (profile->values++ == 0)
	{
		set_sample(&profile->least, order_key(text, length), text, length);
		profile->greatest = profile->least;
	}
	else
		add_text(profile, text, length);
	if (mark_is(profile->parse->options.missing, text, length))
	{
		mark_count(&profile->marks, profile->parse, text, length);
		return;
	}
	/* no text is a number and a date: what all cells are so far need not be looked for as the other */
	if (profile->number || !profile->date_time)
		add_number(profile, row, text, length);
	if (profile->boolean)
		add_boolean(profile, text, length);
	if (profile->date_time || !profile->number)
		add_moment(profile, row, text, length);
}

void
profile_cells(Profile *profile, uint64_t first, const unsigned char *lengths, const char *bytes,
			  unsigned count)
{
	for (unsigned i = 0; i < count; i++)
	{
		size_t length = text_number(&lengths);

		if (length <= 1)
			continue;
		add_value(profile, first + i, bytes, length - 1);
		bytes += length - 1;
	}
}

/* The only order in which all dates are valid; DATE_ANY if there is none or several. */
static DateOrder
only_order(const Profile *profile)
{
	DateOrder found = DATE_ANY;

	for (DateOrder order = DATE_YEAR_FIRST; order < DATE_ORDERS; order++)
	{
		if (!profile->possible[order])
			continue;
		if (found != DATE_ANY)
			return DATE_ANY;
		found = order;
	}
	return found;
}

/*
 * The type of the cells that are no marks.  Text if there are none, or if the usual marks are more than
 * half of all: a column of crosses is not a column of missing numbers.
 */
static ColumnType
type_of(const Profile *profile)
{
	uint64_t values = profile->values - profile->marks.cells;

	if (values == 0 || profile->marks.more ||
		(profile->parse->options.missing == NULL && profile->marks.cells > values))
		return TYPE_TEXT;
	if (profile->number && !(profile->form == NUMBER_COMMA && profile->groups))
		return TYPE_NUMBER;
	if (profile->boolean)
		return TYPE_BOOLEAN;
	return profile->date_time && only_order(profile) != DATE_ANY ? TYPE_MOMENT : TYPE_TEXT;
}

/* Append a text to a note, as far as there is room. */
static size_t __attribute__((format(printf, 4, 5)))
add_note(char *note, size_t size, size_t length, const char *format, ...)
{
	va_list arguments;
	int more;

	va_start(arguments, format);
	more = vsnprintf(note + length, size - length, format, arguments);
	va_end(arguments);
	return length + (size_t) more < size ? length + (size_t) more : size - 1;
}

/* Write which cells of a column are not of the type of most. */
static void
note_others(const Likeness *likeness, uint64_t values, const char *type, char *note, size_t size)
{
	size_t length =
		add_note(note, size, 0,
				 "%llu of %llu cells are no %s: ", (unsigned long long) (values - likeness->cells),
				 (unsigned long long) values, type);

	for (unsigned i = 0; i < likeness->count; i++)
		length = add_note(note, size, length, "%s\"%.*s\" in row %llu", i > 0 ? ", " : "",
						  (int) likeness->others[i].length, likeness->others[i].text,
						  (unsigned long long) likeness->others[i].row);
	add_note(note, size, length, "%s; parseOptions.missing says which texts stand for no value",
			 values - likeness->cells > likeness->count ? " ..." : "");
}

/* Write why numbers or dates alone are text; false if the cells are not these alone. */
static bool
note_ambiguous(const Profile *profile, uint64_t values, char *note, size_t size)
{
	const char *reason = NULL;

	if (profile->numbers.cells == values && profile->number)
		reason =
			"a comma may stand before decimals or between thousands; parseOptions.decimal says "
			"which";
	else if (profile->numbers.cells == values)
		reason = "some numbers have a decimal comma, others a decimal point; parseOptions.decimal "
				 "says which is meant";
	else if (profile->moments.cells == values && profile->unordered)
		reason =
			"the years of its dates have two digits; parseOptions.dates says the order of day, "
			"month and year";
	else if (profile->moments.cells == values && profile->date_time)
		reason =
			"the first number of its dates may be the day or the month; parseOptions.dates says "
			"which";
	else if (profile->moments.cells == values)
		reason = "its dates are not all written alike";
	if (reason != NULL)
		snprintf(note, size, "%s", reason);
	return reason != NULL;
}

bool
profile_note(const Profile *profile, char *note, size_t size)
{
	uint64_t values = profile->values - profile->marks.cells;
	bool numbers = profile->numbers.cells >= profile->moments.cells;
	const Likeness *likeness = numbers ? &profile->numbers : &profile->moments;

	if (type_of(profile) != TYPE_TEXT || profile->codes ||
		likeness->cells * NEARLY_OF < values * NEARLY || values == 0)
		return false;
	if (likeness->cells < values)
		note_others(likeness, values, numbers ? "numbers" : "dates", note, size);
	else if (profile->marks.cells > values && profile->parse->options.missing == NULL)
		snprintf(note, size,
				 "more than half of its cells stand for no value, such as \"%.*s\"; "
				 "parseOptions.missing says which do",
				 (int) profile->marks.mark[0].length, profile->marks.mark[0].text);
	else if (profile->marks.more)
		snprintf(note, size, "it has more than %d different texts for no value", MARKS_MOST);
	else
		return note_ambiguous(profile, values, note, size);
	return true;
}

static void
json_range(Buffer *json, const char *type, const char *least, size_t least_length,
		   const char *greatest, size_t greatest_length)
{
	buffer_format(json, ",\"type\":\"%s\",\"min\":", type);
	buffer_json(json, least, least_length);
	buffer_text(json, ",\"max\":");
	buffer_json(json, greatest, greatest_length);
}

static void
json_dates(const Profile *profile, DateOrder order, Buffer *json)
{
	static const char *const formats[] = {NULL, ",\"format\":\"%%%1$c%2$c%%m%3$c%%d\"",
										  ",\"format\":\"%%d%2$c%%m%3$c%%%1$c\"",
										  ",\"format\":\"%%m%2$c%%d%3$c%%%1$c\""};
	char first[DATE_TIME_SIZE];
	char last[DATE_TIME_SIZE];

	date_time_write(first, profile->earliest[order], profile->timed, profile->zoned);
	date_time_write(last, profile->latest[order], profile->timed, profile->zoned);
	json_range(json, profile->timed ? "datetime" : "date", first, strlen(first), last,
			   strlen(last));
	if (order == DATE_YEAR_FIRST && profile->separator == '-' && !profile->short_year)
		return;
	buffer_format(json, formats[order], profile->short_year ? 'y' : 'Y', profile->separator,
				  profile->separator);
}

void
profile_json(const Profile *profile, uint64_t rows, Buffer *json)
{
	uint64_t distinct = distinct_sketch_estimate(&profile->sketch);
	const NumberSample *least = &profile->least_number;
	const NumberSample *greatest = &profile->greatest_number;
	ColumnType type = type_of(profile);
	uint64_t values = profile->values;
	char note[REASON_MAXIMUM];

	if (values == 0)
		buffer_text(json, ",\"type\":\"text\",\"min\":null,\"max\":null");
	else if (type == TYPE_NUMBER)
		json_range(json, profile->fraction ? "decimal" : "integer", least->text, least->length,
				   greatest->text, greatest->length);
	else if (type == TYPE_BOOLEAN)
		json_range(json, "boolean", profile->falses ? "false" : "true", profile->falses ? 5 : 4,
				   profile->trues ? "true" : "false", profile->trues ? 4 : 5);
	else if (type == TYPE_MOMENT)
		json_dates(profile, only_order(profile), json);
	else
		json_range(json, "text", profile->least.text, profile->least.length, profile->greatest.text,
				   profile->greatest.length);
	if (type == TYPE_NUMBER && profile->form == NUMBER_COMMA)
		buffer_text(json, ",\"decimalComma\":true");
	if (type != TYPE_TEXT)
	{
		values -= profile->marks.cells;
		distinct -= distinct < profile->marks.count ? distinct : profile->marks.count;
		mark_json(&profile->marks, json);
	}
	buffer_format(json, ",\"nulls\":%llu,\"distinct\":%llu",
				  (unsigned long long) (rows - profile->values),
				  (unsigned long long) (distinct < values ? distinct : values));
	if (profile_note(profile, note, sizeof(note)))
	{
		buffer_text(json, ",\"note\":");
		buffer_json(json, note, strlen(note));
	}
}
