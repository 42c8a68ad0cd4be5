/* Chipmunk's demos that have circles. It multiplies the two sides' elasticity, and their friction. */
#include "physics/peers/build.h"

#include "support/random.h"

#include <math.h>
#include <string.h>

static void
chipmunk_rules(struct scenario *scenario)
{
	scenario->def.restitution_mix = RESTITUTION_MIX_PRODUCT;
	scenario->def.friction_mix = FRICTION_MIX_PRODUCT;
}

/* The edges of its screen, of elasticity and friction 1: left, right, bottom. */
static void
screen_add(struct scenario *scenario)
{
	static const double edges[][4] = { { -320, -240, -320, 240 }, { 320, -240, 320, 240 }, { -320, -240, 320, -240 } };
	for (int i = 0; i < 3; i++)
		edge_add(scenario, edges[i][0], edges[i][1], edges[i][2], edges[i][3], 1)->restitution = 1;
}

static struct circle_def *
disc_add(struct scenario *scenario, double x, double y, double radius, double mass, double friction)
{
	struct circle_def *disc = ball_add(scenario, x, y, radius, 1, friction);
	disc->mass = mass;
	return disc;
}

/* Letters of 5 by 7 cells. */
static const char *const letters[][7] = {
	{ " ### ", "#   #", "#    ", "#    ", "#    ", "#   #", " ### " }, /* C */
	{ " ### ", "#   #", "#   #", "#   #", "#   #", "#   #", " ### " }, /* O */
	{ "#    ", "#    ", "#    ", "#    ", "#    ", "#    ", "#####" }, /* L */
	{ " ### ", "  #  ", "  #  ", "  #  ", "  #  ", "  #  ", " ### " }, /* I */
	{ "#### ", "#   #", "#   #", "#   #", "#   #", "#   #", "#### " }, /* D */
	{ "#####", "#    ", "#    ", "#### ", "#    ", "#    ", "#####" }, /* E */
};
static const int word[] = { 0, 1, 2, 2, 3, 4, 5, 4 };

/* A picture of 188 by 35 pixels, each set one a ball of radius 0.95, mass 1, neither bouncy nor rough, two apart, up to a tenth
 * off. A ball of radius 8 and mass 1e9 that comes at 400 through it. Theirs is the engine's logo, here our own word: each cell
 * of its letters is four by five pixels. */
void
build_logo_smash(struct scenario *scenario)
{
	uint64_t random = 45073;
	for (int y = 0; y < 35; y++) {
		for (int x = 0; x < 188; x++) {
			const int letter = x / 24, column = x % 24 / 4;
			if (letter >= 8 || column >= 5 || letters[word[letter]][y / 5][column] != '#')
				continue;
			const double dx = random_between(&random, 0, 0.05), dy = random_between(&random, 0, 0.05);
			disc_add(scenario, 2 * (x - 94 + dx), 2 * (17 - y + dy), 0.95, 1, 0);
		}
	}
	disc_add(scenario, -1000, -10, 8, 1e9, 0)->vx = 400;
}

void
build_one_way(struct scenario *scenario)
{
	chipmunk_rules(scenario);
	gravity_set(scenario, -100);
	screen_add(scenario);
	struct segment_def *platform = edge_add(scenario, -160, -100, 160, -100, 1);
	platform->radius = 10;
	platform->restitution = 1;
	platform->one_sided = true;
	disc_add(scenario, 0, -200, 15, 10, 0.9)->vy = 170;
}

void
build_simple(struct scenario *scenario)
{
	chipmunk_rules(scenario);
	gravity_set(scenario, -100);
	scenario->def.sleep_after = 0.5;
	edge_add(scenario, -320, -240, 320, -240, 1)->restitution = 1;
	for (int i = 0; i < 2; i++)
		disc_add(scenario, 0, -175 + 200 * i, 15, 10, 0.9)->vy = -20;
}

/* The scale with what is to be weighed on it: the demo's ball, and discs for its boxes. Segment 3 is the scale. */
void
build_contact_graph(struct scenario *scenario)
{
	chipmunk_rules(scenario);
	gravity_set(scenario, -300);
	screen_add(scenario);
	struct segment_def *scale = edge_add(scenario, -240, -180, -140, -180, 1);
	scale->radius = 4;
	scale->restitution = 1;
	disc_add(scenario, -190, -176 + 15 + 5, 15, 10, 0.9);
	for (int i = 0; i < 3; i++)
		disc_add(scenario, -190, -176 + 15 + 5 + 32 * (i + 1), 15, 1, 0.8);
	/* Two that are beside it. */
	disc_add(scenario, 120, -240 + 15 + 5, 15, 10, 0.9);
	disc_add(scenario, 0, -220, 15, 1, 0.8);
	scenario->def.events = WORLD_EVENTS_TOUCH | WORLD_EVENTS_PERSIST;
}

/* Its two sensors: where the emitter is blocked (circle 1000), and what catches the balls at the bottom (segment 0). The test
 * emits and catches. */
void
build_chipmunk_sensors(struct scenario *scenario)
{
	chipmunk_rules(scenario);
	gravity_set(scenario, -100);
	struct circle_def *blocker = disc_add(scenario, 0, 150, 15, 1, 0);
	blocker->id = 1000;
	blocker->kind = BODY_STATIC;
	blocker->sensor = true;
	struct segment_def *catcher = edge_add(scenario, -2000, -200, 2000, -200, 0);
	catcher->radius = 15;
	catcher->sensor = true;
}

/* Its fat segment, its thin one and its circle; the pentagon is none of ours. */
void
build_query(struct scenario *scenario)
{
	edge_add(scenario, -50, 100, 50, 100, 0)->radius = 20;
	edge_add(scenario, 0, 300, 300, 0, 0);
	disc_add(scenario, 100, 100, 20, 1, 0);
}

/* Of its benchmarks "SimpleTerrainCircles": 1,000 circles of radius 5 and mass 1, drawn in a disc of radius 180 over each
 * other, in a closed terrain of 47 edges. The terrain is one of our own of that size. */
void
build_terrain_circles(struct scenario *scenario)
{
	uint64_t random = 45073;
	double points[47][2];
	chipmunk_rules(scenario);
	gravity_set(scenario, -100);
	for (int i = 0; i < 47; i++) {
		const double angle = 2 * PI * i / 47, radius = 195 + 12 * cos(5 * angle) + random_between(&random, 0, 8);
		points[i][0] = radius * cos(angle);
		points[i][1] = radius * sin(angle);
	}
	chain_add(scenario, points[0], 47, true, 0);
	for (int i = 0; i < 1000;) {
		const double x = random_between(&random, -1, 1), y = random_between(&random, -1, 1);
		if (x * x + y * y >= 1)
			continue;
		disc_add(scenario, 170 * x, 170 * y, 5, 1, 0.9);
		i++;
	}
}
