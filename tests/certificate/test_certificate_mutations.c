/* Every way to spoil a good tick must be noticed. */
#include "certificate/made_tick.h"

#include <math.h>

static void
test_good_tick_is_clean(void **state)
{
	struct made_tick made;

	(void)state;
	made_two_hits(&made);
	made_assert_clean(&made);
	assert_int_equal(made_report(&made).contacts, 2);
}

static void
contact_drop(struct made_tick *made, size_t index)
{
	for (made->contact_count--; index < made->contact_count; index++)
		made->contacts[index] = made->contacts[index + 1];
}

static void
spoil_drop_circles(struct made_tick *made)
{
	contact_drop(made, 0);
}

static void
spoil_drop_wall(struct made_tick *made)
{
	contact_drop(made, 1);
}

static void
spoil_drop_both(struct made_tick *made)
{
	made->contact_count = 0;
}

static void
spoil_time_later(struct made_tick *made)
{
	made->contacts[0].time += 1e-6;
}

static void
spoil_time_earlier(struct made_tick *made)
{
	made->contacts[1].time -= 1e-6;
}

static void
spoil_time_by_a_hair(struct made_tick *made)
{
	made->contacts[0].time += 1e-13;
}

static void
spoil_time_after_tick(struct made_tick *made)
{
	made->contacts[1].time = made->dt + 0.1;
}

static void
spoil_time_before_tick(struct made_tick *made)
{
	made->contacts[0].time = -0.1;
}

static void
spoil_order(struct made_tick *made)
{
	struct certificate_contact swap = made->contacts[0];

	made->contacts[0] = made->contacts[1];
	made->contacts[1] = swap;
}

static void
spoil_swap_ids(struct made_tick *made)
{
	made->contacts[0].a = 20;
	made->contacts[0].b = 10;
}

static void
spoil_other_circle(struct made_tick *made)
{
	made->contacts[0].b = 30;
}

static void
spoil_other_hitter(struct made_tick *made)
{
	made->contacts[1].a = 20;
}

static void
spoil_circle_for_wall(struct made_tick *made)
{
	made->contacts[1].a = 10;
	made->contacts[1].b = 30;
	made->contacts[1].with_segment = false;
}

static void
spoil_swap_whole(struct made_tick *made)
{
	struct certificate_contact *contact = &made->contacts[0], good = *contact;

	contact->a = good.b;
	contact->b = good.a;
	contact->normal[0] = -good.normal[0];
	contact->point[0] += 1e-9;
	for (int i = 0; i < 2; i++) {
		contact->a_before[i] = good.b_before[i];
		contact->a_after[i] = good.b_after[i];
		contact->b_before[i] = good.a_before[i];
		contact->b_after[i] = good.a_after[i];
	}
}

static void
spoil_impulse(struct made_tick *made)
{
	made->contacts[0].impulse *= 1 + 1e-9;
}

static void
spoil_impulse_sign(struct made_tick *made)
{
	made->contacts[0].impulse = -10;
	made->contacts[0].normal[0] = 1;
}

static void
spoil_mass(struct made_tick *made)
{
	made->circles[1].mass = 1.001;
}

static void
spoil_normal_turned(struct made_tick *made)
{
	made->contacts[1].normal[0] = -cos(1e-4);
	made->contacts[1].normal[1] = sin(1e-4);
}

static void
spoil_normal_length(struct made_tick *made)
{
	made->contacts[1].normal[0] = -2;
	made->contacts[1].impulse = 10;
}

static void
spoil_point(struct made_tick *made)
{
	made->contacts[1].point[1] += 1e-6;
}

static void
spoil_feature(struct made_tick *made)
{
	made->contacts[1].feature = 1;
}

static void
spoil_feature_number(struct made_tick *made)
{
	made->contacts[1].feature = 3;
}

static void
spoil_circle_feature(struct made_tick *made)
{
	made->contacts[0].feature = 2;
}

static void
spoil_approach(struct made_tick *made)
{
	made->contacts[0].approach_speed = 9.999;
}

static void
spoil_before(struct made_tick *made)
{
	made->contacts[0].b_before[1] = 1e-9;
}

static void
spoil_after(struct made_tick *made)
{
	made->contacts[0].a_after[0] = 1e-9;
}

static void
spoil_wall_velocity(struct made_tick *made)
{
	made->contacts[1].b_after[0] = 1;
}

static void
spoil_end_position(struct made_tick *made)
{
	made->x[1] += 1e-12;
}

static void
spoil_end_velocity(struct made_tick *made)
{
	made->vy[2] += 1e-12;
}

static void
spoil_start(struct made_tick *made)
{
	made->circles[2].x += 1e-3;
}

static void
spoil_mask(struct made_tick *made)
{
	made->circles[0].mask = 2;
}

static void
spoil_wall_mask(struct made_tick *made)
{
	made->segments[0].mask = 4;
}

static void
spoil_kind(struct made_tick *made)
{
	made->circles[1].kind = CERTIFICATE_STATIC;
}

static void
spoil_change_order(struct made_tick *made)
{
	made_change(made, 0.7, 10, CERTIFICATE_FREE, 0, 0);
	made_change(made, 0.6, 20, CERTIFICATE_FREE, 0, 0);
}

static void
spoil_supported(struct made_tick *made)
{
	made_change(made, 0.5, 10, CERTIFICATE_SUPPORTED, 1e-9, 0);
}

static void
spoil_parked(struct made_tick *made)
{
	made_change(made, 0.5, 20, CERTIFICATE_PARKED, 0, 0);
}

static void
spoil_parked_then_hit(struct made_tick *made)
{
	made_change(made, 0.1, 30, CERTIFICATE_PARKED, 0, 0);
}

static void
spoil_pushed(struct made_tick *made)
{
	made_change(made, 0, 10, CERTIFICATE_PUSHED, 1e-9, 0);
}

static void
spoil_pushed_late(struct made_tick *made)
{
	made_change(made, 0.9, 20, CERTIFICATE_PUSHED, 0, 1);
	made->y[1] += 1;
}

static void
spoil_velocity_jump(struct made_tick *made)
{
	/* From nowhere, and kept: the path from here on is as the end state says. */
	made->contacts[0].b_after[1] = 1;
	made->vy[1] = 1;
	made->y[1] = 1 - made->contacts[0].time;
}

#define SPOIL(name)         \
	{                       \
#name, spoil_##name \
	}

static const struct {
	const char *name;
	void (*spoil)(struct made_tick *made);
} spoils[] = {
	SPOIL(drop_circles),
	SPOIL(drop_wall),
	SPOIL(drop_both),
	SPOIL(time_later),
	SPOIL(time_earlier),
	SPOIL(time_by_a_hair),
	SPOIL(time_after_tick),
	SPOIL(time_before_tick),
	SPOIL(order),
	SPOIL(swap_ids),
	SPOIL(other_circle),
	SPOIL(other_hitter),
	SPOIL(circle_for_wall),
	SPOIL(swap_whole),
	SPOIL(impulse),
	SPOIL(impulse_sign),
	SPOIL(mass),
	SPOIL(normal_turned),
	SPOIL(normal_length),
	SPOIL(point),
	SPOIL(feature),
	SPOIL(feature_number),
	SPOIL(circle_feature),
	SPOIL(approach),
	SPOIL(before),
	SPOIL(after),
	SPOIL(wall_velocity),
	SPOIL(end_position),
	SPOIL(end_velocity),
	SPOIL(start),
	SPOIL(mask),
	SPOIL(wall_mask),
	SPOIL(kind),
	SPOIL(change_order),
	SPOIL(supported),
	SPOIL(parked),
	SPOIL(parked_then_hit),
	SPOIL(pushed),
	SPOIL(pushed_late),
	SPOIL(velocity_jump),
};

static void
test_every_spoiled_tick_is_noticed(void **state)
{
	size_t missed = 0;

	(void)state;
	for (size_t i = 0; i < sizeof spoils / sizeof spoils[0]; i++) {
		struct made_tick made;

		made_two_hits(&made);
		spoils[i].spoil(&made);
		struct certificate_report report = made_report(&made);
		if (report.jumps + report.escapes + report.overlaps == 0 || report.first_problem[0] == '\0') {
			print_error("not noticed: %s\n", spoils[i].name);
			missed++;
		}
	}
	assert_int_equal(missed, 0);
}

/* Numbers that are none, one after the other in every place. */
static void
test_not_a_number_anywhere_is_refused(void **state)
{
	struct made_tick made;
	double *places[] = { &made.dt,
		                 &made.x[0],
		                 &made.y[1],
		                 &made.vx[2],
		                 &made.vy[0],
		                 &made.contacts[0].time,
		                 &made.contacts[0].point[0],
		                 &made.contacts[1].normal[1],
		                 &made.contacts[0].approach_speed,
		                 &made.contacts[1].impulse,
		                 &made.contacts[0].a_before[0],
		                 &made.contacts[0].a_after[1],
		                 &made.contacts[0].b_before[0],
		                 &made.contacts[1].b_after[1],
		                 &made.changes[0].time,
		                 &made.changes[0].vector[1] };
	const double bad[] = { (double)NAN, (double)INFINITY, -(double)INFINITY };

	(void)state;
	for (size_t i = 0; i < 3 * sizeof places / sizeof places[0]; i++) {
		made_two_hits(&made);
		made_change(&made, 0.5, 10, CERTIFICATE_FREE, 0, 0);
		struct certificate *certificate = made_start(&made);
		*places[i / 3] = bad[i % 3];
		assert_int_equal(made_give(certificate, &made), STATUS_INVALID_ARGUMENT);
		assert_int_equal(certificate_report(certificate)->jumps, 1);
		assert_string_not_equal(certificate_report(certificate)->first_problem, "");
		certificate_destroy(certificate);
	}
}

static void
test_unknown_ids_are_refused(void **state)
{
	struct made_tick made;
	uint32_t *places[] = { &made.contacts[0].a, &made.contacts[0].b, &made.contacts[1].b, &made.changes[0].body };

	(void)state;
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		made_two_hits(&made);
		made_change(&made, 0.5, 10, CERTIFICATE_FREE, 0, 0);
		struct certificate *certificate = made_start(&made);
		*places[i] = 11;
		assert_int_equal(made_give(certificate, &made), STATUS_INVALID_ARGUMENT);
		assert_int_equal(certificate_report(certificate)->jumps, 1);
		certificate_destroy(certificate);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_tick_is_clean),
		cmocka_unit_test(test_every_spoiled_tick_is_noticed),
		cmocka_unit_test(test_not_a_number_anywhere_is_refused),
		cmocka_unit_test(test_unknown_ids_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
