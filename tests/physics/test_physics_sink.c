/* What slides along a wall, rests on it or rides it, far from the origin: rounding of its places never carries it into the
 * wall. The gap is computed in long double, which has 11 bits more than the places. */
#include "physics/scenario.h"

#include "support/effort.h"

#include <math.h>

/* From xorshift64*, Vigna 2016. */
static double
random_unit(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (double)(*state * 0x2545F4914F6CDD1DULL >> 11) * 0x1p-53;
}

struct slide {
	double offset, radius, gap; /* the gap in skins */
	double ux, uy;              /* along the wall, of length 1 */
	double speed, gravity, lift;
	double restitution;
	int side;
};

static void
slide_make(const struct slide *slide, struct scenario *scenario)
{
	double nx = -slide->uy * slide->side, ny = slide->ux * slide->side, x = slide->offset, y = slide->offset;
	double skin = fmax(0x1p-46 * slide->offset, 1e-9 * slide->radius), away = slide->radius + slide->gap * skin;

	scenario_init(scenario);
	scenario->def.gravity_x = -slide->gravity * nx;
	scenario->def.gravity_y = -slide->gravity * ny;

	struct segment_def *wall = scenario_segment(scenario, x, y, x + 900 * slide->ux, y + 900 * slide->uy);

	wall->vx = slide->lift * nx;
	wall->vy = slide->lift * ny;
	scenario_circle(scenario, x + 2 * slide->ux + away * nx, y + 2 * slide->uy + away * ny,
	                slide->speed * slide->ux + slide->lift * nx, slide->speed * slide->uy + slide->lift * ny, slide->radius);
	scenario_restitution(scenario, slide->restitution);
}

/* The gap without a skin, at a tick's end. */
static long double
slide_gap(const struct run *run, const struct slide *slide, const struct segment_def *wall)
{
	const struct body_state circle = world_body(run->world, 0);
	long double x1 = wall->x1, y1 = wall->y1, ux = (long double)wall->x2 - x1, uy = (long double)wall->y2 - y1;

	if (run->report.place_count > 0) {
		x1 = run->report.places[0].x1;
		y1 = run->report.places[0].y1;
	}

	long double height = (ux * (circle.y - y1) - uy * (circle.x - x1)) / sqrtl(ux * ux + uy * uy);

	return height * slide->side - slide->radius;
}

#define TICKS 600

/* Certified, never nearer than 0, and the speed as it was where nothing pulls. */
static void
slide_try(const struct slide *slide)
{
	struct scenario scenario;
	struct run run;
	long double least = INFINITY;

	slide_make(slide, &scenario);
	run_start(&run, &scenario);
	for (int tick = 0; tick < TICKS; tick++) {
		run_ticks(&run, 1.0 / 64, 1);

		long double gap = slide_gap(&run, slide, &scenario.segments[0]);

		least = gap < least ? gap : least;
	}

	/* The wall's ends are rounded, so its direction is by an ulp of them over its length; a contact takes so much of the
	 * velocity. */
	const double room = 1e-12 + 4 * 0x1p-52 * slide->offset / 900;
	const struct body_state end = world_body(run.world, 0);
	double before = slide->speed * slide->speed + slide->lift * slide->lift, after = end.vx * end.vx + end.vy * end.vy;

	if (!(least >= 0) || (slide->gravity == 0 && fabs(after - before) > room * before)) {
		fail_msg(
			"offset %g, radius %g, along (%.17g, %.17g), side %d, speed %g, gravity %g, lift %g, restitution %g: least gap %Lg, "
			"speeds squared %.17g and %.17g",
			slide->offset, slide->radius, slide->ux, slide->uy, slide->side, slide->speed, slide->gravity, slide->lift,
			slide->restitution, least, before, after);
	}
	assert_int_equal(run.shortfall_count, 0);
	run_end(&run, &scenario);
}

/* From just over the wall on, so that rounding has little to use up; from a skin on too. */
static void
test_rounding_never_leads_into_a_wall(void **state)
{
	const double offsets[] = { 0, 3, 1e3, 1e6, 1e9 }, gaps[] = { 0.2, 1 }, gravities[] = { 0, 10 },
				 lifts[] = { 0, 0.375, -0.375 };
	uint64_t seed = 20261123;

	(void)state;
	for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
		for (int k = 0; k < (int)effort(10, 60); k++) {
			double angle = 6.283185307179586 * random_unit(&seed);
			const struct slide slide = {
				.offset = offsets[o],
				.radius = k % 2 ? 0.34 : 0.5,
				.gap = gaps[k / 2 % 2],
				.ux = cos(angle),
				.uy = sin(angle),
				.speed = 1 + 3 * random_unit(&seed),
				.gravity = gravities[k / 4 % 2],
				.lift = lifts[k % 3],
				.restitution = k / 8 % 2,
				.side = k / 16 % 2 ? 1 : -1,
			};

			slide_try(&slide);
		}
	}
}

/* A column of circles that fills the room from a floor to a ceiling up to `spare` ulp of the offset; its lowest is struck down.
 * What wins its skin back between the others has no room for it. */
static void
column_try(double offset, int count, int spare, double restitution, double speed)
{
	const double ulp = 0x1p-52 * offset, ceiling = offset + count + spare * ulp;
	struct scenario scenario;
	struct run run;

	scenario_init(&scenario);
	scenario.def.gravity_y = -100;
	(void)scenario_segment(&scenario, offset - 4, offset, offset + 4, offset);
	(void)scenario_segment(&scenario, offset - 4, ceiling, offset + 4, ceiling);
	for (int k = 0; k < count; k++)
		scenario_circle(&scenario, offset, offset + k + 0.5, 0, k == 0 ? -speed : 0, 0.5);
	scenario_restitution(&scenario, restitution);
	run_start(&run, &scenario);
	for (int tick = 0; tick < 8; tick++) {
		run_ticks(&run, 1.0 / 60, 1);
		for (int k = 0; k < count; k++) {
			const struct body_state circle = world_body(run.world, (uint32_t)k);
			long double low = (long double)circle.y - 0.5L - offset, high = (long double)ceiling - 0.5L - circle.y;

			if (!(low >= -2 * ulp && high >= -2 * ulp))
				fail_msg(
					"%d circles at %g, %d ulp to spare, restitution %g, struck by %g, tick %d: circle %d is %Lg over the floor "
					"and %Lg under the ceiling",
					count, offset, spare, restitution, speed, tick + 1, k, low, high);
		}
	}
	assert_int_equal(run.shortfall_count, 0);
	run_end(&run, &scenario);
}

static void
test_a_column_without_room_wins_back_no_skin(void **state)
{
	const double offsets[] = { 1024, 1e6, 1e8 }, restitutions[] = { 0, 0.5 };

	(void)state;
	for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++)
		for (int count = 1; count <= 8; count++)
			for (int spare = 0; spare <= 4; spare += 2)
				for (size_t e = 0; e < sizeof restitutions / sizeof *restitutions; e++)
					column_try(offsets[o], count, spare, restitutions[e], count % 2 ? 39 : 3);
}

/* A circle that slides between two walls that are just its width apart, up to some ulp of the offset, in any direction. */
static void
corridor_try(double offset, int spare, uint64_t *seed)
{
	const double ulp = 0x1p-52 * offset, angle = 6.283185307179586 * random_unit(seed), ux = cos(angle), uy = sin(angle);
	const double half = 0.5 + 0.5 * spare * ulp, speed = 1 + 3 * random_unit(seed);
	struct scenario scenario;
	struct run run;
	long double least = INFINITY;

	scenario_init(&scenario);
	for (int side = -1; side <= 1; side += 2) {
		const double x = offset - side * half * uy, y = offset + side * half * ux;

		(void)scenario_segment(&scenario, x - 40 * ux, y - 40 * uy, x + 40 * ux, y + 40 * uy);
	}
	scenario_circle(&scenario, offset, offset, speed * ux, speed * uy, 0.5);
	scenario_restitution(&scenario, 1);
	scenario.def.events_per_body_max = 500; /* it bounces to and fro without end */
	run_start(&run, &scenario);
	for (int tick = 0; tick < 40; tick++) {
		run_ticks(&run, 1.0 / 64, 1);
		for (int side = -1; side <= 1; side += 2) {
			const struct slide slide = { .radius = 0.5, .side = -side };
			long double gap = slide_gap(&run, &slide, &scenario.segments[side > 0]);

			least = gap < least ? gap : least;
		}
	}
	/* What rounding carries into one wall is raised again once the other leaves twice the raise: 4 ulp. One more is a tick's
	 * rounding, two are those of the walls' ends. */
	if (!(least >= (spare < 7 ? spare - 7 : 0) * ulp))
		fail_msg("at %g, along (%.17g, %.17g), %d ulp to spare: %Lg ulp deep in a wall", offset, ux, uy, spare, -least / ulp);
	run_abandon(&run);
	scenario_finish(&scenario);
}

static void
test_a_corridor_without_room_is_not_left_by_rounding(void **state)
{
	const double offsets[] = { 1e3, 1e6, 1e9 };
	uint64_t seed = 7;

	(void)state;
	for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++)
		for (int k = 0; k < (int)effort(1, 30); k++)
			corridor_try(offsets[o], 2 + k % 3 * 4, &seed);
}

/* Two circles in touch that fly side by side, alone; or three in a row, or in a triangle. They never
 * approach, so they make no contact. */
static void
flight_try(double offset, int count, bool triangle, uint64_t *seed)
{
	const double ulp = 0x1p-52 * offset, angle = 6.283185307179586 * random_unit(seed);
	const double vx = 5 * random_unit(seed) - 2.5, vy = 5 * random_unit(seed) - 2.5;
	struct scenario scenario;
	struct run run;
	long double least = INFINITY;

	scenario_init(&scenario);
	for (int k = 0; k < count; k++) {
		const double turn = angle + (triangle && k == 2 ? 1.0471975511965976 : 0), far = triangle && k == 2 ? 1 : k;
		const double away = far * (1 + 4 * ulp);

		scenario_circle(&scenario, offset + away * cos(turn), offset + away * sin(turn), vx, vy, 0.5);
	}
	run_start(&run, &scenario);
	for (int tick = 0; tick < 400; tick++) {
		run_ticks(&run, 1.0 / 60, 1);
		for (int k = 1; k < count; k++)
			for (int i = triangle ? 0 : k - 1; i < k; i++) {
				const struct body_state a = world_body(run.world, (uint32_t)i), b = world_body(run.world, (uint32_t)k);
				const long double dx = (long double)a.x - b.x, dy = (long double)a.y - b.y;
				const long double gap = sqrtl(dx * dx + dy * dy) - 1;

				least = gap < least ? gap : least;
			}
	}
	if (!(least >= 0))
		fail_msg("%d at %g, %s: %Lg ulp deep", count, offset, triangle ? "in a triangle" : "in a row", -least / ulp);
	assert_int_equal(run.shortfall_count, 0);
	assert_same(run_body(&run, 0).vx, vx);
	assert_same(run_body(&run, 0).vy, vy);
	run_end(&run, &scenario);
}

static void
test_rounding_never_leads_circles_into_each_other(void **state)
{
	const double offsets[] = { 1, 1e3, 1e6, 1e9 };
	uint64_t seed = 9;

	(void)state;
	for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++)
		for (int k = 0; k < (int)effort(8, 60); k++)
			flight_try(offsets[o], 2 + (k % 3 > 0), k % 3 == 2, &seed);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounding_never_leads_into_a_wall),
		cmocka_unit_test(test_rounding_never_leads_circles_into_each_other),
		cmocka_unit_test(test_a_corridor_without_room_is_not_left_by_rounding),
		cmocka_unit_test(test_a_column_without_room_wins_back_no_skin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
