#include "physics/joins/cluster.h"

#include <math.h>

const char *const cluster_kind_names[CLUSTER_KINDS] = { "stars", "junctions", "near ends", "crossings", "layers", "surfaces" };

static double
pick(struct cluster *c, double low, double high)
{
	return random_between(&c->random, low, high);
}

static bool
one_in(struct cluster *c, uint64_t count)
{
	return random_below(&c->random, count) == 0;
}

static double
off(struct cluster *c)
{
	return c->unit *
	       (one_in(c, 3) ? (double)random_below(&c->random, 2 * (uint64_t)c->ulps + 1) - c->ulps : pick(c, -1, 1) * c->ulps);
}

/* A small length: some ulp, or anything up to an arm. */
static double
little(struct cluster *c)
{
	return one_in(c, 2) ? c->unit * pick(c, 0, 70) : pick_log(&c->random, c->unit, 0.3 * c->arm);
}

static void
wall_add(struct cluster *c, struct scenario *scenario, double x1, double y1, double x2, double y2)
{
	const bool turned = one_in(c, 2);
	if (x1 == x2 && y1 == y2)
		return;
	struct segment_def *wall = turned ? scenario_segment(scenario, x2, y2, x1, y1) : scenario_segment(scenario, x1, y1, x2, y2);
	wall->one_sided = pick(c, 0, 1) < c->sided;
	wall->radius = c->mixed && one_in(c, 2) ? 0 : c->thick;
	wall->category = c->masked && one_in(c, 2) ? 2 : 1;
}

/* From (x, y) on. */
static void
ray_add(struct cluster *c, struct scenario *scenario, double x, double y, double heading)
{
	const double length = one_in(c, 6) ? little(c) : c->arm * (one_in(c, 3) ? pick_log(&c->random, 1e-6, 1) : pick(c, 0.3, 1));
	wall_add(c, scenario, x, y, x + length * cos(heading), y + length * sin(heading));
}

static double
any_heading(struct cluster *c)
{
	return one_in(c, 3) ? JOINS_PI / 2 * (double)random_below(&c->random, 4) : pick(c, 0, 2 * JOINS_PI);
}

static void
star_add(struct cluster *c, struct scenario *scenario)
{
	const int count = 2 + (int)random_below(&c->random, one_in(c, 2) ? 3 : 19);
	const double middle = any_heading(c), half = one_in(c, 2) ? JOINS_PI : pick(c, 0.01, 1.5);
	double x = c->x, y = c->y;
	for (int i = 0; i < count; i++) {
		/* Some share their end with the one before. */
		if (!one_in(c, 3)) {
			x = c->x + off(c);
			y = c->y + off(c);
		}
		ray_add(c, scenario, x, y, one_in(c, 4) ? any_heading(c) : middle + pick(c, -half, half));
	}
}

/* Stubs that end at the place, up to ulps. */
static void
stubs_add(struct cluster *c, struct scenario *scenario, double heading)
{
	const int count = 1 + (int)random_below(&c->random, 5);
	for (int i = 0; i < count; i++)
		ray_add(c, scenario, c->x + off(c), c->y + off(c), one_in(c, 4) ? heading + JOINS_PI / 2 : any_heading(c));
}

static void
junction_add(struct cluster *c, struct scenario *scenario)
{
	const double heading = any_heading(c), ux = cos(heading), uy = sin(heading), a = c->arm * pick(c, 0.2, 1),
				 b = c->arm * pick(c, 0.2, 1);
	wall_add(c, scenario, c->x - a * ux, c->y - a * uy, c->x + b * ux, c->y + b * uy);
	stubs_add(c, scenario, heading);
}

/* The wall goes on beyond the place by little, or ends before it. */
static void
near_end_add(struct cluster *c, struct scenario *scenario)
{
	const double heading = any_heading(c), ux = cos(heading), uy = sin(heading), a = c->arm * pick(c, 0.2, 1);
	const double b = one_in(c, 3) ? -c->unit * pick(c, 0, 70) : little(c);
	wall_add(c, scenario, c->x - a * ux, c->y - a * uy, c->x + b * ux, c->y + b * uy);
	stubs_add(c, scenario, heading);
	if (one_in(c, 3)) /* and goes on from there as another wall */
		ray_add(c, scenario, c->x + b * ux + off(c), c->y + b * uy + off(c), heading + pick(c, -1, 1));
}

static void
crossing_add(struct cluster *c, struct scenario *scenario)
{
	const int count = 2 + (int)random_below(&c->random, 4);
	for (int i = 0; i < count; i++) {
		const double heading = any_heading(c), ux = cos(heading), uy = sin(heading), a = c->arm * pick(c, 0.2, 1);
		const double b = one_in(c, 3) ? c->arm * pick(c, 0.2, 1) : little(c), dx = off(c), dy = off(c);
		wall_add(c, scenario, c->x - a * ux + dx, c->y - a * uy + dy, c->x + b * ux + dx, c->y + b * uy + dy);
	}
}

/* Walls along each other, little apart, each of which ends somewhere. */
static void
layers_add(struct cluster *c, struct scenario *scenario)
{
	const double heading = any_heading(c), ux = cos(heading), uy = sin(heading);
	const int count = 2 + (int)random_below(&c->random, 4);
	for (int i = 0; i < count; i++) {
		const double h = one_in(c, 3) ? off(c) : (one_in(c, 2) ? 1 : -1) * little(c), bend = one_in(c, 2) ? 0 : little(c);
		const double a = one_in(c, 2) ? c->arm * pick(c, 0.2, 1) : little(c), b = one_in(c, 2) ? c->arm : little(c);
		wall_add(c, scenario, c->x - a * ux - h * uy, c->y - a * uy + h * ux, c->x + b * ux - (h + bend) * uy,
		         c->y + b * uy + (h + bend) * ux);
	}
	if (one_in(c, 2))
		stubs_add(c, scenario, heading);
}

/* A thick wall, and thinner ones that end on its surface: over its middle, over an end, or on the cap. */
static void
surfaces_add(struct cluster *c, struct scenario *scenario)
{
	const double heading = any_heading(c), ux = cos(heading), uy = sin(heading),
				 thick = c->arm * pick_log(&c->random, 1e-3, 0.3);
	const double rest = one_in(c, 2) ? 0 : one_in(c, 2) ? little(c) : c->arm * pick(c, 0.2, 1);
	const double keep = c->thick, turn = one_in(c, 2) ? 0 : pick(c, 0, 2 * JOINS_PI);
	const int count = 1 + (int)random_below(&c->random, 4);
	c->thick = thick;
	c->mixed = false;
	/* It ends `rest` beyond the place under the one on its surface. */
	const double nx = -uy * cos(turn) + ux * sin(turn), ny = ux * cos(turn) + uy * sin(turn);
	const double x = c->x - thick * nx, y = c->y - thick * ny;
	wall_add(c, scenario, x - c->arm * ux, y - c->arm * uy, x + rest * ux, y + rest * uy);
	for (int i = 0; i < count; i++) {
		const double thin = one_in(c, 2) ? 0 : thick * pick(c, 0, 1);
		c->thick = thin;
		ray_add(c, scenario, c->x - thin * nx + off(c), c->y - thin * ny + off(c), any_heading(c));
	}
	c->thick = keep;
}

/* Pairs of walls on a ring far away, which nothing comes to. */
static void
crowd_add(struct cluster *c, struct scenario *scenario)
{
	for (int i = 0; i < 70; i++) {
		const double at = 2 * JOINS_PI * i / 70, far = 1e3 * c->arm, x = c->x + far * cos(at), y = c->y + far * sin(at);
		ray_add(c, scenario, x, y, at);
		ray_add(c, scenario, x, y, at + 1);
	}
}

void
cluster_points_drop(struct scenario *scenario)
{
	size_t kept = 0;
	for (size_t i = 0; i < scenario->segment_count; i++) {
		const struct segment_def wall = scenario->segments[i];
		if (wall.x1 != wall.x2 || wall.y1 != wall.y2)
			scenario->segments[kept++] = wall;
	}
	scenario->segment_count = kept;
}

struct cluster
cluster_begin(uint64_t seed, double arm_max)
{
	static const double offsets[] = { 0, 1, 1e3, 1e6, 1e9 };
	static const int ulps[] = { 0, 1, 2, 4, 8, 16, 17, 40, 70 };
	struct cluster cluster = { .random = seed }, *c = &cluster;
	c->kind = (enum cluster_kind)random_below(&c->random, CLUSTER_KINDS);
	const double offset = offsets[random_below(&c->random, 5)];
	c->arm = one_in(c, 3) ? 3 : pick_log(&c->random, 0.1, arm_max);
	c->x = (one_in(c, 2) ? 3 : pick(c, -4, 4)) + offset;
	c->y = (one_in(c, 2) ? 3 : pick(c, -4, 4)) + offset * (one_in(c, 2) ? 1 : pick(c, -1, 1));
	c->unit = ulp_of(fmax(fabs(c->x), fabs(c->y)) + c->arm);
	c->ulps = ulps[random_below(&c->random, 9)];
	c->sided = one_in(c, 6) ? one_in(c, 2) ? 0.5 : 1 : 0;
	c->masked = one_in(c, 8);
	c->crowded = one_in(c, 12);
	return cluster;
}

void
cluster_walls_add(struct cluster *c, struct scenario *scenario)
{
	static void (*const makers[])(struct cluster *, struct scenario *) = { star_add,     junction_add, near_end_add,
		                                                                   crossing_add, layers_add,   surfaces_add };
	makers[c->kind](c, scenario);
	if (c->crowded)
		crowd_add(c, scenario);
	cluster_points_drop(scenario);
}
