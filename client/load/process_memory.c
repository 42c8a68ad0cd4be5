#include "client/load/process_memory.h"

#include <inttypes.h>
#include <stdio.h>

bool
process_memory_bytes(uint64_t pid, uint64_t *bytes)
{
	char path[64], line[128];
	(void)snprintf(path, sizeof path, "/proc/%" PRIu64 "/smaps_rollup", pid);
	FILE *file = fopen(path, "r");
	bool found = false;
	while (file && !found && fgets(line, sizeof line, file)) {
		uint64_t kib;
		found = sscanf(line, "Pss: %" SCNu64 " kB", &kib) == 1;
		if (found)
			*bytes = kib * 1024;
	}
	if (file)
		(void)fclose(file);
	return found;
}
