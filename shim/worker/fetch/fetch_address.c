/*
 * fetch_address.c - the addresses that the worker may connect to.
 */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "fetch/fetch.h"
#include "net/header.h"

/*
 * What is not public, after the registries of special-purpose addresses of IANA.  Of IPv6 only
 * 2000::/3 is public, but for ranges in it; of the rest, 64:ff9b::/96 and 64:ff9b:1::/48 (NAT64)
 * contain addresses of IPv4, as do 2002::/16 (6to4) and 2001::/32 (Teredo) of the others.
 */
#define NOT_PUBLIC                                                                              \
	"0.0.0.0/8,10.0.0.0/8,100.64.0.0/10,127.0.0.0/8,169.254.0.0/16,172.16.0.0/12,192.0.0.0/24," \
	"192.0.2.0/24,192.88.99.0/24,192.168.0.0/16,198.18.0.0/15,198.51.100.0/24,203.0.113.0/24,"  \
	"224.0.0.0/3,::/3,2001::/23,2001:db8::/32,2002::/16,3fff::/20,4000::/2,8000::/1"

/* An address of IPv4 becomes the one of IPv6 that contains it, so that both are one case. */
static bool
read_address(const struct sockaddr *address, ProxyAddress *read)
{
	static const unsigned char prefix[] = {[10] = 0xFF, [11] = 0xFF};

	if (address->sa_family == AF_INET)
	{
		memcpy(read->bytes, prefix, sizeof(prefix));
		memcpy(read->bytes + sizeof(prefix),
			   &((const struct sockaddr_in *) (const void *) address)->sin_addr,
			   sizeof(struct in_addr));
		return true;
	}
	if (address->sa_family != AF_INET6)
		return false;
	memcpy(read->bytes, &((const struct sockaddr_in6 *) (const void *) address)->sin6_addr,
		   sizeof(read->bytes));
	return true;
}

bool
fetch_address_permitted(const Settings *settings, const struct sockaddr *address)
{
	Networks *refused = proxy_networks(NOT_PUBLIC);
	ProxyAddress read;
	bool permitted = refused != NULL && read_address(address, &read) &&
					 (!proxy_among(refused, &read) || proxy_among(settings->reachable, &read));

	free(refused);
	return permitted;
}
