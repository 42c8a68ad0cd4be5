#include "worlds/commands/waiting.h"

#include "base/check.h"
#include "base/memory.h"
#include "worlds/commands/room.h"

#include <stdlib.h>
#include <string.h>

void
waiting_finish(struct waiting *waiting)
{
	for (size_t i = 0; i < waiting->count; i++)
		batch_destroy(waiting->heap[i]);
	memory_free(waiting->heap);
	*waiting = (struct waiting){ .count = 0 };
}

bool
waiting_add(struct waiting *waiting, struct batch *batch)
{
	size_t at = waiting->count;

	if (!room_reserve(&waiting->heap, &waiting->capacity, at + 1, sizeof(struct batch *)))
		return false;
	batch->arrival = waiting->arrivals++;
	waiting->count++;
	for (; at > 0 && batch_is_before(batch, waiting->heap[(at - 1) / 2]); at = (at - 1) / 2)
		waiting->heap[at] = waiting->heap[(at - 1) / 2];
	waiting->heap[at] = batch;
	return true;
}

struct batch *
waiting_first(const struct waiting *waiting)
{
	return waiting->count == 0 ? NULL : waiting->heap[0];
}

struct batch *
waiting_take(struct waiting *waiting)
{
	CHECK(waiting->count > 0);

	struct batch *first = waiting->heap[0], *last = waiting->heap[--waiting->count];
	size_t at = 0;

	for (size_t child = 1; child < waiting->count; child = 2 * at + 1) {
		if (child + 1 < waiting->count && batch_is_before(waiting->heap[child + 1], waiting->heap[child]))
			child++;
		if (!batch_is_before(waiting->heap[child], last))
			break;
		waiting->heap[at] = waiting->heap[child];
		at = child;
	}
	waiting->heap[at] = last;
	return first;
}

static int
arrival_compare(const void *left, const void *right)
{
	const struct batch *const *a = left, *const *b = right;

	return (*a)->arrival < (*b)->arrival ? -1 : (*a)->arrival > (*b)->arrival;
}

void
waiting_list(const struct waiting *waiting, const struct batch **out)
{
	for (size_t i = 0; i < waiting->count; i++)
		out[i] = waiting->heap[i];
	qsort(out, waiting->count, sizeof *out, arrival_compare);
}
