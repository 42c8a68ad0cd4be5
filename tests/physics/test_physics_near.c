/* The resting solver's list of near pairs, by brute force after every tick. Each body in it has the place where it was looked
 * up last: a pair is listed if these places were near each other. So all that could be a contact next is in it. */
#include "physics/scenes.h"

#include "physics/rest_solver/solver.h"
#include "physics/resting/handover.h"
#include "physics/world/world.h"

#include "support/effort.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>

/* What a contact of a circle and a wall reaches beyond the circle's share, in radii, and circles' beyond theirs; and rounding.
 */
static const double active = 0.02, roundings = 1e-9;

struct listed_pairs {
	uint32_t (*pairs)[2];
	size_t count;
};

static void
pair_take(void *context, size_t index, const struct solver_warm *warm)
{
	struct listed_pairs *list = context;
	list->pairs[index][0] = warm->a;
	list->pairs[index][1] = warm->b;
	list->count++;
}

static int
pair_compare(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;
	if (a[0] != b[0])
		return a[0] < b[0] ? -1 : 1;
	return a[1] < b[1] ? -1 : a[1] > b[1];
}

static bool
is_listed(const struct listed_pairs *list, uint32_t a, uint32_t b)
{
	const uint32_t wanted[2] = { a, b };
	return bsearch(wanted, list->pairs, list->count, sizeof *list->pairs, pair_compare) != NULL;
}

/* Two circles: in the list exactly if their shares met; `near` counts those that are. */
static void
circles_check(const struct world *world, const struct solver *solver, const struct listed_pairs *list, uint32_t a, uint32_t b,
              size_t *near)
{
	const struct solver_listing one = solver_listing(solver, a), other = solver_listing(solver, b);
	const double ra = world->bodies.paths[a].radius, rb = world->bodies.paths[b].radius;
	const double distance = hypot(one.x - other.x, one.y - other.y), within = ra + one.share + rb + other.share;
	const bool moves = world->bodies.infos[a].inverse_mass > 0 || world->bodies.infos[b].inverse_mass > 0;

	if (!one.listed || !other.listed || !moves) {
		assert_false(is_listed(list, a, b));
		return;
	}
	if (fabs(distance - within) > 1e-6 * within)
		assert_int_equal(is_listed(list, a, b), distance < within);
	*near += distance < within;
}

static void
wall_check(const struct world *world, const struct solver *solver, const struct listed_pairs *list, uint32_t a, uint32_t wall)
{
	const struct solver_listing one = solver_listing(solver, a);
	const struct segment *s = &world->walls.segments[wall];
	const struct segment_def def = { .x1 = s->x1, .y1 = s->y1, .x2 = s->x2, .y2 = s->y2, .radius = s->radius };
	const double radius = world->bodies.paths[a].radius;

	if (!one.listed || world->bodies.infos[a].inverse_mass == 0 || s->moving)
		return;
	const double apart = segment_distance(&def, one.x, one.y) - radius - one.share;
	if (apart < active * radius * (1 - roundings) - roundings)
		assert_true(is_listed(list, a, wall | SOLVER_WALL));
	else if (apart > active * radius * (1 + 1e-6) + 1e-6)
		assert_false(is_listed(list, a, wall | SOLVER_WALL));
}

/* The pairs that are near, of all. */
static size_t
list_check(const struct world *world)
{
	const struct solver *solver = world->handover ? handover_list(world->handover) : NULL;
	size_t near = 0;
	if (!solver)
		return 0;
	struct listed_pairs list = { .pairs = calloc(solver_pair_count(solver) + 1, sizeof *list.pairs) };
	assert_non_null(list.pairs);
	solver_pairs_visit(solver, pair_take, &list);
	assert_int_equal(list.count, solver_pair_count(solver));
	for (size_t k = 1; k < list.count; k++)
		assert_true(pair_compare(list.pairs[k - 1], list.pairs[k]) < 0);
	for (uint32_t a = 0; a < world->bodies.count; a++) {
		for (uint32_t b = a + 1; b < world->bodies.count; b++)
			circles_check(world, solver, &list, a, b, &near);
		for (uint32_t wall = 0; wall < world->walls.segment_count; wall++)
			wall_check(world, solver, &list, a, wall);
	}
	free(list.pairs);
	return near;
}

/* A bowl with pegs, into which circles of very unlike sizes fall; some are kinematic, and push. */
static void
bowl_make(struct scenario *scenario, uint64_t seed, size_t count)
{
	uint64_t random = seed;
	scenario_init(scenario);
	scenario->def.gravity_y = -10;
	scenario->def.sleep_after = seed % 3 == 0 ? 0.5 : 0;
	double y = 6, x = -8;
	for (int k = 1; k <= 8; k++) {
		const double next = random_between(&random, 0, 1) + 0.1 * (k - 4) * (k - 4);
		scenario_segment(scenario, x, y, -8 + 2 * k, next)->radius = k % 3 == 0 ? 0.1 : 0;
		x = -8 + 2 * k;
		y = next;
	}
	for (size_t i = 0; i < count; i++) {
		const double size = random_between(&random, 0, 1);
		struct circle_def *circle = scenario_circle(scenario, 1.9 * (double)(i % 7) - 6, 7 + 2.1 * (double)(i / 7),
		                                            random_between(&random, -2, 2), 0, 0.03 + 0.9 * size * size * size);
		if (i % 11 == 5) {
			circle->kind = BODY_STATIC;
			circle->vx = circle->vy = 0;
			circle->y = random_between(&random, 2, 4);
		}
		if (i == 20)
			circle->kind = BODY_KINEMATIC;
	}
	scenario_dull(scenario, 0.3, seed % 2 ? 0.02 : 0);
}

static void
test_list_is_as_by_brute_force(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= effort(6, 60); seed++) {
		struct scenario scenario;
		struct run run;
		size_t near = 0;
		bowl_make(&scenario, seed, 60);
		run_start_uncertified(&run, &scenario);
		for (int tick = 0; tick < 150; tick++) {
			run_ticks_unlogged(&run, 1.0 / 60, 1);
			near += list_check(run.world);
			/* Edits renumber, restores begin with no cells. */
			if (tick % 40 == 25) {
				struct def_problem problem;
				const struct edit edit = edit_circle_remove((uint32_t)(tick / 40) * 9 + (uint32_t)seed % 9);
				assert_int_equal(world_edit(run.world, &edit, 1, &problem), STATUS_OK);
			}
			if (tick % 40 == 35) {
				struct snapshot_problem problem;
				const size_t size = world_snapshot_bytes(run.world);
				void *bytes = malloc(size);
				assert_int_equal(world_snapshot(run.world, bytes, size), STATUS_OK);
				world_destroy(run.world);
				assert_int_equal(world_restore(bytes, size, 0, &problem, &run.world), STATUS_OK);
				free(bytes);
			}
		}
		assert_true(near > 1000);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_list_is_as_by_brute_force) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
