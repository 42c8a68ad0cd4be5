/* grid: which bodies and walls may be near a point. A filter only: it passes supersets and never writes a body.
 *
 * Square cells over a box; what lies outside belongs to the border cells (bodies and walls by the same rule). A body is in the
 * cell of its centre and stays there while its centre is inside the cell widened by a margin, so two bodies that touch are at
 * most one cell apart. Walls are listed in every cell from which a circle could touch them. One thread; owns its memory. */
#ifndef COLLIDED_PHYSICS_GRID_H
#define COLLIDED_PHYSICS_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct world;

struct grid {
	double x0, y0;        /* corner */
	double cell, inverse; /* edge length, and 1 / it */
	double margin;        /* how far a centre may be outside its cell */
	double reach;         /* largest distance from a centre to a wall that it touches */
	uint32_t columns, rows;
	uint32_t *heads;                          /* first body of each cell, or NONE */
	uint32_t *next, *previous, *cell_of;      /* per body */
	uint32_t *segment_starts, *segment_items; /* per cell: items[starts[c] .. starts[c+1]), ascending */
	uint32_t *vertex_starts, *vertex_items;
	size_t memory_bytes;
	bool stale; /* bodies have moved and nobody followed: see grid_follow */
};

/* Lays the grid over the world's bodies and walls as they are now and fills it. False without memory. */
bool grid_build(struct grid *grid, const struct world *world);
/* Whether the grid still suits where the bodies are. It stays right when it does not, only slow. */
bool grid_fits(const struct grid *grid, const struct world *world);
void grid_finish(struct grid *grid);

uint32_t grid_cell(const struct grid *grid, double x, double y);
void grid_move(struct grid *grid, uint32_t body, uint32_t cell);
/* If the grid is stale, moves every body to the cell that it is in at `time`. Nothing may be predicted yet. */
void grid_follow(struct grid *grid, const struct world *world, double time);

/* The time within `duration` at which a centre on the path x + v t + a t^2/2 leaves its cell in one of the directions, or
 * INFINITY. */
double grid_leave(const struct grid *grid, uint32_t cell, const double position[2], const double velocity[2],
                  const double acceleration[2], double duration);

#endif
