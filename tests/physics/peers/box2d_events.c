/* Box2D's samples of sensors, filters and the one-sided platform. */
#include "physics/peers/build.h"
#include "physics/relate.h"

void
build_sensor_test(struct scenario *scenario)
{
	gravity_set(scenario, -10);
	edge_add(scenario, -40, 0, 40, 0, BOX2D_FRICTION);
	for (int i = 0; i < 7; i++)
		ball_add(scenario, -10 + 3 * i, 20, 1, 1, BOX2D_FRICTION);
	struct circle_def *sensor = ball_add(scenario, 0, 10, 5, 1, 0);
	sensor->kind = BODY_STATIC;
	sensor->sensor = true;
}

/* Its sensor is a square of half side 1; a circle of that radius here. */
void
build_sensor_bookend(struct scenario *scenario)
{
	gravity_set(scenario, -10);
	edge_add(scenario, -10, 0, 10, 0, BOX2D3_FRICTION);
	edge_add(scenario, -10, 0, -10, 10, BOX2D3_FRICTION);
	edge_add(scenario, 10, 0, 10, 10, BOX2D3_FRICTION);
	ball_add(scenario, -4, 1, 0.5, 1, BOX2D3_FRICTION);
	struct circle_def *sensor = ball_add(scenario, 0, 1, 1, 1, 0);
	sensor->kind = BODY_STATIC;
	sensor->sensor = true;
}

/* Small and large of three sorts, told apart by categories 2, 4 and 8. Boxes do not mask triangles in. The small ones are of
 * group 1, the large ones of group -1. All are circles here: ids 0 to 2 small, 3 to 5 large, each triangle, box, circle. In a
 * room without gravity, so that each comes by each. */
void
build_collision_filtering(struct scenario *scenario)
{
	static const uint32_t categories[] = { 2, 4, 8 };
	static const uint32_t masks[] = { 0xFFFF, 0xFFFF ^ 2, 0xFFFF };
	static const double vx[] = { 3, -2.5, 4, -3.5, 2, -4.5 }, vy[] = { 2, 3.5, -3, -2, 4, 1.5 };
	scenario_box(scenario, -8, 0, 8, 12);
	for (int i = 0; i < 6; i++) {
		struct circle_def *shape = ball_add(scenario, -5 + 5 * (i % 3), i < 3 ? 2 : 6, i < 3 ? 1 : 2, 1, 0);
		shape->vx = vx[i];
		shape->vy = vy[i];
		shape->restitution = 1;
		shape->filter_group = i < 3 ? 1 : -1;
		shape->category = categories[i % 3];
		shape->mask = masks[i % 3];
	}
	for (size_t i = 0; i < scenario->segment_count; i++)
		scenario->segments[i].restitution = 1;
}

/* Three players of three teams, each of which collides with the other two and the ground; circles of radius 1, boxes there. */
void
build_shape_filter(struct scenario *scenario)
{
	gravity_set(scenario, -10);
	struct segment_def *ground = edge_add(scenario, -20, 0, 20, 0, BOX2D3_FRICTION);
	ground->category = 1;
	for (int i = 0; i < 3; i++) {
		struct circle_def *player = ball_add(scenario, 0, 2 + 3 * i, 1, 1, BOX2D3_FRICTION);
		player->category = UINT32_C(2) << i;
		player->mask = UINT32_C(15) & ~player->category;
	}
}

/* Odd and even ones do not collide: by a callback there, by a relation of groups here. They stand side by side, and a slope on
 * each side drives them together. */
void
build_custom_filter(struct scenario *scenario)
{
	static struct relation_def apart;
	apart = related(1, 2, RELATION_KIND_NONE);
	gravity_set(scenario, -10);
	edge_add(scenario, -40, 20, 0, 0, 0);
	edge_add(scenario, 0, 0, 40, 20, 0);
	for (int i = 0; i < 10; i++)
		ball_add(scenario, -10 + 2 * i, 8, 1, 1, 0)->group = 1 + (uint32_t)i % 2;
	relations_put(scenario, &apart, 1);
}

/* The platform's top is what a circle can be stopped by; from below it passes. */
void
build_one_sided_platform(struct scenario *scenario)
{
	gravity_set(scenario, -10);
	edge_add(scenario, -20, 0, 20, 0, BOX2D_FRICTION);
	edge_add(scenario, -3, 10.5, 3, 10.5, BOX2D_FRICTION)->one_sided = true;
	ball_add(scenario, 0, 12, 0.5, 20, BOX2D_FRICTION)->vy = -50;
}
