/*
 * profile.c - profile of a column: type, empty cells, least and greatest value, distinct values.
 *
 * Cells are examined column by column when a chunk is full; a type that was ruled out is not tried
 * again.
 */
#include <endian.h>
#include <math.h>
#include <strings.h>

#include "rows/columns.h"

/*
 * ---- Number of distinct values of a column: HyperLogLog with 4,096 registers ----
 *
 * Flajolet, Fusy, Gandouet, Meunier 2007.  The standard error is 1.6 %; small numbers are estimated
 * by linear counting of the empty registers.
 */

#define REGISTERS (1 << SKETCH_BITS)

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

static void
add_number(Profile *profile, const char *text, size_t length)
{
	NumberSample *least = &profile->least_number;
	NumberSample *greatest = &profile->greatest_number;
	Number number;

	number_read(&number, text, length);
	if (number.kind == NUMBER_NONE || (number.kind == NUMBER_COMMA && profile->decimal == '.') ||
		(number.kind == NUMBER_POINT && profile->decimal == ',') ||
		(number.kind != NUMBER_INTEGER && profile->fraction && profile->form != number.kind))
	{
		profile->number = false;
		return;
	}
	if (number.kind != NUMBER_INTEGER)
	{
		profile->fraction = true;
		profile->form = number.kind;
		profile->groups &= number.groups && profile->decimal == '\0';
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

static void
add_moment(Profile *profile, const char *text, size_t length)
{
	DateTime date_time;
	bool any = false;

	profile->date_time = date_time_read(&date_time, text, length) &&
						 (profile->separator == 0 || profile->separator == date_time.separator);
	if (!profile->date_time)
		return;
	profile->separator = date_time.separator;
	profile->timed |= date_time.timed;
	profile->zoned |= date_time.zoned;
	for (int order = 0; order < DATE_ORDERS; order++)
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
profile_begin(Profile *profile, char decimal)
{
	memset(profile, 0, sizeof(*profile));
	profile->decimal = decimal;
	profile->number = profile->boolean = profile->date_time = true;
	profile->groups = true;
	for (int order = 0; order < DATE_ORDERS; order++)
	{
		profile->possible[order] = true;
		profile->earliest[order] = INT64_MAX;
		profile->latest[order] = INT64_MIN;
	}
}

static void
add_value(Profile *profile, const char *text, size_t length)
{
	distinct_sketch_add(&profile->sketch, distinct_sketch_hash(text, length));
	if (profile->values++ == 0)
	{
		set_sample(&profile->least, order_key(text, length), text, length);
		profile->greatest = profile->least;
	}
	else
		add_text(profile, text, length);
	if (profile->number)
		add_number(profile, text, length);
	if (profile->boolean)
		add_boolean(profile, text, length);
	if (profile->date_time)
		add_moment(profile, text, length);
}

void
profile_cells(Profile *profile, const unsigned char *lengths, const char *bytes, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
	{
		size_t length = text_number(&lengths);

		if (length <= 1)
			continue;
		add_value(profile, bytes, length - 1);
		bytes += length - 1;
	}
}

/* The only order in which all dates are valid; DATE_ORDERS if there is none or several. */
static DateOrder
only_order(const Profile *profile)
{
	DateOrder found = DATE_ORDERS;

	for (int order = 0; order < DATE_ORDERS; order++)
	{
		if (!profile->possible[order])
			continue;
		if (found != DATE_ORDERS)
			return DATE_ORDERS;
		found = (DateOrder) order;
	}
	return found;
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
	static const char *const formats[] = {",\"format\":\"%%Y%c%%m%c%%d\"",
										  ",\"format\":\"%%d%c%%m%c%%Y\"",
										  ",\"format\":\"%%m%c%%d%c%%Y\""};
	char first[DATE_TIME_SIZE];
	char last[DATE_TIME_SIZE];

	date_time_write(first, profile->earliest[order], profile->timed, profile->zoned);
	date_time_write(last, profile->latest[order], profile->timed, profile->zoned);
	json_range(json, profile->timed ? "datetime" : "date", first, strlen(first), last,
			   strlen(last));
	if (order == DATE_YEAR_FIRST && profile->separator == '-')
		return;
	buffer_format(json, formats[order], profile->separator, profile->separator);
}

void
profile_json(const Profile *profile, uint64_t rows, Buffer *json)
{
	uint64_t distinct = distinct_sketch_estimate(&profile->sketch);
	DateOrder order = only_order(profile);
	const NumberSample *least = &profile->least_number;
	const NumberSample *greatest = &profile->greatest_number;

	if (profile->values == 0)
		buffer_text(json, ",\"type\":\"text\",\"min\":null,\"max\":null");
	else if (profile->number && !(profile->form == NUMBER_COMMA && profile->groups))
	{
		json_range(json, profile->fraction ? "decimal" : "integer", least->text, least->length,
				   greatest->text, greatest->length);
		if (profile->form == NUMBER_COMMA)
			buffer_text(json, ",\"decimalComma\":true");
	}
	else if (profile->boolean)
		json_range(json, "boolean", profile->falses ? "false" : "true", profile->falses ? 5 : 4,
				   profile->trues ? "true" : "false", profile->trues ? 4 : 5);
	else if (profile->date_time && order != DATE_ORDERS)
		json_dates(profile, order, json);
	else
		json_range(json, "text", profile->least.text, profile->least.length, profile->greatest.text,
				   profile->greatest.length);
	buffer_format(json, ",\"nulls\":%llu,\"distinct\":%llu",
				  (unsigned long long) (rows - profile->values),
				  (unsigned long long) (distinct < profile->values ? distinct : profile->values));
}
