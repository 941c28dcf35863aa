/*
 * page_internal.h - how the files of this folder make HTML of a reply.
 */
#ifndef PAGE_INTERNAL_H
#define PAGE_INTERNAL_H

#include "database/route.h"
#include "page/field.h"
#include "page/page.h"
#include "page/value.h"
#include "page/words.h"

#define PAGE_PARTS 8 /* further reads of a view */

/* What a page shows; the value of data-view. */
typedef enum View
{
	VIEW_HOME,
	VIEW_LIST,
	VIEW_ITEM,
	VIEW_DATASET,
	VIEW_FILE,
	VIEW_PAGE,
	VIEW_ERROR,
	VIEW_WAITING,
	VIEW_QUESTION,
	VIEW_DOCS
} View;

/* What a further read has brought. */
typedef struct PageResult
{
	const char *name; /* NULL: it was not made, or was refused */
	const Value *data;
	const Value *meta; /* what the reply has besides, as members of an object */
	int64_t count;	   /* records in all of the list that data begins */
	long height;	   /* of a picture; 0: it is none */
} PageResult;

typedef struct Page
{
	Request *request;
	Buffer *out; /* the markup: head of the answer */
	View view;
	bool plain;			  /* the call was made for the reply alone */
	bool embedded, exact; /* for a frame in another page; with all numbers counted */
	const char *fault,
		*fault_hint;	/* why the rows that were asked for are not shown; NULL: they are */
	const Value *asked; /* the form of a question that was refused; NULL: none */
	size_t next;		/* further read */
	const Value *meta;
	const Value *data;
	const Value *links;
	PageResult results[PAGE_PARTS]; /* of further reads */
	const char *root;				/* what precedes each path in links */
	const char *chosen; /* "lang=xx" if the address has the language; NULL: it has not */
	const char *title;
	const char *description; /* NULL: none */
	const char *order;		 /* of the list, if the request has none, as parameters; NULL: none */
	const char *narrowed;	 /* the filter of the datasets of the record; NULL: it has none */
	const char *list;		 /* the query of the datasets that links are of; NULL: the request's */
} Page;

/* A text in the language of the page; and the one, of those for one and for several, that goes with a number. */
#define page_word(page, word) words_text((page)->request->language, word)
#define page_plural(page, digits, one, several) \
	words_plural((page)->request->language, digits, one, several)

/* The name of a field or resource in the language of the page. */
static inline const char *
page_label(const Page *page, const char *name)
{
	return words_label(&page->request->arena, page->request->language, name);
}

/* page.c: the page of a request, begun if there is none; NULL: no memory. */
extern Page *page_of(Request *request);
/* Put the page of what was read in place of the envelope. */
extern void page_finish(Page *page);

/* translation.c: have the records in a value show their texts in a language, as far as they have them. */
extern void translation_apply(Arena *arena, const Value *value, const char *language);

/* html.c: the only functions that write what is not constant */
/* Append a text of any origin, so that it is shown and never read as markup; NULL: nothing. */
extern void html_text(const Page *page, const char *text);
/* The same, with at most so many characters, and a sign where it was cut. */
extern void html_brief(const Page *page, const char *text, size_t characters);
/* The same, with what is one of the first words of a search marked; case and accents aside, no shorter than two bytes. */
extern void html_marked(const Page *page, const char *text, size_t characters, const char *words);
/* Append markup; each %s is replaced by a text that is escaped, each %.100s by one as html_name() writes it, each %lld by
 * a number, each {word} by that word in the language of the page, and there is no other directive. */
extern void html_page_write(const Page *page, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Append a data block with JSON, which browsers do not execute.  <, >, & and the line ends of Unicode, which only texts
 * of JSON contain, are escaped as JSON does, so that no text ends the block. */
extern void html_data(const Page *page, const char *type, const char *json);
/* A number, and a size in bytes, as people write it. */
extern const char *html_page_number(const Page *page, const char *digits);
extern const char *html_page_size(const Page *page, const char *bytes);
/* A name of a record: its direction of writing affects nothing else. */
extern void html_name(const Page *page, const char *text, size_t characters);

/* structured_data.c */
/* The result of a further read, and its data; empty where it is not of this view, or was refused. */
extern const PageResult *structured_data_result(const Page *page, const char *name);
extern const Value *structured_data_part(const Page *page, const char *name);
/* The text of an optional value, by the name of one of the record; of an object what it is called; NULL: none. */
extern const char *structured_data_text(const Value *value);
extern const char *structured_data_optional(const Value *record, const char *name);
/* When a dataset or one of its files has changed last. */
extern const char *structured_data_modified(const Page *page);
/* Who publishes the dataset: its organization, else what its source says; NULL: unknown. */
extern const char *structured_data_publisher(const Page *page);
extern void structured_data(Page *page); /* append Open Graph and schema.org */

/* layout.c: what the catalogue is called, what precedes and follows the view; addresses of the service */
extern const char *layout_brand(const Page *page);
extern const char *layout_lead(const Page *page);
extern void layout_begin(Page *page);
extern void layout_end(Page *page);
/* of a path, which is printed and begins with a slash */
#define layout_path(page, ...) \
	layout_path_address(page, arena_format(&(page)->request->arena, __VA_ARGS__))
extern const char *layout_path_address(const Page *page, const char *path);
/* The same of a record; of one without an id that of a search for its name. */
extern const char *layout_record(const Page *page, const char *resource, const Value *record);
/* The same of an absolute address in a reply; NULL stays NULL. */
extern const char *layout_link(const Page *page, const char *address);
/* The address of a picture or a feed in the language of the page; that of a picture as PNG, by that as SVG. */
extern const char *layout_spoken(const Page *page, const char *address);
extern const char *layout_png(const Page *page, const char *picture);
/* The address of the list of the request, or page->list, without some parameters, with more or NULL; its query so. */
extern const char *layout_here(const Page *page, const char *without, const char *more);
extern const char *layout_query(const Page *page, const char *without);
/* The same in full, for other programs; the canonical address, of a list with those parameters that it takes. */
extern const char *layout_address(const Page *page);
extern const char *layout_canonical(const Page *page);
/* May the page be shown in a frame of another page? */
extern bool layout_embeddable(const Page *page);
/* The path of the feed of what the page lists: of the datasets of the record, of the search, else of all. */
extern const char *layout_feed(const Page *page);
extern void layout_search(Page *page, const char *class); /* append the form to search datasets */
/* The links to other pages of a list. */
extern void layout_pages(Page *page, const Value *links, const Value *meta);
/* Hidden fields of a form for parameters of the request but the comma-separated ones and members of inputs, or NULL. */
extern void layout_hidden(Page *page, const char *without, const Value *inputs);
/* The decoded value of a parameter of the same; NULL: it has none. */
extern const char *layout_parameter(const Page *page, const char *name);
#endif
