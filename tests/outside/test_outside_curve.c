/* The checker's distances along paths. */
#include "outside/curve.h"
#include "outside/draft.h"
#include "support/effort.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Against sampling: the curve is nowhere nearer than found, and somewhere as near. */
static void
test_curves_against_samples(void **state)
{
	struct draft draft;

	(void)state;
	draft_init(&draft, 7);
	for (int i = 0; i < (int)effort(600, 2000); i++) {
		const struct point p = { draft_between(&draft, -3, 3), draft_between(&draft, -3, 3) };
		const struct point v = { draft_between(&draft, -9, 9), draft_between(&draft, -9, 9) };
		const struct point a = { draft_between(&draft, -9, 9), draft_between(&draft, -9, 9) };
		const struct point from = { draft_between(&draft, -2, 0), draft_between(&draft, -2, 2) };
		const struct point to = { draft_between(&draft, 0, 2), draft_between(&draft, -2, 2) };
		/* One in ten has no length: so is told what is short, far out and moves. */
		const struct bar bar = bar_of(from, i % 10 == 9 ? from : to, 0);
		const struct curve curve = curve_of(p, v, a, 1);
		const real nearest = curve_nearest(&curve, 100, 1), to_bar = curve_nearest_bar(&curve, &bar, 100, 1);
		real sampled = 100, sampled_bar = 100, fastest = 40;
		for (int k = 0; k <= 1000; k++) {
			const real s = k / 1000.0L;
			const struct point at = { p.x + v.x * s + a.x * s * s / 2, p.y + v.y * s + a.y * s * s / 2 };
			sampled = fminl(sampled, sqrtl(at.x * at.x + at.y * at.y));
			sampled_bar = fminl(sampled_bar, bar_distance(&bar, at));
		}
		assert_true(nearest <= sampled + 1e-12L && nearest >= sampled - fastest / 1000);
		assert_true(to_bar <= sampled_bar + 1e-12L && to_bar >= sampled_bar - fastest / 1000);
	}
	draft_finish(&draft);
}

/* Through a bar, around it, along its line, and up to it and back: whether it crosses, and which side it is on in the end. */
static void
test_crossings_of_a_bar(void **state)
{
	static const struct {
		real x, y, vx, vy, ay;
		bool crosses;
		int side; /* in the end, from above */
	} cases[] = {
		{ 0, 1, 0, -2, 0, true, -1 }, { 2, 1, 0, -2, 0, false, -1 }, { 0, 1, 0, -1, 0, false, 1 },
		{ -3, 0, 9, 0, 0, false, 1 }, { 0, 1, 0, -4, 8, false, 1 },  { 0, 1, 0, -4.1L, 8, true, 1 },
		{ 1, 1, 0, -2, 0, true, -1 }, { 0, 1, 0, -5, 6, true, -1 },
	};
	const struct bar bar = bar_of((struct point){ -1, 0 }, (struct point){ 1, 0 }, 0);

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct curve curve = curve_of((struct point){ cases[i].x, cases[i].y },
		                                    (struct point){ cases[i].vx, cases[i].vy }, (struct point){ 0, cases[i].ay }, 1);
		int side = 1;
		assert_int_equal(curve_crosses(&curve, &bar, 0x1p-50L, &side), cases[i].crosses);
		assert_int_equal(side, cases[i].side);
	}
}

/* Up to the bar's line beyond its end, and from there to the other side. */
static void
test_around_an_end_in_two(void **state)
{
	const struct bar bar = bar_of((struct point){ -1, 0 }, (struct point){ 1, 0 }, 0);
	const struct curve to = curve_of((struct point){ 2, 1 }, (struct point){ 0, -1 }, (struct point){ 0, 0 }, 1);
	const struct curve on = curve_of((struct point){ 2, 0 }, (struct point){ -2, -1 }, (struct point){ 0, 0 }, 1);
	int side = 1;

	(void)state;
	assert_false(curve_crosses(&to, &bar, 0x1p-50L, &side));
	assert_int_equal(side, 0);
	assert_false(curve_crosses(&on, &bar, 0x1p-50L, &side));
	assert_int_equal(side, -1);
}

static void
on_any(void *context, struct point place)
{
	(void)place;
	(*(int *)context)++;
}

static void
on_part(void *context, const struct curve *part)
{
	(void)part;
	(*(int *)context)++;
}

static void
on_nothing(void *context)
{
	(void)context;
}

/* Far from the origin a circle may be smaller than the rounding of its path: then it is never within (seed 30061554). This must
 * end, although no distance on the path can be told from the others. */
static void
test_nothing_is_within_less_than_nothing(void **state)
{
	const struct bar bar = bar_of((struct point){ -372155.83701808040496L, 928170.260763840051368L },
	                              (struct point){ -372155.837020818202291L, 928170.260770449531265L }, 0);
	const struct curve curve = curve_of((struct point){ -372155.837019012990282L, 928170.260761635452695L },
	                                    (struct point){ 3.09775686e-7L, 3.661541e-6L }, (struct point){ 0, 0 }, 1);
	int told = 0;
	const struct curve_follower follower = { on_nothing, on_part, on_any, on_part, &told, 0, 5.2e-8L, 0 };
	bool inside = false;

	(void)state;
	curve_follow(&curve, &bar, &inside, &follower);
	assert_int_equal(told, 0);
	assert_false(inside);
}

/* What was told of a way, a letter for each kind in a row; the least and the greatest height of the parts of each kind. */
struct told_way {
	const struct bar *bar;
	char kinds[16];
	real least[2], most[2]; /* beside, within */
};

static void
told_add(struct told_way *told, char kind)
{
	const size_t length = strlen(told->kinds);

	if (length == 0 || told->kinds[length - 1] != kind)
		told->kinds[length] = kind;
}

static void
told_part(struct told_way *told, const struct curve *part, int kind)
{
	for (int k = 0; k < 3; k += 2) {
		told->least[kind] = fminl(told->least[kind], bar_distance(told->bar, part->p[k]));
		told->most[kind] = fmaxl(told->most[kind], bar_distance(told->bar, part->p[k]));
	}
	told_add(told, kind ? 'w' : 'b');
}

static void
on_told_away(void *context)
{
	told_add(context, 'a');
}

static void
on_told_beside(void *context, const struct curve *part)
{
	told_part(context, part, 0);
}

static void
on_told_entry(void *context, struct point place)
{
	(void)place;
	told_add(context, 'e');
}

static void
on_told_within(void *context, const struct curve *part)
{
	told_part(context, part, 1);
}

/* Straight through a wall, and a parabola that turns within, or beside it: what is told, in order, and how near its parts are.
 */
static void
test_a_way_is_told_part_by_part(void **state)
{
	const struct bar bar = bar_of((struct point){ -9, 0 }, (struct point){ 9, 0 }, 0);
	const struct curve ways[] = { curve_of((struct point){ 0, 5 }, (struct point){ 1, -10 }, (struct point){ 0, 0 }, 1),
		                          curve_of((struct point){ 0, 4 }, (struct point){ 1, -14 }, (struct point){ 0, 28 }, 1),
		                          curve_of((struct point){ 0, 4 }, (struct point){ 1, -10 }, (struct point){ 0, 20 }, 1) };
	const char *kinds[] = { "abewba", "abewba", "aba" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct told_way told = { .bar = &bar, .least = { 99, 99 } };
		const struct curve_follower follower = {
			on_told_away, on_told_beside, on_told_entry, on_told_within, &told, 1, 1.125L, 2
		};
		bool inside = false;
		curve_follow(&ways[i], &bar, &inside, &follower);
		assert_string_equal(told.kinds, kinds[i]);
		assert_false(inside);
		assert_true(fabsl(told.most[0] - 2) < 1e-9L);
		assert_true(fabsl(told.least[0] - (i == 2 ? 1.5L : 1)) < 1e-9L);
		assert_true(i == 2 || fabsl(told.most[1] - 1.125L) < 1e-9L);
		assert_true(i == 2 || told.least[1] < (i == 0 ? 0.1L : 0.5L + 1e-9L));
	}
}

/* Against samples; on a straight line through the middle, against its exact place. */
static void
test_leaving_a_disc(void **state)
{
	const struct curve straight = curve_of((struct point){ 0, 0 }, (struct point){ 3, 4 }, (struct point){ 0, 0 }, 1);
	const struct curve there_and_back = curve_of((struct point){ 0, 0 }, (struct point){ 0, 4 }, (struct point){ 0, -8 }, 1);
	const struct curve far = curve_of((struct point){ 2, 0 }, (struct point){ -4, 0 }, (struct point){ 0, 0 }, 1);

	(void)state;
	assert_true(fabsl(curve_leaves(&straight, 2) - 0.4L) < 1e-17L);
	assert_true(curve_leaves(&straight, 5.0000001L) > 1);
	/* It turns 1 from where it began, after half of its time. */
	assert_true(fabsl(curve_leaves(&there_and_back, 0.75L) - 0.25L) < 1e-17L);
	assert_true(fabsl(curve_leaves(&there_and_back, 1 - 0x1p-40L) - 0.5L) < 0x1p-19L);
	assert_true(curve_leaves(&there_and_back, 1 + 0x1p-50L) > 1);
	assert_true(curve_leaves(&far, 1) == 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_curves_against_samples),     cmocka_unit_test(test_crossings_of_a_bar),
		cmocka_unit_test(test_around_an_end_in_two),       cmocka_unit_test(test_nothing_is_within_less_than_nothing),
		cmocka_unit_test(test_a_way_is_told_part_by_part), cmocka_unit_test(test_leaving_a_disc)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
