#include "worlds/commands/owner_list.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/pause.h"
#include "worlds/commands/ids.h"
#include "worlds/commands/room.h"

#include <stdlib.h>
#include <string.h>

#define OWNERS_PER_UNIT 8

void
owner_list_finish(struct owner_list *list)
{
	memory_free(list->owners);
	*list = (struct owner_list){ .count = 0 };
}

uint32_t
owner_list_seat(const struct owner_list *list, uint32_t id)
{
	size_t from = 0, to = list->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (list->owners[middle].id < id)
			from = middle + 1;
		else
			to = middle;
	}
	return from < list->count && list->owners[from].id == id ? list->owners[from].seat : 0;
}

bool
owner_list_reserve(struct owner_list *list, size_t count)
{
	return room_reserve(&list->owners, &list->capacity, list->count + count, sizeof *list->owners);
}

static int
owner_compare(const void *left, const void *right)
{
	const struct owner *a = left, *b = right;

	pause_give_way(1); /* a batch has up to 65,536 rows, in any order */
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Leaves out those that are no one's. */
static void
owners_close(struct owner_list *list)
{
	size_t kept = 0;

	/* A seat that ends, or one circle that comes, costs a look at all. */
	pause_give_way((uint32_t)(list->count / OWNERS_PER_UNIT));
	for (size_t i = 0; i < list->count; i++)
		if (list->owners[i].seat != 0)
			list->owners[kept++] = list->owners[i];
	list->count = kept;
}

void
owner_list_set(struct owner_list *list, struct owner *owners, size_t count)
{
	const size_t end = list->count + count;
	size_t left = list->count, to = end;

	if (count == 0)
		return;
	CHECK(end <= list->capacity);
	qsort(owners, count, sizeof *owners, owner_compare);
	/* Merged from the end, so that nothing is overwritten that is still to be read. */
	while (count > 0) {
		if (left > 0 && list->owners[left - 1].id > owners[count - 1].id) {
			list->owners[--to] = list->owners[--left];
			continue;
		}
		left -= left > 0 && list->owners[left - 1].id == owners[count - 1].id; /* it is replaced */
		list->owners[--to] = owners[--count];
	}
	/* As many were replaced as there are places between those that stayed and those that moved. */
	for (size_t gap = left; gap < to; gap++)
		list->owners[gap].seat = 0;
	list->count = end;
	owners_close(list);
}

void
owner_list_remove(struct owner_list *list, uint32_t *ids, size_t count)
{
	if (count == 0 || list->count == 0)
		return;
	ids_sort(ids, count);
	for (size_t i = 0; i < list->count; i++)
		if (ids_have(ids, count, list->owners[i].id))
			list->owners[i].seat = 0;
	owners_close(list);
}

void
owner_list_free_seat(struct owner_list *list, uint32_t seat)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->owners[i].seat == seat)
			list->owners[i].seat = 0;
	owners_close(list);
}

bool
owner_list_copy(struct owner_list *to, const struct owner_list *from)
{
	if (!room_reserve(&to->owners, &to->capacity, from->count, sizeof *to->owners))
		return false;
	if (from->count > 0)
		memcpy(to->owners, from->owners, from->count * sizeof *from->owners);
	to->count = from->count;
	return true;
}
