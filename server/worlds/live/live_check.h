/* live_check: the self-check of a live world: it goes back eight ticks at every tick, makes them again, and compares.
 *
 * The worker that has the world notes its ticks, and leaves the last span of them here (checked_ticks.h). Any other thread,
 * one at a time, takes that and makes its ticks again in a world of its own, the twin. So both go on at once: what the two
 * have in common is not written any more. A span that was not taken when the next one comes is skipped. After eight of those
 * no more are noted until the last one is taken. Every tick of a world under check is either made again or counted as skipped,
 * those too that have too few before them.
 *
 * A difference changes nothing: the world goes on, as it is the state that all were told of. It is a defect, of the engine, a
 * compiler or a machine: what is made of the world's history, as forks, mirrors and rollbacks are, may go another way. */
#ifndef COLLIDED_WORLDS_LIVE_LIVE_CHECK_H
#define COLLIDED_WORLDS_LIVE_LIVE_CHECK_H

#include "physics/self_check.h"
#include "worlds/limits.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct live_check;
struct live_world;

/* What all worlds of a process have in common. Any thread. */
struct live_check_share {
	_Atomic(uint32_t) permille;                 /* worlds under check, of a thousand; it may change at any time */
	_Atomic(uint64_t) made, skipped, differing; /* ticks, as in struct live_check_counts, of all worlds that ever were */
};

/* Which worlds: so many of a thousand, by their name and epoch. The same ones with the same permille, and those among them with
 * less. */
bool live_check_chooses(const char *name, uint64_t epoch, uint32_t permille);

/* After a turn, on its thread: that of the world; NULL: it never had one. As long as the world, or as it is held. */
struct live_check *live_world_check(const struct live_world *world);

/* Any thread. */
struct live_check *live_check_hold(struct live_check *check);
/* NULL is fine. */
void live_check_release(struct live_check *check);
/* Whether a span waits to be taken. */
bool live_check_waits(const struct live_check *check);
/* Whether what is under way is not wanted any more: the world has ended, or is too far ahead. For the question of the thread
 * that makes it (base/pause.h). */
bool live_check_is_obsolete(const struct live_check *check);

/* Sums since the world began. */
struct live_check_counts {
	uint64_t made, skipped; /* ticks */
	uint64_t differing;     /* of those made */
};
struct live_check_counts live_check_counts(const struct live_check *check);

enum live_check_result {
	LIVE_CHECK_NONE, /* nothing waits */
	LIVE_CHECK_SAME,
	LIVE_CHECK_SKIPPED, /* without memory, or obsolete */
	LIVE_CHECK_DIFFERS,
};

struct live_check_difference {
	char world[WORLDS_NAME_BYTES_MAX + 1];
	uint64_t epoch;
	uint64_t from; /* the state that it went back to */
	uint64_t tick; /* the first that differs; else that of the hash */
	bool has_body;
	uint32_t body;                /* id of the circle that the field is of */
	struct difference difference; /* the first field, with "restored" for the tick as it was made again */
};

/* Makes the ticks of the span that waits. One thread at a time, and no ledger is entered. */
enum live_check_result live_check_run(struct live_check *check, struct live_check_difference *difference);

#endif
