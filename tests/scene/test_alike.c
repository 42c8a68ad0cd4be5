/* Circles by hand that differ in place, velocity and radius alone. */
#include "scene/good_scene.h"

#include "support/assert_double.h"

/* How many are known to be alike; what may differ is looked at all the same. */
static void
test_hand_written_alike(void **state)
{
	struct fixture *f = *state;
	Collide__V1__Circle circles[5], *list[5];

	for (size_t i = 0; i < 5; i++) {
		collide__v1__circle__init(&circles[i]);
		circles[i].x = 10.0 * (double)i;
		circles[i].radius = 1.0 + (double)i;
		list[i] = &circles[i];
	}
	circles[3].friction = 0.5;
	f->scene.circles = list;
	f->scene.n_circles = 5;
	def_make(f);
	assert_int_equal(f->def.circles_alike, 0); /* behind those in columns */
	f->scene.circle_columns = NULL;
	f->scene.n_circles = 3;
	def_make(f);
	assert_int_equal(f->def.circles_alike, 3);
	f->scene.n_circles = 5;
	def_make(f);
	assert_int_equal(f->def.circles_alike, 3);
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(f->def.circles[i].id, i);
		assert_double_same_bits(f->def.circles[i].radius, 1.0 + (double)i);
		assert_double_same_bits(f->def.circles[i].friction, i == 3 ? 0.5 : 0);
	}
	assert_accepted(f);
	circles[0].mass = 5, circles[0].optional_mass_case = COLLIDE__V1__CIRCLE__OPTIONAL_MASS_MASS;
	def_make(f);
	assert_int_equal(f->def.circles_alike, 1);
	circles[2].radius = -1;
	assert_bad(f, "circles[2].radius");
	circles[2].radius = 1;
	circles[1].mass = circles[0].mass = -1;
	circles[1].optional_mass_case = COLLIDE__V1__CIRCLE__OPTIONAL_MASS_MASS;
	assert_bad(f, "circles[0].mass");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_hand_written_alike, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
