#include "port_file.h"

#include <errno.h>
#include <stdio.h>

bool
port_file_write(const char *path, unsigned port)
{
	char temporary[4096];
	if (path[0] == '\0')
		return true;
	if (snprintf(temporary, sizeof temporary, "%s.tmp", path) >= (int)sizeof temporary) {
		errno = ENAMETOOLONG;
		return false;
	}
	FILE *file = fopen(temporary, "w");
	if (!file)
		return false;
	bool ok = fprintf(file, "%u\n", port) > 0;
	ok = fclose(file) == 0 && ok;
	return ok && rename(temporary, path) == 0;
}
