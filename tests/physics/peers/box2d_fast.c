/* Box2D's samples of fast bodies. */
#include "physics/peers/build.h"

#include "support/random.h"

/* Two launches: from x = 0 the path ends on the edge, 0.25 before its end; from x = 1 it passes beside it. */
void
build_ghost_test(struct scenario *scenario)
{
	gravity_set(scenario, -10);
	edge_add(scenario, -10, 0, 10, 0, BOX2D_FRICTION);
	for (int i = 0; i < 2; i++) {
		struct circle_def *ball = ball_add(scenario, i, 10, 0.25, 1, BOX2D_FRICTION);
		ball->gravity_scale = 0;
		ball->vx = 50;
		ball->vy = -50;
		/* Launched one after the other there. */
		ball->filter_group = -1;
	}
}

void
build_fast_slow(struct scenario *scenario)
{
	edge_add(scenario, -10, 0, 10, 0, BOX2D_FRICTION);
	edge_add(scenario, -10, 0, -10, 5, BOX2D_FRICTION);
	ball_add(scenario, -9, 2.5, 0.35, 100, BOX2D_FRICTION);
	ball_add(scenario, 0, 2.5, 0.25, 100, BOX2D_FRICTION)->vx = -400;
}

void
build_continuous_test(struct scenario *scenario)
{
	gravity_set(scenario, -10);
	edge_add(scenario, -10, 0, 10, 0, BOX2D_FRICTION);
	block_add(scenario, 0.5, 1, 0.2, 1, 0, BOX2D_FRICTION);
	/* At (0, 2) there, 0.2 into the box: beside its top corner here. */
	ball_add(scenario, -0.25, 2, 0.5, 1, BOX2D_FRICTION);
	ball_add(scenario, 0, 10, 0.5, 1, BOX2D_FRICTION)->vy = -100;
}

void
build_bounce_house(struct scenario *scenario)
{
	scenario_box(scenario, -10, -10, 10, 10);
	for (size_t i = 0; i < 4; i++) {
		scenario->segments[i].restitution = 0;
		scenario->segments[i].friction = BOX2D3_FRICTION;
	}
	struct circle_def *ball = ball_add(scenario, 0, 0, 0.5, 1, 0.3);
	ball->vx = 10;
	ball->vy = 20;
	ball->restitution = 1;
	scenario->def.events = WORLD_EVENTS_TOUCH;
	scenario->def.hit_speed = 1;
}

void
build_fast_chain(struct scenario *scenario)
{
	static const double points[][2] = { { -10, -8 }, { 10, -8 }, { 10, -5 }, { -10, -5 } };
	gravity_set(scenario, -10);
	chain_add(scenario, points[0], 4, true, BOX2D3_FRICTION);
	ball_add(scenario, 0, 10, 0.5, 1, BOX2D3_FRICTION)->vy = -200;
}

/* Without what joints hold: flippers and spinners. */
void
build_pinball(struct scenario *scenario)
{
	static const double table[][2] = { { -8, 6 }, { -8, 20 }, { 8, 20 }, { 8, 6 }, { 0, -2 } };
	gravity_set(scenario, -10);
	chain_add(scenario, table[0], 5, true, BOX2D3_FRICTION);
	for (int i = 0; i < 2; i++) {
		struct circle_def *bumper = ball_add(scenario, i ? 4 : -4, i ? 17 : 8, 1, 1, BOX2D3_FRICTION);
		bumper->kind = BODY_STATIC;
		bumper->restitution = 1;
	}
	ball_add(scenario, 1, 15, 0.2, 1, BOX2D3_FRICTION);
}

/* 400 small circles in a place that has room for fewer, drawn at random. A box of half side 1.5 there comes at 10 m/s, a circle
 * of that radius here. */
void
build_add_pair(struct scenario *scenario)
{
	uint64_t random = 7;
	for (int i = 0; i < 400; i++) {
		const double x = random_between(&random, -6, 0), y = random_between(&random, 4, 6);
		ball_add(scenario, x, y, 0.1, 0.01, BOX2D_FRICTION);
	}
	ball_add(scenario, -40, 5, 1.5, 1, BOX2D_FRICTION)->vx = 10;
}
