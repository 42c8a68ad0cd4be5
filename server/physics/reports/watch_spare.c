/* What a tick can do without: the paths of WORLD_EVENTS_CHANGED_PATHS, and the pieces, if no reports of pairs are made of
 * these. */
#include "physics/reports/watch.h"

#include "base/memory.h"
#include "base/pause.h"
#include "physics/reports/sensor.h"

/* What malloc gives again without the system. */
#define LEFT_BYTES_MAX 65536u

void
watch_body_forget(struct watch *watch, uint32_t body)
{
	watch->first[body] = watch->last[body] = NONE;
	watch->replaced[body] = false;
	watch->ranges[body] = (struct piece_range){ 0 };
}

void
watch_rows_free(struct watch *watch)
{
	memory_free(watch->rows);
	watch->rows = NULL;
	watch->row_count = watch->row_capacity = 0;
}

bool
watch_paths_are_spare(const struct world *world)
{
	return (world->settings.watched & (WORLD_EVENTS_PATHS | WORLD_EVENTS_CHANGED_PATHS)) == WORLD_EVENTS_CHANGED_PATHS;
}

bool
watch_pieces_are_spare(const struct world *world)
{
	return watch_paths_are_spare(world) && !world->watch->touches && !world->watch->sensor_watch;
}

bool
watch_is_spare(const struct world *world)
{
	return world->settings.watched == WORLD_EVENTS_CHANGED_PATHS && !senses_wanted(world);
}

bool
watch_has_lost(const struct world *world)
{
	return watch_paths_are_spare(world) && (!world->watch || world->watch->lost);
}

void
watch_pieces_forget(struct watch *watch)
{
	for (size_t i = 0; i < watch->piece_count && !pause_after(1); i++)
		watch_body_forget(watch, watch->pieces[i].body);
	watch->piece_count = 0;
}

static void
pieces_free(struct watch *watch)
{
	watch_pieces_forget(watch);
	memory_free(watch->pieces);
	watch->pieces = NULL;
	watch->piece_capacity = 0;
}

void
watch_leave(struct watch *watch)
{
	if (watch->piece_capacity * sizeof *watch->pieces + watch->row_capacity * sizeof *watch->rows > LEFT_BYTES_MAX)
		return;
	watch_rows_free(watch);
	pieces_free(watch);
}

void
watch_paths_lose(struct world *world)
{
	struct watch *watch = world->watch;

	watch->lost = true;
	watch_rows_free(watch);
	if (watch_pieces_are_spare(world))
		pieces_free(watch);
}

static void
paths_release(void *context)
{
	struct world *world = context;

	if (world->watch && !world->watch->busy)
		watch_paths_lose(world);
}

struct memory_spare
watch_spare(struct world *world)
{
	if (!world->watch || !watch_paths_are_spare(world))
		return world->host.given;
	return (struct memory_spare){ paths_release, world, &world->host.given };
}
