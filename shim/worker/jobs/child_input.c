/*
 * child_input.c - pass a blob to a child: through a pipe, or in an unnamed file.
 */
#include <errno.h>
#include <unistd.h>

#include "jobs/jobs_internal.h"

bool
child_input_open(ChildInput *input, Session *session, const char *blob, Child *child)
{
	*input = (ChildInput){.child = child};
	return blob_reader_open(&input->reader, session, blob);
}

/* Close the pipe. */
static void
hang_up(ChildInput *input)
{
	close(input->child->input);
	input->child->input = -1;
}

bool
child_input_write(ChildInput *input)
{
	ssize_t written;

	if (input->child->input < 0)
		return true;
	if (input->left == 0)
	{
		if (!blob_reader_ready(&input->reader))
			return true;
		if (!blob_reader_next(&input->reader, &input->data, &input->left))
			return false;
		if (input->left == 0)
			hang_up(input);
	}
	if (input->left == 0)
		return true;
	/*
	 * receive the next chunk anyway: a backend that waits for its client can block other sessions
	 */
	blob_reader_ready(&input->reader);
	written = write(input->child->input, input->data, input->left);
	if (written > 0)
	{
		input->data += written;
		input->left -= (size_t) written;
		input->taken += written;
	}
	/* a child that needs no more input sends its last frame, or exits */
	else if (written < 0 && errno != EAGAIN && errno != EINTR)
		hang_up(input);
	return true;
}

void
child_input_close(ChildInput *input)
{
	blob_reader_close(&input->reader);
}

/* Write all bytes to a file. */
static bool
write_all(int file, const char *data, size_t length)
{
	while (length > 0)
	{
		ssize_t written = write(file, data, length);

		if (written < 0 && errno != EINTR)
			return false;
		if (written > 0)
		{
			data += written;
			length -= (size_t) written;
		}
	}
	return true;
}

bool
child_input_copy(Session *session, const char *blob, int file, Progress *progress)
{
	BlobReader reader;
	const char *data = NULL;
	size_t length = 0;
	bool good = blob_reader_open(&reader, session, blob);

	do
	{
		good = good && blob_reader_next(&reader, &data, &length) && write_all(file, data, length);
		if (good)
			progress->done += (int64_t) length;
	} while (good && length > 0);
	blob_reader_close(&reader);
	return good && lseek(file, 0, SEEK_SET) == 0;
}
