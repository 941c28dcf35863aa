/*
 * library.c - the libmicrohttpd that the service was tried with.
 *
 * Framing is read by framing.c, and headers by head.c, whatever the library makes of them.  What is
 * asked of it: that it reads sockets by recv() (receive.c tries that), and that it understands the
 * requests that framing.c writes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "shim.h"

#define OLDEST 0x00097500 /* 0.9.75 */
#define NEWER 0x01010000  /* 1.1.0, and all that follow, have not been tried */

#if MHD_VERSION < OLDEST || MHD_VERSION >= NEWER
#error "libmicrohttpd 0.9.75 to 1.0 is needed; tests of framing must pass before others are added"
#endif

/* The version as the library's headers write it: a byte for each number, in decimal digits. */
static unsigned long
version_number(const char *text)
{
	unsigned long version = 0;

	for (int shift = 24; shift >= 8; shift -= 8)
	{
		char *end;
		unsigned long number = strtoul(text, &end, 10);

		if (end == text || number > 99)
			return 0;
		version |= (number / 10 << 4 | number % 10) << shift;
		text = *end == '.' ? end + 1 : end;
	}
	return version;
}

bool
library_known(void)
{
	unsigned long version = version_number(MHD_get_version());

	if (version >= OLDEST && version < NEWER)
		return true;
	fprintf(stderr,
			"catalogue-shim: libmicrohttpd %s is none that the service was tried with: "
			"0.9.75 to 1.0\n",
			MHD_get_version());
	return false;
}
