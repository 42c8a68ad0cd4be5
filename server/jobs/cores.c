#define _GNU_SOURCE /* sched_getaffinity, which has no POSIX name */
#include "jobs/cores.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A container sees its own control group here; outside of one the root group has no such file. */
#define QUOTA_FILE "/sys/fs/cgroup/cpu.max"

uint32_t
cores_of_quota(const char *text)
{
	char *end;
	uint64_t quota = strtoull(text, &end, 10), period = strtoull(end, NULL, 10);
	if (*text == '-' || quota == 0 || period == 0 || quota > UINT32_MAX || period > UINT32_MAX)
		return 0; /* "max" and everything that is no number is 0 too */
	return (uint32_t)((quota + period - 1) / period);
}

static uint32_t
cores_by_quota(void)
{
	char text[64] = "";
	FILE *file = fopen(QUOTA_FILE, "re");
	if (!file)
		return 0;
	if (!fgets(text, sizeof text, file))
		text[0] = '\0';
	fclose(file);
	return cores_of_quota(text);
}

/* Of the first thread, which is never pinned. More than 1024 cores: the set is too small. */
static bool
affinity_get(cpu_set_t *set)
{
	return sched_getaffinity(getpid(), sizeof *set, set) == 0 && CPU_COUNT(set) > 0;
}

uint32_t
cores_allowed(void)
{
	cpu_set_t set;

	/* Where the set is too small all of them are as good a guess. */
	if (affinity_get(&set))
		return (uint32_t)CPU_COUNT(&set);
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	return cores > 0 ? (uint32_t)cores : 1;
}

uint32_t
cores_usable(void)
{
	uint32_t cores = cores_allowed(), quota = cores_by_quota();
	return quota > 0 && quota < cores ? quota : cores;
}

bool
cores_pin(uint32_t index)
{
	cpu_set_t set, one;

	if (!affinity_get(&set) || index >= (uint32_t)CPU_COUNT(&set))
		return false;
	size_t core = 0;
	for (uint32_t left = index; !CPU_ISSET(core, &set) || left > 0; core++)
		left -= CPU_ISSET(core, &set) ? 1 : 0;
	CPU_ZERO(&one);
	CPU_SET(core, &one);
	return sched_setaffinity(0, sizeof one, &one) == 0;
}

void
cores_unpin(void)
{
	cpu_set_t set;

	/* Where that is not allowed no thread was pinned. */
	if (affinity_get(&set))
		(void)sched_setaffinity(0, sizeof set, &set);
}
