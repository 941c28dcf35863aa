/*
 * web_address.c
 *	  Validation of web addresses, which a browser or the service may open.
 *
 * An address is shown as a link by applications and opened by the service, so only http: and https:
 * are accepted, and nothing that two programs might parse differently.
 */
#include "catalogue.h"

#include <arpa/inet.h>

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "base/base.h"

#define PORT_DIGITS 5
#define PORT_MAX 65535

/*
 * Return whether an invisible multi-byte character follows: a control character U+0080 to U+009F,
 * or one that changes the writing direction, U+202A to U+202E and U+2066 to U+2069.
 */
static bool
is_unseen(const unsigned char *p)
{
	if (p[0] == 0xC2)
		return p[1] < 0xA0;
	return p[0] == 0xE2 && ((p[1] == 0x80 && p[2] >= 0xAA && p[2] <= 0xAE) ||
							(p[1] == 0x81 && p[2] >= 0xA6 && p[2] <= 0xA9));
}

/* Return whether a text has a character that a URL can only contain percent-encoded. */
static bool
has_foreign(const char *text)
{
	for (const unsigned char *p = (const unsigned char *) text; *p; p++)
		if (*p < ' ' || *p == 0x7F || strchr("\"<>\\`", *p) || is_unseen(p))
			return true;
	return cat_one_line_has_space(text);
}

/* Return whether the text after a host is a port or empty. */
static bool
is_port(const char *text)
{
	size_t digits;
	long port;

	if (*text == '\0')
		return true;
	if (*text++ != ':')
		return false;
	digits = strspn(text, "0123456789");
	port = strtol(text, NULL, 10);
	return digits <= PORT_DIGITS && text[digits] == '\0' &&
		   (digits == 0 || (port > 0 && port <= PORT_MAX));
}

/* Return whether a text of that length is a host name or an IPv4 address. */
static bool
is_name(const char *text, size_t length)
{
	bool named = false;

	for (size_t i = 0; i < length; i++)
	{
		bool letter = IS_HIGHBIT_SET(text[i]) || isalnum((unsigned char) text[i]);

		if (!letter && !strchr("-._~", text[i]))
			return false;
		named |= letter;
	}
	return named;
}

/* Return whether a text is [user@]host[:port]; it is modified. */
static bool
is_authority(char *text)
{
	char *user = strchr(text, '@');
	char *host = user ? user + 1 : text;
	char *end;
	struct in6_addr address;

	if (*host != '[')
	{
		end = host + strcspn(host, ":");
		return is_name(host, end - host) && is_port(end);
	}
	end = strchr(host, ']');
	if (!end)
		return false;
	*end = '\0';
	return inet_pton(AF_INET6, host + 1, &address) == 1 && is_port(end + 1);
}

/* Return whether a text is the path of a file's download. */
static bool
is_download(const char *text)
{
	static const char head[] = "/files/";
	size_t name;

	if (strncmp(text, head, strlen(head)) != 0)
		return false;
	text += strlen(head);
	name = strcspn(text, "/?#");
	return name > 0 && strcmp(text + name, "/download") == 0;
}

bool
cat_web_address_is(const char *text)
{
	const char *rest = NULL;

	if (pg_strncasecmp(text, "http://", strlen("http://")) == 0)
		rest = text + strlen("http://");
	else if (pg_strncasecmp(text, "https://", strlen("https://")) == 0)
		rest = text + strlen("https://");
	if (!rest || has_foreign(text) || pg_mbstrlen(text) > ADDRESS_LENGTH)
		return false;
	return is_authority(pnstrdup(rest, strcspn(rest, "/?#")));
}

bool
cat_web_address_has_user(const char *address)
{
	const char *authority = strstr(address, "//") + 2;

	return memchr(authority, '@', strcspn(authority, "/?#")) != NULL;
}

/*
 * Return whether a text may be stored as an address.
 *
 * Besides the addresses that clients may store, this is the path of a download, which the service
 * itself stores if a file is uploaded in SQL without a base address.
 */
CAT_FUNCTION(catalogue_is_address)
{
	const char *given = text_to_cstring(PG_GETARG_TEXT_PP(ARG_IS_ADDRESS_ADDRESS));

	PG_RETURN_BOOL(cat_web_address_is(given) || (is_download(given) && !has_foreign(given)));
}
