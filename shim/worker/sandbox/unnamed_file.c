/*
 * unnamed_file.c - a temporary file that no other process can open.
 */
#include <fcntl.h>
#include <stdlib.h>

#include "sandbox/sandbox.h"

int
unnamed_file(void)
{
	const char *place = getenv("TMPDIR");

	return open(place != NULL && *place != '\0' ? place : "/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC,
				0600);
}
