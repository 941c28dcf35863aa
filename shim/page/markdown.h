/*
 * markdown.h - texts of records in Markdown (CommonMark), as HTML and as plain text.
 */
#ifndef MARKDOWN_H
#define MARKDOWN_H

#include "page/page_internal.h"

/*
 * Append a text as HTML: headings begin at level 2, line breaks stay, HTML in it is shown as text, and so are links that
 * are neither of the web, of mail nor of a path of the service; images are links.  A text that would take too much time
 * or memory is appended as it is.
 */
extern void markdown_html(const Page *page, const char *text);
/* The text without its marks, with a line for each paragraph, heading or item; NULL stays NULL. */
extern const char *markdown_plain(Arena *arena, const char *text);

#endif
