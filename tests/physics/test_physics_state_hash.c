/* The hash of many bodies side by side: all ways give the same bits, and each value of each body counts. */
#include "physics/scenario.h"
#include "physics/state/state_hash.h"
#include "physics/world/world.h"

#include "support/random.h"

#include <string.h>

enum { BODIES = 128, ROUNDS = 200 };

/* Any bits: infinities, zeros of both signs and what is no number are bits like others. */
static double
double_random(uint64_t *state)
{
	uint64_t bits = random_bits(state);
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static void
the_ways_agree(void **unused)
{
	struct body bodies[BODIES];
	uint32_t ids[BODIES];
	uint64_t state = 7;
	(void)unused;
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < BODIES; i++) {
			bodies[i] = (struct body){
				.x = double_random(&state), .y = double_random(&state), .vx = double_random(&state), .vy = double_random(&state)
			};
			ids[i] = (uint32_t)random_bits(&state);
		}
		uint32_t first = (uint32_t)random_below(&state, HASH_GROUP);
		uint32_t count = HASH_GROUP * (uint32_t)random_below(&state, BODIES / HASH_GROUP);
		assert_int_equal(hash_best()->sum(bodies + first, ids + first, count),
		                 hash_plain.sum(bodies + first, ids + first, count));
	}
}

/* In whichever lane. */
static void
each_body_counts_wherever_it_is(void **unused)
{
	struct body bodies[HASH_GROUP], changed[HASH_GROUP];
	uint32_t ids[HASH_GROUP];
	uint64_t state = 11;
	(void)unused;
	for (unsigned i = 0; i < HASH_GROUP; i++) {
		ids[i] = i;
		bodies[i] = (struct body){ .x = (double)i, .y = 1, .vx = 2, .vy = 3 };
	}
	uint64_t sum = hash_best()->sum(bodies, ids, HASH_GROUP);
	for (unsigned i = 0; i < HASH_GROUP; i++) {
		double *const values[] = { &changed[i].x, &changed[i].y, &changed[i].vx, &changed[i].vy };
		for (unsigned k = 0; k < 4; k++) {
			memcpy(changed, bodies, sizeof bodies);
			*values[k] = random_between(&state, 10, 20);
			assert_int_not_equal(hash_best()->sum(changed, ids, HASH_GROUP), sum);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ways_agree),
		cmocka_unit_test(each_body_counts_wherever_it_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
