/* broad_phase: the broad phase. Cuts all pieces of a tick into stretches no longer than a cell. Finds those with boxes that
 * meet while both are under way, and the walls near each.
 *
 * One thread. Owns its arrays and keeps them from tick to tick. Misses nothing: a stretch's box holds the whole circle for
 * all of its time.
 *
 * The cells of circles are cells of the plane and of time, hashed, so that a body far away costs nothing. Their size grows with
 * the mean length of the pieces, which bounds the number of stretches by four times that of the pieces however long some of
 * them are. The cells of walls are a plain grid over the walls' box, made once. */
#ifndef COLLIDED_CERTIFICATE_BROAD_PHASE_H
#define COLLIDED_CERTIFICATE_BROAD_PHASE_H

#include "certificate/path.h"
#include "certificate/shapes.h"

struct cert_box {
	struct cert_vec low, high;
};

/* Part of a piece. */
struct cert_stretch {
	struct cert_box box; /* of the circle, swept */
	double t0, t1;
	uint32_t piece; /* index; for boxes that are no stretch of a path whatever the caller likes */
	uint32_t body;  /* index */
};

struct cert_cell_entry {
	uint64_t key; /* a hash of the cell */
	uint32_t stretch;
};

struct cert_sweep {
	struct cert_stretch *stretches;
	size_t stretch_count, stretch_capacity;
	double cell, per_cell;           /* size, and 1 over it */
	double per_slab;                 /* parts of the tick per second */
	struct cert_cell_entry *entries; /* grouped by bucket */
	size_t entry_count, entry_capacity;
	size_t *buckets; /* first entry of each; bucket_count + 1, a power of two + 1 */
	size_t bucket_count, bucket_capacity;
	uint32_t *large; /* stretches over too many cells: compared with all */
	size_t large_count, large_capacity;
	struct cert_wall_grid {
		struct cert_vec low;
		double cell;
		int64_t columns, rows;
		size_t *first;   /* of each cell; columns * rows + 1 */
		uint32_t *walls; /* indices, grouped by cell */
		uint32_t *wide;  /* walls with a radius of many cells: not in the cells, near everything */
		size_t wide_count;
		uint32_t *seen; /* of each wall: the last query that met it */
		uint32_t query;
	} walls;
};

typedef void (*cert_pair_fn)(void *context, const struct cert_stretch *left, const struct cert_stretch *right);
typedef void (*cert_wall_fn)(void *context, const struct cert_stretch *stretch, size_t wall);

/* Builds the walls' grid. False: no memory. */
bool cert_sweep_init(struct cert_sweep *sweep, const struct cert_shapes *shapes);
void cert_sweep_finish(struct cert_sweep *sweep);
/* Replaces the stretches by those of all pieces. False: no memory. */
bool cert_sweep_fill(struct cert_sweep *sweep, const struct cert_shapes *shapes, const struct cert_paths *paths, double dt);
/* Replaces the stretches by these boxes, one per body, under way all the time. False: no memory. */
bool cert_sweep_fill_boxes(struct cert_sweep *sweep, const struct cert_shapes *shapes, const struct cert_box *boxes);
/* Calls back once for each two stretches of different bodies with boxes that meet while both are under way. */
void cert_sweep_pairs(const struct cert_sweep *sweep, cert_pair_fn on_pair, void *context);
/* Calls back for each wall with a cell that the stretch's box meets, once per stretch. */
void cert_sweep_walls(struct cert_sweep *sweep, const struct cert_shapes *shapes, const struct cert_stretch *stretch,
                      cert_wall_fn on_wall, void *context);

#endif
