/* rims: where every body's rim and skins may be in the tick that begins, in columns and in the order of the grid's cells, so
 * that looking for who may meet whom reads memory from front to back. A filter only: it passes supersets and never writes a
 * body.
 *
 * Made anew whenever all bodies are predicted at once; belongs to the world, one thread. */
#ifndef COLLIDED_PHYSICS_RIMS_H
#define COLLIDED_PHYSICS_RIMS_H

#include "physics/grid.h"

/* Whether this is built for machines that may have AVX2. */
#if defined(__x86_64__) && defined(__GNUC__)
#define RIMS_WIDE
#endif
/* Slots that rims_meet_wide reads at once: the columns are so much longer than there are bodies. */
#define RIMS_LANES 4u

enum {
	RIM_CLEAR = 1, /* pairs of two such are none of the sweep's (settle_clear) */
	RIM_STAYS = 2, /* the centre stays in its cell, margin included; may be missing though it does */
	RIM_STRAY = 4  /* see grid.h */
};

struct rims {
	/* By slot. Of the box x0 .. x1, y0 .. y1 the upper ends with their signs changed: boxes a and b are apart if one of
	 * a.x0 + b.x1, a.y0 + b.y1, b.x0 + a.x1, b.y0 + a.y1 is > 0. */
	double *x0, *y0, *x1, *y1;
	uint32_t *bodies;
	uint8_t *flags;   /* bits RIM_... */
	uint32_t *starts; /* by cell: its slots are starts[c] .. starts[c + 1], ascending by body */
	uint32_t *found;  /* scratch of who looks: room for all slots */
	size_t capacity, start_capacity;
};

/* Of all bodies, in the cells that they are in. False without memory. */
bool rims_fill(struct rims *rims, const struct world *world);
void rims_finish(struct rims *rims);
size_t rims_memory_bytes(const struct rims *rims);

/* Writes to `found` which slots of first .. end have boxes that meet that of `slot`, and returns how many do. There must be
 * room for all of them. */
typedef size_t rims_search(const struct rims *rims, uint32_t slot, uint32_t first, uint32_t end, uint32_t *found);
rims_search rims_meet;
/* The same with AVX2. */
rims_search rims_meet_wide;
/* The fastest that this machine has. */
rims_search *rims_meet_best(void);

#endif
