/* Which walls meet others at an acute angle: as all pairs of a vertex say, and in a time that grows with the number of walls.
 */
#include "physics/scenario.h"

#include "physics/world/vertex.h"

#include "support/long_case.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>

/* A spoke is counted, asked, and looked at by at most eight others. */
#define READS_PER_SPOKE 10u

/* Walls from the origin to (x, y). */
static struct world *
fan_create(double (*ends)[2], size_t count)
{
	struct segment_def *walls = calloc(count, sizeof *walls);
	struct world_def def = world_def_default();
	struct def_problem problem;
	struct world *world = NULL;

	assert_non_null(walls);
	for (size_t i = 0; i < count; i++) {
		walls[i] = segment_def_default();
		walls[i].id = (uint32_t)i;
		walls[i].x2 = ends[i][0];
		walls[i].y2 = ends[i][1];
	}
	def.segments = walls;
	def.segment_count = count;
	assert_int_equal(world_create(&def, &problem, &world), STATUS_OK);
	free(walls);
	return world;
}

/* By the definition: any other wall that passes through an end, or leaves it at less than a right angle. */
static bool
acute_by_pairs(const struct world *world, uint32_t index)
{
	const struct segment *s = &world->walls.segments[index];

	for (int end = 0; end < 2; end++) {
		const struct vertex *v = &world->walls.vertices[s->vertex[end]];

		for (uint32_t k = v->first_spoke; k < v->first_spoke + v->spoke_count; k++) {
			const struct spoke *spoke = &world->walls.spokes[k];
			double along = spoke->ux * s->ux + spoke->uy * s->uy;

			if (spoke->segment != index && (spoke->feature == FEATURE_FACE || (end ? along < 0.0 : along > 0.0)))
				return true;
		}
	}
	return false;
}

/* Few and many, short and long, on the axes and diagonals and anywhere. */
static void
test_fans_as_by_pairs(void **state)
{
	(void)state;
	uint64_t random = 41;
	size_t acute = 0, others = 0;

	for (int round = 0; round < 2000; round++) {
		size_t count = 1 + random_below(&random, round % 2 == 0 ? 4 : 12);
		double ends[12][2];

		for (size_t i = 0; i < count; i++) {
			double scale = ldexp(1.0, (int)random_below(&random, 60) - 30);
			bool plain = random_below(&random, 2) == 0;

			ends[i][0] = scale * (plain ? (double)random_below(&random, 3) - 1.0 : random_between(&random, -1.0, 1.0));
			ends[i][1] = scale * (plain ? (double)random_below(&random, 3) - 1.0 : random_between(&random, -1.0, 1.0));
			if (ends[i][0] == 0.0 && ends[i][1] == 0.0)
				ends[i][0] = scale;
		}
		struct world *world = fan_create(ends, count);

		for (uint32_t i = 0; i < count; i++) {
			assert_int_equal(world->walls.segments[i].acute, acute_by_pairs(world, i));
			*(world->walls.segments[i].acute ? &acute : &others) += 1;
		}
		world_destroy(world);
	}
	assert_true(acute > 1000 && others > 1000);
}

/* The first half to one side and the second half to the other: each of those passes all of the first before it finds one near.
 */
static void
test_a_shared_end_in_linear_time(void **state)
{
	(void)state;
	static double ends[20000][2];
	const size_t count = sizeof ends / sizeof ends[0];

	for (size_t i = 0; i < count; i++) {
		double side = i < count / 2 ? -1.0 : 1.0;

		ends[i][0] = side * 1000.0;
		ends[i][1] = side * (1.0 + (double)(i % (count / 2)) / 16.0);
	}
	struct world *world = fan_create(ends, count);
	uint64_t reads = acute_find(world);

	assert_true(reads >= world->walls.spoke_count);
	assert_true(reads <= (uint64_t)READS_PER_SPOKE * world->walls.spoke_count);
	for (uint32_t i = 0; i < count; i++)
		assert_true(world->walls.segments[i].acute);
	world_destroy(world);
}

/* Quarter turns, and then a reflection. */
static void
turned(int turns, bool mirrored, double x, double y, double out[2])
{
	for (int i = 0; i < turns; i++) {
		const double left = -y;

		y = x;
		x = left;
	}
	out[0] = mirrored ? -x : x;
	out[1] = y;
}

/* A corner of two walls and a third along one of them: together they leave three quarters of all directions free. So what comes
 * along the middle of these meets the corner and goes back, in whatever order the walls are. */
static void
test_a_wall_along_another_hides_no_corner(void **state)
{
	(void)state;
	static const double walls[3][2] = { { 0, -4 }, { -4, 0 }, { 0, -8 } };
	static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

	for (int way = 0; way < 48; way++) {
		struct scenario scenario;
		struct run run;
		double at[2], v[2];

		scenario_init(&scenario);
		for (int i = 0; i < 3; i++) {
			turned(way % 4, way / 4 % 2, walls[orders[way / 8][i]][0], walls[orders[way / 8][i]][1], at);
			scenario_segment(&scenario, 0, 0, at[0], at[1]);
		}
		turned(way % 4, way / 4 % 2, 3, 3, at);
		turned(way % 4, way / 4 % 2, -2, -2, v);
		scenario_circle(&scenario, at[0], at[1], v[0], v[1], 1);
		run_start(&run, &scenario);
		run_ticks(&run, 1.0 / 60, 120);
		assert_int_equal(run.contact_count, 1);
		const struct contact *contact = &run.contacts[0].contact;
		assert_true(contact->feature != FEATURE_FACE);
		assert_double_near(run.contacts[0].at, (3.0 - sqrt(0.5)) / 2.0, 1e-4);
		for (int i = 0; i < 2; i++)
			assert_double_near(contact->a_after[i], -v[i], 1e-12);
		run_end(&run, &scenario);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fans_as_by_pairs),
		cmocka_unit_test(test_a_wall_along_another_hides_no_corner),
		long_case(test_a_shared_end_in_linear_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
