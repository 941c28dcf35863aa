/*
 * markdown.c - Markdown, which libcmark parses, as HTML and as plain text.
 *
 * The library makes a tree only.  The elements are those of the table below, and all that is not constant is written by
 * html.c, so that a text cannot bring other markup.
 */
#include <ctype.h>
#include <setjmp.h>
#include <strings.h>

#include <cmark.h>

#include "page/markdown.h"

#define BYTES_MAXIMUM 400000 /* of a text that is parsed: 100,000 characters */
#define BRACKETS_MAXIMUM \
	5000 /* of a text, and the quotes and items that one line begins: the library takes time */
#define MARKERS_MAXIMUM 50	   /* that grows with the square of either */
#define MEMORY_MAXIMUM 8000000 /* bytes that the tree of one text may take */
#define DEPTH_MAXIMUM \
	24 /* of elements in each other; what is deeper is text in the one around it */
#define ADDRESSES_MAXIMUM \
	100000				  /* bytes of addresses in one text, since one may serve many links */
#define BARE_MAXIMUM 2000 /* bytes of an address that is not marked as a link */
#define PLAIN_MAXIMUM 1000000
#define LEVELS 6

/* The memory of the tree that the thread makes: the library ends the process where its own is used up. */
static _Thread_local struct
{
	Arena *arena;
	size_t left;
	jmp_buf used_up;
} memory;

/* Above each piece of memory, since a larger one takes its place. */
typedef union Piece
{
	size_t size;
	max_align_t align;
} Piece;

/* Where the elements of a text stand. */
typedef struct Writer
{
	const Page *page;	/* NULL: plain text */
	Buffer out;			/* of plain text */
	int levels[LEVELS]; /* of headings, as the text has them: each below the one before it */
	int level;
	const cmark_node *link; /* that is open; NULL: none, and a link has no links in it */
	size_t addresses;
} Writer;

/* What stands before and after what a node contains; NULL: nothing */
static const struct
{
	const char *before;
	const char *after;
} elements[CMARK_NODE_LAST_INLINE + 1] = {
	[CMARK_NODE_BLOCK_QUOTE] = {"<blockquote>", "</blockquote>"},
	[CMARK_NODE_ITEM] = {"<li>", "</li>"},
	[CMARK_NODE_CODE_BLOCK] = {"<pre><code>", "</code></pre>"},
	[CMARK_NODE_HTML_BLOCK] = {"<p class=\"text\">", "</p>"},
	[CMARK_NODE_PARAGRAPH] = {"<p>", "</p>"},
	[CMARK_NODE_THEMATIC_BREAK] = {"<hr>", NULL},
	[CMARK_NODE_SOFTBREAK] = {"<br>", NULL},
	[CMARK_NODE_LINEBREAK] = {"<br>", NULL},
	[CMARK_NODE_CODE] = {"<code>", "</code>"},
	[CMARK_NODE_EMPH] = {"<em>", "</em>"},
	[CMARK_NODE_STRONG] = {"<strong>", "</strong>"},
};

static void *
take_memory(size_t count, size_t size)
{
	const size_t bytes = count * size + sizeof(Piece);
	Piece *piece = bytes <= memory.left ? arena_zeroed(memory.arena, bytes) : NULL;

	if (piece == NULL)
		longjmp(memory.used_up, 1);
	memory.left -= bytes;
	piece->size = count * size;
	return piece + 1;
}

static void *
enlarge_memory(void *bytes, size_t size)
{
	const size_t present = bytes ? ((Piece *) bytes)[-1].size : 0;
	void *larger;

	if (size <= present)
		return bytes;
	larger = take_memory(1, size);
	return present > 0 ? memcpy(larger, bytes, present) : larger;
}

/* All is freed with the request. */
static void
free_memory(void *bytes)
{
	(void) bytes;
}

/* How many quotes and items are around the text of a line at most: those that it begins, and those it is indented for. */
static size_t
count_markers(const char *line)
{
	const size_t end = strspn(line, " \t>-+*.)0123456789");
	size_t count = strspn(line, " \t") / 2;

	for (size_t i = 0; i < end; i++)
		count += line[i] == '>' || (strchr("-+*.)", line[i]) != NULL && strchr(" \t", line[i + 1]));
	return count;
}

/* Is it parsed within a time that grows with its length only? */
static bool
is_modest(const char *text)
{
	size_t brackets = 0;

	for (const char *line = text; *line != '\0'; line += strcspn(line, "\r\n"))
	{
		line += strspn(line, "\r\n");
		if (count_markers(line) > MARKERS_MAXIMUM)
			return false;
	}
	for (const char *bracket = text; (bracket = strchr(bracket, '[')) != NULL; bracket++)
		brackets++;
	return brackets <= BRACKETS_MAXIMUM;
}

/* The tree of a text; NULL: it takes too much time or memory, or there is none. */
static cmark_node *
parse(Arena *arena, const char *text)
{
	static cmark_mem functions = {take_memory, enlarge_memory, free_memory};
	cmark_parser *parser;
	cmark_node *root;

	if (strlen(text) > BYTES_MAXIMUM || !is_modest(text))
		return NULL;
	memory.arena = arena;
	memory.left = MEMORY_MAXIMUM;
	if (setjmp(memory.used_up) != 0)
		return NULL;
	parser = cmark_parser_new_with_mem(CMARK_OPT_DEFAULT, &functions);
	cmark_parser_feed(parser, text, strlen(text));
	root = cmark_parser_finish(parser);
	/* an address may have signs that begin something, such as _, each in a node of its own */
	cmark_consolidate_text_nodes(root);
	return root;
}

/* The length of the address of HTTP that stands at the beginning of a text, without what ends a sentence; 0: none does. */
static size_t
bare_length(const char *text)
{
	const size_t scheme = strncasecmp(text, "https://", 8) == 0	 ? 8
						  : strncasecmp(text, "http://", 7) == 0 ? 7
																 : 0;
	size_t length = scheme;
	int open = 0; /* parentheses */

	if (scheme == 0)
		return 0;
	for (; (unsigned char) text[length] > ' ' && strchr("\"<>\\`", text[length]) == NULL; length++)
	{
		if (length == BARE_MAXIMUM)
			return 0;
		open += (text[length] == '(') - (text[length] == ')');
	}
	for (; length > scheme; length--)
	{
		const char last = text[length - 1];

		if (last == ')' && open < 0)
			open++;
		else if (strchr("?!.,:;*_~'", last) == NULL)
			break;
	}
	return length > scheme ? length : 0;
}

/* The node that follows in the order of the text, without calling itself; *depth is of what precedes.  NULL: none. */
static cmark_node *
next_node(cmark_node *node, int *depth, void (*leave)(Writer *, cmark_node *, int), Writer *writer)
{
	cmark_node *next = cmark_node_first_child(node);

	if (next != NULL)
	{
		++*depth;
		return next;
	}
	for (; node != NULL; node = cmark_node_parent(node), --*depth)
	{
		leave(writer, node, *depth);
		if ((next = cmark_node_next(node)) != NULL)
			return next;
	}
	return NULL;
}

/* Is it a paragraph in a list whose items have no space between them? */
static bool
is_tight(cmark_node *node)
{
	return cmark_node_get_type(node) == CMARK_NODE_PARAGRAPH &&
		   cmark_node_get_list_tight(cmark_node_parent(cmark_node_parent(node)));
}

/* The address of a link as the page has it; NULL: it is none that a page leads to. */
static const char *
address_of(Writer *writer, cmark_node *node)
{
	const char *url = cmark_node_get_url(node);
	const size_t length = url ? strlen(url) : 0;

	if (length == 0 || length > writer->addresses)
		return NULL;
	for (const char *c = url; *c != '\0'; c++)
		if ((unsigned char) *c <= ' ' || strchr("\"<>\\", *c) != NULL)
			return NULL;
	writer->addresses -= length;
	if (*url == '/' && url[1] != '/')
		return strchr(url, '#') ? arena_join(&writer->page->request->arena, writer->page->root, url)
								: layout_path_address(writer->page, url);
	return strncasecmp(url, "https://", 8) == 0 || strncasecmp(url, "http://", 7) == 0 ||
				   strncasecmp(url, "mailto:", 7) == 0
			   ? url
			   : NULL;
}

/* Begin a link; one without a text is called as its address. */
static void
begin_link(Writer *writer, cmark_node *node)
{
	const char *address = writer->link == NULL ? address_of(writer, node) : NULL;

	if (address != NULL)
	{
		html_page_write(writer->page, "<a href=\"%s\"", address);
		html_page_write(writer->page, *cmark_node_get_url(node) == '/'
										  ? ">"
										  : " rel=\"nofollow noopener noreferrer\">");
		writer->link = node;
	}
	if (cmark_node_first_child(node) == NULL)
		html_text(writer->page, cmark_node_get_url(node));
}

/* Write a text, in which addresses of HTTP are links. */
static void
write_text(Writer *writer, const char *text)
{
	Arena *arena = &writer->page->request->arena;
	const char *rest = text; /* what is not written yet */

	for (const char *at = text; writer->link == NULL && (at = strcasestr(at, "http")) != NULL;)
	{
		const size_t length = at == text || !isalnum((unsigned char) at[-1]) ? bare_length(at) : 0;
		const char *address;

		if (length == 0 || length > writer->addresses)
		{
			at += strlen("http");
			continue;
		}
		writer->addresses -= length;
		address = arena_text(arena, at, length);
		html_text(writer->page, arena_text(arena, rest, (size_t) (at - rest)));
		html_page_write(writer->page, "<a href=\"%s\" rel=\"nofollow noopener noreferrer\">%s</a>",
						address, address);
		rest = at += length;
	}
	html_text(writer->page, rest);
}

/* The level of a heading on the page: one below the last heading of a higher level. */
static int
level_of(Writer *writer, cmark_node *node)
{
	const int level = cmark_node_get_heading_level(node);

	while (writer->level > 0 && writer->levels[writer->level - 1] >= level)
		writer->level--;
	writer->levels[writer->level++] = level;
	return writer->level + 1 < LEVELS ? writer->level + 1 : LEVELS;
}

static void
begin_list(Writer *writer, cmark_node *node)
{
	const int start = cmark_node_get_list_start(node);

	if (cmark_node_get_list_type(node) == CMARK_BULLET_LIST)
		html_page_write(writer->page, "<ul>");
	else if (start == 1)
		html_page_write(writer->page, "<ol>");
	else
		html_page_write(writer->page, "<ol start=\"%lld\">", (long long) start);
}

static void
enter_html(Writer *writer, cmark_node *node, int depth)
{
	const cmark_node_type type = cmark_node_get_type(node);

	if (type == CMARK_NODE_LINK || type == CMARK_NODE_IMAGE)
		begin_link(writer, node);
	else if (depth <= DEPTH_MAXIMUM && type == CMARK_NODE_HEADING)
		html_page_write(writer->page, "<h%lld>", (long long) level_of(writer, node));
	else if (depth <= DEPTH_MAXIMUM && type == CMARK_NODE_LIST)
		begin_list(writer, node);
	else if (depth <= DEPTH_MAXIMUM && elements[type].before != NULL && !is_tight(node))
		buffer_text(writer->page->out, elements[type].before);
	if (type == CMARK_NODE_TEXT)
		write_text(writer, cmark_node_get_literal(node));
	else
		html_text(writer->page, cmark_node_get_literal(node));
}

static void
leave_html(Writer *writer, cmark_node *node, int depth)
{
	const cmark_node_type type = cmark_node_get_type(node);

	if (writer->link == node)
	{
		html_page_write(writer->page, "</a>");
		writer->link = NULL;
	}
	else if (depth > DEPTH_MAXIMUM)
		return;
	else if (type == CMARK_NODE_HEADING)
		html_page_write(writer->page, "</h%lld>",
						(long long) (writer->level + 1 < LEVELS ? writer->level + 1 : LEVELS));
	else if (type == CMARK_NODE_LIST)
		html_page_write(writer->page,
						cmark_node_get_list_type(node) == CMARK_BULLET_LIST ? "</ul>" : "</ol>");
	else if (elements[type].after != NULL && !is_tight(node))
		buffer_text(writer->page->out, elements[type].after);
}

void
markdown_html(const Page *page, const char *text)
{
	Writer writer = {.page = page, .addresses = ADDRESSES_MAXIMUM};
	cmark_node *node = parse(&page->request->arena, text);
	int depth = 0;

	if (node == NULL)
		html_page_write(page, "<p class=\"text\">%s</p>", text);
	for (; node != NULL; node = next_node(node, &depth, leave_html, &writer))
		enter_html(&writer, node, depth);
}

static void
enter_plain(Writer *writer, cmark_node *node)
{
	const cmark_node_type type = cmark_node_get_type(node);
	const char *literal = cmark_node_get_literal(node);

	if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK)
		buffer_text(&writer->out, "\n");
	else if (literal != NULL)
		buffer_text(&writer->out, literal);
}

/* End the line of a block. */
static void
leave_plain(Writer *writer, cmark_node *node, int depth)
{
	const Buffer *out = &writer->out;

	(void) depth;
	if (cmark_node_get_type(node) <= CMARK_NODE_LAST_BLOCK && out->length > 0 &&
		out->data[out->length - 1] != '\n')
		buffer_text(&writer->out, "\n");
}

const char *
markdown_plain(Arena *arena, const char *text)
{
	cmark_node *node = text ? parse(arena, text) : NULL;
	Writer writer = {0};
	int depth = 0;

	if (node == NULL)
		return text;
	buffer_init(&writer.out, PLAIN_MAXIMUM);
	for (; node != NULL; node = next_node(node, &depth, leave_plain, &writer))
		enter_plain(&writer, node);
	while (writer.out.length > 0 && writer.out.data[writer.out.length - 1] == '\n')
		writer.out.length--;
	return arena_take(arena, &writer.out);
}
