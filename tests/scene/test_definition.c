/* Scenes to worlds: the rule of short columns, ids, defaults, and the path of everything that can be wrong. */
#include "scene/good_scene.h"

#include "support/assert_double.h"

#include "scene/limits.h"
#include "scene/scene.h"

#include <stdlib.h>

static void
test_empty_and_single_columns(void **state)
{
	struct fixture *f = *state;

	def_make(f);
	assert_int_equal(f->def.circle_count, ROWS + 2);
	for (size_t i = 0; i < ROWS; i++) {
		const struct circle_def *circle = &f->def.circles[i];

		assert_int_equal(circle->id, i);
		assert_int_equal(circle->kind, BODY_DYNAMIC);
		assert_double_same_bits(circle->x, 10.0 * (double)i);
		assert_double_same_bits(circle->y, 1);
		assert_double_same_bits(circle->vx, 0);
		assert_double_same_bits(circle->radius, 0.5);
		assert_double_same_bits(circle->mass, 1);
		assert_double_same_bits(circle->restitution, 1);
		assert_int_equal(circle->category, 1);
		assert_int_equal(circle->mask, UINT32_MAX);
	}
	assert_int_equal(f->def.segment_count, 3);
	assert_double_same_bits(f->def.segments[1].y2, -11);
	assert_double_same_bits(f->def.segments[1].x2, 100);
	assert_double_same_bits(f->def.segments[1].restitution, 1);
	assert_accepted(f);
}

static void
test_full_columns(void **state)
{
	struct fixture *f = *state;
	Collide__V1__CircleColumns *c = &f->circle_columns;
	Collide__V1__SegmentColumns *s = &f->segment_columns;

	f->scene.n_circles = 0;
	f->scene.n_segments = 0;
	f->vx[2] = 3;
	f->vy[2] = 4;
	f->kind[3] = COLLIDE__V1__BODY_KIND__BODY_KIND_STATIC;
	f->kind[1] = COLLIDE__V1__BODY_KIND__BODY_KIND_KINEMATIC;
	c->count = ROWS;
	c->n_id = ROWS, c->id = f->id;
	c->n_y = ROWS;
	c->n_vx = ROWS, c->vx = f->vx;
	c->n_vy = ROWS, c->vy = f->vy;
	c->n_radius = ROWS;
	c->n_mass = ROWS, c->mass = f->mass;
	c->n_restitution = ROWS, c->restitution = f->restitution;
	c->n_kind = ROWS, c->kind = f->kind;
	c->n_category = ROWS, c->category = f->category;
	c->n_mask = ROWS, c->mask = f->mask;
	s->count = 2;
	s->n_id = 2, s->id = f->segment_id;
	s->n_restitution = 2, s->restitution = f->segment_restitution;
	def_make(f);
	assert_int_equal(f->def.circle_count, ROWS);
	assert_int_equal(f->def.circles[2].id, 38);
	assert_double_same_bits(f->def.circles[2].vx, 3);
	assert_double_same_bits(f->def.circles[2].vy, 4);
	assert_double_same_bits(f->def.circles[2].mass, 2);
	assert_double_same_bits(f->def.circles[2].restitution, 0.25);
	assert_int_equal(f->def.circles[2].category, 2);
	assert_int_equal(f->def.circles[2].mask, 3);
	assert_int_equal(f->def.circles[1].kind, BODY_KINEMATIC);
	assert_int_equal(f->def.circles[3].kind, BODY_STATIC);
	assert_int_equal(f->def.segments[1].id, 8);
	assert_double_same_bits(f->def.segments[1].restitution, 0.5);
	assert_accepted(f);
}

/* Every column about turning, with different values, and the same fields by hand. */
static void
test_turning(void **state)
{
	struct fixture *f = *state;
	Collide__V1__CircleColumns *c = &f->circle_columns;
	Collide__V1__SegmentColumns *s = &f->segment_columns;
	Collide__V1__Circle *circle = &f->circles[1];
	double friction[ROWS], rolling[ROWS], angle[ROWS], spin[ROWS], inertia[ROWS], wall_friction[] = { 0.5 },
																				  wall_rolling[] = { 6, 7 };

	for (size_t i = 0; i < ROWS; i++) {
		friction[i] = 0.1 * (double)i, rolling[i] = 10 + (double)i, angle[i] = -20 - (double)i;
		spin[i] = 30 + (double)i, inertia[i] = 40 + (double)i;
	}
	c->n_friction = c->n_rolling_resistance = c->n_angle = c->n_angular_velocity = c->n_moment_of_inertia = ROWS;
	c->friction = friction, c->rolling_resistance = rolling, c->angle = angle;
	c->angular_velocity = spin, c->moment_of_inertia = inertia;
	s->n_friction = 1, s->friction = wall_friction;
	s->n_rolling_resistance = 2, s->rolling_resistance = wall_rolling;
	circle->friction = 1, circle->rolling_resistance = 2, circle->angle = 3;
	circle->angular_velocity = 4, circle->moment_of_inertia = 5;
	f->segments[0].friction = 8, f->segments[0].rolling_resistance = 9;
	f->scene.friction_mix = COLLIDE__V1__FRICTION_MIX__FRICTION_MIX_PRODUCT;
	def_make(f);
	for (size_t i = 0; i < ROWS; i++) {
		assert_double_same_bits(f->def.circles[i].friction, friction[i]);
		assert_double_same_bits(f->def.circles[i].rolling_resistance, rolling[i]);
		assert_double_same_bits(f->def.circles[i].angle, angle[i]);
		assert_double_same_bits(f->def.circles[i].angular_velocity, spin[i]);
		assert_double_same_bits(f->def.circles[i].moment_of_inertia, inertia[i]);
	}
	assert_double_same_bits(f->def.circles[ROWS].friction, 0);
	assert_double_same_bits(f->def.circles[ROWS + 1].friction, 1);
	assert_double_same_bits(f->def.circles[ROWS + 1].rolling_resistance, 2);
	assert_double_same_bits(f->def.circles[ROWS + 1].angle, 3);
	assert_double_same_bits(f->def.circles[ROWS + 1].angular_velocity, 4);
	assert_double_same_bits(f->def.circles[ROWS + 1].moment_of_inertia, 5);
	for (size_t i = 0; i < 2; i++) {
		assert_double_same_bits(f->def.segments[i].friction, 0.5);
		assert_double_same_bits(f->def.segments[i].rolling_resistance, wall_rolling[i]);
	}
	assert_double_same_bits(f->def.segments[2].friction, 8);
	assert_double_same_bits(f->def.segments[2].rolling_resistance, 9);
	assert_int_equal(f->def.friction_mix, FRICTION_MIX_PRODUCT);
	assert_accepted(f);
	inertia[2] = -1;
	assert_bad(f, "circle_columns.moment_of_inertia[2]");
}

/* Surfaces, damping, gravity scales and responses, in columns and by hand. */
static void
test_movement(void **state)
{
	struct fixture *f = *state;
	Collide__V1__CircleColumns *c = &f->circle_columns;
	Collide__V1__Circle *circle = &f->circles[1];
	double surface[ROWS], linear[ROWS], angular[ROWS], scale[ROWS], belts[] = { 6, -7 };
	Collide__V1__MovementResponse responses[ROWS];

	for (size_t i = 0; i < ROWS; i++) {
		surface[i] = -0.5 * (double)i, linear[i] = 10 + (double)i, angular[i] = 20 + (double)i;
		scale[i] = (double)i - 1;
		responses[i] = (Collide__V1__MovementResponse)(i % 4);
	}
	c->n_surface_speed = c->n_linear_damping = c->n_angular_damping = c->n_gravity_scale = c->n_response = ROWS;
	c->surface_speed = surface, c->linear_damping = linear, c->angular_damping = angular;
	c->gravity_scale = scale, c->response = responses;
	f->segment_columns.n_surface_speed = 2, f->segment_columns.surface_speed = belts;
	circle->surface_speed = 1, circle->linear_damping = 2, circle->angular_damping = 3;
	circle->response = COLLIDE__V1__MOVEMENT_RESPONSE__MOVEMENT_RESPONSE_STOP;
	f->segments[0].surface_speed = 8;
	f->scene.speed_max = 9;
	def_make(f);
	for (size_t i = 0; i < ROWS; i++) {
		assert_double_same_bits(f->def.circles[i].surface_speed, surface[i]);
		assert_double_same_bits(f->def.circles[i].linear_damping, linear[i]);
		assert_double_same_bits(f->def.circles[i].angular_damping, angular[i]);
		assert_double_same_bits(f->def.circles[i].gravity_scale, scale[i]);
		/* Unspecified is BOUNCE, the wire counts from one. */
		assert_int_equal(f->def.circles[i].response, i % 4 == 0 ? RESPONSE_BOUNCE : i % 4 - 1);
	}
	assert_double_same_bits(f->def.circles[ROWS].gravity_scale, 1);
	assert_double_same_bits(f->def.circles[ROWS + 1].surface_speed, 1);
	assert_double_same_bits(f->def.circles[ROWS + 1].linear_damping, 2);
	assert_double_same_bits(f->def.circles[ROWS + 1].angular_damping, 3);
	assert_double_same_bits(f->def.circles[ROWS + 1].gravity_scale, 1);
	assert_int_equal(f->def.circles[ROWS + 1].response, RESPONSE_STOP);
	assert_double_same_bits(f->def.segments[0].surface_speed, 6);
	assert_double_same_bits(f->def.segments[1].surface_speed, -7);
	assert_double_same_bits(f->def.segments[2].surface_speed, 8);
	assert_double_same_bits(f->def.speed_max, 9);
	assert_accepted(f);
	/* 0 by hand is 0, not the default. */
	circle->optional_gravity_scale_case = COLLIDE__V1__CIRCLE__OPTIONAL_GRAVITY_SCALE_GRAVITY_SCALE;
	def_make(f);
	assert_double_same_bits(f->def.circles[ROWS + 1].gravity_scale, 0);
	circle->gravity_scale = -2e6;
	assert_bad(f, "circles[1].gravity_scale");
	circle->gravity_scale = 0;
	scale[2] = (double)NAN;
	assert_bad(f, "circle_columns.gravity_scale[2]");
	scale[2] = 1;
	belts[1] = 2e12;
	assert_bad(f, "segment_columns.surface_speed[1]");
	belts[1] = 0;
	circle->response = (Collide__V1__MovementResponse)4;
	assert_bad(f, "circles[1].response");
	circle->response = COLLIDE__V1__MOVEMENT_RESPONSE__MOVEMENT_RESPONSE_SLIDE;
	responses[1] = (Collide__V1__MovementResponse)-1;
	assert_bad(f, "circle_columns.response[1]");
	/* One stands for all rows. */
	c->n_response = 1;
	responses[0] = COLLIDE__V1__MOVEMENT_RESPONSE__MOVEMENT_RESPONSE_SLIDE;
	def_make(f);
	assert_int_equal(f->def.circles[ROWS - 1].response, RESPONSE_SLIDE);
}

/* Sensors in columns, of one element for all too, and by hand; and the least speed of a hit. */
static void
test_sensing(void **state)
{
	struct fixture *f = *state;
	protobuf_c_boolean circles[ROWS] = { 0, 1 }, all[] = { 1 };

	f->circle_columns.n_sensor = ROWS, f->circle_columns.sensor = circles;
	f->segment_columns.n_sensor = 1, f->segment_columns.sensor = all;
	f->circles[1].sensor = 1;
	f->scene.hit_speed = 0.5;
	def_make(f);
	for (size_t i = 0; i < ROWS; i++)
		assert_int_equal(f->def.circles[i].sensor, i == 1);
	assert_false(f->def.circles[ROWS].sensor);
	assert_true(f->def.circles[ROWS + 1].sensor);
	assert_true(f->def.segments[0].sensor && f->def.segments[1].sensor);
	assert_false(f->def.segments[2].sensor);
	assert_double_same_bits(f->def.hit_speed, 0.5);
	assert_accepted(f);
	f->scene.hit_speed = -1;
	assert_bad(f, "hit_speed");
	f->scene.hit_speed = 0;
	f->circle_columns.n_sensor = 2;
	assert_bad(f, "circle_columns.sensor");
}

/* Zero means something for these, so presence decides. */
static void
test_hand_written_presence(void **state)
{
	struct fixture *f = *state;
	Collide__V1__Circle *circle = &f->circles[1];

	circle->optional_restitution_case = COLLIDE__V1__CIRCLE__OPTIONAL_RESTITUTION_RESTITUTION;
	circle->optional_mask_case = COLLIDE__V1__CIRCLE__OPTIONAL_MASK_MASK;
	circle->optional_category_case = COLLIDE__V1__CIRCLE__OPTIONAL_CATEGORY_CATEGORY;
	circle->optional_mass_case = COLLIDE__V1__CIRCLE__OPTIONAL_MASS_MASS;
	circle->mass = 5;
	f->segments[0].optional_restitution_case = COLLIDE__V1__SEGMENT__OPTIONAL_RESTITUTION_RESTITUTION;
	f->segments[0].optional_category_case = COLLIDE__V1__SEGMENT__OPTIONAL_CATEGORY_CATEGORY;
	f->segments[0].optional_mask_case = COLLIDE__V1__SEGMENT__OPTIONAL_MASK_MASK;
	def_make(f);
	assert_double_same_bits(f->def.circles[ROWS].restitution, 1);
	assert_double_same_bits(f->def.circles[ROWS].mass, 1);
	assert_int_equal(f->def.circles[ROWS].id, ROWS);
	assert_double_same_bits(f->def.circles[ROWS + 1].restitution, 0);
	assert_double_same_bits(f->def.circles[ROWS + 1].mass, 5);
	assert_int_equal(f->def.circles[ROWS + 1].mask, 0);
	assert_int_equal(f->def.circles[ROWS + 1].category, 0);
	assert_double_same_bits(f->def.segments[2].restitution, 0);
	assert_int_equal(f->def.segments[2].mask, 0);
	assert_int_equal(f->def.segments[2].category, 0);
	assert_int_equal(f->def.segments[2].id, 2);
}

static void
test_column_lengths(void **state)
{
	struct fixture *f = *state;
	Collide__V1__CircleColumns *c = &f->circle_columns;

	c->n_vx = 3, c->vx = f->vx;
	assert_bad(f, "circle_columns.vx");
	assert_non_null(strstr(f->problem.text, "3 elements for 4 rows"));
	c->n_vx = 0;
	c->count = 3;
	assert_bad(f, "circle_columns.x");
	c->count = 5;
	assert_bad(f, "circle_columns.x");
	c->count = ROWS;
	assert_accepted(f);
	c->n_radius = 0;
	assert_bad(f, "circle_columns.radius");
	assert_string_equal(f->problem.text, "is required");
	c->n_radius = 1;
	c->count = 0, c->n_x = 1;
	assert_accepted(f); /* one row */
	c->n_id = 1, c->id = f->id;
	for (size_t i = 0; i < 2; i++) {
		f->circles[i].optional_id_case = COLLIDE__V1__CIRCLE__OPTIONAL_ID_ID;
		f->circles[i].id = (uint32_t)i;
	}
	assert_accepted(f);
	c->n_x = ROWS;
	assert_bad(f, "circle_columns.id");
	c->n_id = 0;
	c->n_x = ROWS;
	f->segment_columns.count = 3;
	f->circles[0].optional_id_case = COLLIDE__V1__CIRCLE__OPTIONAL_ID__NOT_SET;
	f->circles[1].optional_id_case = COLLIDE__V1__CIRCLE__OPTIONAL_ID__NOT_SET;
	assert_bad(f, "segment_columns.y1");
}

/* A count alone is rows of defaults. */
static void
test_count_without_columns(void **state)
{
	struct fixture *f = *state;

	collide__v1__circle_columns__init(&f->circle_columns);
	assert_accepted(f); /* no rows */
	f->circle_columns.count = 3;
	assert_bad(f, "circle_columns.radius");
	f->circle_columns.n_radius = 1, f->circle_columns.radius = f->radius;
	def_make(f);
	assert_int_equal(f->def.circle_count, 5);
	collide__v1__segment_columns__init(&f->segment_columns);
	f->segment_columns.count = 1;
	assert_bad(f, "segment_columns.x2"); /* both ends at the origin */
}

static void
test_ids_all_or_none(void **state)
{
	struct fixture *f = *state;
	Collide__V1__CircleColumns *c = &f->circle_columns;

	f->circles[1].optional_id_case = COLLIDE__V1__CIRCLE__OPTIONAL_ID_ID;
	f->circles[1].id = 100;
	assert_bad(f, "circle_columns.id");
	c->n_id = ROWS, c->id = f->id;
	assert_bad(f, "circles[0].id");
	f->circles[0].optional_id_case = COLLIDE__V1__CIRCLE__OPTIONAL_ID_ID;
	f->circles[0].id = 99;
	assert_accepted(f);
	c->n_id = 0;
	f->scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS__NOT_SET;
	assert_accepted(f); /* without columns the two by hand are all */
	f->circles[1].optional_id_case = COLLIDE__V1__CIRCLE__OPTIONAL_ID__NOT_SET;
	assert_bad(f, "circles[1].id");

	f->circles[0].optional_id_case = COLLIDE__V1__CIRCLE__OPTIONAL_ID__NOT_SET;
	f->segment_columns.n_id = 2, f->segment_columns.id = f->segment_id;
	assert_bad(f, "segments[0].id");
}

static void
test_duplicate_ids(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < 2; i++) {
		f->circles[i].optional_id_case = COLLIDE__V1__CIRCLE__OPTIONAL_ID_ID;
		f->circles[i].id = (uint32_t)i;
	}
	f->circle_columns.n_id = ROWS, f->circle_columns.id = f->id;
	f->id[3] = f->id[1];
	assert_bad(f, "circle_columns.id[3]");
	f->id[3] = 5;
	f->circles[1].id = f->id[2];
	assert_bad(f, "circles[1].id");
	f->circles[1].id = 1;
	f->segment_columns.n_id = 2, f->segment_columns.id = f->segment_id;
	f->segments[0].optional_id_case = COLLIDE__V1__SEGMENT__OPTIONAL_ID_ID;
	f->segments[0].id = 8;
	assert_bad(f, "segments[0].id");
}

/* Every number the engine judges, wrong in each form: the path is what the client wrote. */
static void
test_bad_numbers_by_column(void **state)
{
	struct fixture *f = *state;
	Collide__V1__CircleColumns *c = &f->circle_columns;
	Collide__V1__SegmentColumns *s = &f->segment_columns;
	struct {
		double *values, wrong;
		size_t *count;
		double **column;
		const char *one, *third;
	} cases[] = {
		{ f->x, (double)NAN, &c->n_x, &c->x, "circle_columns.x[0]", "circle_columns.x[2]" },
		{ f->y, 1e13, &c->n_y, &c->y, "circle_columns.y[0]", "circle_columns.y[2]" },
		{ f->vx, (double)INFINITY, &c->n_vx, &c->vx, "circle_columns.vx[0]", "circle_columns.vx[2]" },
		{ f->vy, (double)-INFINITY, &c->n_vy, &c->vy, "circle_columns.vy[0]", "circle_columns.vy[2]" },
		{ f->radius, -1, &c->n_radius, &c->radius, "circle_columns.radius[0]", "circle_columns.radius[2]" },
		{ f->mass, 0, &c->n_mass, &c->mass, "circle_columns.mass[0]", "circle_columns.mass[2]" },
		{ f->restitution, 1.5, &c->n_restitution, &c->restitution, "circle_columns.restitution[0]",
		  "circle_columns.restitution[2]" },
	};

	c->count = ROWS;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		size_t count = *cases[i].count;
		double *column = *cases[i].column, kept = cases[i].values[0];

		*cases[i].column = cases[i].values;
		*cases[i].count = ROWS;
		cases[i].values[2] = cases[i].wrong;
		assert_bad(f, cases[i].third);
		cases[i].values[2] = cases[i].values[1];
		*cases[i].count = 1;
		cases[i].values[0] = cases[i].wrong;
		assert_bad(f, cases[i].one);
		cases[i].values[0] = kept;
		*cases[i].count = count;
		*cases[i].column = column;
	}
	assert_accepted(f);
	f->y2[1] = (double)NAN;
	assert_bad(f, "segment_columns.y2[1]");
	f->y2[1] = f->y1[1];
	f->x2[0] = -100;
	f->y1[0] = f->y2[0];
	assert_bad(f, "segment_columns.x2[0]"); /* no length, the column of one element */
	f->x2[0] = 100;
	s->n_restitution = 2, s->restitution = f->segment_restitution;
	f->segment_restitution[1] = -0.5;
	assert_bad(f, "segment_columns.restitution[1]");
}

static void
test_bad_numbers_by_hand(void **state)
{
	struct fixture *f = *state;
	Collide__V1__Circle *circle = &f->circles[1];
	struct {
		double *value, wrong;
		const char *field;
	} cases[] = {
		{ &circle->x, (double)NAN, "circles[1].x" },
		{ &circle->y, 2e12, "circles[1].y" },
		{ &circle->vx, (double)INFINITY, "circles[1].vx" },
		{ &circle->vy, -2e12, "circles[1].vy" },
		{ &circle->radius, 0, "circles[1].radius" },
		{ &circle->mass, -1, "circles[1].mass" },
		{ &circle->restitution, 2, "circles[1].restitution" },
		{ &circle->friction, -1, "circles[1].friction" },
		{ &circle->rolling_resistance, 1e7, "circles[1].rolling_resistance" },
		{ &circle->angle, (double)INFINITY, "circles[1].angle" },
		{ &circle->angular_velocity, 2e12, "circles[1].angular_velocity" },
		{ &circle->moment_of_inertia, 1e40, "circles[1].moment_of_inertia" },
		{ &circle->surface_speed, -2e12, "circles[1].surface_speed" },
		{ &circle->linear_damping, -1, "circles[1].linear_damping" },
		{ &circle->angular_damping, (double)INFINITY, "circles[1].angular_damping" },
		{ &f->segments[0].surface_speed, (double)NAN, "segments[0].surface_speed" },
		{ &f->scene.speed_max, -1, "speed_max" },
		{ &f->segments[0].x1, (double)NAN, "segments[0].x1" },
		{ &f->segments[0].y1, (double)NAN, "segments[0].y1" },
		{ &f->segments[0].x2, (double)NAN, "segments[0].x2" },
		{ &f->segments[0].y2, 1e300, "segments[0].y2" },
		{ &f->segments[0].restitution, (double)NAN, "segments[0].restitution" },
		{ &f->segments[0].friction, (double)NAN, "segments[0].friction" },
		{ &f->segments[0].rolling_resistance, -1, "segments[0].rolling_resistance" },
		{ &f->segments[0].radius, 1e-10, "segments[0].radius" },
		{ &f->scene.gravity_x, (double)NAN, "gravity_x" },
		{ &f->scene.gravity_y, (double)INFINITY, "gravity_y" },
		{ &f->scene.restitution_threshold, -1, "restitution_threshold" },
	};

	circle->optional_mass_case = COLLIDE__V1__CIRCLE__OPTIONAL_MASS_MASS;
	circle->mass = 1;
	circle->optional_restitution_case = COLLIDE__V1__CIRCLE__OPTIONAL_RESTITUTION_RESTITUTION;
	f->segments[0].optional_restitution_case = COLLIDE__V1__SEGMENT__OPTIONAL_RESTITUTION_RESTITUTION;
	assert_accepted(f);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double kept = *cases[i].value;

		*cases[i].value = cases[i].wrong;
		assert_bad(f, cases[i].field);
		*cases[i].value = kept;
	}
	f->segments[0].x2 = f->segments[0].x1;
	f->segments[0].y2 = f->segments[0].y1;
	assert_bad(f, "segments[0].x2");
}

static void
test_unknown_enums(void **state)
{
	struct fixture *f = *state;

	f->circle_columns.n_kind = ROWS, f->circle_columns.kind = f->kind;
	f->kind[3] = (Collide__V1__BodyKind)4;
	assert_bad(f, "circle_columns.kind[3]");
	assert_string_equal(f->problem.text, "4 is not a BodyKind");
	f->circle_columns.n_kind = 1;
	f->kind[0] = (Collide__V1__BodyKind)-1;
	assert_bad(f, "circle_columns.kind[0]");
	f->circle_columns.n_kind = 0;
	f->circles[1].kind = (Collide__V1__BodyKind)99;
	assert_bad(f, "circles[1].kind");
	f->circles[1].kind = COLLIDE__V1__BODY_KIND__BODY_KIND_STATIC;
	f->scene.restitution_mix = (Collide__V1__RestitutionMix)5;
	assert_bad(f, "restitution_mix");
	f->scene.restitution_mix = COLLIDE__V1__RESTITUTION_MIX__RESTITUTION_MIX_MEAN;
	f->scene.friction_mix = (Collide__V1__FrictionMix)6;
	assert_bad(f, "friction_mix");
	assert_string_equal(f->problem.text, "6 is not a FrictionMix");
	f->scene.friction_mix = COLLIDE__V1__FRICTION_MIX__FRICTION_MIX_UNSPECIFIED;
	def_make(f);
	assert_int_equal(f->def.restitution_mix, RESTITUTION_MIX_MEAN);
	assert_int_equal(f->def.circles[ROWS + 1].kind, BODY_STATIC);
}

static void
test_limits(void **state)
{
	struct fixture *f = *state;

	f->limits.circles_max = ROWS + 2;
	f->limits.segments_max = 3;
	assert_accepted(f);
	f->limits.circles_max = ROWS + 1;
	assert_refused(f, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "circles");
	f->limits.circles_max = ROWS - 1;
	assert_refused(f, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "circle_columns");
	f->limits.circles_max = SCENE_CIRCLES_MAX;
	f->circle_columns.count = UINT32_MAX; /* a few bytes that ask for four billion circles */
	assert_refused(f, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "circle_columns");
	f->circle_columns.count = 0;
	f->limits.segments_max = 2;
	assert_refused(f, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "segments");
	f->limits.segments_max = 1;
	assert_refused(f, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "segment_columns");
	f->limits.segments_max = SCENE_SEGMENTS_MAX;
	f->limits.events_per_body_max = 100;
	f->scene.events_per_body_max = 101;
	assert_refused(f, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "events_per_body_max");
	f->scene.events_per_body_max = 0;
	def_make(f);
	assert_int_equal(f->def.events_per_body_max, 100);
	f->limits.events_per_body_max = 1000000;
	def_make(f);
	assert_int_equal(f->def.events_per_body_max, 10000);
}

static void
test_memory(void **state)
{
	struct fixture *f = *state;

	f->limits.memory_bytes_max = 6 * SCENE_BYTES_PER_CIRCLE + 3 * SCENE_BYTES_PER_SEGMENT - 1;
	assert_refused(f, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "");
	f->limits = scene_limits_default();
	arena_finish(&f->arena);
	arena_init(&f->arena, 64);
	assert_refused(f, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "");
}

/* The estimate that refuses before building covers what building takes. */
static void
test_memory_estimate_covers_a_world(void **state)
{
	enum { COUNT = 20000 };
	struct fixture *f = *state;
	double *x = calloc(COUNT, sizeof *x);
	struct world *world = NULL;

	assert_non_null(x);
	for (size_t i = 0; i < COUNT; i++)
		x[i] = 2.0 * (double)i;
	f->circle_columns.n_x = COUNT, f->circle_columns.x = x;
	f->segment_columns.n_x1 = COUNT, f->segment_columns.x1 = x;
	f->segment_columns.n_y1 = 1;
	f->segment_columns.n_x2 = COUNT, f->segment_columns.x2 = x;
	f->segment_columns.n_y2 = 1;
	f->y2[0] = -9;
	arena_finish(&f->arena);
	arena_init(&f->arena, (size_t)1 << 26);
	assert_int_equal(scene_world_create(&f->arena, &f->scene, &f->limits, "scene", &world, &f->problem), STATUS_OK);
	print_message("%d circles and %d segments: %zu bytes of arena, %zu of world\n", COUNT, COUNT, f->arena.used_bytes,
	              world_memory_bytes(world));
	assert_true(world_memory_bytes(world) <= (size_t)COUNT * (SCENE_BYTES_PER_CIRCLE + SCENE_BYTES_PER_SEGMENT));
	world_destroy(world);
	free(x);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_empty_and_single_columns),
		TEST(test_full_columns),
		TEST(test_turning),
		TEST(test_movement),
		TEST(test_sensing),
		TEST(test_hand_written_presence),
		TEST(test_column_lengths),
		TEST(test_count_without_columns),
		TEST(test_ids_all_or_none),
		TEST(test_duplicate_ids),
		TEST(test_bad_numbers_by_column),
		TEST(test_bad_numbers_by_hand),
		TEST(test_unknown_enums),
		TEST(test_limits),
		TEST(test_memory),
		TEST(test_memory_estimate_covers_a_world),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
