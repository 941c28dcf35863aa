/*
 * fetch_header.c - header fields of requests that come from records of clients.
 */
#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "fetch/fetch.h"

#define NAME_MAXIMUM 64 /* bytes of the name of a field */

/* Fields that libcurl sets, and those that are about the connection (RFC 9110, 7.6). */
static const char *const reserved[] = {"connection",
									   "content-encoding",
									   "content-length",
									   "expect",
									   "host",
									   "keep-alive",
									   "te",
									   "trailer",
									   "transfer-encoding",
									   "upgrade",
									   "proxy-connection",
									   "proxy-authorization",
									   "range",
									   "accept-encoding"};

bool
fetch_header_permitted(const char *line)
{
	size_t length = strcspn(line, ":");
	char name[NAME_MAXIMUM + 1];

	if (length == 0 || length > NAME_MAXIMUM || line[length] == '\0')
		return false;
	memcpy(name, line, length);
	name[length] = '\0';
	if (!text_is_token(name))
		return false;
	for (size_t i = 0; i < lengthof(reserved); i++)
		if (strcasecmp(name, reserved[i]) == 0)
			return false;
	for (const char *at = line + length + 1; *at != '\0'; at++)
		if (((unsigned char) *at < ' ' && *at != '\t') || *at == 0x7F)
			return false;
	return true;
}
