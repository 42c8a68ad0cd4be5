/* Nothing is passed over, without any motion. Around heaps of ends (cluster.h), and for centres anywhere near them, some
 * feature is there for the circle that just touches the nearest wall. A feature is a face that the centre's foot is on, or an
 * end that the engine says is touched (vertex_touched). In long double it must be as near as the nearest point of all walls. An
 * end may be off the wall that hides it by 16 ulp.
 *
 * -scenes N (default 4,000, of 60 centres), -seed S (1), -scene I: one of them. */
#include "physics/joins/cluster.h"

#include "physics/prediction/predict.h"

#include <math.h>
#include <stdio.h>

#define CENTRES 60
/* 16 ulp, as docs/physics.md has it. */
#define OFF 0x1p-48L

static uint64_t seed = 1, scenes = 4000, only = UINT64_MAX;

struct sum {
	uint64_t centres, hidden, wrong;
	long double worst; /* of what an end may be off */
};

struct probe {
	const struct scenario *scenario;
	const struct world *world;
	const struct body_info *info;
	struct body body; /* the circle that just touches */
	long double distance, size;
};

static bool
meets(const struct probe *probe, const struct segment_def *wall)
{
	return (wall->category & probe->info->mask) != 0;
}

static long double
skin_of(const struct probe *probe)
{
	return fmaxl(0x1p-46L * probe->size, 1e-9L * probe->distance);
}

/* The centre, as a wall sees it: along it and over it. */
static void
wall_view(const struct segment_def *wall, long double x, long double y, long double *along, long double *height,
          long double *length)
{
	const long double lx = (long double)wall->x2 - wall->x1, ly = (long double)wall->y2 - wall->y1, px = x - wall->x1,
					  py = y - wall->y1;
	*length = hypotl(lx, ly);
	*along = (px * lx + py * ly) / *length;
	*height = fabsl(lx * py - ly * px) / *length;
}

/* How far the nearest wall's rim is; infinity: it meets none. */
static long double
nearest(const struct probe *probe, long double x, long double y)
{
	long double least = INFINITY;
	for (size_t i = 0; i < probe->scenario->segment_count; i++) {
		const struct segment_def *wall = &probe->scenario->segments[i];
		long double along, height, length;
		if (!meets(probe, wall))
			continue;
		wall_view(wall, x, y, &along, &height, &length);
		if (along < 0)
			height = hypotl(x - wall->x1, y - wall->y1);
		else if (along > length)
			height = hypotl(x - wall->x2, y - wall->y2);
		least = fminl(least, height - wall->radius);
	}
	return least;
}

/* The nearest of what the engine does not pass over. */
static long double
shown(const struct probe *probe, bool *hidden)
{
	const long double x = probe->body.x, y = probe->body.y;
	long double least = INFINITY;
	for (size_t i = 0; i < probe->scenario->segment_count; i++) {
		const struct segment_def *wall = &probe->scenario->segments[i];
		const long double margin = skin_of(probe) / 2;
		long double along, height, length;
		if (!meets(probe, wall))
			continue;
		wall_view(wall, x, y, &along, &height, &length);
		if (along >= -margin && along <= length + margin)
			least = fminl(least, height - wall->radius);
	}
	for (uint32_t i = 0; i < probe->world->walls.vertex_count; i++) {
		const struct vertex *v = &probe->world->walls.vertices[i];
		const long double far = hypotl(x - v->x, y - v->y) - v->radius;
		const bool touched = !v->dead &&
		                     vertex_touched(probe->world, probe->info, &probe->body, i, probe->body.x, probe->body.y);
		if (touched)
			least = fminl(least, far);
		/* The nearest feature of all, passed over. */
		*hidden = *hidden || (!touched && far <= probe->distance * (1 + 1e-15L));
	}
	return least;
}

/* Around a wall's end: in any direction, or at the border of its face or of another wall's. */
static void
centre_choose(struct cluster *c, const struct scenario *scenario, double *x, double *y)
{
	size_t count = 1;
	/* Those of the heap come first, then those that are far away. */
	while (count < scenario->segment_count &&
	       hypot(scenario->segments[count].x1 - c->x, scenario->segments[count].y1 - c->y) < 9 * c->arm)
		count++;
	const struct segment_def *wall = &scenario->segments[random_below(&c->random, count)];
	const struct segment_def *other = &scenario->segments[random_below(&c->random, count)];
	const bool first = random_below(&c->random, 2) == 0;
	const double size = fmax(fabs(c->x), fabs(c->y)) + c->arm;
	const double far = pick_log(&c->random, 0x1p-45 * size, random_below(&c->random, 4) == 0 ? 1e4 * size : c->arm);
	const double heading = random_below(&c->random, 3) == 0 ? random_between(&c->random, 0, 2 * JOINS_PI)
	                                                        : atan2(other->y2 - other->y1, other->x2 - other->x1) +
	                                                              JOINS_PI / 2 * (double)random_below(&c->random, 4);
	const double aside = 0x1p-46 * fmax(size, far) * random_between(&c->random, -2, 2) * (double)random_below(&c->random, 2);
	*x = (first ? wall->x1 : wall->x2) + far * cos(heading) - aside * sin(heading);
	*y = (first ? wall->y1 : wall->y2) + far * sin(heading) + aside * cos(heading);
}

static void
centre_judge(struct cluster *c, const struct scenario *scenario, const struct world *world, uint64_t index, struct sum *sum)
{
	struct probe probe = { .scenario = scenario, .world = world, .info = &world->bodies.infos[random_below(&c->random, 3)] };
	double x, y;
	bool hidden = false;
	centre_choose(c, scenario, &x, &y);
	probe.distance = nearest(&probe, x, y);
	probe.size = fmax(fmax(fabs(x), fabs(y)), fmax(fabs(c->x), fabs(c->y)) + c->arm);
	const double radius = (double)(probe.distance - skin_of(&probe));
	if (!(radius > 0 && probe.distance < INFINITY))
		return;
	probe.body = (struct body){ .x = x, .y = y, .radius = radius };
	const long double off = OFF * (fmax(fabs(c->x), fabs(c->y)) + c->arm), late = shown(&probe, &hidden) - probe.distance;
	sum->centres++;
	sum->hidden += hidden;
	sum->worst = fmaxl(sum->worst, late / off);
	/* An ulp of rounding. */
	if (late <= off + 0x1p-52L * (probe.size + probe.distance))
		return;
	if (sum->wrong++ < trial_shown_max)
		printf(
			"scene %llu, %s: at (%.17g, %.17g) all that is shown is %.3Lg farther than the nearest wall, %.3Lg away: %.3Lg of 16 ulp\n",
			(unsigned long long)index, cluster_kind_names[c->kind], x, y, late, probe.distance, late / off);
}

static void
scene_judge(uint64_t index, struct sum sums[CLUSTER_KINDS])
{
	struct cluster c = cluster_begin((seed << 32) + index, 300);
	struct scenario scenario;
	struct world *world = NULL;
	struct def_problem problem;
	scenario_init(&scenario);
	c.sided = 0;
	if (random_below(&c.random, 4) == 0) {
		c.thick = c.arm * pick_log(&c.random, 1e-4, 0.1);
		c.mixed = random_below(&c.random, 2) == 0;
	}
	cluster_walls_add(&c, &scenario);
	for (uint32_t i = 1; i <= 3; i++)
		scenario_circle(&scenario, c.x + 100 * c.arm * i, c.y, 0, 0, c.arm)->mask = i;
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_OK);
	for (int i = 0; i < CENTRES && scenario.segment_count > 0; i++)
		centre_judge(&c, &scenario, world, index, &sums[c.kind]);
	world_destroy(world);
	scenario_finish(&scenario);
}

static void
test_nothing_is_passed_over(void **state)
{
	(void)state;
	struct sum sums[CLUSTER_KINDS] = { 0 };
	uint64_t wrong = 0, hidden = 0;
	for (uint64_t i = only < UINT64_MAX ? only : 0; i < (only < UINT64_MAX ? only + 1 : scenes); i++)
		scene_judge(i, sums);
	for (int i = 0; i < CLUSTER_KINDS; i++) {
		printf("%s: %llu centres, %llu with the nearest end hidden, %llu with nothing there; worst %.3Lg of 16 ulp\n",
		       cluster_kind_names[i], (unsigned long long)sums[i].centres, (unsigned long long)sums[i].hidden,
		       (unsigned long long)sums[i].wrong, sums[i].worst);
		wrong += sums[i].wrong;
		hidden += sums[i].hidden;
	}
	assert_int_equal(wrong, 0);
	assert_true(hidden > 0);
}

int
main(int argc, char **argv)
{
	trial_shown_max = argument_read(argc, argv, "-show", trial_shown_max);
	seed = argument_read(argc, argv, "-seed", seed);
	scenes = argument_read(argc, argv, "-scenes", scenes);
	only = argument_read(argc, argv, "-scene", only);
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_nothing_is_passed_over) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
