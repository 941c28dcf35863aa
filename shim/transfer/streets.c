/*
 * streets.c - the file of streets that the operator has named, from which maps of the page read ranges.
 *
 * The file is opened for each request, and read by its file descriptor, so that one that takes its
 * place has another entity tag.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transfer/download_internal.h"

#define BLOCK_SIZE 65536 /* maximum size of the blocks that libmicrohttpd asks for */

typedef struct Streets
{
	Transfer transfer;
	int file;
	int64_t first;
	int64_t length;
} Streets;

static void
end(Transfer *transfer)
{
	const Streets *streets = (Streets *) transfer;

	if (streets->file >= 0)
		close(streets->file);
}

static ssize_t
read_block(void *context, uint64_t position, char *bytes, size_t size)
{
	const Streets *streets = context;
	ssize_t length =
		pread(streets->file, bytes, size, (off_t) (streets->first + (int64_t) position));

	return length > 0 ? length : stream_break_off(streets->transfer.request);
}

static struct MHD_Response *
make_response(Request *request)
{
	Streets *streets = (Streets *) request->transfer;

	return MHD_create_response_from_callback((uint64_t) streets->length, BLOCK_SIZE, read_block,
											 streets, NULL);
}

/* Open the file; NULL: an error is the answer. */
static Streets *
open_streets(Request *request, struct stat *found)
{
	const char *path = request->thread->settings->map_streets;
	Streets *streets;

	if (*path == '\0')
	{
		(void) error_set(request, 404, NULL);
		return NULL;
	}
	streets = transfer_new(request, sizeof(Streets), &request->thread->downloads);
	if (streets == NULL)
		return NULL;
	streets->transfer.end = end;
	streets->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (streets->file >= 0 && fstat(streets->file, found) == 0 && S_ISREG(found->st_mode))
		return streets;
	(void) error_set(request, 404, NULL);
	return NULL;
}

StageResult
streets_answer(Request *request)
{
	struct stat found;
	Ranges ranges = {0};
	Streets *streets = open_streets(request, &found);
	const char *tag;

	if (streets == NULL)
		return ANSWERED;
	tag = arena_format(&request->arena, "\"%llx-%lx-%llx\"", (long long) found.st_mtim.tv_sec,
					   found.st_mtim.tv_nsec, (long long) found.st_size);
	answer_field(request, "Cache-Control", "no-cache");
	answer_field(request, "Accept-Ranges", "bytes");
	if (condition_tag_dated(request, tag, found.st_mtim.tv_sec) ||
		!range_choose(request, found.st_size, tag, found.st_mtim.tv_sec, &ranges))
		return ANSWERED;
	streets->length = found.st_size;
	answer_status(request, MHD_HTTP_OK);
	if (ranges.count == 1) /* several may be ignored, and no map asks for them */
	{
		answer_status(request, MHD_HTTP_PARTIAL_CONTENT);
		streets->first = ranges.range[0].first;
		streets->length = ranges.range[0].last - streets->first + 1;
		range_describe(request, &ranges.range[0], found.st_size);
	}
	request->answer.type = "application/vnd.pmtiles";
	request->answer.stream = make_response;
	return ANSWERED;
}
