/*
 * views.h - what each page shows, and the parts that several show.
 */
#ifndef VIEWS_H
#define VIEWS_H

#include "page/page_internal.h"

/* The views: view_home.c, view_list.c, view_item.c, view_dataset.c, view_file.c, view_page.c,
 * view_error.c, view_docs.c */
extern void view_home(Page *page);
extern void view_list(Page *page);
extern void view_item(Page *page);
extern void view_dataset(Page *page);
extern void view_file(Page *page);
extern void view_page(Page *page);
extern void view_docs(Page *page);
extern void view_error(Page *page);
extern void view_error_waiting(Page *page);
/* What a status means. */
extern const char *view_error_word(int status);
/* Append a picture, called by its kind and title, in a frame that scrolls.  Its size is that of the part "picture";
 * without one the frame has a size for all. */
extern void view_item_frame(Page *page, const char *address, const char *kind, const char *title);
/* Append links to a picture as SVG and PNG. */
extern void view_item_formats(Page *page, const char *address);
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

#define COLUMNS_SHOWN 100 /* of a file; it may have thousands */

/* The columns of a table. */
typedef struct TableHead
{
	const char *names[COLUMNS_SHOWN];
	bool numbers[COLUMNS_SHOWN]; /* it has only numbers */
	size_t count;
	bool more; /* there are others, which are not shown */
} TableHead;

/* view_table.c: append rows, or records, as a table. */
extern void view_table(Page *page, const Value *rows, const char *caption, TableKind kind);
/* Find the columns of such a table, by its first row. */
extern void view_table_columns(const Page *page, const Value *rows, TableKind kind,
							   TableHead *head);
/* The column of the file with a name; NULL: there is none.  Is its type one of the comma-separated ones? */
extern const Value *view_table_column(const Page *page, const char *name);
extern bool view_table_is_column(const Page *page, const char *name, const char *types);

/* view_file.c: tabs of the sheets that are not hidden, and of the one that is shown; ways to take the rows and the file
 * along; the columns of the file, with what is in them. */
extern void view_file_sheets(Page *page, const char *id);
extern void view_file_downloads(Page *page, const Value *file);
extern void view_file_columns(Page *page);
/* The parameter of an address that names the sheet of the page, behind a sign; "" where the page names none. */
extern const char *view_file_sheet_query(const Page *page, const char *sign);

/* view_rows.c: the rows of a file with all that is chosen of them. */
extern void view_rows(Page *page);
#define PAGE_OF_ROWS "limit,skip,after,before,version" /* parameters */
/* The query of the call for the rows. */
extern const char *view_rows_query(const Page *page);
/* A text in an address. */
extern const char *view_rows_encoded(const Page *page, const char *text);
/* May the rows be filtered by a column of this name, or is it that of a parameter? */
extern bool view_rows_is_filtered(const char *name);
/* Add the columns of a table that has no rows; append the heading of one, and the row of inputs. */
extern void view_rows_columns(const Page *page, TableHead *head);
extern void view_rows_heading(Page *page, const char *name, bool number);
extern void view_rows_filters(Page *page, const TableHead *head);

/* Append the names of records with the numbers of their datasets, as far as the page has counted them. */
extern void view_list_names(Page *page, const Value *records, const char *resource);
/* Append the datasets of the page's record: the list that is narrowed to them, as far as its first page. */
extern void view_list_narrowed(Page *page);
/* view_api.c: the calls that give what the page shows */
extern void view_api(Page *page);
/* view_facets.c: append the values of a facet as links that add them to the filter, or take them away */
extern void view_facets_choices(Page *page, const Value *facet);
/* Append the values of a list's facets, of its "meta", as links that set or remove them as filters. */
extern void view_facets(Page *page, const Value *meta);
/* Append a link to the page with all numbers counted, which a script follows. */
extern void view_facets_exact(Page *page);
/* Append the filters of the list as links that remove them. */
extern void view_facets_chosen(Page *page);
/* Append links without one of them each, for a list that finds nothing. */
extern void view_facets_without(Page *page);
/* The number of datasets of a record, by the facets of the page's datasets; NULL: it is not known. */
extern const char *view_facets_count(const Page *page, const char *resource, const char *id);

#define PAGE_EMBEDDED "embed=true" /* parameter of the page in a frame */
#define PAGE_EXACT "exact=true"	   /* parameter of the page with all numbers counted */
/* view_share.c: append the address of the page, the code that shows it in a frame, and how it is cited. */
extern void view_share(Page *page);

#define PAGE_FOLLOWED \
	"followed" /* parameter of the page of a dataset after its form to follow it was sent */
#define PAGE_FOLLOW "follow" /* id of that form */
#define PAGE_ASKED "asked" /* parameter of the page of a dataset about which something was asked */
#define PAGE_QUESTIONS "questions" /* where it is on that page */
/* view_questions.c: append the public questions about the dataset, and the form for another one. */
extern void view_questions(Page *page);
/* Can the question that was refused be mended in its form?  The form with what was typed, and what is wrong at each
 * input. */
extern bool view_questions_mends(const Page *page);
extern void view_questions_again(Page *page);
/* view_follow.c: append the form to follow a dataset by e-mail, where mail can be sent. */
extern void view_follow(Page *page);

/* view_values.c: the query of the call for the values of columns, NULL: there are none; append, beneath the input of a
 * column, its values with their counts, or a link that has them counted. */
extern const char *view_values_query(const Page *page);
extern void view_values(Page *page, const char *column);

#endif
