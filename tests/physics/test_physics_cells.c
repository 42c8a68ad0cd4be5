/* Nothing of a result depends on the cells: soups over all features, alone and beside circles that meet nothing and lie so far
 * away that the cells are others. argv: a first seed and how many soups are tried. */
#include "physics/soup.h"

#include "physics/self_check.h"
#include "physics/world/world.h"

#include "support/effort.h"
#include "support/random.h"

#include <math.h>

#include <stdlib.h>
#include <string.h>

/* Seeds of hostile soups in which cells mattered once. 16376: a cluster took a support from a path that went on as it did.
 * Whether a pair was then predicted with the distance of rest or of contact was up to the cells. */
static const uint64_t found[] = { 16376 };

/* Seeds of rushes in which circles stopped and were let go without end: between a kinematic one and two that have stopped, one
 * and a wall, and one alone. */
static const uint64_t rushes_found[] = { 5086, 4714, 2560 };

static uint64_t seed_first = 1, soups = 0;

static void
ghost_add(struct scenario *scenario, double x, double y, double radius)
{
	struct circle_def *ghost = scenario_circle(scenario, x, y, 0, 0, radius);
	ghost->kind = BODY_STATIC;
	ghost->mask = 0;
}

/* Static circles that meet nothing. Their radii and places change the number of levels and the size of cells. */
static void
ghosts_add(struct scenario *scenario, uint64_t seed)
{
	double reach = 0;
	for (size_t i = 0; i < scenario->circle_count; i++)
		reach = fmax(reach, fmax(fabs(scenario->circles[i].x), fabs(scenario->circles[i].y)));
	for (int i = 0; i < 8; i++) {
		const double x = random_between(&seed, -3, 3) * (1 + reach), y = random_between(&seed, -3, 3) * (1 + reach);
		ghost_add(scenario, x, y, random_between(&seed, 0.01, 1) * (1 + 0.1 * reach));
	}
}

static void
reports_same(const struct tick_report *a, const struct tick_report *b, uint64_t seed, uint64_t tick)
{
	if (a->contact_count != b->contact_count || a->path_change_count != b->path_change_count ||
	    a->shortfall_count != b->shortfall_count)
		fail_msg("soup %llu, tick %llu: %zu and %zu contacts", (unsigned long long)seed, (unsigned long long)tick,
		         a->contact_count, b->contact_count);
	for (size_t i = 0; i < a->contact_count; i++) {
		const struct contact *p = &a->contacts[i], *q = &b->contacts[i];
		if (p->time != q->time || p->a != q->a || p->b != q->b || p->impulse != q->impulse ||
		    memcmp(p->a_after, q->a_after, sizeof p->a_after) || memcmp(p->b_after, q->b_after, sizeof p->b_after))
			fail_msg("soup %llu, tick %llu: contact %zu at %.17g and %.17g", (unsigned long long)seed, (unsigned long long)tick,
			         i, p->time, q->time);
	}
}

static void
worlds_same(struct world *alone, struct world *among, size_t bodies, uint64_t seed)
{
	for (size_t i = 0; i < bodies; i++) {
		const struct body_state a = world_body(alone, i), b = world_body(among, i);
		if (a.x != b.x || a.y != b.y || a.vx != b.vx || a.vy != b.vy || a.angle != b.angle ||
		    a.angular_velocity != b.angular_velocity)
			fail_msg("soup %llu: circle %zu", (unsigned long long)seed, i);
	}
}

static uint64_t
soup_try(uint64_t seed, bool hostile)
{
	struct soup alone, among;
	struct tick_report a, b;
	uint64_t contacts = 0;
	soup_make(&alone, seed, hostile);
	soup_make(&among, seed, hostile);
	ghosts_add(&among.scenario, seed);
	/* Ghosts are bodies: the work that a tick may take counts them. */
	alone.scenario.def.work_per_tick_max = among.scenario.def.work_per_tick_max = PHYSICS_WORK_PER_TICK_MOST;
	struct def_problem problem;
	struct world *one = NULL, *other = NULL;
	assert_int_equal(world_create(scenario_def(&alone.scenario), &problem, &one), STATUS_OK);
	assert_int_equal(world_create(scenario_def(&among.scenario), &problem, &other), STATUS_OK);
	for (uint64_t tick = 0; tick < (alone.ticks < 4 ? alone.ticks : 4); tick++) {
		assert_int_equal(world_step(one, alone.dt, &a), STATUS_OK);
		assert_int_equal(world_step(other, alone.dt, &b), STATUS_OK);
		reports_same(&a, &b, seed, tick);
		worlds_same(one, other, alone.scenario.circle_count, seed);
		contacts += a.contact_count;
	}
	world_destroy(one);
	world_destroy(other);
	soup_finish(&alone);
	soup_finish(&among);
	return contacts;
}

static void
test_soups_do_not_depend_on_the_cells(void **state)
{
	(void)state;
	uint64_t contacts = 0;
	for (uint64_t seed = seed_first; seed < seed_first + soups; seed++)
		contacts += soup_try(seed, seed % 2 == 0);
	assert_true(contacts > soups);
}

static void
test_found_soups_do_not_depend_on_the_cells(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof found / sizeof *found; i++)
		(void)soup_try(found[i], true);
}

/* Circles of all speeds. Many stop at the first that they meet. When a slow kinematic one comes to them in the midst of the
 * tick they go on. Then they pass through cells in less than times are rounded by. Of odd seeds nothing rests. */
static void
rush_make(struct scenario *scenario, uint64_t seed)
{
	const double radius = 1e-6, room = 80 * radius;
	const bool elastic = seed % 2 != 0;
	scenario_init(scenario);
	scenario_box(scenario, -room, -room, room, room);
	for (int y = -10; y < 10; y++)
		for (int x = -10; x < 10; x++) {
			const bool slow = random_below(&seed, 4) == 0;
			const double speed = slow ? 8 * radius : PHYSICS_SPEED_MAX * pow(10, random_between(&seed, elastic ? -12 : -24, 0));
			const double vx = random_between(&seed, -speed, speed), vy = random_between(&seed, -speed, speed);
			struct circle_def *circle = scenario_circle(scenario, (7.5 * x + 4) * radius, (7.5 * y + 4) * radius, vx, vy,
			                                            radius * random_between(&seed, 0.75, 1));
			circle->kind = slow ? BODY_KINEMATIC : BODY_DYNAMIC;
			circle->restitution = elastic || random_below(&seed, 2) == 0 ? 1 : 0.5;
			circle->stop_groups = !slow && random_below(&seed, 4) > 0 ? 1 : 0;
		}
	if (!elastic)
		scenario->def.gravity_y = -pow(10, random_between(&seed, -12, 12));
	scenario->def.events_per_body_max = 1 + (uint32_t)random_below(&seed, 12);
	scenario->def.work_per_tick_max = PHYSICS_WORK_PER_TICK_MOST;
}

/* Counts the ticks in which some were in the fast level (grid_fast.h), and those that were broken off in domains. */
static void
rush_try(uint64_t seed, uint64_t *fast, uint64_t *again)
{
	enum { TICKS = 3 };
	struct scenario alone, among;
	struct tick_report a, b, c;
	struct selfcheck check = { .before = NULL };
	rush_make(&alone, seed);
	rush_make(&among, seed);
	ghosts_add(&among, seed);
	struct world *one = scenario_world(&alone), *other = scenario_world(&among), *parted = scenario_world(&alone);
	world_workers_set(parted, &workers_in_turn);
	for (uint64_t tick = 0; tick < TICKS; tick++) {
		if (selfcheck_step(&check, one, 1, &a) != STATUS_OK)
			fail_msg("rush %llu, tick %llu: %s", (unsigned long long)seed, (unsigned long long)tick, check.difference.text);
		assert_int_equal(world_step(other, 1, &b), STATUS_OK);
		assert_int_equal(world_step(parted, 1, &c), STATUS_OK);
		reports_same(&a, &b, seed, tick);
		reports_same(&a, &c, seed, tick);
		worlds_same(one, other, alone.circle_count, seed);
		worlds_same(one, parted, alone.circle_count, seed);
		assert_true(a.contact_count > 0);
		/* Also of a circle that stops and is let go again and again, at one time between two others. */
		assert_true(a.events <= 2 * (uint64_t)alone.def.events_per_body_max * alone.circle_count);
		*again += c.cost.again;
		*fast += one->grid.level_count == one->grid.levels_laid && !one->grid.hashed;
	}
	selfcheck_finish(&check);
	world_destroy(one);
	world_destroy(other);
	world_destroy(parted);
	scenario_finish(&alone);
	scenario_finish(&among);
}

static void
test_rushes_do_not_depend_on_the_cells(void **state)
{
	(void)state;
	uint64_t fast = 0, again = 0;
	for (uint64_t seed = seed_first; seed < seed_first + soups / 3; seed++)
		rush_try(seed, &fast, &again);
	print_message("%llu ticks with fast circles, %llu broken off in domains\n", (unsigned long long)fast,
	              (unsigned long long)again);
	assert_true(fast > 0 && again > 0);
}

static void
test_found_rushes_end_and_do_not_depend_on_the_cells(void **state)
{
	(void)state;
	uint64_t fast = 0, again = 0;
	for (size_t i = 0; i < sizeof rushes_found / sizeof *rushes_found; i++)
		rush_try(rushes_found[i], &fast, &again);
}

/* A circle stops at a wall, and goes on as fast as circles may be when a slow one comes to it at half of the tick. Times are
 * rounded there, and in what they are rounded by it comes 100 radii far: through dozens of cells. On that way it meets
 * circle 1. The cells are as large as a circle, or, among ghosts, larger than the way. */
enum { PASSER, MET, SLOW, SHAPES };

static void
passing_add(struct scenario *scenario, size_t ghosts)
{
	const double radius = 1e-6;
	scenario_circle(scenario, 0, 0, PHYSICS_SPEED_MAX, 0, radius)->stop_groups = 2;
	scenario_circle(scenario, -40 * radius, 0, 0, 0, radius);
	scenario_circle(scenario, 9 * radius, -3 * radius, 0, 2 * radius, radius)->kind = BODY_KINEMATIC;
	scenario_segment(scenario, 10 * radius, -3 * radius, 10 * radius, 3 * radius)->group = 1;
	ghost_add(scenario, -170 * radius, 0, radius);
	for (size_t i = 1; i <= ghosts; i++) {
		const double far = 1e4 * radius * (double)i;
		ghost_add(scenario, i % 2 == 0 ? far : -far, i % 4 < 2 ? far : -far, radius);
	}
}

static void
passing_check(const struct tick_report *report)
{
	assert_int_equal(report->contact_count, 2);
	assert_int_equal(report->contacts[1].a, PASSER);
	assert_int_equal(report->contacts[1].b, MET);
	assert_double_near(report->contacts[1].time, 0.5, 1e-8);
}

static void
test_what_crosses_cells_in_no_time_misses_nothing(void **state)
{
	(void)state;
	for (size_t ghosts = 0; ghosts <= 8; ghosts += 2) {
		struct scenario scenario;
		struct tick_report report;
		scenario_init(&scenario);
		passing_add(&scenario, ghosts);
		struct world *world = scenario_world(&scenario);
		assert_int_equal(world_step(world, 1, &report), STATUS_OK);
		passing_check(&report);
		world_destroy(world);
		scenario_finish(&scenario);
	}
}

/* The same when the ghosts are gone, in a world that still has their cells, and restored, with cells of its own. */
static void
test_what_crosses_cells_in_no_time_is_restored(void **state)
{
	(void)state;
	enum { GHOSTS = 8 };
	struct scenario scenario;
	struct tick_report report;
	struct selfcheck check = { .before = NULL };
	struct def_problem problem;
	struct edit edits[GHOSTS];
	scenario_init(&scenario);
	passing_add(&scenario, GHOSTS);
	struct world *world = scenario_world(&scenario);
	for (uint32_t i = 0; i < GHOSTS; i++)
		edits[i] = edit_circle_remove(SHAPES + 1 + i);
	assert_int_equal(world_edit(world, edits, GHOSTS, &problem), STATUS_OK);
	if (selfcheck_step(&check, world, 1, &report) != STATUS_OK)
		fail_msg("%s", check.difference.text);
	passing_check(&report);
	selfcheck_finish(&check);
	world_destroy(world);
	scenario_finish(&scenario);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found_soups_do_not_depend_on_the_cells),
		cmocka_unit_test(test_soups_do_not_depend_on_the_cells),
		cmocka_unit_test(test_found_rushes_end_and_do_not_depend_on_the_cells),
		cmocka_unit_test(test_rushes_do_not_depend_on_the_cells),
		cmocka_unit_test(test_what_crosses_cells_in_no_time_misses_nothing),
		cmocka_unit_test(test_what_crosses_cells_in_no_time_is_restored),
	};
	seed_first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	soups = argc > 2 ? strtoull(argv[2], NULL, 10) : effort(30, 400);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
