/* A turn of a live world. */
#include "base/memory.h"
#include "worlds/live/live_check.h"
#include "worlds/live/live_private.h"
#include "worlds/paths/path_told.h"

/* Worlds of more circles have scratch memory of their own: a workspace would grow with the largest of them. */
#include "scene/limits.h"

/* Ticks that clients have asked for, for a quantum. */
static void
steps_make(struct live_world *world)
{
	/* A look at the clock costs as much as a sixth of a small tick. */
	uint64_t began_ns = world->steps.first ? world->cpu_ns() : 0;

	while (world->steps.first && !world->failed) {
		struct step_request *step = world->steps.first;

		if (step->again || world->tick == step->start + step->ticks) {
			uint64_t hash = step->again ? world->steps.hash : live_hash(world);

			draft_answer(&world->draft, step_queue_done(&world->steps, world->tick, hash));
			continue;
		}
		if (world->cpu_ns() - began_ns >= LIVE_WORLD_TURN_NS || !live_tick(world, 0))
			return;
	}
}

/* The next tick, if it is due by the server's clock. */
static void
tick_make(struct live_world *world)
{
	uint64_t next = world->tick + 1;

	if (world->failed || !tick_clock_runs(&world->clock) || next == 0 || tick_clock_due_ns(&world->clock, next) > world->now_ns)
		return;
	(void)live_tick(world, tick_clock_begin(&world->clock, next, world->now_ns));
}

void
live_world_stats(struct live_world *world, struct world_stats *stats)
{
	bool runs = tick_clock_runs(&world->clock) && !world->failed;
	struct live_check_counts checks = world->check ? live_check_counts(world->check) : (struct live_check_counts){ 0 };

	*stats = (struct world_stats){ .epoch = world->epoch,
		                           .tick = world->tick,
		                           .hash_tick = world->hash_tick,
		                           .hash = world->hash,
		                           .next_due_ns = runs ? tick_clock_due_ns(&world->clock, world->tick + 1) : 0,
		                           .bytes = ledger_used(&world->ledger) + past_spaces_bytes(&world->past),
		                           .overruns = world->clock.overruns,
		                           .lost_ticks = world->clock.lost,
		                           .batches = world->batches,
		                           .resimulated_ticks = world->late.remade,
		                           .self_checks = checks.made,
		                           .self_checks_skipped = checks.skipped,
		                           .self_checks_differing = checks.differing,
		                           .tick_ns_mean = tick_times_mean_ns(&world->times),
		                           .tick_ns_p95 = tick_times_p95_ns(&world->times),
		                           .late_ns_max = tick_times_late_ns_max(&world->times, world->now_ns),
		                           .failed = world->failed };
	if (!world->failed) {
		stats->circles = world_body_count(world->world);
		stats->segments = world_segment_count(world->world);
	}
	world->told_ns = world->now_ns;
	world->told_tick = world->tick;
	world->told_failed = world->failed != NULL;
}

/* What the turn brought, or how the world is if that was not told for some time, or it has failed. Without memory that stays
 * for the next turn. */
static struct news *
news_take(struct live_world *world)
{
	bool stale = (world->told_tick != world->tick && world->now_ns - world->told_ns >= STATS_EVERY_NS) ||
	             (world->failed && !world->told_failed) || world->ended;
	struct news *news = stale || !draft_is_empty(&world->draft) ? draft_take(&world->draft) : NULL;

	if (!news)
		return NULL;
	news->ended = world->ended;
	for (size_t i = 0; i < world->seats.count; i++)
		world->seats.entries[i].decided = NULL;
	news->world = world;
	news->owner = world->owner;
	live_world_stats(world, &news->stats);
	return news;
}

/* What is to be done with it next. */
static void
next_set(const struct live_world *world, bool unfinished, struct live_turn *turn)
{
	if (world->ended) {
		turn->next = TURN_ENDED;
	} else if (unfinished || !draft_is_empty(&world->draft) ||
	           (world->moments && (world->failed || !tick_clock_runs(&world->clock))) ||
	           (world->steers && world->steers_left && !world->failed && !tick_clock_runs(&world->clock)) ||
	           (world->steps.first && !world->failed) || (world->failed && !world->told_failed)) {
		turn->next = TURN_SOON;
	} else if (tick_clock_runs(&world->clock) && !world->failed && world->tick != UINT64_MAX) {
		turn->next = TURN_AT;
		turn->due_ns = tick_clock_due_ns(&world->clock, world->tick + 1);
	}
}

struct live_turn
live_world_turn(struct live_world *world, uint64_t now_ns, struct workspace *workspace, const struct workers *helpers)
{
	struct live_turn turn = { .next = TURN_REST };
	struct ledger *own = memory_enter(&world->ledger);
	bool lent = workspace && world_body_count(world->world) <= SCENE_WORKSPACE_CIRCLES_MAX;
	size_t lent_bytes = lent ? workspace_memory_bytes(workspace) : 0;

	world->now_ns = now_ns;
	world->workspace = lent ? workspace : NULL;
	world->helpers = helpers;
	world_workspace_set(world->world, world->workspace);
	world_workers_set(world->world, helpers);
	if (world->fresh) {
		world->fresh = false;
		journal_tick(&world->journal, world->world, &world->forces, &world->owners);
		recent_states_tick(&world->recent, world->world, &world->forces, &world->owners);
		live_walls_look(world);
	}
	live_check_choose(world);
	bool all = live_posts_take(world);

	if (!world->ended) {
		tick_make(world);
		steps_make(world);
		live_moments_make(world);
		if (!world->failed)
			live_encoders_flush(world);
		if (world->failed)
			all = live_batches_refuse(world, STATUS_FAILED_PRECONDITION, "WORLD_FAILED",
			                          "a tick of the world could not be made") &&
			      all;
	}
	all = live_batches_lose(world) && all;
	arena_finish(&world->arena);
	turn.news = news_take(world);
	next_set(world, !all, &turn);
	if (lent) {
		for (size_t k = 0; k < PATH_TOLD_COUNT; k++)
			path_told_leave(&world->paths.told[k]);
		world_workspace_drop(world->world);
		/* It has grown for the next, too. */
		ledger_disown(&world->ledger, (int64_t)workspace_memory_bytes(workspace) - (int64_t)lent_bytes);
	}
	(void)memory_enter(own);
	return turn;
}
