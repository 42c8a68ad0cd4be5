#include "fuzz/input_file.h"

#include "base/check.h"

#include <stdio.h>
#include <unistd.h>

const char *
input_file(const uint8_t *bytes, size_t count)
{
	static FILE *file;
	static char path[40];
	if (!file) {
		file = tmpfile();
		CHECK(file);
		(void)snprintf(path, sizeof path, "/dev/fd/%d", fileno(file));
	}
	CHECK(ftruncate(fileno(file), (off_t)count) == 0);
	CHECK(count == 0 || pwrite(fileno(file), bytes, count, 0) == (ssize_t)count);
	return path;
}
