/* Circles that fill a box to the last bit, so that nothing can part from anything, and one of them moves. What the reflections
 * leave of an approach, as rounding, may not carry them into each other. */
#include "physics/scenario.h"

#include "support/effort.h"
#include "support/random.h"

#include <math.h>

/* Of the largest coordinate: roundings of a place and of the distances that it is judged by. */
#define ULPS 8

static void
box_fill(struct scenario *scenario, uint64_t *random, int columns, int rows)
{
	static const double restitutions[] = { 0, 0.5, 0.9, 1 };
	const int mover = (int)random_below(random, (uint64_t)(columns * rows));

	scenario_init(scenario);
	scenario->def.gravity_y = random_below(random, 2) ? -10 : 0;
	for (int k = 0; k < columns * rows; k++) {
		const bool moves = k == mover;

		scenario_circle(scenario, k % columns + 0.5, k / columns + 0.5, moves ? random_between(random, -20, 20) : 0,
		                moves ? random_between(random, -20, 20) : 0, 0.5);
	}
	scenario_box(scenario, 0, 0, columns, rows);
	scenario_restitution(scenario, restitutions[random_below(random, 4)]);
}

static void
test_nothing_sinks_where_there_is_no_room(void **state)
{
	(void)state;
	const uint64_t scenes = effort(120, 2000);

	for (uint64_t seed = 1; seed <= scenes; seed++) {
		uint64_t random = seed;
		const int columns = 1 + (int)random_below(&random, 5), rows = 1 + (int)random_below(&random, 3);
		struct scenario scenario;
		struct run run;

		box_fill(&scenario, &random, columns, rows);
		run_start_uncertified(&run, &scenario);
		for (int tick = 0; tick < 4; tick++) {
			run_ticks(&run, 1.0 / 60, 1);
			if (run_overlap(&run, &scenario) > ULPS * 0x1p-52 * 4 && run.shortfall_count == 0)
				fail_msg("seed %llu, tick %d: an overlap of %g, and nothing is told", (unsigned long long)seed, tick,
				         run_overlap(&run, &scenario));
		}
		run_abandon(&run);
		scenario_finish(&scenario);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_sinks_where_there_is_no_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
