/* The checker must see what is wrong: good ticks of the engine, and ticks written by hand, are spoiled in one way each, and
 * each must be found as what it is. Nothing is found in what is good. */
#include "outside/curve.h"
#include "outside/draft.h"
#include "outside/feed.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A tick as the engine told it, about to be spoiled. */
struct told {
	struct outside_tick *tick;
	struct feed_writable columns;
};

/* Spoils what fits; whether something did. */
typedef bool (*spoil_fn)(struct told *told);
/* What the checker is told of the scene, in place of the truth. */
typedef void (*lie_fn)(struct draft *draft);

static unsigned
bit(enum outside_finding finding)
{
	return 1u << finding;
}

/* What is found if the first tick that `spoil` can spoil is, and none comes after it. NULL: none is. */
static unsigned
found_by(void (*make)(struct draft *), lie_fn lie, spoil_fn spoil)
{
	struct draft draft, known;
	struct def_problem problem;
	struct world *world = NULL;
	bool spoiled = spoil == NULL;

	draft_init(&draft, 1);
	draft.def.events = WORLD_EVENTS_TOUCH;
	make(&draft);
	draft_copy(&known, &draft);
	if (lie)
		lie(&known);
	assert_int_equal(world_create(draft_def(&draft), &problem, &world), STATUS_OK);
	struct feed *feed = feed_create(draft_def(&known));
	assert_non_null(feed);
	for (unsigned i = 0; i < draft.ticks; i++) {
		struct tick_report report;
		assert_int_equal(world_step(world, draft.dt, &report), STATUS_OK);
		struct told told = { feed_columns(feed, world, draft.dt, &report), feed_writable(feed) };
		const bool now = !spoiled && spoil(&told);
		outside_tick(feed_outside(feed), told.tick);
		spoiled = spoiled || now;
		if (now)
			break;
	}
	if (!spoiled)
		print_error("there was nothing to spoil\n");
	assert_true(spoiled);
	const unsigned found = outside_found(feed_outside(feed));
	if (!lie && !spoil && found)
		print_error("%s\n", outside_first(feed_outside(feed)));
	assert_true((found != 0) == (outside_first(feed_outside(feed))[0] != '\0'));
	assert_true((found == 0) == outside_clean(feed_outside(feed)));
	feed_destroy(feed);
	world_destroy(world);
	draft_finish(&draft);
	draft_finish(&known);
	return found;
}

/* --- scenes --- */

/* Elastic balls in a box. */
static void
gas(struct draft *draft)
{
	draft->ticks = 20;
	draft_box(draft, -4, -4, 4, 4);
	for (int i = 0; i < 9; i++)
		draft_circle(draft, -2.5 + 2.3 * (i % 3), -2.5 + 2.2 * (i / 3.0), 40 * (i % 4) - 55, 30 * (i % 5) - 61, 0.5 + 0.05 * i)
			->mass = 1 + i;
}

/* Rough ones that fall, bounce, come to rest, and are led. */
static void
rough(struct draft *draft)
{
	gas(draft);
	draft->ticks = 60;
	draft->def.gravity_y = -10;
	draft_materials(draft, 0.5, 0.4);
	for (size_t i = 0; i < draft->circle_count; i++)
		draft->circles[i].linear_damping = 0.1;
}

static void
overlapped(struct draft *draft)
{
	draft->ticks = 3;
	draft_wall(draft, -5, 0, 5, 0);
	draft_wall(draft, -5, 0.9, 5, 0.9);
	draft_circle(draft, 0, 0.45, 1, 0, 0.5);
}

/* A heap that the resting solver leads from the start. */
static void
heap(struct draft *draft)
{
	draft->ticks = 10;
	draft->def.gravity_y = -10;
	draft_wall(draft, -5, 0, 5, 0);
	for (int i = 0; i < 12; i++)
		draft_circle(draft, i % 4 - 1.5, 0.5 + (double)(i / 4), 0, 0, 0.5);
	draft_materials(draft, 0, 0.5);
}

/* In a wall, with room to get out. */
static void
sunk(struct draft *draft)
{
	draft->ticks = 3;
	draft_wall(draft, -5, 0, 5, 0);
	draft_circle(draft, 0, 0.3, 1, 0, 0.5);
}

/* What goes straight on. */
static void
straight(struct draft *draft)
{
	draft->ticks = 10;
	draft_circle(draft, 0, -1, 0, 30, 0.5);
	draft_circle(draft, 4, -1, 0, 30, 0.5)->sensor = true;
	draft_circle(draft, 4, 0.5, 0, 0, 0.1);
}

static void
resting(struct draft *draft)
{
	draft->ticks = 30;
	draft->def.gravity_y = -10;
	draft_wall(draft, -5, 0, 5, 0);
	draft_circle(draft, 0, 0.5 + 1e-9, 0, 0, 0.5);
	draft_materials(draft, 0, 0);
}

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

/* The first of the kind that did something. */
static bool
change_drop(struct told *told, enum outside_change_kind kind, double least)
{
	struct outside_change *changes = told->columns.changes;

	for (size_t i = 0; i < told->tick->change_count; i++) {
		if (changes[i].kind != kind || hypot(changes[i].vector[0], changes[i].vector[1]) < least)
			continue;
		told->tick->change_count--;
		for (; i < told->tick->change_count; i++)
			changes[i] = changes[i + 1];
		return true;
	}
	return false;
}

static bool
push_drop(struct told *told)
{
	return change_drop(told, OUTSIDE_PUSHED, 1e-3);
}

static bool
lead_drop(struct told *told)
{
	return change_drop(told, OUTSIDE_LED, 0);
}

static bool
kick_drop(struct told *told)
{
	return change_drop(told, OUTSIDE_KICKED, 1e-3);
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
	assert_int_equal(found_by(gas, NULL, NULL), 0);
	assert_int_equal(found_by(rough, NULL, NULL), 0);
	assert_int_equal(found_by(overlapped, NULL, NULL), 0);
	assert_int_equal(found_by(straight, NULL, NULL), 0);
	assert_int_equal(found_by(resting, NULL, NULL), 0);
	assert_int_equal(found_by(heap, NULL, NULL), 0);
	assert_int_equal(found_by(sunk, NULL, NULL), 0);
	assert_int_equal(found_by(straight, one_sided_truth, NULL), 0);
}

static void
test_each_lie_is_found(void **state)
{
	(void)state;
	assert_true(found_by(gas, radius_lie, NULL) & bit(OUTSIDE_BAD_OVERLAP));
	assert_true(found_by(resting, radius_lie, NULL) & bit(OUTSIDE_BAD_REST_DEPTH));
	assert_true(found_by(straight, wall_lie, NULL) & bit(OUTSIDE_BAD_CROSSING));
	assert_true(found_by(straight, wall_lie, NULL) & bit(OUTSIDE_BAD_OVERLAP));
	assert_true(found_by(straight, one_sided_lie, NULL) & bit(OUTSIDE_BAD_CROSSING));
	assert_true(found_by(straight, one_sided_lie, NULL) & bit(OUTSIDE_BAD_OVERLAP));
	assert_true(found_by(gas, restitution_lie, NULL) & bit(OUTSIDE_BAD_LAW));
	assert_true(found_by(rough, friction_lie, NULL) & bit(OUTSIDE_BAD_LAW));
	assert_true(found_by(gas, mask_lie, NULL) & bit(OUTSIDE_BAD_CONTACT));
	assert_true(found_by(rough, damping_lie, NULL) & bit(OUTSIDE_BAD_VELOCITY));
	assert_true(found_by(straight, gravity_lie, NULL) & bit(OUTSIDE_BAD_POSITION));
	assert_true(found_by(straight, gravity_lie, NULL) & bit(OUTSIDE_BAD_VELOCITY));
	assert_true(found_by(straight, gravity_lie, NULL) & bit(OUTSIDE_BAD_ENERGY_GAIN));
}

static void
test_each_spoiled_tick_is_found(void **state)
{
	static const struct {
		void (*make)(struct draft *);
		spoil_fn spoil;
		enum outside_finding finding;
	} cases[] = {
		{ gas, number_break, OUTSIDE_BAD_NUMBERS },
		{ gas, id_break, OUTSIDE_BAD_NUMBERS },
		{ gas, time_break, OUTSIDE_BAD_NUMBERS },
		{ gas, position_move, OUTSIDE_BAD_POSITION },
		{ gas, velocity_change, OUTSIDE_BAD_VELOCITY },
		{ rough, spin_change, OUTSIDE_BAD_VELOCITY },
		{ gas, contact_drop, OUTSIDE_BAD_VELOCITY },
		{ gas, contact_drop, OUTSIDE_BAD_POSITION },
		{ gas, normal_swap, OUTSIDE_BAD_CONTACT },
		{ gas, normal_swap, OUTSIDE_BAD_MOMENTUM },
		{ gas, normal_turn, OUTSIDE_BAD_CONTACT },
		{ gas, normal_lengthen, OUTSIDE_BAD_CONTACT },
		{ gas, point_move, OUTSIDE_BAD_CONTACT },
		{ gas, feature_change, OUTSIDE_BAD_CONTACT },
		{ gas, contact_hasten, OUTSIDE_BAD_CONTACT },
		{ gas, impulse_change, OUTSIDE_BAD_MOMENTUM },
		{ gas, approach_change, OUTSIDE_BAD_LAW },
		{ gas, energy_take, OUTSIDE_BAD_ENERGY_LOSS },
		{ gas, energy_give, OUTSIDE_BAD_ENERGY_GAIN },
		{ gas, ledger_change, OUTSIDE_BAD_LEDGER },
		{ gas, kinetic_change, OUTSIDE_BAD_LEDGER },
		{ gas, momentum_change, OUTSIDE_BAD_LEDGER },
		{ gas, begin_drop, OUTSIDE_BAD_EVENT },
		{ straight, enter_drop, OUTSIDE_BAD_EVENT },
		{ sunk, push_drop, OUTSIDE_BAD_POSITION },
		{ heap, lead_drop, OUTSIDE_BAD_POSITION },
		{ rough, kick_drop, OUTSIDE_BAD_VELOCITY },
		{ rough, kick_change, OUTSIDE_BAD_VELOCITY },
		{ overlapped, flags_drop, OUTSIDE_BAD_REST_DEPTH },
		{ overlapped, depth_lessen, OUTSIDE_BAD_FLAG },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const unsigned found = found_by(cases[i].make, NULL, cases[i].spoil);
		if (!(found & bit(cases[i].finding)))
			print_error("case %zu: %s was not found, but %x\n", i, outside_finding_name(cases[i].finding), found);
		assert_true(found & bit(cases[i].finding));
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
	outside_tick(outside,
	             &(struct outside_tick){
					 .dt = 1, .x = &x_end, .y = &zero, .vx = &vx_end, .vy = &zero, .changes = changes, .change_count = count });
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
	assert_int_equal(found_by_hand(0.5, &pulled, 1, 0.25), bit(OUTSIDE_BAD_SUPPORT));
	assert_int_equal(found_by_hand(1, carried, 1, 1), 0); /* half of what gravity could do: lost, as in a heap */
	assert_int_equal(found_by_hand(2, carried, 1, 1), bit(OUTSIDE_BAD_HEAP_GAIN));
}

/* Against sampling: the curve is nowhere nearer than found, and somewhere as near. */
static void
test_curves_against_samples(void **state)
{
	struct draft draft;

	(void)state;
	draft_init(&draft, 7);
	for (int i = 0; i < 2000; i++) {
		const struct point p = { draft_between(&draft, -3, 3), draft_between(&draft, -3, 3) };
		const struct point v = { draft_between(&draft, -9, 9), draft_between(&draft, -9, 9) };
		const struct point a = { draft_between(&draft, -9, 9), draft_between(&draft, -9, 9) };
		const struct bar bar = bar_of((struct point){ draft_between(&draft, -2, 0), draft_between(&draft, -2, 2) },
		                              (struct point){ draft_between(&draft, 0, 2), draft_between(&draft, -2, 2) }, 0);
		const struct curve curve = curve_of(p, v, a, 1);
		const real nearest = curve_nearest(&curve, 100, 1), to_bar = curve_nearest_bar(&curve, &bar, 100, 1);
		real sampled = 100, sampled_bar = 100, fastest = 40;
		for (int k = 0; k <= 1000; k++) {
			const real s = k / 1000.0L;
			const struct point at = { p.x + v.x * s + a.x * s * s / 2, p.y + v.y * s + a.y * s * s / 2 };
			sampled = fminl(sampled, sqrtl(at.x * at.x + at.y * at.y));
			sampled_bar = fminl(sampled_bar, bar_distance(&bar, at));
		}
		assert_true(nearest <= sampled + 1e-12L && nearest >= sampled - fastest / 1000);
		assert_true(to_bar <= sampled_bar + 1e-12L && to_bar >= sampled_bar - fastest / 1000);
	}
	draft_finish(&draft);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_good_is_clean),      cmocka_unit_test(test_each_lie_is_found),
		cmocka_unit_test(test_each_spoiled_tick_is_found), cmocka_unit_test(test_supports_and_heaps_are_judged),
		cmocka_unit_test(test_curves_against_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
