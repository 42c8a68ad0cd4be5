#include "client/load/process_cpu.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool
process_cpu_seconds(uint64_t pid, double *seconds)
{
	char path[64], line[1024];
	unsigned long long user, system;
	(void)snprintf(path, sizeof path, "/proc/%llu/stat", (unsigned long long)pid);
	FILE *file = fopen(path, "r");
	if (!file)
		return false;
	bool good = fgets(line, sizeof line, file) != NULL;
	fclose(file);
	/* The name, in parentheses, may have anything in it; utime and stime are the 12th and 13th field behind it. */
	const char *behind = good ? strrchr(line, ')') : NULL;
	if (!behind || sscanf(behind + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system) != 2)
		return false;
	*seconds = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
	return true;
}
