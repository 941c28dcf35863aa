/*
 * client_key.c - the client that a request counts for where a resource is shared fairly.
 *
 * That is the user, else the consumer together with its address, else the address; of an IPv6
 * address the first 64 bits, since one customer has all the others.  The address is used with the
 * consumer because the token of a web application is in the browser of each of its visitors.
 *
 * For streams, which a client can hold as long as it likes, the network stands for the address:
 * of IPv4 the first 24 bits, of IPv6 the first 48.
 */
#include <netinet/in.h>
#include <string.h>

#include "database/clients.h"
#include "net/header.h"

/* FNV-1a; the seed is not known to clients */
static uint64_t
hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ byte[i]) * 1099511628211u;
	return hash;
}

static uint64_t
hash_begin(const Request *request, char kind)
{
	uint64_t hash = 14695981039346656037u;

	hash = hash_bytes(hash, &request->worker->run, sizeof(request->worker->run));
	return hash_bytes(hash, &kind, 1);
}

static bool
is_ipv4(const unsigned char *bytes)
{
	return IN6_IS_ADDR_V4MAPPED((const struct in6_addr *) bytes);
}

size_t
client_network(Request *request, unsigned char network[CLIENT_NETWORK])
{
	ProxyAddress address;

	if (!proxy_address_read(proxy_client(request), &address))
		return 0;
	memcpy(network, address.bytes, CLIENT_NETWORK);
	return is_ipv4(address.bytes) ? CLIENT_NETWORK : CLIENT_NETWORK / 2;
}

uint64_t
client_key_of_address(Request *request)
{
	unsigned char network[CLIENT_NETWORK];
	size_t length = client_network(request, network);

	return hash_bytes(hash_begin(request, 'a'), network, length);
}

/* The key of the user, else of the consumer at a place, else of the place. */
static uint64_t
key_at(const Request *request, uint64_t place)
{
	if (request->user != NULL)
		return hash_bytes(hash_begin(request, 'u'), request->user, strlen(request->user));
	if (request->consumer != NULL)
		return hash_bytes(place, request->consumer, strlen(request->consumer));
	return place;
}

uint64_t
client_key(Request *request)
{
	return key_at(request, client_key_of_address(request));
}

uint64_t
client_key_of_stream(Request *request)
{
	unsigned char network[CLIENT_NETWORK];
	size_t length = client_network(request, network);

	/* without the host, or the subnet of a site */
	if (length > 0)
		length -= is_ipv4(network) ? 1 : 2;
	return key_at(request, hash_bytes(hash_begin(request, 'n'), network, length));
}
