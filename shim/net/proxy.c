/*
 * proxy.c - X-Forwarded-For, -Proto and -Host.
 *
 * Anybody can send them.  They are used only if the peer of the connection is one of the setting
 * trusted_proxies; malformed values are ignored.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <strings.h>

#include "net/header.h"
#include "net/net.h"

#define IPV4_BITS 96 /* of the prefix under which an IPv6 address is one of IPv4 */
#define WORD_SIZE 64 /* of an address with the length of its prefix */

typedef struct Network
{
	ProxyAddress address;
	int bits; /* that must agree */
} Network;

struct Networks
{
	size_t count;
	Network networks[];
};

bool
proxy_address_read(const char *text, ProxyAddress *address)
{
	static const unsigned char prefix[IPV4_BITS / 8] = {[10] = 0xFF, [11] = 0xFF};

	if (inet_pton(AF_INET6, text, address->bytes) == 1)
		return true;
	memcpy(address->bytes, prefix, sizeof(prefix));
	return inet_pton(AF_INET, text, address->bytes + sizeof(prefix)) == 1;
}

static bool
is_ipv4(const ProxyAddress *address)
{
	return IN6_IS_ADDR_V4MAPPED((const struct in6_addr *) address->bytes);
}

/* The address as text; equal addresses have equal texts. */
static const char *
address_text(Arena *arena, const ProxyAddress *address)
{
	bool short_form = is_ipv4(address);
	char text[ADDRESS_SIZE];

	inet_ntop(short_form ? AF_INET : AF_INET6, address->bytes + (short_form ? IPV4_BITS / 8 : 0),
			  text, sizeof(text));
	return arena_text(arena, text, strlen(text));
}

/* Read an address, or a network as address/bits; false when it is neither. */
static bool
network_read(const char *word, size_t length, Network *network)
{
	char text[WORD_SIZE];
	char *slash;
	int most;
	long bits;

	if (length >= sizeof(text))
		return false;
	memcpy(text, word, length);
	text[length] = '\0';
	slash = strchr(text, '/');
	if (slash != NULL)
		*slash++ = '\0';
	if (!proxy_address_read(text, &network->address))
		return false;
	most = strchr(text, ':') == NULL ? 128 - IPV4_BITS : 128;
	bits = most;
	if (slash != NULL)
	{
		size_t digits = strspn(slash, "0123456789");

		if (digits == 0 || digits > 3 || slash[digits] != '\0')
			return false;
		bits = strtol(slash, NULL, 10);
	}
	network->bits = (int) bits + 128 - most;
	return bits <= most;
}

Networks *
proxy_networks(const char *list)
{
	size_t most = strlen(list) / 2 + 1;
	Networks *networks = malloc(sizeof(Networks) + most * sizeof(Network));

	if (networks == NULL)
		return NULL;
	networks->count = 0;
	for (list += strspn(list, ", "); *list != '\0'; list += strspn(list, ", "))
	{
		size_t length = strcspn(list, ", ");

		if (!network_read(list, length, &networks->networks[networks->count++]))
		{
			free(networks);
			return NULL;
		}
		list += length;
	}
	return networks;
}

static bool
contains(const Network *network, const ProxyAddress *address)
{
	size_t whole = (size_t) network->bits / 8;
	int rest = network->bits % 8;
	unsigned char differ;

	/* an IPv6 network that contains all mapped IPv4 addresses is not meant to */
	if ((network->bits < IPV4_BITS && is_ipv4(address)) ||
		memcmp(network->address.bytes, address->bytes, whole) != 0)
		return false;
	if (rest == 0)
		return true;
	differ = network->address.bytes[whole] ^ address->bytes[whole];
	return differ >> (8 - rest) == 0;
}

bool
proxy_among(const Networks *networks, const ProxyAddress *address)
{
	for (size_t i = 0; i < networks->count; i++)
		if (contains(&networks->networks[i], address))
			return true;
	return false;
}

bool
proxy_trusted(const Request *request)
{
	const Networks *networks = request->worker->settings->proxies;
	Client *client = request->client;
	ProxyAddress address;

	if (networks->count == 0)
		return false;
	if (client->trust == TRUST_UNKNOWN)
		client->trust =
			proxy_address_read(client_address(client), &address) && proxy_among(networks, &address)
				? TRUST_YES
				: TRUST_NO;
	return client->trust == TRUST_YES;
}

bool
proxy_monitors(const Request *request)
{
	ProxyAddress address;

	return request->headers[HEADER_FORWARDED_FOR] == NULL &&
		   request->headers[HEADER_FORWARDED_HOST] == NULL &&
		   request->headers[HEADER_FORWARDED_PROTO] == NULL && !proxy_trusted(request) &&
		   proxy_address_read(client_address(request->client), &address) &&
		   proxy_among(request->worker->settings->monitors, &address);
}

/* Is it a colon and digits? */
static bool
is_port(const char *text)
{
	return *text == ':' && text[1] != '\0' && text[1 + strspn(text + 1, "0123456789")] == '\0';
}

/* Parse an address; one of IPv6 may be in brackets, and must be if a port follows. */
static bool
client_read(const char *word, ProxyAddress *address)
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
		if (!is_port(port))
			return false;
		*port = '\0';
	}
	return proxy_address_read(number, address);
}

bool
proxy_host_valid(const char *host)
{
	size_t name = 0;

	if (*host == '[')
	{
		name = strcspn(host, "]");
		if (host[name] == '\0' || strspn(host + 1, "0123456789abcdefABCDEF:.") != name - 1)
			return false;
		name++;
	}
	else
		while (isalnum((unsigned char) host[name]) ||
			   (host[name] != '\0' && strchr("-.", host[name])))
			name++;
	if (name == 0 || name >= HOST_SIZE)
		return false;
	if (host[name] == '\0')
		return true;
	return is_port(host + name);
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
	ProxyAddress address;

	if (request->address == NULL && request->headers[HEADER_FORWARDED_FOR] != NULL &&
		client_read(forwarded(request, HEADER_FORWARDED_FOR), &address))
		request->address = address_text(&request->arena, &address);
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

	return proxy_host_valid(value) ? value : NULL;
}
