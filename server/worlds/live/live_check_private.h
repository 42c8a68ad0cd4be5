/* live_check_private: what both sides of a self-check share: the worker that has the world, and the thread that makes its ticks
 * again. */
#ifndef COLLIDED_WORLDS_LIVE_LIVE_CHECK_PRIVATE_H
#define COLLIDED_WORLDS_LIVE_LIVE_CHECK_PRIVATE_H

#include "worlds/history/checked_ticks.h"
#include "worlds/live/live_check.h"
#include "worlds/live/live_private.h"

struct live_check {
	atomic_uint holders;

	/* Immutable. */
	struct live_check_share *share;
	const struct worlds_limits *limits;
	const struct scene_limits *scene_limits;
	struct world_policy policy; /* of the twin */
	uint64_t (*cpu_ns)(void);
	char name[WORLDS_NAME_BYTES_MAX + 1];

	/* Written by the worker that has the world. */
	atomic_bool closed;                     /* the world has ended */
	_Atomic(uint64_t) newest, epoch;        /* its last tick */
	_Atomic(struct checked_span *) waiting; /* the worker leaves it, the other takes it; NULL: none */

	unsigned untaken; /* its alone: how many, one after the other, found the one before still there */

	/* Any thread. */
	_Atomic(uint64_t) made, skipped, differing;

	/* The thread that runs it. */
	uint64_t begun;                              /* the world's last tick when it was taken */
	struct live_world *twin;                     /* NULL: none */
	struct checked_base *twin_base;              /* held: of which it was made */
	void (*twin_drop)(struct live_check *check); /* with a twin: ends it */
};

/* live_check.c: a tick was made again, or not; any thread. */
void live_check_count(struct live_check *check, enum live_check_result result);

#endif
