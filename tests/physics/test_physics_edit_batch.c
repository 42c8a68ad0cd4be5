/* Batches of edits as such. Every field of a definition can be changed, what is wrong is told and leaves no trace, the order
 * means nothing, handles know what is gone. */
#include "physics/living.h"
#include "physics/scenario.h"
#include "physics/state/edit.h"

#include <stdlib.h>
#include <string.h>

static struct circle_def
circle_at(uint32_t id, double x)
{
	struct circle_def circle = circle_def_default();
	circle.id = id;
	circle.x = x;
	circle.radius = 0.5;
	return circle;
}

/* Circles 10, 20 (static), 30 (kinematic), 40; segments 10, 20. */
static void
few(struct living *living)
{
	struct scenario scenario;
	scenario_init(&scenario);
	for (uint32_t i = 0; i < 4; i++)
		scenario_circle(&scenario, 3 * i, 0, 0, 0, 0.5)->id = 10 * (i + 1);
	scenario.circles[1].kind = BODY_STATIC;
	scenario.circles[2].kind = BODY_KINEMATIC;
	scenario_segment(&scenario, -5, -2, 20, -2)->id = 10;
	scenario_segment(&scenario, -5, -3, 20, -3)->id = 20;
	living_start(living, scenario_def(&scenario), false, 4);
	scenario_finish(&scenario);
}

/* A value that a field may have, and does not. */
static struct circle_def
circle_other(void)
{
	struct circle_def other = circle_def_default();
	other.kind = BODY_KINEMATIC;
	other.x = 100;
	other.y = 101;
	other.vx = 1;
	other.vy = 2;
	other.radius = 0.75;
	other.mass = 4;
	other.restitution = 0.25;
	other.friction = 0.125;
	other.rolling_resistance = 0.0625;
	other.angle = 3;
	other.angular_velocity = 5;
	other.moment_of_inertia = 8;
	other.surface_speed = 6;
	other.linear_damping = 0.5;
	other.angular_damping = 0.375;
	other.gravity_scale = 2;
	other.response = RESPONSE_STOP;
	other.category = 2;
	other.mask = 3;
	other.sensor = true;
	other.filter_group = -3;
	other.group = 63;
	other.stop_groups = UINT64_C(1) << 63;
	other.remove_groups = 6;
	other.report_groups = 8;
	other.lifetime_ticks = 1000;
	other.lifetime_s = 0.375;
	other.ignore = IGNORE_ALWAYS;
	other.ignored_circle = 20;
	other.tag = UINT64_C(0xfedcba9876543210);
	return other;
}

static struct segment_def
segment_other(void)
{
	struct segment_def other = segment_def_default();
	other.x1 = -6;
	other.y1 = -7;
	other.x2 = 21;
	other.y2 = -8;
	other.restitution = 0.25;
	other.friction = 0.125;
	other.rolling_resistance = 0.0625;
	other.surface_speed = 6;
	other.category = 2;
	other.mask = 3;
	other.sensor = true;
	other.radius = 0.0625;
	other.one_sided = true;
	other.filter_group = -3;
	other.group = 63;
	other.vx = 2;
	other.vy = -0.5;
	other.disabled = true;
	return other;
}

/* One field after the other is changed, and is then what was asked, and no other is. */
static void
test_every_field_of_a_circle(void **state)
{
	(void)state;
	for (enum def_field field = DEF_CIRCLE_KIND; field < DEF_SEGMENT_ID; field++) {
		struct living living;
		few(&living);
		struct circle_def other = circle_other();
		other.id = 10;
		const struct circle_def before = world_circle(living.world, 0);
		const struct edit edit = edit_circle_change(&other, edit_field(field));
		living_edited(&living, &edit, 1);
		const struct circle_def now = world_circle(living.world, 0);
		if (circle_fields_differing(&before, &now) == 0)
			fail_msg("field %d of a circle did not change", (int)field);
		/* Once more with all: what was asked for is there already. */
		struct circle_def all = before;
		switch ((int)field) {
		case DEF_CIRCLE_KIND: all.kind = other.kind; break;
		case DEF_CIRCLE_X: all.x = other.x; break;
		case DEF_CIRCLE_Y: all.y = other.y; break;
		case DEF_CIRCLE_VX: all.vx = other.vx; break;
		case DEF_CIRCLE_VY: all.vy = other.vy; break;
		case DEF_CIRCLE_RADIUS: all.radius = other.radius; break;
		case DEF_CIRCLE_MASS: all.mass = other.mass; break;
		case DEF_CIRCLE_RESTITUTION: all.restitution = other.restitution; break;
		case DEF_CIRCLE_FRICTION: all.friction = other.friction; break;
		case DEF_CIRCLE_ROLLING_RESISTANCE: all.rolling_resistance = other.rolling_resistance; break;
		case DEF_CIRCLE_ANGLE: all.angle = other.angle; break;
		case DEF_CIRCLE_ANGULAR_VELOCITY: all.angular_velocity = other.angular_velocity; break;
		case DEF_CIRCLE_MOMENT_OF_INERTIA: all.moment_of_inertia = other.moment_of_inertia; break;
		case DEF_CIRCLE_SURFACE_SPEED: all.surface_speed = other.surface_speed; break;
		case DEF_CIRCLE_LINEAR_DAMPING: all.linear_damping = other.linear_damping; break;
		case DEF_CIRCLE_ANGULAR_DAMPING: all.angular_damping = other.angular_damping; break;
		case DEF_CIRCLE_GRAVITY_SCALE: all.gravity_scale = other.gravity_scale; break;
		case DEF_CIRCLE_RESPONSE: all.response = other.response; break;
		case DEF_CIRCLE_CATEGORY: all.category = other.category; break;
		case DEF_CIRCLE_MASK: all.mask = other.mask; break;
		case DEF_CIRCLE_SENSOR: all.sensor = other.sensor; break;
		case DEF_CIRCLE_FILTER_GROUP: all.filter_group = other.filter_group; break;
		case DEF_CIRCLE_GROUP: all.group = other.group; break;
		case DEF_CIRCLE_STOP_GROUPS: all.stop_groups = other.stop_groups; break;
		case DEF_CIRCLE_REMOVE_GROUPS: all.remove_groups = other.remove_groups; break;
		case DEF_CIRCLE_REPORT_GROUPS: all.report_groups = other.report_groups; break;
		case DEF_CIRCLE_LIFETIME_TICKS: all.lifetime_ticks = other.lifetime_ticks; break;
		case DEF_CIRCLE_LIFETIME_S: all.lifetime_s = other.lifetime_s; break;
		case DEF_CIRCLE_IGNORE: all.ignore = other.ignore; break;
		case DEF_CIRCLE_IGNORED_CIRCLE: all.ignored_circle = other.ignored_circle; break;
		case DEF_CIRCLE_TAG: all.tag = other.tag; break;
		default: living_finish(&living); continue; /* a later field: that it changes is enough */
		}
		/* The moment of inertia follows these, as a disc's. */
		if (field == DEF_CIRCLE_MASS || field == DEF_CIRCLE_RADIUS)
			all.moment_of_inertia = 0.5 * all.mass * all.radius * all.radius;
		if (field == DEF_CIRCLE_KIND)
			all.moment_of_inertia = 0;
		assert_double_near(now.moment_of_inertia, all.moment_of_inertia, 1e-15);
		all.moment_of_inertia = now.moment_of_inertia;
		assert_true(circle_fields_differing(&all, &now) == 0);
		living_step(&living, 1.0 / 60);
		living_finish(&living);
	}
}

static void
test_every_field_of_a_segment(void **state)
{
	(void)state;
	for (enum def_field field = DEF_SEGMENT_X1; field < DEF_RELATION_GROUP_A; field++) {
		struct living living;
		few(&living);
		struct segment_def other = segment_other();
		other.id = 10;
		const struct segment_def before = world_segment(living.world, 0);
		const struct edit edit = edit_segment_change(&other, edit_field(field));
		living_edited(&living, &edit, 1);
		const struct segment_def now = world_segment(living.world, 0);
		if (segment_fields_differing(&before, &now) == 0)
			fail_msg("field %d of a segment did not change", (int)field);
		/* Changed back it is what it was. */
		const struct edit back = edit_segment_change(&before, edit_field(field));
		living_edited(&living, &back, 1);
		const struct segment_def again = world_segment(living.world, 0);
		assert_true(segment_fields_differing(&before, &again) == 0);
		living_step(&living, 1.0 / 60);
		living_finish(&living);
	}
}

static void
refused(struct living *living, const struct edit *edits, size_t count, size_t index, enum def_field field, const char *text)
{
	struct def_problem problem = { .index = 99 };
	assert_int_equal(living_edit(living, edits, count, &problem), STATUS_INVALID_ARGUMENT);
	assert_string_equal(problem.text, text);
	assert_int_equal(problem.index, index);
	assert_int_equal(problem.field, field);
}

/* Each of these comes behind an edit that is right, which must not be made either: living_edit compares every byte. */
static void
test_what_is_wrong_is_told_and_leaves_no_trace(void **state)
{
	(void)state;
	struct living living;
	few(&living);
	struct circle_def circle = circle_at(50, 20), wrong = circle_at(60, 30);
	struct segment_def segment = segment_def_default();
	segment.id = 30;
	struct edit edits[4] = { edit_circle_spawn(&circle) };

	wrong.radius = 0;
	edits[1] = edit_circle_spawn(&wrong);
	refused(&living, edits, 2, 1, DEF_CIRCLE_RADIUS, "must be greater than 0");
	edits[1] = edit_segment_spawn(&segment);
	refused(&living, edits, 2, 1, DEF_SEGMENT_X2, "must not be the first point: a segment needs a length");
	edits[1] = edit_circle_remove(11);
	refused(&living, edits, 2, 1, DEF_CIRCLE_ID, "must be that of one that exists");
	edits[1] = edit_segment_remove(11);
	refused(&living, edits, 2, 1, DEF_SEGMENT_ID, "must be that of one that exists");
	wrong = circle_at(10, 0);
	edits[1] = edit_circle_spawn(&wrong);
	refused(&living, edits, 2, 1, DEF_CIRCLE_ID, "must be unique");
	edits[1] = edits[0];
	refused(&living, edits, 2, 1, DEF_CIRCLE_ID, "must be unique");
	edits[1] = edits[2] = edit_circle_remove(10);
	refused(&living, edits, 3, 2, DEF_CIRCLE_ID, "is removed already");
	edits[2] = edit_circle_change(&wrong, edit_field(DEF_CIRCLE_VX));
	refused(&living, edits, 3, 2, DEF_CIRCLE_ID, "must not be of one that this batch spawns or removes");
	edits[1] = edit_circle_change(&circle, edit_field(DEF_CIRCLE_VX));
	refused(&living, edits, 2, 1, DEF_CIRCLE_ID, "must be that of one that exists");
	wrong.vx = 1e13;
	edits[1] = edit_circle_change(&wrong, edit_field(DEF_CIRCLE_VY));
	edits[2] = edit_circle_change(&wrong, edit_field(DEF_CIRCLE_VX));
	refused(&living, edits, 3, 2, DEF_CIRCLE_VX, "must be a finite number of magnitude at most 1e12");
	edits[2] = edits[1];
	refused(&living, edits, 3, 2, DEF_CIRCLE_ID, "has two changes of one field in this batch");
	edits[1] = edit_circle_change(&wrong, 1);
	refused(&living, edits, 2, 1, DEF_CIRCLE_ID, "cannot change, nor can what has no name");
	edits[1] = edit_circle_change(&wrong, UINT64_C(1) << 63);
	refused(&living, edits, 2, 1, DEF_CIRCLE_ID, "cannot change, nor can what has no name");
	wrong = circle_at(20, 3);
	wrong.vx = 1;
	edits[1] = edit_circle_change(&wrong, edit_field(DEF_CIRCLE_VX));
	refused(&living, edits, 2, 1, DEF_CIRCLE_VX, "must be 0: the circle is static");
	edits[1] = edit_circle_change(&wrong, edit_field(DEF_CIRCLE_KIND));
	refused(&living, edits, 2, 1, DEF_CIRCLE_MASS, "must be given: the circle had none");
	edits[1] = edit_circle_remove(10);
	edits[1].kind = (enum edit_kind)17;
	refused(&living, edits, 2, 1, DEF_FIELD_COUNT, "must be one of the named kinds");
	edits[1] = edit_circle_remove(10);
	edits[1].exact = true;
	edits[1].generation = 1;
	refused(&living, edits, 2, 1, DEF_CIRCLE_ID, "is another's by now: the handle is stale");
	assert_int_equal(living.refused, 17);
	assert_int_equal(living.edits, 0);
	living_finish(&living);
}

/* As many in one place as a scene may not begin with either. */
static void
test_too_many_in_one_place(void **state)
{
	(void)state;
	struct living living;
	struct def_problem problem;
	static struct edit edits[200];
	few(&living);
	for (uint32_t i = 0; i < 200; i++) {
		const struct circle_def circle = circle_at(100 + i, 50 + 0.001 * i);
		edits[i] = edit_circle_spawn(&circle);
	}
	assert_int_equal(living_edit(&living, edits, 200, &problem), STATUS_RESOURCE_EXHAUSTED);
	assert_int_equal(world_body_count(living.world), 4);
	living_edited(&living, edits, 50);
	assert_int_equal(world_body_count(living.world), 54);
	living_step(&living, 1.0 / 60);
	living_finish(&living);
}

static void
test_handles_know_who_has_gone(void **state)
{
	(void)state;
	struct living living;
	size_t index = 99;
	few(&living);
	const struct body_handle first = world_body_handle(living.world, 0);
	const struct segment_handle wall = world_segment_handle(living.world, 1);
	assert_true(world_body_of(living.world, first, &index));
	assert_int_equal(index, 0);
	assert_true(world_segment_of(living.world, wall, &index));
	assert_int_equal(index, 1);
	assert_false(world_body_find(living.world, 11, &index));
	assert_false(world_segment_find(living.world, 0, &index));

	/* Replaced in one batch, with others before it. */
	const struct circle_def again = circle_at(10, 40), before = circle_at(5, 50);
	const struct segment_def same = world_segment(living.world, 1);
	const struct edit edits[] = { edit_circle_spawn(&again), edit_circle_spawn(&before), edit_circle_remove(10),
		                          edit_segment_remove(20), edit_segment_spawn(&same) };
	living_edited(&living, edits, 5);
	index = 99;
	assert_false(world_body_of(living.world, first, &index));
	assert_false(world_segment_of(living.world, wall, &index));
	assert_int_equal(index, 99);
	assert_true(world_body_find(living.world, 10, &index));
	assert_int_equal(index, 1);
	const struct body_handle second = world_body_handle(living.world, index);
	assert_int_equal(second.id, first.id);
	assert_true(second.generation != first.generation);

	/* In the twin, which was restored or edited beside, it means the same. */
	assert_true(world_body_of(living.twin, second, &index));
	assert_false(world_body_of(living.twin, first, &index));

	/* Those that stay keep theirs; an exact edit finds them, and only them. */
	struct edit exact = edit_circle_remove(10);
	exact.exact = true;
	exact.generation = first.generation;
	refused(&living, &exact, 1, 0, DEF_CIRCLE_ID, "is another's by now: the handle is stale");
	exact.generation = second.generation;
	living_edited(&living, &exact, 1);
	assert_false(world_body_of(living.world, second, &index));
	assert_true(world_body_of(living.world, (struct body_handle){ .id = 40, .generation = 0 }, &index));
	assert_int_equal(world_body(living.world, index).id, 40);
	living_finish(&living);
}

/* Changes of different fields come from different hands; and one to what is there already changes not one bit. */
static void
test_changes_of_one_circle_are_merged(void **state)
{
	(void)state;
	struct living living;
	few(&living);
	struct circle_def circle = circle_at(10, 0);
	circle.vx = 3;
	circle.vy = 4;
	circle.angular_velocity = 1;
	const struct edit edits[] = { edit_circle_change(&circle, edit_field(DEF_CIRCLE_VX)),
		                          edit_circle_change(&circle, edit_field(DEF_CIRCLE_VY)),
		                          edit_circle_change(&circle, edit_field(DEF_CIRCLE_ANGULAR_VELOCITY)) };
	assert_false(world_turns(living.world));
	living_edited(&living, edits, 3);
	assert_true(world_turns(living.world));
	const struct body_state now = world_body(living.world, 0);
	assert_same(now.vx, 3);
	assert_same(now.vy, 4);
	assert_same(now.angular_velocity, 1);
	const uint64_t hash = world_hash(living.world);
	living_edited(&living, edits, 3);
	assert_true(world_hash(living.world) == hash);
	living_edited(&living, NULL, 0);
	assert_true(world_hash(living.world) == hash);
	living_finish(&living);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_field_of_a_circle),
		cmocka_unit_test(test_every_field_of_a_segment),
		cmocka_unit_test(test_what_is_wrong_is_told_and_leaves_no_trace),
		cmocka_unit_test(test_too_many_in_one_place),
		cmocka_unit_test(test_handles_know_who_has_gone),
		cmocka_unit_test(test_changes_of_one_circle_are_merged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
