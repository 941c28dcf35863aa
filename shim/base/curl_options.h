/*
 * curl_options.h - options of libcurl that all requests have, to remote services and to the object store.
 */
#ifndef CURL_OPTIONS_H
#define CURL_OPTIONS_H

#include "base/base.h"

/* Set them: HTTP or HTTPS with TLS 1.2 at least, servers that are certified, no redirects, no proxies, no credentials
 * from elsewhere.  ca_file: certificates of the authorities, in PEM; empty: those of the system.  False: this libcurl
 * lacks an option. */
extern bool curl_options_set(void *curl, const char *ca_file);

#endif
