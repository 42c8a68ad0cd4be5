/* The part of a self-check on the other thread. Happy path: the twin returns to the span's first state, makes its ticks with
 * their batches, and has the hash of the last one. If it has not, the ticks are made once more to find the first that differs.
 * What can go wrong: memory, or the span is obsolete (live_check_is_obsolete). It counts as skipped then. */
#include "base/memory.h"
#include "base/pause.h"
#include "physics/describe.h"
#include "physics/keep.h"
#include "worlds/live/live_check_private.h"

#include <stdio.h>

static void
twin_destroy(struct live_world *twin)
{
	live_world_destroy(twin);
}

static void
twin_drop(struct live_check *check)
{
	twin_destroy(check->twin);
	checked_base_release(check->twin_base);
	check->twin = NULL;
	check->twin_base = NULL;
}

/* A world that returns to the states of that tick's base. NULL without memory. */
static struct live_world *
twin_make(const struct live_check *check, const struct checked_tick *tick)
{
	const struct checked_base *base = tick->base;
	struct world_start *start = world_start_empty(check->limits->world_bytes_max);
	struct snapshot_problem problem;

	if (!start)
		return NULL;
	(void)memory_enter(&start->ledger);
	enum status status = base->map ? world_restore_in_map(base->map, base->snapshot, base->count, 0, &problem, &start->world)
	                               : world_restore(base->snapshot, base->count, 0, &problem, &start->world);

	(void)memory_enter(NULL);
	const struct live_world_options options = { .limits = check->limits,
		                                        .scene_limits = check->scene_limits,
		                                        .policy = check->policy,
		                                        .map_name = "",
		                                        .name = "",
		                                        .cpu_ns = check->cpu_ns };
	struct live_world *twin = NULL;

	if (status == STATUS_OK) {
		start->map = base->map ? wall_map_hold(base->map) : NULL;
		world_become_twin(start->world, tick->kept);
		twin = live_world_create(&options, start);
	}
	if (!twin)
		world_start_destroy(start);
	return twin;
}

/* To the state after a tick. With the twin's ledger. */
static bool
twin_return(struct live_world *twin, const struct checked_tick *tick)
{
	if (world_return(twin->world, tick->kept) != STATUS_OK || !force_list_copy(&twin->forces, &tick->forces) ||
	    !owner_list_copy(&twin->owners, &tick->owners))
		return false;
	twin->tick = tick->tick;
	return true;
}

static bool
returns(struct live_world *twin, const struct checked_tick *tick)
{
	struct ledger *own = memory_enter(&twin->ledger);
	bool returned = twin_return(twin, tick);

	(void)memory_enter(own);
	return returned;
}

/* The twin at the span's first state, made anew if it has other segments. False: without memory, or obsolete. */
static bool
twin_begin(struct live_check *check, const struct checked_span *span)
{
	const struct checked_tick *first = span->ticks[0];

	if (check->twin && check->twin_base == first->base && returns(check->twin, first))
		return true;
	twin_drop(check);
	check->twin = twin_make(check, first);
	if (!check->twin)
		return false;
	check->twin_base = checked_base_hold(first->base);
	check->twin_drop = twin_drop;
	return returns(check->twin, first);
}

/* The next tick of the span. */
static bool
tick_again(struct live_world *twin, const struct checked_tick *tick)
{
	struct ledger *own = memory_enter(&twin->ledger);
	struct tick_report report;
	const struct batch *batch = tick->batches;
	bool made = live_batches_again(twin, &batch) && live_step_again(twin, &report);

	(void)memory_enter(own);
	return made && !pause_stopped();
}

static bool
is_same(const struct live_world *twin, const struct checked_tick *tick)
{
	return world_hash(twin->world) == tick->hash;
}

/* Both as snapshots; names the first field. Nothing without memory. */
static void
fields_compare(const struct world *run, const struct world *again, struct live_check_difference *out)
{
	size_t run_count = world_snapshot_bytes(run), again_count = world_snapshot_bytes(again);
	uint8_t *bytes = memory_alloc(run_count + again_count);

	if (bytes && world_snapshot(run, bytes, run_count) == STATUS_OK &&
	    world_snapshot(again, bytes + run_count, again_count) == STATUS_OK &&
	    !snapshots_compare(bytes, run_count, bytes + run_count, again_count, &out->difference) &&
	    out->difference.body < world_body_count(run)) {
		out->has_body = true;
		out->body = world_body(run, out->difference.body).id;
	}
	memory_free(bytes);
}

/* What the tick was beside what it became. */
static void
tick_compare(const struct live_check *check, const struct checked_tick *tick, struct live_check_difference *out)
{
	struct live_world *run = twin_make(check, tick);

	out->tick = tick->tick;
	(void)snprintf(out->difference.text, sizeof out->difference.text, "the state's hash differs");
	if (run && returns(run, tick))
		fields_compare(run->world, check->twin->world, out);
	twin_destroy(run);
}

/* The first tick that differs, of a span of which some does. False: it was not found, for want of memory or time. */
static bool
difference_find(struct live_check *check, const struct checked_span *span, struct live_check_difference *out)
{
	*out = (struct live_check_difference){ .from = span->ticks[0]->tick, .epoch = atomic_load(&check->epoch) };
	(void)snprintf(out->world, sizeof out->world, "%s", check->name);
	if (!twin_begin(check, span))
		return false;
	bool begins_same = is_same(check->twin, span->ticks[0]);

	for (size_t i = 1; i <= WORLDS_CHECK_TICKS; i++) {
		if (!tick_again(check->twin, span->ticks[i])) {
			out->tick = out->from;
			(void)snprintf(out->difference.text, sizeof out->difference.text,
			               "the kept state has another hash, and its next ticks cannot be made");
			return !begins_same && !pause_stopped();
		}
		if (!is_same(check->twin, span->ticks[i])) {
			tick_compare(check, span->ticks[i], out);
			return !pause_stopped();
		}
	}
	/* It was not so when they were made before: the machine has changed a bit, or memory is read that was not written. */
	out->tick = span->ticks[WORLDS_CHECK_TICKS]->tick;
	(void)snprintf(out->difference.text, sizeof out->difference.text, "the state's hash differed, and did not once more");
	return true;
}

static enum live_check_result
span_make(struct live_check *check, const struct checked_span *span, struct live_check_difference *difference)
{
	size_t made = 0;

	if (!twin_begin(check, span))
		return LIVE_CHECK_SKIPPED;
	while (made < WORLDS_CHECK_TICKS && tick_again(check->twin, span->ticks[made + 1]))
		made++;
	if (pause_stopped())
		return LIVE_CHECK_SKIPPED;
	if (made == WORLDS_CHECK_TICKS && is_same(check->twin, span->ticks[made]))
		return LIVE_CHECK_SAME;
	return difference_find(check, span, difference) ? LIVE_CHECK_DIFFERS : LIVE_CHECK_SKIPPED;
}

enum live_check_result
live_check_run(struct live_check *check, struct live_check_difference *difference)
{
	struct checked_span *span = atomic_exchange(&check->waiting, NULL);

	if (!span)
		return LIVE_CHECK_NONE;
	check->begun = atomic_load(&check->newest);
	enum live_check_result result = live_check_is_obsolete(check) ? LIVE_CHECK_SKIPPED : span_make(check, span, difference);

	/* What was broken off can only be destroyed. */
	if (result == LIVE_CHECK_SKIPPED)
		twin_drop(check);
	checked_span_free(span);
	live_check_count(check, result);
	return result;
}
