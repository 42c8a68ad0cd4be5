#include "worlds/paths/region_members.h"

#include "base/memory.h"
#include "base/pause.h"
#include "worlds/commands/room.h"
#include "worlds/paths/path_rows.h"

#include <string.h>

void
region_members_finish(struct region_members *members)
{
	memory_free(members->ids);
	memory_free(members->places);
	memory_free(members->entered);
	memory_free(members->leaves);
	*members = (struct region_members){ .count = 0 };
}

/* The first place of an id not below `id`. */
static size_t
id_place(const struct region_members *members, uint32_t id)
{
	size_t low = 0, high = members->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (members->ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool
region_members_have(const struct region_members *members, uint32_t id)
{
	size_t place = id_place(members, id);

	return place < members->count && members->ids[place] == id;
}

void
region_members_drop(struct region_members *members, uint32_t id)
{
	size_t place = id_place(members, id);

	if (place < members->count && members->ids[place] == id)
		memmove(&members->ids[place], &members->ids[place + 1], (--members->count - place) * sizeof *members->ids);
}

/* Where the region is, as the circle that it is about was in the list. */
static void
box_follow(struct region_members *members, const struct region *region, const struct reader_circle *circles, size_t count)
{
	size_t low = 0, high = count;

	if (region->kind == REGION_BOX) {
		memcpy(members->box, (const double[]){ region->x0, region->y0, region->x1, region->y1 }, sizeof members->box);
		return;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (circles[middle].id < region->circle)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == count || circles[low].id != region->circle)
		return;
	members->box[0] = circles[low].x - region->radius, members->box[1] = circles[low].y - region->radius;
	members->box[2] = circles[low].x + region->radius, members->box[3] = circles[low].y + region->radius;
}

/* Whether a circle with its centre in a box may touch the region, widened by `more`. */
static bool
box_touches(const struct region_members *members, double x0, double y0, double x1, double y1, double more)
{
	return x1 >= members->box[0] - more && x0 <= members->box[2] + more && y1 >= members->box[1] - more &&
	       y0 <= members->box[3] + more;
}

bool
region_members_start(struct region_members *members, const struct region *region, const struct path_tick *tick)
{
	members->count = members->entered_count = members->leave_count = 0;
	memcpy(members->box, (const double[])REGION_NOWHERE, sizeof members->box);
	if (!room_reserve(&members->ids, &members->capacity, tick->count, sizeof *members->ids))
		return false;
	box_follow(members, region, tick->circles, tick->count);
	for (size_t i = 0; i < tick->count && !pause_after(1); i++) {
		const struct reader_circle *circle = &tick->circles[i];

		if (box_touches(members, circle->x, circle->y, circle->x, circle->y, path_tick_kind(tick, circle)->radius))
			members->ids[members->count++] = circle->id;
	}
	return true;
}

/* The members of the tick's list, which ascends: those that were, and those that enter. */
static void
members_merge(struct region_members *members, const struct path_tick *tick)
{
	uint32_t place = 0;
	size_t member = 0;

	members->entered_count = members->leave_count = 0;
	for (size_t i = 0; i < tick->before_count && !pause_after(1); i++) {
		const struct reader_circle *circle = &tick->befores[i];
		const struct path_span *span = &tick->spans[i];
		double radius = path_tick_kind(tick, circle)->radius;
		bool was, touches = box_touches(members, span->x0, span->y0, span->x1, span->y1, radius);

		while (member < members->count && members->ids[member] < circle->id)
			member++;
		was = member < members->count && members->ids[member] == circle->id;
		members->places[i] = was || touches ? place++ : PATH_NO_PLACE;
		if (!was && touches)
			members->entered[members->entered_count++] = (uint32_t)i;
		if ((was || touches) && !span->ended && !box_touches(members, span->x, span->y, span->x, span->y, 2.0 * radius))
			members->leaves[members->leave_count++] = (uint32_t)i;
	}
}

bool
region_members_follow(struct region_members *members, const struct region *region, const struct path_tick *tick)
{
	size_t count = tick->before_count, kept = 0;

	if (!room_reserve(&members->places, &members->place_capacity, count, sizeof *members->places) ||
	    !room_reserve(&members->entered, &members->entered_capacity, count, sizeof *members->entered) ||
	    !room_reserve(&members->leaves, &members->leave_capacity, count, sizeof *members->leaves) ||
	    !room_reserve(&members->ids, &members->capacity, count, sizeof *members->ids))
		return false;
	box_follow(members, region, tick->befores, count);
	members_merge(members, tick);
	for (size_t i = 0; i < count && !pause_after(1); i++)
		if (members->places[i] != PATH_NO_PLACE)
			members->ids[kept++] = tick->befores[i].id;
	members->count = kept;
	return true;
}

void
region_members_leave(struct region_members *members, const struct path_tick *tick)
{
	size_t kept = 0, leave = 0;

	for (size_t i = 0; i < tick->before_count && !pause_after(1); i++) {
		bool leaves = leave < members->leave_count && members->leaves[leave] == i;

		leave += leaves;
		if (members->places[i] != PATH_NO_PLACE && !leaves && !tick->spans[i].ended)
			members->ids[kept++] = tick->befores[i].id;
	}
	members->count = kept;
}
