/*
 * html.c - text in markup.
 *
 * All that is not constant goes through put(), in attributes, which are always quoted with ", as in
 * text.  Nothing is written into scripts, styles or comments; JSON is written into data blocks.
 */
#include <ctype.h>
#include <stdarg.h>

#include "page/page_internal.h"

#define WORDS_MARKED 8			   /* of a search: each is looked for at each letter */
#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

/* What is written instead of a character; NULL: itself. */
static const char *
entity_of(char c)
{
	static const char *const entities[] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};
	unsigned char index = (unsigned char) c;

	if ((index < ' ' && c != '\n' && c != '\t') || index == 0x7F)
		return REPLACEMENT;
	return index < lengthof(entities) ? entities[index] : NULL;
}

/* Append a text, escaped. */
static void
put(Buffer *out, const char *text, size_t length)
{
	const char *end = text + length;
	const char *plain = text;

	for (const char *c = text; c < end; c++)
	{
		const char *instead = entity_of(*c);

		if (instead == NULL)
			continue;
		buffer_append(out, plain, (size_t) (c - plain));
		buffer_text(out, instead);
		plain = c + 1;
	}
	buffer_append(out, plain, (size_t) (end - plain));
}

void
html_text(const Page *page, const char *text)
{
	if (text != NULL)
		put(page->out, text, strlen(text));
}

/* The bytes of the first characters of a text. */
static size_t
bytes_of(const char *text, size_t characters)
{
	size_t length = strlen(text);
	size_t kept = 0;

	while (characters-- > 0 && kept < length)
	{
		size_t next = text_character(text + kept, length - kept);

		kept += next > 0 ? next : 1;
	}
	return kept;
}

/* The letter that begins a text without its case and accent, of those of Latin-1; its bytes. */
static size_t
fold(const char *text, char *letter)
{
	static const char plain[] = "aaaaaaaceeeeiiiidnooooo.ouuuuy.."
								"aaaaaaaceeeeiiiidnooooo.ouuuuy.y"; /* U+00C0 to U+00FF */
	unsigned char second = text[0] == '\xC3' ? (unsigned char) text[1] : 0;
	bool known = second >= 0x80 && second < 0xC0;

	*letter = known ? plain[second - 0x80] : (char) tolower((unsigned char) *text);
	return known ? 2 : 1;
}

/* The bytes with which a text begins that are the longest of some words; 0: none of them. */
static size_t
found_at(const char *text, const char *words)
{
	static const char separators[] = " ,\"";
	size_t most = 0;

	for (int i = 0; i < WORDS_MARKED && *(words += strspn(words, separators)) != '\0'; i++)
	{
		const char *end = words + strcspn(words, separators);
		const char *word = words;
		size_t kept = 0;
		char wanted = '\0';
		char letter = '\0';

		while (word < end && wanted == letter)
		{
			word += fold(word, &wanted);
			kept += fold(text + kept, &letter);
		}
		if (wanted == letter && end - words > 1 && kept > most)
			most = kept;
		words = end;
	}
	while (most > 0 && ((unsigned char) text[most] & 0xC0) == 0x80)
		most++;
	return most;
}

void
html_marked(const Page *page, const char *text, size_t characters, const char *words)
{
	Buffer *out = page->out;
	size_t end = text ? bytes_of(text, characters) : 0;
	size_t plain = 0;

	if (text == NULL)
		return;
	for (size_t at = 0; *words != '\0' && at < end; at++)
	{
		size_t found = found_at(text + at, words);

		if (found == 0 || found > end - at)
			continue;
		put(out, text + plain, at - plain);
		buffer_text(out, "<mark>");
		put(out, text + at, found);
		buffer_text(out, "</mark>");
		plain = at + found;
		at = plain - 1;
	}
	put(out, text + plain, end - plain);
	if (text[end] != '\0')
		buffer_text(out, "…");
}

void
html_brief(const Page *page, const char *text, size_t characters)
{
	html_marked(page, text, characters, "");
}

const char *
html_page_number(const Page *page, const char *digits)
{
	return words_number(&page->request->arena, page->request->language, digits);
}

const char *
html_page_size(const Page *page, const char *bytes)
{
	return words_size(&page->request->arena, page->request->language, bytes);
}

void
html_page_write(const Page *page, const char *format, ...)
{
	size_t length;
	va_list texts;

	va_start(texts, format);
	for (; format[length = strcspn(format, "%{")] != '\0'; format++)
	{
		buffer_append(page->out, format, length);
		format += length + 1;
		if (format[-1] == '{')
		{
			length = strcspn(format, "}");
			html_text(page, page_word(page, arena_text(&page->request->arena, format, length)));
			format += length;
		}
		else if (*format == 's')
			html_text(page, va_arg(texts, const char *));
		else if (*format == 'l')
		{
			buffer_integer(page->out, va_arg(texts, long long));
			format += 2;
		}
		else
			html_name(page, va_arg(texts, const char *),
					  strtoul(format + 1, (char **) &format, 10));
	}
	va_end(texts);
	buffer_append(page->out, format, length);
}

void
html_name(const Page *page, const char *text, size_t characters)
{
	buffer_text(page->out, "<bdi>");
	html_brief(page, text, characters);
	buffer_text(page->out, "</bdi>");
}

void
html_data(const Page *page, const char *type, const char *json)
{
	html_page_write(page, "<script type=\"%s\">", type);
	for (size_t i = 0; json[i] != '\0'; i++)
		if (strchr("<>&", json[i]) != NULL)
			buffer_format(page->out, "\\u%04x", json[i]);
		else if (strncmp(json + i, "\xE2\x80\xA8", 3) == 0 ||
				 strncmp(json + i, "\xE2\x80\xA9", 3) == 0)
		{
			buffer_text(page->out, json[i + 2] == '\xA8' ? "\\u2028" : "\\u2029");
			i += 2;
		}
		else
			buffer_append(page->out, json + i, 1);
	html_page_write(page, "</script>");
}
