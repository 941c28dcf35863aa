/*
 * service_manager.c - what systemd, or another service manager, is told of a program.
 */
#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/settings.h"

/*
 * ---- Messages to the service manager ----
 *
 * A message is one datagram to the Unix socket that NOTIFY_SOCKET names.  A service manager other than
 * systemd may understand them as well; without the variable nothing is sent.
 */

/* Send the message to the socket; false: errno is set. */
static bool
send_to(const char *path, const char *message)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(path);
	int sender;
	bool sent;

	if (length >= sizeof(address.sun_path) || (path[0] != '/' && path[0] != '@'))
	{
		errno = EINVAL;
		return false;
	}
	memcpy(address.sun_path, path, length);
	/* an abstract address begins with a null byte */
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sender < 0)
		return false;
	sent = sendto(sender, message, strlen(message), MSG_NOSIGNAL, (struct sockaddr *) &address,
				  (socklen_t) (offsetof(struct sockaddr_un, sun_path) + length)) >= 0;
	close(sender);
	return sent;
}

void
service_manager_notify(const char *message)
{
	const char *path = getenv("NOTIFY_SOCKET");

	if (path == NULL || path[0] == '\0' || send_to(path, message))
		return;
	fprintf(stderr, "%s: could not notify the service manager at \"%s\": %s\n",
			program_invocation_short_name, path, strerror(errno));
}

void
service_manager_reloading(void)
{
	struct timespec now;
	char message[80];

	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(message, sizeof(message), "RELOADING=1\nMONOTONIC_USEC=%lld%06ld",
			 (long long) now.tv_sec, now.tv_nsec / 1000);
	service_manager_notify(message);
}

int64_t
service_manager_interval(void)
{
	const char *process = getenv("WATCHDOG_PID");
	const char *limit = getenv("WATCHDOG_USEC");

	if (limit == NULL || (process != NULL && strtol(process, NULL, 10) != getpid()))
		return 0;
	return strtoll(limit, NULL, 10) / 2000;
}
