/* The pure structures of keepers, from seeds, against what a search through all, or plain sums, say. */
#include "jobs/balance.h"
#include "jobs/budget.h"
#include "jobs/clockwork.h"
#include "jobs/lateness.h"
#include "jobs/share_window.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)

enum { DUES = 40 };

/* ---- clockwork */

/* Of those armed: the least key, of equals the one that was armed first. */
static unsigned
search_first(const struct due *dues, const uint64_t *keys, const unsigned *orders, const bool *armed)
{
	unsigned first = DUES;
	for (unsigned i = 0; i < DUES; i++) {
		assert_int_equal(dues[i].armed, armed[i]);
		if (armed[i] && (first == DUES || keys[i] < keys[first] || (keys[i] == keys[first] && orders[i] < orders[first])))
			first = i;
	}
	return first;
}

static void
the_first_is_what_a_search_finds(void **state)
{
	(void)state;
	for (uint64_t run = 0; run < 20; run++) {
		uint64_t seed = run, slot_ns = run % 3 * 250 * US, woken_ns = 0, keys[DUES], times[DUES];
		uint64_t now_ns = run % 2 == 0 ? S : (UINT64_C(1) << 63) + S;
		unsigned orders[DUES] = { 0 }, order = 0;
		bool armed[DUES] = { false };
		struct due dues[DUES];
		struct clockwork clockwork;
		memset(dues, 0, sizeof dues);
		clockwork_init(&clockwork, slot_ns);
		for (unsigned turn = 0; turn < 10000; turn++) {
			unsigned at = (unsigned)random_below(&seed, DUES);
			now_ns += random_below(&seed, 100 * US);
			switch (random_below(&seed, 5)) {
			case 0:
			case 1:
				if (armed[at])
					break;
				times[at] = now_ns + random_below(&seed, 20) * 100 * US - 500 * US; /* often equal */
				keys[at] = times[at] > now_ns ? times[at] : now_ns;
				if (random_below(&seed, 4) == 0) {
					keys[at] = now_ns + random_below(&seed, MS);
					clockwork_arm_at(&clockwork, &dues[at], times[at], keys[at]);
				} else {
					clockwork_arm(&clockwork, &dues[at], times[at], now_ns);
				}
				orders[at] = order++;
				armed[at] = true;
				break;
			case 2:
				clockwork_disarm(&clockwork, &dues[at]);
				armed[at] = false;
				break;
			case 3: {
				unsigned first = search_first(dues, keys, orders, armed);
				uint64_t wake_ns = first == DUES                      ? CLOCKWORK_NEVER
				                   : keys[first] > woken_ns + slot_ns ? keys[first]
				                                                      : woken_ns + slot_ns;
				assert_int_equal(clockwork_wake_ns(&clockwork), wake_ns);
				assert_int_equal(clockwork_is_due(&clockwork, now_ns), first < DUES && keys[first] <= now_ns);
				if (wake_ns <= now_ns) {
					clockwork_wake(&clockwork, now_ns);
					woken_ns = wake_ns;
				}
				break;
			}
			default: {
				unsigned first = search_first(dues, keys, orders, armed);
				struct due *taken = clockwork_take(&clockwork, now_ns);
				assert_ptr_equal(taken, first < DUES && keys[first] <= now_ns ? &dues[first] : NULL);
				if (taken) {
					assert_int_equal(taken->due_ns, times[first]);
					armed[first] = false;
				}
			}
			}
		}
	}
}

/* One that makes up for what it missed has its turn after all others that are due, each time. */
static void
what_is_due_in_the_past_comes_after_all_that_are_due(void **state)
{
	(void)state;
	struct clockwork clockwork;
	struct due late = { .armed = false }, others[3];
	clockwork_init(&clockwork, 0);
	memset(others, 0, sizeof others);
	clockwork_arm(&clockwork, &late, 10, 1);
	for (unsigned i = 0; i < 3; i++)
		clockwork_arm(&clockwork, &others[i], 100 + i, 1);
	assert_ptr_equal(clockwork_take(&clockwork, 1000), &late);
	clockwork_arm(&clockwork, &late, 20, 1000);
	for (unsigned i = 0; i < 3; i++)
		assert_ptr_equal(clockwork_take(&clockwork, 1000), &others[i]);
	assert_ptr_equal(clockwork_take(&clockwork, 1000), &late);
	assert_int_equal(late.due_ns, 20);
	assert_null(clockwork_take(&clockwork, 1000));
}

/* A thread that wakes on time, for due times anywhere: it wakes at most once a slot, and nothing is later than a slot. */
static void
it_wakes_once_a_slot_and_nothing_is_later_than_that(void **state)
{
	(void)state;
	enum { TURNS = 20000 };
	uint64_t seed = 5, now_ns = S, last_ns = 0, slot_ns = 500 * US;
	struct clockwork clockwork;
	static struct due dues[DUES];
	memset(dues, 0, sizeof dues);
	clockwork_init(&clockwork, slot_ns);
	for (unsigned i = 0; i < DUES; i++)
		clockwork_arm(&clockwork, &dues[i], now_ns + random_below(&seed, 16 * MS), now_ns);
	for (unsigned turn = 0; turn < TURNS; turn++) {
		now_ns = clockwork_wake_ns(&clockwork);
		assert_true(now_ns >= last_ns + slot_ns);
		last_ns = now_ns;
		clockwork_wake(&clockwork, now_ns);
		unsigned taken = 0;
		for (struct due *due; (due = clockwork_take(&clockwork, now_ns)); taken++) {
			assert_true(now_ns - due->due_ns <= slot_ns);
			clockwork_arm(&clockwork, due, due->due_ns + (due - dues < DUES / 2 ? 16666 : 20000) * US, now_ns);
		}
		assert_true(taken > 0);
	}
}

/* Worlds of one rate with the phases that they are told: all are met exactly, at most so many at once as there must be. A
 * thread that is late now and then is on time again afterwards. */
static void
phases_are_met_exactly_and_spread_evenly(void **state)
{
	(void)state;
	enum { KEEPERS = 2, TASKS = 200 };
	const uint64_t period_ns = S / 60, slot_ns = CLOCKWORK_SLOT_NS, slots = period_ns / slot_ns;
	static struct due dues[TASKS];
	for (unsigned keeper = 0; keeper < KEEPERS; keeper++) {
		uint64_t seed = 3, now_ns = 0;
		unsigned most = 0;
		struct clockwork clockwork;
		memset(dues, 0, sizeof dues);
		clockwork_init(&clockwork, slot_ns);
		for (unsigned i = 0; i < TASKS; i++) {
			uint64_t phase_ns = clockwork_phase_ns(i, keeper, KEEPERS, period_ns, slot_ns);
			assert_true(phase_ns < period_ns);
			assert_int_equal(phase_ns % slot_ns, keeper * slot_ns / KEEPERS);
			clockwork_arm(&clockwork, &dues[i], S + phase_ns, 0);
		}
		for (unsigned turn = 0; turn < 10000; turn++) {
			uint64_t wake_ns = clockwork_wake_ns(&clockwork);
			bool late = random_below(&seed, 50) == 0;
			now_ns = wake_ns > now_ns ? wake_ns : now_ns;
			now_ns += late ? random_below(&seed, 100 * US) : 0;
			clockwork_wake(&clockwork, now_ns);
			unsigned taken = 0;
			for (struct due *due; (due = clockwork_take(&clockwork, now_ns)); taken++) {
				assert_true(late || due->due_ns == now_ns);
				clockwork_arm(&clockwork, due, due->due_ns + period_ns, now_ns);
			}
			most = taken > most ? taken : most;
		}
		/* In groups, so that one slot may have a group more than another. */
		unsigned groups = (TASKS + CLOCKWORK_PHASE_GROUP - 1) / CLOCKWORK_PHASE_GROUP;
		assert_true(most <= (groups + slots - 1) / slots * CLOCKWORK_PHASE_GROUP);
	}
}

/* Any number of groups leaves no gap wider than twice an even one, for periods of all kinds; and each slot is used before
 * one is used twice. */
static void
any_number_of_phases_is_spread(void **state)
{
	(void)state;
	for (unsigned hz = 1; hz <= 2500; hz += 1 + hz / 7) {
		uint64_t period_ns = S / hz, slot_ns = CLOCKWORK_SLOT_NS, slots = period_ns >= 2 * slot_ns ? period_ns / slot_ns : 1;
		uint8_t *used = calloc(slots, 1);
		for (uint64_t groups = 1; groups <= slots; groups++) {
			uint64_t phase_ns = clockwork_phase_ns((groups - 1) * CLOCKWORK_PHASE_GROUP, 0, 1, period_ns, slot_ns);
			uint64_t slot = slots > 1 ? phase_ns / slot_ns : 0, gap = 0, gap_most = 0;
			assert_true(slot < slots && used[slot] == 0);
			used[slot] = 1;
			if (groups > 64 && groups % 61 != 0) /* each gap is looked for in all slots */
				continue;
			for (uint64_t k = 0; k < 2 * slots; k++) { /* around */
				gap = used[k % slots] ? 0 : gap + 1;
				gap_most = gap > gap_most ? gap : gap_most;
			}
			assert_true(gap_most < 2 * slots / groups + 1);
		}
		free(used);
	}
}

/* ---- budget */

/* The bucket in billionths of a nanosecond; everything fits. */
static void
a_budget_holds_what_exact_sums_say(void **state)
{
	(void)state;
	for (uint64_t run = 0; run < 40; run++) {
		uint64_t seed = run, now_ns = 77, rate = random_below(&seed, S);
		const int64_t scale = (int64_t)S;
		struct budget budget;
		budget_init(&budget, rate, now_ns);
		int64_t exact = (int64_t)rate * scale;
		for (unsigned turn = 0; turn < 5000; turn++) {
			uint64_t passed_ns = random_below(&seed, random_below(&seed, 10) == 0 ? S : 20 * MS);
			int64_t depth = (int64_t)rate * scale;
			now_ns += passed_ns;
			exact += (int64_t)(passed_ns * rate);
			exact = exact < depth ? exact : depth;
			int64_t whole = exact / scale - (exact % scale < 0);
			assert_int_equal(budget_left_ns(&budget, now_ns), whole);
			if (whole <= 0 && rate >= 10) {
				struct budget before = budget, after = budget;
				uint64_t ready_ns = budget_ready_ns(&budget);
				assert_true(ready_ns > now_ns);
				assert_true(budget_left_ns(&after, ready_ns) > 0);
				assert_true(budget_left_ns(&before, ready_ns - 1) <= 0);
			} else if (whole > 0) {
				assert_int_equal(budget_ready_ns(&budget), now_ns);
			}
			uint64_t cost = random_below(&seed, 3) == 0 ? random_below(&seed, 30 * MS) : 0;
			if (exact > -(INT64_C(1) << 62)) {
				budget_charge(&budget, cost);
				exact -= (int64_t)cost * scale;
			}
			if (random_below(&seed, 500) == 0) {
				rate = random_below(&seed, S);
				budget_rate_set(&budget, rate, now_ns);
				depth = (int64_t)rate * scale;
				exact = (exact / scale - (exact % scale < 0)) * scale; /* what is less than a nanosecond is dropped */
				exact = exact < depth ? exact : depth;
			}
		}
	}
}

static void
a_budget_without_a_rate_is_never_ready(void **state)
{
	(void)state;
	struct budget budget;
	budget_init(&budget, 0, 5);
	assert_int_equal(budget_left_ns(&budget, UINT64_MAX / 2), 0);
	assert_int_equal(budget_ready_ns(&budget), UINT64_MAX);
	/* After a day of debt, and a day without a look. */
	budget_rate_set(&budget, S / 100, UINT64_MAX / 2);
	budget_charge(&budget, 864 * S);
	assert_int_equal(budget_left_ns(&budget, UINT64_MAX / 2 + 86399 * S), -(int64_t)(S / 100));
	assert_int_equal(budget_left_ns(&budget, UINT64_MAX / 2 + 30 * 86400 * S), S / 100);
}

/* ---- share_window */

/* Class 1 always has something due, and class 2 waits: what each gets, window by window and in between. */
static void
class_2_gets_its_share_and_is_never_left_out(void **state)
{
	(void)state;
	for (unsigned strict = 0; strict < 2; strict++) {
		uint64_t seed = 9 + strict, now_ns = 3 * S, served_ns = now_ns, in_window_ns = 0, window = 0, longest_ns = 0;
		struct share_window window_state = { 0 };
		for (unsigned turn = 0; turn < 100000; turn++) {
			const struct share_others others = { .strict = strict == 1, .wait = true, .served_ns = served_ns };
			uint64_t until_ns = share_window_pause_ns(&window_state, &others, now_ns);
			longest_ns = now_ns - served_ns > longest_ns ? now_ns - served_ns : longest_ns;
			if (until_ns > now_ns) {
				now_ns = until_ns;
				served_ns = now_ns;
				continue;
			}
			uint64_t end_ns = now_ns + 1 + random_below(&seed, 2 * MS);
			share_window_charge(&window_state, now_ns, end_ns);
			if (window_state.begin_ns != window) {
				window = window_state.begin_ns;
				in_window_ns = 0;
			}
			in_window_ns += end_ns - (now_ns > window ? now_ns : window);
			assert_true(in_window_ns < SHARE_CLASS_1_NS + 2 * MS);
			assert_int_equal(window_state.used_ns, in_window_ns);
			now_ns = end_ns;
		}
		assert_true(longest_ns <= (strict ? SHARE_CLASS_1_NS : SHARE_STARVED_NS) + 2 * MS);
	}
}

/* Nothing waits: class 1 may have all; with a strict bound it may not. What was left out gets one turn, not one after the
 * other, if it does not take it. */
static void
alone_class_1_may_have_all(void **state)
{
	(void)state;
	struct share_window window = { 0 };
	struct share_others others = { .served_ns = S };
	share_window_charge(&window, S, S + 90 * MS);
	assert_true(share_window_pause_ns(&window, &others, S + 90 * MS) <= S + 90 * MS);
	others.strict = true;
	assert_int_equal(share_window_pause_ns(&window, &others, S + 90 * MS), window.begin_ns + SHARE_WINDOW_NS);
	others = (struct share_others){ .wait = true, .served_ns = 2 * S };
	assert_int_equal(share_window_pause_ns(&window, &others, 2 * S + 50 * MS), 2 * S + 51 * MS);
	assert_int_equal(share_window_pause_ns(&window, &others, 2 * S + 51 * MS), 2 * S + 51 * MS);
	assert_int_equal(share_window_pause_ns(&window, &others, 2 * S + 100 * MS), 2 * S + 101 * MS);
}

/* ---- balance */

static void
only_what_is_late_for_long_gives_away(void **state)
{
	(void)state;
	struct balance balance = { 0 };
	uint64_t now_ns = 10 * S, period_ns = S / 60;
	/* Late now and then, but with quiet between. */
	for (unsigned i = 0; i < 100; i++, now_ns += 150 * MS) {
		balance_turn(&balance, 2 * period_ns, period_ns, MS, now_ns);
		assert_false(balance_is_late(&balance, now_ns));
	}
	/* As late as a period is not too late. */
	for (unsigned i = 0; i < 1000; i++, now_ns += 5 * MS) {
		balance_turn(&balance, period_ns, period_ns, MS, now_ns);
		assert_false(balance_is_late(&balance, now_ns));
	}
	/* Again and again for a second; then at most one at a time. */
	uint64_t since_ns = now_ns;
	unsigned given = 0;
	for (; now_ns < since_ns + 3 * S; now_ns += 5 * MS) {
		balance_turn(&balance, 2 * period_ns, period_ns, MS, now_ns);
		bool late = balance_is_late(&balance, now_ns);
		assert_true(!late || now_ns - since_ns >= BALANCE_LATE_NS);
		if (late) {
			balance_give(&balance, now_ns);
			given++;
		}
	}
	assert_int_equal(given, 2 * S / BALANCE_STEP_NS);
	assert_int_equal(balance.permille, 200);
	balance_roll(&balance, now_ns + 9 * S);
	assert_true(balance.permille <= 20);
}

static void
what_is_given_goes_where_most_room_is(void **state)
{
	(void)state;
	uint64_t seed = 1;
	for (unsigned run = 0; run < 10000; run++) {
		unsigned permille[6], count = 1 + (unsigned)random_below(&seed, 6), from = (unsigned)random_below(&seed, count);
		unsigned more = (unsigned)random_below(&seed, 100);
		for (unsigned i = 0; i < count; i++)
			permille[i] = (unsigned)random_below(&seed, 1000);
		unsigned best = balance_choose(permille, count, from, more);
		assert_true(best == count || (best != from && permille[best] + more <= BALANCE_ROOM_PERMILLE));
		for (unsigned i = 0; i < count; i++)
			assert_true(i == from || permille[i] + more > BALANCE_ROOM_PERMILLE ||
			            (best < count && permille[best] <= permille[i]));
	}
}

/* ---- lateness */

static int
compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static void
quantiles_are_those_of_a_sorted_list(void **state)
{
	(void)state;
	enum { VALUES = 5000 };
	static const uint32_t ranks[] = { 0, 1, 500000, 990000, 999000, 1000000 };
	uint64_t seed = 4;
	static uint64_t values[VALUES];
	uint64_t counters[LATENESS_COUNTERS] = { 0 };
	assert_int_equal(lateness_quantile_ns(counters, 500000), 0);
	for (unsigned i = 0; i < VALUES; i++) {
		values[i] = random_bits(&seed) >> (20 + random_below(&seed, 40));
		unsigned step = lateness_step(values[i]);
		assert_true(step < LATENESS_COUNTERS);
		counters[step]++;
	}
	qsort(values, VALUES, sizeof values[0], compare);
	for (unsigned i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
		uint64_t rank = ((uint64_t)ranks[i] * VALUES + 999999) / 1000000;
		uint64_t exact = values[rank > 0 ? rank - 1 : 0], found = lateness_quantile_ns(counters, ranks[i]);
		assert_true(found > exact || exact > UINT32_MAX * US);
		assert_true(found <= exact + exact / LATENESS_STEPS + US);
	}
	assert_int_equal(lateness_step(UINT64_MAX), LATENESS_COUNTERS - 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_is_what_a_search_finds),
		cmocka_unit_test(what_is_due_in_the_past_comes_after_all_that_are_due),
		cmocka_unit_test(it_wakes_once_a_slot_and_nothing_is_later_than_that),
		cmocka_unit_test(phases_are_met_exactly_and_spread_evenly),
		cmocka_unit_test(any_number_of_phases_is_spread),
		cmocka_unit_test(a_budget_holds_what_exact_sums_say),
		cmocka_unit_test(a_budget_without_a_rate_is_never_ready),
		cmocka_unit_test(class_2_gets_its_share_and_is_never_left_out),
		cmocka_unit_test(alone_class_1_may_have_all),
		cmocka_unit_test(only_what_is_late_for_long_gives_away),
		cmocka_unit_test(what_is_given_goes_where_most_room_is),
		cmocka_unit_test(quantiles_are_those_of_a_sorted_list),
	};
	return cmocka_run_group_tests_name("jobs/clockwork", tests, NULL, NULL);
}
