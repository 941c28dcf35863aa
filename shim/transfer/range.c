/*
 * range.c - Range and If-Range: which bytes of a file are sent.
 */
#include <strings.h>

#include "net/header.h"
#include "transfer/download_internal.h"

/* Read a position; -1: there is none.  One that is too large becomes larger than every file. */
static int64_t
read_position(const char **text)
{
	int64_t number = 0;
	const char *c = *text;

	for (; *c >= '0' && *c <= '9'; c++)
		number = number > INT64_MAX / 10 - 10 ? INT64_MAX / 10 : number * 10 + (*c - '0');
	if (c == *text)
		return -1;
	*text = c;
	return number;
}

/* Add a range, merged with those that it touches; false: too many. */
static bool
add_range(Ranges *ranges, Range range)
{
	int kept = 0;

	for (int i = 0; i < ranges->count; i++)
	{
		const Range *other = &ranges->range[i];

		if (other->first > range.last + 1 || range.first > other->last + 1)
			ranges->range[kept++] = *other;
		else
		{
			range.first = other->first < range.first ? other->first : range.first;
			range.last = other->last > range.last ? other->last : range.last;
		}
	}
	ranges->count = kept;
	if (kept == RANGES_MAXIMUM)
		return false;
	ranges->range[ranges->count++] = range;
	return true;
}

/* Read one "first-last", "first-" or "-length"; false: malformed. */
static bool
read_range(const char **text, int64_t size, Range *range)
{
	int64_t first = read_position(text);
	int64_t last;

	if (*(*text)++ != '-')
		return false;
	last = read_position(text);
	if (first < 0 && last < 0)
		return false;
	if (first >= 0 && last >= 0 && first > last)
		return false;
	if (first < 0)
		*range = (Range){last < size ? size - last : 0, size - 1};
	else
		*range = (Range){first, last < 0 || last >= size ? size - 1 : last};
	*text += strspn(*text, " \t");
	return **text == ',' || **text == '\0';
}

/* Read Range into ranges that do not overlap; none: it is to be ignored.  False: there are no such bytes. */
static bool
range_read(const char *header, int64_t size, Ranges *ranges)
{
	static const char unit[] = "bytes=";
	const char *text = header;
	bool any = false;

	ranges->count = 0;
	if (header == NULL || strncasecmp(text, unit, strlen(unit)) != 0)
		return true;
	text += strlen(unit);
	while (*(text += strspn(text, ", \t")) != '\0')
	{
		Range range;

		if (!read_range(&text, size, &range) ||
			(range.first <= range.last && range.first < size && !add_range(ranges, range)))
		{
			ranges->count = 0;
			return true;
		}
		any = true;
	}
	return !any || ranges->count > 0;
}

/* Does If-Range, a tag or a date, permit ranges of the bytes as they are now? */
static bool
ranges_permitted(const Request *request, const char *tag, int64_t modified)
{
	const char *condition = request->headers[HEADER_IF_RANGE];
	int64_t date;

	return condition == NULL || strcmp(condition, tag) == 0 ||
		   (modified > 0 && header_date_read(condition, &date) && date == modified);
}

bool
range_choose(Request *request, int64_t size, const char *tag, int64_t modified, Ranges *ranges)
{
	if (request->verb != VERB_GET || !ranges_permitted(request, tag, modified) ||
		range_read(request->headers[HEADER_RANGE], size, ranges))
		return true;
	(void) error_set(request, 416, NULL);
	request->answer.range = arena_format(&request->arena, "bytes */%lld", (long long) size);
	return false;
}

void
range_describe(Request *request, const Range *range, int64_t size)
{
	request->answer.range =
		arena_format(&request->arena, "bytes %lld-%lld/%lld", (long long) range->first,
					 (long long) range->last, (long long) size);
}
