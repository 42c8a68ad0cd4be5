/* What a load does without a clock: the schedule, the mix, the search for the knee, the count of faults. */
#include "client/load/faults.h"
#include "client/load/knee.h"
#include "client/load/load_schedule.h"
#include "client/load/mix.h"

#include "support/assert_double.h"
#include "support/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void
starts_are_even_and_taken_in_turn(void **state)
{
	(void)state;
	static const double rates[] = { 0.01, 1, 3, 997, 12345.678, 1e6, 1e7 };
	for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
		const struct load_schedule schedule = { .start_ns = 987654321, .rate = rates[r], .connections = 7 };
		assert_true(load_schedule_time(&schedule, 0) == schedule.start_ns);
		for (uint64_t i = 0; i < 1000; i++) {
			double expected = (double)i / rates[r],
				   found = (double)(load_schedule_time(&schedule, i) - schedule.start_ns) * 1e-9;
			assert_true(fabs(found - expected) <= 2e-9 + expected * 1e-12);
		}
	}
	const struct load_schedule schedule = { .rate = 10, .connections = 3 };
	assert_int_equal(load_schedule_index(&schedule, 0, 0), 0);
	assert_int_equal(load_schedule_index(&schedule, 2, 0), 2);
	assert_int_equal(load_schedule_index(&schedule, 1, 4), 13);
}

/* load_schedule_due and load_schedule_time say the same, at the very nanosecond and beside it. */
static void
due_is_what_has_started(void **state)
{
	(void)state;
	uint64_t random = 3;
	for (size_t i = 0; i < 20000; i++) {
		const struct load_schedule schedule = { .start_ns = (int64_t)random_below(&random, 1000000000000),
			                                    .rate = pow(10, random_between(&random, -2, 7)),
			                                    .connections = 1 };
		uint64_t index = random_below(&random, 1000000);
		int64_t time = load_schedule_time(&schedule, index);
		assert_true(load_schedule_due(&schedule, time) >= index + 1);
		assert_true(load_schedule_time(&schedule, load_schedule_due(&schedule, time) - 1) <= time);
		assert_true(load_schedule_time(&schedule, load_schedule_due(&schedule, time)) > time);
		assert_true(load_schedule_due(&schedule, time - 1) <= index);
	}
	const struct load_schedule schedule = { .start_ns = 100, .rate = 1e3, .connections = 1 };
	assert_int_equal(load_schedule_due(&schedule, 99), 0);
	assert_int_equal(load_schedule_due(&schedule, 100), 1);
}

/* Exact over each cycle, and at no time off by more than one. */
static void
each_scene_has_its_share(void **state)
{
	(void)state;
	static const struct {
		size_t count;
		int64_t weights[4];
	} cases[] = { { 1, { 5 } }, { 2, { 1, 1 } }, { 3, { 3, 1, 1 } }, { 4, { 1, 10, 100, 7 } }, { 2, { 10000, 1 } } };
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		struct mix mix = { .count = cases[c].count };
		uint64_t taken[4] = { 0 };
		int64_t sum = 0;
		for (size_t i = 0; i < mix.count; i++) {
			mix.weight[i] = cases[c].weights[i];
			sum += mix.weight[i];
		}
		for (int64_t turn = 1; turn <= 3 * sum; turn++) {
			taken[mix_next(&mix)]++;
			for (size_t i = 0; i < mix.count; i++) {
				double due = (double)turn * (double)cases[c].weights[i] / (double)sum;
				assert_true(fabs((double)taken[i] - due) < (double)mix.count);
				if (turn % sum == 0)
					assert_int_equal(taken[i], turn / sum * cases[c].weights[i]);
			}
		}
	}
}

/* Two equal ones alternate: none comes in a bunch. */
static void
none_comes_in_a_bunch(void **state)
{
	(void)state;
	struct mix mix = { .count = 2, .weight = { 1, 1 } };
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(mix_next(&mix), i % 2);
}

/* Runs the search on a daemon that serves `capacity` well, and fails for no reason at the steps of `hiccups`. */
static struct knee
knee_of(double first, double capacity, uint64_t hiccups)
{
	struct knee knee;
	bool more = true;
	knee_init(&knee, first, KNEE_RATE_MIN);
	while (more) {
		bool held = knee.rate <= capacity && (hiccups >> knee.steps & 1) == 0;
		more = knee_take(&knee, held);
		assert_true(knee.steps <= KNEE_STEPS_MAX);
	}
	return knee;
}

static void
the_knee_is_found_from_below_and_from_above(void **state)
{
	(void)state;
	uint64_t random = 11;
	for (size_t i = 0; i < 2000; i++) {
		double capacity = pow(10, random_between(&random, -1, 6.5)), first = capacity * pow(10, random_between(&random, -3, 2));
		if (first < KNEE_RATE_MIN || first > KNEE_RATE_MAX)
			continue;
		struct knee knee = knee_of(first, capacity, 0);
		assert_true(knee.held <= capacity && knee.failed > capacity);
		assert_true(knee.failed <= knee.held * KNEE_NARROW);
	}
}

/* One bad step that is followed by a good one at the same rate changes nothing. */
static void
a_hiccup_is_no_knee(void **state)
{
	(void)state;
	struct knee quiet = knee_of(100, 5000, 0);
	for (unsigned step = 0; step < 8; step++) {
		struct knee knee = knee_of(100, 5000, (uint64_t)1 << step);
		assert_true(knee.held <= 5000 && knee.failed > 5000 && knee.failed <= knee.held * KNEE_NARROW);
		assert_double_same_bits(knee.held, quiet.held);
	}
}

static void
a_search_without_a_knee_ends(void **state)
{
	(void)state;
	struct knee nothing = knee_of(100, 0, 0), everything = knee_of(100, INFINITY, 0);
	assert_true(nothing.held == 0 && nothing.failed < 2 * KNEE_RATE_MIN);
	assert_true(everything.failed == 0 && everything.held > KNEE_RATE_MAX / 2);
}

/* Whenever a step begins, requests start in it: so many, or as many as there are in the longest step. */
static void
requests_start_in_every_step(void **state)
{
	(void)state;
	uint64_t random = 17;
	for (size_t i = 0; i < 20000; i++) {
		double asked = pow(10, random_between(&random, -2, 2)), least = knee_rate_min(asked);
		double rate = pow(10, random_between(&random, log10(least), 7)), seconds = knee_step_seconds(rate, asked);
		assert_true(least >= KNEE_RATE_MIN && seconds >= asked && seconds <= KNEE_STEP_LONGER * asked);
		assert_true(seconds == asked || seconds * rate <= KNEE_STEP_STARTS * (1 + 1e-9));
		const struct load_schedule schedule = { .start_ns = 1000, .rate = rate, .connections = 1 };
		int64_t begin_ns = 1000 + (int64_t)random_below(&random, 5000000000), end_ns = begin_ns + (int64_t)(seconds * 1e9) + 1;
		uint64_t starts = load_schedule_due(&schedule, end_ns - 1) - load_schedule_due(&schedule, begin_ns - 1);
		assert_true(starts >= (seconds < KNEE_STEP_LONGER * asked ? KNEE_STEP_STARTS - 1 : 1));
	}
	assert_true(knee_step_seconds(1000, 5) == 5);
	assert_double_near(knee_step_seconds(2, 5), 10, 1e-12);
	assert_double_near(knee_step_seconds(0.2, 5), 50, 1e-12);
}

/* What a step measures of a daemon that does one request after the other, each in `service` seconds. */
static struct knee_step
step_of(double rate, double seconds, double service)
{
	struct knee_step step = { .rate = rate, .seconds = seconds, .in_flight = 1 };
	double free_at = 0;
	uint64_t ended = 0;
	for (uint64_t i = 0; (double)i / rate < seconds; i++) {
		double start = (double)i / rate;
		free_at = fmax(free_at, start) + service;
		ended += free_at < seconds;
		step.completed++;
		step.p99_ns = (uint64_t)((free_at - start) * 1e9); /* the last waits for longest */
	}
	step.achieved = (double)ended / seconds;
	return step;
}

/* As `collide bench` seeks it, from an eighth of what the closed model gets through. A request may take several steps of the
 * length that was asked for: then no request starts in many of these, but the search makes them longer. */
static void
a_daemon_slower_than_a_step_has_its_knee(void **state)
{
	(void)state;
	uint64_t random = 23;
	for (size_t i = 0; i < 2000; i++) {
		double asked = pow(10, random_between(&random, -1, 1)), service = asked * pow(10, random_between(&random, -4, 0.6));
		double probe = floor(asked / service) / asked;
		if (probe == 0)
			probe = floor(KNEE_STEP_LONGER * asked / service) / (KNEE_STEP_LONGER * asked);
		assert_true(probe > 0);
		struct knee knee;
		knee_init(&knee, probe / 8, knee_rate_min(asked));
		for (bool more = true; more;) {
			struct knee_step step = step_of(knee.rate, knee_step_seconds(knee.rate, asked), service);
			more = knee_take(&knee, knee_step_holds(&step, (uint64_t)(5 * service * 1e9)));
		}
		assert_true(knee.held > 0 && knee.failed > 0);
		assert_true(knee.held < knee.failed && knee.failed <= knee.held * KNEE_NARROW);
		/* No lower than what it gets through, and no higher than its queue of five allows. */
		assert_true(knee.failed > 0.98 / service && knee.held < 6 / service);
	}
}

static void
a_step_holds_by_its_tail_and_by_its_rate(void **state)
{
	(void)state;
	const struct knee_step good = {
		.rate = 1000, .achieved = 995, .seconds = 10, .in_flight = 4, .p99_ns = 5000, .completed = 9950
	};
	struct knee_step step = good;
	assert_true(knee_step_holds(&step, 5000));
	assert_false(knee_step_holds(&step, 4999));
	step.achieved = 980;
	assert_false(knee_step_holds(&step, 5000));
	/* What may be under way at the end is not missing: 3 of 10 requests, with 4 places for them. */
	step = (struct knee_step){ .rate = 1, .achieved = 0.7, .seconds = 10, .in_flight = 4, .p99_ns = 1, .completed = 7 };
	assert_true(knee_step_holds(&step, 5000));
	step.in_flight = 1;
	assert_false(knee_step_holds(&step, 5000));
	step = good;
	step.completed = 0;
	assert_false(knee_step_holds(&step, 5000));
}

static void
faults_are_counted_by_kind_and_none_is_lost(void **state)
{
	(void)state;
	struct faults faults = { 0 };
	uint64_t sum = 0;
	for (unsigned i = 0; i < 100; i++) {
		char name[32];
		(void)snprintf(name, sizeof name, "KIND_%u", i % 50);
		faults_add(&faults, name, i);
		sum += i;
	}
	assert_int_equal(faults.count, FAULTS_KINDS_MAX);
	assert_string_equal(faults.kinds[0].name, "KIND_1"); /* 0 times is never */
	assert_int_equal(faults.kinds[0].count, 1 + 51);
	assert_string_equal(faults.kinds[FAULTS_KINDS_MAX - 1].name, "OTHER");
	for (size_t i = 0; i < faults.count; i++)
		sum -= faults.kinds[i].count;
	assert_int_equal(sum, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_are_even_and_taken_in_turn),
		cmocka_unit_test(due_is_what_has_started),
		cmocka_unit_test(each_scene_has_its_share),
		cmocka_unit_test(none_comes_in_a_bunch),
		cmocka_unit_test(the_knee_is_found_from_below_and_from_above),
		cmocka_unit_test(a_hiccup_is_no_knee),
		cmocka_unit_test(a_search_without_a_knee_ends),
		cmocka_unit_test(requests_start_in_every_step),
		cmocka_unit_test(a_daemon_slower_than_a_step_has_its_knee),
		cmocka_unit_test(a_step_holds_by_its_tail_and_by_its_rate),
		cmocka_unit_test(faults_are_counted_by_kind_and_none_is_lost),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
