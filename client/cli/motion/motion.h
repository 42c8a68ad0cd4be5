/* motion: all paths of a run, to be asked at any time: pictures that move are drawn from it.
 *
 * One thread at a time. Owns its scene and tracks. A piece that goes on as the one before it, within MOTION_MERGE, is not kept:
 * a circle in free flight takes one piece, however many ticks it lasts. */
#ifndef COLLIDE_CLI_MOTION_H
#define COLLIDE_CLI_MOTION_H

#include "client/cli/motion/motion_scene.h"
#include "client/cli/motion/piece.h"
#include "client/cli/motion/rebuild.h"

/* Length units by which a merged path may differ from the one told, besides 2^-47 of its coordinates. Less than what the tests
 * of pages allow (1e-9), more than the rounding of a path. */
#define MOTION_MERGE 1e-11
/* Bytes of all pieces. A run that has more is refused, with the tick up to which there was room. */
#define MOTION_BYTES_MAX ((size_t)1 << 30)

struct motion_turn {
	double t, angle, spin;
};

/* The path of one circle. Its first piece begins at 0, or when the circle came. */
struct motion_track {
	struct motion_piece *pieces;
	size_t count, capacity;
	struct motion_turn *turns; /* none if it never turns */
	size_t turn_count, turn_capacity;
	double until; /* of the last piece */
	double begin; /* when it came: 0, but in worlds */
	double end;   /* when it had its end; HUGE_VAL: it has not */
};

struct run_motion {
	struct motion_scene scene;
	struct motion_track *tracks; /* of each circle */
	double duration;             /* seconds of the run so far */
	double dt;
	uint64_t tick, hash; /* of the latest frame */
	uint64_t contacts;   /* collisions, as frames count them */
	size_t piece_count, bytes;
	struct rebuild *rebuild; /* NULL: of a world (motion_rows.h) */
	size_t circle_capacity, wall_capacity;
	bool full; /* MOTION_BYTES_MAX is reached */
};

/* false: `error` says why. To be finished in either case. */
bool motion_init(struct run_motion *motion, const struct start *start, double dt, char *error, size_t error_size);
void motion_finish(struct run_motion *motion);
/* Takes the next frame; it must have its contacts. false: no memory, or `full`. */
bool motion_frame(struct run_motion *motion, const struct collide_frame *frame);

/* The piece of a row that holds at t (before its start: the first). */
const struct motion_piece *motion_piece(const struct run_motion *motion, size_t row, double t);
/* The same where the caller asks in order of time: *hint is a place of the caller's for this row, 0 at first. */
const struct motion_piece *motion_piece_near(const struct run_motion *motion, size_t row, double t, size_t *hint);
/* false: it has not come by then, or has had its end. */
bool motion_there(const struct run_motion *motion, size_t row, double t);
double motion_angle(const struct run_motion *motion, size_t row, double t);
double motion_spin(const struct run_motion *motion, size_t row, double t);

/* The mean speed of what moves, over some pieces of each; 1 if nothing does. How many circles are not static. */
double motion_speed_mean(const struct run_motion *motion, size_t *moving);

/* The part of the plane that the run needs, walls and whole circles, without what flies further from the scene than six times
 * its size. */
struct motion_extent {
	double x1, y1, x2, y2;
};
struct motion_extent motion_extent(const struct run_motion *motion);

#endif
