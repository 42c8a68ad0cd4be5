/* What readers of paths have, and are told of each tick. */
#include "base/check.h"
#include "worlds/live/live_private.h"

#include <string.h>

static bool
paths_wanted(const struct live_world *world)
{
	const struct encoder *encoder = world->encoders;

	while (encoder && (encoder->failed || !encoder->options.paths))
		encoder = encoder->next;
	return encoder != NULL;
}

void
live_paths_fail(struct live_world *world)
{
	for (struct encoder *encoder = world->encoders; encoder; encoder = encoder->next)
		encoder->failed = encoder->failed || encoder->options.paths;
}

/* What encoders need besides; where those with a region begin. */
static void
members_start(struct live_world *world)
{
	world->paths.spans_wanted = world->paths.legs_wanted = false;
	for (struct encoder *encoder = world->encoders; encoder; encoder = encoder->next) {
		world->paths.legs_wanted |= encoder->options.driven_legs;
		if (!encoder_has_region(encoder))
			continue;
		world->paths.spans_wanted = true;
		if (!encoder->members_known && !encoder->failed)
			encoder->failed = !region_members_start(&encoder->members, &encoder->options.region, &world->paths);
		encoder->members_known = true;
	}
}

static void
paths_end(struct live_world *world)
{
	world->paths_kept = false;
	path_tick_finish(&world->paths);
	/* Fewer reports need no memory. */
	if (!world->failed)
		CHECK(world_events_set(world->world, world->policy.events) == STATUS_OK);
}

/* A reader of what came before needs a key; those that begin have asked for one. */
static void
paths_start(struct live_world *world)
{
	unsigned events = world->policy.events | WORLD_EVENTS_CHANGED_PATHS;

	world->paths_told = change_log_end(&world->changes);
	world->paths.dt = world->policy.dt;
	world->paths_kept = world_events_set(world->world, events) == STATUS_OK && path_tick_start(&world->paths, world->world);
	if (world->paths_kept) {
		members_start(world);
		return;
	}
	paths_end(world);
	live_paths_fail(world);
}

void
live_paths_follow(struct live_world *world)
{
	bool wanted = paths_wanted(world);

	if (!wanted && world->paths_kept)
		paths_end(world);
	if (!wanted || world->failed)
		return;
	if (world->paths_kept)
		members_start(world);
	else
		paths_start(world);
}

void
live_paths_restart(struct live_world *world)
{
	if (paths_wanted(world))
		paths_start(world);
}

/* To all readers: what commands have made of definitions before the next tick. */
static bool
change_tell(struct live_world *world, Collide__V1__WorldChange *change)
{
	bool walls = change->n_removed_segments > 0 ||
	             change->optional_segments_case != COLLIDE__V1__WORLD_CHANGE__OPTIONAL_SEGMENTS__NOT_SET;

	change->tick = world->tick + 1;
	if (walls) {
		change->moving = encoder_motions_tell(world);
		change->optional_moving_case = COLLIDE__V1__WORLD_CHANGE__OPTIONAL_MOVING_MOVING;
		if (!change->moving)
			return false;
	}
	for (struct encoder *encoder = world->encoders; encoder; encoder = encoder->next)
		if (encoder->options.paths && !encoder->failed)
			encoder->failed = !encoder_paths_change(encoder, world, change);
	return true;
}

/* False: no memory. */
static bool
paths_begin(struct live_world *world, bool edited)
{
	Collide__V1__WorldChange change;
	bool any = false;

	if (edited && !encoder_log_tell(world, world->paths_told, &change, &any))
		return false;
	world->paths_told = change_log_end(&world->changes);
	if (!any)
		return path_tick_begin(&world->paths, world->world, NULL, 0, false, edited);
	if (!change_tell(world, &change))
		return false;

	bool circles = change.optional_circles_case != COLLIDE__V1__WORLD_CHANGE__OPTIONAL_CIRCLES__NOT_SET;

	return path_tick_begin(&world->paths, world->world, circles ? change.circles->id : NULL, circles ? change.circles->n_id : 0,
	                       circles || change.n_removed_circles > 0, true);
}

void
live_paths_begin(struct live_world *world, bool edited)
{
	if (!world->paths_kept)
		return;

	int64_t most = live_readers_enter(world);

	if (!paths_begin(world, edited))
		live_paths_fail(world);
	live_readers_leave(world, most);
}

void
live_paths_make(struct live_world *world, const struct tick_report *report)
{
	if (world->paths_kept && !path_tick_make(&world->paths, world->world, report))
		live_paths_fail(world);
}
