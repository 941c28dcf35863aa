/*
 * mhd_compat.c - the versions of libmicrohttpd that are supported, and the defects of old ones.
 *
 * framing.c reads the framing of requests, and head.c their headers, so it does not matter how the
 * library reads them.  The library must read sockets by recv(), which receive.c verifies, and
 * understand the requests that framing.c writes.
 *
 * What only versions before 1.0 need is in this file alone.  Debian 12 has 0.9.75; when it is no
 * longer supported, remove BEFORE_1_0 and what depends on it.
 */

#include "net/net.h"

#define OLDEST 0x00097500 /* 0.9.75 */
#define NEWER 0x01010000  /* 1.1.0 and later versions have not been tested */
#define BEFORE_1_0 (MHD_VERSION < 0x01000000)

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
mhd_compat_supported(void)
{
	unsigned long version = version_number(MHD_get_version());

	if (version >= OLDEST && version < NEWER)
		return true;
	fprintf(stderr,
			"catalogue-shim: libmicrohttpd %s is not supported; the service was tested with "
			"0.9.75 to 1.0\n",
			MHD_get_version());
	return false;
}

#if BEFORE_1_0

void
mhd_compat_unsized(const Request *request, struct MHD_Response *response)
{
	if (request->verb == VERB_HEAD)
		MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

#else

void
mhd_compat_unsized(const Request *request, struct MHD_Response *response)
{
}

#endif
