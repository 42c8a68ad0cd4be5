/* scenes: larger scenes from a seed, shared by tests and the benchmark.
 *
 * One thread; the scenario is the caller's. A seed is a scene on every machine, up to the
 * libm's cos and sin. */
#ifndef COLLIDED_TESTS_PHYSICS_SCENES_H
#define COLLIDED_TESTS_PHYSICS_SCENES_H

#include "physics/scenario.h"
#include "support/random.h"

/* `count` circles of radius 0.5, area fraction 0.3, equal speeds in random directions, on a jittered grid in a closed square
 * with its lower left corner at the origin. Returns the side of the square. */
double scene_gas(struct scenario *scenario, size_t count, double speed, uint64_t seed);

/* The same number, box, area fraction and equal speeds, with radii that differ by up to `ratio`, evenly in their logarithm.
 * Placed at random, the largest first; ids go along the rows of the box, as in scene_gas. */
void scene_gas_mixed(struct scenario *scenario, size_t count, double ratio, double speed, uint64_t seed);

/* The same with two radii: `large` circles have one that is `ratio` times that of the others. */
void scene_gas_sizes(struct scenario *scenario, size_t count, double ratio, size_t large, double speed, uint64_t seed);

/* 1,000 circles of radius 0.05 in a 20 x 20 arena with 40 segments inside, equal speeds. */
void scene_bullets(struct scenario *scenario, double speed, uint64_t seed);

/* `count` circles of radii 0.2 to 1 and masses 0.5 to 4 with speeds up to `speed`, in a hexagon of circumradius 10 around the
 * origin with one wall inside. Every kind of contact, nothing axis-aligned. At most 30. */
void scene_mixed(struct scenario *scenario, size_t count, double speed, uint64_t seed);

/* Whether a circle at (x, y) is clear of everything in the scenario by `gap`. */
bool scene_clear(const struct scenario *scenario, double x, double y, double radius, double gap);

/* Rows of discs of restitution 0 that do not touch, each moved a little, over a floor between two walls under gravity 10. Radii
 * from 0.5 * smallest to 0.5, masses as their areas. Adds to an initialized scenario. */
void scene_pile(struct scenario *scenario, size_t count, double width, double friction, double smallest, uint64_t seed);

/* Discs of radius 0.5 that do not touch, side by side on shelves 1.5 above each other and 240 wide, restitution 0, friction
 * 0.5. Left of them are as many as `bouncing` that for ever bounce up and down on places of their own, restitution 1. Under
 * gravity
 * 10. Adds to an initialized scenario. */
void scene_shelves(struct scenario *scenario, size_t count, size_t bouncing);

/* Rows of `wide` and wide - 1 discs of radius 0.5 between walls, each row in the hollows of the one below, `gap` from each
 * other. They rest under gravity 10, restitution 0. Initializes the scenario. */
void scene_hexagonal(struct scenario *scenario, size_t layers, size_t wide, double gap, double friction);

#endif
