/*
 * static_file.c - the style sheet, the scripts and the images of the page, which are compiled in.
 *
 * No call is made for them.  An address with the version of all files may be kept for ever; an
 * address without it, or with that of another release, gives the present file and is revalidated.
 */
#include "page/page.h"

#include "answer/answer.h"
#include "net/header.h"

#define IMMUTABLE "public, max-age=31536000, immutable"
#define REVALIDATED "no-cache"

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

StageResult
static_file_answer(Request *request)
{
	const StaticFile *file = find(request->path[request->words - 1]);
	bool current = request->words == 3 && strcmp(request->path[1], static_files_version) == 0;
	const char *known = request->headers[HEADER_IF_NONE_MATCH];
	Answer *answer = &request->answer;
	const StaticBytes *chosen;

	if (file == NULL)
		return error_set(request, 404, NULL);
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
