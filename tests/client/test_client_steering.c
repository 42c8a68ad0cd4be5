/* How far ahead a seat aims: against a server of which the due times, the latency and the stalls are known. */
#include "client/lib/worlds/steering.h"

#include "support/assert_double.h"

enum { HZ = 50, TICK_NS = 1000000000 / HZ };

/* A server with tick n due at n * TICK_NS, at the end of a line that takes latency_ns each way. */
struct line {
	int64_t now_ns, latency_ns;
	uint64_t lost; /* by how many ticks its clock was set back */
};

static int64_t
due_ns(const struct line *line, uint64_t tick)
{
	return ((int64_t)tick + (int64_t)line->lost) * TICK_NS;
}

static uint64_t
tick_at(const struct line *line, int64_t ns)
{
	return (uint64_t)(ns / TICK_NS) - line->lost;
}

static void
line_attach(struct line *line, struct steering *steering)
{
	uint64_t tick = tick_at(line, line->now_ns);
	int64_t next_ns = due_ns(line, tick + 1) - line->now_ns;
	line->now_ns += line->latency_ns;
	steering_begin(steering, tick, next_ns, HZ, line->now_ns);
}

/* Sends a batch now; the margin that the server tells of it, a moment later. */
static int64_t
line_batch(struct line *line, struct steering *steering)
{
	uint64_t aim = steering_aim(steering, line->now_ns);
	int64_t margin_ns = due_ns(line, aim) - (line->now_ns + line->latency_ns);
	line->now_ns += TICK_NS;
	uint64_t told = tick_at(line, line->now_ns - line->latency_ns);
	steering_told(steering, told, line->now_ns);
	steering_margin(steering, margin_ns, told);
	return margin_ns;
}

static void
it_comes_to_the_margin_that_is_wanted(void **state)
{
	static const int64_t latencies_ns[] = { 0, 1000000, 35000000, 300000000 };
	(void)state;
	for (size_t i = 0; i < sizeof latencies_ns / sizeof latencies_ns[0]; i++) {
		struct line line = { .now_ns = 7 * TICK_NS + TICK_NS / 3, .latency_ns = latencies_ns[i] };
		struct steering steering = { 0 };
		int64_t margin_ns = 0;
		line_attach(&line, &steering);
		for (int k = 0; k < 200; k++)
			margin_ns = line_batch(&line, &steering);
		/* The aim is a whole tick, so it is within one of what is wanted. */
		assert_in_range(margin_ns, TICK_NS / 2, 2 * TICK_NS);
		for (int k = 0; k < 100; k++)
			assert_in_range(line_batch(&line, &steering), 0, 2 * TICK_NS);
	}
}

static void
it_begins_two_ticks_ahead(void **state)
{
	struct steering steering = { 0 };
	(void)state;
	steering_begin(&steering, 100, TICK_NS / 2, HZ, 1000);
	/* 101 is due in half a tick, 102 in one and a half, 103 in two and a half. */
	assert_int_equal(steering_aim(&steering, 1000), 103);
	assert_int_equal(steering_aim(&steering, 1000 + TICK_NS / 2), 103);
	assert_int_equal(steering_aim(&steering, 1001 + TICK_NS / 2), 104);
}

static void
a_clock_set_back_is_followed_at_once(void **state)
{
	struct line line = { .now_ns = 1000 * (int64_t)TICK_NS, .latency_ns = 5000000 };
	struct steering steering = { 0 };
	(void)state;
	line_attach(&line, &steering);
	for (int k = 0; k < 100; k++)
		line_batch(&line, &steering);
	/* It stood still for so long. */
	line.lost += 200;
	line.now_ns += 200 * (int64_t)TICK_NS;
	assert_true(line_batch(&line, &steering) > 200 * (int64_t)TICK_NS);
	for (int k = 0; k < 100; k++)
		line_batch(&line, &steering);
	assert_in_range(line_batch(&line, &steering), 0, 2 * TICK_NS);
}

static void
a_faster_clock_is_followed(void **state)
{
	struct steering steering = { 0 };
	(void)state;
	steering_begin(&steering, 10, TICK_NS, HZ, 0);
	steering_told(&steering, 500, TICK_NS);
	assert_true(steering_aim(&steering, TICK_NS) > 500);
	assert_true(steering_aim(&steering, TICK_NS) < 505);
}

/* A server that stood still has lost ticks. Batches are refused as too early, and no margin tells of it. */
static void
a_server_that_stood_still_is_found_again(void **state)
{
	struct steering steering = { 0 };
	const int64_t now_ns = 20 * INT64_C(1000000000);
	(void)state;
	steering_begin(&steering, 100, TICK_NS, HZ, 0);
	steering_margin(&steering, -now_ns, 101); /* of one that came after ticks that were made up for */
	assert_true(steering_aim(&steering, now_ns) > 100 + 1000);
	steering_restart(&steering, 103, now_ns);
	assert_true(steering_aim(&steering, now_ns) > 103);
	assert_true(steering_aim(&steering, now_ns) <= 103 + 1 + 3);
	/* One that came late tells nothing. */
	steering_told(&steering, 200, now_ns + 90 * TICK_NS);
	steering_restart(&steering, 150, now_ns + 90 * TICK_NS);
	assert_true(steering_aim(&steering, now_ns + 90 * TICK_NS) > 200);
}

/* Whatever a server says, nothing overflows: a tick that is due in centuries is the next one, and batches that came centuries
 * late make for a long lead. */
static void
numbers_that_cannot_be_do_no_harm(void **state)
{
	struct steering steering = { 0 };
	const int64_t now_ns = 20 * INT64_C(1000000000);
	(void)state;
	steering_begin(&steering, 100, INT64_MAX, HZ, now_ns);
	assert_int_equal(steering_aim(&steering, now_ns), 101);
	steering_begin(&steering, 100, TICK_NS, HZ, now_ns);
	for (uint64_t tick = 101; tick < 140; tick++)
		steering_margin(&steering, INT64_MIN, tick);
	assert_true(steering_aim(&steering, now_ns) > 1000000);
	for (uint64_t tick = 140; tick < 240; tick++)
		steering_margin(&steering, INT64_MAX, tick);
	assert_int_equal(steering_aim(&steering, now_ns), 101);
}

static void
by_the_clients_clock_it_is_the_next_tick(void **state)
{
	struct steering steering = { 0 };
	(void)state;
	steering_begin(&steering, 41, 0, 0, 0);
	assert_int_equal(steering_aim(&steering, 12345678), 42);
	steering_told(&steering, 77, 0);
	steering_margin(&steering, -5, 77);
	assert_int_equal(steering_aim(&steering, 12345678), 78);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_comes_to_the_margin_that_is_wanted),    cmocka_unit_test(it_begins_two_ticks_ahead),
		cmocka_unit_test(a_clock_set_back_is_followed_at_once),     cmocka_unit_test(a_faster_clock_is_followed),
		cmocka_unit_test(numbers_that_cannot_be_do_no_harm),        cmocka_unit_test(by_the_clients_clock_it_is_the_next_tick),
		cmocka_unit_test(a_server_that_stood_still_is_found_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
