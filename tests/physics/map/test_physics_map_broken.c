/* An engine that misses one event in ten thousand (dropping_queue.h) must be caught by the certificate. */
#include "physics/map/dropping_queue.h"
#include "physics/map/map_scene.h"
#include "physics/scenes.h"

#include "support/assert_double.h"
#include "support/freedoom.h"

static uint64_t
findings(const struct certified *certified)
{
	const struct certificate_report *report = certified_report(certified);
	return report->overlaps + report->escapes + report->jumps;
}

static void
test_one_missed_event_in_ten_thousand_is_caught_on_e1m1(void **state)
{
	(void)state;
	if (!maps_available())
		skip();
	const struct map_order order = { freedoom_path(1), "E1M1", "10", 500, 1, 1.0 / 60, NULL, 0, 0, 0 };
	char error[400] = "";
	struct map_scene map;
	dropping_reset();
	if (!map_scene_init(&map, &order, error, sizeof error))
		fail_msg("%s", error);
	int tick = 0;
	while (tick < 3600 && findings(map.certified) == 0) {
		struct tick_report report;
		if (!map_scene_tick(&map, &report, error, sizeof error))
			fail_msg("%s", error);
		tick++;
	}
	const struct certificate_report *report = certified_report(map.certified);
	const struct dropping_counts counts = dropping_counts();
	print_message("tick %d, %llu of %llu events dropped: %s\n", tick, (unsigned long long)counts.dropped,
	              (unsigned long long)counts.pushes, report->first_problem);
	assert_true(counts.dropped > 0);
	assert_true(findings(map.certified) > 0);
	assert_true(report->first_problem[0] != '\0');
	map_scene_finish(&map);
}

/* The same where no map file is needed. */
static void
test_one_missed_event_in_ten_thousand_is_caught_in_a_gas(void **state)
{
	(void)state;
	dropping_reset();
	struct scenario scenario;
	scenario_init(&scenario);
	scene_gas(&scenario, 1000, 60, 1);
	struct run run;
	run_start(&run, &scenario);
	int tick = 0;
	while (tick < 600 && findings(run.certified) == 0) {
		run_ticks_unlogged(&run, 1.0 / 60, 1);
		tick++;
	}
	const struct dropping_counts counts = dropping_counts();
	print_message("tick %d, %llu of %llu events dropped: %s\n", tick, (unsigned long long)counts.dropped,
	              (unsigned long long)counts.pushes, certified_report(run.certified)->first_problem);
	assert_true(counts.dropped > 0);
	assert_true(findings(run.certified) > 0);
	run_abandon(&run);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_missed_event_in_ten_thousand_is_caught_on_e1m1),
		cmocka_unit_test(test_one_missed_event_in_ten_thousand_is_caught_in_a_gas),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
