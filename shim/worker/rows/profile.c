/*
 * profile.c - profile of a column: type, empty cells, least and greatest value, distinct values.
 *
 * Cells are examined column by column when a chunk is full; a type that was ruled out is not tried
 * again.
 */
#include <ctype.h>
#include <endian.h>
#include <math.h>
#include <stdarg.h>
#include <strings.h>

#include "rows/written.h"

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
profile_sketch_hash(const char *bytes, size_t length)
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
profile_sketch_estimate(const DistinctSketch *sketch)
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

/*
 * Parse a cell as a number by each sign before decimals; false if it is none by any.  A sign that the
 * column cannot have is only tried if the cell is no number by the other.
 */
static bool
read_number(const Profile *profile, const char *text, size_t length, const char *unit,
			Number numbers[DECIMALS], bool good[DECIMALS])
{
	char thousands = profile->parse->options.thousands;
	Decimal first = profile->numbers_by[DECIMAL_POINT].possible ? DECIMAL_POINT : DECIMAL_COMMA;
	Decimal second = DECIMALS - 1 - first;

	for (Decimal i = first;; i = second)
	{
		good[i] = number_read(&numbers[i], text, length, ".,"[i], unit) &&
				  (numbers[i].thousands == thousands || thousands == '\0' ||
				   numbers[i].thousands == '\0');
		if (i == second || (good[i] && !profile->numbers_by[second].possible))
			break;
		/* digits alone are the same by both */
		if (good[i] && !numbers[i].fraction && numbers[i].thousands == '\0')
		{
			numbers[second] = numbers[i];
			good[second] = true;
			break;
		}
	}
	return good[first] || good[second];
}

/* Take a number into those of a column by a sign before decimals. */
static void
take_number(Profile *profile, Numbers *numbers, const Number *number, const char *text,
			size_t length)
{
	if (number->thousands != '\0' && numbers->thousands == '\0')
	{
		numbers->thousands = number->thousands;
		memcpy(numbers->sign, number->sign, sizeof(numbers->sign));
	}
	else if (number->thousands != '\0' && numbers->thousands != number->thousands)
	{
		numbers->possible = false;
		profile->signs = true;
		return;
	}
	numbers->fraction |= number->fraction;
	numbers->odd |= !number->plain && !written_number(text, length, numbers->sign);
	if (numbers->least.length == 0 || is_less(number, &numbers->least.number))
		set_number(&numbers->least, number, text, length);
	if (numbers->greatest.length == 0 || is_less(&numbers->greatest.number, number))
		set_number(&numbers->greatest, number, text, length);
}

static void
add_number(Profile *profile, uint64_t row, const char *text, size_t length)
{
	Number numbers[DECIMALS];
	bool good[DECIMALS] = {false};
	const char *unit = NULL;
	bool any = false;
	bool code = *text == '0' && length > 1 && is_digits(text, length);

	if (!code && number_is_likely(text, length))
	{
		any = !isalpha((unsigned char) *text) &&
			  read_number(profile, text, length, NULL, numbers, good);
		if (!any && (unit = number_unit(text, length)) != NULL)
			any = read_number(profile, text, length, unit, numbers, good);
	}
	if (any && profile->numbers.cells == 0)
		profile->unit = unit;
	profile->units |= any && unit != profile->unit;
	add_likeness(&profile->numbers, any, row, text, length);
	profile->codes |= !any && is_digits(text, length);
	profile->number &= any && !profile->units;
	if (!profile->number)
		return;
	for (Decimal i = DECIMAL_POINT; i < DECIMALS; i++)
	{
		Numbers *by = &profile->numbers_by[i];

		by->possible &= good[i];
		if (by->possible)
			take_number(profile, by, &numbers[i], text, length);
	}
	profile->number =
		profile->numbers_by[DECIMAL_POINT].possible || profile->numbers_by[DECIMAL_COMMA].possible;
}

bool
profile_is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

static void
add_boolean(Profile *profile, const char *text, size_t length)
{
	profile->booleans &= written_boolean(text, length);
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
	bool likely = date_form_is_likely(text, length);
	bool any = likely && date_time_read(&date_time, text, length, profile->parse->options.dates);
	bool unordered =
		likely && !any && profile->parse->options.dates == DATE_ANY && is_short_date(text, length);

	profile->unordered |= unordered;
	add_likeness(&profile->moments, any || unordered, row, text, length);
	profile->date_time &=
		any && (profile->separator == 0 ||
				(profile->separator == date_time.separator && profile->form == date_time.form &&
				 profile->short_year == date_time.short_year));
	if (!profile->date_time)
		return;
	any = false;
	profile->separator = date_time.separator;
	profile->form = date_time.form;
	profile->short_year = date_time.short_year;
	profile->dates &= written_moment(text, length);
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
	const Options *options = &parse->options;

	memset(profile, 0, sizeof(*profile));
	profile->parse = parse;
	profile->number = profile->boolean = profile->date_time = true;
	profile->numbers_by[DECIMAL_POINT].possible =
		options->decimal != ',' && options->thousands != '.';
	profile->numbers_by[DECIMAL_COMMA].possible =
		options->decimal != '.' && options->thousands != ',';
	profile->usual = DECIMALS;
	profile->booleans = profile->dates = ~0U;
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
	NumberText bare = {text, length};
	bool moments = profile->date_time;

	profile_sketch_add(&profile->sketch, profile_sketch_hash(text, length));
	if (profile->values++ == 0)
	{
		set_sample(&profile->least, order_key(text, length), text, length);
		profile->greatest = profile->least;
	}
	else
		add_text(profile, text, length);
	number_trim(&bare);
	if (length <= MARK_BYTES &&
		(bare.length == 0 || mark_is(profile->parse->options.missing, bare.at, bare.length)))
	{
		profile->blanks += bare.length == 0;
		mark_count(&profile->marks, profile->parse, text, length);
		return;
	}
	/* a code makes the column text, whatever the others are */
	if (profile->codes)
		return;
	if (bare.length == 0)
		bare = (NumberText){text, length};
	written_blanks(profile, text, length, &bare);
	/* no text is a number and a date: what all cells are so far need not be looked for as the other */
	if (moments)
		add_moment(profile, row, bare.at, bare.length);
	if (profile->number || !profile->date_time)
		add_number(profile, row, bare.at, bare.length);
	if (profile->boolean)
		add_boolean(profile, bare.at, bare.length);
	if (!moments && !profile->number)
		add_moment(profile, row, bare.at, bare.length);
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
 * Return what the numbers of a column are; NULL if some cell is none, or if they could be two things.
 * Where a comma could stand before decimals or between thousands, the other columns tell which; a point
 * stands before decimals unless some number here, or those of another column, say otherwise.
 */
static const Numbers *
numbers_of(const Profile *profile)
{
	const Numbers *point = &profile->numbers_by[DECIMAL_POINT];
	const Numbers *comma = &profile->numbers_by[DECIMAL_COMMA];

	if (!profile->number || !point->possible || !comma->possible)
		return !profile->number ? NULL : point->possible ? point : comma;
	if (point->thousands == ',')
		return profile->usual < DECIMALS ? &profile->numbers_by[profile->usual] : NULL;
	return comma->thousands == '.' && profile->points ? comma : point;
}

bool
profile_is_clear(const Profile *profile)
{
	return !profile->number || numbers_of(profile) != NULL;
}

Decimal
profile_decimal(const Profile *profile)
{
	const Numbers *point = &profile->numbers_by[DECIMAL_POINT];
	const Numbers *comma = &profile->numbers_by[DECIMAL_COMMA];

	if (!profile->number || point->possible == comma->possible)
		return DECIMALS;
	if (point->possible)
		return point->fraction || point->thousands == ',' ? DECIMAL_POINT : DECIMALS;
	return comma->fraction || comma->thousands == '.' ? DECIMAL_COMMA : DECIMALS;
}

/* Do the usual marks stand in more than half of the cells?  A column of crosses is not one of missing
 * numbers. */
static bool
is_mostly_marks(const Profile *profile)
{
	return profile->parse->options.missing == NULL &&
		   profile->marks.cells - profile->blanks > profile->values - profile->marks.cells;
}

/* The type of the cells that are no marks; text if there are none. */
static ColumnType
type_of(const Profile *profile)
{
	uint64_t values = profile->values - profile->marks.cells;

	if (values == 0 || profile->marks.more || is_mostly_marks(profile))
		return TYPE_TEXT;
	if (numbers_of(profile) != NULL)
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

/* Why numbers alone are text. */
static const char *
numbers_reason(const Profile *profile)
{
	if (profile->units)
		return "some of its numbers have a unit, others have none or another one";
	if (profile->number)
		return "a comma may stand before decimals or between thousands; parseOptions.decimal says "
			   "which";
	if (profile->signs)
		return "its numbers have different signs between thousands";
	return "some numbers have a decimal comma, others a decimal point; parseOptions.decimal says "
		   "which is meant";
}

/* Why dates alone are text. */
static const char *
moments_reason(const Profile *profile)
{
	if (profile->unordered)
		return "the years of its dates have two digits; parseOptions.dates says the order of day, "
			   "month and year";
	if (profile->date_time)
		return "the first number of its dates may be the day or the month; parseOptions.dates says "
			   "which";
	return "its dates are not all written alike";
}

/* Does a point stand before three digits wherever it stands, so that it may be no decimal point? */
static bool
is_point_doubtful(const Profile *profile)
{
	const Options *options = &profile->parse->options;

	return options->decimal == '\0' && options->thousands == '\0' && profile->number &&
		   !profile->points && profile->numbers_by[DECIMAL_POINT].possible &&
		   profile->numbers_by[DECIMAL_COMMA].possible &&
		   profile->numbers_by[DECIMAL_COMMA].thousands == '.';
}

bool
profile_note(const Profile *profile, char *note, size_t size, bool *text)
{
	uint64_t values = profile->values - profile->marks.cells;
	bool numbers = profile->numbers.cells >= profile->moments.cells;
	const Likeness *likeness = numbers ? &profile->numbers : &profile->moments;

	*text = type_of(profile) == TYPE_TEXT;
	if (!*text && is_point_doubtful(profile))
	{
		snprintf(note, size,
				 "each point stands before three digits and is taken as a decimal point; "
				 "parseOptions.thousands says that it is not");
		return true;
	}
	if (!*text || profile->codes || likeness->cells * NEARLY_OF < values * NEARLY || values == 0)
		return false;
	if (likeness->cells < values)
		note_others(likeness, values, numbers ? "numbers" : "dates", note, size);
	else if (is_mostly_marks(profile))
		snprintf(note, size,
				 "more than half of its cells stand for no value, such as \"%.*s\"; "
				 "parseOptions.missing says which do",
				 (int) profile->marks.mark[0].length, profile->marks.mark[0].text);
	else if (profile->marks.more)
		snprintf(note, size, "it has more than %d different texts for no value", MARKS_MOST);
	else
		snprintf(note, size, "%s", numbers ? numbers_reason(profile) : moments_reason(profile));
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
json_numbers(const Profile *profile, Buffer *json)
{
	const Numbers *numbers = numbers_of(profile);

	json_range(json, numbers->fraction ? "decimal" : "integer", numbers->least.text,
			   numbers->least.length, numbers->greatest.text, numbers->greatest.length);
	if (numbers == &profile->numbers_by[DECIMAL_COMMA] &&
		(numbers->fraction || numbers->thousands == '.'))
		buffer_text(json, ",\"decimalComma\":true");
	if (numbers->thousands != '\0')
	{
		buffer_text(json, ",\"thousands\":");
		buffer_json(json, numbers->sign, strlen(numbers->sign));
	}
	if (profile->unit != NULL)
	{
		buffer_text(json, ",\"unit\":");
		buffer_json(json, profile->unit, strlen(profile->unit));
	}
	else if (numbers->odd)
		buffer_text(json, ",\"pattern\":\"\"");
}

/* Append the type, the range and the format of dates that have a form. */
static void
json_form(const Profile *profile, DateOrder order, Buffer *json)
{
	static const char *const types[] = {"date", "month", "quarter"};
	static const char *const usual[] = {DATE_TEXT_DAY, DATE_TEXT_MONTH, DATE_TEXT_QUARTER};
	Span span = profile->form->span;
	char first[DATE_TIME_SIZE];
	char last[DATE_TIME_SIZE];

	if (profile->timed)
	{
		date_time_write(first, profile->earliest[order], true, profile->zoned);
		date_time_write(last, profile->latest[order], true, profile->zoned);
	}
	else
	{
		date_time_write_span(first, profile->earliest[order], span);
		date_time_write_span(last, profile->latest[order], span);
	}
	json_range(json, profile->timed ? "datetime" : types[span], first, strlen(first), last,
			   strlen(last));
	if (strcmp(profile->form->format, usual[span]) != 0)
		buffer_format(json, ",\"format\":\"%s\"", profile->form->format);
}

static void
json_dates(const Profile *profile, DateOrder order, Buffer *json)
{
	static const char *const formats[] = {NULL, ",\"format\":\"%%%1$c%2$c%%m%3$c%%d\"",
										  ",\"format\":\"%%d%2$c%%m%3$c%%%1$c\"",
										  ",\"format\":\"%%m%2$c%%d%3$c%%%1$c\""};
	char first[DATE_TIME_SIZE];
	char last[DATE_TIME_SIZE];

	if (profile->form != NULL)
	{
		json_form(profile, order, json);
		return;
	}
	date_time_write(first, profile->earliest[order], profile->timed, profile->zoned);
	date_time_write(last, profile->latest[order], profile->timed, profile->zoned);
	json_range(json, profile->timed ? "datetime" : "date", first, strlen(first), last,
			   strlen(last));
	written_moment_json(profile, order, json);
	if (order == DATE_YEAR_FIRST && profile->separator == '-' && !profile->short_year)
		return;
	buffer_format(json, formats[order], profile->short_year ? 'y' : 'Y', profile->separator,
				  profile->separator);
}

void
profile_json(const Profile *profile, uint64_t rows, Buffer *json)
{
	uint64_t distinct = profile_sketch_estimate(&profile->sketch);
	ColumnType type = type_of(profile);
	uint64_t values = profile->values;
	char note[REASON_MAXIMUM];
	bool text;

	if (values == 0)
		buffer_text(json, ",\"type\":\"text\",\"min\":null,\"max\":null");
	else if (type == TYPE_NUMBER)
		json_numbers(profile, json);
	else if (type == TYPE_BOOLEAN)
		json_range(json, "boolean", profile->falses ? "false" : "true", profile->falses ? 5 : 4,
				   profile->trues ? "true" : "false", profile->trues ? 4 : 5);
	else if (type == TYPE_MOMENT)
		json_dates(profile, only_order(profile), json);
	else
		json_range(json, "text", profile->least.text, profile->least.length, profile->greatest.text,
				   profile->greatest.length);
	if (type != TYPE_TEXT)
	{
		values -= profile->marks.cells;
		distinct -= distinct < profile->marks.count ? distinct : profile->marks.count;
		mark_json(&profile->marks, json);
	}
	if (type == TYPE_BOOLEAN)
		written_boolean_json(profile, json);
	buffer_format(json, ",\"nulls\":%llu,\"distinct\":%llu",
				  (unsigned long long) (rows - profile->values),
				  (unsigned long long) (distinct < values ? distinct : values));
	if (profile_note(profile, note, sizeof(note), &text))
	{
		buffer_text(json, ",\"note\":");
		buffer_json(json, note, strlen(note));
	}
}
