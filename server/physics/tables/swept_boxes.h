/* swept_boxes: for each body, a box that holds it and its skins during the tick that begins. The boxes are stored in columns,
 * in the order of the grid's cells, so that the search for pairs reads memory from front to back. A filter only: it returns
 * supersets and never writes a body.
 *
 * Rebuilt whenever all bodies are predicted at once. Belongs to the world (each domain has its own for its rows), one
 * thread. */
#ifndef COLLIDED_TABLES_SWEPT_BOXES_H
#define COLLIDED_TABLES_SWEPT_BOXES_H

#include "physics/tables/grid.h"

/* Whether this build is for a CPU that may have AVX2. */
#if defined(__x86_64__) && defined(__GNUC__)
#define SWEPT_BOXES_AVX2
#endif
/* swept_boxes_row_search starts no further slot once it has found this many pairs. */
#define SWEPT_BOXES_PAIRS_ENOUGH 32u

enum {
	SWEPT_BOX_CLEAR = 1,   /* a pair of two such bodies needs no test (handover_clear) */
	SWEPT_BOX_STAYS = 2,   /* the centre surely stays in its cell, margin included; may be unset though it does */
	SWEPT_BOX_OUTLIER = 4, /* an outlier, see grid.h */
	SWEPT_BOX_WALLS = 8    /* some wall is listed in its cell */
};

/* A body and its cell. */
struct swept_box_owner {
	uint32_t body, cell;
};

/* Two slots with overlapping boxes. */
struct swept_box_pair {
	uint32_t slot, other;
};

struct swept_boxes {
	/* By slot: the left and lower side of the box, then the right and upper side with their signs changed. Boxes a and b are
	 * disjoint if one of the sums a[0] + b[2], a[1] + b[3], a[2] + b[0], a[3] + b[1] is > 0. Four aligned doubles. */
	double *boxes;
	struct swept_box_owner *owners;
	uint8_t *flags;               /* bits SWEPT_BOX_... */
	uint32_t *starts;             /* by cell: the slots of cell c are starts[c] .. starts[c + 1] */
	struct swept_box_pair *found; /* scratch of the search */
	size_t capacity, start_capacity;
};

/* Makes room for so many cells and bodies; false without memory. */
bool swept_boxes_reserve(struct swept_boxes *swept_boxes, uint32_t cells, uint32_t bodies);
void swept_boxes_finish(struct swept_boxes *swept_boxes);
size_t swept_boxes_memory_bytes(const struct swept_boxes *swept_boxes);

/* Writes to `found` those slots of first .. end that have boxes overlapping that of `slot`. Returns their number. There must be
 * room for all of them. */
typedef size_t swept_boxes_search(const struct swept_boxes *swept_boxes, uint32_t slot, uint32_t first, uint32_t end,
                                  struct swept_box_pair *found);
/* The same for the slots of a row of the level's cells, from *slot on. Each is tested against those after it in its cell and in
 * the next one, and against those of the three cells below. *slot is set to where to go on; at the end of the row all is done.
 * There must be room for all slots and SWEPT_BOXES_PAIRS_ENOUGH more. */
typedef size_t swept_boxes_row_search(const struct swept_boxes *swept_boxes, const struct grid_level *level, uint32_t row,
                                      uint32_t *slot, struct swept_box_pair *found);

/* One implementation of both searches. */
struct swept_boxes_kernels {
	swept_boxes_search *search;
	swept_boxes_row_search *row;
};

extern const struct swept_boxes_kernels swept_boxes_generic;
/* The AVX2 implementation. */
extern const struct swept_boxes_kernels swept_boxes_avx2;
/* The fastest implementation that this CPU supports. */
const struct swept_boxes_kernels *swept_boxes_best(void);

#endif
