/* An engine that misses one event in ten thousand must be caught by the certificate.
 *
 * The engine itself holds no code for this: the linker is asked (-Wl,--wrap=event_queue_push) to put the function below in
 * front of the engine's own event queue in this program. */
#include "physics/map/map_scene.h"
#include "physics/scenes.h"

struct event_queue;
struct event;

bool __real_event_queue_push(struct event_queue *queue, const struct event *event);
bool __wrap_event_queue_push(struct event_queue *queue, const struct event *event);

enum { DROP_EVERY = 10000 };

static uint64_t pushes, dropped;

bool
__wrap_event_queue_push(struct event_queue *queue, const struct event *event)
{
	if (++pushes % DROP_EVERY == 0) {
		dropped++;
		return true;
	}
	return __real_event_queue_push(queue, event);
}

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
	if (!map_available())
		skip();
	const double dt = 1.0 / 60;
	pushes = dropped = 0;
	struct map_scene map;
	map_scene_init(&map, 500, 1, dt);
	int tick = 0;
	while (tick < 3600 && findings(map.certified) == 0) {
		(void)map_scene_tick(&map, dt);
		tick++;
	}
	const struct certificate_report *report = certified_report(map.certified);
	print_message("tick %d, %llu of %llu events dropped: %s\n", tick, (unsigned long long)dropped, (unsigned long long)pushes,
	              report->first_problem);
	assert_true(dropped > 0);
	assert_true(findings(map.certified) > 0);
	assert_true(report->first_problem[0] != '\0');
	map_scene_finish(&map);
}

/* The same where no map file is needed. */
static void
test_one_missed_event_in_ten_thousand_is_caught_in_a_gas(void **state)
{
	(void)state;
	pushes = dropped = 0;
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
	print_message("tick %d, %llu of %llu events dropped: %s\n", tick, (unsigned long long)dropped, (unsigned long long)pushes,
	              certified_report(run.certified)->first_problem);
	assert_true(dropped > 0);
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
