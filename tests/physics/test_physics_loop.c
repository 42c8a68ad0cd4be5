/* A fast circle in a small closed loop: never outside and energy kept, however long. argv[1]: ticks (default 20,000). */
#include "physics/scenario.h"

#include "support/effort.h"

#include <math.h>
#include <stdlib.h>

static uint64_t ticks_asked;

/* A heptagon turned by 0.3 rad, about 20 radii wide; the circle of radius 1 makes 1,000 radii per tick, about 60 hits. */
static void
test_loop_of_20_radii_at_1000_radii_per_tick(void **state)
{
	(void)state;
	const double dt = 1.0 / 60, radius = 1, speed = 1000 * radius / dt, around = 10;
	enum { SIDES = 7 };
	struct scenario scenario;
	scenario_init(&scenario);
	double x[SIDES], y[SIDES];
	for (int i = 0; i < SIDES; i++) {
		x[i] = 3 + around * cos(0.3 + i * 360 * DEGREE / SIDES);
		y[i] = -2 + around * sin(0.3 + i * 360 * DEGREE / SIDES);
	}
	for (int i = 0; i < SIDES; i++)
		scenario_segment(&scenario, x[i], y[i], x[(i + 1) % SIDES], y[(i + 1) % SIDES]);
	scenario_circle(&scenario, 4, -1, speed * cos(1), speed * sin(1), radius);

	/* The first ticks certified: along the path, not only at its ends. */
	struct run run;
	run_start(&run, &scenario);
	run_ticks_unlogged(&run, dt, effort(50, 200));
	run_finish(&run);

	run_start_uncertified(&run, &scenario);
	for (uint64_t i = 0; i < ticks_asked; i++) {
		run_ticks_unlogged(&run, dt, 1);
		const struct body_state body = run_body(&run, 0);
		for (int k = 0; k < SIDES; k++) {
			/* Counter-clockwise, so the inside is on the left. */
			const double ux = x[(k + 1) % SIDES] - x[k], uy = y[(k + 1) % SIDES] - y[k];
			const double inside = (ux * (body.y - y[k]) - uy * (body.x - x[k])) / hypot(ux, uy);
			if (inside < radius)
				fail_msg("tick %llu: %g from wall %d", (unsigned long long)i, inside, k);
		}
		assert_double_near(hypot(body.vx, body.vy) / speed, 1, 0.5e-10); /* energy to 1e-10 */
	}
	/* The mean free path is pi A / P for the centre's polygon, well below its width of 18. */
	assert_true(run.collisions > 50 * ticks_asked);
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

int
main(int argc, char **argv)
{
	ticks_asked = argc > 1 ? strtoull(argv[1], NULL, 10) : effort(400, 20000);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loop_of_20_radii_at_1000_radii_per_tick),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
