/* Box2D's samples of stacks and of weights that differ. */
#include "physics/peers/build.h"

#include "support/random.h"

void
build_heavy_on_light(struct scenario *scenario)
{
	gravity_set(scenario, -10);
	edge_add(scenario, -40, 0, 40, 0, BOX2D_FRICTION);
	ball_add(scenario, 0, 0.5, 0.5, 10, BOX2D_FRICTION);
	ball_add(scenario, 0, 6, 5, 10, BOX2D_FRICTION);
}

/* The heavy one comes later, by a key of the sample's: the test spawns it at (0, 9). */
void
build_heavy_on_light_two(struct scenario *scenario)
{
	gravity_set(scenario, -10);
	edge_add(scenario, -40, 0, 40, 0, BOX2D_FRICTION);
	ball_add(scenario, 0, 2.5, 0.5, 10, BOX2D_FRICTION);
	ball_add(scenario, 0, 3.5, 0.5, 10, BOX2D_FRICTION);
}

void
build_sphere_stack(struct scenario *scenario)
{
	gravity_set(scenario, -10);
	edge_add(scenario, -40, 0, 40, 0, BOX2D_FRICTION);
	for (int i = 0; i < 10; i++)
		ball_add(scenario, 0, 4 + 3 * i, 1, 1, BOX2D_FRICTION)->vy = -50;
}

void
build_circle_stack(struct scenario *scenario)
{
	gravity_set(scenario, -20);
	edge_add(scenario, -10, 0, 10, 0, BOX2D3_FRICTION);
	for (int i = 0; i < 10; i++)
		ball_add(scenario, 0, 0.75 + 1.25 * i, 0.5, 1 + 4 * i, 0);
	scenario->def.events = WORLD_EVENTS_TOUCH;
	scenario->def.hit_speed = 1; /* m/s: the engine's threshold for hit events */
}

/* With circles in the stack and as bullets, as the sample lets one choose. Bullets come in the row that it fires, at the speeds
 * between 200 and 300 m/s that it draws. */
void
build_vertical_stack(struct scenario *scenario)
{
	uint64_t random = 1;
	gravity_set(scenario, -10);
	edge_add(scenario, 10, 0, 10, 20, BOX2D3_FRICTION);
	edge_add(scenario, -30, 0, 30, 0, BOX2D3_FRICTION);
	for (int i = 0; i < 12; i++)
		ball_add(scenario, 8, 0.5 + i, 0.5, 1, 0.3);
	for (int i = 0; i < 8; i++)
		ball_add(scenario, -26.7 - i, 6, 0.25, 4, BOX2D3_FRICTION)->vx = random_between(&random, 200, 300);
}

/* An empty room without gravity; the test puts circles in, by the sample's key. */
void
build_confined(struct scenario *scenario)
{
	scenario_box(scenario, -10, 0, 10, 20);
	scenario_dull(scenario, BOX2D_FRICTION, 0);
}

/* More circles than have room, from the start. */
void
build_confined_grid(struct scenario *scenario)
{
	edge_add(scenario, -10.5, 0, 10.5, 0, BOX2D3_FRICTION);
	edge_add(scenario, -10.5, 0, -10.5, 20.5, BOX2D3_FRICTION);
	edge_add(scenario, 10.5, 0, 10.5, 20.5, BOX2D3_FRICTION);
	edge_add(scenario, -10.5, 20.5, 10.5, 20.5, BOX2D3_FRICTION);
	for (size_t i = 0; i < scenario->segment_count; i++)
		scenario->segments[i].radius = 0.5;
	for (int column = 0; column < 25; column++)
		for (int row = 0; row < 25; row++)
			ball_add(scenario, -8.75 + column * 18.0 / 25, 1.5 + row * 18.0 / 25, 0.5, 1, BOX2D3_FRICTION);
}

/* Its circles; the capsules and boxes beside them are none of ours. The ledges: a thin one, a box, a thick one. */
void
build_cliff(struct scenario *scenario)
{
	static const double starts[][2] = { { -13, 4.5 }, { -2, 5 }, { 9, 5 } };
	gravity_set(scenario, -10);
	edge_add(scenario, -100, 0, 100, 0, BOX2D3_FRICTION);
	edge_add(scenario, -14, 4, -8, 4, BOX2D3_FRICTION);
	block_add(scenario, 0, 4, 3, 0.5, 0, BOX2D3_FRICTION);
	edge_add(scenario, 8.5, 4, 13.5, 4, BOX2D3_FRICTION)->radius = 0.5;
	for (int i = 0; i < 3; i++)
		ball_add(scenario, starts[i][0], starts[i][1], 0.5, 1, 0.2)->vx = 1.5;
}

/* Ten bodies of half side 0.5 that overlap by a quarter: circles of that radius here, boxes there. */
void
build_overlap_recovery(struct scenario *scenario)
{
	gravity_set(scenario, -10);
	edge_add(scenario, -40, 0, 40, 0, BOX2D3_FRICTION);
	for (int i = 0; i < 4; i++)
		for (int j = i; j < 4; j++)
			ball_add(scenario, 0.75 * 0.5 * (i - 4) + 0.75 * (j - i), 0.5 + 0.75 * i, 0.5, 1, BOX2D3_FRICTION);
}

/* The sample's circles, in its box without the seams of its tiles. */
void
build_barrel(struct scenario *scenario)
{
	uint64_t random = 42;
	double side = -0.1;
	gravity_set(scenario, -10);
	edge_add(scenario, -39.5, 0.5, 39.5, 0.5, BOX2D3_FRICTION);
	edge_add(scenario, -39.5, 0.5, -39.5, 101, BOX2D3_FRICTION);
	edge_add(scenario, 39.5, 0.5, 39.5, 101, BOX2D3_FRICTION);
	for (int i = 0; i < 26; i++) {
		for (int j = 0; j < 150; j++) {
			struct circle_def *ball = ball_add(scenario, i * 1.15 - 1.15 * 13 + side, j * 1.65 + 1.15 / 2 + 100,
			                                   random_between(&random, 0.25, 0.75), 1, 0.5);
			ball->rolling_resistance = 0.2;
			side = -side;
		}
	}
}
