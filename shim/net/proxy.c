/*
 * proxy.c - X-Forwarded-For, -Proto and -Host.
 *
 * Anybody can send them.  They are used only if the peer of the connection is one of the setting
 * trusted_proxies; malformed values are ignored.
 */
#include <ctype.h>
#include <strings.h>

#include "net/header.h"
#include "net/net.h"

#define WORD_SIZE 64 /* of an address with the length of its prefix */

bool
proxy_trusted(const Request *request)
{
	const Settings *settings = request->thread->settings;
	Client *client = request->client;
	Address address;

	if (settings->trusted_proxies[0] == '\0')
		return false;
	if (client->trust == TRUST_UNKNOWN)
		client->trust = address_read(client_address(client), &address) &&
								address_among(settings->proxies, &address)
							? TRUST_YES
							: TRUST_NO;
	return client->trust == TRUST_YES;
}

bool
proxy_monitors(const Request *request)
{
	Address address;

	return request->headers[HEADER_FORWARDED_FOR] == NULL &&
		   request->headers[HEADER_FORWARDED_HOST] == NULL &&
		   request->headers[HEADER_FORWARDED_PROTO] == NULL && !proxy_trusted(request) &&
		   address_read(client_address(request->client), &address) &&
		   address_among(request->thread->settings->monitors, &address);
}

/* Parse an address; one of IPv6 may be in brackets, and must be if a port follows. */
static bool
client_read(const char *word, Address *address)
{
	char text[WORD_SIZE];
	const char *number = text;
	char *port = NULL;
	size_t length = strlen(word);

	if (length >= sizeof(text))
		return false;
	memcpy(text, word, length + 1);
	if (*text == '[' && (port = strchr(text, ']')) != NULL)
	{
		number++;
		*port++ = '\0';
	}
	else if (strchr(text, ':') == strrchr(text, ':'))
		port = strchr(text, ':');
	if (port != NULL && *port != '\0')
	{
		if (!address_is_port(port))
			return false;
		*port = '\0';
	}
	return address_read(number, address);
}

/*
 * The first element of a header field sent by a trusted proxy, "" if there is none.  Of a chain of
 * proxies, the one nearest to the client wrote it.
 */
static const char *
forwarded(Request *request, Header header)
{
	const char *value = request->headers[header];

	if (value == NULL || !proxy_trusted(request))
		return "";
	value += strspn(value, " \t");
	return arena_text(&request->arena, value, strcspn(value, ", \t"));
}

const char *
proxy_client(Request *request)
{
	char text[ADDRESS_SIZE];
	Address address;

	if (request->address == NULL && request->headers[HEADER_FORWARDED_FOR] != NULL &&
		client_read(forwarded(request, HEADER_FORWARDED_FOR), &address))
	{
		address_text(&address, text, sizeof(text));
		request->address = arena_text(&request->arena, text, strlen(text));
	}
	return request->address != NULL ? request->address : client_address(request->client);
}

const char *
proxy_scheme(Request *request)
{
	static const char *const schemes[] = {"http", "https"};
	const char *value = forwarded(request, HEADER_FORWARDED_PROTO);

	for (size_t i = 0; i < lengthof(schemes); i++)
		if (strcasecmp(value, schemes[i]) == 0)
			return schemes[i];
	return schemes[0];
}

const char *
proxy_host(Request *request)
{
	const char *value = forwarded(request, HEADER_FORWARDED_HOST);

	return address_is_host(value) ? value : NULL;
}
