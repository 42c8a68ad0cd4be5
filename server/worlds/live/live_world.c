#include "worlds/live/live_world.h"

#include "base/memory.h"
#include "physics/describe.h"
#include "worlds/live/live_private.h"

#include <stdio.h>

struct live_world *
live_world_create(const struct live_world_options *options, struct world_start *start)
{
	struct ledger *own = memory_enter(NULL);
	struct live_world *world = memory_zeroed(1, sizeof *world);

	if (world && !draft_init(&world->draft)) {
		memory_free(world);
		world = NULL;
	}
	if (world) {
		(void)memory_enter(&start->ledger);
		if (world_events_set(start->world, options->policy.events) != STATUS_OK) {
			draft_finish(&world->draft);
			(void)memory_enter(NULL);
			memory_free(world);
			world = NULL;
		}
	}
	(void)memory_enter(own);
	if (!world)
		return NULL;
	world->limits = options->limits;
	world->scene_limits = options->scene_limits;
	(void)snprintf(world->map_name, sizeof world->map_name, "%s", options->map_name);
	(void)snprintf(world->check_name, sizeof world->check_name, "%s", options->name ? options->name : "");
	world->check_share = options->check_share;
	checked_ticks_init(&world->checked);
	world->owner = options->owner;
	world->cpu_ns = options->cpu_ns;
	world->end_newest = live_encoders_end_newest;
	world->sacrifice = live_encoders_sacrifice;
	world->long_ahead = options->long_ahead;
	inbox_init(&world->inbox);
	ledger_init(&world->ledger, options->limits->world_bytes_max);
	world->policy = options->policy;
	world->epoch = options->epoch;
	live_start_take(world, start);
	world_contacts_max_set(world->world, (size_t)options->scene_limits->contacts_per_tick_max);
	tick_clock_init(&world->clock, &options->policy, world->tick + 1, options->base_ns);
	step_queue_init(&world->steps);
	journal_init(&world->journal, options->policy.history_ticks, (size_t)options->limits->journal_bytes_max);
	if (options->policy.late == WORLD_LATE_RESIMULATE)
		recent_states_init(&world->recent, options->policy.history_ticks);
	world->late.ticks.left = options->limits->resimulated_ticks_max;
	past_init(&world->past, options->policy.history_ticks);
	world->fresh = true;
	return world;
}

static void
posts_free(struct post *post)
{
	while (post) {
		struct post *next = post->next;

		post_free(post);
		post = next;
	}
}

static void
lost_free(struct live_world *world)
{
	for (size_t i = 0; i < world->seats.count; i++)
		for (struct post *post; (post = seat_entry_lost(&world->seats.entries[i]));)
			post_free(post);
}

void
live_world_destroy(struct live_world *world)
{
	if (!world)
		return;

	struct ledger *own = memory_enter(NULL);

	posts_free(world->posts);
	posts_free(inbox_take(&world->inbox));
	draft_finish(&world->draft);
	(void)memory_enter(&world->ledger);
	live_encoders_finish(world);
	path_tick_finish(&world->paths);
	step_queue_finish(&world->steps);
	journal_finish(&world->journal);
	recent_states_finish(&world->recent);
	finals_finish(&world->finals);
	past_finish(&world->past);
	live_check_finish(world);
	live_moments_drop(world);
	waiting_finish(&world->waiting);
	waiting_finish(&world->late.waiting);
	lost_free(world);
	seat_list_finish(&world->seats);
	force_list_finish(&world->forces);
	owner_list_finish(&world->owners);
	change_log_finish(&world->changes);
	arena_finish(&world->arena);
	world_destroy(world->world);
	(void)memory_enter(NULL);
	wall_map_release(world->map);
	memory_free(world);
	(void)memory_enter(own);
}

void
live_world_post(struct live_world *world, struct post *post)
{
	inbox_push(&world->inbox, post);
}

bool
live_world_has_post(const struct live_world *world)
{
	return !inbox_is_empty(&world->inbox);
}
