/* What is told if bytes are limited: which rows are chosen, against a sum over all orders, and bytes of any second. */
#include "base/memory.h"
#include "support/random.h"
#include "worlds/quantized/byte_allowance.h"
#include "worlds/quantized/limited_choice.h"
#include "worlds/rate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 60, TICKS = 4000 };

/* The first of those that are not taken, by age or by weight; of equals the heavier, then the earlier. */
static size_t
first_left(const struct limited_row *rows, size_t count, const bool *taken, bool by_age)
{
	size_t best = count;
	for (size_t i = 0; i < count; i++) {
		const struct limited_row *row = &rows[i], *other = best < count ? &rows[best] : NULL;
		bool older = other && by_age && row->stale != other->stale;
		if (!taken[i] &&
		    (!other || (older ? row->stale > other->stale
		                      : row->weight > other->weight || (row->weight == other->weight && row->place < other->place))))
			best = i;
	}
	return best;
}

static void
test_choice(void **state)
{
	(void)state;
	struct limited_choice choice = { .order = NULL };
	struct limited_row items[ROWS];
	uint64_t random = 1, cut = 0, all = 0;
	for (unsigned round = 0; round < 2000; round++) {
		struct limited_rows rows = { .items = items };
		size_t count = random_below(&random, ROWS + 1), told, turn = random_below(&random, 8);
		double bits = random_between(&random, -50, 3000), left = bits;
		bool taken[ROWS] = { false };
		for (size_t i = 0; i < count; i++) {
			const struct limited_row row = { .weight = (double)random_below(&random, 20),
				                             .bits = random_between(&random, 5, 80),
				                             .stale = (uint32_t)random_below(&random, 6),
				                             .place = (uint32_t)(3 * i) };
			limited_row_add(&rows, &row);
		}
		assert_true(limited_choice_make(&choice, &rows, turn, bits, &told));
		for (size_t i = 0; i < told; i++) {
			assert_true(i == 0 || left > 0.0);
			size_t first = first_left(items, count, taken, (turn + i) % 4 == 3);
			assert_int_equal(choice.order[i], items[first].place);
			taken[first] = true;
			left -= items[first].bits;
		}
		assert_true(told == count || left <= 0.0);
		assert_true(told > 0 || count == 0);
		cut += told < count;
		all += told == count;
	}
	assert_true(cut > 500 && all > 500);
	limited_choice_finish(&choice);
}

/* Bytes of each tick, and what one update may take. */
static void
seconds_check(const size_t *bytes, uint32_t hz, double most)
{
	for (size_t first = 0; first + hz <= TICKS; first++) {
		double sum = 0.0;
		for (size_t i = first; i < first + hz; i++)
			sum += (double)bytes[i];
		assert_true(sum <= most);
	}
}

/* Updates of random sizes, within what they may take and at times a row beyond. */
static void
test_any_second(void **state)
{
	(void)state;
	uint64_t random = 2, updates = 0, waited = 0;
	for (unsigned round = 0; round < 60; round++) {
		uint32_t hz = 1 + (uint32_t)random_below(&random, 200), every = 1 + (uint32_t)random_below(&random, 6);
		uint32_t limit = 256 + (uint32_t)random_below(&random, 20000);
		size_t envelope = random_below(&random, 60), row = 60, bytes[TICKS] = { 0 };
		struct byte_allowance allowance = { .per_second = limit };
		double part = (double)limit * every / hz, sum = 0.0;
		for (size_t tick = 1; tick < TICKS; tick++) {
			byte_allowance_tick(&allowance, hz, every);
			if (tick % every != 0)
				continue;
			if (!byte_allowance_is_enough(&allowance)) {
				waited++;
				continue;
			}
			size_t room = byte_allowance_of_update(&allowance, 0, hz, every);
			assert_true((double)room >= floor(allowance.left));
			bytes[tick] = random_below(&random, 3) == 0 ? random_below(&random, room + 1) : room + random_below(&random, row);
			byte_allowance_spend(&allowance, bytes[tick], random_below(&random, 2) * envelope);
			sum += (double)bytes[tick];
			updates++;
		}
		/* A quarter of a part comes in any case; each of those is owed. */
		seconds_check(bytes, hz, (double)limit + fmax(part, 4.0 * (double)envelope) + 1.25 * part + (double)row);
		assert_true(sum <= (double)limit * TICKS / hz + 2.0 * part + 4.0 * (double)envelope + (double)row);
	}
	assert_true(updates > 10000 && waited > 1000);
}

/* What commands and contacts take is owed, but no more than a second of it. */
static void
test_what_is_owed(void **state)
{
	(void)state;
	struct byte_allowance allowance = { .per_second = 1000 };
	for (unsigned i = 0; i < 60; i++)
		byte_allowance_tick(&allowance, 60, 3);
	assert_true(allowance.left == 100.0); /* two updates' */
	assert_int_equal(byte_allowance_of_update(&allowance, 40, 60, 3), 60);
	assert_int_equal(byte_allowance_of_update(&allowance, 400, 60, 3), 12); /* a quarter of 50 */
	byte_allowance_spend(&allowance, 100000, 20);
	assert_true(allowance.left == -1000.0);
	unsigned ticks = 0;
	for (; !byte_allowance_is_enough(&allowance); ticks++)
		byte_allowance_tick(&allowance, 60, 3);
	assert_int_equal(ticks, 65); /* and 80 bytes of four envelopes */
}

static void
test_classes(void **state)
{
	(void)state;
	uint32_t classes = 0, before = 0;
	for (uint32_t limit = 256; limit <= 65536; limit++) {
		uint32_t class = rate_class(limit);
		assert_true(class <= limit && class > limit - limit / 4 - 1 && class >= before);
		assert_int_equal(rate_class(class), class);
		classes += class != before;
		before = class;
	}
	assert_int_equal(classes, 4 * 8 + 1);
	assert_int_equal(rate_class(0), 0);
	assert_int_equal(rate_class(1000000000), 939524096);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_any_second),
		cmocka_unit_test(test_what_is_owed),
		cmocka_unit_test(test_classes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
