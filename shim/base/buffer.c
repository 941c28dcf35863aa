/*
 * buffer.c - growing bytes with a maximum.
 */
#include <stdarg.h>

#include <jansson.h>

#include "base/base.h"

#define FIRST_CAPACITY 512
#define KEPT_CAPACITY 4096 /* that a buffer keeps when it is cleared, at most */

void
buffer_init(Buffer *buffer, size_t maximum)
{
	*buffer = (Buffer){.maximum = maximum};
}

void
buffer_free(Buffer *buffer)
{
	free(buffer->data);
	*buffer = (Buffer){.maximum = buffer->maximum};
}

void
buffer_clear(Buffer *buffer)
{
	if (buffer->failed || buffer->capacity > KEPT_CAPACITY)
		buffer_free(buffer);
	buffer->length = 0;
}

/* Make room for exactly so many more bytes; false, and failed from then on: not possible. */
bool
buffer_reserve(Buffer *buffer, size_t more)
{
	size_t capacity = buffer->length + more;
	char *data;

	if (buffer->failed || more > buffer->maximum - buffer->length)
	{
		buffer->failed = true;
		return false;
	}
	if (capacity <= buffer->capacity)
		return true;
	data = realloc(buffer->data, capacity);
	if (data == NULL)
	{
		buffer->failed = true;
		return false;
	}
	buffer->data = data;
	buffer->capacity = capacity;
	return true;
}

bool
buffer_room(Buffer *buffer, size_t length)
{
	size_t more = buffer->capacity ? buffer->capacity : FIRST_CAPACITY;
	size_t most = buffer->maximum - buffer->length;

	if (length <= buffer->capacity - buffer->length)
		return !buffer->failed;
	more = more < most ? more : most;
	return buffer_reserve(buffer, more > length ? more : length);
}

void
buffer_enlarge(Buffer *buffer, const char *bytes, size_t length)
{
	if (!buffer_room(buffer, length))
		return;
	memcpy(buffer->data + buffer->length, bytes, length);
	buffer->length += length;
}

void
buffer_format(Buffer *buffer, const char *format, ...)
{
	char text[512];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t) length >= sizeof(text))
		buffer->failed = true;
	else
		buffer_append(buffer, text, (size_t) length);
}

void
buffer_integer(Buffer *buffer, int64_t number)
{
	char text[24];
	char *digit = text + sizeof(text);
	uint64_t rest = number < 0 ? 0 - (uint64_t) number : (uint64_t) number;

	do
		*--digit = (char) ('0' + rest % 10);
	while ((rest /= 10) != 0);
	if (number < 0)
		*--digit = '-';
	buffer_append(buffer, digit, (size_t) (text + sizeof(text) - digit));
}

/*
 * Append a JSON string, quotes included.
 *
 * The bytes must be valid UTF-8.  Everything that could end a line, also for readers that know
 * Unicode's line ends, is escaped: the log file relies on it.
 */
void
buffer_json(Buffer *buffer, const char *bytes, size_t length)
{
	size_t start = 0;

	buffer_append(buffer, "\"", 1);
	for (size_t i = 0; i < length; i++)
	{
		unsigned char c = (unsigned char) bytes[i];
		bool separator = c == 0xE2 && i + 2 < length && (unsigned char) bytes[i + 1] == 0x80 &&
						 ((unsigned char) bytes[i + 2] & 0xFE) == 0xA8;

		if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7F && !separator)
			continue;
		buffer_append(buffer, bytes + start, i - start);
		if (separator)
		{
			buffer_text(buffer, (unsigned char) bytes[i + 2] == 0xA8 ? "\\u2028" : "\\u2029");
			i += 2;
		}
		else if (c == '"' || c == '\\')
			buffer_format(buffer, "\\%c", c);
		else
			buffer_format(buffer, "\\u%04x", c);
		start = i + 1;
	}
	buffer_append(buffer, bytes + start, length - start);
	buffer_append(buffer, "\"", 1);
}
