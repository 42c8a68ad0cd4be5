/* Pinned hashes. The scenes hold no libm results, so that they are the same input everywhere; each run is certified, and its
 * laws are tested in the other programs. What these add: the bits of events and of a heap are those of every earlier build,
 * compiler, optimisation level and machine. A change of the engine's arithmetic must change them knowingly, and raise
 * PHYSICS_SEMANTICS. */
#include "physics/scenario.h"

#include "support/random.h"

#include <inttypes.h>

struct golden {
	const char *name;
	double gravity, restitution;
	uint64_t seed, hash;
};

/* 150 circles of radii 0.3 to 1 and masses 0.5 to 4 at up to about 60 units/s in a box with three slanted walls. */
static void
golden_scene(struct scenario *scenario, const struct golden *golden)
{
	uint64_t random = golden->seed;
	scenario_init(scenario);
	scenario->def.gravity_y = golden->gravity;
	scenario_box(scenario, 0, 0, 45, 36);
	scenario_segment(scenario, 1.1, 34.2, 7.3, 35.6);
	scenario_segment(scenario, 7.3, 35.6, 20.9, 33.8);
	scenario_segment(scenario, 30.5, 35.5, 44.1, 34.3);
	for (int i = 0; i < 150; i++) {
		const double radius = random_between(&random, 0.3, 1);
		const double vx = random_between(&random, -60, 60), vy = random_between(&random, -60, 60);
		struct circle_def *circle = scenario_circle(scenario, 2 + 2.9 * (i % 15), 2 + 2.9 * (i / 15), vx, vy, radius);
		circle->mass = random_between(&random, 0.5, 4);
	}
	scenario_restitution(scenario, golden->restitution);
}

static void
golden_run(const struct golden *golden)
{
	struct scenario scenario;
	struct run run;
	golden_scene(&scenario, golden);
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 60, 120);
	if (world_hash(run.world) != golden->hash)
		print_error("%s: hash %016" PRIx64 ", pinned %016" PRIx64 "\n", golden->name, world_hash(run.world), golden->hash);
	assert_true(world_hash(run.world) == golden->hash);
	assert_true(run.collisions > 1000);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_elastic_without_gravity(void **state)
{
	(void)state;
	golden_run(&(struct golden){ "elastic", 0, 1, 1, UINT64_C(0xdaef15f815a97284) });
}

static void
test_elastic_under_gravity(void **state)
{
	(void)state;
	golden_run(&(struct golden){ "elastic under gravity", -9.75, 1, 2, UINT64_C(0xb075f51e36409d39) });
}

static void
test_bouncing_without_gravity(void **state)
{
	(void)state;
	golden_run(&(struct golden){ "bouncing", 0, 0.75, 3, UINT64_C(0x37210184281b80c6) });
}

/* 80 rough circles of unlike radii and masses fall into a hopper, spin and come to rest: the rest solver's bits. */
static void
test_rough_heap(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	uint64_t random = 4;
	scenario_init(&scenario);
	scenario.def.gravity_y = -9.75;
	scenario_box(&scenario, 0, 0, 20, 40);
	scenario_segment(&scenario, 0, 6, 8, 0.5);
	scenario_segment(&scenario, 20, 5.5, 13, 0.25);
	for (int i = 0; i < 80; i++) {
		const double radius = random_between(&random, 0.4, 0.9), vx = random_between(&random, -2, 2);
		struct circle_def *circle = scenario_circle(&scenario, 2 + 2.25 * (i % 8), 8 + 2.25 * (i / 8), vx, 0, radius);
		circle->mass = random_between(&random, 0.5, 8);
		circle->friction = 0.5;
		circle->rolling_resistance = i % 4 == 0 ? 0.05 : 0;
	}
	scenario_restitution(&scenario, 0.25);
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 60, 300);
	if (world_hash(run.world) != UINT64_C(0x296b60612be4c19d))
		print_error("heap: hash %016" PRIx64 "\n", world_hash(run.world));
	assert_true(world_hash(run.world) == UINT64_C(0x296b60612be4c19d));
	run_finish(&run);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elastic_without_gravity),
		cmocka_unit_test(test_elastic_under_gravity),
		cmocka_unit_test(test_bouncing_without_gravity),
		cmocka_unit_test(test_rough_heap),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
