/*
 * disposition.c - Content-Disposition of downloads (RFC 6266, RFC 8187).
 */
#include <string.h>
#include <strings.h>

#include "net/framing.h"
#include "transfer/download_internal.h"

/* Types that a browser may display, and the type they are sent as: none can contain a script. */
static const struct
{
	const char *type;
	const char *sent;
} safe_types[] = {
	{"application/pdf", "application/pdf"},
	{"image/png", "image/png"},
	{"image/jpeg", "image/jpeg"},
	{"image/webp", "image/webp"},
	{"image/gif", "image/gif"},
	{"text/csv", "text/plain"},
	{"text/tab-separated-values", "text/plain"},
	{"text/plain", "text/plain"},
	{"application/json", "text/plain"},
};

bool
disposition_safe(const char **type)
{
	size_t length = strcspn(*type, "; ");

	for (size_t i = 0; i < lengthof(safe_types); i++)
	{
		if (strlen(safe_types[i].type) != length ||
			strncasecmp(safe_types[i].type, *type, length) != 0)
			continue;
		*type = safe_types[i].sent;
		return true;
	}
	return false;
}

/* Can the character be in a quoted file name, and be understood by every client? */
static bool
is_simple(char c)
{
	return c >= ' ' && c <= '~' && strchr("\"\\%/:*?<>|;", c) == NULL;
}

const char *
disposition_write(Request *request, Disposition disposition, const char *name)
{
	const char *text;
	bool simple = true;
	Buffer field;

	buffer_init(&field, HEADERS_MAXIMUM);
	buffer_text(&field, disposition == SHOWN ? "inline; filename=\"" : "attachment; filename=\"");
	for (const char *c = name; *c != '\0'; c++)
	{
		simple &= is_simple(*c);
		/* one underscore for each character that older clients cannot read */
		if (is_simple(*c))
			buffer_append(&field, c, 1);
		else if ((*c & 0xC0) != 0x80)
			buffer_append(&field, "_", 1);
	}
	buffer_append(&field, "\"", 1);
	if (!simple)
	{
		buffer_text(&field, "; filename*=UTF-8''");
		text_percent_encode(&field, name, strlen(name));
	}
	request->arena.failed |= field.failed;
	text = arena_text(&request->arena, field.failed ? "" : field.data, field.length);
	buffer_free(&field);
	return text;
}
