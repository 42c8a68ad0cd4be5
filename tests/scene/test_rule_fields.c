/* Contact rules, lifetimes, ignored circles, tags, bounds and disabled segments: in columns and by hand, and what is refused.
 */
#include "scene/good_scene.h"

#include "support/assert_double.h"

#include "scene/scene.h"

static void
test_columns_and_by_hand(void **state)
{
	struct fixture *f = *state;
	Collide__V1__CircleColumns *c = &f->circle_columns;
	uint64_t stop[ROWS] = { 1, 2, UINT64_C(1) << 63, 0 }, remove[] = { 12 }, report[] = { 48 };
	uint64_t tag[ROWS] = { 0, UINT64_MAX, 7, 8 };
	uint32_t ticks[ROWS] = { 5, 6, 7, UINT32_MAX }, ignored[] = { 3 };
	double seconds[ROWS] = { 0, 0.5, 1e9, 3 };
	Collide__V1__Ignore ignore[ROWS] = { COLLIDE__V1__IGNORE__IGNORE_UNSPECIFIED, COLLIDE__V1__IGNORE__IGNORE_NONE,
		                                 COLLIDE__V1__IGNORE__IGNORE_ALWAYS, COLLIDE__V1__IGNORE__IGNORE_UNTIL_APART };
	const enum ignore read[ROWS] = { IGNORE_NONE, IGNORE_NONE, IGNORE_ALWAYS, IGNORE_UNTIL_APART };

	c->n_stop_groups = ROWS, c->stop_groups = stop;
	c->n_remove_groups = 1, c->remove_groups = remove;
	c->n_report_groups = 1, c->report_groups = report;
	c->n_lifetime_ticks = ROWS, c->lifetime_ticks = ticks;
	c->n_lifetime_s = ROWS, c->lifetime_s = seconds;
	c->n_ignore = ROWS, c->ignore = ignore;
	c->n_ignored_circle = 1, c->ignored_circle = ignored;
	c->n_tag = ROWS, c->tag = tag;
	f->circles[0].stop_groups = 9;
	f->circles[0].remove_groups = 2;
	f->circles[1].report_groups = 4;
	f->circles[1].lifetime_ticks = 11;
	f->circles[0].lifetime_s = 0.25;
	f->circles[1].ignore = COLLIDE__V1__IGNORE__IGNORE_ALWAYS;
	f->circles[1].ignored_circle = 77;
	f->circles[0].tag = 99;
	def_make(f);
	assert_accepted(f);
	for (size_t i = 0; i < ROWS; i++) {
		const struct circle_def *def = &f->def.circles[i];

		assert_true(def->stop_groups == stop[i] && def->remove_groups == 12 && def->report_groups == 48);
		assert_true(def->lifetime_ticks == ticks[i] && def->ignore == read[i] && def->ignored_circle == 3);
		assert_true(def->tag == tag[i]);
		assert_double_same_bits(def->lifetime_s, seconds[i]);
	}
	const struct circle_def *one = &f->def.circles[ROWS], *other = one + 1;

	assert_true(one->stop_groups == 9 && one->remove_groups == 2 && one->report_groups == 0 && one->tag == 99);
	assert_true(one->lifetime_ticks == 0 && one->ignore == IGNORE_NONE && one->ignored_circle == 0);
	assert_double_same_bits(one->lifetime_s, 0.25);
	assert_true(other->report_groups == 4 && other->lifetime_ticks == 11 && other->ignore == IGNORE_ALWAYS &&
	            other->ignored_circle == 77 && other->tag == 0 && other->stop_groups == 0);
}

static void
test_what_is_refused(void **state)
{
	struct fixture *f = *state;
	Collide__V1__CircleColumns *c = &f->circle_columns;
	uint64_t groups[ROWS] = { 1, 2, 4, 8 }, more[ROWS] = { 2, 4, 4, 0 };
	double seconds[] = { -1 };
	Collide__V1__Ignore ignore[ROWS] = { COLLIDE__V1__IGNORE__IGNORE_NONE, 4 };

	c->n_stop_groups = ROWS, c->stop_groups = groups;
	c->n_remove_groups = ROWS, c->remove_groups = more;
	assert_bad(f, "circle_columns.remove_groups[2]");
	c->n_remove_groups = 0;
	c->n_report_groups = ROWS, c->report_groups = more;
	assert_bad(f, "circle_columns.report_groups[2]");
	c->n_report_groups = 3;
	assert_bad(f, "circle_columns.report_groups");
	c->n_report_groups = 0;
	c->n_lifetime_s = 1, c->lifetime_s = seconds;
	assert_bad(f, "circle_columns.lifetime_s[0]");
	c->n_lifetime_s = 0;
	c->n_ignore = ROWS, c->ignore = ignore;
	assert_bad(f, "circle_columns.ignore[1]");
	ignore[1] = COLLIDE__V1__IGNORE__IGNORE_ALWAYS;
	assert_accepted(f);
	f->circles[1].ignore = 9;
	assert_bad(f, "circles[1].ignore");
	f->circles[1].ignore = COLLIDE__V1__IGNORE__IGNORE_NONE;
	f->circles[0].lifetime_s = 2e9;
	assert_bad(f, "circles[0].lifetime_s");
}

static void
test_bounds(void **state)
{
	struct fixture *f = *state;
	Collide__V1__Bounds bounds = COLLIDE__V1__BOUNDS__INIT;

	def_make(f);
	assert_false(f->def.has_bounds);
	f->scene.optional_bounds_case = COLLIDE__V1__SCENE__OPTIONAL_BOUNDS_BOUNDS;
	f->scene.bounds = &bounds;
	bounds.x_min = -1e6;
	bounds.y_min = -2e6;
	bounds.x_max = 3e6;
	bounds.y_max = 4e6;
	def_make(f);
	assert_accepted(f);
	assert_true(f->def.has_bounds);
	assert_double_same_bits(f->def.bounds_x_min, -1e6);
	assert_double_same_bits(f->def.bounds_y_min, -2e6);
	assert_double_same_bits(f->def.bounds_x_max, 3e6);
	assert_double_same_bits(f->def.bounds_y_max, 4e6);
	bounds.y_max = -2e6 - 1;
	assert_bad(f, "bounds.y_max");
	bounds.x_min = 2e12;
	assert_bad(f, "bounds.x_min");
}

static void
test_disabled_segments(void **state)
{
	struct fixture *f = *state;
	protobuf_c_boolean disabled[] = { 0, 1 };

	f->segment_columns.n_disabled = 2, f->segment_columns.disabled = disabled;
	def_make(f);
	assert_true(!f->def.segments[0].disabled && f->def.segments[1].disabled && !f->def.segments[2].disabled);
	f->segments[0].disabled = 1;
	f->segment_columns.n_disabled = 0;
	def_make(f);
	assert_true(!f->def.segments[0].disabled && !f->def.segments[1].disabled && f->def.segments[2].disabled);
	assert_accepted(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_columns_and_by_hand, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_what_is_refused, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_bounds, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(test_disabled_segments, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
