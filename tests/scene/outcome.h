/* outcome: what a simulation came to on the wire, frames and snapshots apart; and a scene for it that has everything in its
 * snapshots. One thread; the caller finishes what it gets. Failures are cmocka's. */
#ifndef COLLIDED_TESTS_SCENE_OUTCOME_H
#define COLLIDED_TESTS_SCENE_OUTCOME_H

#include "scene/gas.h"

#include "scene/run/simulation.h"

#define REQUEST_ID 77

/* Frames and the data of all snapshots' parts, in the order in which they came. */
struct outcome {
	struct buffer frames;    /* whole messages */
	struct buffer snapshots; /* the data of all parts */
	size_t parts, snapshot_count;
	uint64_t snapshot_tick; /* of the last */
	Collide__V1__SimulateDone done;
	size_t peak_bytes; /* of simulation_memory_bytes */
};

bool stop_never(void *context);
/* A gas that falls into a rough heap and sleeps. */
void heap_init(struct gas *gas);
/* Runs the request to the end, in slices. */
void outcome_run(const Collide__V1__Simulate *request, size_t slice_bytes, struct outcome *out);
void outcome_finish(struct outcome *outcome);
/* The heap, and its snapshot after so many ticks. */
void snapshot_make(struct gas *gas, uint64_t ticks, struct outcome *out);
/* The request that goes on from a snapshot, which it borrows. */
Collide__V1__Simulate request_from(const Collide__V1__Simulate *request, const struct buffer *snapshot, uint64_t ticks);

/* simulation_create, and nothing more; its status is that of *problem if it is refused. */
enum status refused(const Collide__V1__Simulate *request, const struct scene_limits *limits, struct wire_problem *problem);
/* Runs until it fails; the problem is what it says when asked again. */
void run_failing(const Collide__V1__Simulate *request, const struct scene_limits *limits, struct wire_problem *problem);

#endif
