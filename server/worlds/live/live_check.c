/* The part of a self-check on the worker that has the world: which worlds, and what is left for the other thread. */
#include "worlds/live/live_check.h"

#include "base/memory.h"
#include "worlds/live/live_check_private.h"

#include <stdio.h>

/* FNV-1a, and splitmix64's finalizer. */
bool
live_check_chooses(const char *name, uint64_t epoch, uint32_t permille)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (; *name != '\0'; name++)
		hash = (hash ^ (uint8_t)*name) * UINT64_C(1099511628211);
	hash ^= epoch;
	hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
	return (hash ^ hash >> 31) % 1000 < permille;
}

/* ---- its life */

/* NULL without memory. */
static struct live_check *
check_create(const struct live_world *world)
{
	struct ledger *own = memory_enter(NULL);
	struct live_check *check = memory_zeroed(1, sizeof *check);

	(void)memory_enter(own);
	if (!check)
		return NULL;
	atomic_init(&check->holders, 1);
	check->share = world->check_share;
	check->limits = world->limits;
	check->scene_limits = world->scene_limits;
	check->policy = world->policy;
	check->policy.clock = WORLD_CLOCK_CLIENT;
	check->policy.late = WORLD_LATE_NEXT_TICK;
	check->policy.history_ticks = 0;
	check->cpu_ns = world->cpu_ns;
	(void)snprintf(check->name, sizeof check->name, "%s", world->check_name);
	return check;
}

struct live_check *
live_check_hold(struct live_check *check)
{
	atomic_fetch_add(&check->holders, 1);
	return check;
}

void
live_check_release(struct live_check *check)
{
	if (!check || atomic_fetch_sub(&check->holders, 1) > 1)
		return;
	if (check->twin)
		check->twin_drop(check);
	checked_span_free(atomic_load(&check->waiting));

	struct ledger *own = memory_enter(NULL);

	memory_free(check);
	(void)memory_enter(own);
}

struct live_check *
live_world_check(const struct live_world *world)
{
	return world->check;
}

bool
live_check_waits(const struct live_check *check)
{
	return atomic_load_explicit(&check->waiting, memory_order_relaxed) != NULL;
}

bool
live_check_is_obsolete(const struct live_check *check)
{
	return atomic_load(&check->closed) || atomic_load(&check->newest) > check->begun + WORLDS_CHECK_BEHIND_MAX;
}

struct live_check_counts
live_check_counts(const struct live_check *check)
{
	return (struct live_check_counts){ atomic_load(&check->made), atomic_load(&check->skipped),
		                               atomic_load(&check->differing) };
}

void
live_check_count(struct live_check *check, enum live_check_result result)
{
	bool skipped = result == LIVE_CHECK_SKIPPED, differs = result == LIVE_CHECK_DIFFERS;

	atomic_fetch_add(skipped ? &check->skipped : &check->made, 1);
	atomic_fetch_add(skipped ? &check->share->skipped : &check->share->made, 1);
	if (differs) {
		atomic_fetch_add(&check->differing, 1);
		atomic_fetch_add(&check->share->differing, 1);
	}
}

/* ---- on the worker that has the world */

static void
span_leave(struct live_check *check, struct checked_span *span)
{
	struct checked_span *before = atomic_exchange(&check->waiting, span);

	check->untaken = before ? check->untaken + 1 : 0;
	if (before)
		live_check_count(check, LIVE_CHECK_SKIPPED);
	checked_span_free(before);
}

/* Nothing takes what is left: all cores are busy. Then ticks are not noted: each costs microseconds. */
static bool
rests(const struct live_world *world)
{
	return world->check->untaken >= WORLDS_CHECK_TICKS;
}

void
live_check_choose(struct live_world *world)
{
	uint32_t permille = world->check_share ? atomic_load_explicit(&world->check_share->permille, memory_order_relaxed) : 0;
	bool chosen = permille > 0 && !world->failed && live_check_chooses(world->check_name, world->epoch, permille);

	if (chosen && !world->check)
		world->check = check_create(world);
	if (chosen == world->checking || !world->check)
		return;
	world->checking = chosen;
	checked_ticks_finish(&world->checked);
	if (!chosen)
		span_leave(world->check, NULL);
	world->check->untaken = 0;
	live_check_note(world);
}

void
live_check_note(struct live_world *world)
{
	if (!world->checking || rests(world))
		return;

	uint64_t hash = world->hash_tick == world->tick ? world->hash : world_hash(world->world);

	checked_ticks_note(&world->checked, world->world, hash, &world->forces, &world->owners);
}

void
live_check_batch(struct live_world *world, const struct batch *batch)
{
	if (world->checking && !rests(world))
		checked_ticks_batch(&world->checked, batch);
}

void
live_check_tick(struct live_world *world)
{
	if (!world->checking)
		return;

	struct live_check *check = world->check;

	atomic_store(&check->newest, world->tick);
	atomic_store(&check->epoch, world->epoch);
	if (!live_check_waits(check))
		check->untaken = 0;
	live_check_note(world);

	struct checked_span *span = checked_ticks_span(&world->checked);

	if (span)
		span_leave(check, span);
	else
		live_check_count(check, LIVE_CHECK_SKIPPED);
	if (rests(world))
		checked_ticks_clear(&world->checked);
}

void
live_check_restart(struct live_world *world)
{
	if (!world->checking)
		return;
	checked_ticks_clear(&world->checked);
	span_leave(world->check, NULL);
	world->check->untaken = 0;
	atomic_store(&world->check->newest, world->tick);
	live_check_note(world);
}

void
live_check_finish(struct live_world *world)
{
	checked_ticks_finish(&world->checked);
	if (world->check)
		atomic_store(&world->check->closed, true);
	live_check_release(world->check);
	world->check = NULL;
}
