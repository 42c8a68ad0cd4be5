/* rebuild: the pieces of every path of a run, rebuilt frame by frame from states, contacts, path changes and ends, as the
 * protocol documents them (PathChangeColumns).
 *
 * One thread at a time. It borrows the scene. Frames must come with their contacts, one after the other. After each tick with a
 * frame the paths go on from the state told; with a frame for every tick no rounding adds up. Between frames further apart, the
 * velocity that a circle of the resting solver begins a tick with is not told: its path may be off up to the next frame. */
#ifndef COLLIDE_CLI_REBUILD_H
#define COLLIDE_CLI_REBUILD_H

#include "client/cli/motion/motion_scene.h"
#include "client/cli/motion/piece.h"
#include "client/lib/collide.h"

/* What takes the pieces; one circle's come in order of time, each when it is over. A function that is NULL is not called. false
 * ends the frame's rebuilding. */
struct rebuild_taker {
	bool (*piece)(void *context, size_t row, const struct motion_piece *piece, double until);
	/* From t on the circle has this angle and spin. */
	bool (*turn)(void *context, size_t row, double t, double angle, double spin);
	/* A contact rule stopped the circle at t. */
	bool (*stop)(void *context, size_t row, double t, double x, double y);
	/* The circle had its end at t. */
	bool (*end)(void *context, size_t row, double t, double x, double y);
	void *context;
};

struct rebuild;

/* NULL: no memory. */
struct rebuild *rebuild_create(const struct motion_scene *scene, double dt, const struct rebuild_taker *taker);
void rebuild_destroy(struct rebuild *rebuild);
/* false: the taker returned false. A frame that does not fit the scene has no effect. */
bool rebuild_frame(struct rebuild *rebuild, const struct collide_frame *frame);

#endif
