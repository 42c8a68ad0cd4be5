/* What a watch does when shapes come, go or change between two ticks. Happy path: pairs that are gone, or do not meet any more,
 * are kept as drops, to be told at the start of the next tick; the others go on. What can go wrong: memory; then nothing has
 * changed but that some drops may be there twice, and the world is to be destroyed. */
#include "physics/watch.h"

#include "physics/sense.h"
#include "physics/touch.h"

#include <stdlib.h>

static bool
drop_add(struct world *world, const struct tie_row *row)
{
	struct watch *watch = world->watch;
	bool wall = (row->b & PARTNER_SEGMENT) != 0;

	if (!array_reserve(&watch->drops, &watch->drop_capacity, watch->drop_count + 1, sizeof *watch->drops))
		return false;
	watch->drops[watch->drop_count++] = (struct drop){
		.a = world->infos[row->a].id,
		.b = wall ? world->segments[row->b & ~PARTNER_SEGMENT].id : world->infos[row->b].id,
		.kind = row->kind == TIE_TOUCH ? PAIR_EVENT_END : PAIR_EVENT_EXIT,
		.other = wall ? CONTACT_SEGMENT : CONTACT_CIRCLE,
	};
	return true;
}

/* All pairs, in the caller's memory; NULL without. */
static struct tie_row *
rows_take(const struct world *world, size_t *count)
{
	struct tie_row *rows;

	*count = watch_tie_count(world);
	rows = calloc(*count + 1, sizeof *rows);
	for (size_t i = 0; rows && i < *count; i++)
		rows[i] = watch_tie(world, i);
	return rows;
}

static bool
rows_put(struct world *world, const struct tie_row *rows, size_t count)
{
	touches_clear(world->watch->touches);
	senses_clear(world->watch->senses);
	return watch_restore(world, rows, count, NULL, 0);
}

/* The new index of a row's side; NONE: gone. */
static uint32_t
side_map(uint32_t side, const uint32_t *bodies, const uint32_t *segments)
{
	if (!(side & PARTNER_SEGMENT))
		return bodies ? bodies[side] : side;

	uint32_t wall = segments ? segments[side & ~PARTNER_SEGMENT] : side & ~PARTNER_SEGMENT;

	return wall == NONE ? NONE : wall | PARTNER_SEGMENT;
}

bool
watch_remap(struct world *world, const uint32_t *bodies, const uint32_t *segments)
{
	size_t count, kept = 0;
	struct tie_row *rows;
	bool good = true;

	if (!world->watch)
		return true;
	rows = rows_take(world, &count);
	for (size_t i = 0; rows && good && i < count; i++) {
		struct tie_row row = { .a = side_map(rows[i].a, bodies, segments),
			                   .b = side_map(rows[i].b, bodies, segments),
			                   .kind = rows[i].kind };

		if (row.a == NONE || row.b == NONE)
			good = drop_add(world, &rows[i]);
		else
			rows[kept++] = row;
	}
	good = good && rows && rows_put(world, rows, kept);
	free(rows);
	return good;
}

/* What depends on the number of bodies, and on which are sensors. */
static bool
room_renew(struct world *world)
{
	struct watch *watch = world->watch;
	size_t count = (size_t)world->body_count + 1;
	uint32_t *first = realloc(watch->first, count * sizeof *first), *last;

	if (!first)
		return false;
	watch->first = first;
	last = realloc(watch->last, count * sizeof *last);
	if (!last)
		return false;
	watch->last = last;
	watch->piece_count = 0;
	for (size_t i = 0; i < count; i++)
		first[i] = last[i] = NONE;
	senses_destroy(watch->senses);
	watch->senses = NULL;
	return !senses_wanted(world) || (watch->senses = senses_create(world)) != NULL;
}

bool
watch_renew(struct world *world)
{
	size_t count, kept = 0;
	struct tie_row *rows;
	bool good = true;

	if (!world->watch)
		return watch_create(world);
	rows = rows_take(world, &count);
	for (size_t i = 0; rows && good && i < count; i++) {
		if (watch_tie_fits(world, &rows[i]))
			rows[kept++] = rows[i];
		else
			good = drop_add(world, &rows[i]);
	}
	good = good && rows && room_renew(world) && rows_put(world, rows, kept);
	free(rows);
	return good;
}
