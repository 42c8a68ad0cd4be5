#include "certificate/broad_phase.h"
#include "certificate/memory.h"

#include <stdlib.h>

/* A stretch over more cells than this is compared with all others: it is much larger than nine of ten circles. */
#define CELLS_PER_STRETCH_MAX 1024
/* Cells are this much wider than the usual circle: with fewer, each circle lies in more of them; with more, more share one. */
#define CELL_DIAMETERS 1.5
/* Pieces longer than their share of a cell are cut into this many stretches on average. Of 2 and 4, 2 took half the time on
 * 1,000 bullets of 30 pieces each, and the same on a gas. */
#define STRETCHES_PER_PIECE 2
/* One slab of time for so many pieces of a body: in each of them a body that stands still makes entries of its own. */
#define PIECES_PER_SLAB 4

/* A cell is a square of the plane for a part of the tick. */
struct cell_range {
	int64_t x0, x1, y0, y1, t0, t1;
};

/* Floor of the coordinate in cells, clamped to what a double counts exactly; monotone, so that no neighbour is lost. Floor by
 * hand: the library's is a call where there is no instruction for it. */
static int64_t
cell_of(double coordinate, double per_cell)
{
	double cells = cert_max(-0x1p50, cert_min(coordinate * per_cell, 0x1p50));
	int64_t toward_zero = (int64_t)cells;

	return toward_zero - (cells < (double)toward_zero);
}

static struct cell_range
cells_of(const struct cert_sweep *sweep, const struct cert_stretch *stretch)
{
	const struct cert_box *box = &stretch->box;

	return (struct cell_range){ cell_of(box->low.x, sweep->per_cell),  cell_of(box->high.x, sweep->per_cell),
		                        cell_of(box->low.y, sweep->per_cell),  cell_of(box->high.y, sweep->per_cell),
		                        cell_of(stretch->t0, sweep->per_slab), cell_of(stretch->t1, sweep->per_slab) };
}

static size_t
cells_count(const struct cell_range *range)
{
	return (size_t)((range->x1 - range->x0 + 1) * (range->y1 - range->y0 + 1) * (range->t1 - range->t0 + 1));
}

static bool
cells_are_many(const struct cell_range *range)
{
	int64_t columns = range->x1 - range->x0 + 1, rows = range->y1 - range->y0 + 1;

	return columns > CELLS_PER_STRETCH_MAX || rows > CELLS_PER_STRETCH_MAX || columns * rows > CELLS_PER_STRETCH_MAX;
}

/* Mixed between the coordinates: a plain xor of two products is the same for (x, y) and (-x, -y). */
static uint64_t
cell_key(int64_t x, int64_t y, int64_t t)
{
	uint64_t z = (uint64_t)x * UINT64_C(0x9e3779b97f4a7c15);

	z = ((z ^ (z >> 32)) + (uint64_t)y) * UINT64_C(0xd6e8feb86659fd93);
	z = ((z ^ (z >> 31)) + (uint64_t)t) * UINT64_C(0xc2b2ae3d27d4eb4f);
	return z ^ (z >> 29);
}

static bool
boxes_meet(const struct cert_box *a, const struct cert_box *b)
{
	return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y;
}

static double
piece_travel(const struct cert_piece *piece)
{
	double h = piece->t1 - piece->t0;

	return h * (cert_length(piece->v) + h * cert_length(piece->a));
}

static void
stretch_add(struct cert_sweep *sweep, const struct cert_shapes *shapes, const struct cert_paths *paths, size_t index, double t0,
            double t1)
{
	const struct cert_piece *piece = &paths->pieces[index];
	double h = t1 - t0, slop = paths->slop[piece->body];
	struct cert_vec p = cert_piece_motion(piece, t0).d, q = cert_piece_motion(piece, t1).d;
	/* Between its ends a parabola leaves their box by no more than its bow. */
	double margin = shapes->bodies[piece->body].radius + 0.125 * h * h * cert_reach(piece->a) + slop;

	sweep->stretches[sweep->stretch_count++] = (struct cert_stretch){
		.box = { { cert_min(p.x, q.x) - margin, cert_min(p.y, q.y) - margin },
		         { cert_max(p.x, q.x) + margin, cert_max(p.y, q.y) + margin } },
		.t0 = t0,
		.t1 = t1,
		.piece = (uint32_t)index,
		.body = piece->body
	};
}

static bool
large_add(struct cert_sweep *sweep, size_t stretch)
{
	if (!CERT_RESERVE(&sweep->large, &sweep->large_capacity, sweep->large_count + 1))
		return false;
	sweep->large[sweep->large_count++] = (uint32_t)stretch;
	return true;
}

/* One pass over all cells of all stretches: counts each bucket's entries two places ahead, or places them. */
static void
entries_pass(struct cert_sweep *sweep, bool place)
{
	size_t mask = sweep->bucket_count - 1;

	for (size_t i = 0; i < sweep->stretch_count; i++) {
		struct cell_range range = cells_of(sweep, &sweep->stretches[i]);

		if (cells_are_many(&range))
			continue;
		for (int64_t t = range.t0; t <= range.t1; t++) {
			for (int64_t y = range.y0; y <= range.y1; y++) {
				for (int64_t x = range.x0; x <= range.x1; x++) {
					uint64_t key = cell_key(x, y, t);

					if (place)
						sweep->entries[sweep->buckets[(key & mask) + 1]++] = (struct cert_cell_entry){ key, (uint32_t)i };
					else
						sweep->buckets[(key & mask) + 2]++;
				}
			}
		}
	}
}

/* Groups the entries by bucket with a counting sort: count, sum, place. */
static bool
sweep_index(struct cert_sweep *sweep)
{
	size_t entry_count = 0;

	sweep->per_cell = 1 / sweep->cell;
	sweep->large_count = 0;
	for (size_t i = 0; i < sweep->stretch_count; i++) {
		struct cell_range range = cells_of(sweep, &sweep->stretches[i]);

		if (!cells_are_many(&range))
			entry_count += cells_count(&range);
		else if (!large_add(sweep, i))
			return false;
	}
	sweep->bucket_count = 64;
	while (sweep->bucket_count < entry_count)
		sweep->bucket_count *= 2;
	if (!CERT_RESERVE(&sweep->entries, &sweep->entry_capacity, entry_count) ||
	    !CERT_RESERVE(&sweep->buckets, &sweep->bucket_capacity, sweep->bucket_count + 2))
		return false;
	sweep->entry_count = entry_count;
	for (size_t i = 0; i < sweep->bucket_count + 2; i++)
		sweep->buckets[i] = 0;
	entries_pass(sweep, false);
	for (size_t i = 2; i < sweep->bucket_count + 2; i++)
		sweep->buckets[i] += sweep->buckets[i - 1];
	entries_pass(sweep, true);
	return true;
}

bool
cert_sweep_fill(struct cert_sweep *sweep, const struct cert_shapes *shapes, const struct cert_paths *paths, double dt)
{
	double travel = 0, slabs = floor((double)paths->piece_count / (PIECES_PER_SLAB * (double)(shapes->body_count + 1)));

	for (size_t i = 0; i < paths->piece_count; i++)
		travel += piece_travel(&paths->pieces[i]);
	sweep->cell = cert_max(CELL_DIAMETERS * shapes->usual_diameter,
	                       travel / (STRETCHES_PER_PIECE * (double)(paths->piece_count + 1)));
	sweep->per_slab = slabs / dt;
	/* One stretch per piece and one more for each cell of travel: no more than this, by the choice of the cell. */
	if (!CERT_RESERVE(&sweep->stretches, &sweep->stretch_capacity, (STRETCHES_PER_PIECE + 2) * (paths->piece_count + 1)))
		return false;
	sweep->stretch_count = 0;
	for (size_t i = 0; i < paths->piece_count; i++) {
		const struct cert_piece *piece = &paths->pieces[i];
		double cuts = 1 + floor(piece_travel(piece) / sweep->cell), step = (piece->t1 - piece->t0) / cuts, t0 = piece->t0;

		for (double k = 1; k <= cuts; k++) {
			double t1 = k < cuts ? piece->t0 + k * step : piece->t1;

			stretch_add(sweep, shapes, paths, i, t0, t1);
			t0 = t1;
		}
	}
	return sweep_index(sweep);
}

bool
cert_sweep_fill_boxes(struct cert_sweep *sweep, const struct cert_shapes *shapes, const struct cert_box *boxes)
{
	if (!CERT_RESERVE(&sweep->stretches, &sweep->stretch_capacity, shapes->body_count))
		return false;
	sweep->cell = CELL_DIAMETERS * shapes->usual_diameter;
	sweep->per_slab = 0;
	sweep->stretch_count = shapes->body_count;
	for (size_t i = 0; i < shapes->body_count; i++) {
		sweep->stretches[i] = (struct cert_stretch){
			.box = boxes[i], .t0 = 0, .t1 = 1, .piece = (uint32_t)i, .body = (uint32_t)i
		};
	}
	return sweep_index(sweep);
}

/* Under way together, if only for an instant that both pieces have inside or at an end. */
static bool
stretches_meet(const struct cert_stretch *a, const struct cert_stretch *b)
{
	return a->body != b->body && a->t0 < b->t1 && b->t0 < a->t1 && boxes_meet(&a->box, &b->box);
}

/* Two stretches share many cells; the pair belongs to the lowest, leftmost and earliest of them. */
static bool
pair_belongs(const struct cert_sweep *sweep, const struct cert_stretch *a, const struct cert_stretch *b, uint64_t key)
{
	return cell_key(cell_of(cert_max(a->box.low.x, b->box.low.x), sweep->per_cell),
	                cell_of(cert_max(a->box.low.y, b->box.low.y), sweep->per_cell),
	                cell_of(cert_max(a->t0, b->t0), sweep->per_slab)) == key;
}

static void
large_pairs(const struct cert_sweep *sweep, cert_pair_fn on_pair, void *context)
{
	/* Ascending, so a large one meets each later large one in its own loop only. */
	for (size_t k = 0, next = 0; k < sweep->large_count; k++) {
		const struct cert_stretch *large = &sweep->stretches[sweep->large[k]];

		next = 0;
		for (size_t i = 0; i < sweep->stretch_count; i++)
			if (next < k && sweep->large[next] == i)
				next++;
			else if (stretches_meet(large, &sweep->stretches[i]))
				on_pair(context, large, &sweep->stretches[i]);
	}
}

void
cert_sweep_pairs(const struct cert_sweep *sweep, cert_pair_fn on_pair, void *context)
{
	for (size_t b = 0; b < sweep->bucket_count; b++) {
		for (size_t i = sweep->buckets[b]; i < sweep->buckets[b + 1]; i++) {
			const struct cert_cell_entry *left = &sweep->entries[i];
			const struct cert_stretch *one = &sweep->stretches[left->stretch];

			for (size_t k = i + 1; k < sweep->buckets[b + 1]; k++) {
				const struct cert_cell_entry *right = &sweep->entries[k];
				const struct cert_stretch *two = &sweep->stretches[right->stretch];

				if (left->key == right->key && stretches_meet(one, two) && pair_belongs(sweep, one, two, left->key))
					on_pair(context, one, two);
			}
		}
	}
	large_pairs(sweep, on_pair, context);
}

void
cert_sweep_finish(struct cert_sweep *sweep)
{
	free(sweep->stretches);
	free(sweep->entries);
	free(sweep->buckets);
	free(sweep->large);
	free(sweep->walls.first);
	free(sweep->walls.walls);
	free(sweep->walls.wide);
	free(sweep->walls.seen);
	*sweep = (struct cert_sweep){ 0 };
}
