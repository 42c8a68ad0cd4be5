/* awake: who is awake, as a set of bodies, so that a tick goes through these and never looks at who sleeps; and what sleepers
 * add to the tick's sums, which stays as it is while they sleep.
 *
 * In a world that lets nobody sleep there is no memory and everybody is awake. sleep.c says who comes and goes; all others only
 * go through it. A static or kinematic circle is always awake. One thread; belongs to the world. */
#ifndef COLLIDED_WORLD_AWAKE_SET_H
#define COLLIDED_WORLD_AWAKE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the bodies of a chunk of the ledger's: the sum up to its first one that is awake, `end`; UINT32_MAX: not known. */
struct awake_prefix {
	double sum;
	uint32_t end;
};

struct awake {
	uint64_t *words;               /* a bit for each body; NULL: nobody may sleep */
	uint64_t *summary;             /* a bit for each word that is not 0 */
	double *potentials;            /* by body: what it adds to the potential energy, if it sleeps (ledger.c) */
	struct awake_prefix *prefixes; /* of these */
	uint64_t added;                /* how often somebody came in: who keeps what covers the awake ones only sees it by this */
};

/* Bodies first .. end. */
struct span {
	uint32_t first, end;
};

/* Everybody awake. False without memory. */
bool awake_alloc(struct awake *awake, uint32_t body_count);
void awake_free(struct awake *awake);
size_t awake_memory_bytes(const struct awake *awake, uint32_t body_count);

void awake_add(struct awake *awake, uint32_t body);
void awake_remove(struct awake *awake, uint32_t body);

struct span awake_search(const struct awake *awake, uint32_t from, uint32_t end);

/* The first bodies in a row of from .. end that are awake; first == end: there are none. The next ones are from its `end` on.
 */
static inline struct span
awake_span(const struct awake *awake, uint32_t from, uint32_t end)
{
	return awake->words ? awake_search(awake, from, end) : (struct span){ from, end };
}

/* The first body of from .. end that is awake, or `end`. */
static inline uint32_t
awake_from(const struct awake *awake, uint32_t from, uint32_t end)
{
	/* There is a bit at the end of all bodies too. */
	if (!awake->words || (awake->words[from / 64] >> from % 64 & 1) != 0)
		return from;
	return awake_search(awake, from, end).first;
}

#endif
