/* runner: the loop that every C runner of the benchmark has around its engine: one process per engine, commands on standard
 * input, one answer to each on standard output. It ends by itself when standard input does.
 *
 *   load SCENE        loaded WORLDS CIRCLES BUILD_NS         the scene as its file has it; the one before is dropped
 *   step N LIMIT_MS   stepped K NS NS ...                     at most N ticks, none begun after LIMIT_MS; ns of each
 *   trace N LIMIT_MS FILE  traced K                           as step, and all states before and after each go to the file
 *   work WHAT N LIMIT_MS   worked K NS NS ...                 as step, for work beside ticks; ns of each. Ticks between are not
 *                                                            timed. What there is:
 *     snapshot  the state as bytes.
 *     restore   from such bytes of an earlier tick, the state before it given up.
 *     keep      the state kept in memory, as cheaply as the engine can.
 *     return    to the state that was kept eight ticks ago.
 *     eight     the same, and eight ticks forward again.
 *     edit      a new velocity for every circle; the time is divided by their number.
 *     create    all worlds of the scene anew, and destroyed.
 *
 * Before an answer there may be lines "note TEXT"; an answer may be "error TEXT", after which nothing is loaded. At the start
 * come "runner NAME VERSION", lines "setting TEXT", and "ready". The node runner speaks the same. With
 * COLLIDED_BENCH_CLOCK=thread in the environment times are the thread's processor time; the node runner has no such clock. */
#ifndef COLLIDED_TESTS_BENCH_RUNNER_H
#define COLLIDED_TESTS_BENCH_RUNNER_H

#include "bench/scene_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an engine does for the loop. A world is the engine's; scenes are borrowed until the world is destroyed. */
struct bench_engine {
	const char *name, *version;
	const char *const *settings; /* up to a NULL: what a reader must know to judge the figures */
	/* What of these settings cannot hold for this scene, or NULL. Called once, before the scene's first world. */
	const char *(*scene_note)(const struct scene *scene);
	void *(*world_create)(const struct scene *scene, const struct scene_world *world); /* NULL: failed */
	bool (*world_step)(void *world);                                                   /* false: failed */
	/* Sets the velocities of the first `count` circles. */
	bool (*world_steer)(void *world, const struct scene_velocity *velocities, uint64_t count);
	void (*world_states)(const void *world, struct frame_state *out); /* in the order of the scene's circles */
	void (*world_destroy)(void *world);
	/* Each NULL where the engine has no such thing. What they write is kept in the world, one snapshot and one kept state. */
	bool (*world_snapshot)(void *world);
	bool (*world_restore)(void *world);
	bool (*world_keep)(void *world);
	bool (*world_return)(void *world);
	/* The same. Adds to the velocities of the first `count` circles; disables or enables the wall in the middle of the scene's.
	 */
	bool (*world_add)(void *world, const struct scene_velocity *velocities, uint64_t count);
	bool (*world_switch)(void *world, bool enabled);
};

/* Runs until standard input ends; returns the exit status. */
int runner_run(const struct bench_engine *engine);

/* The greatest speed of any circle at the start, in units per tick. */
double scene_travel(const struct scene *scene);

#ifdef __cplusplus
}
#endif

#endif
