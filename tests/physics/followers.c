#include "physics/followers.h"

#include "physics/self_check.h"

#include "support/assert_double.h"

#include <stdlib.h>
#include <string.h>

struct snapshot
snapshot_take(const struct world *world)
{
	struct snapshot snapshot = { .size = world_snapshot_bytes(world) };
	snapshot.bytes = malloc(snapshot.size);
	assert_non_null(snapshot.bytes);
	/* Whatever was there before. */
	memset(snapshot.bytes, 0xa5, snapshot.size);
	assert_int_equal(world_snapshot(world, snapshot.bytes, snapshot.size), STATUS_OK);
	return snapshot;
}

static void
snapshots_same(const struct snapshot *a, const struct snapshot *b)
{
	struct difference difference;
	if (!snapshots_compare(a->bytes, a->size, b->bytes, b->size, &difference))
		print_error("snapshots differ: %s\n", difference.text);
	assert_int_equal(a->size, b->size);
	assert_memory_equal(a->bytes, b->bytes, a->size);
}

struct world *
snapshot_restored(const struct snapshot *snapshot)
{
	struct snapshot_problem problem;
	struct world *world = NULL;
	const enum status status = world_restore(snapshot->bytes, snapshot->size, 0, &problem, &world);
	if (status != STATUS_OK)
		print_error("not restored: %s, row %zu, %s\n", problem.field, problem.index, problem.text);
	assert_int_equal(status, STATUS_OK);
	struct snapshot again = snapshot_take(world);
	snapshots_same(snapshot, &again);
	free(again.bytes);
	return world;
}

void
batch_refused(struct world *world, const struct edit *edits, size_t count, size_t index, enum def_field field)
{
	struct def_problem problem;
	const struct snapshot before = snapshot_take(world);
	assert_int_equal(world_edit(world, edits, count, &problem), STATUS_INVALID_ARGUMENT);
	assert_int_equal(problem.index, index);
	assert_int_equal(problem.field, field);
	assert_true(problem.text[0] != 0);
	const struct snapshot after = snapshot_take(world);
	assert_int_equal(before.size, after.size);
	assert_memory_equal(before.bytes, after.bytes, before.size);
	free(before.bytes);
	free(after.bytes);
}

void
followers_init(struct followers *followers, uint64_t every)
{
	*followers = (struct followers){ .every = every };
}

void
followers_finish(struct followers *followers)
{
	for (size_t i = 0; i < sizeof followers->worlds / sizeof *followers->worlds; i++)
		world_destroy(followers->worlds[i]);
}

void
reports_same(const struct tick_report *a, const struct tick_report *b)
{
	struct difference difference;
	if (!reports_compare(a, b, &difference))
		fail_msg("tick %llu: %s", (unsigned long long)a->tick, difference.text);
}

/* A restored world makes the same tick and is the same thereafter. */
static void
follower_step(struct world *follower, double dt, enum status status, const struct tick_report *report,
              const struct snapshot *after)
{
	struct tick_report own;
	assert_int_equal(world_step(follower, dt, &own), status);
	if (status != STATUS_OK)
		return;
	reports_same(report, &own);
	struct snapshot end = snapshot_take(follower);
	snapshots_same(after, &end);
	free(end.bytes);
}

enum status
followers_step(struct followers *followers, struct world *world, double dt, struct tick_report *report)
{
	const size_t count = sizeof followers->worlds / sizeof *followers->worlds;
	struct snapshot before = snapshot_take(world);
	struct world *fresh = snapshot_restored(&before);
	free(before.bytes);

	const enum status status = world_step(world, dt, report);
	struct snapshot after = { 0 };
	if (status == STATUS_OK)
		after = snapshot_take(world);
	follower_step(fresh, dt, status, report, &after);
	for (size_t i = 0; i < count; i++)
		if (followers->worlds[i])
			follower_step(followers->worlds[i], dt, status, report, &after);
	free(after.bytes);
	if (status == STATUS_OK && followers->ticks++ % followers->every == 0) {
		const size_t turn = followers->ticks / followers->every % count;
		world_destroy(followers->worlds[turn]);
		followers->worlds[turn] = fresh;
	} else {
		world_destroy(fresh);
	}
	return status;
}
