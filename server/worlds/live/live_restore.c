/* A live world gets another state: it goes on from there, with none of its past. */
#include "base/memory.h"
#include "physics/describe.h"
#include "physics/wall_map.h"
#include "worlds/live/live_private.h"

static const char restored[] = "the world was given another past";

/* What was asked of the world that was. False: no memory to tell. */
static bool
past_refuse(struct live_world *world)
{
	struct answer *answer;

	live_moments_refuse(world, STATUS_CANCELLED, "RESTORED", restored);
	while ((answer = step_queue_drop(&world->steps))) {
		(void)wire_problem_set(&answer->problem, STATUS_CANCELLED, "RESTORED", "", "%s", restored);
		draft_answer(&world->draft, answer);
	}
	return live_batches_refuse(world, STATUS_CANCELLED, "RESTORED", restored);
}

/* The engine's world goes, and what belongs to it. */
static void
past_free(struct live_world *world)
{
	journal_clear(&world->journal);
	recent_states_clear(&world->recent);
	past_finish(&world->past);
	force_list_finish(&world->forces);
	owner_list_finish(&world->owners);
	world_destroy(world->world);
	(void)memory_enter(NULL);
	wall_map_release(world->map);
	(void)memory_enter(&world->ledger);
}

bool
live_restore(struct live_world *world, struct post *post)
{
	struct world_start *start = post->restore.start;
	uint64_t due_ns = tick_clock_due_ns(&world->clock, world->tick + 1);

	(void)memory_enter(&start->ledger);
	enum status status = world_events_set(start->world, world->policy.events);
	(void)memory_enter(&world->ledger);
	/* Readers and seats have been told that the past has ended. Once a batch has been told so too, it does. */
	if (status == STATUS_OK && !past_refuse(world))
		return false;

	struct answer *answer = draft_answer_create(post->ask);

	if (!answer)
		return false;
	world->epoch = post->restore.epoch;
	if (status != STATUS_OK) {
		(void)wire_problem_set(&answer->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "", "no memory for it");
		draft_answer(&world->draft, answer);
		return true;
	}
	past_free(world);
	post->restore.start = NULL;
	live_start_take(world, start);
	world_contacts_max_set(world->world, (size_t)world->scene_limits->contacts_per_tick_max);
	world->failed = NULL;
	world->past_lost = false;
	world->grid_hash_tick = world->grid_hash = 0;
	world->late.from = 0;
	for (size_t i = 0; i < world->seats.count; i++)
		world->seats.entries[i].tick_last = 0;
	step_queue_init(&world->steps);
	tick_clock_set(&world->clock, world->clock.kind, world->clock.hz, world->tick + 1,
	               due_ns > world->now_ns ? due_ns : world->now_ns);
	live_walls_look(world);
	live_encoders_restart(world);
	journal_tick(&world->journal, world->world, &world->forces, &world->owners);
	recent_states_tick(&world->recent, world->world, &world->forces, &world->owners);
	live_check_restart(world);
	answer->hash = live_hash(world);
	answer->tick = world->tick;
	draft_answer(&world->draft, answer);
	return true;
}
