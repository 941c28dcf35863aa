/*
 * view_rows.c - the rows of a file with order, filters, groups, a picture and downloads: GET /files/:id/contents.
 *
 * All that is chosen is in the address, and nothing needs a script.
 */

#include "../../extension/files/download_formats.h"
#include "net/framing.h"
#include "page/views.h"

#define AGGREGATE_COLUMNS 20 /* of numbers, that can be summed up */
#define VALUE_CHARACTERS 100

bool
view_rows_is_filtered(const char *name)
{
	return !text_has_word("match,condition,limit,skip,version,after,before,orderBy,sort,fields,"
						  "types,sheet,groupBy,aggregate,facets,facetLimit,distinct,query,lang,jwt",
						  name) &&
		   strchr(name, '[') == NULL;
}

/* All names that a parameter has, with commas between; it may be there several times. */
static const char *
names_of(const Page *page, const char *parameter)
{
	const char *query = page->request->query;
	Arena *arena = &page->request->arena;
	const char *word;
	size_t length;
	Buffer names;

	buffer_init(&names, TARGET_MAXIMUM);
	while ((word = text_query_word(&query, &length)) != NULL)
	{
		size_t end = strcspn(word, "=&");

		if (end >= length || strcmp(text_form_decode(arena, word, end), parameter) != 0)
			continue;
		buffer_text(&names, names.length > 0 ? "," : "");
		buffer_text(&names, text_form_decode(arena, word + end + 1, length - end - 1));
	}
	return arena_take(arena, &names);
}

/* The second name of comma-separated ones: what is behind the first comma; "": there is none. */
static const char *
second_name(const char *names)
{
	const char *comma = strchr(names, ',');

	return comma ? comma + 1 : "";
}

/* What is told of each group. */
static const char *
aggregate_of(const Page *page)
{
	const char *aggregate = layout_parameter(page, "aggregate");

	return aggregate ? aggregate : "count";
}

/* Does the page show groups in place of rows? */
static bool
is_grouped(const Page *page)
{
	return layout_parameter(page, "groupBy") != NULL ||
		   layout_parameter(page, "aggregate") != NULL ||
		   layout_parameter(page, "distinct") != NULL;
}

/* What the rows or groups are ordered by, if the address may say so: groups have no other columns. */
static const char *
order_of(const Page *page)
{
	const char *by = layout_parameter(page, "orderBy");
	const char *groups = names_of(page, "groupBy");

	if (by != NULL && *groups != '\0' && !text_has_word(groups, by) &&
		strcmp(by, aggregate_of(page)) != 0)
		return NULL;
	return by;
}

const char *
view_rows_encoded(const Page *page, const char *text)
{
	Buffer buffer;

	buffer_init(&buffer, 4 * TARGET_MAXIMUM);
	text_percent_encode(&buffer, text, strlen(text));
	return arena_take(&page->request->arena, &buffer);
}

const char *
view_rows_query(const Page *page)
{
	Arena *arena = &page->request->arena;
	const char *sheet = layout_parameter(page, "sheet");

	/* the inputs and columns of a request that was refused, without its rows */
	if (page->fault != NULL)
		return sheet ? arena_join(arena, "limit=1&sheet=", view_rows_encoded(page, sheet))
					 : "limit=1";
	if (layout_parameter(page, "groupBy") == NULL || order_of(page) != NULL ||
		strchr(aggregate_of(page), ',') != NULL)
		return page->request->query;
	return arena_join(arena, layout_query(page, "orderBy,sort"),
					  "&orderBy=", view_rows_encoded(page, aggregate_of(page)), "&sort=DESC");
}

/* ---- The head of the table: names that order the rows, and inputs ---- */

/* Functions of the values of a group. */
static const struct
{
	const char *name;
	const char *word;
} functions[] = {{"sum", WORD("Sum")},
				 {"avg", WORD("Average")},
				 {"min", WORD("Least")},
				 {"max", WORD("Greatest")}};

/* What a column is called: of groups what was made of the one in parentheses. */
static const char *
heading_of(const Page *page, const char *name)
{
	Arena *arena = &page->request->arena;
	size_t length = strlen(name);

	if (strcmp(name, "count") == 0)
		return page_word(page, "Number of rows");
	for (size_t i = 0; i < lengthof(functions); i++)
		if (strncmp(name, functions[i].name, 3) == 0 && name[3] == '(' && name[length - 1] == ')')
			return arena_format(arena, "%s: %.*s", page_word(page, functions[i].word),
								(int) length - 5, name + 4);
	return name;
}

void
view_rows_heading(Page *page, const char *name, bool number)
{
	Arena *arena = &page->request->arena;
	const char *by = order_of(page);
	const char *sort = layout_parameter(page, "sort");
	bool usual = by == NULL && layout_parameter(page, "groupBy") != NULL;
	bool current = strcmp(usual ? aggregate_of(page) : by ? by : "", name) == 0;
	bool down = current && (usual || (sort != NULL && strcmp(sort, "DESC") == 0));

	html_page_write(page, number ? "<th scope=\"col\" class=\"number\"" : "<th scope=\"col\"");
	if (current)
		html_page_write(page, " aria-sort=\"%s\"", down ? "descending" : "ascending");
	html_page_write(page, "><a rel=\"nofollow\" href=\"%s\" title=\"%s\">",
					layout_here(page, "orderBy,sort,skip,after,before",
								arena_join(arena, "orderBy=", view_rows_encoded(page, name),
										   current && !down ? "&sort=DESC" : "&sort=ASC")),
					page_word(page, current && !down ? WORD("descending") : WORD("ascending")));
	html_page_write(page, "%.300s</a></th>",
					view_table_column(page, name) ? name : heading_of(page, name));
}

/* Append the columns of the file, but those that "fields" leaves out. */
static void
add_columns(const Page *page, TableHead *head)
{
	const char *fields = is_grouped(page) ? "" : names_of(page, "fields");

	for (const Value *column = value_first(structured_data_part(page, "columns"));
		 column != NULL && head->count < COLUMNS_SHOWN; column = column->next)
	{
		const char *name = value_text(column, "name");

		if (name == NULL || (*fields != '\0' && !text_has_word(fields, name)))
			continue;
		head->numbers[head->count] = view_table_is_column(page, name, "integer,decimal");
		head->names[head->count++] = name;
	}
}

void
view_rows_columns(const Page *page, TableHead *head)
{
	if (head->count == 0 && !is_grouped(page))
		add_columns(page, head);
}

/* Does the fault of the request name the parameter? */
static bool
is_at_fault(const Page *page, const char *column)
{
	const char *at = page->fault;
	const char *named = arena_format(&page->request->arena, "filter \"%s\"", column);

	return at != NULL && strstr(at, named) != NULL;
}

/* What is wrong with the request. */
static void
add_fault(Page *page, const char *id)
{
	Arena *arena = &page->request->arena;
	const char *language = page->request->language;

	html_page_write(page, "<p class=\"fault\" role=\"alert\" id=\"%s\" dir=\"auto\">%s", id,
					words_message(arena, language, page->fault));
	if (page->fault_hint != NULL)
		html_page_write(page, " %s", words_message(arena, language, page->fault_hint));
	html_page_write(page, "</p>");
}

/* An input for a parameter: a column and an operator.  The word says what the operator does. */
static void
add_input(Page *page, const char *column, const char *operator, const char * word)
{
	const char *name = arena_format(&page->request->arena, "%s%s", column, operator);
	const char *value = layout_parameter(page, name);

	html_page_write(
		page,
		"<input form=\"filter\" name=\"%s\" value=\"%s\" dir=\"auto\" placeholder=\"%s\" "
		"aria-label=\"{Filter by} %s: %s\"",
		name, value ? value : "", page_word(page, word), column, page_word(page, word));
	html_page_write(page, is_at_fault(page, column) && value != NULL
							  ? " aria-invalid=\"true\" aria-describedby=\"fault\">"
							  : ">");
}

/* What a text must be to its filter, by the parameter "match". */
static const struct
{
	const char *match;
	const char *word;
} matches[] = {{"CONTAINS", WORD("contains")},
			   {"EXACT", WORD("is")},
			   {"BEGINS", WORD("begins with")},
			   {"ENDS", WORD("ends with")}};

/* The index in matches of what is chosen. */
static size_t
match_chosen(const Page *page)
{
	const char *match = layout_parameter(page, "match");

	for (size_t i = 0; i < lengthof(matches); i++)
		if (match != NULL && strcmp(match, matches[i].match) == 0)
			return i;
	return 0;
}

/*
 * The inputs of a column: of one of numbers or dates from where and up to where, of others a text; and one more where
 * the address has such a filter.
 */
static void
add_inputs(Page *page, const char *name, bool number)
{
	Arena *arena = &page->request->arena;
	bool ranged =
		number || view_table_is_column(page, name, "integer,decimal,date,datetime,month,quarter");
	bool bounded = layout_parameter(page, arena_format(arena, "%s[gte]", name)) ||
				   layout_parameter(page, arena_format(arena, "%s[lte]", name));

	if (!view_rows_is_filtered(name))
		return;
	if (!ranged || layout_parameter(page, name) != NULL)
		add_input(page, name, "", ranged ? WORD("is") : matches[match_chosen(page)].word);
	if (ranged || bounded)
	{
		add_input(page, name, "[gte]", WORD("from"));
		add_input(page, name, "[lte]", WORD("to"));
	}
	if (is_at_fault(page, name))
		add_fault(page, "fault");
	view_values(page, name);
}

void
view_rows_filters(Page *page, const TableHead *head)
{
	/* groups have columns that the rows have not */
	if (is_grouped(page))
		return;
	html_page_write(page, "<tr class=\"filters\">");
	for (size_t i = 0; i < head->count; i++)
	{
		html_page_write(page, "<td>");
		add_inputs(page, head->names[i], head->numbers[i]);
		html_page_write(page, "</td>");
	}
	html_page_write(page, "</tr>");
}

/* ---- What is chosen for the whole table ---- */

/* The column behind one, of the first ones that choices are offered of. */
static const Value *
column_next(const Value *column, int *count)
{
	return ++*count < COLUMNS_SHOWN ? column->next : NULL;
}

/* An option of a select. */
static void
add_option(Page *page, const char *value, const char *text, bool chosen)
{
	html_page_write(page, "<option value=\"%s\"%s>", value, chosen ? " selected" : "");
	html_text(page, text);
	html_page_write(page, "</option>");
}

/* A column that the rows are grouped by, or none. */
static void
add_group(Page *page, const char *label, const char *chosen)
{
	int count = 0;
	size_t length = strcspn(chosen, ",");
	const char *name = arena_text(&page->request->arena, chosen, length);

	html_page_write(page, "<label>%s <select name=\"groupBy\">", label);
	add_option(page, "", "–", false);
	for (const Value *column = value_first(structured_data_part(page, "columns")); column != NULL;
		 column = column_next(column, &count))
		add_option(page, value_text(column, "name"), value_text(column, "name"),
				   strcmp(name, value_text(column, "name")) == 0);
	html_page_write(page, "</select></label> ");
}

/* What is told of each group: how many rows it has, or what a column of numbers has in it. */
static void
add_aggregates(Page *page)
{
	html_page_write(page, "<label>{Show} <select name=\"aggregate\">");
	add_option(page, "", page_word(page, "Number of rows"), false);
	for (size_t i = 0; i < lengthof(functions); i++)
	{
		int count = 0;

		for (const Value *column = value_first(structured_data_part(page, "columns"));
			 column != NULL && count < AGGREGATE_COLUMNS; column = column->next)
			if (text_has_word("integer,decimal", value_text(column, "type")))
			{
				const char *value = arena_format(&page->request->arena, "%s(%s)", functions[i].name,
												 value_text(column, "name"));

				add_option(page, value, heading_of(page, value),
						   strcmp(value, aggregate_of(page)) == 0);
				count++;
			}
	}
	html_page_write(page, "</select></label>");
}

/* The columns of which only those that are chosen are shown; all if none is. */
static void
add_fields(Page *page)
{
	int count = 0;
	const char *fields = names_of(page, "fields");

	html_page_write(page, "<fieldset class=\"fields\"><legend>{Only these columns}</legend>");
	for (const Value *column = value_first(structured_data_part(page, "columns")); column != NULL;
		 column = column_next(column, &count))
	{
		html_page_write(page, "<label><input type=\"checkbox\" name=\"fields\" value=\"%s\"%s> ",
						value_text(column, "name"),
						text_has_word(fields, value_text(column, "name")) ? " checked" : "");
		html_name(page, value_text(column, "name"), VALUE_CHARACTERS);
		html_page_write(page, "</label> ");
	}
	html_page_write(page, "</fieldset>");
}

/* Has the address a filter on a column? */
static bool
has_filter(const Page *page)
{
	Arena *arena = &page->request->arena;

	for (const Value *column = value_first(structured_data_part(page, "columns")); column != NULL;
		 column = column->next)
	{
		const char *name = value_text(column, "name");

		if (layout_parameter(page, name) != NULL ||
			layout_parameter(page, arena_format(arena, "%s[gte]", name)) != NULL ||
			layout_parameter(page, arena_format(arena, "%s[lte]", name)) != NULL)
			return true;
	}
	return false;
}

/* The inputs of all columns, where the table has those of groups. */
static void
add_filters(Page *page)
{
	int count = 0;
	html_page_write(page, has_filter(page) ? "<details open>" : "<details>");
	html_page_write(page, "<summary>{Filter}</summary><div class=\"filters\">");
	for (const Value *column = value_first(structured_data_part(page, "columns")); column != NULL;
		 column = column_next(column, &count))
	{
		html_page_write(page, "<div><strong>");
		html_name(page, value_text(column, "name"), VALUE_CHARACTERS);
		html_page_write(page, "</strong> ");
		add_inputs(page, value_text(column, "name"), false);
		html_page_write(page, "</div>");
	}
	html_page_write(page, "</div></details>");
}

/* Columns, groups, and what is told of these; folded until one of them is chosen. */
static void
add_explorer(Page *page)
{
	const char *groups = names_of(page, "groupBy");
	bool chosen = is_grouped(page) || layout_parameter(page, "fields") != NULL;

	if (value_first(structured_data_part(page, "columns")) == NULL)
		return;
	html_page_write(page,
					chosen ? "<details class=\"explorer\" open>" : "<details class=\"explorer\">");
	html_page_write(page, "<summary>{Columns and groups}</summary><p class=\"row\">");
	add_group(page, page_word(page, "Group by"), groups);
	add_group(page, page_word(page, "and by"), second_name(groups));
	add_aggregates(page);
	html_page_write(page, " <button type=\"submit\">{Show}</button></p>");
	if (is_grouped(page))
		add_filters(page);
	else
		add_fields(page);
	html_page_write(page, "</details>");
}

/* The columns that have inputs, as members of an object. */
static const Value *
input_columns(Page *page)
{
	Value *object = arena_zeroed(&page->request->arena, sizeof(Value) * (COLUMNS_SHOWN + 1));
	TableHead head = {0};

	if (object == NULL)
		return NULL;
	view_table_columns(page, page->fault || is_grouped(page) ? NULL : page->data, TABLE_FILTERED,
					   &head);
	if (is_grouped(page))
		add_columns(page, &head);
	object->type = VALUE_OBJECT;
	for (size_t i = 0; i < head.count; i++)
		object[i + 1] =
			(Value){.name = head.names[i], .next = i + 1 < head.count ? &object[i + 2] : NULL};
	object->first = head.count > 0 ? &object[1] : NULL;
	return object;
}

/* The form that the inputs of the table belong to; a link shows all rows again. */
static void
add_form(Page *page)
{
	html_page_write(page, "<form id=\"filter\" class=\"filter\" method=\"get\" action=\"%s\">",
					layout_path(page, "/files/%s/contents", page->request->path_id));
	layout_hidden(page,
				  PAGE_OF_ROWS
				  ",condition,match,fields,groupBy,aggregate,distinct,facets,facetLimit"
				  ",histogram",
				  input_columns(page));
	html_page_write(page, "<input type=\"hidden\" name=\"condition\" value=\"AND\"><label>{A text} "
						  "<select name=\"match\">");
	for (size_t i = 0; i < lengthof(matches); i++)
		add_option(page, matches[i].match, page_word(page, matches[i].word),
				   i == match_chosen(page));
	html_page_write(
		page,
		"</select></label> <button type=\"submit\">{Filter}</button> <a href=\"%s\">{All}</a>",
		layout_path(page, "/files/%s/contents%s", page->request->path_id,
					view_file_sheet_query(page, "?")));
	add_explorer(page);
	html_page_write(page, "</form>");
}

/* A form that gives the rows or groups that the page shows a part of, with their number. */
static void
add_selected(Page *page)
{
	const char *count = value_text(page->meta, "count");
	bool places = value_text(page->links, "image") != NULL && !is_grouped(page);

	if (page->fault != NULL || value_first(page->data) == NULL || count == NULL ||
		!value_given(value_member(structured_data_part(page, "file"), "size")))
		return;
	html_page_write(page, "<form class=\"row\" method=\"get\" action=\"%s/files/%s/download/csv\">",
					page->root, page->request->path_id);
	layout_hidden(page, PAGE_OF_ROWS ",lang,bom,facets,facetLimit", NULL);
	html_page_write(page, "<input type=\"hidden\" name=\"bom\" value=\"true\">");
	html_page_write(page, "<span>{Download these rows} (%s):</span>",
					html_page_number(page, count));
	for (size_t i = 0; i < lengthof(download_formats); i++)
		if (download_formats[i].offered || (download_formats[i].placed && places))
			html_page_write(page, " <button formaction=\"%s/files/%s/download/%s\">%s</button>",
							page->root, page->request->path_id, download_formats[i].name,
							download_formats[i].name);
	html_page_write(page, "</form>");
}

/* The picture of what is shown: a chart of groups, a map of places. */
static void
add_picture(Page *page)
{
	const char *image = value_text(page->links, "image");

	if (image == NULL || page->fault != NULL || value_first(page->data) == NULL)
		return;
	html_page_write(page, "<figure class=\"rows-picture\">");
	image = layout_spoken(
		page, arena_join(&page->request->arena, page->root, image + strlen(page->request->base)));
	view_item_frame(page, image,
					arena_join(&page->request->arena,
							   page_word(page, is_grouped(page) ? WORD("Chart") : WORD("Map")),
							   ": "),
					page->title);
	view_item_formats(page, image);
	html_page_write(page, "</figure>");
}

/* The rows or groups in a frame: what is seen, without what changes it. */
static void
add_framed(Page *page)
{
	field_heading(page, "1", page->title);
	if (value_text(page->links, "image") != NULL)
		add_picture(page);
	view_table(page, page->data, page->title, TABLE_ROWS);
}

void
view_rows(Page *page)
{
	const char *count = value_text(page->meta, "count");
	const Value *file = structured_data_part(page, "file");

	if (page->embedded)
	{
		add_framed(page);
		return;
	}

	count = count ? count : "0";
	html_page_write(page, "<h1>%.300s</h1><p><a href=\"%s\">{Details}</a>", page->title,
					layout_path(page, "/files/%s", page->request->path_id));
	if (page->fault == NULL)
		html_page_write(page, " · %s %s", html_page_number(page, count),
						is_grouped(page) ? page_plural(page, count, "group", "groups")
										 : page_plural(page, count, "row", "rows"));
	html_page_write(page, "</p>");
	field_section(page, "contents", page_word(page, "Rows"));
	view_file_sheets(page, page->request->path_id);
	if (page->fault != NULL && strstr(page->fault, "filter \"") == NULL)
		add_fault(page, "fault");
	add_form(page);
	if (is_grouped(page))
		add_picture(page);
	view_table(page, page->fault ? NULL : page->data, page->title, TABLE_FILTERED);
	if (page->fault == NULL)
		layout_pages(page, page->links, page->meta);
	add_selected(page);
	if (!is_grouped(page))
		add_picture(page);
	html_page_write(page, "</section>");
	view_file_downloads(page, file);
	view_file_columns(page);
	view_share(page);
	view_api(page);
}
