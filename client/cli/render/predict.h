/* predict: where the next piece of a path begins, and how it goes on. The same operations in the same order as in
 * page/motion.js. A change of one is a change of both; the test of pages compares them.
 *
 * Any thread. */
#ifndef COLLIDE_CLI_PREDICT_H
#define COLLIDE_CLI_PREDICT_H

#include "client/cli/motion/motion_scene.h"
#include "client/cli/motion/piece.h"

/* How long after the piece's start a circle of that radius, moving straight on, reaches a point, or a wall; 0: it does not. */
double predict_point_time(const struct motion_piece *piece, double x, double y, double radius);
double predict_wall_time(const struct motion_piece *piece, const struct motion_wall *wall, double radius);
/* When two circles that are `radius` apart at a hit hit each other; the later of their starts: they do not. */
double predict_pair_time(const struct motion_piece *a, const struct motion_piece *b, double radius);

/* *v, turned back by a point, a wall, or another circle. */
void predict_point_reflect(double x, double y, double at_x, double at_y, struct piece_point *v);
void predict_wall_reflect(const struct motion_wall *wall, double x, double y, struct piece_point *v);
void predict_pair_reflect(struct piece_point a, struct piece_point b, double a_mass, double b_mass, struct piece_point *a_v,
                          struct piece_point *b_v);

#endif
