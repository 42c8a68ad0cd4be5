/* What is pushed out of overlap at a tick's start, and walls. Random crowds in random walls, thick, thin, of one side and of
 * two, alone, in chains and in T-junctions. Each move is followed in long double by formulas of this file. It leads into no
 * wall that the circle was not in, of one-sided ones from their left, and what is left inside is told with its depth.
 *
 * argv: number of scenes (default 1,500). */
#include "physics/scenario.h"

#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CIRCLES_MAX 40
#define WALLS_MAX 7
/* Halvings, or thirds, of a stretch: all bits of a long double. */
#define STEPS 160

static uint64_t scene_count = 1500;

typedef long double real;

struct place {
	real x, y;
};

/* Where a point is from a wall: its distance, its height over the wall's line, left of it > 0, and how far along it its foot
 * is. */
struct stand {
	real distance, height, along, length;
};

static struct stand
stand_of(const struct segment_def *wall, struct place p)
{
	real ux = (real)wall->x2 - wall->x1, uy = (real)wall->y2 - wall->y1, length = sqrtl(ux * ux + uy * uy);
	real px = p.x - wall->x1, py = p.y - wall->y1, along = (px * ux + py * uy) / length;
	real foot = along < 0 ? 0 : along > length ? length : along;
	real dx = px - foot * ux / length, dy = py - foot * uy / length;
	return (struct stand){ sqrtl(dx * dx + dy * dy), (ux * py - uy * px) / length, along, length };
}

static struct place
between(struct place from, struct place to, real part)
{
	return (struct place){ from.x + part * (to.x - from.x), from.y + part * (to.y - from.y) };
}

/* The part of a straight way at which it is nearest to the wall: its distance is a convex function of that. */
static real
nearest_part(const struct segment_def *wall, struct place from, struct place to)
{
	real low = 0, high = 1;
	for (int i = 0; i < STEPS; i++) {
		const real first = low + (high - low) / 3, second = high - (high - low) / 3;
		if (stand_of(wall, between(from, to, first)).distance < stand_of(wall, between(from, to, second)).distance)
			high = second;
		else
			low = first;
	}
	return high;
}

/* Where it comes to a distance on its way up to `part`, at which it is nearer. */
static struct place
entry_place(const struct segment_def *wall, struct place from, struct place to, real part, real distance)
{
	real low = 0, high = part;
	for (int i = 0; i < STEPS; i++) {
		const real middle = (low + high) / 2;
		if (stand_of(wall, between(from, to, middle)).distance < distance)
			high = middle;
		else
			low = middle;
	}
	return between(from, to, high);
}

struct scene {
	struct scenario scenario;
	uint64_t random;
	double size, far;
};

static double
pick(struct scene *scene, double low, double high)
{
	return random_between(&scene->random, low, high);
}

static bool
one_in(struct scene *scene, uint64_t count)
{
	return random_below(&scene->random, count) == 0;
}

/* A wall: alone, from the last one's end, or from a point of it. */
static void
wall_add(struct scene *scene)
{
	struct scenario *s = &scene->scenario;
	struct segment_def last = s->segment_count > 0 ? s->segments[s->segment_count - 1] : segment_def_default();
	double x1 = scene->far + pick(scene, -scene->size, scene->size), y1 = pick(scene, -scene->size, scene->size);
	const double x2 = scene->far + pick(scene, -scene->size, scene->size), y2 = pick(scene, -scene->size, scene->size);
	const bool joined = s->segment_count > 0 && !one_in(scene, 3), crossed = joined && one_in(scene, 3);
	if (joined) {
		const double part = crossed ? pick(scene, 0, 1) : 1;
		x1 = crossed ? last.x1 + part * (last.x2 - last.x1) : last.x2;
		y1 = crossed ? last.y1 + part * (last.y2 - last.y1) : last.y2;
	}
	struct segment_def *wall = scenario_segment(s, x1, y1, x2, y2);
	wall->one_sided = !one_in(scene, 3);
	wall->radius = joined ? last.radius : one_in(scene, 3) ? pick(scene, 0.01, 0.5) : 0;
}

static void
scene_make(struct scene *scene, uint64_t seed)
{
	*scene = (struct scene){ .random = seed };
	scenario_init(&scene->scenario);
	scene->size = pick(scene, 0.5, 4);
	scene->far = one_in(scene, 3) ? pow(10, pick(scene, 0, 7)) : 0;
	const size_t circles = 2 + random_below(&scene->random, CIRCLES_MAX - 2),
				 walls = 1 + random_below(&scene->random, WALLS_MAX - 1);
	for (size_t i = 0; i < circles; i++) {
		const double x = scene->far + pick(scene, -scene->size, scene->size), y = pick(scene, -scene->size, scene->size);
		struct circle_def *circle = scenario_circle(&scene->scenario, x, y, 0, 0,
		                                            one_in(scene, 2) ? 0.5 : pick(scene, 0.05, 1));
		circle->mass = pow(10, pick(scene, -1, 1));
		if (one_in(scene, 20))
			circle->kind = BODY_STATIC;
	}
	for (size_t i = 0; i < walls; i++)
		wall_add(scene);
}

/* The skin as physics.h states it, of the wall's coordinates and of where the circle is. */
static real
skin_of(const struct circle_def *circle, const struct segment_def *wall, struct place p)
{
	const double of_wall = fmax(fmax(fabs(wall->x1), fabs(wall->y1)), fmax(fabs(wall->x2), fabs(wall->y2)));
	return pair_skin(fmax(of_wall, (double)fmaxl(fabsl(p.x), fabsl(p.y))), circle->radius);
}

/* Whether the end of the wall nearest to the place is an end or a point of another one-sided wall that the circle is in, but
 * for its skin. Then it passes both. */
static bool
in_next_link(const struct scene *scene, const struct circle_def *circle, const struct segment_def *wall, struct place p)
{
	const struct stand at = stand_of(wall, p);
	if (at.along > 0 && at.along < at.length)
		return false;
	const struct place end = at.along <= 0 ? (struct place){ wall->x1, wall->y1 } : (struct place){ wall->x2, wall->y2 };
	for (size_t k = 0; k < scene->scenario.segment_count; k++) {
		const struct segment_def *next = &scene->scenario.segments[k];
		const real skin = skin_of(circle, next, p);
		if (next != wall && next->one_sided && stand_of(next, end).distance <= skin &&
		    stand_of(next, p).distance < circle->radius + (real)next->radius + skin)
			return true;
	}
	return false;
}

/* How deep a move leads into a wall that it has to stop at; 0: not. */
static real
move_depth(const struct scene *scene, const struct circle_def *circle, const struct segment_def *wall, struct place from,
           struct place to)
{
	const real radii = circle->radius + (real)wall->radius, skin = skin_of(circle, wall, from);
	const real distance = stand_of(wall, from).distance;
	if (distance > radii + skin + hypotl(to.x - from.x, to.y - from.y))
		return 0;
	if (distance < radii - skin)
		return 0; /* it is in it already: of one side it passes, of two it is told */
	const real part = nearest_part(wall, from, to), depth = radii - stand_of(wall, between(from, to, part)).distance;
	const real least = fmaxl(radii - distance, 0) + skin / 16;
	if (depth <= least)
		return 0;
	const struct place entry = entry_place(wall, from, to, part, radii - least);
	if (wall->one_sided && (stand_of(wall, entry).height <= skin || in_next_link(scene, circle, wall, entry)))
		return 0;
	return depth;
}

/* Follows the moves of the first tick; `at` becomes where they end. */
static void
moves_follow(const struct scene *scene, const struct tick_report *report, struct place *at, uint64_t seed)
{
	const struct scenario *s = &scene->scenario;
	for (size_t k = 0; k < report->path_change_count; k++) {
		const struct path_change *change = &report->path_changes[k];
		if (change->kind != PATH_PUSHED)
			continue;
		struct place *from = &at[change->body];
		const struct place to = { (double)((double)from->x + change->vector[0]),
			                      (double)((double)from->y + change->vector[1]) };
		for (size_t w = 0; w < s->segment_count; w++) {
			const real depth = move_depth(scene, &s->circles[change->body], &s->segments[w], *from, to);
			if (depth > 0)
				fail_msg("seed %llu: circle %u is pushed %Lg deep into wall %zu", (unsigned long long)seed, change->body, depth,
				         w);
		}
		*from = to;
	}
}

/* What is in a wall of two sides is told, with its depth. */
static void
rest_judge(const struct scene *scene, const struct run *run, const struct place *at, uint64_t seed)
{
	const struct scenario *s = &scene->scenario;
	for (uint32_t i = 0; i < s->circle_count; i++) {
		real deepest = 0;
		for (size_t w = 0; w < s->segment_count; w++) {
			const struct segment_def *wall = &s->segments[w];
			const real depth = s->circles[i].radius + (real)wall->radius - stand_of(wall, at[i]).distance;
			if (!wall->one_sided && depth > skin_of(&s->circles[i], wall, at[i]) / 16)
				deepest = fmaxl(deepest, depth);
		}
		if (!(deepest > 0) || s->circles[i].kind != BODY_DYNAMIC)
			continue;
		const struct shortfall *told = run_shortfall(run, i, BODY_FLAG_INITIAL_OVERLAP);
		if (!told)
			fail_msg("seed %llu: circle %u is %Lg deep in a wall and not told", (unsigned long long)seed, i, deepest);
		assert_at_most((double)deepest, told->amount * (1 + 1e-6));
	}
}

static void
test_no_move_leads_into_a_wall(void **state)
{
	(void)state;
	size_t moves = 0, told = 0;
	for (uint64_t seed = 1; seed <= scene_count; seed++) {
		static struct scene scene;
		struct place at[CIRCLES_MAX];
		struct run run;
		scene_make(&scene, seed);
		for (size_t i = 0; i < scene.scenario.circle_count; i++)
			at[i] = (struct place){ scene.scenario.circles[i].x, scene.scenario.circles[i].y };
		run_start(&run, &scene.scenario);
		run_ticks(&run, 1.0 / 60, 1);
		moves_follow(&scene, &run.report, at, seed);
		rest_judge(&scene, &run, at, seed);
		for (uint32_t i = 0; i < scene.scenario.circle_count; i++) {
			assert_same((double)at[i].x, run_body(&run, i).x);
			assert_same((double)at[i].y, run_body(&run, i).y);
		}
		moves += run.change_count;
		told += run.shortfall_count;
		run_finish(&run);
		scenario_finish(&scene.scenario);
	}
	/* The scenes are such that both happen. */
	assert_true(moves > scene_count && told > scene_count / 10);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_move_leads_into_a_wall),
	};
	if (argc > 1)
		scene_count = strtoull(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
