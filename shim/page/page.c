/*
 * page.c - HTML as one more representation: chosen by Accept, made of the envelope.
 */
#include "answer/answer.h"
#include "answer/envelope.h"
#include "net/header.h"
#include "page/markdown.h"
#include "page/views.h"

#define LANGUAGE_PARAMETER "lang="

/* Does the client prefer HTML to JSON?  A range such as any type asks for it only where there is nothing else. */
static bool
prefers_html(const Request *request)
{
	const char *accept = request->headers[HEADER_ACCEPT];

	if (request->route != NULL && request->route->envelope == ENVELOPE_DOCS)
		return !element_media_type(accept) ||
			   element_media_type_quality(accept, "text", "html") > 0;
	return element_accepted(accept, "text/html") &&
		   element_media_type_quality(accept, "text", "html") >
			   element_media_type_quality(accept, "application", "json");
}

/* Is the answer a picture, whose language its own call reads? */
static bool
is_picture(const Request *request)
{
	const CallName call = request->route ? request->route->call : CALL_NONE;

	return call == CALL_CHART_SVG || call == CALL_MAP_SVG || call == CALL_CONTENTS_IMAGE ||
		   call == CALL_EXTENT_SVG;
}

/* Is a word of a query this parameter with its value? */
static bool
is_word(const char *word, size_t length, const char *parameter)
{
	return length == strlen(parameter) && strncmp(word, parameter, length) == 0;
}

/*
 * Take out of the query what belongs to the page and to no call: the language, whether it is for a frame, whether all is
 * counted, and inputs of forms that were left empty.  The language that is named goes to *language.
 */
static void
take_parameters(Request *request, const char **language, bool *embedded, bool *exact)
{
	const size_t name = strlen(LANGUAGE_PARAMETER);
	const char *offered = request->thread->settings->page_languages;
	const char *query = request->query;
	const char *word;
	size_t length;
	Buffer kept;

	buffer_init(&kept, strlen(query) + 1);
	while ((word = text_query_word(&query, &length)) != NULL)
	{
		const char *named = length > name && strncmp(word, LANGUAGE_PARAMETER, name) == 0
								? words_named(offered, word + name, length - name)
								: NULL;
		bool frame = is_word(word, length, PAGE_EMBEDDED);
		bool counted = is_word(word, length, PAGE_EXACT);

		*language = named ? named : *language;
		*embedded |= frame;
		*exact |= counted;
		if (named != NULL || frame || counted || word[length - 1] == '=')
			continue;
		buffer_append(&kept, "&", kept.length > 0);
		buffer_append(&kept, word, length);
	}
	request->query = arena_take(&request->arena, &kept);
}

/* May the answer be for people: of a read, or of a form that a browser has sent? */
static bool
is_readable(const Request *request)
{
	static const char form[] = "application/x-www-form-urlencoded";
	const char *type = request->headers[HEADER_CONTENT_TYPE];

	return request->verb == VERB_GET || request->verb == VERB_HEAD ||
		   (request->verb == VERB_POST && type != NULL &&
			strncasecmp(type, form, strlen(form)) == 0);
}

void
page_choose(Request *request)
{
	const char *chosen = NULL;
	bool embedded = false;
	bool exact = false;
	Page *page;

	if (!is_readable(request) || !prefers_html(request))
		return;
	if (*request->query != '\0' && !is_picture(request))
		take_parameters(request, &chosen, &embedded, &exact);
	request->language = chosen ? chosen
							   : words_language(request->thread->settings->page_languages,
												request->headers[HEADER_ACCEPT_LANGUAGE]);
	page = page_of(request);
	if (page == NULL)
		return;
	page->embedded = embedded;
	page->exact = exact;
	if (chosen != NULL)
		page->chosen = arena_format(&request->arena, LANGUAGE_PARAMETER "%s", chosen);
}

bool
page_made(const Request *request)
{
	static const bool made[ENVELOPE_COUNT_OF] = {
		[ENVELOPE_LIST] = true,	   [ENVELOPE_ITEM] = true,	[ENVELOPE_COUNT] = true,
		[ENVELOPE_RELATED] = true, [ENVELOPE_ROWS] = true,	[ENVELOPE_SEARCH] = true,
		[ENVELOPE_PLAIN] = true,   [ENVELOPE_ENTRY] = true,
	};

	return request->language != NULL && request->route != NULL && made[request->route->envelope];
}

/* The form of a question that was sent; NULL: there is none. */
static const Value *
asked_of(Request *request)
{
	const char *asked = request->body.asked;

	return asked != NULL && request->route != NULL && request->route->call == CALL_CREATE
			   ? value_read(&request->arena, asked, strlen(asked))
			   : NULL;
}

/* What the page of a dataset is told after a form on it, a parameter; NULL: the form is not of these. */
static const char *
sent_form(const Request *request)
{
	switch (request->route->call)
	{
		case CALL_CREATE:
			return PAGE_ASKED "=true";
		case CALL_FOLLOW:
			return strstr(request->query, "token=") ? PAGE_FOLLOWED "=yes" : PAGE_FOLLOWED "=asked";
		case CALL_UNFOLLOW:
			return PAGE_FOLLOWED "=no";
		default:
			return NULL;
	}
}

void
page_sent(Request *request)
{
	const Page *page = request->page;
	const char *form = page && request->route ? sent_form(request) : NULL;
	bool asked = form && request->route->call == CALL_CREATE;
	const char *about = asked ? value_text(asked_of(request), "dataset") : request->path[1];
	Buffer id;

	if (form == NULL || about == NULL)
		return;
	buffer_init(&id, TARGET_MAXIMUM);
	text_percent_encode(&id, about, strlen(about));
	request->answer.status = MHD_HTTP_SEE_OTHER;
	request->answer.location =
		arena_join(&request->arena, request->base, "/datasets/", arena_take(&request->arena, &id),
				   "?", form, page->chosen ? "&" : "", page->chosen ? page->chosen : "",
				   asked ? "#" PAGE_QUESTIONS : "#" PAGE_FOLLOW);
}

Page *
page_of(Request *request)
{
	if (request->page == NULL)
	{
		Page *page = arena_zeroed(&request->arena, sizeof(Page));
		const char *host;

		if (page == NULL)
			return NULL;
		host = request->base ? strstr(request->base, "://") : NULL;
		page->root = host ? strchrnul(host + 3, '/') : "";
		page->request = request;
		page->out = &request->answer.head;
		request->page = page;
	}
	return request->page;
}

/* Who may show the page in a frame: nobody, unless it is made for that. */
static const char *
frame_ancestors(const Page *page)
{
	const char *origins = page->request->thread->settings->frame_ancestors;

	return page->embedded && strcmp(origins, "none") != 0 ? origins : "'none'";
}

/* What the page has instead of the header fields of JSON. */
static void
set_fields(Request *request)
{
	const char *tiles = request->thread->settings->map_tiles;

	request->answer.type = "text/html; charset=utf-8";
	answer_field(request, "Content-Security-Policy",
				 arena_format(&request->arena, PAGE_POLICY, frame_ancestors(request->page),
							  *tiles ? " " : "", tiles));
	answer_field(request, "Content-Language", request->language);
	answer_field(request, "Vary", ENVELOPE_VARY("Accept-Encoding, Accept-Language, "));
}

/* What the page is called in the window, in its heading and by search engines. */
static void
set_title(Page *page)
{
	Request *request = page->request;
	const Value *record = page->view == VIEW_FILE && structured_data_part(page, "file") != NULL
							  ? structured_data_part(page, "file")
							  : page->data;

	page->title = layout_brand(page);
	if (page->view == VIEW_WAITING)
		page->title = words_text(request->language, "The download is being made");
	else if (page->view == VIEW_QUESTION)
		page->title = words_text(request->language, WORD("Ask or report a fault"));
	else if (page->view == VIEW_ERROR)
		page->title = words_text(request->language, view_error_word(request->answer.status));
	else if (page->view == VIEW_DOCS)
		page->title = words_text(request->language, "Description of the API (OpenAPI)");
	else if (page->view == VIEW_LIST)
		page->title =
			words_label(&request->arena, request->language,
						request->path_relation ? request->path_relation : request->resource);
	else if (page->view != VIEW_HOME && record != NULL && record->type == VALUE_OBJECT)
	{
		page->title = field_title(record);
		page->description = value_text(record, page->view == VIEW_PAGE ? "text" : "description");
		page->description = markdown_plain(&request->arena, page->description);
	}
}

/* Put the page in place of the envelope; the arrays and texts of the page are in the arena. */
static void
write_page(Page *page)
{
	static void (*const views[])(Page *) = {
		[VIEW_HOME] = view_home,
		[VIEW_LIST] = view_list,
		[VIEW_ITEM] = view_item,
		[VIEW_DATASET] = view_dataset,
		[VIEW_FILE] = view_file,
		[VIEW_PAGE] = view_page,
		[VIEW_ERROR] = view_error,
		[VIEW_WAITING] = view_error_waiting,
		[VIEW_QUESTION] = view_questions_again,
		[VIEW_DOCS] = view_docs,
	};
	Answer *answer = &page->request->answer;

	buffer_clear(&answer->head);
	buffer_clear(&answer->tail);
	answer->data = NULL;
	answer->data_length = 0;
	answer->joined = false;
	set_title(page);
	page->embedded = page->embedded && layout_embeddable(page);
	layout_begin(page);
	views[page->view](page);
	layout_end(page);
	set_fields(page->request);
}

void
page_finish(Page *page)
{
	Request *request = page->request;

	/* browsers take 206 as an answer to a range of bytes */
	answer_status(request, page->fault ? MHD_HTTP_UNPROCESSABLE_CONTENT : MHD_HTTP_OK);
	request->answer.range = NULL;
	write_page(page);
	compress_body(request);
	condition_seal(request);
}

StageResult
page_docs(Request *request)
{
	Page *page = page_of(request);

	if (page != NULL)
	{
		page->view = VIEW_DOCS;
		page_finish(page);
	}
	return ANSWERED;
}

void
page_error(Request *request)
{
	Answer *answer = &request->answer;
	bool waiting = answer->status == MHD_HTTP_ACCEPTED && request->route != NULL &&
				   request->route->envelope == ENVELOPE_BYTES;
	Page *page;

	if (request->language == NULL || (answer->status < 400 && !waiting) || answer->type != NULL ||
		answer->stream != NULL || (page = page_of(request)) == NULL)
		return;
	page->view = waiting ? VIEW_WAITING : VIEW_ERROR;
	if (waiting)
		answer_field(request, "Refresh", arena_format(&request->arena, "%d", answer->retry_after));
	page->data =
		answer->faults ? value_read(&request->arena, answer->faults, strlen(answer->faults)) : NULL;
	page->asked = asked_of(request);
	if (view_questions_mends(page))
		page->view = VIEW_QUESTION;
	write_page(page);
}
