/* What a change of the scene's description must, and must not, change: place, scale, direction, order, sense of time. */
#include "physics/scenes.h"

#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"

#include <math.h>

/* Three exact meetings near (ox, oy), radii 1e-3, positions multiples of 2^-14, so that moving the scene rounds nothing:
 * head-on, oblique and a wall. */
static void
tiny_scenario(struct scenario *scenario, double ox, double oy)
{
	const double u = 0x1p-14, r = 1e-3;
	scenario_init(scenario);
	scenario_circle(scenario, ox - 800 * u, oy, 1, 0, r);
	scenario_circle(scenario, ox + 800 * u, oy, -1, 0, r);
	scenario_circle(scenario, ox - 800 * u, oy + 400 * u, 1, 0, r);
	scenario_circle(scenario, ox + 800 * u, oy + 420 * u, -1, 0, r);
	scenario_circle(scenario, ox, oy - 400 * u, 0, -0.5, r);
	scenario_segment(scenario, ox - 1, oy - 1200 * u, ox + 1, oy - 1200 * u);
}

/* Moving by `offset` raises the skin to 64 ulp of it, and rounds paths to its ulp. So times may change by the skin over the
 * closing speed (2 and 0.5). Normals turn by what the larger R does to an offset of 20 u = 1.2e-3 in R = 2e-3. That is d(angle)
 * = tan(angle) skin / R, tan = .76. Twice that is granted. */
static void
moved_run(double offset)
{
	struct scenario near, far;
	tiny_scenario(&near, 0, 0);
	tiny_scenario(&far, offset, -offset);
	struct run at_home, abroad;
	run_start(&at_home, &near);
	run_start(&abroad, &far);
	run_ticks(&at_home, 1.0 / 64, 8);
	run_ticks(&abroad, 1.0 / 64, 8);

	const double skin = pair_skin(offset + 1, 1e-3), turn = 2 * 0.77 * skin / 2e-3;
	assert_int_equal(at_home.contact_count, 3);
	assert_int_equal(abroad.contact_count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct contact *a = &at_home.contacts[i].contact;
		/* The first two happen within a skin of each other, so find the partner by its ids. */
		const struct contact *b = NULL;
		double at = 0;
		for (size_t k = 0; k < 3; k++) {
			if (abroad.contacts[k].contact.a == a->a) {
				b = &abroad.contacts[k].contact;
				at = abroad.contacts[k].at;
			}
		}
		assert_non_null(b);
		assert_double_near(at, at_home.contacts[i].at, 4 * skin);
		assert_double_near(b->normal[0], a->normal[0], turn);
		assert_double_near(b->normal[1], a->normal[1], turn);
		assert_double_near(b->impulse, a->impulse, 2 * turn);
	}
	for (uint32_t id = 0; id < 5; id++) {
		const struct body_state a = run_body(&at_home, id), b = run_body(&abroad, id);
		assert_double_near(b.vx, a.vx, 4 * turn);
		assert_double_near(b.vy, a.vy, 4 * turn);
		/* An eighth of a second at a slightly other velocity, and the skin itself. */
		assert_double_near(b.x - offset, a.x, 4 * turn + 4 * skin);
		assert_double_near(b.y + offset, a.y, 4 * turn + 4 * skin);
	}
	assert_at_most(run_overlap(&abroad, &far), 0);
	run_finish(&at_home);
	run_finish(&abroad);
	scenario_finish(&near);
	scenario_finish(&far);
}

static void
test_scene_moved_by_2_23_and_1e7_with_radii_1e_3(void **state)
{
	(void)state;
	moved_run(0x1p23);
	moved_run(1e7);
}

/* Compares two runs contact by contact: ids in the same order, and times with the factor `time` to the last bit. Velocities
 * after are mapped by the matrix (c -s; s c) with factor `speed`, also to the last bit. */
static void
runs_compare(const struct run *a, const struct run *b, double time, double speed, double c, double s)
{
	assert_int_equal(a->contact_count, b->contact_count);
	assert_int_equal(a->events, b->events);
	for (size_t i = 0; i < a->contact_count; i++) {
		const struct contact *p = &a->contacts[i].contact, *q = &b->contacts[i].contact;
		assert_int_equal(p->a, q->a);
		assert_int_equal(p->b, q->b);
		assert_int_equal(p->other, q->other);
		assert_int_equal(p->feature, q->feature);
		assert_same(q->time, p->time * time);
		assert_same(q->a_after[0], speed * (c * p->a_after[0] - s * p->a_after[1]));
		assert_same(q->a_after[1], speed * (s * p->a_after[0] + c * p->a_after[1]));
	}
	for (size_t i = 0; i < world_body_count(a->world); i++) {
		const struct body_state p = world_body(a->world, i), q = world_body(b->world, i);
		assert_same(q.vx, speed * (c * p.vx - s * p.vy));
		assert_same(q.vy, speed * (s * p.vx + c * p.vy));
	}
}

/* Twelve circles of every kind of contact; rough: with friction, rolling resistance and spins too. */
static void
invariant_scenario(struct scenario *scenario, uint64_t seed, double restitution, bool rough, double gravity)
{
	scenario_init(scenario);
	scene_mixed(scenario, 12, 40, seed);
	scenario_restitution(scenario, restitution);
	scenario->def.gravity_x = 0.25 * gravity;
	scenario->def.gravity_y = -gravity;
	for (size_t i = 0; i < scenario->circle_count && rough; i++) {
		scenario->circles[i].friction = 0.125 * (double)(i % 5);
		scenario->circles[i].rolling_resistance = i % 3 == 0 ? 0.0625 : 0;
		scenario->circles[i].angular_velocity = (double)i - 5;
	}
	for (size_t i = 0; i < scenario->segment_count && rough; i++)
		scenario->segments[i].friction = 0.5;
}

/* Two worlds that are the same but for units or direction, for `ticks` of 1/64 and as many of time / 64. Finishes both. */
static void
runs_alike(struct scenario *one, struct scenario *other, uint64_t ticks, double length, double time, double c, double s)
{
	struct run a, b;
	run_start(&a, one);
	run_start(&b, other);
	run_ticks(&a, 1.0 / 64, ticks);
	run_ticks(&b, time / 64, ticks);
	assert_true(a.contact_count >= 20);
	runs_compare(&a, &b, time, length / time, c, s);
	run_finish(&a);
	run_finish(&b);
	scenario_finish(one);
	scenario_finish(other);
}

/* Lengths times 2^k and times times 2^j: every operation of the engine scales without rounding, so nothing may differ but
 * the exponents. Any absolute tolerance would show. */
static void
scale_run(int k, int j, double restitution, bool rough, double gravity)
{
	struct scenario one, other;
	invariant_scenario(&one, 7, restitution, rough, gravity);
	invariant_scenario(&other, 7, restitution, rough, gravity);
	scenario_scale(&other, ldexp(1, k), ldexp(1, j));
	runs_alike(&one, &other, 64, ldexp(1, k), ldexp(1, j), 1, 0);
}

static void
test_scaling_by_2_k_gives_bit_identical_times(void **state)
{
	(void)state;
	static const int lengths[] = { -20, -3, -1, 1, 2, 10, 24 };
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
		scale_run(lengths[i], 0, 1, false, 0);
	scale_run(0, 3, 1, false, 0);
	scale_run(5, -4, 1, false, 0);
	scale_run(7, 0, 1, false, 10);
	scale_run(-4, 2, 1, false, 10);
	scale_run(6, 0, 0.75, false, 0);
}

/* Friction and the resting solver too. */
static void
test_scaling_by_2_k_of_rough_scenes_and_of_a_pile(void **state)
{
	(void)state;
	scale_run(5, -3, 1, true, 0);
	scale_run(-7, 1, 0.5, true, 10);
	scale_run(3, 2, 0, true, 10);
	for (int rough = 0; rough < 2; rough++) {
		struct scenario one, other;
		scenario_init(&one);
		scene_pile(&one, 60, 6, 0.5 * rough, 0.5, 3);
		scenario_init(&other);
		scene_pile(&other, 60, 6, 0.5 * rough, 0.5, 3);
		scenario_scale(&other, 0.25, 2);
		runs_alike(&one, &other, 200, 0.25, 2, 1, 0);
	}
}

/* A quarter turn only swaps and negates coordinates. */
static void
rotation_run(int quarters, double restitution, bool rough, double gravity)
{
	static const double cosines[] = { 1, 0, -1, 0 };
	struct scenario one, other;
	invariant_scenario(&one, 11, restitution, rough, gravity);
	invariant_scenario(&other, 11, restitution, rough, gravity);
	scenario_turn(&other, quarters);
	runs_alike(&one, &other, 64, 1, 1, cosines[quarters], cosines[(quarters + 3) % 4]);
}

static void
test_rotation_by_90_degrees_gives_bit_identical_times(void **state)
{
	(void)state;
	for (int quarters = 1; quarters < 4; quarters++) {
		rotation_run(quarters, 1, false, 0);
		rotation_run(quarters, 1, false, 10);
		rotation_run(quarters, 0.75, false, 0);
	}
}

/* Friction too, and few circles at rest. Not a smooth heap's collapse: where many pairs that touch are solved together, the
 * sums over their bodies have another order of x and y. */
static void
test_rotation_by_90_degrees_of_rough_scenes(void **state)
{
	(void)state;
	for (int quarters = 1; quarters < 4; quarters++) {
		rotation_run(quarters, 1, true, 0);
		rotation_run(quarters, 0.5, true, 10);
		rotation_run(quarters, 0, true, 10);
	}
}

/* Elastic motion runs backwards the same way. Rounding (1e-16) grows about tenfold with each collision of a body, and few
 * happen, so the start comes back to 1e-9. */
static void
reverse_run(double gravity, uint64_t ticks)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scene_mixed(&scenario, 6, 10, 3);
	scenario.def.gravity_y = -gravity;
	struct run there;
	run_start(&there, &scenario);
	run_ticks(&there, 1.0 / 64, ticks);
	assert_true(there.collisions >= 5 && there.collisions <= 60);

	struct scenario reversed;
	scenario_init(&reversed);
	scene_mixed(&reversed, 6, 10, 3);
	reversed.def.gravity_y = -gravity;
	for (uint32_t id = 0; id < 6; id++) {
		const struct body_state body = run_body(&there, id);
		struct circle_def *circle = &reversed.circles[id];
		circle->x = body.x;
		circle->y = body.y;
		circle->vx = -body.vx;
		circle->vy = -body.vy;
	}
	struct run back;
	run_start(&back, &reversed);
	run_ticks(&back, 1.0 / 64, ticks);
	assert_int_equal(back.collisions, there.collisions);
	for (uint32_t id = 0; id < 6; id++) {
		const struct body_state body = run_body(&back, id);
		const struct circle_def *start = &scenario.circles[id];
		assert_double_near(body.x, start->x, 1e-9);
		assert_double_near(body.y, start->y, 1e-9);
		assert_double_near(body.vx, -start->vx, 1e-9);
		assert_double_near(body.vy, -start->vy, 1e-9);
	}
	run_finish(&there);
	run_finish(&back);
	scenario_finish(&scenario);
	scenario_finish(&reversed);
}

static void
test_velocities_reversed_after_n_ticks_return_to_the_start(void **state)
{
	(void)state;
	reverse_run(0, 96);
	reverse_run(5, 96);
}

static void
definitions_shuffle(struct scenario *scenario, uint64_t seed)
{
	for (size_t i = scenario->circle_count - 1; i > 0; i--) {
		const size_t k = (size_t)random_below(&seed, i + 1);
		const struct circle_def swap = scenario->circles[i];
		scenario->circles[i] = scenario->circles[k];
		scenario->circles[k] = swap;
	}
	for (size_t i = scenario->segment_count - 1; i > 0; i--) {
		const size_t k = (size_t)random_below(&seed, i + 1);
		const struct segment_def swap = scenario->segments[i];
		scenario->segments[i] = scenario->segments[k];
		scenario->segments[k] = swap;
	}
}

/* Ids decide, not places in the array: the same hash after every tick, the same contacts. Finishes both. */
static void
shuffled_run(struct scenario *one, struct scenario *other, int ticks, size_t contacts_least)
{
	struct run a, b;
	run_start(&a, one);
	run_start(&b, other);
	assert_true(world_hash(a.world) == world_hash(b.world));
	for (int i = 0; i < ticks; i++) {
		const uint64_t before = world_hash(a.world);
		run_ticks(&a, 1.0 / 60, 1);
		run_ticks(&b, 1.0 / 60, 1);
		assert_true(world_hash(a.world) == world_hash(b.world));
		assert_true(world_hash(a.world) != before);
	}
	assert_true(a.contact_count > contacts_least);
	runs_compare(&a, &b, 1, 1, 1, 0);
	run_finish(&a);
	/* The certificate takes states in the scene's order of ids, whatever the order of definition. */
	run_finish(&b);
	scenario_finish(one);
	scenario_finish(other);
}

static void
test_shuffled_insertion_gives_equal_hashes(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= effort(1, 4); seed++) {
		struct scenario one, other;
		scenario_init(&one);
		scene_gas(&one, 200, 60, 5);
		scenario_init(&other);
		scene_gas(&other, 200, 60, 5);
		definitions_shuffle(&other, seed);
		shuffled_run(&one, &other, 100, 1000);
	}
}

/* What the resting solver keeps is part of the hash. */
static void
test_shuffled_insertion_gives_equal_hashes_in_a_collapse(void **state)
{
	(void)state;
	for (uint64_t seed = effort(3, 1); seed <= 3; seed++) {
		struct scenario one, other;
		scenario_init(&one);
		scene_pile(&one, 150, 10, seed == 1 ? 0 : 0.4, seed == 3 ? 0.25 : 1, seed);
		scenario_init(&other);
		scene_pile(&other, 150, 10, seed == 1 ? 0 : 0.4, seed == 3 ? 0.25 : 1, seed);
		definitions_shuffle(&other, seed);
		shuffled_run(&one, &other, 150, 100);
	}
}

/* A zero that has a sign has one by chance: clang 14 for aarch64 takes `0 > x ? 0 : x` for its largest-of-two instruction,
 * which gives +0 for x = -0, where C has -0. So what is never negative must never be -0. */
static void
test_speeds_and_impulses_of_0_have_no_sign(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	size_t zeros = 0;
	scenario_init(&scenario);
	scene_pile(&scenario, 150, 10, 0, 1, 1);
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 60, 60);
	for (size_t i = 0; i < run.contact_count; i++) {
		const struct contact *contact = &run.contacts[i].contact;
		assert_false(signbit(contact->time) || signbit(contact->approach_speed) || signbit(contact->impulse));
		zeros += contact->approach_speed == 0;
	}
	assert_true(zeros > 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scene_moved_by_2_23_and_1e7_with_radii_1e_3),
		cmocka_unit_test(test_scaling_by_2_k_gives_bit_identical_times),
		long_case(test_scaling_by_2_k_of_rough_scenes_and_of_a_pile),
		cmocka_unit_test(test_rotation_by_90_degrees_gives_bit_identical_times),
		cmocka_unit_test(test_rotation_by_90_degrees_of_rough_scenes),
		cmocka_unit_test(test_velocities_reversed_after_n_ticks_return_to_the_start),
		long_case(test_shuffled_insertion_gives_equal_hashes),
		long_case(test_shuffled_insertion_gives_equal_hashes_in_a_collapse),
		cmocka_unit_test(test_speeds_and_impulses_of_0_have_no_sign),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
