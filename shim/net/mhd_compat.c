/*
 * mhd_compat.c - the versions of libmicrohttpd that are supported, and the defects of old ones.
 *
 * framing.c reads the framing of requests, and head.c their headers, so it does not matter how the
 * library reads them.  The library must read sockets by recv(), which receive.c verifies at the
 * start, and understand the requests that framing.c writes, which the tests of framing show.  Of a
 * later version than those that were tested only a warning is given: these decide.
 *
 * What only versions before 1.0 need is in this file alone.  Debian 12 has 0.9.75; when it is no
 * longer supported, remove BEFORE_1_0 and what depends on it.
 */

#include "net/net.h"

#define OLDEST 0x00097500 /* 0.9.75, as mhd_compat_supported() has it */
#define NEWER 0x01010000  /* later versions have not been tested */
#define BEFORE_1_0 (MHD_VERSION < 0x01000000)

#if MHD_VERSION < OLDEST
#error "libmicrohttpd 0.9.75 or later is needed"
#elif MHD_VERSION >= NEWER
#pragma message "this libmicrohttpd is later than 1.0: run make check TESTS='framing shim-process'"
#endif

bool
mhd_compat_supported(void)
{
	const char *version = MHD_get_version();
	bool supported = version[0] <= '9' && strverscmp(version, "0.9.75") >= 0;

	if (!supported || strverscmp(version, "1.1") >= 0)
		fprintf(stderr,
				"catalogue-shim: libmicrohttpd %s is not supported; the service was tested with "
				"0.9.75 to 1.0%s\n",
				version, supported ? "; it starts nevertheless" : "");
	return supported;
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
