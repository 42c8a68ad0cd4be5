/* What world_create and world_step refuse, and which field they name. */
#include "physics/scenario.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Two circles and two segments, all good; the second circle is static. */
static void
good_scenario(struct scenario *scenario)
{
	scenario_init(scenario);
	scenario_circle(scenario, 0, 0, 1, 0, 1);
	scenario_circle(scenario, 5, 0, 0, 0, 1)->kind = BODY_STATIC;
	scenario_segment(scenario, 0, 10, 10, 10);
	scenario_segment(scenario, 0, 20, 10, 20);
}

static void
expect_problem(struct scenario *scenario, enum def_field field, size_t index, int line)
{
	struct def_problem problem = { .index = 99 };
	struct world *const clean = (struct world *)&problem;
	struct world *world = clean;
	const enum status status = world_create(scenario_def(scenario), &problem, &world);
	if (status != STATUS_INVALID_ARGUMENT || problem.field != field || problem.index != index || !problem.text ||
	    !*problem.text || world != clean) {
		print_error("expected field %d of %zu, got %s, field %d of %zu: %s\n", (int)field, index, status_name(status),
		            (int)problem.field, problem.index, problem.text ? problem.text : "no text");
		_fail(__FILE__, line);
	}
	scenario_finish(scenario);
}

/* One bad value put into a good scene. */
#define EXPECT_BAD(place, value, field, index)             \
	do {                                                   \
		struct scenario scenario;                          \
		good_scenario(&scenario);                          \
		scenario.place = (value);                          \
		expect_problem(&scenario, field, index, __LINE__); \
	} while (0)

static const double not_finite[] = { NAN, INFINITY, -INFINITY };

static void
test_good_definitions_are_accepted(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	good_scenario(&scenario);
	run_start(&run, &scenario);
	run_finish(&run);
	/* The limits themselves are allowed. */
	scenario.circles[0].x = PHYSICS_COORDINATE_MAX;
	scenario.circles[0].y = -PHYSICS_COORDINATE_MAX;
	scenario.circles[0].vx = PHYSICS_SPEED_MAX;
	scenario.circles[0].radius = PHYSICS_RADIUS_MIN;
	scenario.circles[0].mass = PHYSICS_MASS_MAX;
	scenario.circles[0].restitution = 0;
	scenario.circles[1].radius = PHYSICS_RADIUS_MAX;
	scenario.circles[1].mass = -1; /* not looked at unless dynamic */
	scenario.segments[1].x2 = PHYSICS_COORDINATE_MAX;
	scenario.def.events_per_body_max = 1000000;
	run_start_uncertified(&run, &scenario);
	run_finish(&run);
	scenario.circles[0].radius = 1;
	scenario.circles[0].mass = PHYSICS_MASS_MIN;
	scenario.def.events_per_body_max = 1;
	run_start_uncertified(&run, &scenario);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_an_empty_world_steps(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	struct run run;
	run_start(&run, &scenario);
	assert_int_equal(world_body_count(run.world), 0);
	run_ticks(&run, 1, 3);
	assert_int_equal(run.report.tick, 3);
	assert_int_equal(world_tick(run.world), 3);
	run_finish(&run);
	scenario_finish(&scenario);
	world_destroy(NULL);
}

/* The defaults that physics.h states. */
static void
test_defaults_are_those_of_the_header(void **state)
{
	(void)state;
	const struct circle_def circle = circle_def_default();
	assert_int_equal(circle.kind, BODY_DYNAMIC);
	assert_same(circle.radius, 0);
	assert_same(circle.mass, 1);
	assert_same(circle.restitution, 1);
	assert_int_equal(circle.category, 1);
	assert_int_equal(circle.mask, UINT32_MAX);
	const struct segment_def segment = segment_def_default();
	assert_same(segment.restitution, 1);
	assert_int_equal(segment.category, 1);
	assert_int_equal(segment.mask, UINT32_MAX);
	const struct world_def world = world_def_default();
	assert_same(world.gravity_x, 0);
	assert_same(world.gravity_y, 0);
	assert_int_equal(world.restitution_mix, RESTITUTION_MIX_MAX);
	assert_same(world.restitution_threshold, 0);
	assert_int_equal(world.events_per_body_max, 10000);
	assert_int_equal(world.contacts_per_tick_max, 4194304);
	assert_int_equal(world.circle_count + world.segment_count, 0);
}

static void
test_bad_world_fields_are_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		EXPECT_BAD(def.gravity_x, not_finite[i], DEF_WORLD_GRAVITY_X, 0);
		EXPECT_BAD(def.gravity_y, not_finite[i], DEF_WORLD_GRAVITY_Y, 0);
		EXPECT_BAD(def.restitution_threshold, not_finite[i], DEF_WORLD_RESTITUTION_THRESHOLD, 0);
		EXPECT_BAD(def.speed_max, not_finite[i], DEF_WORLD_SPEED_MAX, 0);
	}
	EXPECT_BAD(def.restitution_mix, (enum restitution_mix)4, DEF_WORLD_RESTITUTION_MIX, 0);
	EXPECT_BAD(def.restitution_threshold, -1e-9, DEF_WORLD_RESTITUTION_THRESHOLD, 0);
	EXPECT_BAD(def.speed_max, -1e-9, DEF_WORLD_SPEED_MAX, 0);
	EXPECT_BAD(def.speed_max, 2 * PHYSICS_SPEED_MAX, DEF_WORLD_SPEED_MAX, 0);
	EXPECT_BAD(def.work_per_tick_max, 0, DEF_WORLD_WORK_PER_TICK_MAX, 0);
	EXPECT_BAD(def.work_per_tick_max, PHYSICS_WORK_PER_TICK_MOST + 1, DEF_WORLD_WORK_PER_TICK_MAX, 0);
	EXPECT_BAD(def.work_per_body_max, 0, DEF_WORLD_WORK_PER_BODY_MAX, 0);
	EXPECT_BAD(def.work_per_body_max, PHYSICS_WORK_PER_BODY_MOST + 1, DEF_WORLD_WORK_PER_BODY_MAX, 0);
	EXPECT_BAD(def.events_per_body_max, 0, DEF_WORLD_EVENTS_PER_BODY_MAX, 0);
	EXPECT_BAD(def.events_per_body_max, 1000001, DEF_WORLD_EVENTS_PER_BODY_MAX, 0);
	for (unsigned k = 0; k < 4; k++) {
		for (size_t i = 0; i < 4; i++) {
			struct scenario scenario;
			good_scenario(&scenario);
			scenario.def.has_bounds = true;
			double *const bounds[] = { &scenario.def.bounds_x_min, &scenario.def.bounds_y_min, &scenario.def.bounds_x_max,
				                       &scenario.def.bounds_y_max };
			*bounds[k] = i < 3 ? not_finite[i] : 2 * PHYSICS_COORDINATE_MAX;
			expect_problem(&scenario, (enum def_field)(DEF_WORLD_BOUNDS_X_MIN + k), 0, __LINE__);
		}
	}
}

static void
test_bad_circle_fields_are_named(void **state)
{
	(void)state;
	const double too_far = nextafter(PHYSICS_COORDINATE_MAX, INFINITY), too_fast = nextafter(PHYSICS_SPEED_MAX, INFINITY);
	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < 3; k++) {
			EXPECT_BAD(circles[i].x, not_finite[k], DEF_CIRCLE_X, i);
			EXPECT_BAD(circles[i].y, not_finite[k], DEF_CIRCLE_Y, i);
			EXPECT_BAD(circles[i].vx, not_finite[k], DEF_CIRCLE_VX, i);
			EXPECT_BAD(circles[i].vy, not_finite[k], DEF_CIRCLE_VY, i);
			EXPECT_BAD(circles[i].radius, not_finite[k], DEF_CIRCLE_RADIUS, i);
			EXPECT_BAD(circles[i].restitution, not_finite[k], DEF_CIRCLE_RESTITUTION, i);
			EXPECT_BAD(circles[0].mass, not_finite[k], DEF_CIRCLE_MASS, 0);
		}
		EXPECT_BAD(circles[i].x, too_far, DEF_CIRCLE_X, i);
		EXPECT_BAD(circles[i].y, -too_far, DEF_CIRCLE_Y, i);
		EXPECT_BAD(circles[i].kind, (enum body_kind)3, DEF_CIRCLE_KIND, i);
		EXPECT_BAD(circles[i].radius, 0, DEF_CIRCLE_RADIUS, i);
		EXPECT_BAD(circles[i].radius, -1, DEF_CIRCLE_RADIUS, i);
		EXPECT_BAD(circles[i].radius, PHYSICS_RADIUS_MIN / 2, DEF_CIRCLE_RADIUS, i);
		EXPECT_BAD(circles[i].radius, PHYSICS_RADIUS_MAX * 2, DEF_CIRCLE_RADIUS, i);
		EXPECT_BAD(circles[i].restitution, -0.01, DEF_CIRCLE_RESTITUTION, i);
		EXPECT_BAD(circles[i].restitution, 1.01, DEF_CIRCLE_RESTITUTION, i);
		for (size_t k = 0; k < 3; k++) {
			EXPECT_BAD(circles[i].surface_speed, not_finite[k], DEF_CIRCLE_SURFACE_SPEED, i);
			EXPECT_BAD(circles[i].linear_damping, not_finite[k], DEF_CIRCLE_LINEAR_DAMPING, i);
			EXPECT_BAD(circles[i].angular_damping, not_finite[k], DEF_CIRCLE_ANGULAR_DAMPING, i);
			EXPECT_BAD(circles[i].gravity_scale, not_finite[k], DEF_CIRCLE_GRAVITY_SCALE, i);
		}
		EXPECT_BAD(circles[i].surface_speed, -too_fast, DEF_CIRCLE_SURFACE_SPEED, i);
		EXPECT_BAD(circles[i].linear_damping, -1e-300, DEF_CIRCLE_LINEAR_DAMPING, i);
		EXPECT_BAD(circles[i].linear_damping, 2 * PHYSICS_DAMPING_MAX, DEF_CIRCLE_LINEAR_DAMPING, i);
		EXPECT_BAD(circles[i].angular_damping, -1, DEF_CIRCLE_ANGULAR_DAMPING, i);
		EXPECT_BAD(circles[i].angular_damping, 2 * PHYSICS_DAMPING_MAX, DEF_CIRCLE_ANGULAR_DAMPING, i);
		EXPECT_BAD(circles[i].gravity_scale, 1.01 * PHYSICS_GRAVITY_SCALE_MAX, DEF_CIRCLE_GRAVITY_SCALE, i);
		EXPECT_BAD(circles[i].gravity_scale, -1.01 * PHYSICS_GRAVITY_SCALE_MAX, DEF_CIRCLE_GRAVITY_SCALE, i);
		EXPECT_BAD(circles[i].response, (enum movement_response)3, DEF_CIRCLE_RESPONSE, i);
		EXPECT_BAD(circles[i].response, (enum movement_response) - 1, DEF_CIRCLE_RESPONSE, i);
		for (size_t k = 0; k < 3; k++)
			EXPECT_BAD(circles[i].lifetime_s, not_finite[k], DEF_CIRCLE_LIFETIME_S, i);
		EXPECT_BAD(circles[i].lifetime_s, -1e-300, DEF_CIRCLE_LIFETIME_S, i);
		EXPECT_BAD(circles[i].lifetime_s, 2 * PHYSICS_LIFETIME_MAX, DEF_CIRCLE_LIFETIME_S, i);
		EXPECT_BAD(circles[i].ignore, (enum ignore)3, DEF_CIRCLE_IGNORE, i);
		EXPECT_BAD(circles[i].ignore, (enum ignore) - 1, DEF_CIRCLE_IGNORE, i);
		EXPECT_BAD(circles[i].remove_groups, scenario.circles[i].stop_groups = 5, DEF_CIRCLE_REMOVE_GROUPS, i);
		EXPECT_BAD(circles[i].report_groups, scenario.circles[i].stop_groups = 5, DEF_CIRCLE_REPORT_GROUPS, i);
		EXPECT_BAD(circles[i].report_groups, scenario.circles[i].remove_groups = UINT64_MAX, DEF_CIRCLE_REPORT_GROUPS, i);
	}
	EXPECT_BAD(circles[0].vx, too_fast, DEF_CIRCLE_VX, 0);
	EXPECT_BAD(circles[0].vy, -too_fast, DEF_CIRCLE_VY, 0);
	EXPECT_BAD(circles[1].vx, 1, DEF_CIRCLE_VX, 1); /* static */
	EXPECT_BAD(circles[1].vy, 1, DEF_CIRCLE_VY, 1);
	EXPECT_BAD(circles[0].mass, 0, DEF_CIRCLE_MASS, 0);
	EXPECT_BAD(circles[0].mass, -1, DEF_CIRCLE_MASS, 0);
	EXPECT_BAD(circles[0].mass, PHYSICS_MASS_MIN / 2, DEF_CIRCLE_MASS, 0);
	EXPECT_BAD(circles[0].mass, PHYSICS_MASS_MAX * 2, DEF_CIRCLE_MASS, 0);
	EXPECT_BAD(circles[1].id, 0, DEF_CIRCLE_ID, 1); /* the one that repeats an id */
}

static void
test_bad_segment_fields_are_named(void **state)
{
	(void)state;
	const double too_far = nextafter(PHYSICS_COORDINATE_MAX, INFINITY);
	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < 3; k++) {
			EXPECT_BAD(segments[i].x1, not_finite[k], DEF_SEGMENT_X1, i);
			EXPECT_BAD(segments[i].surface_speed, not_finite[k], DEF_SEGMENT_SURFACE_SPEED, i);
			EXPECT_BAD(segments[i].y1, not_finite[k], DEF_SEGMENT_Y1, i);
			EXPECT_BAD(segments[i].x2, not_finite[k], DEF_SEGMENT_X2, i);
			EXPECT_BAD(segments[i].y2, not_finite[k], DEF_SEGMENT_Y2, i);
			EXPECT_BAD(segments[i].restitution, not_finite[k], DEF_SEGMENT_RESTITUTION, i);
			EXPECT_BAD(segments[i].radius, not_finite[k], DEF_SEGMENT_RADIUS, i);
		}
		EXPECT_BAD(segments[i].x1, too_far, DEF_SEGMENT_X1, i);
		EXPECT_BAD(segments[i].y1, -too_far, DEF_SEGMENT_Y1, i);
		EXPECT_BAD(segments[i].x2, -too_far, DEF_SEGMENT_X2, i);
		EXPECT_BAD(segments[i].y2, too_far, DEF_SEGMENT_Y2, i);
		EXPECT_BAD(segments[i].restitution, -0.01, DEF_SEGMENT_RESTITUTION, i);
		EXPECT_BAD(segments[i].restitution, 1.01, DEF_SEGMENT_RESTITUTION, i);
		EXPECT_BAD(segments[i].radius, -1, DEF_SEGMENT_RADIUS, i);
		EXPECT_BAD(segments[i].radius, 0.99e-9, DEF_SEGMENT_RADIUS, i);
		EXPECT_BAD(segments[i].radius, 1.01e9, DEF_SEGMENT_RADIUS, i);
	}
	EXPECT_BAD(segments[1].id, 0, DEF_SEGMENT_ID, 1);
	/* Two equal points: the second end is what fails to differ; x2 is the first of its fields. */
	EXPECT_BAD(segments[0].x2, 0, DEF_SEGMENT_X2, 0);
}

/* Fields are checked in the order of enum def_field. */
/* A number of a definition, and what it may be. */
struct limited {
	size_t offset;
	double least, most;
	enum def_field field;
	bool or_zero;
};

static void
limit_check(const struct limited *limited, enum status (*create)(size_t offset, double value, struct def_problem *problem))
{
	const double good[] = { limited->least, limited->most, nextafter(limited->least, limited->most),
		                    nextafter(limited->most, limited->least) };
	const double bad[] = { nextafter(limited->least, -INFINITY), nextafter(limited->most, INFINITY), -INFINITY, INFINITY, NAN };
	struct def_problem problem;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		if (create(limited->offset, good[i], &problem) != STATUS_OK)
			fail_msg("%.17g is refused: %s", good[i], problem.text);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (create(limited->offset, bad[i], &problem) != STATUS_INVALID_ARGUMENT)
			fail_msg("field %d: %.17g is accepted", (int)limited->field, bad[i]);
		assert_int_equal(problem.field, limited->field);
	}
	assert_int_equal(create(limited->offset, 0, &problem), limited->or_zero ? STATUS_OK : STATUS_INVALID_ARGUMENT);
}

static enum status
scenario_create(struct scenario *scenario, struct def_problem *problem)
{
	struct world *world;
	const enum status status = world_create(scenario_def(scenario), problem, &world);
	if (status == STATUS_OK)
		world_destroy(world);
	scenario_finish(scenario);
	return status;
}

static void
number_put(void *definition, size_t offset, double value)
{
	memcpy((char *)definition + offset, &value, sizeof value);
}

static enum status
create_with_world(size_t offset, double value, struct def_problem *problem)
{
	struct scenario scenario;
	good_scenario(&scenario);
	number_put(&scenario.def, offset, value);
	return scenario_create(&scenario, problem);
}

static enum status
create_with_circle(size_t offset, double value, struct def_problem *problem)
{
	struct scenario scenario;
	good_scenario(&scenario);
	scenario.circles[0].friction = 0.5;
	number_put(&scenario.circles[0], offset, value);
	return scenario_create(&scenario, problem);
}

static enum status
create_with_segment(size_t offset, double value, struct def_problem *problem)
{
	struct scenario scenario;
	good_scenario(&scenario);
	/* None of its numbers makes it a point. */
	scenario.segments[1].x1 = 1;
	scenario.segments[1].y1 = 21;
	number_put(&scenario.segments[1], offset, value);
	return scenario_create(&scenario, problem);
}

/* Each number at both of its limits and a bit beyond them, by the limits of the header. */
static void
test_each_number_at_its_limits(void **state)
{
	(void)state;
	const double far = PHYSICS_COORDINATE_MAX, fast = PHYSICS_SPEED_MAX;
	const struct limited of_world[] = {
		{ offsetof(struct world_def, gravity_x), -far, far, DEF_WORLD_GRAVITY_X, true },
		{ offsetof(struct world_def, gravity_y), -far, far, DEF_WORLD_GRAVITY_Y, true },
		{ offsetof(struct world_def, restitution_threshold), 0, fast, DEF_WORLD_RESTITUTION_THRESHOLD, true },
		{ offsetof(struct world_def, sleep_after), 0, PHYSICS_SLEEP_AFTER_MAX, DEF_WORLD_SLEEP_AFTER, true },
		{ offsetof(struct world_def, speed_max), 0, fast, DEF_WORLD_SPEED_MAX, true },
		{ offsetof(struct world_def, hit_speed), 0, fast, DEF_WORLD_HIT_SPEED, true },
	};
	const struct limited of_circle[] = {
		{ offsetof(struct circle_def, x), -far, far, DEF_CIRCLE_X, true },
		{ offsetof(struct circle_def, y), -far, far, DEF_CIRCLE_Y, true },
		{ offsetof(struct circle_def, vx), -fast, fast, DEF_CIRCLE_VX, true },
		{ offsetof(struct circle_def, vy), -fast, fast, DEF_CIRCLE_VY, true },
		{ offsetof(struct circle_def, radius), PHYSICS_RADIUS_MIN, PHYSICS_RADIUS_MAX, DEF_CIRCLE_RADIUS, false },
		{ offsetof(struct circle_def, mass), PHYSICS_MASS_MIN, PHYSICS_MASS_MAX, DEF_CIRCLE_MASS, false },
		{ offsetof(struct circle_def, restitution), 0, 1, DEF_CIRCLE_RESTITUTION, true },
		{ offsetof(struct circle_def, friction), 0, PHYSICS_FRICTION_MAX, DEF_CIRCLE_FRICTION, true },
		{ offsetof(struct circle_def, rolling_resistance), 0, PHYSICS_FRICTION_MAX, DEF_CIRCLE_ROLLING_RESISTANCE, true },
		{ offsetof(struct circle_def, angle), -far, far, DEF_CIRCLE_ANGLE, true },
		{ offsetof(struct circle_def, angular_velocity), -fast, fast, DEF_CIRCLE_ANGULAR_VELOCITY, true },
		{ offsetof(struct circle_def, moment_of_inertia), PHYSICS_INERTIA_MIN, PHYSICS_INERTIA_MAX,
		  DEF_CIRCLE_MOMENT_OF_INERTIA, true },
		{ offsetof(struct circle_def, surface_speed), -fast, fast, DEF_CIRCLE_SURFACE_SPEED, true },
		{ offsetof(struct circle_def, linear_damping), 0, PHYSICS_DAMPING_MAX, DEF_CIRCLE_LINEAR_DAMPING, true },
		{ offsetof(struct circle_def, angular_damping), 0, PHYSICS_DAMPING_MAX, DEF_CIRCLE_ANGULAR_DAMPING, true },
		{ offsetof(struct circle_def, gravity_scale), -PHYSICS_GRAVITY_SCALE_MAX, PHYSICS_GRAVITY_SCALE_MAX,
		  DEF_CIRCLE_GRAVITY_SCALE, true },
	};
	const struct limited of_segment[] = {
		{ offsetof(struct segment_def, x1), -far, far, DEF_SEGMENT_X1, true },
		{ offsetof(struct segment_def, y1), -far, far, DEF_SEGMENT_Y1, true },
		{ offsetof(struct segment_def, x2), -far, far, DEF_SEGMENT_X2, true },
		{ offsetof(struct segment_def, y2), -far, far, DEF_SEGMENT_Y2, true },
		{ offsetof(struct segment_def, restitution), 0, 1, DEF_SEGMENT_RESTITUTION, true },
		{ offsetof(struct segment_def, friction), 0, PHYSICS_FRICTION_MAX, DEF_SEGMENT_FRICTION, true },
		{ offsetof(struct segment_def, rolling_resistance), 0, PHYSICS_FRICTION_MAX, DEF_SEGMENT_ROLLING_RESISTANCE, true },
		{ offsetof(struct segment_def, surface_speed), -fast, fast, DEF_SEGMENT_SURFACE_SPEED, true },
		{ offsetof(struct segment_def, radius), PHYSICS_RADIUS_MIN, PHYSICS_RADIUS_MAX, DEF_SEGMENT_RADIUS, true },
		{ offsetof(struct segment_def, vx), -fast, fast, DEF_SEGMENT_VX, true },
		{ offsetof(struct segment_def, vy), -fast, fast, DEF_SEGMENT_VY, true },
	};
	for (size_t i = 0; i < sizeof of_world / sizeof *of_world; i++)
		limit_check(&of_world[i], create_with_world);
	for (size_t i = 0; i < sizeof of_circle / sizeof *of_circle; i++)
		limit_check(&of_circle[i], create_with_circle);
	for (size_t i = 0; i < sizeof of_segment / sizeof *of_segment; i++)
		limit_check(&of_segment[i], create_with_segment);
	/* Whole numbers. */
	EXPECT_BAD(circles[1].group, PHYSICS_GROUPS, DEF_CIRCLE_GROUP, 1);
	EXPECT_BAD(segments[1].group, PHYSICS_GROUPS, DEF_SEGMENT_GROUP, 1);
	EXPECT_BAD(def.work_per_tick_max, 0, DEF_WORLD_WORK_PER_TICK_MAX, 0);
	EXPECT_BAD(def.work_per_tick_max, PHYSICS_WORK_PER_TICK_MOST + 1, DEF_WORLD_WORK_PER_TICK_MAX, 0);
	EXPECT_BAD(def.work_per_body_max, 0, DEF_WORLD_WORK_PER_BODY_MAX, 0);
	EXPECT_BAD(def.work_per_body_max, PHYSICS_WORK_PER_BODY_MOST + 1, DEF_WORLD_WORK_PER_BODY_MAX, 0);
	EXPECT_BAD(def.events_per_body_max, 1000001, DEF_WORLD_EVENTS_PER_BODY_MAX, 0);
	struct scenario scenario;
	struct def_problem problem;
	good_scenario(&scenario);
	scenario.circles[0].group = scenario.segments[0].group = PHYSICS_GROUPS - 1;
	scenario.def.work_per_tick_max = PHYSICS_WORK_PER_TICK_MOST;
	scenario.def.work_per_body_max = PHYSICS_WORK_PER_BODY_MOST;
	assert_int_equal(scenario_create(&scenario, &problem), STATUS_OK);
}

static void
test_the_first_problem_is_the_one_told(void **state)
{
	(void)state;
	struct scenario scenario;
	good_scenario(&scenario);
	scenario.circles[0].mass = 0;
	scenario.circles[0].x = NAN;
	scenario.segments[0].x1 = NAN;
	expect_problem(&scenario, DEF_CIRCLE_X, 0, __LINE__);
	good_scenario(&scenario);
	scenario.segments[0].x1 = NAN;
	scenario.def.gravity_y = NAN;
	scenario.circles[1].x = NAN;
	expect_problem(&scenario, DEF_WORLD_GRAVITY_Y, 0, __LINE__);
	good_scenario(&scenario);
	scenario.circles[0].radius = 0;
	scenario.circles[1].radius = 0;
	expect_problem(&scenario, DEF_CIRCLE_RADIUS, 0, __LINE__);
}

static void
test_bad_dt_changes_nothing(void **state)
{
	(void)state;
	static const double bad[] = { 0, -1, NAN, INFINITY, -INFINITY, PHYSICS_DT_MIN / 2, PHYSICS_DT_MAX * 2 };
	struct scenario scenario;
	good_scenario(&scenario);
	struct run run;
	run_start_uncertified(&run, &scenario);
	const uint64_t hash = world_hash(run.world);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct tick_report report;
		assert_int_equal(world_step(run.world, bad[i], &report), STATUS_INVALID_ARGUMENT);
		assert_int_equal(world_tick(run.world), 0);
		assert_true(world_hash(run.world) == hash);
	}
	run_ticks(&run, PHYSICS_DT_MIN, 1);
	run_ticks(&run, 1, 1);
	assert_double_near(run_body(&run, 0).x, 1, 1e-8);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* 100 hits a tick fit into 100 contacts, and not into 99. */
static void
test_more_contacts_than_allowed_end_the_world(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_segment(&scenario, 0, -50, 0, 50);
	scenario_segment(&scenario, 3, -50, 3, 50);
	scenario_circle(&scenario, 1.5, 0, 100, 0, 1);
	for (size_t allowed = 99; allowed <= 101; allowed++) {
		scenario.def.contacts_per_tick_max = allowed;
		struct run run;
		run_start_uncertified(&run, &scenario);
		struct tick_report report;
		assert_int_equal(world_step(run.world, 1, &report), allowed < 100 ? STATUS_RESOURCE_EXHAUSTED : STATUS_OK);
		run_abandon(&run);
	}
	scenario_finish(&scenario);
}

/* Bodies are told in ascending order of id whatever the order of definition, in rows and in columns. */
static void
test_bodies_are_told_in_the_order_of_ids(void **state)
{
	(void)state;
	static const uint32_t ids[] = { 7, 4000000000u, 3, 0, 12 };
	struct scenario scenario;
	scenario_init(&scenario);
	for (size_t i = 0; i < 5; i++)
		scenario_circle(&scenario, 10.0 * ids[i], 1, 2, 3, 1)->id = ids[i];
	scenario.circles[2].kind = BODY_KINEMATIC;
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 1, 1);
	uint32_t id[5];
	double x[5], y[5], vx[5], vy[5];
	world_copy_bodies(run.world, id, x, y, vx, vy);
	world_copy_bodies(run.world, NULL, NULL, NULL, NULL, NULL);
	assert_int_equal(world_body_count(run.world), 5);
	static const uint32_t sorted[] = { 0, 3, 7, 12, 4000000000u };
	for (size_t i = 0; i < 5; i++) {
		const struct body_state body = world_body(run.world, i);
		assert_int_equal(body.id, sorted[i]);
		assert_int_equal(id[i], sorted[i]);
		assert_same(x[i], 10.0 * sorted[i] + 2);
		assert_same(body.x, x[i]);
		assert_same(y[i], 4);
		assert_same(vx[i], 2);
		assert_same(vy[i], 3);
		assert_int_equal(body.kind, sorted[i] == 3 ? BODY_KINEMATIC : BODY_DYNAMIC);
	}
	assert_true(world_memory_bytes(run.world) > 5 * 40);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Some of them, into bytes at odd addresses, and nothing beside. */
static void
test_bodies_are_written_anywhere(void **state)
{
	(void)state;
	enum { FIRST = 1, COUNT = 3, COLUMN = 8 * COUNT };
	struct scenario scenario;
	scenario_init(&scenario);
	for (size_t i = 0; i < 5; i++) {
		struct circle_def *circle = scenario_circle(&scenario, 10.0 * (double)i, 1, 2, 3, 1);
		circle->angle = 0.25 * (double)i;
		circle->angular_velocity = 1;
		circle->friction = 0.5;
	}
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 1, 1);
	unsigned char bytes[7 * COLUMN + 2], plain[7 * COLUMN + 2];
	memset(bytes, 0xa5, sizeof bytes);
	memset(plain, 0xa5, sizeof plain);
	unsigned char *const columns = bytes + 1;
	struct body_bytes out = {
		.id = columns,
		.x = columns + COLUMN,
		.y = columns + 2 * COLUMN,
		.vx = columns + 3 * COLUMN,
		.vy = columns + 4 * COLUMN,
	};
	world_write_bodies(run.world, FIRST, COUNT, &out);
	assert_memory_equal(bytes + 1 + 5 * COLUMN, plain, 2 * COLUMN + 1);
	out.angle = bytes + 1 + 5 * COLUMN;
	out.spin = bytes + 1 + 6 * COLUMN;
	world_write_bodies(run.world, FIRST, COUNT, &out);
	for (size_t i = 0; i < COUNT; i++) {
		const struct body_state body = world_body(run.world, FIRST + i);
		memcpy(plain + 1 + 4 * i, &body.id, 4);
		const double values[] = { body.x, body.y, body.vx, body.vy, body.angle, body.angular_velocity };
		for (size_t c = 0; c < 6; c++)
			memcpy(plain + 1 + (c + 1) * COLUMN + 8 * i, &values[c], 8);
	}
	assert_memory_equal(bytes, plain, sizeof bytes);
	world_write_bodies(run.world, 5, 0, &out);
	assert_memory_equal(bytes, plain, sizeof bytes);
	run_finish(&run);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_definitions_are_accepted),
		cmocka_unit_test(test_an_empty_world_steps),
		cmocka_unit_test(test_defaults_are_those_of_the_header),
		cmocka_unit_test(test_bad_world_fields_are_named),
		cmocka_unit_test(test_bad_circle_fields_are_named),
		cmocka_unit_test(test_bad_segment_fields_are_named),
		cmocka_unit_test(test_each_number_at_its_limits),
		cmocka_unit_test(test_the_first_problem_is_the_one_told),
		cmocka_unit_test(test_bad_dt_changes_nothing),
		cmocka_unit_test(test_more_contacts_than_allowed_end_the_world),
		cmocka_unit_test(test_bodies_are_told_in_the_order_of_ids),
		cmocka_unit_test(test_bodies_are_written_anywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
