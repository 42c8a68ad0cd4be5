#include "physics/selfcheck.h"

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
snapshots_compare(const struct snapshot *a, const struct snapshot *b)
{
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
	snapshots_compare(snapshot, &again);
	free(again.bytes);
	return world;
}

void
selfcheck_init(struct selfcheck *check, uint64_t every)
{
	*check = (struct selfcheck){ .every = every };
}

void
selfcheck_finish(struct selfcheck *check)
{
	for (size_t i = 0; i < sizeof check->followers / sizeof *check->followers; i++)
		world_destroy(check->followers[i]);
}

/* The bits, so that zeros of either sign differ. */
static void
doubles_compare(const double *a, const double *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_memory_equal(&a[i], &b[i], sizeof *a);
}

static void
contacts_compare(const struct contact *a, const struct contact *b)
{
	doubles_compare(&a->time, &b->time, 1);
	assert_int_equal(a->a, b->a);
	assert_int_equal(a->b, b->b);
	assert_int_equal(a->other, b->other);
	assert_int_equal(a->feature, b->feature);
	assert_int_equal(a->flags, b->flags);
	doubles_compare(a->point, b->point, 2);
	doubles_compare(a->normal, b->normal, 2);
	doubles_compare(&a->approach_speed, &b->approach_speed, 1);
	doubles_compare(&a->impulse, &b->impulse, 1);
	doubles_compare(&a->friction_impulse, &b->friction_impulse, 1);
	doubles_compare(a->a_before, b->a_before, 2);
	doubles_compare(a->a_after, b->a_after, 2);
	doubles_compare(a->b_before, b->b_before, 2);
	doubles_compare(a->b_after, b->b_after, 2);
	doubles_compare((const double[]){ a->a_spin_before, a->a_spin_after, a->b_spin_before, a->b_spin_after },
	                (const double[]){ b->a_spin_before, b->a_spin_after, b->b_spin_before, b->b_spin_after }, 4);
}

void
reports_compare(const struct tick_report *a, const struct tick_report *b)
{
	assert_true(a->hash == b->hash);
	assert_int_equal(a->tick, b->tick);
	assert_int_equal(a->events, b->events);
	assert_int_equal(a->collisions, b->collisions);
	assert_int_equal(a->clusters, b->clusters);
	assert_int_equal(a->clips, b->clips);
	assert_int_equal(a->asleep, b->asleep);
	assert_memory_equal(&a->energy, &b->energy, sizeof a->energy); /* doubles only, as the next */
	assert_memory_equal(&a->momentum, &b->momentum, sizeof a->momentum);
	assert_int_equal(a->contact_count, b->contact_count);
	for (size_t i = 0; i < a->contact_count; i++)
		contacts_compare(&a->contacts[i], &b->contacts[i]);
	assert_int_equal(a->path_change_count, b->path_change_count);
	for (size_t i = 0; i < a->path_change_count; i++) {
		doubles_compare(&a->path_changes[i].time, &b->path_changes[i].time, 1);
		assert_int_equal(a->path_changes[i].body, b->path_changes[i].body);
		assert_int_equal(a->path_changes[i].kind, b->path_changes[i].kind);
		doubles_compare(a->path_changes[i].vector, b->path_changes[i].vector, 2);
	}
	assert_int_equal(a->shortfall_count, b->shortfall_count);
	for (size_t i = 0; i < a->shortfall_count; i++) {
		assert_int_equal(a->shortfalls[i].body, b->shortfalls[i].body);
		assert_int_equal(a->shortfalls[i].flag, b->shortfalls[i].flag);
		doubles_compare(&a->shortfalls[i].amount, &b->shortfalls[i].amount, 1);
	}
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
	reports_compare(report, &own);
	struct snapshot end = snapshot_take(follower);
	snapshots_compare(after, &end);
	free(end.bytes);
}

enum status
selfcheck_step(struct selfcheck *check, struct world *world, double dt, struct tick_report *report)
{
	const size_t count = sizeof check->followers / sizeof *check->followers;
	struct snapshot before = snapshot_take(world);
	struct world *fresh = snapshot_restored(&before);
	free(before.bytes);

	const enum status status = world_step(world, dt, report);
	struct snapshot after = { 0 };
	if (status == STATUS_OK)
		after = snapshot_take(world);
	follower_step(fresh, dt, status, report, &after);
	for (size_t i = 0; i < count; i++)
		if (check->followers[i])
			follower_step(check->followers[i], dt, status, report, &after);
	free(after.bytes);
	if (status == STATUS_OK && check->ticks++ % check->every == 0) {
		const size_t turn = check->ticks / check->every % count;
		world_destroy(check->followers[turn]);
		check->followers[turn] = fresh;
	} else {
		world_destroy(fresh);
	}
	return status;
}
