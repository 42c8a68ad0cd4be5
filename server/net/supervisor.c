#include "net/supervisor.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

bool
supervisor_tell(const char *socket_path, const char *state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	if (!socket_path || socket_path[0] == '\0')
		return true;
	size_t length = strlen(socket_path);
	if ((socket_path[0] != '/' && socket_path[0] != '@') || length >= sizeof address.sun_path) {
		errno = EINVAL;
		return false;
	}
	memcpy(address.sun_path, socket_path, length);
	if (socket_path[0] == '@')
		address.sun_path[0] = '\0';
	int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (descriptor < 0)
		return false;
	/* The length tells where an abstract name ends. */
	socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (socket_path[0] == '/'));
	ssize_t sent = sendto(descriptor, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&address, bytes);
	int problem = errno;
	(void)close(descriptor);
	errno = problem;
	return sent == (ssize_t)strlen(state);
}
