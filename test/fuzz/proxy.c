/*
 * proxy.c - fuzzing target: networks of trusted proxies, and the headers that such a proxy sends.
 *
 * A line each of networks, X-Forwarded-For, -Proto and -Host, and of origins.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer.h"
#include "answer/envelope.h"
#include "fuzz.h"
#include "net/net.h"

/* The address as text must mean the same address again. */
static void
check_address(Request *request, const Networks *networks)
{
	const char *text = proxy_client(request);
	Address first;
	Address second;
	char copy[ADDRESS_SIZE];

	MUST_HOLD(address_read(text, &first));
	inet_ntop(AF_INET6, first.bytes, copy, sizeof(copy));
	MUST_HOLD(address_read(copy, &second));
	MUST_HOLD(memcmp(&first, &second, sizeof(first)) == 0);
	if (networks != NULL)
		MUST_HOLD(address_among(networks, &first) == address_among(networks, &second));
}

void
fuzz_one(char *text, size_t length)
{
	Request *request = fuzz_request("/tags");
	char *list = fuzz_line(text);
	char *scheme = fuzz_line(list);
	char *host = fuzz_line(scheme);
	char *origins = fuzz_line(host);
	Networks *networks = address_networks(text);

	(void) length;
	request->headers[HEADER_FORWARDED_FOR] = list;
	request->headers[HEADER_FORWARDED_PROTO] = scheme;
	request->headers[HEADER_FORWARDED_HOST] = host;
	check_address(request, networks);
	link_base(request);
	MUST_HOLD(strpbrk(request->base, "\"\\<> \r\n") == NULL);
	MUST_HOLD(strncmp(request->base, "http://", 7) == 0 ||
			  strncmp(request->base, "https://", 8) == 0);
	if (config_are_origins(origins))
		MUST_HOLD(strpbrk(origins, "\r\"<>") == NULL);
	free(networks);
	request_free(request);
}
