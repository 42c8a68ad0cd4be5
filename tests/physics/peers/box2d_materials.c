/* Box2D's samples of restitution, friction, rolling resistance and moving surfaces. */
#include "physics/peers/build.h"

#include <math.h>

void
build_varying_restitution(struct scenario *scenario)
{
	static const double restitution[] = { 0, 0.1, 0.3, 0.5, 0.75, 0.9, 1 };
	gravity_set(scenario, -10);
	edge_add(scenario, -40, 0, 40, 0, BOX2D_FRICTION);
	for (int i = 0; i < 7; i++)
		ball_add(scenario, -10 + 3 * i, 20, 1, 1, BOX2D_FRICTION)->restitution = restitution[i];
}

void
build_restitution_forty(struct scenario *scenario)
{
	gravity_set(scenario, -10);
	edge_add(scenario, -40, 0, 40, 0, BOX2D3_FRICTION);
	for (int i = 0; i < 40; i++)
		ball_add(scenario, -39 + 2 * i, 40, 0.5, 1, 0)->restitution = i / 39.0;
}

void
build_single_restitution(struct scenario *scenario)
{
	gravity_set(scenario, -10);
	edge_add(scenario, -4, 0, 4, 0, BOX2D3_FRICTION);
	ball_add(scenario, 0, 10, 0.5, 1, 0)->restitution = 1;
}

/* Three ramps of 0.25 rad, and bodies that slide or stick and do not roll: boxes there, circles that cannot turn here. */
void
build_varying_friction(struct scenario *scenario)
{
	static const double friction[] = { 0.75, 0.5, 0.35, 0.1, 0 };
	gravity_set(scenario, -10);
	edge_add(scenario, -40, 0, 40, 0, BOX2D_FRICTION);
	block_add(scenario, -4, 22, 13, 0.25, -0.25, BOX2D_FRICTION);
	block_add(scenario, 10.5, 19, 0.25, 1, 0, BOX2D_FRICTION);
	block_add(scenario, 4, 14, 13, 0.25, 0.25, BOX2D_FRICTION);
	block_add(scenario, -10.5, 11, 0.25, 1, 0, BOX2D_FRICTION);
	block_add(scenario, -4, 6, 13, 0.25, -0.25, BOX2D_FRICTION);
	for (int i = 0; i < 5; i++)
		ball_add(scenario, -15 + 4 * i, 28, 0.5, 25, friction[i])->moment_of_inertia = UPRIGHT;
}

static void
lanes_add(struct scenario *scenario, double lift)
{
	gravity_set(scenario, -10);
	for (int i = 0; i < 20; i++) {
		edge_add(scenario, -40, 2 * i, 40, 2 * i + lift, BOX2D3_FRICTION);
		struct circle_def *ball = ball_add(scenario, -39.5, 2 * i + 0.75, 0.5, 1, BOX2D3_FRICTION);
		ball->vx = 5;
		ball->angular_velocity = -10;
		ball->rolling_resistance = 0.02 * i;
		/* Each lane for itself: those that roll off its end would fall on those below. */
		scenario->segments[i].category = scenario->segments[i].mask = ball->category = ball->mask = UINT32_C(1) << i;
	}
}

void
build_rolling_resistance(struct scenario *scenario)
{
	lanes_add(scenario, 0);
}

void
build_rolling_up(struct scenario *scenario)
{
	lanes_add(scenario, 5);
}

/* The platform's top as the round ends of a thick segment leave it: 19 long. */
static void
belt_add(struct scenario *scenario, double moment)
{
	gravity_set(scenario, -10);
	edge_add(scenario, -20, 0, 20, 0, BOX2D_FRICTION);
	struct segment_def *belt = edge_add(scenario, -14.5, 5, 4.5, 5, 0.8);
	belt->radius = 0.5;
	belt->surface_speed = 5;
	for (int i = 0; i < 5; i++)
		ball_add(scenario, -10 + 2 * i, 7, 0.5, 20, BOX2D_FRICTION)->moment_of_inertia = moment;
}

void
build_conveyor_belt(struct scenario *scenario)
{
	belt_add(scenario, UPRIGHT);
}

void
build_conveyor_discs(struct scenario *scenario)
{
	belt_add(scenario, 0);
}

/* Seven belts, each faster than the one before, that throw what is dropped on them to the left, into a bin: 10 to 70 m/s. The
 * sample's path, in metres. The test drops the balls, as the sample does. */
void
build_tangent_speed(struct scenario *scenario)
{
	static const double path[][2] = {
		{ 613.8334, 185.20833 },  { 571.50002, 185.20833 }, { 534.45836, 185.20833 }, { 500.06255, 185.20833 },
		{ 470.95838, 182.5625 },  { 444.50004, 174.625 },   { 418.04171, 161.39583 }, { 394.2292, 140.22917 },
		{ 381.00004, 140.22917 }, { 381.00004, 185.20833 }, { 68.791712, 185.20833 }, { 68.791712, 0 },
		{ 47.625002, 0 },         { 47.625002, 206.375 },   { 613.8334, 206.375 },
	};
	double points[15][2];
	for (int i = 0; i < 15; i++) {
		points[i][0] = 0.2 * (path[i][0] - 47.375002);
		points[i][1] = -0.2 * (path[i][1] + 0.25);
	}
	gravity_set(scenario, -10);
	chain_add(scenario, points[0], 15, true, 0.6);
	for (int i = 0; i < 7; i++)
		scenario->segments[i].surface_speed = 10 * (i + 1);
}
