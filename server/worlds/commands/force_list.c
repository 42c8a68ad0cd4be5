#include "worlds/commands/force_list.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/pause.h"
#include "physics/velocities.h"
#include "worlds/commands/ids.h"
#include "worlds/commands/room.h"

#include <stdlib.h>
#include <string.h>

void
force_list_finish(struct force_list *list)
{
	memory_free(list->forces);
	memory_free(list->ids);
	memory_free(list->impulses);
	*list = (struct force_list){ .count = 0 };
}

size_t
force_list_count(const struct force_list *list, uint32_t id)
{
	size_t from = 0, to = list->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (list->forces[middle].id < id)
			from = middle + 1;
		else
			to = middle;
	}
	for (to = from; to < list->count && list->forces[to].id == id;)
		to++;
	return to - from;
}

bool
force_list_reserve(struct force_list *list, size_t count)
{
	size_t total = list->count + count;

	return room_reserve(&list->forces, &list->capacity, total, sizeof *list->forces) &&
	       room_reserve(&list->ids, &list->id_capacity, total, sizeof *list->ids) &&
	       room_reserve(&list->impulses, &list->impulse_capacity, 2 * total, sizeof *list->impulses);
}

static int
force_compare(const void *left, const void *right)
{
	const struct force *a = left, *b = right;

	pause_give_way(1); /* a batch has up to 65,536 rows, in any order */
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

void
force_list_add(struct force_list *list, struct force *forces, size_t count)
{
	size_t left = list->count, to = list->count + count;

	if (count == 0)
		return;
	CHECK(to <= list->capacity);
	qsort(forces, count, sizeof *forces, force_compare);
	list->count = to;
	while (count > 0) {
		bool old = left > 0 && list->forces[left - 1].id > forces[count - 1].id;

		list->forces[--to] = old ? list->forces[--left] : forces[--count];
	}
}

/* Leaves out those that have no ticks left. */
static void
forces_close(struct force_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->forces[i].ticks > 0)
			list->forces[kept++] = list->forces[i];
	list->count = kept;
}

void
force_list_remove(struct force_list *list, uint32_t *ids, size_t count)
{
	if (count == 0 || list->count == 0)
		return;
	ids_sort(ids, count);
	for (size_t i = 0; i < list->count; i++)
		if (ids_have(ids, count, list->forces[i].id))
			list->forces[i].ticks = 0;
	forces_close(list);
}

/* One after the other. Those that the engine refuses are dropped. */
static enum status
forces_act_alone(struct force_list *list, struct world *world)
{
	struct def_problem problem;

	for (size_t i = 0; i < list->count; i++) {
		double *x = &list->impulses[i], *y = x + list->count;
		enum status status = world_impulses_add(world, &list->ids[i], x, y, 1, &problem);

		if (status == STATUS_INVALID_ARGUMENT)
			list->forces[i].ticks = 1; /* it goes now */
		else if (status != STATUS_OK)
			return status;
	}
	return STATUS_OK;
}

enum status
force_list_act(struct force_list *list, struct world *world, double dt)
{
	struct def_problem problem;

	if (list->count == 0)
		return STATUS_OK;
	for (size_t i = 0; i < list->count; i++) {
		list->ids[i] = list->forces[i].id;
		list->impulses[i] = dt * list->forces[i].x;
		list->impulses[list->count + i] = dt * list->forces[i].y;
	}
	enum status status = world_impulses_add(world, list->ids, list->impulses, list->impulses + list->count, list->count,
	                                        &problem);

	if (status == STATUS_INVALID_ARGUMENT)
		status = forces_act_alone(list, world);
	if (status != STATUS_OK)
		return status;
	for (size_t i = 0; i < list->count; i++)
		list->forces[i].ticks--;
	forces_close(list);
	return STATUS_OK;
}

bool
force_list_copy(struct force_list *to, const struct force_list *from)
{
	size_t missing = from->count > to->count ? from->count - to->count : 0;

	if (!force_list_reserve(to, missing))
		return false;
	if (from->count > 0)
		memcpy(to->forces, from->forces, from->count * sizeof *from->forces);
	to->count = from->count;
	return true;
}
