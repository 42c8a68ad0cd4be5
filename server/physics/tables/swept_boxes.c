/* What can go wrong: memory. */
#include "base/memory.h"
#include "base/pages.h"
#include "physics/math/array.h"
#include "physics/math/larger.h"
#include "physics/tables/swept_boxes_search.h"

/* Bytes of a slot: box, owner, pair, flags. */
#define SLOT_BYTES (4 * sizeof(double) + sizeof(struct swept_box_owner) + sizeof(struct swept_box_pair) + 1)

bool
swept_boxes_reserve(struct swept_boxes *swept_boxes, uint32_t cells, uint32_t bodies)
{
	/* In whole cache lines, and with the room that swept_boxes_row_search needs. */
	size_t capacity = ((size_t)bodies + SWEPT_BOXES_PAIRS_ENOUGH + 63) / 64 * 64;

	if (!array_reserve(&swept_boxes->starts, &swept_boxes->start_capacity, (size_t)cells + 2, sizeof *swept_boxes->starts))
		return false;
	swept_boxes->starts[0] = 0;
	swept_boxes->starts[cells + 1] = bodies;
	if (capacity <= swept_boxes->capacity)
		return true;
	memory_free(swept_boxes->boxes);
	swept_boxes->capacity = 0;
	/* One block, the arrays with the largest alignment first. */
	swept_boxes->boxes = pages_alloc(capacity * SLOT_BYTES);
	if (!swept_boxes->boxes)
		return false;
	swept_boxes->owners = (struct swept_box_owner *)(void *)(swept_boxes->boxes + 4 * capacity);
	swept_boxes->found = (struct swept_box_pair *)(void *)(swept_boxes->owners + capacity);
	swept_boxes->flags = (uint8_t *)(swept_boxes->found + capacity);
	swept_boxes->capacity = capacity;
	return true;
}

void
swept_boxes_finish(struct swept_boxes *swept_boxes)
{
	memory_free(swept_boxes->boxes);
	memory_free(swept_boxes->starts);
	*swept_boxes = (struct swept_boxes){ 0 };
}

size_t
swept_boxes_memory_bytes(const struct swept_boxes *swept_boxes)
{
	return swept_boxes->capacity * SLOT_BYTES + swept_boxes->start_capacity * sizeof *swept_boxes->starts;
}

static inline size_t
range_search(const double *boxes, uint32_t slot, uint32_t first, uint32_t end, struct swept_box_pair *found, size_t count)
{
	const double *box = boxes + 4 * (size_t)slot;
	double left = box[0], low = box[1], right = box[2], high = box[3];

	for (uint32_t k = first; k < end; k++) {
		const double *other = boxes + 4 * (size_t)k;
		double x = larger(other[0] + right, other[2] + left), y = larger(other[1] + high, other[3] + low);

		found[count] = (struct swept_box_pair){ slot, k };
		count += larger(x, y) > 0.0 ? 0u : 1u;
	}
	return count;
}

static size_t
search_plain(const struct swept_boxes *swept_boxes, uint32_t slot, uint32_t first, uint32_t end, struct swept_box_pair *found)
{
	return range_search(swept_boxes->boxes, slot, first, end, found, 0);
}

static size_t
row_plain(const struct swept_boxes *swept_boxes, const struct grid_level *level, uint32_t row, uint32_t *slot,
          struct swept_box_pair *found)
{
	return swept_boxes_row_loop(swept_boxes, level, row, slot, found, range_search);
}

const struct swept_boxes_kernels swept_boxes_generic = { search_plain, row_plain };

const struct swept_boxes_kernels *
swept_boxes_best(void)
{
#ifdef SWEPT_BOXES_AVX2
	if (__builtin_cpu_supports("avx2"))
		return &swept_boxes_avx2;
#endif
	return &swept_boxes_generic;
}
