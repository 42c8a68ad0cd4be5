/* Updates that are kept for readers that come back: a ring of bytes against a plain list of what was added. Happy path: those
 * after a tick come back byte by byte. What can go wrong: gaps, bounds, memory. */
#include "worlds/registry/kept_updates.h"

#include "base/memory.h"
#include "support/assert_double.h"
#include "support/failing.h"
#include "support/random.h"

#include <string.h>

#define ADDED_MAX 400u
#define BLOCKS_MAX 4u

/* What a head and a size of a block take. */
#define HEAD_BYTES 4u
#define SIZE_BYTES 4u

struct added {
	struct update *update;
	size_t bytes;
};

static struct added added[ADDED_MAX];
static size_t added_count, added_first; /* those from the latter on are kept */

static struct update *
update_make(uint64_t *random, uint64_t since, uint64_t ticks, size_t bytes_most)
{
	uint32_t rows = (uint32_t)random_below(random, 3), states = (uint32_t)random_below(random, 2);
	struct update *update = memory_zeroed(1, sizeof *update + BLOCKS_MAX * sizeof update->blocks[0]);

	assert_non_null(update);
	update->since = since;
	update->tick = since + ticks;
	update->row_count = rows;
	update->state_count = states;
	update->key_count = (uint32_t)random_below(random, 2);
	for (size_t i = 0; i < rows + states + update->key_count; i++) {
		size_t count = random_below(random, bytes_most + 1);
		uint8_t *bytes = memory_alloc(count);

		assert_non_null(bytes);
		for (size_t k = 0; k < count; k++)
			bytes[k] = (uint8_t)random_bits(random);
		update->blocks[i] = shared_bytes_create(bytes, count);
		assert_non_null(update->blocks[i]);
	}
	return update;
}

static size_t
update_bytes(const struct update *update)
{
	size_t bytes = HEAD_BYTES;

	for (size_t i = 0; i < update->row_count + update->state_count; i++)
		bytes += SIZE_BYTES + update->blocks[i]->count;
	return bytes;
}

static void
added_drop(void)
{
	for (size_t i = 0; i < added_count; i++)
		update_free(added[i].update);
	added_count = added_first = 0;
}

static void
expect_same(const struct update *got, const struct update *wanted)
{
	assert_non_null(got);
	assert_int_equal(got->since, wanted->since);
	assert_int_equal(got->tick, wanted->tick);
	assert_int_equal(got->row_count, wanted->row_count);
	assert_int_equal(got->state_count, wanted->state_count);
	assert_int_equal(got->key_count, 0);
	for (size_t i = 0; i < got->row_count + got->state_count; i++) {
		assert_int_equal(got->blocks[i]->count, wanted->blocks[i]->count);
		assert_memory_equal(got->blocks[i]->bytes, wanted->blocks[i]->bytes, got->blocks[i]->count);
	}
}

/* From each of those that are kept, and from before and after them. */
static void
expect_kept(const struct kept_updates *kept)
{
	struct update *first;

	for (size_t i = added_first; i < added_count; i++) {
		size_t begin = i;

		/* One of no ticks begins where the one before did. */
		while (begin > added_first && added[begin - 1].update->since == added[i].update->since)
			begin--;
		assert_true(kept_updates_after(kept, added[i].update->since, &first));
		for (const struct update *got = first; begin < added_count; begin++, got = got->next) {
			expect_same(got, added[begin].update);
			assert_true(begin + 1 < added_count || !got->next);
		}
		kept_updates_free(first);
	}
	if (added_first > 0 && added[added_first - 1].update->since != added[added_first].update->since) {
		assert_true(kept_updates_after(kept, added[added_first - 1].update->since, &first));
		assert_null(first);
	}
	assert_true(kept_updates_after(kept, added[added_count - 1].update->tick + 1, &first));
	assert_null(first);
}

/* The least that may be given up: what is too old, and what does not fit besides. */
static void
model_add(struct update *update, size_t bytes_max, uint64_t ticks)
{
	size_t sum = update_bytes(update);

	added[added_count++] = (struct added){ update, sum };
	for (size_t i = added_first; i + 1 < added_count; i++)
		sum += added[i].bytes;
	while (added_first + 1 < added_count && (sum > bytes_max || update->tick - added[added_first].update->tick >= ticks))
		sum -= added[added_first++].bytes;
}

static void
updates_come_back_as_they_were(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		uint64_t random = seed, tick = seed % 4 == 0 ? UINT64_MAX - 300 : random_below(&random, 100);
		size_t bytes_max = 64 + random_below(&random, 3000), bytes_most = 10;
		uint64_t ticks = 1 + random_below(&random, 100);
		struct kept_updates kept = { .ring = NULL };

		for (size_t i = 0; i < 100; i++) {
			uint64_t step = random_below(&random, 4);
			struct update *update = update_make(&random, tick, step, random_below(&random, bytes_most));

			tick += step;
			kept_updates_add(&kept, update, bytes_max, ticks);
			model_add(update, bytes_max, ticks);
			assert_true(kept.capacity <= bytes_max);
			if (i % 7 == 0)
				expect_kept(&kept);
			bytes_most = 10 + i % 60;
		}
		expect_kept(&kept);
		kept_updates_finish(&kept);
		added_drop();
	}
}

static struct update *
plain(uint64_t since, uint64_t ticks, size_t bytes)
{
	struct update *update = memory_zeroed(1, sizeof *update + sizeof update->blocks[0]);

	assert_non_null(update);
	update->since = since;
	update->tick = since + ticks;
	update->state_count = 1;
	update->blocks[0] = shared_bytes_create(memory_zeroed(1, bytes), bytes);
	assert_non_null(update->blocks[0]);
	return update;
}

static void
expect_after(const struct kept_updates *kept, uint64_t tick, bool some)
{
	struct update *first;

	assert_true(kept_updates_after(kept, tick, &first));
	assert_int_equal(first != NULL, some);
	kept_updates_free(first);
}

static void
add_plain(struct kept_updates *kept, uint64_t since, uint64_t ticks, size_t bytes)
{
	struct update *update = plain(since, ticks, bytes);

	kept_updates_add(kept, update, 1000, 1000000);
	update_free(update);
}

static void
a_gap_leaves_none_before_it(void **state)
{
	struct kept_updates kept = { .ring = NULL };

	(void)state;
	add_plain(&kept, 0, 3, 10);
	add_plain(&kept, 3, 3, 10);
	expect_after(&kept, 0, true);
	add_plain(&kept, 7, 3, 10); /* it does not begin where the last one ended */
	expect_after(&kept, 0, false);
	expect_after(&kept, 7, true);
	add_plain(&kept, 10, 3, 1000); /* too large */
	expect_after(&kept, 7, false);
	expect_after(&kept, 10, false);
	add_plain(&kept, 13, 70000, 10); /* more ticks than a head can say */
	expect_after(&kept, 13, false);
	add_plain(&kept, 70013, 3, 10);
	expect_after(&kept, 70013, true);
	kept_updates_finish(&kept);
}

static void
without_memory_there_are_none(void **state)
{
	struct kept_updates kept = { .ring = NULL };
	struct update *update = plain(3, 3, 10), *large = plain(6, 3, 600), *first;

	(void)state;
	add_plain(&kept, 0, 3, 10);
	for (size_t from = 1; from <= 3; from++) {
		allocations = 0;
		fail_from = from, fail_count = 1;
		assert_false(kept_updates_after(&kept, 0, &first));
		fail_from = 0;
		assert_null(first);
	}
	kept_updates_add(&kept, update, 1000, 1000);
	expect_after(&kept, 3, true);
	allocations = 0;
	fail_from = 1, fail_count = 1;
	kept_updates_add(&kept, large, 1000, 1000); /* the ring cannot grow */
	fail_from = 0;
	expect_after(&kept, 3, false);
	assert_int_equal(kept.capacity, 0);
	kept_updates_add(&kept, large, 1000, 1000);
	expect_after(&kept, 6, true);
	update_free(update);
	update_free(large);
	kept_updates_finish(&kept);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(updates_come_back_as_they_were),
		cmocka_unit_test(a_gap_leaves_none_before_it),
		cmocka_unit_test(without_memory_there_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
