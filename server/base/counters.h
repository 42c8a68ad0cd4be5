/* counters: how often each thing with a stable name happened: closes and refusals by reason.
 *
 * One thread (the daemon's loop). Owns nothing but its table; the names must be static text. A name is counted from its
 * first use, so a reason lives in one place: where it is given. */
#ifndef COLLIDED_BASE_COUNTERS_H
#define COLLIDED_BASE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

/* Different (group, name) pairs. All names are ours, about 60; more than this many share the entry "other.OTHER". */
#define COUNTERS_MAX 128

struct counter {
	const char *group; /* "close", "refusal", ... */
	const char *name;  /* "IDLE", "QUEUE_FULL", ... */
	uint64_t value;
};

struct counters {
	struct counter entries[COUNTERS_MAX];
	size_t count;
};

void counters_init(struct counters *counters);
void counters_add(struct counters *counters, const char *group, const char *name, uint64_t amount);
/* 0 for what never happened. */
uint64_t counters_value(const struct counters *counters, const char *group, const char *name);

#endif
