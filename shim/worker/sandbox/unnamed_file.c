/*
 * unnamed_file.c - a temporary file that no other process can open.
 */
#include <fcntl.h>
#include <unistd.h>

#include <openssl/crypto.h>

#include "sandbox/sandbox.h"

const char *
unnamed_file_directory(void)
{
	const char *directory = getenv("TMPDIR");

	return directory != NULL && *directory != '\0' ? directory : "/tmp";
}

int
unnamed_file(void)
{
	return open(unnamed_file_directory(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
}

FILE *
unnamed_file_stream(void)
{
	int file = unnamed_file();
	FILE *stream = file >= 0 ? fdopen(file, "w+") : NULL;

	if (file >= 0 && stream == NULL)
		close(file);
	return stream;
}
