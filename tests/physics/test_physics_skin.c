/* The skin far from the origin, where it is as wide as rounding: what comes inside it makes contact. */
#include "physics/scenario.h"

/* Far out the skin is wider than a small circle's radius by the hundredth part. What is inside the skin and comes nearer makes
 * contact at once, however slow it is: with a circle, a face and an end, alone and among others. */
static void
skin_meet(int partner, double part, uint32_t others)
{
	const double out = 0x1p30, radius = 0x1p-10, skin = 0x1p-16;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario_circle(&scenario, out + (partner == 0 ? 2 : 1) * radius + part * skin, 0, -0x1p-20, 0, radius);
	if (partner == 0)
		scenario_circle(&scenario, out, 0, 0, 0, radius);
	else if (partner == 1)
		scenario_segment(&scenario, out, -1, out, 1);
	else
		scenario_segment(&scenario, out - 1, 0, out, 0);
	for (uint32_t i = 0; i < others; i++)
		scenario_circle(&scenario, out - 10 - i, 5, 0, 0, radius);
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 64, 1);
	assert_int_equal(run.contact_count, part < 1 ? 1 : 0);
	if (part < 1) {
		assert_same(run.contacts[0].at, 0);
		assert_true(run_body(&run, 0).vx > -0x1p-20);
	}
	run_end(&run, &scenario);
}

static void
test_contact_inside_the_skin_is_made_at_once(void **state)
{
	(void)state;
	for (int partner = 0; partner < 3; partner++) {
		for (double part = 0.125; part < 2; part += 0.25) {
			skin_meet(partner, part, 0);
			skin_meet(partner, part, 100);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contact_inside_the_skin_is_made_at_once),
	};
	return cmocka_run_group_tests_name("physics/skin", tests, NULL, NULL);
}
