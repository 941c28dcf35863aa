/*
 * view_item.c - a record: its description, picture, fields and versions, and what is related to it.
 */

#include "../../extension/files/download_formats.h"
#include "page/markdown.h"
#include "page/views.h"

#define NAME_CHARACTERS 300
#define SERIES_MAXIMUM 50 /* of a chart in the table of its data */

/* Is there a picture?  A chart has its data, a map its number of points; a link tells it of others. */
static bool
is_drawn(const Page *page, const Value *record)
{
	return record == page->data || value_given(value_member(record, "data")) ||
		   value_given(value_member(record, "correct")) ||
		   value_given(value_member(record, "geojson"));
}

/* What the script needs that makes a map: the number of its points, and where they are. */
static void
add_map_facts(Page *page)
{
	const Settings *settings = page->request->thread->settings;
	const char *points = value_text(page->data, "correct");
	const Value *extent = value_member(page->data, "extent");
	const char *sign = "";

	html_page_write(page,
					"<figure class=\"map\"%s%s data-tiles=\"%s\" data-points=\"%s\" data-bounds=\"",
					*settings->map_streets ? " data-streets" : "",
					value_given(value_member(page->data, "legend")) ? " data-legend" : "",
					settings->map_tiles, points ? points : "");
	if (!value_given(extent))
		extent = value_member(value_member(page->data, "geojson"), "bbox");
	for (const Value *edge = value_first(extent); edge != NULL; edge = edge->next, sign = ",")
		html_page_write(page, "%s%s", sign, edge->text ? edge->text : "");
	html_page_write(page, "\">");
}

void
view_item_frame(Page *page, const char *address, const char *kind, const char *title)
{
	long height = structured_data_result(page, "picture")->height;

	html_page_write(page, "<div class=\"wide picture%s\" tabindex=\"0\"><img src=\"%s\"",
					height > 0 ? "" : " fixed", address);
	if (height > 0)
		html_page_write(page, " width=\"720\" height=\"%lld\"", (long long) height);
	html_page_write(page, " loading=\"lazy\" alt=\"%s", kind);
	html_brief(page, title, NAME_CHARACTERS);
	html_page_write(page, "\"></div>");
}

void
view_item_formats(Page *page, const char *address)
{
	html_page_write(page, "<p>{Download}: <a href=\"%s\" rel=\"nofollow\">svg</a>, ", address);
	html_page_write(page, "<a href=\"%s\" rel=\"nofollow\">png</a></p>", layout_png(page, address));
}

void
view_item_picture(Page *page, const Value *record, const char *resource)
{
	const char *id = value_text(record, "id");
	const char *path;
	const char *image;

	if (id == NULL)
		return;
	path = arena_format(&page->request->arena, "/%s/%s", resource, id);
	image = layout_spoken(page, arena_join(&page->request->arena, page->root, path, "/image"));
	if (record == page->data && strcmp(resource, "maps") == 0)
		add_map_facts(page);
	else
		html_page_write(page, "<figure>");
	if (is_drawn(page, record))
		view_item_frame(page, image, "", field_title(record));
	if (record == page->data)
		view_item_formats(page, image);
	if (record == page->data && value_given(value_member(record, "correct")))
		html_page_write(page, "<p class=\"points\">{Places}: %s</p>",
						html_page_number(page, value_text(record, "correct")));
	if (record != page->data)
		html_page_write(page, "<figcaption><a href=\"%s\">%.300s</a></figcaption>",
						layout_path(page, "%s", path), field_title(record));
	html_page_write(page, "</figure>");
}

/* Charts and maps of a file, an object with a list of each. */
void
view_item_pictures(Page *page, const Value *visuals)
{
	static const char *const kinds[] = {"charts", "maps"};

	for (size_t i = 0; i < lengthof(kinds); i++)
	{
		const Value *record = value_first(value_member(visuals, kinds[i]));

		if (record == NULL)
			continue;
		field_section(page, kinds[i], page_label(page, kinds[i]));
		for (; record != NULL; record = record->next)
			view_item_picture(page, record, kinds[i]);
		html_page_write(page, "</section>");
	}
}

static void
add_versions(Page *page)
{
	const Value *version = value_first(structured_data_part(page, "versions"));
	const char *all = layout_link(page, value_text(page->links, "versions"));

	if (version == NULL)
		return;
	field_section(page, "versions", page_label(page, "versions"));
	html_page_write(page, "<ol>");
	for (; version != NULL; version = version->next)
	{
		html_page_write(page, "<li>");
		field_value(page, value_member(version, "updatedAt"), NULL);
		html_page_write(page, "</li>");
	}
	html_page_write(page, "</ol>");
	if (all != NULL)
		html_page_write(page, "<p><a href=\"%s\">{All}: %s</a></p>", all,
						page_label(page, "versions"));
	html_page_write(page, "</section>");
}

/* A list of links to the addresses of an object. */
static void
add_addresses(Page *page, const Value *addresses)
{
	for (const Value *member = value_first(addresses); member != NULL; member = member->next)
		if (member->type == VALUE_TEXT && strcmp(member->name, "self") != 0)
			html_page_write(page, "<li><a href=\"%s\"><bdi>%s</bdi></a></li>",
							layout_link(page, member->text), page_label(page, member->name));
}

static void
add_related(Page *page)
{
	field_section(page, "related", page_word(page, "Related"));
	html_page_write(page, "<ul class=\"names\">");
	add_addresses(page, value_member(page->links, "collections"));
	add_addresses(page, page->links);
	html_page_write(page, "</ul></section>");
}

/* The image of an organization; one with another address is not loaded by the page. */
static void
add_logo(Page *page)
{
	const char *image = value_text(page->data, "image");
	const char *id = value_text(page->data, "id");
	const char *path = arena_format(&page->request->arena, "/organizations/%s/image", id ? id : "");

	if (image != NULL && strcmp(page->request->resource, "organizations") == 0 &&
		strstr(image, path) != NULL)
		html_page_write(page,
						"<img class=\"logo\" src=\"%s%s\" alt=\"\" width=\"96\" height=\"96\">",
						page->root, path);
}

void
view_item_heading(Page *page)
{
	const char *description = value_text(page->data, "description");

	add_logo(page);
	html_page_write(page, "<h1>%.300s</h1>", page->title);
	if (description != NULL)
	{
		html_page_write(page, "<div class=\"lead written\" dir=\"auto\">");
		markdown_html(page, description);
		html_page_write(page, "</div>");
	}
}

void
view_item_technical(Page *page, const char *without)
{
	html_page_write(
		page,
		"<section class=\"details\"><details><summary><h2>{Technical details}</h2></summary>");
	field_list(page, page->data, page->links, without);
	add_versions(page);
	add_related(page);
	html_page_write(page, "</details></section>");
	view_api(page);
}

/* Of a chart or map: the file that it is made of. */
static void
add_source(Page *page)
{
	const Value *file = value_member(page->data, "file");

	if (value_text(file, "id") != NULL)
		html_page_write(page, "<p>%s: <a href=\"%s\">%.300s</a></p>", page_label(page, "file"),
						layout_record(page, "files", file), field_title(file));
}

/* Where the features of a map stand as a list: as rows of its file, else as they were written; and as files. */
static void
add_points_link(Page *page)
{
	bool made = value_given(value_member(page->data, "correct"));
	const char *file = made ? value_text(value_member(page->data, "file"), "id") : NULL;

	if (strcmp(page->request->resource, "maps") != 0 ||
		!(made || value_given(value_member(page->data, "geojson"))))
		return;
	html_page_write(page, "<p><a href=\"%s\">",
					file ? layout_path(page, "/files/%s/contents", file)
						 : layout_path(page, "/maps/%s/geojson", value_text(page->data, "id")));
	html_page_write(page,
					file ? "{All places as rows}</a></p>" : "{All places as GeoJSON}</a></p>");
	if (file == NULL)
		return;
	html_page_write(page, "<p>{Download}: <a href=\"%s\" rel=\"nofollow\">geojson</a>",
					layout_path(page, "/maps/%s/geojson", value_text(page->data, "id")));
	for (size_t i = 0; i < lengthof(download_formats); i++)
		if (download_formats[i].placed && !download_formats[i].streamed)
			html_page_write(page, ", <a href=\"%s/maps/%s/download/%s\" rel=\"nofollow\">%s</a>",
							page->root, value_text(page->data, "id"), download_formats[i].name,
							download_formats[i].name);
	html_page_write(page, "</p>");
}

/* A label or series of a chart; the last one may stand for all others. */
static const char *
chart_name(const Page *page, const Value *data, const char *axis, const Value *name)
{
	const Value *rest = value_first(value_member(data, "rest"));

	while (rest != NULL && (rest->type != VALUE_TEXT || strcmp(rest->text, axis) != 0))
		rest = rest->next;
	if (rest != NULL && name->next == NULL)
		return page_word(page, "Other");
	return name->text ? name->text : "–";
}

/* The labels of a chart with their values: one of each, or one of each series. */
static void
add_chart_rows(Page *page, const Value *data)
{
	const Value *columns[SERIES_MAXIMUM];
	size_t count = 0;
	const Value *first = value_first(value_member(data, "data"));

	if (first == NULL || first->type != VALUE_LIST)
		columns[count++] = first;
	else
		for (; first != NULL && count < SERIES_MAXIMUM; first = first->next)
			columns[count++] = value_first(first);
	for (const Value *row = value_first(value_member(data, "labels")); row; row = row->next)
	{
		html_page_write(page, "<tr><th scope=\"row\">%.300s</th>",
						chart_name(page, data, "labels", row));
		for (size_t i = 0; i < count; i++)
		{
			html_page_write(page, "<td class=\"number\">");
			if (columns[i] != NULL && columns[i]->type != VALUE_NULL && columns[i]->text != NULL)
				html_text(page, columns[i]->text);
			html_page_write(page, "</td>");
			columns[i] = columns[i] ? columns[i]->next : NULL;
		}
		html_page_write(page, "</tr>");
	}
}

/* The data of a chart as a table, folded, and above it what is to be told of them. */
static void
add_chart_data(Page *page)
{
	const Value *data = value_member(page->data, "data");
	const char *note = value_text(data, "note");
	const Value *columns = value_member(page->data, "dataSeries");
	const Value *series = value_first(value_member(data, "series"));
	size_t count = 0;

	if (value_first(value_member(data, "labels")) == NULL)
		return;
	if (note != NULL)
		html_page_write(page, "<p class=\"hint\" lang=\"en\">%s</p>", note);
	html_page_write(
		page,
		"<details class=\"data\"><summary>{Data of the chart}</summary><div class=\"wide\" "
		"tabindex=\"0\"><table class=\"rows\"><caption>%.300s</caption><thead><tr>"
		"<th scope=\"col\">",
		page->title);
	if (value_first(columns) != NULL)
		html_name(page, value_first(columns)->text ? value_first(columns)->text : "",
				  NAME_CHARACTERS);
	html_page_write(page, "</th>");
	for (; series != NULL && count < SERIES_MAXIMUM; series = series->next, count++)
		html_page_write(page, "<th scope=\"col\" class=\"number\"><bdi>%s</bdi></th>",
						chart_name(page, data, "series", series));
	if (count == 0)
		html_page_write(page, "<th scope=\"col\" class=\"number\">{Value}</th>");
	html_page_write(page, "</tr></thead><tbody>");
	add_chart_rows(page, data);
	html_page_write(page, "</tbody></table></div></details>");
}

void
view_item(Page *page)
{
	if (page->embedded)
	{
		view_item_picture(page, page->data, page->request->resource);
		return;
	}
	view_item_heading(page);
	if (value_text(page->links, "image") != NULL && value_text(page->data, "id") != NULL &&
		text_has_word("charts,maps", page->request->resource))
	{
		view_item_picture(page, page->data, page->request->resource);
		add_source(page);
		add_points_link(page);
		add_chart_data(page);
		view_share(page);
		view_item_technical(page, "name,description,data,geojson,embedCode");
		return;
	}
	if (structured_data_part(page, "datasets") != NULL)
	{
		view_list_narrowed(page);
		view_item_technical(page, "name,description");
		return;
	}
	field_section(page, "details", page_word(page, "Details"));
	if (page->data != NULL && page->data->type == VALUE_OBJECT)
		field_list(page, page->data, page->links, "name,description");
	else
		field_value(page, page->data, NULL);
	html_page_write(page, "</section>");
	add_versions(page);
	add_related(page);
	view_api(page);
}
