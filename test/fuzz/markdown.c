/*
 * markdown.c - fuzzing target: texts of records in Markdown, as HTML and as plain text.
 */
#include <regex.h>
#include <string.h>

#include "fuzz.h"
#include "page/markdown.h"

#define DEPTH 64
#define ELEMENT                                                                                   \
	"^<(blockquote|ul|ol( start=\"[0-9]+\")?|li|pre|code|p( class=\"text\")?|hr|br|em|strong|"    \
	"h[2-6]|a href=\"(https?://|mailto:|/[^/\"<>\\\\])[^\"<>\\\\]*\"( rel=\"nofollow noopener no" \
	"referrer\")?|a href=\"/\")>"

/* Every element must be one of those of texts, and must be closed. */
static void
check_elements(const char *html)
{
	const char *open[DEPTH];
	size_t depth = 0;
	regex_t element;

	MUST_HOLD(regcomp(&element, ELEMENT, REG_EXTENDED | REG_ICASE | REG_NOSUB) == 0);
	for (const char *at = strchr(html, '<'); at != NULL; at = strchr(at + 1, '<'))
	{
		size_t length = strcspn(at, " >");

		if (at[1] == '/')
		{
			MUST_HOLD(depth-- > 0 && strncmp(open[depth], at + 2, length - 2) == 0);
			continue;
		}
		MUST_HOLD(regexec(&element, at, 0, NULL, 0) == 0);
		if (strncmp(at, "<br>", 4) != 0 && strncmp(at, "<hr>", 4) != 0)
		{
			MUST_HOLD(depth < DEPTH);
			open[depth++] = at + 1;
		}
	}
	MUST_HOLD(depth == 0);
	regfree(&element);
}

void
fuzz_one(char *text, size_t length)
{
	Request *request = fuzz_request("/tags");
	Page *page = page_of(request);
	const char *plain;

	(void) length;
	request->language = "en";
	MUST_HOLD(page != NULL);
	markdown_html(page, text);
	buffer_append(page->out, "", 1);
	check_elements(page->out->data);
	MUST_HOLD(page->out->length < 16 * strlen(text) + 200000);
	plain = markdown_plain(&request->arena, text);
	MUST_HOLD(strlen(plain) <= 4 * strlen(text));
	request_free(request);
}
