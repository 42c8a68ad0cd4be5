#include "base/counters.h"

#include <string.h>

void
counters_init(struct counters *counters)
{
	counters->count = 0;
}

static struct counter *
counters_find(struct counters *counters, const char *group, const char *name)
{
	for (size_t i = 0; i < counters->count; i++) {
		struct counter *entry = &counters->entries[i];
		if (strcmp(entry->name, name) == 0 && strcmp(entry->group, group) == 0)
			return entry;
	}
	return NULL;
}

void
counters_add(struct counters *counters, const char *group, const char *name, uint64_t amount)
{
	struct counter *entry = counters_find(counters, group, name);
	if (!entry && counters->count + 1 == COUNTERS_MAX) {
		group = "other";
		name = "OTHER";
	} else if (!entry && counters->count == COUNTERS_MAX) {
		entry = &counters->entries[COUNTERS_MAX - 1];
	}
	if (!entry) {
		entry = &counters->entries[counters->count++];
		*entry = (struct counter){ .group = group, .name = name };
	}
	entry->value += amount;
}

uint64_t
counters_value(const struct counters *counters, const char *group, const char *name)
{
	for (size_t i = 0; i < counters->count; i++) {
		const struct counter *entry = &counters->entries[i];
		if (strcmp(entry->name, name) == 0 && strcmp(entry->group, group) == 0)
			return entry->value;
	}
	return 0;
}
