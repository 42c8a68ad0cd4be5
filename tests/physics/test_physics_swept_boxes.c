/* Which boxes meet: both searches against comparing sides, touching ones and any range of slots included. */
#include "physics/scenario.h"
#include "physics/tables/swept_boxes.h"

#include "support/random.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 64, RANGES = 2000 };

struct sides {
	double left, low, right, high;
};

/* Corners on a coarse lattice, so that many sides touch exactly. */
static struct sides
sides_random(uint64_t *state)
{
	struct sides sides = { .left = (double)random_below(state, 12), .low = (double)random_below(state, 12) };
	sides.right = sides.left + (double)random_below(state, 5);
	sides.high = sides.low + (double)random_below(state, 5);
	return sides;
}

static bool
sides_meet(const struct sides *a, const struct sides *b)
{
	return a->left <= b->right && b->left <= a->right && a->low <= b->high && b->low <= a->high;
}

static void
search_check(const struct swept_boxes_kernels *way)
{
	_Alignas(32) double boxes[4 * SLOTS];
	struct sides sides[SLOTS];
	const struct swept_boxes swept_boxes = { .boxes = boxes };
	uint64_t state = 5;
	size_t met = 0, apart = 0;
	for (uint32_t i = 0; i < SLOTS; i++) {
		sides[i] = sides_random(&state);
		boxes[4 * i] = sides[i].left;
		boxes[4 * i + 1] = sides[i].low;
		boxes[4 * i + 2] = -sides[i].right;
		boxes[4 * i + 3] = -sides[i].high;
	}
	for (int n = 0; n < RANGES; n++) {
		const uint32_t slot = (uint32_t)random_below(&state, SLOTS), first = (uint32_t)random_below(&state, SLOTS);
		const uint32_t end = first + (uint32_t)random_below(&state, SLOTS - first + 1);
		struct swept_box_pair found[SLOTS + 1];
		const size_t count = way->search(&swept_boxes, slot, first, end, found);
		size_t next = 0;
		for (uint32_t k = first; k < end; k++) {
			if (!sides_meet(&sides[slot], &sides[k])) {
				apart++;
				continue;
			}
			assert_true(next < count);
			assert_int_equal(found[next].slot, slot);
			assert_int_equal(found[next++].other, k);
			met++;
		}
		assert_int_equal(next, count);
	}
	assert_true(met > 1000 && apart > 1000);
}

static void
test_searches_find_what_meets(void **state)
{
	(void)state;
	search_check(&swept_boxes_generic);
	search_check(swept_boxes_best());
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_searches_find_what_meets) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
