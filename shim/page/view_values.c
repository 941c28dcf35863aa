/*
 * view_values.c - the values of columns with their counts, as links that set or remove a filter.
 */

#include "net/framing.h"
#include "page/views.h"

#define VALUES_SHOWN 12		 /* of a column, with their counts */
#define VALUES_COLUMNS 8	 /* whose values are counted unasked */
#define VALUES_CELLS 100000L /* that are read for them at most */

/* Are the values of a column few enough to choose one, and can its name stand among others with commas between? */
static bool
is_countable(const Value *column, long rows)
{
	const char *name = value_text(column, "name");
	const char *text = value_text(column, "distinct");
	long distinct = text ? strtol(text, NULL, 10) : 0;

	return name != NULL && strpbrk(name, ",\"") == NULL && view_rows_is_filtered(name) &&
		   distinct > 1 && distinct < rows &&
		   (distinct <= VALUES_SHOWN || distinct <= rows * 3 / 4);
}

/* How many rows the file has. */
static long
rows_of_file(const Page *page)
{
	const char *rows = value_text(structured_data_part(page, "file"), "rowCount");

	return rows ? strtol(rows, NULL, 10) : 0;
}

const char *
view_values_query(const Page *page)
{
	Arena *arena = &page->request->arena;
	long rows = rows_of_file(page);
	int count = 0;
	Buffer names;

	if (page->fault != NULL || rows == 0)
		return NULL;
	buffer_init(&names, TARGET_MAXIMUM);
	for (const Value *column = value_first(structured_data_part(page, "columns"));
		 column != NULL && count < VALUES_COLUMNS && (count + 1) * rows <= VALUES_CELLS;
		 column = column->next)
		if (is_countable(column, rows))
		{
			buffer_text(&names, count++ > 0 ? "," : "");
			text_percent_encode(&names, value_text(column, "name"),
								strlen(value_text(column, "name")));
		}
	if (count == 0)
		return NULL;
	return arena_join(
		arena, "limit=1&fields=_id&facetLimit=", arena_format(arena, "%d", VALUES_SHOWN),
		"&facets=", arena_take(arena, &names), "&",
		layout_query(page, "limit,skip,after,before,orderBy,sort,fields,groupBy,aggregate,"
						   "distinct,facets,facetLimit,histogram,types"));
}

/* The values of a column: those that were asked for, or were counted unasked; NULL: neither. */
static const Value *
values_of(const Page *page, const char *column)
{
	const Value *asked = value_member(value_member(page->meta, "facets"), column);
	const Value *meta = structured_data_result(page, "values")->meta;

	return asked ? asked : value_member(value_member(meta, "facets"), column);
}

/* The address of the page with more values of a column, or with those that were not counted unasked. */
static const char *
values_address(const Page *page, const char *column)
{
	return layout_here(page, "facets,facetLimit",
					   arena_join(&page->request->arena,
								  "facetLimit=1000&facets=", view_rows_encoded(page, column)));
}

void
view_values(Page *page, const char *column)
{
	const Value *facet = values_of(page, column);
	const char *rest = value_text(facet, "rest");
	const char *filter = arena_join(&page->request->arena, column, "[eq]");
	bool asked = value_member(value_member(page->meta, "facets"), column) != NULL;

	if (facet == NULL && page->fault == NULL &&
		is_countable(view_table_column(page, column), rows_of_file(page)))
		html_page_write(page, "<a class=\"values\" rel=\"nofollow\" href=\"%s\">{Values}</a>",
						values_address(page, column));
	if (value_first(value_member(facet, "values")) == NULL)
		return;
	html_page_write(page, asked || layout_parameter(page, filter)
							  ? "<details class=\"values\" open>"
							  : "<details class=\"values\">");
	html_page_write(page, "<summary>{Values}</summary><ul>");
	view_facets_choices(page, facet);
	if (rest != NULL && strcmp(rest, "0") != 0 && !asked)
		html_page_write(page, "<li><a rel=\"nofollow\" href=\"%s\">+ %s {more}</a></li>",
						values_address(page, column), html_page_number(page, rest));
	html_page_write(page, "</ul></details>");
}
