/* The checker must see what is wrong. Good ticks of the engine, and ticks written by hand, are spoiled in one way each, and
 * each fault must be found as what it is. Nothing is found in what is good. */
#include "outside/spoil.h"
#include "outside/spoil_scenes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* --- lies --- */

static void
radius_lie(struct draft *draft)
{
	for (size_t i = 0; i < draft->circle_count; i++)
		draft->circles[i].radius *= 1 + 1e-6;
}

static void
wall_lie(struct draft *draft)
{
	draft_wall(draft, -1, 1, 1, 1);
}

static void
one_sided_lie(struct draft *draft)
{
	draft_wall(draft, 1, 1, -1, 1)->one_sided = true;
}

/* The same from its other side, which may be passed. */
static void
one_sided_truth(struct draft *draft)
{
	draft_wall(draft, -1, 1, 1, 1)->one_sided = true;
}

static void
restitution_lie(struct draft *draft)
{
	draft_materials(draft, 0.999, 0);
}

static void
friction_lie(struct draft *draft)
{
	draft_materials(draft, 0.5, 0.3);
}

static void
mask_lie(struct draft *draft)
{
	draft->circles[0].mask = 2;
}

static void
damping_lie(struct draft *draft)
{
	for (size_t i = 0; i < draft->circle_count; i++)
		draft->circles[i].linear_damping = 0.2;
}

static void
gravity_lie(struct draft *draft)
{
	draft->def.gravity_y = -1e-6;
}

/* --- spoils --- */

static bool
position_move(struct told *told)
{
	told->columns.x[0] += 1e-6;
	return true;
}

static bool
velocity_change(struct told *told)
{
	told->columns.vx[1] *= 1 + 1e-9;
	return true;
}

static bool
spin_change(struct told *told)
{
	for (size_t i = 0; i < told->tick->contact_count; i++)
		if (told->columns.contacts[i].a_spin_after != 0) {
			told->columns.contacts[i].a_spin_after *= 1 + 1e-6;
			return true;
		}
	return false;
}

static bool
number_break(struct told *told)
{
	told->columns.y[2] = (double)NAN;
	return true;
}

static bool
id_break(struct told *told)
{
	if (told->tick->contact_count > 0)
		told->columns.contacts[0].a = 77;
	return told->tick->contact_count > 0;
}

static bool
time_break(struct told *told)
{
	if (told->tick->contact_count > 1)
		told->columns.contacts[0].time = told->tick->dt;
	return told->tick->contact_count > 1 && told->columns.contacts[1].time < told->tick->dt;
}

static bool
contact_drop(struct told *told)
{
	if (told->tick->contact_count > 0)
		told->tick->contact_count--;
	else
		return false;
	return true;
}

static bool
normal_swap(struct told *told)
{
	if (told->tick->contact_count == 0)
		return false;
	told->columns.contacts[0].normal[0] *= -1;
	told->columns.contacts[0].normal[1] *= -1;
	return true;
}

static bool
normal_turn(struct told *told)
{
	if (told->tick->contact_count == 0)
		return false;
	double *n = told->columns.contacts[0].normal;
	const double x = n[0], y = n[1], angle = 1e-7;
	n[0] = cos(angle) * x - sin(angle) * y;
	n[1] = sin(angle) * x + cos(angle) * y;
	return true;
}

static bool
normal_lengthen(struct told *told)
{
	if (told->tick->contact_count == 0)
		return false;
	told->columns.contacts[0].normal[0] *= 1 + 1e-12;
	told->columns.contacts[0].normal[1] *= 1 + 1e-12;
	return true;
}

static bool
point_move(struct told *told)
{
	if (told->tick->contact_count == 0)
		return false;
	told->columns.contacts[0].point[0] += 1e-7;
	return true;
}

static bool
feature_change(struct told *told)
{
	for (size_t i = 0; i < told->tick->contact_count; i++)
		if (told->columns.contacts[i].with_wall) {
			told->columns.contacts[i].feature = 1;
			return true;
		}
	return false;
}

/* Both at the same time: so the geometry is of another moment, and the velocities are not. */
static bool
contact_hasten(struct told *told)
{
	if (told->tick->contact_count == 0 || !(told->columns.contacts[0].time > 1e-3))
		return false;
	told->columns.contacts[0].time -= 1e-3;
	return true;
}

static bool
impulse_change(struct told *told)
{
	for (size_t i = 0; i < told->tick->contact_count; i++)
		if (told->columns.contacts[i].impulse > 1 && !(told->columns.contacts[i].flags & OUTSIDE_CONTACT_SECONDARY)) {
			told->columns.contacts[i].impulse *= 1 + 1e-9;
			return true;
		}
	return false;
}

static bool
approach_change(struct told *told)
{
	if (told->tick->contact_count == 0)
		return false;
	told->columns.contacts[0].approach *= 1 + 1e-9;
	return true;
}

/* All velocities of the end, and those told with contacts, grow or shrink alike: as if a little had been taken from each. */
static void
all_slow(struct told *told, double part)
{
	for (size_t i = 0; i < 9; i++) {
		told->columns.vx[i] *= part;
		told->columns.vy[i] *= part;
	}
}

static bool
energy_take(struct told *told)
{
	all_slow(told, 1 - 1e-9);
	return true;
}

static bool
energy_give(struct told *told)
{
	all_slow(told, 1 + 1e-9);
	return true;
}

static bool
ledger_change(struct told *told)
{
	told->tick->energy_parts += 1e-6 * (1 + told->tick->kinetic_after);
	return true;
}

static bool
kinetic_change(struct told *told)
{
	told->tick->kinetic_after *= 1 + 1e-6;
	return true;
}

static bool
momentum_change(struct told *told)
{
	told->tick->momentum_outside[1] += 1e-3;
	return true;
}

static bool
begin_drop(struct told *told)
{
	for (size_t i = 0; i < told->tick->event_count; i++)
		if (told->columns.events[i].kind == OUTSIDE_BEGIN) {
			told->columns.events[i].kind = OUTSIDE_END;
			return true;
		}
	return false;
}

static bool
enter_drop(struct told *told)
{
	if (told->tick->event_count == 0)
		return false;
	told->tick->event_count--;
	return true;
}

static bool
push_drop(struct told *told)
{
	return spoil_change_drop(told, OUTSIDE_PUSHED, 1e-3);
}

static bool
lead_drop(struct told *told)
{
	return spoil_change_drop(told, OUTSIDE_LED, 0);
}

static bool
kick_drop(struct told *told)
{
	return spoil_change_drop(told, OUTSIDE_KICKED, 1e-3);
}

static bool
kick_change(struct told *told)
{
	for (size_t i = 0; i < told->tick->change_count; i++)
		if (told->columns.changes[i].kind == OUTSIDE_KICKED) {
			told->columns.changes[i].vector[0] *= 1 + 1e-9;
			return true;
		}
	return false;
}

static bool
flags_drop(struct told *told)
{
	told->tick->shortfall_count = 0;
	return true;
}

static bool
depth_lessen(struct told *told)
{
	for (size_t i = 0; i < told->tick->shortfall_count; i++)
		told->columns.shortfalls[i].amount *= 0.99;
	return told->tick->shortfall_count > 0;
}

static void
test_what_is_good_is_clean(void **state)
{
	(void)state;
	assert_int_equal(spoil_found_by(spoil_gas, NULL, NULL), 0);
	assert_int_equal(spoil_found_by(spoil_rough, NULL, NULL), 0);
	assert_int_equal(spoil_found_by(spoil_overlapped, NULL, NULL), 0);
	assert_int_equal(spoil_found_by(spoil_straight, NULL, NULL), 0);
	assert_int_equal(spoil_found_by(spoil_resting, NULL, NULL), 0);
	assert_int_equal(spoil_found_by(spoil_heap, NULL, NULL), 0);
	assert_int_equal(spoil_found_by(spoil_sunk, NULL, NULL), 0);
	assert_int_equal(spoil_found_by(spoil_straight, one_sided_truth, NULL), 0);
}

static void
test_each_lie_is_found(void **state)
{
	(void)state;
	assert_true(spoil_found_by(spoil_gas, radius_lie, NULL) & spoil_bit(OUTSIDE_BAD_OVERLAP));
	assert_true(spoil_found_by(spoil_resting, radius_lie, NULL) & spoil_bit(OUTSIDE_BAD_REST_DEPTH));
	assert_true(spoil_found_by(spoil_straight, wall_lie, NULL) & spoil_bit(OUTSIDE_BAD_CROSSING));
	assert_true(spoil_found_by(spoil_straight, wall_lie, NULL) & spoil_bit(OUTSIDE_BAD_OVERLAP));
	assert_true(spoil_found_by(spoil_straight, one_sided_lie, NULL) & spoil_bit(OUTSIDE_BAD_CROSSING));
	assert_true(spoil_found_by(spoil_straight, one_sided_lie, NULL) & spoil_bit(OUTSIDE_BAD_OVERLAP));
	assert_true(spoil_found_by(spoil_gas, restitution_lie, NULL) & spoil_bit(OUTSIDE_BAD_LAW));
	assert_true(spoil_found_by(spoil_rough, friction_lie, NULL) & spoil_bit(OUTSIDE_BAD_LAW));
	assert_true(spoil_found_by(spoil_gas, mask_lie, NULL) & spoil_bit(OUTSIDE_BAD_CONTACT));
	assert_true(spoil_found_by(spoil_rough, damping_lie, NULL) & spoil_bit(OUTSIDE_BAD_VELOCITY));
	assert_true(spoil_found_by(spoil_straight, gravity_lie, NULL) & spoil_bit(OUTSIDE_BAD_POSITION));
	assert_true(spoil_found_by(spoil_straight, gravity_lie, NULL) & spoil_bit(OUTSIDE_BAD_VELOCITY));
	assert_true(spoil_found_by(spoil_straight, gravity_lie, NULL) & spoil_bit(OUTSIDE_BAD_ENERGY_GAIN));
}

static void
test_each_spoiled_tick_is_found(void **state)
{
	static const struct {
		void (*make)(struct draft *);
		spoil_fn spoil;
		enum outside_finding finding;
	} cases[] = {
		{ spoil_gas, number_break, OUTSIDE_BAD_NUMBERS },
		{ spoil_gas, id_break, OUTSIDE_BAD_NUMBERS },
		{ spoil_gas, time_break, OUTSIDE_BAD_NUMBERS },
		{ spoil_gas, position_move, OUTSIDE_BAD_POSITION },
		{ spoil_gas, velocity_change, OUTSIDE_BAD_VELOCITY },
		{ spoil_rough, spin_change, OUTSIDE_BAD_VELOCITY },
		{ spoil_gas, contact_drop, OUTSIDE_BAD_VELOCITY },
		{ spoil_gas, contact_drop, OUTSIDE_BAD_POSITION },
		{ spoil_gas, normal_swap, OUTSIDE_BAD_CONTACT },
		{ spoil_gas, normal_swap, OUTSIDE_BAD_MOMENTUM },
		{ spoil_gas, normal_turn, OUTSIDE_BAD_CONTACT },
		{ spoil_gas, normal_lengthen, OUTSIDE_BAD_CONTACT },
		{ spoil_gas, point_move, OUTSIDE_BAD_CONTACT },
		{ spoil_gas, feature_change, OUTSIDE_BAD_CONTACT },
		{ spoil_gas, contact_hasten, OUTSIDE_BAD_CONTACT },
		{ spoil_gas, impulse_change, OUTSIDE_BAD_MOMENTUM },
		{ spoil_gas, approach_change, OUTSIDE_BAD_LAW },
		{ spoil_gas, energy_take, OUTSIDE_BAD_ENERGY_LOSS },
		{ spoil_gas, energy_give, OUTSIDE_BAD_ENERGY_GAIN },
		{ spoil_gas, ledger_change, OUTSIDE_BAD_LEDGER },
		{ spoil_gas, kinetic_change, OUTSIDE_BAD_LEDGER },
		{ spoil_gas, momentum_change, OUTSIDE_BAD_LEDGER },
		{ spoil_gas, begin_drop, OUTSIDE_BAD_EVENT },
		{ spoil_straight, enter_drop, OUTSIDE_BAD_EVENT },
		{ spoil_sunk, push_drop, OUTSIDE_BAD_POSITION },
		{ spoil_heap, lead_drop, OUTSIDE_BAD_POSITION },
		{ spoil_rough, kick_drop, OUTSIDE_BAD_VELOCITY },
		{ spoil_rough, kick_change, OUTSIDE_BAD_VELOCITY },
		{ spoil_overlapped, flags_drop, OUTSIDE_BAD_REST_DEPTH },
		{ spoil_overlapped, depth_lessen, OUTSIDE_BAD_FLAG },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const unsigned found = spoil_found_by(cases[i].make, NULL, cases[i].spoil);
		if (!(found & spoil_bit(cases[i].finding)))
			print_error("case %zu: %s was not found, but %x\n", i, outside_finding_name(cases[i].finding), found);
		assert_true(found & spoil_bit(cases[i].finding));
	}
}

/* One circle, one tick, no engine. */
static unsigned
found_by_hand(double vx_end, const struct outside_change *changes, size_t count, double x_end)
{
	const struct outside_circle circle = {
		.x = 0, .radius = 1, .mass = 1, .restitution = 1, .gravity_scale = 1, .category = 1, .mask = 1
	};
	struct outside *outside = outside_create(&(struct outside_scene){ .gravity_x = 1, .circles = &circle, .circle_count = 1 });
	const double zero = 0;

	assert_non_null(outside);
	outside_tick(outside, &(struct outside_tick){ .dt = 1,
	                                              .state_count = 1,
	                                              .x = &x_end,
	                                              .y = &zero,
	                                              .vx = &vx_end,
	                                              .vy = &zero,
	                                              .changes = changes,
	                                              .change_count = count });
	const unsigned found = outside_found(outside);
	outside_destroy(outside);
	return found;
}

static void
test_supports_and_heaps_are_judged(void **state)
{
	const struct outside_change pulled = { 0, 0, OUTSIDE_SUPPORTED, { 0.5, 0 } };
	const struct outside_change carried[] = { { 0, 0, OUTSIDE_LED, { 1, 0 } } };
	const struct outside_change held[] = { { 0, 0, OUTSIDE_SUPPORTED, { 1, 0 } } };

	(void)state;
	assert_int_equal(found_by_hand(1, NULL, 0, 0.5), 0);
	assert_int_equal(found_by_hand(1, held, 1, 0.5), 0);
	assert_int_equal(found_by_hand(0.5, &pulled, 1, 0.25), spoil_bit(OUTSIDE_BAD_SUPPORT));
	assert_int_equal(found_by_hand(1, carried, 1, 1), 0); /* half of what gravity could do: lost, as in a heap */
	assert_int_equal(found_by_hand(2, carried, 1, 1), spoil_bit(OUTSIDE_BAD_HEAP_GAIN));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_good_is_clean),
		cmocka_unit_test(test_each_lie_is_found),
		cmocka_unit_test(test_each_spoiled_tick_is_found),
		cmocka_unit_test(test_supports_and_heaps_are_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
