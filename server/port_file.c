#include "port_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* All may read it, as a file that is made with fopen. */
#define PORT_FILE_MODE (S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH)

static bool
write_all(int fd, unsigned port)
{
	char text[16];
	int count = snprintf(text, sizeof text, "%u\n", port);
	bool ok = write(fd, text, (size_t)count) == (ssize_t)count && fchmod(fd, PORT_FILE_MODE) == 0;
	return close(fd) == 0 && ok;
}

/* mkstemp makes a file of a name that there was not (O_EXCL), so it never writes through a link; rename replaces a link and
 * does not follow it. */
bool
port_file_write(const char *path, unsigned port)
{
	char temporary[4096];
	if (path[0] == '\0')
		return true;
	if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= (int)sizeof temporary) {
		errno = ENAMETOOLONG;
		return false;
	}
	int fd = mkstemp(temporary);
	if (fd < 0)
		return false;
	bool ok = write_all(fd, port) && rename(temporary, path) == 0;
	int error = errno;
	if (!ok)
		(void)unlink(temporary);
	errno = error;
	return ok;
}
