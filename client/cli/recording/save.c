#include "client/cli/recording/save.h"

#include "client/cli/terminal/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
bytes_write(const char *path, const void *bytes, size_t count)
{
	FILE *file = output_open(path);
	if (!file)
		return false;
	errno = 0;
	bool good = fwrite(bytes, 1, count, file) == count;
	int reason = errno;
	if (!output_close(file) && good) {
		good = false;
		reason = errno;
	}
	errno = reason != 0 ? reason : EIO;
	return good;
}

bool
snapshot_save(const char *path, const void *bytes, size_t count)
{
	static const char suffix[] = ".new";
	struct stat there;
	if (output_is_stdout(path) || (stat(path, &there) == 0 && !S_ISREG(there.st_mode)))
		return bytes_write(path, bytes, count);
	char *beside = malloc(strlen(path) + sizeof suffix);
	if (!beside)
		return false;
	memcpy(beside, path, strlen(path));
	memcpy(beside + strlen(path), suffix, sizeof suffix);
	bool good = bytes_write(beside, bytes, count) && rename(beside, path) == 0;
	if (!good) {
		int reason = errno;
		unlink(beside);
		errno = reason;
	}
	free(beside);
	return good;
}
