/* simulation: a Simulate under way: a world that is stepped, and what its reader is due, slice by slice.
 *
 * One thread at a time, another one for each slice if need be. Owns the world; keeps nothing of the request. */
#ifndef COLLIDED_SCENE_RUN_SIMULATION_H
#define COLLIDED_SCENE_RUN_SIMULATION_H

#include "scene/scene.h"

/* A Simulate under way: a world, how far it is, and the rows and the snapshot not yet sent. */
struct simulation;

/* Checks every field of the request and builds the world, in a map of `maps` (NULL: none), or restores it. Keeps nothing of the
 * request or the arena. INVALID_ARGUMENT (BAD_FIELD) or RESOURCE_EXHAUSTED (LIMIT, MEMORY), with the field's path. CANCELLED: a
 * question (base/pause.h) was answered so. The same, from simulation_run: the simulation can only be destroyed. */
STATUS_MUST_USE enum status simulation_create(const Collide__V1__Simulate *request, const struct scene_limits *limits,
                                              struct map_cache *maps, uint64_t request_id, struct arena *arena,
                                              struct simulation **out, struct wire_problem *problem);
void simulation_destroy(struct simulation *simulation);

/* Lends the simulation a clock: nanoseconds since some moment. Without one SimulateDone has no times but the caller's. */
void simulation_clock_set(struct simulation *simulation, uint64_t (*now_ns)(void));
/* Lends the simulation's world helpers for its ticks (world_workers_set): then a question (base/pause.h) is asked on their
 * threads too. Self-checks are without one, and so compare the two ways to make a tick. */
void simulation_workers_set(struct simulation *simulation, const struct workers *workers);
/* Lends the simulation's world a workspace (world_workspace_set), if it is small enough to gain by one; NULL: none. What is
 * still to be sent of its last tick stays good. */
void simulation_workspace_set(struct simulation *simulation, struct workspace *workspace);

enum simulation_progress { SIMULATION_MORE, SIMULATION_DONE, SIMULATION_FAILED };

/* Steps until `slice_bytes` of frames have been appended to `out`, or `stop(context)` is true (asked before each tick), or all
 * ticks are done. The last part may be longer by up to SCENE_PART_BYTES_MAX (scene/limits.h). A frame of many bodies or a
 * tick of many contacts may take several calls. SIMULATION_FAILED: *problem says why and names the tick, now and on
 * every later call. Frames appended so far are valid; the one in the making, or a snapshot, may lack its last part. With
 * SIMULATION_DONE the last frame is in `out`, but not SimulateDone (see simulation_done_append). */
enum simulation_progress simulation_run(struct simulation *simulation, size_t slice_bytes, bool (*stop)(void *context),
                                        void *context, struct buffer *out, struct wire_problem *problem);

/* Seconds that only the caller knows of. */
struct simulation_times {
	double read, world; /* unpacking and checking the request; simulation_create */
	double worker;      /* all that is spent on it */
	double waiting;     /* it could have been worked on, and was not */
};

/* Appends SimulateDone. */
void simulation_done_append(struct simulation *simulation, const struct simulation_times *times, struct buffer *out);
/* Bytes held by the world, by the rows that wait for a frame, by a snapshot on its way, and for checking itself. */
size_t simulation_memory_bytes(const struct simulation *simulation);

#endif
