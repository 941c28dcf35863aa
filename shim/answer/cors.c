/*
 * cors.c - which pages of other origins may read the answers, and what they may send.
 *
 * Browsers check this with every answer, and before most requests.  Cookies are never used, so a page
 * gets no more than any other client, and all origins are allowed by default.
 */

#include "answer/answer.h"
#include "database/clients.h"
#include "net/header.h"

#define NAMES_MAXIMUM 1024 /* bytes of the list of headers, without those of the setting */

/* The header fields of answers that pages may read, besides those that they always may. */
static const char exposed[] =
	"Accept-Ranges, Allow, Catalogue-Notes, Content-Encoding, Content-Range, ETag, Link, "
	"Location, Preference-Applied, Retry-After, WWW-Authenticate, X-Request-Id";

/* The same for uploads and downloads. */
static const char exposed_transfer[] =
	"Accept-Ranges, Content-Disposition, Content-Encoding, Content-Range, Digest, ETag, "
	"Last-Modified, "
	"Location, Repr-Digest, "
	"Retry-After, Upload-Complete, Upload-Length, Upload-Limit, Upload-Offset, X-Request-Id";

/* Header fields that JavaScript libraries add; the service ignores them. */
static const char *const usual[] = {"Cache-Control", "Pragma", "Upload-Draft-Interop-Version",
									"X-Requested-With"};

static bool
all_origins(const Settings *settings)
{
	return strcmp(settings->cors_origins, "*") == 0;
}

/* Append a name to a list, unless the list has it or it is NULL; the list ends with a zero byte. */
static void
add_name(Buffer *list, const char *name)
{
	buffer_append(list, "", 1); /* a zero byte ends what is there */
	if (list->failed)
		return;
	list->length--;
	if (name == NULL || text_has_word(list->data, name))
		return;
	if (list->length > 0)
		buffer_text(list, ", ");
	buffer_text(list, name);
}

bool
cors_prepare(Settings *settings)
{
	Buffer list;
	char *setting = strdup(settings->cors_headers);
	char *rest = NULL;

	buffer_init(&list, NAMES_MAXIMUM + 2 * strlen(settings->cors_headers));
	for (Header i = 0; i < HEADER_COUNT; i++)
		add_name(&list, header_of_pages(i));
	for (size_t i = 0; i < lengthof(usual); i++)
		add_name(&list, usual[i]);
	for (char *name = setting ? strtok_r(setting, ", ", &rest) : NULL; name != NULL;
		 name = strtok_r(NULL, ", ", &rest))
		add_name(&list, name);
	add_name(&list, NULL);
	list.failed |= setting == NULL;
	free(setting);
	if (list.failed)
		buffer_free(&list);
	settings->page_headers = list.data;
	return !list.failed;
}

/* The origin whose pages may read the answer, NULL if no other origin's may. */
static const char *
origin_of(const Request *request)
{
	const Settings *settings = request->thread->settings;
	const char *origin = request->headers[HEADER_ORIGIN];

	if (all_origins(settings))
		return "*";
	if (origin != NULL && (text_has_word(settings->cors_origins, origin) ||
						   text_has_word(web_access_fact(request->thread, WEB_ORIGINS), origin)))
		return origin;
	return NULL;
}

/* Add the header fields of the answer to a preflight. */
static void
add_preflight(struct MHD_Response *response, const Request *request)
{
	const Settings *settings = request->thread->settings;
	char seconds[24];

	snprintf(seconds, sizeof(seconds), "%lld", (long long) settings->cors_max_age / 1000);
	if (request->answer.allow != NULL)
		MHD_add_response_header(response, "Access-Control-Allow-Methods", request->answer.allow);
	MHD_add_response_header(response, "Access-Control-Allow-Headers", settings->page_headers);
	MHD_add_response_header(response, "Access-Control-Max-Age", seconds);
}

void
cors_fields(struct MHD_Response *response, const Request *request)
{
	const char *origin = origin_of(request);

	if (!all_origins(request->thread->settings))
		MHD_add_response_header(response, "Vary", "Origin");
	if (origin == NULL)
		return;
	MHD_add_response_header(response, "Access-Control-Allow-Origin", origin);
	MHD_add_response_header(response, "Access-Control-Expose-Headers",
							request->transfer != NULL ? exposed_transfer : exposed);
	if (request->verb == VERB_OPTIONS && request->headers[HEADER_PREFLIGHT_METHOD] != NULL)
		add_preflight(response, request);
}

const char *
cors_lines(const Settings *settings)
{
	return all_origins(settings) ? "Access-Control-Allow-Origin: *\r\n" : "";
}
