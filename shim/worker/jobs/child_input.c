/*
 * child_input.c - stored bytes for a child: through a pipe, or in a file that has no name.
 */
#include <errno.h>
#include <unistd.h>

#include "jobs/jobs_internal.h"

bool
feed_open(Feed *feed, Session *session, const char *blob, Child *child)
{
	*feed = (Feed){.child = child};
	return bytes_open(&feed->reader, session, blob);
}

/* The child gets no more. */
static void
hang_up(Feed *feed)
{
	close(feed->child->input);
	feed->child->input = -1;
}

bool
feed_step(Feed *feed)
{
	ssize_t written;

	if (feed->child->input < 0)
		return true;
	if (feed->left == 0)
	{
		if (!bytes_ready(&feed->reader))
			return true;
		if (!bytes_next(&feed->reader, &feed->data, &feed->left))
			return false;
		if (feed->left == 0)
			hang_up(feed);
	}
	if (feed->left == 0)
		return true;
	/* what comes next is taken all the same: a backend that waits for its client keeps others
	 * waiting */
	bytes_ready(&feed->reader);
	written = write(feed->child->input, feed->data, feed->left);
	if (written > 0)
	{
		feed->data += written;
		feed->left -= (size_t) written;
		feed->taken += written;
	}
	/* a child that has enough says so in its frames, or by its end */
	else if (written < 0 && errno != EAGAIN && errno != EINTR)
		hang_up(feed);
	return true;
}

void
feed_close(Feed *feed)
{
	bytes_close(&feed->reader);
}

/* Write all of it to a file. */
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
feed_file(Session *session, const char *blob, int file, Progress *progress)
{
	ByteReader reader;
	const char *data = NULL;
	size_t length = 0;
	bool good = bytes_open(&reader, session, blob);

	do
	{
		good = good && bytes_next(&reader, &data, &length) && write_all(file, data, length);
		if (good)
			progress->done += (int64_t) length;
	} while (good && length > 0);
	bytes_close(&reader);
	return good && lseek(file, 0, SEEK_SET) == 0;
}
