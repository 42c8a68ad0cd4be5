/* The watch when shapes are added, removed or changed between two ticks. Happy path: the edited world gets a watch of its own.
 * Pairs that are gone, or do not meet any more, become drops there, to be reported at the start of the next tick; the others
 * continue. What can go wrong: memory; then the world keeps its present watch. */
#include "base/memory.h"
#include "base/pause.h"
#include "physics/reports/watch.h"
#include "physics/state/edit.h"

/* All pairs, in the caller's memory; NULL without it. */
static struct tie_row *
rows_take(const struct world *world, size_t *count)
{
	*count = watch_tie_count(world);
	struct tie_row *rows = memory_zeroed(*count + 1, sizeof *rows);
	for (size_t i = 0; rows && i < *count && !pause_after(4); i++)
		rows[i] = watch_tie(world, i);
	return rows;
}

/* The new index of a row's side; NONE: gone. */
static uint32_t
side_to(const struct edit_map *map, uint32_t side)
{
	if (!(side & PARTNER_SEGMENT))
		return map->body_to[side];

	uint32_t wall = map->segment_to[side & ~PARTNER_SEGMENT];

	return wall == NONE ? NONE : wall | PARTNER_SEGMENT;
}

static bool
side_placed(const struct edit_map *map, uint32_t side)
{
	uint8_t touched = side & PARTNER_SEGMENT ? map->segment_touched[side & ~PARTNER_SEGMENT] : map->body_touched[side];

	return (touched & TOUCH_PLACED) != 0;
}

/* Maps a row; false: it ends. A shape that was placed elsewhere touches nothing any more; its new place decides what it is
 * inside of. */
static bool
row_to(const struct world *next, const struct edit_map *map, const struct tie_row *row, struct tie_row *to)
{
	*to = (struct tie_row){ .a = side_to(map, row->a), .b = side_to(map, row->b), .kind = row->kind };
	if (to->a == NONE || to->b == NONE || !watch_tie_fits(next, to))
		return false;
	return row->kind != TIE_TOUCH || (!side_placed(map, to->a) && !side_placed(map, to->b));
}

static struct drop
row_drop(const struct world *world, const struct tie_row *row)
{
	bool wall = (row->b & PARTNER_SEGMENT) != 0;

	return (struct drop){
		.a = world->bodies.infos[row->a].id,
		.b = wall ? world->walls.segments[row->b & ~PARTNER_SEGMENT].id : world->bodies.infos[row->b].id,
		.kind = row->kind == TIE_TOUCH ? PAIR_EVENT_END : PAIR_EVENT_EXIT,
		.other = wall ? CONTACT_SEGMENT : CONTACT_CIRCLE,
	};
}

/* Without memory for a watch of what can be done without. */
static bool
paths_given_up(struct world *next)
{
	if (!watch_is_spare(next) || pause_stopped())
		return false;
	watch_destroy(next->watch);
	next->watch = NULL;
	return true;
}

bool
watch_follow(struct world *next, const struct world *world, const struct edit_map *map)
{
	const struct watch *watch = world->watch;

	next->watch = NULL;
	if (!watch)
		return watch_create(next) || paths_given_up(next);

	size_t count, kept = 0, told = watch->drop_count;
	struct tie_row *rows = rows_take(world, &count);
	struct drop *drops = memory_zeroed(watch->drop_count + count + 1, sizeof *drops);
	bool good = rows && drops && watch_make(next);

	for (size_t i = 0; good && i < watch->drop_count && !pause_after(1); i++)
		drops[i] = watch->drops[i];
	for (size_t i = 0; good && i < count && !pause_after(4); i++) {
		struct tie_row to;

		if (row_to(next, map, &rows[i], &to))
			rows[kept++] = to;
		else
			drops[told++] = row_drop(world, &rows[i]);
	}
	good = good && !pause_stopped() && watch_restore(next, rows, kept, drops, told);
	memory_free(rows);
	memory_free(drops);
	return good || paths_given_up(next);
}
