/* A minute on a real map: E1M1 of Freedoom, 500 elastic circles at ten radii per tick, every tick certified. */
#include "physics/map/map_scene.h"

#include "support/assert_double.h"
#include "support/freedoom.h"

static void
test_e1m1_500_circles_60_s_at_ten_radii_per_tick(void **state)
{
	(void)state;
	if (!maps_available())
		skip();
	const double dt = 1.0 / 60;
	enum { CIRCLES = 500, TICKS = 3600 };
	const struct map_order order = { freedoom_path(1), "E1M1", "10", CIRCLES, 1, dt, NULL, 0, 0, 0 };
	char error[400] = "";
	struct map_scene map;
	if (!map_scene_init(&map, &order, error, sizeof error))
		fail_msg("%s", error);
	assert_int_equal(world_body_count(map.world), CIRCLES);
	for (size_t i = 0; i < CIRCLES; i++) {
		const struct body_state body = world_body(map.world, i);
		assert_double_near(sqrt(body.vx * body.vx + body.vy * body.vy) * dt, 10 * body.radius, 1e-6 * body.radius);
	}

	const double before = map_scene_kinetic(&map);
	uint64_t collisions = 0, contacts = 0;
	for (int tick = 0; tick < TICKS; tick++) {
		struct tick_report report;
		if (!map_scene_tick(&map, &report, error, sizeof error))
			fail_msg("%s", error);
		collisions += report.collisions;
		contacts += report.contact_count;
		assert_int_equal(report.shortfall_count, 0);
	}
	const struct certificate_report *report = certified_report(map.certified);
	print_message("%llu collisions, energy drift %.3g, %s\n", (unsigned long long)collisions,
	              map_scene_kinetic(&map) / before - 1, report->first_problem);
	assert_int_equal(report->ticks, TICKS);
	assert_int_equal(report->contacts, contacts);
	assert_int_equal(report->escapes, 0);
	assert_int_equal(report->overlaps, 0);
	assert_int_equal(report->jumps, 0);
	assert_int_equal(report->energy_faults, 0);
	assert_double_near(report->largest_overlap, 0, 0);
	assert_true(collisions >= 100000);
	assert_double_near(map_scene_kinetic(&map) / before, 1, 1e-9);
	map_scene_finish(&map);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_e1m1_500_circles_60_s_at_ten_radii_per_tick),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
