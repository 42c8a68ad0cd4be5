/* Rapier's examples with balls. */
#include "physics/peers/build.h"

#include "support/random.h"

#include <math.h>

/* Columns of balls of radius 1, 250 high, each on a fixed one; ten of its fifty columns. */
void
build_rapier_balls(struct scenario *scenario)
{
	gravity_set(scenario, -9.81);
	for (int i = 0; i < 10; i++) {
		for (int j = 0; j < 250; j++) {
			struct circle_def *ball = ball_add(scenario, 2.5 * i - 12.5, 2 * j + 1, 1, 1, RAPIER_FRICTION);
			if (j == 0)
				ball->kind = BODY_STATIC;
		}
	}
}

/* Restitution mixed by the geometric mean with a floor's of 1: the square root, which is what the balls get here. Among two
 * equal balls the mean is their own, so the higher of theirs is too much, and they are kept from meeting. */
void
build_rapier_restitution(struct scenario *scenario)
{
	gravity_set(scenario, -9.81);
	scenario->def.restitution_mix = RESTITUTION_MIX_PRODUCT;
	edge_add(scenario, -20, 0, 20, 0, RAPIER_FRICTION)->restitution = 1;
	for (int j = 0; j < 2; j++) {
		for (int i = 0; i <= 10; i++) {
			struct circle_def *ball = ball_add(scenario, 2 * (i - 5), 10 * (j + 1), 0.5, 1, RAPIER_FRICTION);
			ball->restitution = sqrt(i / 10.0);
			ball->filter_group = -1;
		}
	}
}

/* Ten on a ring, flying apart at 10 with a spin of 100, of rising linear and falling angular damping. */
void
build_rapier_damping(struct scenario *scenario)
{
	for (int i = 0; i < 10; i++) {
		const double angle = 2 * PI * i / 10, x = sin(angle), y = cos(angle);
		struct circle_def *ball = ball_add(scenario, x, y, 0.2, 1, RAPIER_FRICTION);
		ball->vx = 10 * x;
		ball->vy = 10 * y;
		ball->angular_velocity = 100;
		ball->linear_damping = i + 1;
		ball->angular_damping = 10 - i;
	}
}

/* A green floor over a blue one over the ground, and balls of both colours in turn; group 1 is green. */
void
build_rapier_groups(struct scenario *scenario)
{
	gravity_set(scenario, -9.81);
	edge_add(scenario, -5, 0, 5, 0, RAPIER_FRICTION);
	for (uint32_t colour = 1; colour <= 2; colour++) {
		block_add(scenario, 0, colour, 1, 0.1, 0, RAPIER_FRICTION);
		for (size_t k = scenario->segment_count - 4; k < scenario->segment_count; k++)
			scenario->segments[k].category = scenario->segments[k].mask = colour;
	}
	for (int j = 0; j < 4; j++) {
		for (int i = 0; i < 8; i++) {
			struct circle_def *ball = ball_add(scenario, 0.2 * i - 0.8, 0.2 * j + 2.5, 0.1, 1, RAPIER_FRICTION);
			ball->category = ball->mask = i % 2 ? 2 : 1;
		}
	}
}

/* Two belts: one that is met from above and runs to the left, one from below that runs to the right, each at 12. The test drops
 * the bodies and turns their gravity over, as the example does. */
void
build_rapier_one_way(struct scenario *scenario)
{
	gravity_set(scenario, -9.81);
	struct segment_def *upper = edge_add(scenario, 5, 2.5, 55, 2.5, RAPIER_FRICTION);
	upper->one_sided = true;
	upper->surface_speed = -12;
	struct segment_def *lower = edge_add(scenario, -5, -2.5, -55, -2.5, RAPIER_FRICTION);
	lower->one_sided = true;
	lower->surface_speed = -12;
}

/* 36 fast bodies between two walls, with a thin sensor on their way: u-shaped ones there, circles of radius 0.4 here. Segment 3
 * is the sensor. */
void
build_rapier_ccd(struct scenario *scenario)
{
	gravity_set(scenario, -9.81);
	edge_add(scenario, -25, 0, 25, 0, RAPIER_FRICTION)->radius = 0.1;
	edge_add(scenario, -3, -25, -3, 25, RAPIER_FRICTION)->radius = 0.1;
	edge_add(scenario, 6, -25, 6, 25, RAPIER_FRICTION)->radius = 0.1;
	struct segment_def *sensor = edge_add(scenario, 2.5, -25, 2.5, 25, 0);
	sensor->radius = 0.1;
	sensor->sensor = true;
	for (int i = 0; i < 6; i++) {
		for (int j = 0; j < 6; j++) {
			struct circle_def *ball = ball_add(scenario, 0.82 * i - 0.82 * 3 + 0.5, 0.82 * j + 0.41 + 4, 0.4, 1,
			                                   RAPIER_FRICTION);
			ball->vx = 100;
			ball->vy = -10;
		}
	}
}

/* A polyline of 2,000 edges along a cosine between two walls, and 400 bodies that touch: half of them boxes there, all balls
 * here. */
void
build_rapier_polyline(struct scenario *scenario)
{
	double x = -25, y = 40;
	gravity_set(scenario, -9.81);
	for (int i = 1; i < 2000; i++) {
		const double step = 50.0 / 2000;
		const double x2 = i == 1999 ? 25 : -25 + i * step, y2 = i == 1999 ? 40 : 2 * cos(i * step);
		edge_add(scenario, x, y, x2, y2, RAPIER_FRICTION);
		x = x2;
		y = y2;
	}
	for (int i = 0; i < 20; i++)
		for (int j = 0; j < 20; j++)
			ball_add(scenario, i - 10, j + 0.5 + 3, 0.5, 1, RAPIER_FRICTION);
}

/* A hundred bodies at one place: boxes there. More of them than this engine takes, which refuses the scene; so fifty. */
void
build_rapier_overlap(struct scenario *scenario)
{
	for (int i = 0; i < 50; i++)
		ball_add(scenario, 0, 0, 0.5, 1, RAPIER_FRICTION);
}

/* 10,000 fixed balls in a grid, to be asked about. */
void
build_rapier_intersection(struct scenario *scenario)
{
	for (int x = 0; x < 100; x++)
		for (int y = 0; y < 100; y++)
			ball_add(scenario, (x - 50) * 3, (y - 50) * 3, 1, 1, 0)->kind = BODY_STATIC;
}
