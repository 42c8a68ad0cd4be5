/* Many dull circles that push each other: through doors and funnels, out of overlap, on when nothing holds them, and in a pile
 * that must stay as it was built. Every tick is certified and looked through for overlap by brute force; the energy ledger
 * closes. */
#include "physics/scenario.h"

#include "physics/scenes.h"
#include "support/effort.h"
#include "support/long_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double dt = 1.0 / 60, g = 10;

/* Scenes that begin at rest are built with this gap, of the radius. */
#define BUILT 0.005

/* What all circles have together, and how far the ledger was off in the ticks so far. */
struct sums {
	double px, py, turn; /* momentum, and its moment with the spins about the origin */
	double size;         /* sum of |m v| */
	double kinetic;
};

static struct sums
sums_of(const struct run *run)
{
	struct sums s = { 0 };
	for (size_t i = 0; i < world_body_count(run->world); i++) {
		const struct body_state b = world_body(run->world, i);
		const double inertia = b.mass * b.radius * b.radius / 2;
		if (b.kind != BODY_DYNAMIC)
			continue;
		s.px += b.mass * b.vx;
		s.py += b.mass * b.vy;
		s.turn += b.mass * (b.x * b.vy - b.y * b.vx) + inertia * b.angular_velocity;
		s.size += b.mass * hypot(b.vx, b.vy);
		s.kinetic += b.mass * (b.vx * b.vx + b.vy * b.vy) / 2 + inertia * b.angular_velocity * b.angular_velocity / 2;
	}
	return s;
}

static void
tick_checked(struct run *run, const struct scenario *scenario)
{
	run_ticks_unlogged(run, dt, 1);
	assert_at_most(run_overlap(run, scenario), 0);
	const struct energy_ledger *e = &run->report.energy;
	const double before = e->kinetic_before + e->potential_before, after = e->kinetic_after + e->potential_after;
	const double size = fabs(e->kinetic_after) + fabs(e->potential_after) + fabs(e->kinetic_before);
	assert_double_near(after - before, e->contact + e->work + e->push + e->clip + e->support, 1e-11 * size + 1e-12);
}

static uint64_t
led_count(const struct run *run)
{
	uint64_t led = 0;
	for (size_t i = 0; i < run->report.path_change_count; i++)
		led += run->report.path_changes[i].kind == PATH_LED;
	return led;
}

static double
speed_most(const struct run *run)
{
	double most = 0;
	for (size_t i = 0; i < world_body_count(run->world); i++) {
		const struct body_state b = world_body(run->world, i);
		if (b.kind == BODY_DYNAMIC)
			most = fmax(most, hypot(b.vx, b.vy) + fabs(b.angular_velocity) * b.radius);
	}
	return most;
}

/* A room with a crowd of circles of diameter 1 and a door in the middle of its right wall; returns the x of that wall. */
static double
room_add(struct scenario *scenario, size_t rows, size_t columns, double door, uint64_t seed)
{
	const double pitch = 1.06, height = pitch * (double)rows + 0.2, width = pitch * (double)columns + 0.2;
	scenario_init(scenario);
	for (size_t i = 0; i < rows * columns; i++)
		scenario_circle(scenario, 0.63 + pitch * (double)(i / rows) + random_between(&seed, -0.025, 0.025),
		                0.63 + pitch * (double)(i % rows) + random_between(&seed, -0.025, 0.025), 0, 0, 0.5);
	scenario_segment(scenario, width, height / 2 + door / 2, width, height);
	scenario_segment(scenario, width, height, -20, height);
	scenario_segment(scenario, -20, height, -20, 0);
	scenario_segment(scenario, -20, 0, width, 0);
	scenario_segment(scenario, width, 0, width, height / 2 - door / 2);
	return width;
}

static size_t
passed_count(const struct run *run, double wall)
{
	size_t passed = 0;
	for (size_t i = 0; i < world_body_count(run->world); i++)
		passed += world_body(run->world, i).x > wall && world_body(run->world, i).kind == BODY_DYNAMIC;
	return passed;
}

struct door {
	size_t rows, columns;
	double width, friction, pull, speed;
	int seconds;
};

/* Drawn by gravity towards the door, or on its way there with a speed. A door narrower than a circle lets none through. */
static size_t
crowd_goes(const struct door *door)
{
	struct scenario scenario;
	const double wall = room_add(&scenario, door->rows, door->columns, door->width, 7);
	scenario.def.gravity_x = door->pull;
	scenario_dull(&scenario, door->friction, 0);
	for (size_t i = 0; i < scenario.circle_count; i++)
		scenario.circles[i].vx = door->speed;
	struct run run;
	run_start(&run, &scenario);
	size_t passed = 0;
	for (int tick = 0; tick < 60 * door->seconds; tick++) {
		tick_checked(&run, &scenario);
		passed = passed_count(&run, wall);
		if (door->width < 1)
			assert_int_equal(passed, 0);
	}
	/* They arch and rest; one that is alone among them may roll on. */
	if (door->width < 1 && door->pull > 0)
		assert_at_most(speed_most(&run), 0.1);
	run_end(&run, &scenario);
	return passed;
}

static void
test_crowd_at_a_door(void **state)
{
	(void)state;
	static const double frictions[] = { 0, 0.4 };
	assert_true(crowd_goes(&(struct door){ 10, 10, 2.4, 0.4, 0, 6, 6 }) > 0);
	for (size_t i = 0; i < effort(0, 2); i++) {
		assert_true(crowd_goes(&(struct door){ 14, 14, 2.4, frictions[i], g, 0, 8 }) > 0);
		if (effort(0, 1) > 0)
			crowd_goes(&(struct door){ 14, 14, 0.98, frictions[i], g, 0, 8 });
		assert_true(crowd_goes(&(struct door){ 10, 10, 2.4, frictions[i], 0, 6, 6 }) > 0);
		crowd_goes(&(struct door){ 10, 10, 0.98, frictions[i], 0, 6, 6 });
	}
}

static void
test_large_crowd_at_a_door(void **state)
{
	(void)state;
	static const double frictions[] = { 0, 0.4 };
	for (size_t i = 0; i < 2; i++) {
		assert_true(crowd_goes(&(struct door){ 40, 50, 2.4, frictions[i], g, 0, 60 }) > 0);
		crowd_goes(&(struct door){ 40, 50, 0.98, frictions[i], g, 0, 60 });
	}
}

static struct circle_def *
pusher_add(struct scenario *scenario, double x, double y, double speed, double radius)
{
	struct circle_def *pusher = scenario_circle(scenario, x, y, speed, 0, radius);
	pusher->kind = BODY_KINEMATIC;
	pusher->category = 2;
	pusher->mask = 1;
	return pusher;
}

/* Without gravity: what comes in does not yield, and what is in its way moves on while there is room. None is crushed. */
static size_t
crowd_is_pushed(struct scenario *scenario, double wall, double door, double time)
{
	for (size_t i = 0; i < scenario->segment_count; i++)
		scenario->segments[i].mask = 1; /* what pushes comes through the walls */
	scenario_dull(scenario, 0.2, 0);
	struct run run;
	run_start(&run, scenario);
	size_t passed = 0;
	for (int tick = 0; tick * dt < time; tick++) {
		tick_checked(&run, scenario);
		assert_int_equal(run.report.shortfall_count, 0);
		passed = passed_count(&run, wall);
		if (door < 1)
			assert_int_equal(passed, 0);
	}
	run_end(&run, scenario);
	return passed;
}

/* A row of walkers closes the gaps of the whole crowd; one alone goes through it up to the door. */
static void
test_crowd_is_pushed(void **state)
{
	(void)state;
	static const double doors[] = { 2.4, 0.98 };
	for (size_t i = 0; i < 2; i++) {
		struct scenario scenario;
		double wall = room_add(&scenario, 10, 14, doors[i], 3);
		for (double y = 0; y < 12; y += 1)
			pusher_add(&scenario, -2.2, y, 2, 2);
		(void)crowd_is_pushed(&scenario, wall, doors[i], 0.4);
		wall = room_add(&scenario, 10, 14, doors[i] * 0.8, 3);
		for (size_t k = 0; k < scenario.circle_count; k++)
			scenario.circles[k].radius = 0.4;
		pusher_add(&scenario, -1.5, scenario.segments[0].y2 / 2, 3, 1.2);
		const size_t passed = crowd_is_pushed(&scenario, wall, doors[i], (wall - 3.5) / 3);
		assert_true(doors[i] < 1 || passed > 0);
	}
}

/* Nothing but each other: momentum stays, its moment nearly; energy only falls. */
static void
crowd_meets(double friction, double rolling)
{
	uint64_t seed = 5;
	struct scenario scenario;
	scenario_init(&scenario);
	for (int i = 0; i < 144; i++) {
		const int row = i % 72 / 6, column = i % 6, side = i < 72 ? -1 : 1;
		struct circle_def *circle = scenario_circle(&scenario, side * (4 + 1.1 * column + random_between(&seed, -0.04, 0.04)),
		                                            1.1 * row + 3 * side * 0.3, -4 * side + random_between(&seed, -1, 1),
		                                            random_between(&seed, -1, 1), 0.5 * random_between(&seed, 0.7, 1));
		circle->mass = random_between(&seed, 0.5, 3);
		circle->rolling_resistance = rolling;
		circle->angular_velocity = friction > 0 ? random_between(&seed, -3, 3) : 0;
	}
	scenario_dull(&scenario, friction, 0);
	struct run run;
	run_start(&run, &scenario);
	const struct sums start = sums_of(&run);
	double kinetic = start.kinetic;
	uint64_t led = 0;
	for (int tick = 0; tick < 600; tick++) {
		tick_checked(&run, &scenario);
		const struct sums now = sums_of(&run);
		assert_double_near(now.px, start.px, 1e-9 * start.size);
		assert_double_near(now.py, start.py, 1e-9 * start.size);
		assert_at_most(now.kinetic, kinetic * (1 + 1e-12));
		kinetic = now.kinetic;
		led += led_count(&run);
	}
	/* Cut and pushed paths cost a little of the moment. */
	assert_double_near(sums_of(&run).turn, start.turn, 1e-4 * start.size);
	assert_at_most(kinetic, start.kinetic / 3);
	assert_true(led > 1000);
	run_end(&run, &scenario);
}

static void
test_crowd_that_meets_keeps_its_momentum(void **state)
{
	(void)state;
	if (effort(0, 1) > 0) {
		crowd_meets(0, 0);
		crowd_meets(0.5, 0);
	}
	crowd_meets(0.5, 0.1);
}

/* Dull rows that meet head on end with one velocity, which momentum tells. The solver leaves approaches of 1 % of a cushion in
 * a part of a tick, 0.012, from one to the next. */
static void
test_rows_that_meet_go_on_together(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	for (int i = 0; i < 30; i++)
		scenario_circle(&scenario, 1.02 * i, 0, i < 12 ? 3 : 0, 0, 0.5)->mass = i < 12 ? 2 : 1;
	scenario_restitution(&scenario, 0);
	struct run run;
	run_start(&run, &scenario);
	for (int tick = 0; tick < 300; tick++)
		tick_checked(&run, &scenario);
	for (uint32_t i = 0; i < 30; i++) {
		assert_double_near(run_body(&run, i).vx, 3 * 12 * 2 / (12 * 2 + 18.0), 0.03);
		assert_same(run_body(&run, i).vy, 0);
	}
	run_end(&run, &scenario);
}

/* Hexagons around the origin, `gap` from each other. */
static void
cluster_add(struct scenario *scenario, int rings, double r, double gap)
{
	for (int q = -rings; q <= rings; q++) {
		for (int s = -rings; s <= rings; s++)
			if (abs(q + s) <= rings)
				scenario_circle(scenario, (2 * r + gap) * (q + s / 2.0), (2 * r + gap) * sqrt(0.75) * s, 0, 0, r);
	}
}

/* A bullet into what floats at rest, held together by nothing and driven by the solver: its momentum is there from the first
 * tick on. */
static void
bullet_hits(double speed, double friction, double aside, double restitution)
{
	struct scenario scenario;
	scenario_init(&scenario);
	cluster_add(&scenario, 4, 0.5, 0.5 * BUILT);
	const size_t count = scenario.circle_count;
	struct circle_def *bullet = scenario_circle(&scenario, -5 - speed * 9.5 * dt, aside, speed, 0, 0.25);
	bullet->mass = 0.3;
	scenario_dull(&scenario, friction, 0);
	scenario_restitution(&scenario, restitution);
	struct run run;
	run_start(&run, &scenario);
	const struct sums start = sums_of(&run);
	double kinetic = start.kinetic;
	bool hit = false;
	for (int tick = 0; tick < 60; tick++) {
		const uint64_t led = led_count(&run);
		const double before = run_body(&run, (uint32_t)count).vx;
		tick_checked(&run, &scenario);
		if (!hit && fabs(run_body(&run, (uint32_t)count).vx - before) > 0.1 * speed) {
			hit = true;
			assert_true(restitution > 0 || led >= count);
		}
		const struct sums now = sums_of(&run);
		assert_double_near(now.px, start.px, 1e-9 * start.size);
		assert_double_near(now.py, start.py, 1e-9 * start.size);
		assert_at_most(now.kinetic, kinetic * (1 + 1e-12));
		kinetic = now.kinetic;
	}
	assert_true(hit);
	run_end(&run, &scenario);
}

static void
test_bullet_into_a_floating_cluster(void **state)
{
	(void)state;
	static const double speeds[] = { 20, 500, 10000 };
	for (size_t i = 0; i < 3; i++) {
		bullet_hits(speeds[i], 0, 0.1, 0);
		bullet_hits(speeds[i], 0.5, 1.3, 0);
	}
}

/* Overlap that a scene begins with, without gravity: all that moves is moved, nothing has a velocity afterwards. */
static void
overlap_goes(struct scenario *scenario, int ticks)
{
	struct run run;
	run_start(&run, scenario);
	assert_true(run_overlap(&run, scenario) > 0);
	for (int tick = 0; tick < ticks; tick++) {
		run_ticks_unlogged(&run, dt, 1);
		assert_at_most(speed_most(&run), 0);
	}
	const uint64_t shortfalls = run.shortfall_count;
	for (int tick = 0; tick < 120; tick++) {
		tick_checked(&run, scenario);
		assert_at_most(speed_most(&run), 0);
	}
	assert_true(run.shortfall_count == shortfalls);
	run_finish(&run);
	scenario_finish(scenario);
}

static void
test_overlap_goes_without_velocity(void **state)
{
	(void)state;
	for (int n = 0; n < 8; n++) {
		uint64_t seed = 9;
		const bool elastic = n >= 6;
		struct scenario scenario;
		scenario_init(&scenario);
		if (n < 2 || elastic) {
			scenario_circle(&scenario, 0, 0, 0, 0, 1);
			scenario_circle(&scenario, 1.7, 0.1, 0, 0, 1);
			scenario_circle(&scenario, 0.5, 1.5, 0, 0, 1);
		} else if (n < 4) {
			cluster_add(&scenario, 3, 0.5, -0.03);
		} else {
			for (int i = 0; i < 100; i++)
				scenario_circle(&scenario, i % 10 + random_between(&seed, -0.05, 0.05),
				                i / 10 + random_between(&seed, -0.05, 0.05), 0, 0, 0.5);
		}
		scenario_dull(&scenario, n % 2 ? 0.5 : 0, 0);
		scenario_restitution(&scenario, elastic ? 1 : 0);
		overlap_goes(&scenario, 20);
	}
}

/* In a heap too, and gravity does not pull what is being pushed out. The ledger says what the lifting cost: all that the
 * potential energy changed by. Afterwards it settles, from no higher than it was lifted. */
static void
overlap_in_a_heap_goes(double rise, double shift, double friction)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.gravity_y = -g;
	for (int i = 0; i < 80; i++)
		scenario_circle(&scenario, 0.52 + 0.99 * (i % 10) + shift * (i / 10 % 2), 0.49 + rise * (i / 10), 0, 0, 0.5);
	scenario_segment(&scenario, 0, 0, 10.2, 0);
	scenario_segment(&scenario, 0, 30, 0, 0);
	scenario_segment(&scenario, 10.2, 0, 10.2, 30);
	scenario_dull(&scenario, friction, 0);
	struct run run;
	run_start(&run, &scenario);
	int ticks = 0;
	double height = 0, deepest = run_overlap(&run, &scenario);
	assert_true(deepest >= 0.01);
	do {
		run_ticks_unlogged(&run, dt, 1);
		const struct energy_ledger *e = &run.report.energy;
		const double change = e->kinetic_after - e->kinetic_before + e->potential_after - e->potential_before;
		assert_double_near(change, e->contact + e->work + e->push + e->clip + e->support, 1e-11 * e->potential_after);
		if (run.report.shortfall_count > 0)
			assert_at_most(speed_most(&run), 1e-9);
		assert_at_most(run_overlap(&run, &scenario), deepest);
	} while (run.report.shortfall_count > 0 && ++ticks < 60);
	assert_at_most(run_overlap(&run, &scenario), 0);
	assert_at_most(run.report.energy.kinetic_after, 80 * g * g * dt * dt / 2);
	for (uint32_t i = 0; i < 80; i++)
		height = fmax(height, run_body(&run, i).y);
	double energy = run.report.energy.kinetic_after + run.report.energy.potential_after;
	for (int tick = 0; tick < 300; tick++) {
		tick_checked(&run, &scenario);
		/* It rises to its cushions yet. */
		energy += run.report.energy.push;
		assert_at_most(run.report.energy.kinetic_after + run.report.energy.potential_after, energy * (1 + 1e-4));
		assert_at_most(speed_most(&run), sqrt(2 * g * height));
	}
	assert_at_most(run.report.energy.kinetic_after, 1);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_overlap_in_a_heap_goes_without_velocity(void **state)
{
	(void)state;
	for (int rough = (int)effort(1, 0); rough < 2; rough++) {
		overlap_in_a_heap_goes(0.99, 0, 0.5 * rough);
		overlap_in_a_heap_goes(0.95, 0.2, 0.5 * rough);
		if (effort(0, 1) > 0)
			overlap_in_a_heap_goes(0.9, 0, 0.5 * rough);
	}
}

struct hexagonal {
	size_t layers, wide;
	double gap, friction;
	int seconds;
};

static void
hexagonal_stays(const struct hexagonal *pile)
{
	const double r = 0.5;
	struct scenario scenario;
	scene_hexagonal(&scenario, pile->layers, pile->wide, pile->gap, pile->friction);
	struct run run;
	run_start(&run, &scenario);
	double *before = calloc(2 * scenario.circle_count, sizeof *before), creep = 0, way = 0;
	assert_non_null(before);
	for (int tick = 0; tick < 60 * pile->seconds; tick++) {
		if (tick == 60 * (pile->seconds - 1)) {
			for (size_t i = 0; i < scenario.circle_count; i++) {
				before[2 * i] = world_body(run.world, i).x;
				before[2 * i + 1] = world_body(run.world, i).y;
			}
		}
		/* Built touching it overlaps by rounding, an ulp of the height at most: that is told, and does not grow. */
		if (pile->gap > 0)
			tick_checked(&run, &scenario);
		else
			run_ticks_unlogged(&run, dt, 1);
		const double overlap = run_overlap(&run, &scenario);
		assert_at_most(overlap, pile->gap > 0 ? 0 : 0x1p-46);
		assert_true((overlap > 0) == (run.report.shortfall_count > 0));
	}
	for (size_t i = 0; i < scenario.circle_count; i++) {
		const struct body_state b = world_body(run.world, i);
		creep += hypot(b.x - before[2 * i], b.y - before[2 * i + 1]) / r / (double)scenario.circle_count;
		way = fmax(way, hypot(b.x - scenario.circles[i].x, b.y - scenario.circles[i].y) / r);
	}
	print_message("%zu layers, gap %g, friction %g, %d s: creep %.1e radii/s, farthest way %.1e radii, fastest %.1e\n",
	              pile->layers, pile->gap, pile->friction, pile->seconds, creep, way, speed_most(&run));
	assert_at_most(creep, 4e-4);
	/* A fifth of a cushion, all hundred layers together; built without a cushion it rises to one. */
	assert_at_most(way, pile->gap > 0 ? 2e-3 : 0.05);
	free(before);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_hexagonal_pile_stays(void **state)
{
	(void)state;
	for (int rough = 0; rough < (int)effort(1, 2); rough++) {
		hexagonal_stays(&(struct hexagonal){ effort(30, 100), 4, 0.5 * BUILT, 0.5 * rough, 2 });
		hexagonal_stays(&(struct hexagonal){ effort(30, 100), 4, 0, 0.5 * rough, 2 });
	}
}

static void
test_hexagonal_pile_stays_long(void **state)
{
	(void)state;
	for (int rough = 0; rough < 2; rough++) {
		hexagonal_stays(&(struct hexagonal){ 100, 20, 0.5 * BUILT, 0.5 * rough, 60 });
		hexagonal_stays(&(struct hexagonal){ 100, 20, 0, 0.5 * rough, 60 });
	}
}

/* Two slopes with an opening between: what is wide enough lets all through; what is narrower than a circle none, and two
 * circles rest on each other's way over it. */
static size_t
funnel_runs(double opening, double friction, int seconds)
{
	uint64_t seed = 21;
	const size_t count = 60;
	const double slope = 50 * DEGREE, c = cos(slope), s = sin(slope);
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.gravity_y = -g;
	for (size_t i = 0; i < count; i++)
		scenario_circle(&scenario, 1.1 * ((double)(i % 8) - 3.5) + random_between(&seed, -0.04, 0.04),
		                6.5 + 1.1 * (double)(i / 8) + random_between(&seed, -0.04, 0.04), 0, 0, 0.5);
	scenario_segment(&scenario, -opening / 2, 0, -opening / 2 - 12 * c, 12 * s);
	scenario_segment(&scenario, opening / 2, 0, opening / 2 + 12 * c, 12 * s);
	scenario_dull(&scenario, friction, 0);
	struct run run;
	run_start(&run, &scenario);
	size_t through = 0;
	for (int tick = 0; tick < 60 * seconds; tick++) {
		tick_checked(&run, &scenario);
		through = 0;
		for (uint32_t i = 0; i < count; i++)
			through += run_body(&run, i).y < 0;
		if (opening < 1)
			assert_int_equal(through, 0);
	}
	if (opening < 1)
		assert_at_most(speed_most(&run), 1e-2);
	run_end(&run, &scenario);
	return through;
}

static void
test_funnel(void **state)
{
	(void)state;
	for (int rough = 0; rough < (int)effort(1, 2); rough++) {
		assert_int_equal(funnel_runs(5, 0.3 * rough, 8), 60);
		if (effort(0, 1) > 0)
			(void)funnel_runs(0.98, 0.3 * rough, 10);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest large[] = {
		cmocka_unit_test(test_large_crowd_at_a_door),
		cmocka_unit_test(test_hexagonal_pile_stays_long),
	};
	if (argc > 1 && strcmp(argv[1], "large") == 0)
		return cmocka_run_group_tests_name("physics/crowds large", large, NULL, NULL);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crowd_at_a_door),
		long_case(test_crowd_is_pushed),
		cmocka_unit_test(test_funnel),
		long_case(test_crowd_that_meets_keeps_its_momentum),
		cmocka_unit_test(test_rows_that_meet_go_on_together),
		long_case(test_bullet_into_a_floating_cluster),
		long_case(test_overlap_goes_without_velocity),
		long_case(test_overlap_in_a_heap_goes_without_velocity),
		long_case(test_hexagonal_pile_stays),
	};
	return cmocka_run_group_tests_name("physics/crowds", tests, NULL, NULL);
}
