/*
 * address.h - addresses and networks of IP, hosts with ports.
 */
#ifndef ADDRESS_H
#define ADDRESS_H

#include <sys/socket.h>

#include "base/base.h"

#define HOST_SIZE 256 /* bytes of a host with its port */
#define IPV4_BITS 96  /* of the prefix under which an IPv6 address is one of IPv4 */

typedef struct Networks Networks;
typedef struct Address
{
	unsigned char bytes[16]; /* IPv6; an IPv4 address is mapped into it */
} Address;

extern bool address_read(const char *text, Address *address);
/* The address of a socket; false: it is of another kind. */
extern bool address_of_socket(const struct sockaddr *socket, Address *address);
/* Write an address, of IPv4 as such; equal addresses have equal texts. */
extern void address_text(const Address *address, char *text, size_t size);
extern bool address_is_ipv4(const Address *address);
/* Parse addresses and networks separated by commas or blanks, for free(); NULL: malformed. */
extern Networks *address_networks(const char *list);
extern bool address_among(const Networks *networks, const Address *address);
/* Is it a colon and digits? */
extern bool address_is_port(const char *text);
/* Letters, digits, dots and hyphens, or an address in brackets; then a port, or none. */
extern bool address_is_host(const char *host);

#endif
