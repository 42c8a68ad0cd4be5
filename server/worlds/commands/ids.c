#include "worlds/commands/ids.h"

#include "base/pause.h"

#include <stdlib.h>

static int
id_compare(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	pause_give_way(1); /* a batch has up to 65,536 rows, in any order */
	return *a < *b ? -1 : *a > *b;
}

void
ids_sort(uint32_t *ids, size_t count)
{
	if (count > 1)
		qsort(ids, count, sizeof *ids, id_compare);
}

bool
ids_have(const uint32_t *ids, size_t count, uint32_t id)
{
	size_t from = 0, to = count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (ids[middle] < id)
			from = middle + 1;
		else
			to = middle;
	}
	return from < count && ids[from] == id;
}
