/*
 * views.h - what each page shows, and the parts that several show.
 */
#ifndef VIEWS_H
#define VIEWS_H

#include "page/page_internal.h"

/* The views: view_home.c, view_list.c, view_item.c, view_dataset.c, view_file.c, view_error.c */
extern void view_home(Page *page);
extern void view_list(Page *page);
extern void view_item(Page *page);
extern void view_dataset(Page *page);
extern void view_file(Page *page);
extern void view_error(Page *page);
extern void view_error_waiting(Page *page);
/* What a status means. */
extern const char *view_error_word(int status);
/* Append a picture of a chart or map, which the service draws. */
extern void view_item_picture(Page *page, const Value *record, const char *resource);
extern void view_item_pictures(Page *page, const Value *visuals);
/* Append the heading of a record: its name, and its description. */
extern void view_item_heading(Page *page);
/* Append what only those who work with the record need, folded: its fields but the
 * comma-separated ones, its versions, and links to what is related to it. */
extern void view_item_technical(Page *page, const char *without);
/* Append records as cards, each with a heading of the level; resource: the first word of their path. */
extern void view_list_cards(Page *page, const Value *records, const char *resource,
							const char *level);
typedef enum TableKind
{
	TABLE_ROWS,		/* of a file, with its names of columns */
	TABLE_FILTERED, /* the same, with order and filters */
	TABLE_FIELDS	/* records, with names for people */
} TableKind;

/* view_api.c: the calls that give what the page shows */
extern void view_api(Page *page);
/* view_facets.c: append the values of facets as links that set or remove them as filters. */
extern void view_facets(Page *page, const Value *facets);

#endif
