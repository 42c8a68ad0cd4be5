/* motion_rows: a motion of which the shapes come and go, as those of a world do: filled by what knows its paths, without
 * frames.
 *
 * One thread at a time. Each function that returns a bool: false without memory, or when motion->full. */
#ifndef COLLIDE_CLI_MOTION_ROWS_H
#define COLLIDE_CLI_MOTION_ROWS_H

#include "client/cli/motion/motion.h"

/* Without shapes, at that tick. To be finished by motion_finish. */
void motion_begin(struct run_motion *motion, uint64_t tick, double dt);

/* A circle that is there from second t on. *row is its row. What does not move has its path with that. */
bool motion_circle_add(struct run_motion *motion, const struct motion_circle *circle, double t, size_t *row);
/* The next piece of its path; where it goes on as the one before, they become one. */
bool motion_piece_add(struct run_motion *motion, size_t row, const struct motion_piece *piece, double until);
/* From t on it has this angle and spin. */
bool motion_turn_add(struct run_motion *motion, size_t row, double t, double angle, double spin);
/* A wall from wall->begin on: its ends are where they would have been at 0. Its `end` may be set later. */
bool motion_wall_add(struct run_motion *motion, const struct motion_wall *wall);

#endif
