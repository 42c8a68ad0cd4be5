#include "physics/peers/build.h"

#include <math.h>

struct segment_def *
edge_add(struct scenario *scenario, double x1, double y1, double x2, double y2, double friction)
{
	struct segment_def *edge = scenario_segment(scenario, x1, y1, x2, y2);
	edge->restitution = 0;
	edge->friction = friction;
	return edge;
}

struct circle_def *
ball_add(struct scenario *scenario, double x, double y, double radius, double density, double friction)
{
	struct circle_def *ball = scenario_circle(scenario, x, y, 0, 0, radius);
	ball->mass = density * PI * radius * radius;
	ball->restitution = 0;
	ball->friction = friction;
	return ball;
}

void
chain_add(struct scenario *scenario, const double *points, size_t count, bool loop, double friction)
{
	for (size_t i = 0; i + 1 < count; i++)
		edge_add(scenario, points[2 * i], points[2 * i + 1], points[2 * i + 2], points[2 * i + 3], friction);
	if (loop)
		edge_add(scenario, points[2 * count - 2], points[2 * count - 1], points[0], points[1], friction);
}

void
block_add(struct scenario *scenario, double x, double y, double half_x, double half_y, double angle, double friction)
{
	static const double corners[4][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } };
	const double c = cos(angle), s = sin(angle);
	double points[4][2];
	for (int i = 0; i < 4; i++) {
		const double u = corners[i][0] * half_x, v = corners[i][1] * half_y;
		points[i][0] = x + c * u - s * v;
		points[i][1] = y + s * u + c * v;
	}
	chain_add(scenario, points[0], 4, true, friction);
}

void
gravity_set(struct scenario *scenario, double y)
{
	scenario->def.gravity_y = y;
}
