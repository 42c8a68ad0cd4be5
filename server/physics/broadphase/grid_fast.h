/* grid_fast: a level of one cell for bodies that are too fast for the cells of the others. Plain cells are as many as the
 * bodies, and so are the changes of cells on a path at most. Hashed cells may be as small in a world of any width: a fast body
 * would cross millions of them in a tick. And in cells of either kind a body may pass through several between one time of the
 * tick and the next double. What it meets there would be missed, or not, as the cells happen to lie.
 *
 * Such a body goes to the fast level, which is the last and has one cell without borders. There it looks at all bodies near its
 * path at once, and all others look at it. The proof of levels (tables/grid.h) holds for any assignment of bodies to levels, as
 * the body looks at all around it when it goes there. So no bit depends on it.
 *
 * The fast level is laid out with all others, but no body looks at it as long as it is empty: grid.level_count does not count
 * it then. */
#ifndef COLLIDED_BROADPHASE_GRID_FAST_H
#define COLLIDED_BROADPHASE_GRID_FAST_H

#include "physics/tables/grid.h"

struct world;

/* Appends the fast level to the others. */
void fast_lay(struct grid *grid, const struct grid_box *box);
/* Fraction of a time: at least one ulp of it. Bodies that leave one cell stay in the next for so long (leave_push). */
#define LEAVE_LEAST 0x1p-52
/* Whether a body is to go there rather than to change its cell at a time of the tick. Its present path would cross many hashed
 * cells in a whole tick, or any cell within what that time is rounded by. */
bool fast_suits(const struct world *world, uint32_t body, double time);
/* Moves it there. It must then look at everything around it, with its whole path. */
void fast_enter(struct world *world, uint32_t body);
/* When a tick begins: moves those that are slow now to the cells of their places. */
void fast_leave_all(struct world *world);
/* How many cells of this edge length a body of the level crosses in a tick, on average. Each body counts up to the number from
 * which on it goes to the fast level. */
double crossings_mean(const struct grid *grid, const struct world *world, uint32_t level, double cell);
/* The same of all levels as they are, from a sample; 0 without hashed levels. */
double crossings_now(const struct grid *grid, const struct world *world);

#endif
