/* The load generator against a daemon that is made up. Nothing here is held to a time, as this process may stand still at any
 * moment: what is asserted is the order of waiting, and that no request is lost. Open loads have a number of requests, and wait
 * for all of them. Closed ones go on until they have had enough. */
#include "load/fake_daemon.h"

#include "client/load/load.h"

#include "support/assert_double.h"

#include <string.h>
#include <time.h>

static const double XS[FAKE_SCENES_MAX] = { 0 }, RADIUS[] = { 1 };

/* A scene of so many circles: by that the made-up daemon tells scenes apart. */
static struct collide_scene
scene_of(size_t circles)
{
	return (struct collide_scene){ .circles = { .x = { XS, circles }, .radius = { RADIUS, 1 } } };
}

struct run {
	struct fake_daemon daemon;
	struct collide_scene scenes[2];
	struct load_plan plan;
	struct load_result *result;
	struct collide_error error;
	uint64_t seconds_told;
	uint64_t stop_after; /* requests that are completed or refused, or calls; 0: never */
	uint64_t stop_calls;
	int64_t begin_ns, end_ns, stall_ns; /* of load_run; when this program stood still */
};

enum { HOURS_S = 36000 };

static int64_t
now_ns(void)
{
	struct timespec now;
	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void
on_second(void *context, const struct load_second *second)
{
	struct run *run = context;
	assert_true(second->seconds > 0);
	run->seconds_told++;
}

static bool
on_stop(void *context)
{
	struct run *run = context;
	return run->stop_after > 0 && run->result->completed + run->result->failed >= run->stop_after;
}

static void
run_begin(struct run *run, const struct fake_plan *daemon)
{
	*run = (struct run){ .scenes = { scene_of(3), scene_of(5) } };
	fake_daemon_start(&run->daemon, daemon);
	run->plan = (struct load_plan){ .address = run->daemon.address,
		                            .connections = 3,
		                            .pipeline = 2,
		                            .seconds = 0.5,
		                            .drain_seconds = HOURS_S,
		                            .scene_count = 1,
		                            .simulation = { .dt = 1, .ticks = 4 },
		                            .on_second = on_second,
		                            .stop = on_stop,
		                            .context = run };
	run->plan.scenes[0] = (struct load_scene){ .name = "three", .weight = 1, .scene = &run->scenes[0], .circles = 3 };
	run->plan.scenes[1] = (struct load_scene){ .name = "five", .weight = 1, .scene = &run->scenes[1], .circles = 5 };
	run->result = load_result_create();
	assert_non_null(run->result);
}

static uint64_t
faults_sum(const struct faults *faults)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < faults->count; i++)
		sum += faults->kinds[i].count;
	return sum;
}

static uint64_t
fault_count(const struct faults *faults, const char *name)
{
	for (size_t i = 0; i < faults->count; i++)
		if (strcmp(faults->kinds[i].name, name) == 0)
			return faults->kinds[i].count;
	return 0;
}

/* What holds of every run. */
static bool
run_go(struct run *run)
{
	run->begin_ns = now_ns();
	bool good = load_run(&run->plan, run->result, &run->error);
	run->end_ns = now_ns();
	const struct load_result *result = run->result;
	fake_daemon_stop(&run->daemon);
	assert_int_equal(result->scheduled, result->completed + result->failed + result->unfinished);
	assert_int_equal(result->latency.response.count, result->completed);
	assert_int_equal(result->latency.service.count, result->completed);
	assert_int_equal(faults_sum(&result->faults), result->failed);
	uint64_t of_scenes = 0;
	for (size_t i = 0; i < run->plan.scene_count; i++)
		of_scenes += result->scenes[i].response.count;
	assert_int_equal(of_scenes, result->completed);
	assert_true(result->oldest_unfinished_ns == 0 || result->unfinished > 0);
	assert_int_equal(run->seconds_told, result->series_count);
	uint64_t ended = 0;
	double time = 0;
	for (size_t i = 0; i < result->series_count; i++) {
		ended += result->series[i].completed;
		time += result->series[i].seconds;
	}
	assert_int_equal(ended, result->ended);
	assert_true(time > result->seconds - 1e-6 && time < result->seconds + 1e-6);
	return good;
}

/* A closed load, until so many requests have ended. */
static bool
run_until(struct run *run, uint64_t ended)
{
	run->plan.seconds = HOURS_S;
	run->stop_after = ended;
	return run_go(run);
}

static void
run_end(struct run *run)
{
	load_result_destroy(run->result);
}

static uint64_t
over(const struct histogram *histogram, uint64_t nanoseconds)
{
	struct histogram_point point = { 0 };
	uint32_t counter = 0;
	uint64_t at_most = 0;
	while (histogram_next(histogram, &counter, &point) && point.value <= nanoseconds)
		at_most = point.below;
	return histogram->count - at_most;
}

static void
a_closed_load_fills_its_places(void **state)
{
	(void)state;
	struct run run;
	run_begin(&run, &(struct fake_plan){ 0 });
	assert_true(run_until(&run, 100));
	const struct load_result *result = run.result;
	assert_true(result->completed >= 100 && result->failed == 0 && result->unfinished <= 6);
	/* No warm-up: all are measured. */
	assert_in_range(run.daemon.answered, result->completed, result->completed + result->unfinished);
	assert_int_equal(run.daemon.under_way_most, 2);
	assert_int_equal(result->ticks, 4 * result->ended);
	assert_int_equal(result->circle_ticks, 3 * result->ticks);
	assert_true(result->frames >= result->ended && result->bytes_received > 0 && result->bytes_sent > 0);
	assert_int_equal(over(&result->latency.response, 0), over(&result->latency.service, 0));
	assert_true(result->latency.response.sum == result->latency.service.sum);
	assert_int_equal(result->ping.service.count, result->ping.response.count);
	assert_string_equal(result->server, "fake");
	run_end(&run);
	/* One that comes to the end of its time. */
	run_begin(&run, &(struct fake_plan){ 0 });
	assert_true(run_go(&run));
	assert_true(run.result->failed == 0 && run.result->unfinished == 0);
	assert_int_equal(run.daemon.answered, run.result->completed);
	assert_double_near(run.result->seconds, 0.5, 1e-9);
	run_end(&run);
}

static void
warm_up_is_not_counted(void **state)
{
	(void)state;
	struct run run;
	run_begin(&run, &(struct fake_plan){ 0 });
	run.plan.warm_up_seconds = 0.3;
	run.plan.rate = 200;
	assert_true(run_go(&run));
	assert_int_equal(run.result->scheduled, 100); /* of 0.5 s; those of the 0.3 s before are not among them */
	assert_int_equal(run.result->completed, 100);
	assert_int_equal(run.daemon.answered, 160);
	run_end(&run);
}

enum { STALLED_REQUESTS = 400, STALLED_PINGS = 60 };

static bool
on_stop_stalled(void *context)
{
	struct run *run = context;
	uint64_t before = run->daemon.stalled_pings;
	return run->result->completed >= STALLED_REQUESTS && before != UINT64_MAX && run->daemon.pings > before + STALLED_PINGS;
}

/* The daemon stands still for 300 ms. Of the requests that were to start meanwhile few could be sent: the service times know of
 * those few only. The response times know of all that had to wait. */
static void
a_stall_shows_in_response_times(void **state)
{
	(void)state;
	enum { RATE = 400, STALL_MS = 300, STALL_AT = 100, PLACES = 4 };
	struct run run;
	run_begin(&run, &(struct fake_plan){ .stall_at = STALL_AT, .stall_ms = STALL_MS });
	run.plan.rate = RATE;
	run.plan.connections = PLACES;
	run.plan.pipeline = 1;
	run.plan.seconds = HOURS_S;
	run.plan.stop = on_stop_stalled;
	assert_true(run_go(&run));
	const struct load_result *result = run.result;
	assert_true(result->completed >= STALLED_REQUESTS && result->failed == 0);
	/* 120 were to start during the stall, or before it; 80 of them in its first 200 ms, so they waited 100 ms at least. */
	const uint64_t bound = 100000000;
	const double waited_ns = 120 * STALL_MS * 1e6 / 2, elapsed_ns = (double)(run.end_ns - run.begin_ns);
	assert_true(over(&result->latency.response, bound) >= 60);
	assert_true((double)result->latency.response.sum > 0.9 * waited_ns);
	/* Those in flight did, one on each connection. The times of a connection's requests follow on each other, so all of them
	 * together have no room for more than the time that the load took. */
	assert_true(over(&result->latency.service, bound) >= 1);
	assert_true((double)result->latency.service.sum <= PLACES * elapsed_ns);
	/* Pings were kept waiting as well, and those that could not be sent meanwhile count: 40 waited for 100 ms or more. */
	assert_true(over(&result->ping.response, bound) >= 35);
	/* Their lateness is the daemon's fault, not this program's: of that there is one a connection in each pause of the machine.
	 */
	assert_true((double)over(&result->generator.late, bound) * (double)bound <= PLACES * elapsed_ns);
	run_end(&run);
}

/* This program itself stands still over the end of the load. What was due meanwhile is sent all the same, and its response
 * times have the stall. */
static bool
on_stop_stall(void *context)
{
	struct run *run = context;
	if (++run->stop_calls == run->stop_after) {
		run->stall_ns = now_ns();
		nanosleep(&(struct timespec){ .tv_nsec = 700000000 }, NULL);
	}
	return false;
}

static void
what_was_due_in_a_stall_at_the_end_is_sent(void **state)
{
	(void)state;
	/* At some of these calls nothing is under way, at others a request is. */
	for (uint64_t call = 20; call < 24; call++) {
		struct run run;
		run_begin(&run, &(struct fake_plan){ 0 });
		run.plan.rate = 400;
		run.plan.stop = on_stop_stall;
		run.stop_after = call;
		assert_true(run_go(&run));
		assert_int_equal(run.result->scheduled, 200);
		assert_int_equal(run.result->completed, 200);
		/* What was to start between then and the end waited for 200 ms at least. */
		double due = 200 - 400 * (double)(run.stall_ns - run.begin_ns) * 1e-9;
		assert_true((double)over(&run.result->latency.response, 100000000) >= due - 1);
		run_end(&run);
	}
}

static void
an_open_load_keeps_its_schedule_when_refused(void **state)
{
	(void)state;
	struct run run;
	run_begin(&run, &(struct fake_plan){ .refuse_every = 10 });
	run.plan.rate = 400;
	assert_true(run_go(&run));
	assert_int_equal(run.result->scheduled, 200);
	assert_int_equal(run.result->failed, 20);
	assert_int_equal(fault_count(&run.result->faults, "QUEUE_FULL"), 20);
	assert_int_equal(run.result->completed, 180);
	run_end(&run);
}

/* A closed load comes back after the pause that it was told. */
static void
a_closed_load_waits_when_refused(void **state)
{
	(void)state;
	struct run run;
	run_begin(&run, &(struct fake_plan){ .refuse_every = 1 });
	run.plan.connections = 1;
	run.plan.pipeline = 1;
	assert_true(run_until(&run, 20));
	assert_int_equal(run.result->completed, 0);
	assert_in_range(run.daemon.refused, run.result->failed, run.result->failed + 1);
	assert_in_range(run.result->failed, 20, 1 + (uint64_t)(run.end_ns - run.begin_ns) / 5000000); /* in steps of 5 ms */
	run_end(&run);
}

static void
replies_may_come_in_any_order(void **state)
{
	(void)state;
	struct run run;
	run_begin(&run, &(struct fake_plan){ .backwards = true });
	run.plan.pipeline = 100;
	assert_true(run_until(&run, 1000));
	assert_true(run.result->completed >= 1000 && run.result->failed == 0 && run.result->unfinished <= 300);
	assert_in_range(run.daemon.answered, run.result->completed, run.result->completed + run.result->unfinished);
	run_end(&run);
}

static void
scenes_are_mixed_by_weight(void **state)
{
	(void)state;
	struct run run;
	run_begin(&run, &(struct fake_plan){ 0 });
	run.plan.scene_count = 2;
	run.plan.scenes[0].weight = 3;
	run.plan.rate = 400;
	assert_true(run_go(&run));
	assert_int_equal(run.result->completed, 200);
	assert_int_equal(run.daemon.of_circles[3], 150);
	assert_int_equal(run.daemon.of_circles[5], 50);
	assert_int_equal(run.result->scenes[0].response.count, 150);
	assert_int_equal(run.result->scenes[1].service.count, 50);
	run_end(&run);
}

static void
what_may_pass_is_counted_and_the_rest_ends_the_load(void **state)
{
	(void)state;
	struct run run;
	run_begin(&run, &(struct fake_plan){ .fail_at = 3 });
	assert_true(run_until(&run, 20));
	assert_int_equal(fault_count(&run.result->faults, "SELF_CHECK"), 1);
	assert_true(run.result->completed > 3);
	run_end(&run);

	run_begin(&run, &(struct fake_plan){ .fatal_at = 30 });
	assert_false(run_until(&run, 0));
	assert_string_equal(run.error.reason, "BAD_FIELD");
	assert_int_equal(run.error.origin, COLLIDE_FROM_SERVER);
	assert_int_equal(fault_count(&run.result->faults, "BAD_FIELD"), 1);
	/* Of the 29 before it some were not read any more; the other connections may have had some after it. */
	assert_true(run.result->completed >= 24 && run.result->completed <= 40);
	run_end(&run);
}

static void
a_lost_connection_ends_the_load_with_what_was_measured(void **state)
{
	(void)state;
	struct run run;
	run_begin(&run, &(struct fake_plan){ .close_at = 50 });
	assert_false(run_until(&run, 0));
	assert_int_equal(run.error.origin, COLLIDE_FROM_CONNECTION);
	assert_true(run.result->completed >= 40 && run.result->completed <= 60);
	assert_true(run.result->failed >= 1 && run.result->failed <= 2); /* what was under way on that connection */
	assert_true(run.result->seconds > 0 && run.result->seconds < HOURS_S);
	run_end(&run);
}

/* All are due, and the daemon has got those that have a place. */
static bool
on_stop_mute(void *context)
{
	struct run *run = context;
	return run->result->scheduled == 100 && run->result->completed == 30 && run->daemon.simulates == 36;
}

static void
what_is_never_answered_is_unfinished(void **state)
{
	(void)state;
	struct run run;
	run_begin(&run, &(struct fake_plan){ .mute_from = 31 });
	run.plan.rate = 200;
	run.plan.stop = on_stop_mute;
	assert_true(run_go(&run));
	assert_int_equal(run.result->scheduled, 100);
	assert_int_equal(run.result->completed, 30);
	assert_int_equal(run.result->unfinished, 70); /* 6 under way, 64 that had no place */
	assert_true(run.result->oldest_unfinished_ns > 300000000);
	run_end(&run);
	/* So it is when the time to wait for them is over. */
	run_begin(&run, &(struct fake_plan){ .mute_from = 31 });
	run.plan.rate = 200;
	run.plan.drain_seconds = 0.2;
	assert_true(run_go(&run));
	assert_true(run.result->completed <= 30 && run.result->scheduled <= 100 && !run.result->stopped);
	assert_int_equal(run.result->scheduled, run.result->completed + run.result->unfinished);
	assert_true(run.end_ns - run.begin_ns >= 700000000);
	run_end(&run);
}

static void
a_load_that_is_stopped_tells_what_it_has(void **state)
{
	(void)state;
	struct run run;
	run_begin(&run, &(struct fake_plan){ 0 });
	assert_true(run_until(&run, 1));
	assert_true(run.result->stopped && run.result->completed > 0);
	assert_true(run.result->seconds > 0 && run.result->seconds < HOURS_S);
	run_end(&run);
}

static void
more_than_the_daemon_takes_is_refused(void **state)
{
	(void)state;
	struct run run;
	run_begin(&run, &(struct fake_plan){ .requests_in_flight_max = 16 });
	run.plan.pipeline = 17;
	assert_false(run_go(&run));
	assert_int_equal(run.error.code, COLLIDE_INVALID_ARGUMENT);
	assert_non_null(strstr(run.error.text, "at most 16"));
	assert_int_equal(run.daemon.simulates, 0);
	run_end(&run);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_closed_load_fills_its_places),
		cmocka_unit_test(warm_up_is_not_counted),
		cmocka_unit_test(a_stall_shows_in_response_times),
		cmocka_unit_test(what_was_due_in_a_stall_at_the_end_is_sent),
		cmocka_unit_test(an_open_load_keeps_its_schedule_when_refused),
		cmocka_unit_test(a_closed_load_waits_when_refused),
		cmocka_unit_test(replies_may_come_in_any_order),
		cmocka_unit_test(scenes_are_mixed_by_weight),
		cmocka_unit_test(what_may_pass_is_counted_and_the_rest_ends_the_load),
		cmocka_unit_test(a_lost_connection_ends_the_load_with_what_was_measured),
		cmocka_unit_test(what_is_never_answered_is_unfinished),
		cmocka_unit_test(a_load_that_is_stopped_tells_what_it_has),
		cmocka_unit_test(more_than_the_daemon_takes_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
