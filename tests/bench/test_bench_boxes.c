/* The grid of the judge against asking every pair, on boxes of all sizes. */
#include "bench/boxes.h"

#include "support/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 300, WAYS = 200 };

struct seen {
	unsigned char pairs[COUNT][COUNT];
	unsigned char near[COUNT];
};

static void
on_pair(void *context, uint32_t a, uint32_t b)
{
	struct seen *seen = context;
	seen->pairs[a < b ? a : b][a < b ? b : a]++;
}

static void
on_near(void *context, uint32_t item)
{
	((struct seen *)context)->near[item]++;
}

/* Sizes over four decades, some of no width, in a square of 100. */
static void
boxes_fill(struct box *list, uint64_t seed)
{
	for (uint32_t i = 0; i < COUNT; i++) {
		const double x = random_between(&seed, -50, 50), y = random_between(&seed, -50, 50);
		const double size = i % 7 == 0 ? 0 : pow(10, random_between(&seed, -2.5, 1.5));
		list[i] = (struct box){ x, y, x + size * random_between(&seed, 0, 1), y + size * random_between(&seed, 0, 1), i };
	}
}

static void
test_every_pair_once(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct box list[COUNT];
		static struct seen seen;
		memset(&seen, 0, sizeof seen);
		boxes_fill(list, seed);
		struct boxes *boxes = boxes_create(list, COUNT);
		assert_non_null(boxes);
		boxes_pairs(boxes, on_pair, &seen);
		size_t found = 0;
		for (uint32_t a = 0; a < COUNT; a++) {
			for (uint32_t b = a + 1; b < COUNT; b++) {
				const int overlap = list[a].x1 <= list[b].x2 && list[b].x1 <= list[a].x2 && list[a].y1 <= list[b].y2 &&
				                    list[b].y1 <= list[a].y2;
				assert_int_equal(seen.pairs[a][b], overlap);
				found += (size_t)overlap;
			}
		}
		assert_true(found > 0);
		boxes_destroy(boxes);
	}
}

/* Whether the way from (x1, y1) to (x2, y2) meets the box: by clipping (Liang and Barsky). */
static int
way_meets(const struct box *box, double x1, double y1, double x2, double y2)
{
	const double p[4] = { x1 - x2, x2 - x1, y1 - y2, y2 - y1 };
	const double q[4] = { x1 - box->x1, box->x2 - x1, y1 - box->y1, box->y2 - y1 };
	double from = 0, to = 1;
	for (int i = 0; i < 4; i++) {
		if (p[i] == 0 && q[i] < 0)
			return 0;
		if (p[i] < 0)
			from = fmax(from, q[i] / p[i]);
		else if (p[i] > 0)
			to = fmin(to, q[i] / p[i]);
	}
	return from <= to;
}

static void
test_who_is_near_a_way(void **state)
{
	(void)state;
	struct box list[COUNT];
	boxes_fill(list, 7);
	struct boxes *boxes = boxes_create(list, COUNT);
	assert_non_null(boxes);
	uint64_t seed = 1;
	size_t met = 0, visited = 0;
	for (int way = 0; way < WAYS; way++) {
		static struct seen seen;
		memset(&seen, 0, sizeof seen);
		const double x1 = random_between(&seed, -120, 120), y1 = random_between(&seed, -120, 120);
		const double x2 = way % 5 == 0 ? x1 : random_between(&seed, -120, 120);
		const double y2 = way % 5 == 1 ? y1 : random_between(&seed, -120, 120);
		boxes_near(boxes, x1, y1, x2, y2, on_near, &seen);
		for (uint32_t i = 0; i < COUNT; i++) {
			assert_true(seen.near[i] <= 1);
			if (way_meets(&list[i], x1, y1, x2, y2)) {
				assert_int_equal(seen.near[i], 1);
				met++;
			}
			visited += seen.near[i];
		}
	}
	assert_true(met > 100);
	/* It is a grid, not a test of all pairs. */
	assert_true(visited < (size_t)WAYS * COUNT / 2);
	boxes_destroy(boxes);
}

static void
test_no_boxes(void **state)
{
	(void)state;
	static struct seen seen;
	struct boxes *boxes = boxes_create(NULL, 0);
	assert_non_null(boxes);
	boxes_pairs(boxes, on_pair, &seen);
	boxes_near(boxes, 0, 0, 1, 1, on_near, &seen);
	static const struct seen nothing;
	assert_memory_equal(&seen, &nothing, sizeof seen);
	boxes_destroy(boxes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_pair_once),
		cmocka_unit_test(test_who_is_near_a_way),
		cmocka_unit_test(test_no_boxes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
