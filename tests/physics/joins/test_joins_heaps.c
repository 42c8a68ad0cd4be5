/* Heaps that lie on joints which are none to the bit. A floor of links with valleys and edges, posts and stubs on it, walls at
 * its sides, all ends off by some ulp. Dozens of circles fall into it, roll, heap up and are driven by the resting solver. None
 * gets into a wall or out.
 *
 * -heaps N (default 20), -seed S (1), -heap H: one of them. */
#include "physics/joins/shots.h"

#include <math.h>
#include <stdio.h>

#define LINKS_MAX 12

static uint64_t seed = 1, heaps = 20, only = UINT64_MAX;

struct heap {
	uint64_t random;
	double x, y, thick;
	int links, ulps; /* ulps: that an end is off at most */
	double at[LINKS_MAX + 1][2];
};

static double
pick(struct heap *h, double low, double high)
{
	return random_between(&h->random, low, high);
}

static bool
one_in(struct heap *h, uint64_t count)
{
	return random_below(&h->random, count) == 0;
}

static double
off(struct heap *h, double value)
{
	return ulps_moved(value, (int)random_below(&h->random, 2 * (uint64_t)h->ulps + 1) - h->ulps);
}

static void
wall_add(struct heap *h, struct trial *trial, double x1, double y1, double x2, double y2)
{
	const bool turned = one_in(h, 2);
	x1 = off(h, x1);
	y1 = off(h, y1);
	x2 = off(h, x2);
	y2 = off(h, y2);
	struct segment_def *wall = turned ? scenario_segment(&trial->scenario, x2, y2, x1, y1)
	                                  : scenario_segment(&trial->scenario, x1, y1, x2, y2);
	wall->radius = h->thick;
}

static void
floor_add(struct heap *h, struct trial *trial)
{
	double heading = pick(h, -0.6, 0.6);
	h->links = 3 + (int)random_below(&h->random, LINKS_MAX - 2);
	h->at[0][0] = h->x;
	h->at[0][1] = h->y;
	for (int i = 0; i < h->links; i++) {
		const double length = one_in(h, 8) ? pick_log(&h->random, 1e-6, 0.1) : pick(h, 0.3, 2);
		h->at[i + 1][0] = h->at[i][0] + length * cos(heading);
		h->at[i + 1][1] = h->at[i][1] + length * sin(heading);
		wall_add(h, trial, h->at[i][0], h->at[i][1], h->at[i + 1][0], h->at[i + 1][1]);
		heading = one_in(h, 3) ? heading : pick(h, -0.8, 0.8);
	}
	/* Up at the sides, from the floor's own ends. */
	for (int side = 0; side < 2; side++) {
		const double *foot = h->at[side * h->links];
		wall_add(h, trial, foot[0], foot[1], foot[0] + (side ? 0.5 : -0.5), foot[1] + 40);
	}
}

/* From within a link or from a joint: down, where it may not be felt, or up a little. */
static void
posts_add(struct heap *h, struct trial *trial)
{
	const int count = (int)random_below(&h->random, 6);
	for (int i = 0; i < count; i++) {
		const int link = (int)random_below(&h->random, (uint64_t)h->links);
		const double part = one_in(h, 3) ? 0 : pick(h, 0, 1), *a = h->at[link], *b = h->at[link + 1];
		const double x = a[0] + part * (b[0] - a[0]), y = a[1] + part * (b[1] - a[1]);
		wall_add(h, trial, x, y, x + pick(h, -0.3, 0.3), y + (one_in(h, 3) ? pick(h, 0.02, 0.3) : -1));
	}
}

/* Rows above the floor, none of which touches another or a wall. */
static void
balls_add(struct heap *h, struct trial *trial)
{
	const double *end = h->at[h->links], wide = end[0] - h->x, largest = pick(h, 0.1, 0.3), high = fmax(h->y, end[1]) + 3;
	const int columns = (int)(wide / (2.3 * largest)), rows = columns > 0 ? 1 + 30 / columns : 0;
	for (int i = 0; i < columns * rows; i++) {
		const double x = h->x + 1.15 * largest * (2 * (i % columns) + 1) + pick(h, 0, 0.1) * largest;
		const double y = high + 2.3 * largest * (i / columns), radius = largest * pick(h, 0.5, 1);
		if (shot_clear(&trial->scenario, x, y, radius))
			(void)scenario_circle(&trial->scenario, x, y, pick(h, -1, 1), pick(h, -3, 0), radius);
	}
}

static void
heap_trial(uint64_t index, struct trial *trial)
{
	static const double offsets[] = { 0, 0, 1, 1e3, 1e6 };
	static const int ulps[] = { 1, 2, 4, 8, 16, 40 };
	struct heap h = { .random = (seed << 32) + index };
	const double offset = offsets[random_below(&h.random, 5)];
	trial_init(trial);
	trial->dt = 1.0 / 60;
	trial->ticks = 150;
	/* As the certificate has it: in a jam tens of thousands of contacts a tick each round a place. */
	trial->rounding = 1e-12L;
	h.x = offset + pick(&h, -3, 3);
	h.y = offset * pick(&h, -1, 1) + pick(&h, -3, 3);
	h.ulps = ulps[random_below(&h.random, 6)];
	h.thick = one_in(&h, 4) ? pick(&h, 0.01, 0.1) : 0;
	floor_add(&h, trial);
	posts_add(&h, trial);
	balls_add(&h, trial);
	trial->scenario.def.gravity_y = -10;
	scenario_restitution(&trial->scenario, one_in(&h, 2) ? 0.5 : 0);
	if (one_in(&h, 2))
		scenario_dull(&trial->scenario, pick(&h, 0.1, 1), one_in(&h, 2) ? 0.01 : 0);
}

static void
test_heaps_on_joints_that_are_off(void **state)
{
	(void)state;
	struct tally tally = { .name = "heaps" };
	for (uint64_t i = only < UINT64_MAX ? only : 0; i < (only < UINT64_MAX ? only + 1 : heaps); i++) {
		struct trial trial;
		heap_trial(i, &trial);
		(void)trial_run(&trial, &tally, "heap", i);
		trial_finish(&trial);
	}
	tally_print(&tally);
	tally_judge(&tally);
}

int
main(int argc, char **argv)
{
	trial_shown_max = argument_read(argc, argv, "-show", trial_shown_max);
	seed = argument_read(argc, argv, "-seed", seed);
	heaps = argument_read(argc, argv, "-heaps", heaps);
	only = argument_read(argc, argv, "-heap", only);
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_heaps_on_joints_that_are_off) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
