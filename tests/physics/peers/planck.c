/* planck's own examples with circles: three games on a table. Those that it has from Box2D are in box2d_*.c. */
#include "physics/peers/build.h"

#include "support/random.h"

#include <math.h>

/* planck's "8-Ball": a table of 8 by 4 with six rails and six pockets, fifteen balls of radius 0.12 in a rack and the white
 * one. Pockets are solid there until the callback takes the ball away; sensors here (ids 100 to 105). A user shoots there; here
 * the white ball (id 15) has 32 m/s. */
void
build_eight_ball(struct scenario *scenario)
{
	static const double width = 8, height = 4, ball_radius = 0.12, pocket = 0.2;
	const double cut = pocket / sqrt(0.5), row = 2 * ball_radius * sqrt(0.75);
	const double side[4][2] = { { width / 2, -(height / 2 - cut) },
		                        { width / 2 + pocket, -(height / 2 - cut + pocket) },
		                        { width / 2 + pocket, height / 2 - cut + pocket },
		                        { width / 2, height / 2 - cut } };
	const double top[4][2] = { { pocket, height / 2 },
		                       { pocket, height / 2 + pocket },
		                       { width / 2 - cut + pocket, height / 2 + pocket },
		                       { width / 2 - cut, height / 2 } };
	uint64_t random = 8;
	for (int i = 0; i < 6; i++) {
		double points[4][2];
		for (int k = 0; k < 4; k++) {
			points[k][0] = (i % 2 ? -1 : 1) * (i < 2 ? side[k][0] : top[k][0]);
			points[k][1] = (i < 4 ? 1 : -1) * (i < 2 ? side[k][1] : top[k][1]);
		}
		chain_add(scenario, points[0], 4, true, 0.1);
	}
	for (size_t i = 0; i < scenario->segment_count; i++)
		scenario->segments[i].restitution = 0.9;
	for (int i = 0; i < 5; i++) {
		for (int j = 0; j <= i; j++) {
			const double dx = random_between(&random, 0, 0.0024), dy = random_between(&random, 0, 0.0024);
			ball_add(scenario, width / 4 + i * row * 1.012 + dx, (j - i * 0.5) * 2.024 * ball_radius + dy, ball_radius, 1, 0.1);
		}
	}
	ball_add(scenario, -width / 4, 0, ball_radius, 1, 0.1)->vx = 32;
	for (size_t i = 0; i < scenario->circle_count; i++) {
		scenario->circles[i].restitution = 0.99;
		scenario->circles[i].linear_damping = 1.5;
		scenario->circles[i].angular_damping = 1;
	}
	for (int i = 0; i < 6; i++) {
		const double x = i < 2 ? 0 : width / 2 + 0.7 * pocket, y = height / 2 + (i < 2 ? 1.5 : 0.7) * pocket;
		struct circle_def *hole = ball_add(scenario, i % 4 < 2 ? x : -x, i % 2 ? y : -y, pocket, 1, 0);
		hole->id = 100 + (uint32_t)i;
		hole->kind = BODY_STATIC;
		hole->sensor = true;
	}
}

/* A pitch of 10 by 6 with goals, two teams of five of radius 0.35 and a ball (id 0) of 0.23. A goal's line sends the ball back
 * to the middle: solid there until the callback does so, a sensor here (segments 16 and 17). */
void
build_soccer(struct scenario *scenario)
{
	static const double half[8][2] = { { -4.8, -3 }, { -5, -2.8 }, { -5, -1.2 }, { -6, -1.2 },
		                               { -6, 1.2 },  { -5, 1.2 },  { -5, 2.8 },  { -4.8, 3 } };
	static const double team[5][2] = { { -4.5, 0 }, { -3, -1.2 }, { -3, 1.2 }, { -1, -0.6 }, { -1, 0.6 } };
	double points[16][2];
	for (int i = 0; i < 8; i++) {
		points[i][0] = half[i][0];
		points[15 - i][0] = -half[i][0];
		points[i][1] = points[15 - i][1] = half[i][1];
	}
	chain_add(scenario, points[0], 16, true, 0);
	for (int i = 0; i < 2; i++)
		edge_add(scenario, i ? 5.23 : -5.23, -1.2, i ? 5.23 : -5.23, 1.2, 0)->sensor = true;
	struct circle_def *ball = ball_add(scenario, 0, 0, 0.23, 0.5, 0.2);
	ball->linear_damping = 3.5;
	for (int i = 0; i < 10; i++)
		ball_add(scenario, (i < 5 ? 1 : -1) * team[i % 5][0], team[i % 5][1], 0.35, 0.8, 0.1)->linear_damping = 4;
	for (size_t i = 0; i < scenario->circle_count; i++) {
		scenario->circles[i].restitution = 0.99;
		scenario->circles[i].angular_damping = 1.6;
	}
}

/* A board of 10 by 10 with a sensor as its edge, and two rows of eight pucks of radius 0.3, each up to 0.006 off its place. A
 * puck that touches the rim is out. */
void
build_shuffle(struct scenario *scenario)
{
	uint64_t random = 16;
	scenario_box(scenario, -5, -5, 5, 5);
	for (size_t i = 0; i < 4; i++)
		scenario->segments[i].sensor = true;
	for (int i = 0; i < 16; i++) {
		const double dx = random_between(&random, 0, 0.006), dy = random_between(&random, 0, 0.006);
		struct circle_def *puck = ball_add(scenario, (i < 8 ? 4 : -4) + dx, i % 8 - 3.5 + dy, 0.3, 0.8, 0.1);
		puck->restitution = 0.98;
		puck->linear_damping = puck->angular_damping = 1.6;
	}
}
