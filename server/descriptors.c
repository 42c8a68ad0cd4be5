#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* open gives the lowest number that is free; those below are open. */
bool
descriptors_open(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDWR) != fd)
			return false;
	return true;
}
