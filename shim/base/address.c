/*
 * address.c - addresses and networks of IP, hosts with ports.
 */
#include <arpa/inet.h>
#include <ctype.h>

#include "base/address.h"

#define WORD_SIZE 64 /* of an address with the length of its prefix */

typedef struct Network
{
	Address address;
	int bits; /* that must agree */
} Network;

struct Networks
{
	size_t count;
	Network networks[];
};

static const unsigned char prefix[IPV4_BITS / 8] = {[10] = 0xFF, [11] = 0xFF};

bool
address_read(const char *text, Address *address)
{
	if (inet_pton(AF_INET6, text, address->bytes) == 1)
		return true;
	memcpy(address->bytes, prefix, sizeof(prefix));
	return inet_pton(AF_INET, text, address->bytes + sizeof(prefix)) == 1;
}

bool
address_of_socket(const struct sockaddr *socket, Address *address)
{
	const void *bytes = socket;

	if (socket->sa_family == AF_INET)
	{
		memcpy(address->bytes, prefix, sizeof(prefix));
		memcpy(address->bytes + sizeof(prefix), &((const struct sockaddr_in *) bytes)->sin_addr,
			   sizeof(struct in_addr));
	}
	else if (socket->sa_family == AF_INET6)
		memcpy(address->bytes, &((const struct sockaddr_in6 *) bytes)->sin6_addr,
			   sizeof(address->bytes));
	return socket->sa_family == AF_INET || socket->sa_family == AF_INET6;
}

void
address_text(const Address *address, char *text, size_t size)
{
	bool short_form = address_is_ipv4(address);

	inet_ntop(short_form ? AF_INET : AF_INET6, address->bytes + (short_form ? IPV4_BITS / 8 : 0),
			  text, (socklen_t) size);
}

bool
address_is_ipv4(const Address *address)
{
	return IN6_IS_ADDR_V4MAPPED((const struct in6_addr *) address->bytes);
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
	if (!address_read(text, &network->address))
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
address_networks(const char *list)
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
contains(const Network *network, const Address *address)
{
	size_t whole = (size_t) network->bits / 8;
	int rest = network->bits % 8;
	unsigned char differ;

	/* an IPv6 network that contains all mapped IPv4 addresses is not meant to */
	if ((network->bits < IPV4_BITS && address_is_ipv4(address)) ||
		memcmp(network->address.bytes, address->bytes, whole) != 0)
		return false;
	if (rest == 0)
		return true;
	differ = network->address.bytes[whole] ^ address->bytes[whole];
	return differ >> (8 - rest) == 0;
}

bool
address_among(const Networks *networks, const Address *address)
{
	for (size_t i = 0; i < networks->count; i++)
		if (contains(&networks->networks[i], address))
			return true;
	return false;
}

bool
address_is_port(const char *text)
{
	return *text == ':' && text[1] != '\0' && text[1 + strspn(text + 1, "0123456789")] == '\0';
}

bool
address_is_host(const char *host)
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
	return address_is_port(host + name);
}
