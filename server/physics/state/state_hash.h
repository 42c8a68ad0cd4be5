/* state_hash: how world_hash processes plain bodies, those with no state but place and velocity: the loop over several at once.
 * All implementations give the same bits. Internal to state_hash.c and state_hash_avx512.c, and to the test that compares them.
 * Pure functions, on any thread; nothing is owned. */
#ifndef COLLIDED_STATE_STATE_HASH_H
#define COLLIDED_STATE_STATE_HASH_H

#include <stdint.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HASH_WIDE
#endif

/* The number of bodies in a call is a multiple of this. */
#define HASH_GROUP 8

/* Of the finalizer of splitmix64 (Steele, Lea, Flood 2014). */
#define HASH_MIX_FIRST UINT64_C(0xbf58476d1ce4e5b9)
#define HASH_MIX_SECOND UINT64_C(0x94d049bb133111eb)
/* Added to an id before it is mixed, and after each value. */
#define HASH_ID UINT64_C(0x9e3779b97f4a7c15)
#define HASH_STEP UINT64_C(0x9e3779b97f4a7c15)

struct body;

struct hash_way {
	uint64_t (*sum)(const struct body *bodies, const uint32_t *ids, uint32_t count);
};

extern const struct hash_way hash_plain, hash_wide;
/* The fastest on this CPU. */
const struct hash_way *hash_best(void);

#endif
