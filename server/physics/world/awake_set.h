/* awake: the set of awake bodies. A tick walks through it and never reads sleeping bodies. It also holds what sleeping bodies
 * add to the tick's sums, which is constant while they sleep.
 *
 * In a world without sleeping there is no memory, and all bodies are awake. sleep.c inserts and removes bodies; all others only
 * walk through the set. A static or kinematic circle is always awake. One thread; belongs to the world. */
#ifndef COLLIDED_WORLD_AWAKE_SET_H
#define COLLIDED_WORLD_AWAKE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For a chunk of the ledger's: the sum over its bodies before `end`, its first awake body; UINT32_MAX: not known. */
struct awake_prefix {
	double sum;
	uint32_t end;
};

struct awake {
	uint64_t *words;               /* a bit for each body; NULL: no body may sleep */
	uint64_t *summary;             /* a bit for each word that is not 0 */
	double *potentials;            /* by body: the potential energy that it adds while it sleeps (ledger.c) */
	struct awake_prefix *prefixes; /* sums of these potentials */
	uint64_t added;                /* number of insertions so far: tells a cache of the awake bodies that it is out of date */
};

/* Bodies first .. end. */
struct span {
	uint32_t first, end;
};

/* Makes all bodies awake. False without memory. */
bool awake_alloc(struct awake *awake, uint32_t body_count);
void awake_free(struct awake *awake);
size_t awake_memory_bytes(const struct awake *awake, uint32_t body_count);

/* The set in memory and back, for a return: awake_memory_bytes of it. `added` is the caller's. */
void awake_write(const struct awake *awake, uint32_t body_count, void *out);
void awake_return(struct awake *awake, uint32_t body_count, const void *in);

void awake_add(struct awake *awake, uint32_t body);
void awake_remove(struct awake *awake, uint32_t body);

struct span awake_search(const struct awake *awake, uint32_t from, uint32_t end);

/* The first run of consecutive awake bodies in from .. end; first == end: there is none. The search for the next run starts at
 * its `end`. */
static inline struct span
awake_span(const struct awake *awake, uint32_t from, uint32_t end)
{
	return awake->words ? awake_search(awake, from, end) : (struct span){ from, end };
}

/* The first awake body in from .. end, or `end`. */
static inline uint32_t
awake_from(const struct awake *awake, uint32_t from, uint32_t end)
{
	/* There is a bit for the index after the last body too. */
	if (!awake->words || (awake->words[from / 64] >> from % 64 & 1) != 0)
		return from;
	return awake_search(awake, from, end).first;
}

#endif
