#include "client/cli/terminal/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
output_is_stdout(const char *path)
{
	return path != NULL && strcmp(path, "-") == 0;
}

bool
output_probe(const char *command, const char *path)
{
	if (!path || output_is_stdout(path))
		return true;
	/* O_NONBLOCK: a named pipe without a reader yet is no reason to wait, or to complain. */
	int descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (descriptor < 0 && errno == ENOENT) {
		descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (descriptor >= 0)
			unlink(path);
	}
	if (descriptor < 0 && errno != ENXIO) {
		fprintf(stderr, "collide %s: %s: %s\n", command, path, strerror(errno));
		return false;
	}
	if (descriptor >= 0)
		close(descriptor);
	return true;
}

FILE *
output_open(const char *path)
{
	return output_is_stdout(path) ? stdout : fopen(path, "wb");
}

FILE *
output_open_private(const char *path)
{
	struct stat there;
	if (output_is_stdout(path))
		return stdout;
	int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
	bool good = descriptor >= 0 && fstat(descriptor, &there) == 0 &&
	            (!S_ISREG(there.st_mode) || fchmod(descriptor, S_IRUSR | S_IWUSR) == 0);
	FILE *file = good ? fdopen(descriptor, "wb") : NULL;
	if (descriptor >= 0 && !file) {
		int reason = errno;
		close(descriptor);
		errno = reason;
	}
	return file;
}

bool
output_close(FILE *file)
{
	bool good = !ferror(file);
	if (file == stdout)
		return fflush(file) == 0 && good;
	return fclose(file) == 0 && good;
}
