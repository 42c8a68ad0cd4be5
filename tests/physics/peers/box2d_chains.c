/* Box2D's samples of edges and chains. */
#include "physics/peers/build.h"

#include <math.h>

/* One profile twice: below of one-sided edges (each outer side is the left one of its direction), 8 above it of two-sided
 * ones. The circles are given 5 m/s to the right, where the sample's keys push. */
void
build_edge_test(struct scenario *scenario)
{
	static const double profile[][2] = {
		{ 14, -4 }, { 14, 0 }, { 10, 0 }, { 7, 2 }, { 4, 0 }, { 0, 0 }, { -4, 0 }, { -7, -2 }, { -10, 0 }, { -10, -4 },
	};
	gravity_set(scenario, -10);
	for (int i = 0; i < 10; i++) {
		const double *a = profile[i], *b = profile[(i + 1) % 10];
		edge_add(scenario, b[0], b[1], a[0], a[1], BOX2D_FRICTION)->one_sided = true;
		edge_add(scenario, a[0], a[1] + 8, b[0], b[1] + 8, BOX2D_FRICTION);
	}
	for (int i = 0; i < 2; i++)
		ball_add(scenario, -0.5, 0.6 + 8 * i, 0.5, 1, BOX2D_FRICTION)->vx = 5;
}

/* Its round characters, and the edges that they meet. The first cannot turn. The second is driven to the left at 5 m/s by the
 * test, as by the sample in every step. */
void
build_character_collision(struct scenario *scenario)
{
	static const double square[][2] = { { -1, 3 }, { 1, 3 }, { 1, 5 }, { -1, 5 } };
	static const double hills[][2] = { { 0, 0 }, { 6, 0 },  { 6, 2 },  { 4, 1 },  { 2, 2 },
		                               { 0, 2 }, { -2, 2 }, { -4, 3 }, { -6, 2 }, { -6, 0 } };
	static const double roof[][2] = { { 5, 7 }, { 6, 8 }, { 7, 8 }, { 8, 7 } };
	double points[10][2];
	gravity_set(scenario, -10);
	edge_add(scenario, -20, 0, 20, 0, BOX2D_FRICTION);
	for (int i = 0; i < 3; i++)
		edge_add(scenario, -8 + 2 * i, 1, -6 + 2 * i, 1, BOX2D_FRICTION);
	const double c = sqrt(0.5);
	for (int i = 0; i < 4; i++) {
		points[i][0] = c * (roof[i][0] - roof[i][1]);
		points[i][1] = c * (roof[i][0] + roof[i][1]);
	}
	chain_add(scenario, points[0], 4, true, BOX2D_FRICTION);
	for (int i = 0; i < 3; i++)
		block_add(scenario, 4 + 2 * i, 3, 1, 1, 0, BOX2D_FRICTION);
	chain_add(scenario, square[0], 4, true, BOX2D_FRICTION);
	for (int i = 0; i < 10; i++) {
		points[i][0] = hills[i][0] - 10;
		points[i][1] = hills[i][1] + 4;
	}
	chain_add(scenario, points[0], 10, true, BOX2D_FRICTION);
	ball_add(scenario, 3, 5, 0.5, 20, BOX2D_FRICTION)->moment_of_inertia = UPRIGHT;
	ball_add(scenario, -7, 6, 0.25, 20, 1);
}

/* A closed chain, with the ball inside. */
void
build_chain_shape(struct scenario *scenario)
{
	static const double points[][2] = {
		{ -56.885498, 12.8985004 },   { -56.885498, 16.2057495 },   { 56.885498, 16.2057495 },   { 56.885498, -16.2057514 },
		{ 51.5935059, -16.2057514 },  { 43.6559982, -10.9139996 },  { 35.7184982, -10.9139996 }, { 27.7809982, -10.9139996 },
		{ 21.1664963, -14.2212505 },  { 11.9059982, -16.2057514 },  { 0, -16.2057514 },          { -10.5835037, -14.8827496 },
		{ -17.1980019, -13.5597477 }, { -21.1665001, -12.2370014 }, { -25.1355019, -9.5909977 }, { -31.75, -3.63799858 },
		{ -38.3644981, 6.2840004 },   { -42.3334999, 9.59125137 },  { -47.625, 11.5755005 },
	};
	gravity_set(scenario, -10);
	chain_add(scenario, points[0], 19, true, 0.2);
	ball_add(scenario, -55, 13.5, 0.5, 1, 0.2);
}

void
build_chain_segment(struct scenario *scenario)
{
	double points[35][2];
	for (int i = 0; i < 35; i++) {
		points[i][0] = 25 - 50.0 * i / 34;
		points[i][1] = 1.5 * sin(0.18 * points[i][0]);
	}
	gravity_set(scenario, -10);
	chain_add(scenario, points[0], 35, false, BOX2D3_FRICTION);
	ball_add(scenario, -18, 5, 0.25, 1, BOX2D3_FRICTION);
}

/* Two chains that end in the same point, which one of them shares by three points of its own. Its circle rests; another one
 * comes from the left over the link. */
void
build_chain_link(struct scenario *scenario)
{
	gravity_set(scenario, -10);
	edge_add(scenario, 40, 1, 0, 0, BOX2D3_FRICTION);
	edge_add(scenario, 0, 0, -40, 0, BOX2D3_FRICTION);
	edge_add(scenario, -40, -1, 0, -1, BOX2D3_FRICTION);
	edge_add(scenario, 0, -1, 40, -1, BOX2D3_FRICTION);
	ball_add(scenario, -5, 2, 0.5, 1, BOX2D3_FRICTION);
	ball_add(scenario, -3, 0.5, 0.5, 1, 0)->vx = 5;
}

/* A slope of three straight pieces, a floor of three, and a slope up again. */
void
build_ghost_bumps(struct scenario *scenario)
{
	const double step = 8 * sqrt(0.5);
	double points[10][2];
	for (int i = 0; i < 4; i++) {
		points[3 - i][0] = -12 - step * i;
		points[6 + i][0] = 12 + step * i;
		points[3 - i][1] = points[6 + i][1] = 0.25 + step * i;
	}
	for (int i = 0; i < 2; i++) {
		points[4 + i][0] = i ? 4 : -4;
		points[4 + i][1] = 0.25;
	}
	gravity_set(scenario, -10);
	chain_add(scenario, points[0], 10, false, 0.2);
	ball_add(scenario, -28, 18, 0.5, 1, 0.2);
}
