/*
 * client.c - one connection of a client.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/net.h"

Client *
client_open(HttpThread *thread, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	Client *client = calloc(1, sizeof(Client));

	if (client == NULL)
		return NULL;
	client->thread = thread;
	client->connection = connection;
	client->socket = info ? info->connect_fd : -1;
	if (!receive_begin(client))
	{
		free(client);
		return NULL;
	}
	client->since = thread->now;
	LIST_INSERT_HEAD(&thread->clients, client, next);
	thread->connections++;
	return client;
}

void
client_close(Client *client)
{
	if (client->lingering)
		receive_linger(client->thread, client->socket);
	LIST_REMOVE(client, next);
	client->thread->connections--;
	receive_end(client);
	free(client);
}

void
client_end(const Client *client)
{
	shutdown(client->socket, SHUT_RDWR);
}

void
client_reset_on_close(const Client *client)
{
	struct linger reset = {.l_onoff = 1, .l_linger = 0};

	setsockopt(client->socket, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
}

void
client_reset(const Client *client)
{
	client_reset_on_close(client);
	client_end(client);
}

void
client_check_each_turn(const Client *client)
{
	int64_t seconds = client->thread->settings->request_timeout / 1000 + 1;

	MHD_set_connection_option(client->connection, MHD_CONNECTION_OPTION_TIMEOUT,
							  (unsigned int) seconds);
}

bool
client_is_slow(const Client *client, Pace *pace, int64_t span, int64_t rate, bool *ended)
{
	struct tcp_info info = {0};
	socklen_t length = sizeof(info);
	int64_t now = client->thread->now;
	bool slow = false;

	*ended = false;
	if ((pace->since != 0 && now - pace->since <= span) ||
		getsockopt(client->socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0)
		return false;
	if (pace->since != 0)
	{
		*ended = true;
		slow = (int64_t) (info.tcpi_bytes_acked - pace->taken) < span * rate / 1000;
	}
	*pace = (Pace){now, info.tcpi_bytes_acked};
	return slow;
}

/* Write the address of the peer as text; empty if it is not known. */
static void
read_peer(int socket, char *text, size_t size)
{
	struct sockaddr_storage peer = {0};
	socklen_t length = sizeof(peer);
	Address address;

	text[0] = '\0';
	if (getpeername(socket, (struct sockaddr *) &peer, &length) == 0 &&
		address_of_socket((struct sockaddr *) &peer, &address))
		address_text(&address, text, size);
}

const char *
client_address(Client *client)
{
	if (client->address[0] == '\0')
		read_peer(client->socket, client->address, sizeof(client->address));
	return client->address;
}
