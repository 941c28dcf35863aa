/*
 * static_file.c - the style sheet, the scripts and the images of the page, which are compiled in.
 *
 * No call is made for them.  An address with the version of all files may be kept for ever; an
 * address without it, or with that of another release, gives the present file and is revalidated.
 */
#include "page/page.h"

#include "answer/answer.h"
#include "net/header.h"
#include "transfer/transfer.h"

#define IMMUTABLE "public, max-age=31536000, immutable"
#define REVALIDATED "no-cache"
#define COLORS_LENGTH 24

static const StaticFile *
find(const char *name)
{
	for (size_t i = 0; i < static_files_count; i++)
		if (strcmp(static_files[i].name, name) == 0)
			return &static_files[i];
	return NULL;
}

const char *
static_file_path(Request *request, const char *name)
{
	return arena_join(&request->arena, "/page/", static_files_version, "/", name);
}

/* Answer with the style sheet of colours that its name has; 404: it has none. */
static StageResult
answer_colors(Request *request, const char *name)
{
	static const char before[] = "accent-";
	const char *digits = strncmp(name, before, strlen(before)) == 0 ? name + strlen(before) : "";

	if (strspn(digits, "0123456789abcdef") != COLORS_LENGTH ||
		strcmp(digits + COLORS_LENGTH, ".css") != 0)
		return error_set(request, 404, NULL);
	answer_field(request, "Cache-Control", IMMUTABLE);
	answer_status(request, MHD_HTTP_OK);
	request->answer.type = "text/css; charset=utf-8";
	buffer_format(&request->answer.head,
				  ":root{--accent:#%.6s;--tint:#%.6s}@media(prefers-color-scheme:dark)"
				  "{:root{--accent:#%.6s;--tint:#%.6s}}\n",
				  digits, digits + 6, digits + 12, digits + 18);
	return ANSWERED;
}

StageResult
static_file_answer(Request *request)
{
	const char *name = request->path[request->words - 1];
	const StaticFile *file = find(name);
	bool current = request->words == 3 && strcmp(request->path[1], static_files_version) == 0;
	const char *known = request->headers[HEADER_IF_NONE_MATCH];
	Answer *answer = &request->answer;
	const StaticBytes *chosen;

	if (file == NULL)
		return strcmp(name, "streets.pmtiles") == 0 ? streets_answer(request)
													: answer_colors(request, name);
	chosen = element_accepted(request->headers[HEADER_ACCEPT_ENCODING], "gzip") ? &file->compressed
																				: &file->plain;
	answer_field(request, "Cache-Control", current ? IMMUTABLE : REVALIDATED);
	answer_field(request, "Vary", "Accept-Encoding");
	answer->etag = chosen->etag;
	if (known != NULL && condition_names(known, chosen->etag, true))
	{
		answer_status(request, MHD_HTTP_NOT_MODIFIED);
		return ANSWERED;
	}
	answer_status(request, MHD_HTTP_OK);
	answer->type = file->type;
	if (chosen == &file->compressed)
		answer_field(request, "Content-Encoding", "gzip");
	answer->data = chosen->bytes;
	answer->data_length = chosen->length;
	return ANSWERED;
}
