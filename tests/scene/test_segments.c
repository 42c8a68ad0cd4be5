/* What walls are besides lines with materials: thick and one-sided. */
#include "scene/good_scene.h"

#include "support/assert_double.h"

#include "scene/scene.h"

/* Walls' radii and sides: a column of each length, and by hand. */
static void
test_thick_and_one_sided_walls(void **state)
{
	struct fixture *f = *state;
	Collide__V1__SegmentColumns *s = &f->segment_columns;
	double radii[] = { 0.25, 3 };
	protobuf_c_boolean sides[] = { 1, 0 };

	def_make(f);
	for (size_t i = 0; i < 3; i++) {
		assert_double_same_bits(f->def.segments[i].radius, 0);
		assert_false(f->def.segments[i].one_sided);
	}
	s->n_radius = 2, s->radius = radii;
	s->n_one_sided = 1, s->one_sided = sides;
	f->segments[0].radius = 5;
	def_make(f);
	assert_double_same_bits(f->def.segments[0].radius, 0.25);
	assert_double_same_bits(f->def.segments[1].radius, 3);
	assert_double_same_bits(f->def.segments[2].radius, 5);
	assert_true(f->def.segments[0].one_sided && f->def.segments[1].one_sided && !f->def.segments[2].one_sided);
	s->n_one_sided = 2;
	f->segments[0].one_sided = 1;
	def_make(f);
	assert_true(f->def.segments[0].one_sided && !f->def.segments[1].one_sided && f->def.segments[2].one_sided);
	assert_accepted(f);
	radii[1] = 1e-10;
	assert_bad(f, "segment_columns.radius[1]");
	radii[1] = 3;
	s->n_one_sided = 0;
	s->n_radius = 1;
	radii[0] = -1;
	assert_bad(f, "segment_columns.radius[0]");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_thick_and_one_sided_walls, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
