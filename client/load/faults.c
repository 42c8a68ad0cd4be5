#include "client/load/faults.h"

#include <stdio.h>
#include <string.h>

/* The index of the kind with this name; `count` if there is none. */
static size_t
fault_find(const struct faults *faults, const char *name)
{
	size_t i = 0;
	while (i < faults->count && strncmp(faults->kinds[i].name, name, FAULTS_NAME_BYTES - 1) != 0)
		i++;
	return i;
}

void
faults_add(struct faults *faults, const char *name, uint64_t count)
{
	size_t at = fault_find(faults, name);
	if (count == 0)
		return;
	/* The last place is for kinds beyond the others. */
	if (at >= FAULTS_KINDS_MAX - 1 && at == faults->count) {
		name = "OTHER";
		at = fault_find(faults, name);
	}
	if (at == faults->count) {
		snprintf(faults->kinds[at].name, FAULTS_NAME_BYTES, "%s", name);
		faults->count++;
	}
	faults->kinds[at].count += count;
}
