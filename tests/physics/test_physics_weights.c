/* What relations make of contacts: weights, elasticity, one side. Weights are checked against what FlatRedBall documents of
 * CollideAgainstMove and CollideAgainstBounce (thisMass, otherMass, elasticity). */
#include "physics/followers.h"
#include "physics/relate.h"
#include "physics/scenes.h"

#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>

/* Two circles head-on: u1 = 3, u2 = -1, masses 2 and 5, groups 1 and 2. Of the change of the relative velocity, (1 + e) 4, the
 * first takes w2 / (w1 + w2). FlatRedBall's pages: "CollideAgainstMove(wall, 0, 1)": the wall does not move; "(block, 1, 0)":
 * the player does not slow down at all. "(car, 1, 1)": both impacted equally; "(car, 3, 1)": as if three times as heavy. */
static void
weights_case(struct relation_def relation, double w1, double w2, double e)
{
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	struct circle_def *circle = scenario_circle(&scenario, -2, 0, 3, 0, 1);
	circle->mass = 2;
	circle->group = 1;
	circle = scenario_circle(&scenario, 2, 0, -1, 0, 1);
	circle->mass = 5;
	circle->group = 2;
	scenario_restitution(&scenario, 0.5);
	relations_put(&scenario, &relation, 1);
	run_start(&run, &scenario);
	run_ticks(&run, 1, 1);
	const double change = (1 + e) * 4, s1 = w2 / (w1 + w2), s2 = w1 / (w1 + w2);
	const double v1 = 3 - change * s1, v2 = -1 + change * s2;
	assert_double_near(run_body(&run, 0).vx, v1, 1e-14 * 8);
	assert_double_near(run_body(&run, 1).vx, v2, 1e-14 * 8);
	if (s1 == 0)
		assert_same(run_body(&run, 0).vx, 3);
	if (s2 == 0)
		assert_same(run_body(&run, 1).vx, -1);
	/* The impulse told is that of the masses; what does not cancel out is outside's. */
	const double reduced = 2.0 * 5 / 7;
	assert_int_equal(run.contact_count, 1);
	assert_double_near(run.contacts[0].contact.impulse, reduced * change, 1e-14 * 16);
	assert_double_near(run.report.momentum.outside[0], 2 * (v1 - 3) + 5 * (v2 + 1), 1e-13);
	assert_double_near(run.report.energy.contact, -reduced * (1 - e * e) * 16 / 2, 1e-13);
	assert_double_near(run.report.energy.work + run.report.energy.contact, (v1 * v1 - 9) + 2.5 * (v2 * v2 - 1), 1e-13);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_weights_are_those_of_flatredball(void **state)
{
	(void)state;
	static const double weights[][2] = { { 0, 1 }, { 1, 0 }, { 1, 1 }, { 1, 3 }, { 3, 1 }, { 0.5, 0.5 }, { 1e15, 1e-15 } };
	for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
		const double a = weights[i][0], b = weights[i][1];
		weights_case(weighted(related(1, 2, RELATION_KIND_MOVE), a, b), a, b, 0);
		weights_case(weighted(related(2, 1, RELATION_KIND_MOVE), b, a), a, b, 0);
		weights_case(weighted(related(1, 2, RELATION_KIND_BOUNCE), a, b), a, b, 0.5);
		for (double e = 0; e <= 1; e += 0.25) {
			struct relation_def relation = weighted(related(1, 2, RELATION_KIND_BOUNCE), a, b);
			relation.has_elasticity = true;
			relation.elasticity = e;
			weights_case(relation, a, b, e);
		}
	}
	/* One alone: the other is 1. */
	struct relation_def one = related(1, 2, RELATION_KIND_MOVE);
	one.has_weight_a = true;
	one.weight_a = 3;
	weights_case(one, 3, 1, 0);
	/* And without any: by mass. */
	weights_case(related(1, 2, RELATION_KIND_MOVE), 2, 5, 0);
	weights_case(related(1, 2, RELATION_KIND_BOUNCE), 2, 5, 0.5);
	/* Of two circles that of group_b is not moved. */
	weights_case(related(1, 2, RELATION_KIND_ONE_SIDED), 0, 1, 0.5);
	weights_case(related(2, 1, RELATION_KIND_ONE_SIDED), 1, 0, 0.5);
}

/* Scene of 40 circles in a box, two groups of masses 1 and 3. */
static void
grouped_gas(struct scenario *scenario, double friction, double gravity)
{
	scenario_init(scenario);
	scene_gas(scenario, 40, 10, 3);
	for (size_t i = 0; i < scenario->circle_count; i++) {
		scenario->circles[i].group = i % 2 ? 1 : 2;
		scenario->circles[i].mass = i % 2 ? 1 : 3;
		scenario->circles[i].friction = friction;
		scenario->circles[i].restitution = 0.5;
	}
	scenario->def.gravity_y = -gravity;
}

static void
test_weights_in_the_ratio_of_masses_change_no_bit(void **state)
{
	(void)state;
	for (int gravity = 0; gravity <= 10; gravity += 10) {
		const struct relation_def relation = weighted(related(2, 1, RELATION_KIND_BOUNCE), 6, 2);
		struct scenario plain, with;
		struct run a, b;
		grouped_gas(&plain, 0.3, gravity);
		grouped_gas(&with, 0.3, gravity);
		relations_put(&with, &relation, 1);
		run_start(&a, &plain);
		run_start(&b, &with);
		for (int tick = 0; tick < (int)effort(120, 300); tick++) {
			run_ticks(&a, 1.0 / 60, 1);
			run_ticks(&b, 1.0 / 60, 1);
			assert_true(world_hash(a.world) == world_hash(b.world));
		}
		assert_true(a.contact_count > effort(80, 200));
		run_finish(&a);
		run_finish(&b);
		scenario_finish(&plain);
		scenario_finish(&with);
	}
}

/* A row that touches: a player of weight 1 towards crates of weight 0, and these of 1 towards what they push. All end with the
 * player's speed, which is what it was; against a wall the weights leave no way. */
static void
row_scene(struct scenario *scenario, const struct relation_def *relations, bool wall)
{
	scenario_init(scenario);
	struct circle_def *player = scenario_circle(scenario, -3, 0, 2, 0, 1);
	player->group = 1;
	player->mass = 0.01;
	for (int i = 0; i < 3; i++) {
		struct circle_def *crate = scenario_circle(scenario, 2.0000001 * i, 0, 0, 0, 1);
		crate->group = 2 + (uint32_t)i;
		crate->mass = 1000;
	}
	if (wall)
		scenario_segment(scenario, 5.0000002, -5, 5.0000002, 5);
	relations_put(scenario, relations, 3);
}

static const struct relation_def pushes[] = {
	{ .group_a = 1, .group_b = 2, .kind = RELATION_KIND_MOVE, .has_weight_a = true, .has_weight_b = true, .weight_a = 1 },
	{ .group_a = 3, .group_b = 2, .kind = RELATION_KIND_MOVE, .has_weight_a = true, .has_weight_b = true, .weight_b = 1 },
	{ .group_a = 3, .group_b = 4, .kind = RELATION_KIND_MOVE, .has_weight_a = true, .has_weight_b = true, .weight_a = 1 },
};

static void
test_who_yields_completely_is_pushed_along(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	row_scene(&scenario, pushes, false);
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 60, 240);
	for (uint32_t i = 0; i < 4; i++)
		assert_double_near(run_body(&run, i).vx, 2, 1e-12);
	assert_same(run_body(&run, 0).vx, 2);
	for (size_t i = 0; i < run.contact_count; i++)
		assert_int_equal(run.contacts[i].contact.flags & CONTACT_BY_MASS, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_weights_that_leave_no_way_give_way_to_masses(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	size_t by_mass = 0;
	row_scene(&scenario, pushes, true);
	scenario_restitution(&scenario, 0);
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 60, 240);
	for (size_t i = 0; i < run.contact_count; i++)
		by_mass += (run.contacts[i].contact.flags & CONTACT_BY_MASS) != 0;
	assert_true(by_mass > 0);
	assert_int_equal(run.shortfall_flags, 0);
	for (uint32_t i = 0; i < 4; i++)
		assert_double_near(run_body(&run, i).vx, 0, 1e-9);
	assert_true(run_overlap(&run, &scenario) <= 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Three in a ring, each of which yields completely to the next, thrown together; and six around one in the middle. */
static void
test_rings_of_who_yields_to_whom_end(void **state)
{
	(void)state;
	for (int elastic = 0; elastic <= 1; elastic++) {
		struct relation_def relations[6];
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		const int n = elastic ? 3 : 5;
		for (int i = 0; i < n; i++) {
			const double a = 90 * DEGREE + 360 * DEGREE * i / n;
			struct circle_def *circle = scenario_circle(&scenario, 4 * cos(a), 4 * sin(a), -3 * cos(a), -3 * sin(a), 1);
			circle->group = (uint32_t)i;
			circle->mass = 1 + i;
			relations[i] = weighted(
				related((uint32_t)i, (uint32_t)((i + 1) % n), elastic ? RELATION_KIND_BOUNCE : RELATION_KIND_MOVE), 0, 1);
			relations[i].has_elasticity = elastic;
			relations[i].elasticity = 1;
		}
		relations_put(&scenario, relations, (size_t)n);
		scenario_box(&scenario, -6, -6, 6, 6);
		run_start(&run, &scenario);
		run_ticks(&run, 1.0 / 60, 200);
		assert_int_equal(run.shortfall_flags, 0);
		assert_true(run.contact_count >= 5);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Pushed out of an overlap by weights: FlatRedBall's reposition, "if the value were .5 and .5, each would move half". */
static void
test_push_out_takes_weights(void **state)
{
	(void)state;
	static const double cases[][2] = { { 0, 1 }, { 1, 0 }, { 0.5, 0.5 }, { 1, 3 } };
	for (size_t i = 0; i < 4; i++) {
		const struct relation_def relation = weighted(related(1, 2, RELATION_KIND_MOVE), cases[i][0], cases[i][1]);
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		struct circle_def *circle = scenario_circle(&scenario, 0, 0, 0, 0, 1);
		circle->group = 1;
		circle->mass = 7;
		scenario_circle(&scenario, 1.5, 0, 0, 0, 1)->group = 2;
		relations_put(&scenario, &relation, 1);
		run_start(&run, &scenario);
		run_ticks(&run, 1.0 / 60, 1);
		const double sum = cases[i][0] + cases[i][1];
		assert_double_near(run_body(&run, 0).x, -0.5 * cases[i][1] / sum, 1e-8);
		assert_double_near(run_body(&run, 1).x, 1.5 + 0.5 * cases[i][0] / sum, 1e-8);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Friction of a pair with weights: the side that does not yield keeps its spin too, ledgers close (run_finish). */
static void
test_who_does_not_yield_is_not_turned(void **state)
{
	(void)state;
	const struct relation_def relation = weighted(related(1, 2, RELATION_KIND_BOUNCE), 1, 0);
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	struct circle_def *circle = scenario_circle(&scenario, -2, 0.7, 3, 0, 1);
	circle->group = 1;
	circle->friction = 1;
	circle->angular_velocity = 4;
	circle = scenario_circle(&scenario, 2, 0, -1, 0, 1);
	circle->group = 2;
	circle->friction = 1;
	circle->mass = 9;
	relations_put(&scenario, &relation, 1);
	run_start(&run, &scenario);
	run_ticks(&run, 1, 1);
	assert_int_equal(run.contact_count, 1);
	assert_same(run_body(&run, 0).vx, 3);
	assert_same(run_body(&run, 0).vy, 0);
	assert_same(run_body(&run, 0).angular_velocity, 4);
	assert_true(run_body(&run, 1).angular_velocity != 0);
	/* A disc that yields completely: the tangential impulse stops the slip if it may, of mass and inertia alone. */
	const struct contact *c = &run.contacts[0].contact;
	assert_true(fabs(c->friction_impulse) > 0 && fabs(c->friction_impulse) <= c->impulse * (1 + 1e-15));
	const double tx = -c->normal[1], ty = c->normal[0];
	const double slip = (c->a_after[0] - c->b_after[0]) * tx + (c->a_after[1] - c->b_after[1]) * ty - c->a_spin_after -
	                    c->b_spin_after;
	if (fabs(c->friction_impulse) < c->impulse * (1 - 1e-9))
		assert_double_near(slip, 0, 1e-12);
	run_finish(&run);
	scenario_finish(&scenario);
}

static const struct relation_def crowd[] = {
	{ .group_a = 0,
	  .group_b = 0,
	  .kind = RELATION_KIND_MOVE,
	  .has_weight_a = true,
	  .has_weight_b = true,
	  .weight_a = 1,
	  .weight_b = 1 },
	{ .group_a = 1,
	  .group_b = 0,
	  .kind = RELATION_KIND_MOVE,
	  .has_weight_a = true,
	  .has_weight_b = true,
	  .weight_a = 3,
	  .weight_b = 1 },
	{ .group_a = 1, .group_b = 1, .kind = RELATION_KIND_BOUNCE, .has_elasticity = true, .elasticity = 0.25 },
	{ .group_a = 2,
	  .group_b = 0,
	  .kind = RELATION_KIND_MOVE,
	  .has_weight_a = true,
	  .has_weight_b = true,
	  .weight_a = 0,
	  .weight_b = 1 },
	{ .group_a = 2, .group_b = 1, .kind = RELATION_KIND_NONE },
};

/* Circles of unlike masses all over a box with a wall, on their way to one point. */
static void
crowd_scene(struct scenario *scenario, size_t side, double gravity, bool backwards)
{
	scenario_init(scenario);
	for (size_t i = 0; i < side * side; i++) {
		const double x = 1.3 * (double)(i % side) - 0.65 * (double)side, y = 1.3 * (double)(i / side) - 0.65 * (double)side;
		struct circle_def *circle = scenario_circle(scenario, x, y, -0.7 * x, -0.7 * y, 0.5);
		circle->mass = 1 + (double)(i % 4);
		circle->group = (uint32_t)(i % 3);
	}
	for (size_t i = 0; backwards && i < side * side / 2; i++) {
		const struct circle_def swap = scenario->circles[i];
		scenario->circles[i] = scenario->circles[side * side - 1 - i];
		scenario->circles[side * side - 1 - i] = swap;
	}
	scenario_segment(scenario, -0.6 * (double)side, -3, 0.5 * (double)side, 4)->group = 0;
	scenario_box(scenario, -(double)side, -(double)side, (double)side, (double)side);
	scenario->def.gravity_y = -gravity;
}

static void
test_shuffled_scenes_and_snapshots_give_equal_hashes(void **state)
{
	(void)state;
	for (int gravity = 0; gravity <= 5; gravity += 5) {
		struct scenario one, other;
		struct run a;
		struct def_problem problem;
		struct world *world;
		struct followers check;
		struct relation_def shuffled[5];
		crowd_scene(&one, 6, gravity, false);
		crowd_scene(&other, 6, gravity, true);
		for (size_t i = 0; i < 5; i++)
			shuffled[i] = crowd[4 - i];
		relations_put(&one, crowd, 5);
		relations_put(&other, shuffled, 5);
		run_start(&a, &one);
		assert_int_equal(world_create(scenario_def(&other), &problem, &world), STATUS_OK);
		followers_init(&check, 7);
		for (int tick = 0; tick < 60; tick++) {
			struct tick_report report;
			run_ticks(&a, 1.0 / 60, 1);
			assert_int_equal(followers_step(&check, world, 1.0 / 60, &report), STATUS_OK);
			assert_true(world_hash(world) == world_hash(a.world));
		}
		assert_true(a.contact_count > 100);
		followers_finish(&check);
		world_destroy(world);
		/* As in the soups: a jam of masses loses some bits of what its impulses are told to be. */
		const struct certificate_report *report = certified_report(a.certified);
		assert_true(report->overlaps == 0 && report->escapes == 0 && report->largest_jump <= 1e-9);
		assert_true(certified_momentum_error(a.certified) <= 1e-9 && certified_energy_error(a.certified) <= 1e-9);
		run_abandon(&a);
		scenario_finish(&one);
		scenario_finish(&other);
	}
}

/* Two in a box, of which the first does not yield to the second. By their weights each of their contacts may give energy. Where
 * a wall leaves no way but by the masses, the second gives some of it to the first. There is no end to that but the speed of
 * PHYSICS_TRAVEL_MAX_RADII in a tick: nothing is won beyond it. */
static void
test_weights_pump_no_further_than_the_skin_covers(void **state)
{
	(void)state;
	static const double masses[] = { 1, 10, 1e6 };
	for (size_t i = 0; i < sizeof masses / sizeof *masses; i += effort(2, 1)) {
		const struct relation_def relation = weighted(related(1, 2, RELATION_KIND_BOUNCE), 1, 0);
		const double dt = 1, fast = PHYSICS_TRAVEL_MAX_RADII * 0.5 / dt, most = 0.5 * (1 + masses[i]) * fast * fast;
		struct scenario scenario;
		struct run run;
		double largest = 0;
		scenario_init(&scenario);
		scenario_circle(&scenario, -3, 0.1, 3, 0.7, 0.5)->group = 1;
		struct circle_def *circle = scenario_circle(&scenario, 2, -0.2, -2, 0.3, 0.5);
		circle->group = 2;
		circle->mass = masses[i];
		scenario_box(&scenario, -4, -1.5, 4, 1.5);
		scenario_restitution(&scenario, 1);
		relations_put(&scenario, &relation, 1);
		scenario.def.events_per_body_max = 300;
		run_start_uncertified(&run, &scenario);
		for (int tick = 0; tick < 300; tick++) {
			run_ticks_unlogged(&run, dt, 1);
			largest = fmax(largest, run.report.energy.kinetic_after);
		}
		assert_at_most(largest, most * (1 + 1e-9));
		/* It comes so far. */
		assert_at_most(0.5 * most, largest);
		run_abandon(&run);
		scenario_finish(&scenario);
	}
}

/* Weights are for two that yield. What is static or kinematic keeps its velocity, and the other bounces off it as without them,
 * whichever of the two groups is the first. */
static void
test_weights_do_not_move_what_is_immovable(void **state)
{
	(void)state;
	for (int way = 0; way < 4; way++) {
		const struct relation_def relation = weighted(related(way & 1 ? 1 : 2, way & 1 ? 2 : 1, RELATION_KIND_BOUNCE), 1, 2);
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		/* The immovable one has the lower id in one half of the ways. */
		for (int k = 0; k < 2; k++) {
			const bool fixed = k == way / 2;
			struct circle_def *circle = scenario_circle(&scenario, fixed ? 0 : 3, 0, fixed ? 0.5 : -2, 0, 1);
			circle->group = fixed ? 1 : 2;
			circle->kind = fixed ? BODY_KINEMATIC : BODY_DYNAMIC;
		}
		scenario_restitution(&scenario, 0.5);
		relations_put(&scenario, &relation, 1);
		run_start(&run, &scenario);
		run_ticks(&run, 1, 1);
		assert_int_equal(run.contact_count, 1);
		assert_same(run_body(&run, (uint32_t)(way / 2)).vx, 0.5);
		assert_double_near(run_body(&run, (uint32_t)(1 - way / 2)).vx, 0.5 + 0.5 * 2.5, 1e-14);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* What side a of a pair takes of the change of its relative velocity: by the weights of both groups, else by the masses. */
static double
share_of_a(const struct scenario *scenario, const struct contact *c)
{
	const struct circle_def *a = &scenario->circles[c->a], *b = &scenario->circles[c->b];
	for (size_t i = 0; i < scenario->def.relation_count && !(c->flags & CONTACT_BY_MASS); i++) {
		const struct relation_def *r = &scenario->def.relations[i];
		if (r->group_a == a->group && r->group_b == b->group)
			return r->weight_b / (r->weight_a + r->weight_b);
		if (r->group_a == b->group && r->group_b == a->group)
			return r->weight_a / (r->weight_a + r->weight_b);
	}
	return b->mass / (a->mass + b->mass);
}

/* The contacts first..end are of one instant. No pair approaches, none that carries an impulse recedes, none pulls; and each
 * body's velocity changed by the sum of what its pairs gave it. Returns how many pairs carry. */
static size_t
instant_check(const struct scenario *scenario, const struct logged_contact *contacts, size_t first, size_t end)
{
	double change[64][2] = { { 0 } }, most = 0;
	size_t carry = 0;
	for (size_t i = first; i < end; i++)
		most = fmax(most, fabs(contacts[i].contact.a_before[0]) + fabs(contacts[i].contact.b_before[0]) +
		                      contacts[i].contact.impulse);
	/* Weights may pump speeds up to 1e9: some ulp of the largest besides. */
	const double room = 1e-8 + 0x1p-48 * most;
	for (size_t i = first; i < end; i++) {
		const struct contact *c = &contacts[i].contact;
		const double *n = c->normal, ma = scenario->circles[c->a].mass, mb = scenario->circles[c->b].mass;
		const double apart = (c->a_after[0] - c->b_after[0]) * n[0] + (c->a_after[1] - c->b_after[1]) * n[1];
		const double by = c->impulse * (1 / ma + 1 / mb), share = share_of_a(scenario, c);
		assert_true(apart >= -0.1 * room && c->impulse >= 0);
		if (by > 1e-9) {
			assert_double_near(apart, 0, room);
			carry++;
		}
		for (int k = 0; k < 2; k++) {
			change[c->a][k] += by * share * n[k];
			change[c->b][k] -= by * (1 - share) * n[k];
		}
	}
	for (size_t i = first; i < end; i++) {
		const struct contact *c = &contacts[i].contact;
		for (int k = 0; k < 2; k++) {
			assert_double_near(c->a_after[k] - c->a_before[k], change[c->a][k], room);
			assert_double_near(c->b_after[k] - c->b_before[k], change[c->b][k], room);
		}
	}
	return carry;
}

/* Hexagonal patches, all in touch, into which one is thrown; three groups of random weights. Each instant's impulses solve
 * their conditions, which have nothing to do with how they were found. */
static void
test_patches_of_weights(void **state)
{
	(void)state;
	static const double weights[] = { 0, 0.5, 1, 1, 3, 20 };
	uint64_t random = 5;
	size_t together = 0;
	for (size_t trial = 0; trial < effort(150, 1500); trial++) {
		struct relation_def relations[6];
		struct scenario scenario;
		struct run run;
		size_t count = 0;
		scenario_init(&scenario);
		for (uint32_t a = 0; a < 3; a++)
			for (uint32_t b = a; b < 3; b++) {
				const double wa = weights[random_below(&random, 6)], wb = weights[random_below(&random, 6)];
				relations[count++] = weighted(related(a, b, RELATION_KIND_MOVE), a == b || wa + wb == 0 ? 1 : wa,
				                              a == b || wa + wb == 0 ? 1 : wb);
			}
		for (int k = 0; k < 12; k++) {
			const double x = (2 + 1e-9) * (k % 4 + 0.5 * (k / 4 % 2)), y = (2 + 1e-9) * 0.8660254037844387 * (k / 4);
			if (random_below(&random, 4) == 0)
				continue;
			struct circle_def *circle = scenario_circle(&scenario, x, y, 0, 0, 1);
			circle->mass = random_between(&random, 0.2, 5);
			circle->group = (uint32_t)random_below(&random, 3);
		}
		struct circle_def *thrown = scenario_circle(&scenario, -4, random_between(&random, -1, 5), 6, 0, 1);
		thrown->mass = random_between(&random, 0.2, 5);
		thrown->group = (uint32_t)random_below(&random, 3);
		relations_put(&scenario, relations, count);
		run_start_uncertified(&run, &scenario);
		run_ticks(&run, 1.0 / 60, 40);
		for (size_t first = 0, end; first < run.contact_count; first = end) {
			for (end = first + 1; end < run.contact_count &&
			                      run.contacts[end].contact.time == run.contacts[first].contact.time &&
			                      run.contacts[end].tick == run.contacts[first].tick;)
				end++;
			together += instant_check(&scenario, run.contacts, first, end) > 1;
		}
		run_abandon(&run);
		scenario_finish(&scenario);
	}
	assert_true(together > 50);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weights_are_those_of_flatredball),
		cmocka_unit_test(test_weights_in_the_ratio_of_masses_change_no_bit),
		cmocka_unit_test(test_who_yields_completely_is_pushed_along),
		cmocka_unit_test(test_weights_that_leave_no_way_give_way_to_masses),
		cmocka_unit_test(test_rings_of_who_yields_to_whom_end),
		cmocka_unit_test(test_weights_do_not_move_what_is_immovable),
		cmocka_unit_test(test_patches_of_weights),
		cmocka_unit_test(test_push_out_takes_weights),
		cmocka_unit_test(test_who_does_not_yield_is_not_turned),
		long_case(test_weights_pump_no_further_than_the_skin_covers),
		long_case(test_shuffled_scenes_and_snapshots_give_equal_hashes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
