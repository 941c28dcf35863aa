/*
 * html.c - text in markup.
 *
 * All that is not constant goes through put(), in attributes, which are always quoted with ", as in
 * text.  Nothing is written into scripts, styles or comments; JSON is written into data blocks.
 */
#include <stdarg.h>
#include <string.h>

#include "page/page_internal.h"

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

/* Append a text, escaped. */
static void
put(Buffer *out, const char *text, size_t length)
{
	const char *end = text + length;
	const char *plain = text;

	for (const char *c = text; c < end; c++)
	{
		const char *instead = NULL;

		if (*c == '&')
			instead = "&amp;";
		else if (*c == '<')
			instead = "&lt;";
		else if (*c == '>')
			instead = "&gt;";
		else if (*c == '"')
			instead = "&quot;";
		else if (*c == '\'')
			instead = "&#39;";
		else if (((unsigned char) *c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7F)
			instead = REPLACEMENT;
		if (instead == NULL)
			continue;
		buffer_append(out, plain, (size_t) (c - plain));
		buffer_text(out, instead);
		plain = c + 1;
	}
	buffer_append(out, plain, (size_t) (end - plain));
}

void
html_text(Buffer *out, const char *text)
{
	put(out, text, strlen(text));
}

void
html_brief(Buffer *out, const char *text, size_t characters)
{
	size_t length = strlen(text);
	size_t kept = 0;

	while (characters-- > 0 && kept < length)
	{
		size_t next = text_character(text + kept, length - kept);

		kept += next > 0 ? next : 1;
	}
	put(out, text, kept);
	if (kept < length)
		buffer_text(out, "…");
}

void
html_format(Buffer *out, const char *format, ...)
{
	const char *place;
	va_list texts;

	va_start(texts, format);
	for (; (place = strstr(format, "%s")) != NULL; format = place + 2)
	{
		buffer_append(out, format, (size_t) (place - format));
		html_text(out, va_arg(texts, const char *));
	}
	va_end(texts);
	buffer_text(out, format);
}

void
html_name(Buffer *out, const char *text, size_t characters)
{
	buffer_text(out, "<bdi>");
	html_brief(out, text, characters);
	buffer_text(out, "</bdi>");
}

void
html_data(Buffer *out, const char *type, const char *json, size_t length)
{
	html_format(out, "<script type=\"%s\">", type);
	for (size_t i = 0; i < length; i++)
		if (strchr("<>&", json[i]) != NULL && json[i] != '\0')
			buffer_format(out, "\\u%04x", json[i]);
		else
			buffer_append(out, json + i, 1);
	buffer_text(out, "</script>");
}
