/* kept: what the files of world_keep and world_return share. Internal; keep.h is the public interface.
 *
 * A kept state is a head of single values, and one block with everything that is by body, by pair or by wall:
 *
 *     bodies     the columns (bodies_write), then sleep timers and the set of awake bodies, if any may sleep.
 *     cells      of each body, for the cells as they were laid out (kept_head.levels).
 *     schedule   if it was made.
 *     walls      the displacements of moving ones, and the bits of disabled ones.
 *     watch      what touches, what is inside sensors, what is still to be told.
 *     solver     the list of near pairs with its impulses, and the dormant ones.
 *
 * What an edit of segments would change is not in it, nor is scratch. What a tick needs and none of these has must be added to
 * one of them, and to a snapshot if it can change a bit. */
#ifndef COLLIDED_STATE_KEPT_H
#define COLLIDED_STATE_KEPT_H

#include "physics/keep.h"
#include "physics/reports/watch.h"
#include "physics/rest_solver/solver.h"
#include "physics/world/world.h"

#include <stdatomic.h>

/* What a world, its twins and its kept states have in common: the same address says that they belong together. Freed by the
 * last, on whatever thread that is; so it is charged to no ledger. */
struct world_identity {
	atomic_size_t holders;
	atomic_uint twins; /* so far */
};

/* So many editions of bodies each of them may have, so that no two have the same number. */
#define KEPT_EDITION_BITS 40

void world_identity_drop(struct world_identity *identity);

struct kept_head {
	uint64_t tick, edition, wall_edits;
	uint32_t body_count, generation, asleep_count, moving_count;
	size_t off_words; /* 0: no wall was disabled */
	uint64_t awake_added;
	struct world_settings settings;
	struct tick_step step;
	struct energy_ledger energy;
	struct momentum_ledger momentum;
	size_t pushes; /* the number of events that the last tick predicted */
	double wall_room;
	bool overlap_possible, overlap_free, measured, sleeps, rules, tags;

	struct grid_level levels[GRID_LEVELS_MAX + 1];
	uint32_t levels_laid, cell_count;
	double rounding;
	bool stale;               /* the grid */
	struct schedule schedule; /* without its arrays */
	struct watch_kept watch;
	struct solver_kept solver;
};

/* Where the parts of a block begin, and its size. */
struct kept_places {
	size_t bodies, cells, schedule, walls, watch, solver, end;
};

struct kept_cell {
	uint32_t cell, level;
};

struct world_kept {
	struct world_identity *identity; /* NULL: it holds no state */
	struct kept_head head;
	struct kept_places places;
	uint8_t *block;
	size_t capacity;
};

/* keep.c. Columns of bodies that are copied as they are. */
struct kept_column {
	void *at;
	size_t bytes;
};

#define KEPT_COLUMNS_MAX 9
size_t kept_columns_list(const struct world *world, struct kept_column columns[KEPT_COLUMNS_MAX]);
/* Bytes of a column in a block. */
size_t kept_bytes(size_t bytes);

#endif
