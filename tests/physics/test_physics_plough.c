/* A heavy ball through a packed crowd at rest: its way is the sum of its velocities, whatever it meets. Every tick is certified
 * and looked through for overlap by brute force; both ledgers close. */
#include "physics/scenario.h"

#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"

#include <math.h>

static const double dt = 1.0 / 60;

/* Of the way that it should go, this may be missing. */
#define LAG_MAX 1e-4

struct plough {
	int columns, rows;
	double mass, speed, restitution;
};

/* Circles of radius 0.95 about two apart, and the ball of radius 8 before them: its index. */
static uint32_t
plough_build(struct scenario *scenario, const struct plough *plough)
{
	uint64_t random = 1;
	scenario_init(scenario);
	for (int i = 0; i < plough->columns; i++)
		for (int j = 0; j < plough->rows; j++)
			scenario_circle(scenario, 2 * i + random_between(&random, 0, 0.1),
			                2 * j - (plough->rows - 1) + random_between(&random, 0, 0.1), 0, 0, 0.95);
	scenario_circle(scenario, -20, 0, plough->speed, 0, 8)->mass = plough->mass;
	scenario_restitution(scenario, plough->restitution);
	return (uint32_t)scenario->circle_count - 1;
}

static void
tick_checked(struct run *run, const struct scenario *scenario, double momentum)
{
	run_ticks_unlogged(run, dt, 1);
	assert_at_most(run_overlap(run, scenario), 0);

	const struct energy_ledger *e = &run->report.energy;
	const double sum = e->contact + e->work + e->push + e->clip + e->support;
	assert_double_near(e->kinetic_after - e->kinetic_before, sum, 1e-9 * e->kinetic_before);
	assert_at_most(e->kinetic_after, e->kinetic_before * (1 + 1e-12));

	double x = 0, y = 0;
	for (size_t i = 0; i < world_body_count(run->world); i++) {
		const struct body_state body = world_body(run->world, i);
		x += body.mass * body.vx;
		y += body.mass * body.vy;
	}
	assert_double_near(x, momentum, 1e-9 * momentum);
	assert_double_near(y, 0, 1e-9 * momentum);
}

/* Until it would be through the crowd. In a tick it goes no less than at the lower of the speeds before and after it. */
static void
plough_goes(const struct plough *plough)
{
	struct scenario scenario;
	struct run run;
	const uint32_t ball = plough_build(&scenario, plough);
	double least = 0, most = 0;
	uint64_t clips = 0;
	run_start(&run, &scenario);
	const int ticks = (int)((2 * plough->columns + 24) / plough->speed / dt);
	for (int tick = 0; tick < ticks; tick++) {
		const double before = run_body(&run, ball).vx;
		tick_checked(&run, &scenario, plough->mass * plough->speed);
		const double after = run_body(&run, ball).vx;
		least += fmin(before, after) * dt;
		most += fmax(before, after) * dt;
		clips += run.report.clips;
	}
	const double way = run_body(&run, ball).x + 20;
	assert_int_equal(run.shortfall_count, 0);
	print_message("%d x %d, mass %g at %g, restitution %g: %.3f of %.3f, %llu clips\n", plough->columns, plough->rows,
	              plough->mass, plough->speed, plough->restitution, way, least, (unsigned long long)clips);
	assert_at_most((1 - LAG_MAX) * least, way);
	assert_at_most(way, most * (1 + LAG_MAX));
	run_end(&run, &scenario);
}

static void
test_through_a_row(void **state)
{
	(void)state;
	plough_goes(&(struct plough){ 20, 1, 1e9, 400, 0 });
}

/* Of no rebound, from slow to fast. */
static void
test_at_any_speed(void **state)
{
	(void)state;
	static const double speeds[] = { 4, 15, 40, 400, 1000 };
	for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i += effort(4, 1))
		plough_goes(&(struct plough){ 10, 7, 1e9, speeds[i], 0 });
}

static void
test_at_any_restitution(void **state)
{
	(void)state;
	static const double restitutions[] = { 0.1, 0.5, 0.9 };
	static const double speeds[] = { 15, 40, 400 };
	for (size_t i = 0; i < sizeof restitutions / sizeof *restitutions; i++)
		for (size_t k = 0; k < sizeof speeds / sizeof *speeds; k++)
			plough_goes(&(struct plough){ 10, 5, 1e9, speeds[k], restitutions[i] });
}

/* It loses speed to what it pushes. */
static void
test_of_little_mass(void **state)
{
	(void)state;
	plough_goes(&(struct plough){ 10, 7, 1e3, 400, 0 });
	if (effort(0, 1) > 0)
		plough_goes(&(struct plough){ 10, 7, 1e3, 40, 0.1 });
	plough_goes(&(struct plough){ 10, 7, 30, 40, 0.1 });
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_through_a_row),
		long_case(test_at_any_speed),
		long_case(test_at_any_restitution),
		long_case(test_of_little_mass),
	};
	return cmocka_run_group_tests_name("physics/plough", tests, NULL, NULL);
}
