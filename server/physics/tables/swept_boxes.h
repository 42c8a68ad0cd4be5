/* rims: where every body's rim and skins may be in the tick that begins, in columns and in the order of the grid's cells, so
 * that looking for who may meet whom reads memory from front to back. A filter only: it passes supersets and never writes a
 * body.
 *
 * Made anew whenever all bodies are predicted at once; belongs to the world (each domain has some for its rows), one thread. */
#ifndef COLLIDED_TABLES_SWEPT_BOXES_H
#define COLLIDED_TABLES_SWEPT_BOXES_H

#include "physics/tables/grid.h"

/* Whether this is built for machines that may have AVX2. */
#if defined(__x86_64__) && defined(__GNUC__)
#define SWEPT_BOXES_AVX2
#endif
/* rims_row takes no further slot once it has found as many pairs. */
#define SWEPT_BOXES_PAIRS_ENOUGH 32u

enum {
	SWEPT_BOX_CLEAR = 1, /* pairs of two such are none of the sweep's (handover_clear) */
	SWEPT_BOX_STAYS = 2, /* the centre stays in its cell, margin included; may be missing though it does */
	SWEPT_BOX_STRAY = 4, /* see grid.h */
	SWEPT_BOX_WALLS = 8  /* some wall is listed in its cell */
};

/* A body, and the cell that it is in. */
struct swept_box_owner {
	uint32_t body, cell;
};

/* Two slots whose boxes meet. */
struct swept_box_pair {
	uint32_t slot, other;
};

struct swept_boxes {
	/* By slot. Left and lower side of the box, then the right and the upper one with their signs changed: boxes a and b are
	 * apart if one of the sums a[0] + b[2], a[1] + b[3], a[2] + b[0], a[3] + b[1] is > 0. Four doubles, aligned as they are. */
	double *boxes;
	struct swept_box_owner *owners;
	uint8_t *flags;               /* bits RIM_... */
	uint32_t *starts;             /* by cell: its slots are starts[c] .. starts[c + 1] */
	struct swept_box_pair *found; /* scratch of who looks */
	size_t capacity, start_capacity;
};

/* Room for so many cells and bodies; false without memory. */
bool swept_boxes_reserve(struct swept_boxes *swept_boxes, uint32_t cells, uint32_t bodies);
void swept_boxes_finish(struct swept_boxes *swept_boxes);
size_t swept_boxes_memory_bytes(const struct swept_boxes *swept_boxes);

/* Writes to `found` which slots of first .. end have boxes that meet that of `slot`, and returns how many do. There must be
 * room for all of them. */
typedef size_t swept_boxes_search(const struct swept_boxes *swept_boxes, uint32_t slot, uint32_t first, uint32_t end,
                                  struct swept_box_pair *found);
/* The same for the slots of a row of the level's cells, from *slot on: each against those behind it in its cell and the next
 * one, and those of the three cells below. *slot becomes where to go on, the row's end when all is done. There must be room for
 * all slots and RIMS_PAIRS_ENOUGH. */
typedef size_t swept_boxes_row_search(const struct swept_boxes *swept_boxes, const struct grid_level *level, uint32_t row,
                                      uint32_t *slot, struct swept_box_pair *found);

/* A way of doing both. */
struct swept_boxes_kernels {
	swept_boxes_search *search;
	swept_boxes_row_search *row;
};

extern const struct swept_boxes_kernels swept_boxes_generic;
/* With AVX2. */
extern const struct swept_boxes_kernels swept_boxes_avx2;
/* The fastest that this machine has. */
const struct swept_boxes_kernels *swept_boxes_best(void);

#endif
