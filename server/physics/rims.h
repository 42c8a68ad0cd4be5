/* rims: where every body's rim and skins may be in the tick that begins, in columns and in the order of the grid's cells, so
 * that looking for who may meet whom reads memory from front to back. A filter only: it passes supersets and never writes a
 * body.
 *
 * Made anew whenever all bodies are predicted at once; belongs to the world (each strip has some for its rows), one thread. */
#ifndef COLLIDED_PHYSICS_RIMS_H
#define COLLIDED_PHYSICS_RIMS_H

#include "physics/grid.h"

/* Whether this is built for machines that may have AVX2. */
#if defined(__x86_64__) && defined(__GNUC__)
#define RIMS_WIDE
#endif
/* rims_row takes no further slot once it has found as many pairs. */
#define RIMS_PAIRS_ENOUGH 32u

enum {
	RIM_CLEAR = 1, /* pairs of two such are none of the sweep's (settle_clear) */
	RIM_STAYS = 2, /* the centre stays in its cell, margin included; may be missing though it does */
	RIM_STRAY = 4, /* see grid.h */
	RIM_WALLS = 8  /* some wall is listed in its cell */
};

/* A body, and the cell that it is in. */
struct rim_owner {
	uint32_t body, cell;
};

/* Two slots whose boxes meet. */
struct rim_pair {
	uint32_t slot, other;
};

struct rims {
	/* By slot. Left and lower side of the box, then the right and the upper one with their signs changed: boxes a and b are
	 * apart if one of the sums a[0] + b[2], a[1] + b[3], a[2] + b[0], a[3] + b[1] is > 0. Four doubles, aligned as they are. */
	double *boxes;
	struct rim_owner *owners;
	uint8_t *flags;         /* bits RIM_... */
	uint32_t *starts;       /* by cell: its slots are starts[c] .. starts[c + 1] */
	struct rim_pair *found; /* scratch of who looks */
	size_t capacity, start_capacity;
};

/* Gives all bodies slots, in the cells that they are in. False without memory. */
bool rims_deal_all(struct rims *rims, const struct world *world);
/* The same in steps. Room for all, false without memory; slots, from 0 on, for the bodies in the cells first .. end; and what
 * is in the slots of some rows of a level's cells. */
bool rims_reserve(struct rims *rims, const struct world *world);
void rims_deal_cells(struct rims *rims, const struct world *world, uint32_t first, uint32_t end);
void rims_fill_rows(struct rims *rims, const struct world *world, uint32_t level, uint32_t first, uint32_t end);
void rims_finish(struct rims *rims);
size_t rims_memory_bytes(const struct rims *rims);

/* Writes to `found` which slots of first .. end have boxes that meet that of `slot`, and returns how many do. There must be
 * room for all of them. */
typedef size_t rims_search(const struct rims *rims, uint32_t slot, uint32_t first, uint32_t end, struct rim_pair *found);
/* The same for the slots of a row of the level's cells, from *slot on: each against those behind it in its cell and the next
 * one, and those of the three cells below. *slot becomes where to go on, the row's end when all is done. There must be room for
 * all slots and RIMS_PAIRS_ENOUGH. */
typedef size_t rims_row_search(const struct rims *rims, const struct grid_level *level, uint32_t row, uint32_t *slot,
                               struct rim_pair *found);

/* A way of doing both. */
struct rims_way {
	rims_search *search;
	rims_row_search *row;
};

extern const struct rims_way rims_plain;
/* With AVX2. */
extern const struct rims_way rims_wide;
/* The fastest that this machine has. */
const struct rims_way *rims_best(void);

#endif
