/* Bodies that rest on each other in numbers: nothing overlaps, they come to rest, and what is not theirs stays exact. Each tick
 * of each scene is certified; overlap is looked for by brute force too. */
#include "physics/scenario.h"
#include "physics/scenes.h"

#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double dt = 1.0 / 60;

/* Of movement and spin, in units of m g r, the mean over all circles. */
static double
unrest(const struct run *run, const struct scenario *scenario)
{
	double sum = 0;
	for (size_t i = 0; i < scenario->circle_count; i++) {
		const struct body_state body = world_body(run->world, scenario->circles[i].id); /* ids count from 0 */
		const double rim = body.angular_velocity * body.radius;
		sum += (body.vx * body.vx + body.vy * body.vy + rim * rim / 2) / 2 / (10 * body.radius);
	}
	return sum / (double)scenario->circle_count;
}

static void
assert_ledger(const struct energy_ledger *energy, double size)
{
	const double change = energy->kinetic_after - energy->kinetic_before + energy->potential_after - energy->potential_before;
	assert_double_near(change,
	                   energy->contact + energy->work + energy->push + energy->clip + energy->support + energy->sleep +
	                       energy->damping,
	                   1e-11 * size);
}

/* What a pile did from the drop on. */
struct settling {
	double unrest;  /* at the end */
	double rest_at; /* from when on it is at most 1e-6, s */
	double creep;   /* mean way in the last second, radii */
	double back;    /* the most that came back of the energy, of that at the start */
	uint64_t clips;
};

static void
places_read(const struct run *run, const struct scenario *scenario, double *x)
{
	for (size_t i = 0; i < scenario->circle_count; i++) {
		const struct body_state body = world_body(run->world, scenario->circles[i].id); /* ids count from 0 */
		x[2 * i] = body.x;
		x[2 * i + 1] = body.y;
	}
}

/* The deepest overlap of all pairs and walls; <= 0 if there is none. By squares: the root of the few that matter only. */
static double
overlap_deepest(const struct run *run, const struct scenario *scenario, double *x)
{
	const size_t count = scenario->circle_count;
	double deepest = -INFINITY;
	places_read(run, scenario, x);
	for (size_t i = 0; i < count; i++) {
		const double r = scenario->circles[i].radius;
		for (size_t k = 0; k < i; k++) {
			const double dx = x[2 * i] - x[2 * k], dy = x[2 * i + 1] - x[2 * k + 1], R = r + scenario->circles[k].radius;
			if (dx * dx + dy * dy < R * R)
				deepest = fmax(deepest, R - sqrt(dx * dx + dy * dy));
		}
		for (size_t k = 0; k < scenario->segment_count; k++)
			deepest = fmax(deepest, r - segment_distance(&scenario->segments[k], x[2 * i], x[2 * i + 1]));
	}
	return deepest;
}

/* Overlap is looked for in every tick, and the ledger closes. */
static struct settling
pile_settle(struct scenario *scenario, int seconds)
{
	struct settling result = { .rest_at = NAN };
	struct run run;
	run_start(&run, scenario);
	double lowest = INFINITY, start = 0;
	double *places = calloc(4 * scenario->circle_count, sizeof *places), *later = places + 2 * scenario->circle_count;
	assert_non_null(places);
	for (int tick = 0; tick < 60 * seconds; tick++) {
		if (tick == 60 * (seconds - 1))
			places_read(&run, scenario, places);
		run_ticks_unlogged(&run, dt, 1);
		const struct energy_ledger *energy = &run.report.energy;
		const double now = energy->kinetic_after + energy->potential_after;
		if (tick == 0)
			start = energy->kinetic_before + energy->potential_before;
		assert_ledger(energy, start);
		assert_at_most(overlap_deepest(&run, scenario, later), 0);
		lowest = fmin(lowest, now);
		result.back = fmax(result.back, (now - lowest) / start);
		result.clips += run.report.clips;
		if (tick % 6 == 5)
			result.unrest = unrest(&run, scenario);
		if (!(result.unrest <= 1e-6))
			result.rest_at = NAN;
		else if (isnan(result.rest_at))
			result.rest_at = (tick + 1) * dt;
	}
	places_read(&run, scenario, later);
	for (size_t i = 0; i < scenario->circle_count; i++)
		result.creep += hypot(later[2 * i] - places[2 * i], later[2 * i + 1] - places[2 * i + 1]) /
		                scenario->circles[i].radius / (double)scenario->circle_count;
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	free(places);
	return result;
}

/* The kinetic energy that is left after 10 s, for each m g r. */
static double
pile_unrest(size_t count, double width, double friction, double smallest, uint64_t seed)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scene_pile(&scenario, count, width, friction, smallest, seed);
	const struct settling settling = pile_settle(&scenario, 10);
	assert_at_most(settling.back, 1e-3);
	scenario_finish(&scenario);
	return settling.unrest;
}

static void
pile_settles(size_t count, double width, double friction, double smallest, uint64_t seed, double still)
{
	assert_at_most(pile_unrest(count, width, friction, smallest, seed), still);
}

static void
test_smooth_pile_settles(void **state)
{
	(void)state;
	/* Without friction a heap slips late now and then: of 30 seeds one does after 10 s. */
	pile_settles(effort(60, 200), 16, 0, 1, 2, 1e-5);
}

static void
test_rough_pile_settles(void **state)
{
	(void)state;
	/* Of 240 seeds seven have a circle that still rolls after 10 s, with 7 sweeps as with 16. */
	size_t late = 0;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		const double unrest = pile_unrest(effort(120, 200), 16, 0.5, 1, seed);
		assert_at_most(unrest, 1e-5);
		late += unrest > 1e-6;
	}
	assert_at_most((double)late, 1);
}

static void
test_pile_of_mixed_radii_settles(void **state)
{
	(void)state;
	pile_settles(effort(60, 200), 16, 0.5, 0.25, 5, 1e-5);
}

/* Restitution is no reason to go on for ever, nor to have many events for each circle and tick. What lies together does not
 * bounce, however it is struck, so that of sixty that fall into a heap some 160 are seen in its worst tick. Of thirty such
 * heaps one or two have a circle that still rolls after 8 s. */
static void
bouncy_pile_settles(double restitution, size_t one_in, double speed)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scene_pile(&scenario, 60, 8, 0.5, 1, 5);
	for (size_t i = 0; i < scenario.circle_count; i += one_in)
		scenario.circles[i].restitution = restitution;
	for (size_t i = 0; i < scenario.circle_count; i++)
		scenario.circles[i].vy = -speed;
	struct run run;
	run_start(&run, &scenario);
	uint64_t most = 0;
	double lowest = INFINITY, start = 0;
	for (int tick = 0; tick < 480; tick++) {
		run_ticks_unlogged(&run, dt, 1);
		assert_at_most(run_overlap(&run, &scenario), 0);
		most = run.report.events > most ? run.report.events : most;
		/* To stand still and keep a velocity would be to fall without falling: energy from nothing. */
		const struct energy_ledger *energy = &run.report.energy;
		const double now = energy->kinetic_after + energy->potential_after;
		if (tick == 0)
			start = energy->kinetic_before + energy->potential_before;
		lowest = fmin(lowest, now);
		assert_at_most((now - lowest) / start, 0.01);
	}
	assert_at_most(unrest(&run, &scenario), 1e-6);
	assert_at_most((double)most, 8.0 * (double)scenario.circle_count);
	assert_int_equal(run.report.collisions, 0);
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_bouncy_piles_settle(void **state)
{
	(void)state;
	bouncy_pile_settles(0.3, 1, 0);
	if (effort(0, 1) > 0) {
		bouncy_pile_settles(0.6, 1, 0);
		bouncy_pile_settles(0.5, 4, 0);
		bouncy_pile_settles(0.2, 1, 30);
	}
}

/* A ball lies in the hollow of two that cannot roll apart, and stays. */
static void
test_ball_on_two_balls(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario_circle(&scenario, -1.01, 1.01, 0, 0, 1);
	scenario_circle(&scenario, 1.01, 1.01, 0, 0, 1);
	scenario_circle(&scenario, 0, 1.01 + sqrt(4.08), 0, 0, 1);
	scenario_segment(&scenario, -2.05, 0, 2.05, 0);
	scenario_segment(&scenario, -2.05, 5, -2.05, 0);
	scenario_segment(&scenario, 2.05, 0, 2.05, 5);
	for (size_t i = 0; i < 3; i++)
		scenario.circles[i].friction = scenario.segments[i].friction = 0.6;
	scenario_restitution(&scenario, 0);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, dt, 600);
	const struct body_state before = run_body(&run, 2);
	run_ticks(&run, dt, 600);
	const struct body_state after = run_body(&run, 2);
	assert_at_most(fabs(before.x), 0.05);
	assert_at_most(hypot(after.x - before.x, after.y - before.y), 1e-3);
	assert_at_most(unrest(&run, &scenario), 1e-8);
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* On a slope a rough disc rolls: its acceleration is 2/3 g sin(slope), where friction allows it (tan(slope) <= 3 friction),
 * else it slides as well, at g (sin - friction cos). */
static void
test_disc_on_a_slope(void **state)
{
	(void)state;
	static const double frictions[] = { 1, 0.3, 0.05 };
	for (size_t i = 0; i < 3; i++) {
		const double friction = frictions[i], slope = 30 * DEGREE, g = 10, time = 2;
		struct scenario scenario;
		scenario_init(&scenario);
		scenario.def.gravity_x = g * sin(slope);
		scenario.def.gravity_y = -g * cos(slope);
		scenario_circle(&scenario, 0, 1.001, 0, 0, 1)->friction = friction;
		scenario_segment(&scenario, -10, 0, 100, 0)->friction = friction;
		scenario_restitution(&scenario, 0);
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, dt, (uint64_t)(time / dt + 0.5));
		const bool rolls = tan(slope) <= 3 * friction;
		const double a = rolls ? 2.0 / 3 * g * sin(slope) : g * (sin(slope) - friction * cos(slope));
		const struct body_state body = run_body(&run, 0);
		assert_double_near(body.vx / (a * time), 1, 0.01);
		if (rolls)
			assert_double_near(body.angular_velocity / (-a * time), 1, 0.01);
		else
			assert_double_near(body.angular_velocity / (-2 * friction * g * cos(slope) * time), 1, 0.01);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* A rough disc stays where rolling resistance holds it, and rolls where it does not: tan(slope) against the coefficient. */
static void
test_rolling_resistance_holds(void **state)
{
	(void)state;
	for (int rolls = 0; rolls < 2; rolls++) {
		const double slope = 5 * DEGREE, c = rolls ? 0.05 : 0.12;
		struct scenario scenario;
		scenario_init(&scenario);
		scenario.def.gravity_x = 10 * sin(slope);
		scenario.def.gravity_y = -10 * cos(slope);
		struct circle_def *ball = scenario_circle(&scenario, 0, 1.001, 0, 0, 1);
		ball->friction = 1;
		ball->rolling_resistance = c;
		scenario_segment(&scenario, -10, 0, 100, 0)->friction = 1;
		scenario_restitution(&scenario, 0);
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, dt, 120);
		if (rolls)
			/* m a = m g sin - F and I a / r = F r - c r N. */
			assert_double_near(run_body(&run, 0).vx / (2.0 / 3 * 10 * (sin(slope) - c * cos(slope)) * 2), 1, 0.02);
		else
			assert_at_most(fabs(run_body(&run, 0).vx), 1e-6);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Five balls that are elastic among themselves rest on a dull floor. One comes in: the last leaves with its speed, exactly. */
static void
test_cradle_on_a_floor(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario.def.restitution_mix = RESTITUTION_MIX_MIN;
	scenario_circle(&scenario, -40, 1.001, 30, 0, 1);
	for (int i = 0; i < 12; i++)
		scenario_circle(&scenario, 2.01 * i, 1.001, 0, 0, 1);
	scenario_restitution(&scenario, 1);
	scenario_segment(&scenario, -60, 0, 120, 0)->restitution = 0;
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, dt, 180);
	for (uint32_t i = 0; i < 12; i++)
		assert_at_most(fabs(run_body(&run, i).vx), 1e-12);
	assert_double_near(run_body(&run, 12).vx, 30, 1e-12);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Slow and elastic: the solver must not swallow one event. */
static void
test_slow_elastic_gas_keeps_its_energy(void **state)
{
	(void)state;
	uint64_t seed = 3;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_box(&scenario, 0, 0, 12, 12);
	for (int i = 0; i < 64; i++) {
		struct circle_def *circle = scenario_circle(&scenario, 1 + 1.4 * (i % 8), 1 + 1.4 * (i / 8),
		                                            random_between(&seed, -0.05, 0.05), random_between(&seed, -0.05, 0.05),
		                                            0.6);
		circle->mass = random_between(&seed, 0.5, 2);
	}
	scenario_restitution(&scenario, 1);
	struct run run;
	run_start(&run, &scenario);
	const double before = run_energy(&run, &scenario);
	run_ticks_unlogged(&run, dt, 3000);
	assert_true(run.collisions > 100);
	assert_double_near(run_energy(&run, &scenario) / before, 1, 1e-11);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A bullet that falls from far away on the leftmost of what lies on the floor, through a wall that is none for it. */
static struct circle_def *
bullet_add(struct scenario *scenario)
{
	for (size_t i = 0; i < scenario->circle_count; i++)
		scenario->circles[i].category = 2;
	scenario->segments[1].mask = 2;
	struct circle_def *bullet = scenario_circle(scenario, -2000, 0.55 + 0.5 * 10 * 9.0, 2000.0 / 3, 0, 0.25);
	bullet->category = 4;
	bullet->restitution = 0;
	bullet->mass = 0.5;
	return bullet;
}

/* Three seconds of rest, then it hits. In a row on a smooth floor nothing takes of its momentum. */
static void
bullet_hits(size_t count, double width, bool led, bool alone)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scene_pile(&scenario, count, width, 0, 1, 9);
	const double speed = bullet_add(&scenario)->vx;
	struct run run;
	run_start(&run, &scenario);
	double before = 0, after = NAN;
	uint64_t changes = 0;
	for (int tick = 0; tick < 240; tick++) {
		double momentum = 0;
		run_ticks_unlogged(&run, dt, 1);
		assert_at_most(run_overlap(&run, &scenario), 0);
		for (uint32_t i = 0; i <= count; i++)
			momentum += run_body(&run, i).mass * run_body(&run, i).vx;
		if (isfinite(after))
			continue;
		if (fabs(run_body(&run, (uint32_t)count).vx - speed) > 1) {
			after = momentum;
		} else {
			before = momentum;
			changes = 0;
			for (size_t i = 0; i < run.report.path_change_count; i++)
				changes += run.report.path_changes[i].kind == PATH_LED;
		}
	}
	assert_true(isfinite(after) != 0);
	assert_true((changes > 0) == led);
	if (alone)
		assert_double_near(after, before, 1e-9 * before);
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_bullet_into_a_row(void **state)
{
	(void)state;
	bullet_hits(60, 100, false, true);
}

/* Its walls take some of the momentum; but nothing overlaps and nothing falls short. */
static void
test_bullet_into_a_pile(void **state)
{
	(void)state;
	bullet_hits(60, 8, true, false);
}

/* A piston comes down on a pile that has nowhere to go: it is told as crushed, nothing overlaps that is not, and it is told
 * soon. A squeezed body does not spend its events on being moved and stopped. */
static void
test_piston_crushes_a_pile(void **state)
{
	(void)state;
	/* The second once had speeds of 1e10 radii per tick in it, and then impulses that did not explain them. */
	const struct {
		size_t count;
		uint64_t seed;
	} piles[] = { { 20, 3 }, { 12, 12 } };
	for (size_t k = effort(2, 0); k < sizeof piles / sizeof *piles; k++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scene_pile(&scenario, piles[k].count, 5.4, 0.5, 1, piles[k].seed);
		struct circle_def *piston = scenario_circle(&scenario, 2.7, 14, 0, -2, 2.6);
		piston->kind = BODY_KINEMATIC;
		piston->restitution = 0;
		struct run run;
		run_start(&run, &scenario);
		uint64_t events = 0;
		for (int tick = 0; tick < 360; tick++) {
			run_ticks_unlogged(&run, dt, 1);
			events = run.report.events > events ? run.report.events : events;
		}
		assert_true((run.shortfall_flags & BODY_FLAG_CRUSHED) != 0);
		assert_true(events < 100000);
		run_finish(&run); /* the certificate has nothing to say */
		scenario_finish(&scenario);
	}
}

static int
circle_compare(const void *left, const void *right)
{
	const struct circle_def *a = left, *b = right;
	return (a->id * 2654435761u > b->id * 2654435761u) - (a->id * 2654435761u < b->id * 2654435761u);
}

/* The order of definition changes no bit of a collapse. */
static void
test_shuffled_collapse_has_the_same_bits(void **state)
{
	(void)state;
	struct scenario scenario;
	uint64_t hashes[2];
	for (int shuffled = 0; shuffled < 2; shuffled++) {
		scenario_init(&scenario);
		scene_pile(&scenario, 100, 12, 0.4, 0.5, 11);
		if (shuffled)
			qsort(scenario.circles, scenario.circle_count, sizeof *scenario.circles, circle_compare);
		struct run run;
		run_start(&run, &scenario);
		run_ticks_unlogged(&run, dt, 120);
		assert_true(run.report.clips > 0 || run.report.path_change_count > 100);
		hashes[shuffled] = world_hash(run.world);
		run_finish(&run);
		scenario_finish(&scenario);
	}
	assert_true(hashes[0] == hashes[1]);
}

/* A pile far away changes no bit of another, nor of a ball between them. */
static void
test_far_piles_do_not_know_each_other(void **state)
{
	(void)state;
	struct body_state alone[41], beside[41];
	for (int both = 0; both < 2; both++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scene_pile(&scenario, 40, 9, 0.4, 1, 2);
		scenario_circle(&scenario, 500, 3, 1, 0, 0.5);
		if (both) {
			for (int i = 0; i < 50; i++)
				scenario_circle(&scenario, 1000 + 1.05 * (i % 5), 1 + 1.05 * (i / 5), 0, 0, 0.5)->restitution = 0;
			scenario_segment(&scenario, 990, 0, 1010, 0)->restitution = 0;
		}
		struct run run;
		run_start(&run, &scenario);
		run_ticks_unlogged(&run, dt, 200);
		for (uint32_t i = 0; i < 41; i++)
			(both ? beside : alone)[i] = run_body(&run, i);
		run_finish(&run);
		scenario_finish(&scenario);
	}
	for (size_t i = 0; i < 41; i++) {
		assert_same(beside[i].x, alone[i].x);
		assert_same(beside[i].y, alone[i].y);
		assert_same(beside[i].vx, alone[i].vx);
		assert_same(beside[i].angle, alone[i].angle);
	}
}

/* Deep piles, three seeds each, with what is asked of them. */
static void
test_deep_piles(void **state)
{
	(void)state;
	static const struct {
		size_t count;
		double width, smallest;
		int seconds;
	} piles[] = { { 1000, 60, 1, 10 }, { 2750, 60, 1, 15 }, { 5000, 60, 1, 25 }, { 3000, 60, 0.25, 25 } };
	print_message("%8s %9s %5s %9s %9s %9s %9s %7s\n", "circles", "radii", "seed", "unrest", "rest at s", "creep/s", "back",
	              "clips");
	for (size_t i = 0; i < sizeof piles / sizeof *piles; i++) {
		for (uint64_t seed = 1; seed <= 3; seed++) {
			struct scenario scenario;
			scenario_init(&scenario);
			scene_pile(&scenario, piles[i].count, piles[i].width, 0.5, piles[i].smallest, seed);
			const struct settling s = pile_settle(&scenario, piles[i].seconds);
			print_message("%8zu %9s %5d %9.1e %9.1f %9.1e %9.1e %7llu\n", piles[i].count,
			              piles[i].smallest < 1 ? "1 : 4" : "equal", (int)seed, s.unrest, s.rest_at, s.creep, s.back,
			              (unsigned long long)s.clips);
			assert_true(s.rest_at <= piles[i].seconds);
			assert_at_most(s.creep, 4e-4);
			assert_at_most(s.back, 1e-3);
			scenario_finish(&scenario);
		}
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest deep[] = { cmocka_unit_test(test_deep_piles) };
	if (argc > 1 && strcmp(argv[1], "deep") == 0)
		return cmocka_run_group_tests_name("physics/settle deep", deep, NULL, NULL);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_smooth_pile_settles),
		long_case(test_rough_pile_settles),
		long_case(test_pile_of_mixed_radii_settles),
		long_case(test_bouncy_piles_settle),
		cmocka_unit_test(test_ball_on_two_balls),
		cmocka_unit_test(test_disc_on_a_slope),
		cmocka_unit_test(test_rolling_resistance_holds),
		cmocka_unit_test(test_cradle_on_a_floor),
		long_case(test_slow_elastic_gas_keeps_its_energy),
		cmocka_unit_test(test_bullet_into_a_row),
		long_case(test_bullet_into_a_pile),
		cmocka_unit_test(test_piston_crushes_a_pile),
		long_case(test_shuffled_collapse_has_the_same_bits),
		long_case(test_far_piles_do_not_know_each_other),
	};
	return cmocka_run_group_tests_name("physics/settle", tests, NULL, NULL);
}
