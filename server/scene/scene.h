/* scene: wire messages to engine worlds and engine ticks to wire frames, with the path of the field for every error.
 *
 * One thread at a time. Used by the daemon's workers and by the client's --local and check. */
#ifndef COLLIDED_SCENE_SCENE_H
#define COLLIDED_SCENE_SCENE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "physics/physics.h"
#include "wire/wire.h"

struct scene_limits {
	uint32_t circles_max, segments_max, hand_written_max;
	uint64_t ticks_max;
	uint32_t events_per_body_max;
	uint64_t work_per_tick_max, work_per_body_max;
	uint64_t contacts_per_tick_max;
	uint32_t deadline_ms_max;
	uint64_t memory_bytes_max; /* of a world and its scene, and of the snapshot that is on its way */
	uint32_t self_check;       /* 1: every Simulate checks itself (Simulate.self_check), whether asked or not; 0: who asks */
};

/* The defaults that the daemon announces and --local uses. */
struct scene_limits scene_limits_default(void);
/* Those among them that the wire layer enforces before unpacking. */
struct wire_limits scene_limits_wire(const struct scene_limits *limits);
/* The arena budget for unpacking a request of `message_bytes` and defining its world: enough for any scene within the limits
 * in any form, at most limits->memory_bytes_max. What needs more is refused (MEMORY). */
size_t scene_arena_bytes(const struct scene_limits *limits, size_t message_bytes);

/* Fills *def from a Scene message; arrays live in the arena. `path` prefixes field names in *problem ("simulate.scene").
 * Checks counts, column lengths and ids; world_create checks the values (see scene_problem_from_def). */
STATUS_MUST_USE enum status scene_world_def(struct arena *arena, const Collide__V1__Scene *scene,
                                            const struct scene_limits *limits, const char *path, struct world_def *def,
                                            struct wire_problem *problem);

/* Called with one problem after another; `problem` is the callee's for the call only. */
typedef void (*scene_problem_fn)(void *context, const struct wire_problem *problem);

/* Reports every problem that would make scene_world_create refuse the scene, not only the first: limits, unequal columns, ids,
 * enums, values. STATUS_OK if all of it could be looked at; otherwise *problem says why not (MEMORY). */
STATUS_MUST_USE enum status scene_check(struct arena *arena, const Collide__V1__Scene *scene, const struct scene_limits *limits,
                                        const char *path, scene_problem_fn report, void *context, struct wire_problem *problem);

/* scene_world_def and world_create in one, translating the engine's problem into a field path of the message as the client
 * sent it ("simulate.scene.circles[3].radius", "simulate.scene.circle_columns.x[17]"). */
STATUS_MUST_USE enum status scene_world_create(struct arena *arena, const Collide__V1__Scene *scene,
                                               const struct scene_limits *limits, const char *path, struct world **out,
                                               struct wire_problem *problem);

/* A Simulate under way: a world, how far it is, and the rows and the snapshot not yet sent. */
struct simulation;

/* Checks every field of the request and builds the world, or restores it. Keeps nothing of the request or the arena.
 * INVALID_ARGUMENT (BAD_FIELD) or RESOURCE_EXHAUSTED (LIMIT, MEMORY), with the field's path. */
STATUS_MUST_USE enum status simulation_create(const Collide__V1__Simulate *request, const struct scene_limits *limits,
                                              uint64_t request_id, struct arena *arena, struct simulation **out,
                                              struct wire_problem *problem);
void simulation_destroy(struct simulation *simulation);

/* Lets a tick be given up while it is computed, when `give_up(context)` becomes true: simulation_run then fails with the status
 * CANCELLED in its problem, and the simulation can only be destroyed. For cancels and deadlines, not for the end of a slice. */
void simulation_give_up_set(struct simulation *simulation, bool (*give_up)(void *context), void *context);
/* Lends the simulation a clock: nanoseconds since some moment. Without one SimulateDone has no times but the caller's. */
void simulation_clock_set(struct simulation *simulation, uint64_t (*now_ns)(void));
/* Lends the simulation's world a crew for its ticks (world_crew_set): then give_up is called on its threads too. Self-checks
 * are without one, and so compare the two ways to make a tick. */
void simulation_crew_set(struct simulation *simulation, const struct crew *crew);
/* Lends the simulation's world a workspace (world_workspace_set), if it is small enough to gain by one; NULL: none. What is
 * still to be sent of its last tick stays good. */
void simulation_workspace_set(struct simulation *simulation, struct workspace *workspace);

enum simulation_progress { SIMULATION_MORE, SIMULATION_DONE, SIMULATION_FAILED };

/* Steps until `slice_bytes` of frames have been appended to `out` or, with the last part, up to SCENE_PART_BYTES_MAX more
 * (scene/limits.h), or `stop(context)` is true (asked before each tick), or all ticks are done. A frame of many bodies or a
 * tick of many contacts may take several calls. SIMULATION_FAILED: *problem says why and names the tick, now and on every
 * later call; frames appended so far are valid, the one in the making, or a snapshot, may lack its last part. With
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
