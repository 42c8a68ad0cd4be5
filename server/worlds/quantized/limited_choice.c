#include "worlds/quantized/limited_choice.h"

#include "base/memory.h"
#include "base/pause.h"
#include "worlds/commands/room.h"

/* Each so many-th row is of what has been stale for longest. */
#define OLDEST_EVERY 4

void
limited_choice_finish(struct limited_choice *choice)
{
	memory_free(choice->rows.items);
	memory_free(choice->entries.items);
	memory_free(choice->motions);
	memory_free(choice->order);
	memory_free(choice->heaps);
	*choice = (struct limited_choice){ .order = NULL };
}

void
limited_row_add(struct limited_rows *rows, const struct limited_row *row)
{
	rows->items[rows->count++] = *row;
}

/* Indices of rows, of which the first goes before all others. */
struct row_heap {
	const struct limited_row *rows;
	uint32_t *items;
	size_t count;
	bool by_age;
};

static bool
goes_before(const struct row_heap *heap, uint32_t left, uint32_t right)
{
	const struct limited_row *l = &heap->rows[left], *r = &heap->rows[right];

	if (heap->by_age && l->stale != r->stale)
		return l->stale > r->stale;
	return l->weight > r->weight || (l->weight == r->weight && l->place < r->place);
}

static void
heap_sink(struct row_heap *heap, size_t at)
{
	uint32_t item = heap->items[at];

	for (size_t next = 2 * at + 1; next < heap->count; next = 2 * at + 1) {
		if (next + 1 < heap->count && goes_before(heap, heap->items[next + 1], heap->items[next]))
			next++;
		if (!goes_before(heap, heap->items[next], item))
			break;
		heap->items[at] = heap->items[next];
		at = next;
	}
	heap->items[at] = item;
}

static void
heap_begin(struct row_heap *heap)
{
	for (size_t i = 0; i < heap->count; i++)
		heap->items[i] = (uint32_t)i;
	for (size_t i = heap->count / 2; i-- > 0 && !pause_after(2);)
		heap_sink(heap, i);
}

static uint32_t
heap_take(struct row_heap *heap)
{
	uint32_t first = heap->items[0];

	heap->items[0] = heap->items[--heap->count];
	if (heap->count > 0)
		heap_sink(heap, 0);
	return first;
}

/* What the other heap has taken already has no bits any more. */
static uint32_t
heap_take_left(struct row_heap *heap, const uint8_t *taken)
{
	uint32_t first;

	do
		first = heap_take(heap);
	while (taken[first] != 0);
	return first;
}

bool
limited_choice_make(struct limited_choice *choice, const struct limited_rows *rows, uint64_t turn, double bits, size_t *count)
{
	size_t all = rows->count, marks = (all + sizeof(uint32_t) - 1) / sizeof(uint32_t);

	if (!room_reserve(&choice->order, &choice->order_capacity, all, sizeof *choice->order) ||
	    !room_reserve(&choice->heaps, &choice->heap_capacity, 2 * all + marks, sizeof *choice->heaps))
		return false;

	struct row_heap weights = { rows->items, choice->heaps, all, false };
	struct row_heap ages = { rows->items, choice->heaps + all, all, true };
	uint8_t *taken = (uint8_t *)(choice->heaps + 2 * all);

	for (size_t i = 0; i < all; i++)
		taken[i] = 0;
	heap_begin(&weights);
	heap_begin(&ages);
	for (*count = 0; *count < all && (*count == 0 || bits > 0.0) && !pause_after(2); ++*count) {
		struct row_heap *heap = (turn + *count) % OLDEST_EVERY == OLDEST_EVERY - 1 ? &ages : &weights;
		uint32_t next = heap_take_left(heap, taken);

		taken[next] = 1;
		choice->order[*count] = rows->items[next].place;
		bits -= rows->items[next].bits;
	}
	return true;
}
