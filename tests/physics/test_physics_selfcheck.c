/* A tick made three times: nothing differs in good runs, and whatever is made to differ is found and named. The restored world,
 * or the returned one, is spoilt by the linker's --wrap, so that nothing in the engine is there for this test. */
#include "base/pause.h"
#include "physics/scenes.h"

#include "physics/followers.h"
#include "physics/keep.h"
#include "physics/resting/handover.h"
#include "physics/self_check.h"
#include "physics/world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum status __real_world_restore(const void *snapshot, size_t size, unsigned flags, struct snapshot_problem *problem,
                                 struct world **out);
enum status __wrap_world_restore(const void *snapshot, size_t size, unsigned flags, struct snapshot_problem *problem,
                                 struct world **out);

enum status __real_world_return(struct world *world, const struct world_kept *kept);
enum status __wrap_world_return(struct world *world, const struct world_kept *kept);

/* Done to every restored world, or to every returned one, if there is one. */
static void (*spoil)(struct world *world);
static bool spoil_returned;
static bool cut_short;

enum status
__wrap_world_restore(const void *snapshot, size_t size, unsigned flags, struct snapshot_problem *problem, struct world **out)
{
	const enum status status = __real_world_restore(snapshot, cut_short ? size - 9 : size, flags, problem, out);
	if (status == STATUS_OK && spoil && !spoil_returned)
		spoil(*out);
	return status;
}

enum status
__wrap_world_return(struct world *world, const struct world_kept *kept)
{
	const enum status status = __real_world_return(world, kept);
	if (status == STATUS_OK && spoil && spoil_returned)
		spoil(world);
	return status;
}

static const double dt = 1.0 / 60;

/* Steps a pile, spoilt from tick `from` on; the status of the last step, and what differed. */
static enum status
pile_check(void (*spoiler)(struct world *world), uint64_t from, uint64_t ticks, struct difference *difference)
{
	struct scenario scenario;
	struct def_problem problem;
	struct world *world;
	struct selfcheck check = { .before = NULL };
	enum status status = STATUS_OK;
	scenario_init(&scenario);
	scene_pile(&scenario, 40, 8, 0.4, 0.6, 9);
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_OK);
	for (uint64_t tick = 1; tick <= ticks && status == STATUS_OK; tick++) {
		struct tick_report report;
		spoil = tick >= from ? spoiler : NULL;
		status = selfcheck_step(&check, world, dt, &report);
		if (status == STATUS_OK)
			assert_int_equal(report.tick, tick);
		else
			assert_int_equal(tick, from > 0 ? from : 1); /* in the very tick */
	}
	spoil = NULL;
	*difference = check.difference;
	assert_true(selfcheck_memory_bytes(&check) > 0);
	selfcheck_finish(&check);
	assert_int_equal(selfcheck_memory_bytes(&check), 0);
	world_destroy(world);
	scenario_finish(&scenario);
	return status;
}

static void
test_good_ticks_are_the_same(void **state)
{
	(void)state;
	struct difference difference;
	assert_int_equal(pile_check(NULL, 0, 120, &difference), STATUS_OK);
	assert_string_equal(difference.text, "");
}

static void
move_by_one_bit(struct world *world)
{
	world->bodies.paths[7].x = nextafter(world->bodies.paths[7].x, 1e9);
}

/* What nothing depends on. */
static void
turn_by_one_bit(struct world *world)
{
	world->bodies.infos[7].angle = nextafter(world->bodies.infos[7].angle, 1e9);
}

static void
spin_the_last(struct world *world)
{
	world->bodies.infos[world->bodies.count - 1].spin += 0x1p-40;
}

static void
miscount_the_ticks(struct world *world)
{
	world->tick++;
}

/* Nothing of this tick, and no bit of the state: only a snapshot after it tells. */
static void
lose_the_threshold(struct world *world)
{
	world->settings.restitution_threshold = 0x1p-900;
}

/* Through the pile: it hits others than it did, and ends elsewhere. What happened is named before what came of it. */
static void
kick(struct world *world)
{
	world->bodies.paths[7].vx += 100;
}

static void
forget_to_look_for_overlap(struct world *world)
{
	world->overlap_possible = true;
}

/* What the solver keeps, lost: the next impulses are found anew. */
static void
forget_the_solver(struct world *world)
{
	handover_destroy(world->handover);
	world->handover = NULL;
}

static void
spoilt(void (*spoiler)(struct world *world), uint64_t from, const char *found)
{
	struct difference difference;
	assert_int_equal(pile_check(spoiler, from, 120, &difference), STATUS_INTERNAL);
	if (!strstr(difference.text, found))
		fail_msg("\"%s\" instead of \"%s\"", difference.text, found);
	assert_non_null(strstr(difference.text, "restored"));
	assert_int_equal(strncmp(difference.text, "after a return: ", 16) == 0, spoil_returned);
	/* Which body it was is told as a number too. */
	const char *row = strstr(difference.text, "bodies.") ? strchr(difference.text, '[') : NULL;
	if (row)
		assert_int_equal(difference.body, strtoul(row + 1, NULL, 10));
}

static void
test_what_was_spoilt_is_found_and_named(void **state)
{
	(void)state;
	spoilt(move_by_one_bit, 1, "bodies.x[7] is ");
	spoilt(turn_by_one_bit, 50, "bodies.angle[7] is ");
	spoilt(spin_the_last, 60, " is ");
	spoilt(miscount_the_ticks, 50, "world.tick is 50 in the run, 51 restored");
	spoilt(lose_the_threshold, 30, "world.restitution_threshold is 0 in the run, 1.18");
	spoilt(forget_the_solver, 100, " is ");
	spoilt(kick, 60, "path_changes.");
}

static void
test_what_returned_otherwise_is_found_and_named(void **state)
{
	(void)state;
	spoil_returned = true;
	spoilt(move_by_one_bit, 1, "bodies.x[7] is ");
	spoilt(turn_by_one_bit, 50, "bodies.angle[7] is ");
	spoilt(miscount_the_ticks, 50, "world.tick is 50 in the run, 51 restored");
	spoilt(forget_the_solver, 100, " is ");
	spoilt(kick, 60, "path_changes.");
	spoil_returned = false;
}

static void
test_one_that_cannot_be_restored(void **state)
{
	(void)state;
	struct difference difference;
	cut_short = true;
	assert_int_equal(pile_check(NULL, 1, 5, &difference), STATUS_INTERNAL);
	cut_short = false;
	assert_string_equal(difference.text, "not restored: header.size[0] is more than there is: the snapshot is cut short");
}

/* That nothing is found where nothing can differ: looking for overlap in vain changes no bit. */
static void
test_what_changes_nothing_is_no_difference(void **state)
{
	(void)state;
	struct difference difference;
	assert_int_equal(pile_check(forget_to_look_for_overlap, 5, 20, &difference), STATUS_OK);
}

static bool
stop_now(void *context)
{
	(void)context;
	return true;
}

static void
test_a_tick_that_is_given_up(void **state)
{
	(void)state;
	struct scenario scenario;
	struct def_problem problem;
	struct world *world;
	struct selfcheck check = { .before = NULL };
	struct tick_report report;
	struct pause before;
	scenario_init(&scenario);
	scene_gas(&scenario, 400, 600, 3);
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_OK);
	pause_begin(&before, stop_now, NULL);
	assert_int_equal(selfcheck_step(&check, world, 1, &report), STATUS_CANCELLED);
	pause_end(&before);
	selfcheck_finish(&check);
	world_destroy(world);
	scenario_finish(&scenario);
}

/* Each member of each row of a report, and every count. */
static void
test_reports_differ_in_any_bit(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	struct difference difference;
	scenario_init(&scenario);
	scene_pile(&scenario, 12, 6, 0.4, 1, 9);
	scenario.def.events_per_body_max = 1; /* so that there are shortfalls */
	run_start_uncertified(&run, &scenario);
	do {
		run_ticks(&run, 0.1, 1);
	} while (!run.report.contact_count || !run.report.path_change_count || !run.report.shortfall_count);

	struct tick_report other = run.report;
	assert_true(reports_compare(&run.report, &other, &difference));
	struct contact contact = run.report.contacts[run.report.contact_count - 1];
	struct contact *contacts = malloc(run.report.contact_count * sizeof *contacts);
	assert_non_null(contacts);
	memcpy(contacts, run.report.contacts, run.report.contact_count * sizeof *contacts);
	other.contacts = contacts;
	assert_true(reports_compare(&run.report, &other, &difference));
	double *const values[] = { &contact.time,       &contact.point[0],      &contact.normal[1],    &contact.approach_speed,
		                       &contact.impulse,    &contact.a_before[0],   &contact.a_after[1],   &contact.b_before[0],
		                       &contact.b_after[1], &contact.a_spin_before, &contact.b_spin_after, &contact.friction_impulse };
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		const double kept = *values[i];
		*values[i] = kept == 0 ? -0.0 : nextafter(kept, 1e300);
		contacts[run.report.contact_count - 1] = contact;
		assert_false(reports_compare(&run.report, &other, &difference));
		assert_non_null(strstr(difference.text, "contacts."));
		*values[i] = kept;
	}
	contact.flags ^= CONTACT_SECONDARY;
	contacts[run.report.contact_count - 1] = contact;
	assert_false(reports_compare(&run.report, &other, &difference));
	assert_non_null(strstr(difference.text, "contacts.flags["));
	other.contacts = run.report.contacts;
	other.contact_count--;
	assert_false(reports_compare(&run.report, &other, &difference));
	assert_non_null(strstr(difference.text, "contacts.count is "));
	other.contact_count++;
	other.path_change_count = 0;
	assert_false(reports_compare(&run.report, &other, &difference));
	other.path_change_count = run.report.path_change_count;
	other.shortfall_count--;
	assert_false(reports_compare(&run.report, &other, &difference));
	other.shortfall_count++;
	other.energy.sleep = -0.0;
	assert_false(reports_compare(&run.report, &other, &difference));
	assert_non_null(strstr(difference.text, "energy[10] is 0 in the run, -0 restored"));
	other.energy = run.report.energy;
	other.momentum.outside[1] += 1;
	assert_false(reports_compare(&run.report, &other, &difference));
	other.momentum = run.report.momentum;
	other.clips++;
	assert_false(reports_compare(&run.report, &other, &difference));
	assert_non_null(strstr(difference.text, "report.clips is "));
	free(contacts);
	run_abandon(&run);
	scenario_finish(&scenario);
}

/* Any changed byte after the header is found, and named by a field of some table. */
static void
test_snapshots_differ_in_any_byte(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scene_pile(&scenario, 12, 6, 0.4, 1, 9);
	scenario.def.sleep_after = 0.5;
	run_start(&run, &scenario);
	run_ticks(&run, dt, 120);
	struct snapshot one = snapshot_take(run.world), other = snapshot_take(run.world);
	struct difference difference;
	size_t named = 0;
	assert_true(snapshots_compare(one.bytes, one.size, other.bytes, other.size, &difference));
	for (size_t i = 24; i < one.size; i++) {
		other.bytes[i] ^= 0x10;
		assert_false(snapshots_compare(one.bytes, one.size, other.bytes, other.size, &difference));
		named += !strstr(difference.text, "snapshot.bytes");
		other.bytes[i] ^= 0x10;
	}
	assert_int_equal(named, one.size - 24 - 8); /* all but the checksum */
	assert_false(snapshots_compare(one.bytes, one.size, other.bytes, other.size - 1, &difference));
	free(one.bytes);
	free(other.bytes);
	run_finish(&run);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_ticks_are_the_same),
		cmocka_unit_test(test_what_was_spoilt_is_found_and_named),
		cmocka_unit_test(test_what_returned_otherwise_is_found_and_named),
		cmocka_unit_test(test_one_that_cannot_be_restored),
		cmocka_unit_test(test_what_changes_nothing_is_no_difference),
		cmocka_unit_test(test_a_tick_that_is_given_up),
		cmocka_unit_test(test_reports_differ_in_any_bit),
		cmocka_unit_test(test_snapshots_differ_in_any_byte),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
