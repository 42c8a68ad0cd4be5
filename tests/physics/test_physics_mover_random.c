/* The mover in random scenes: it never goes into anything, and it stops only where it must. */
#include "physics/mover.h"
#include "physics/mover_check.h"
#include "physics/space_scene.h"
#include "support/assert_double.h"
#include "support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned moves = 20000;

/* At a standstill every way that leads along the push leads nearer to something that it is at. */
static void
check_blocked(const struct world_def *def, const struct mover *mover, const struct space_filter *filter,
              const struct mover_path *path)
{
	double length = sqrt(mover->move_x * mover->move_x + mover->move_y * mover->move_y), step = path->skin;

	for (int i = -15; i <= 15; i++) {
		/* A direction within 83 degrees of the push, rationally. */
		double t = i * 0.05, cosine = (1 - t * t) / (1 + t * t), sine = 2 * t / (1 + t * t);
		double x = path->x + step * (cosine * mover->move_x - sine * mover->move_y) / length;
		double y = path->y + step * (sine * mover->move_x + cosine * mover->move_y) / length;
		bool held = false;

		for (size_t shape = 0; shape < mover_check_count(def) && !held; shape++) {
			real here = mover_check_gap(def, shape, mover, path->x, path->y, path->x, path->y);

			held = mover_check_meets(def, shape, filter) && here <= 1.26 * path->skin &&
			       mover_check_gap(def, shape, mover, x, y, x, y) < here;
		}
		if (!held)
			fail_msg("blocked at %.17g %.17g r %.17g skin %g, but could go on at %g of the push %g %g, sine %g; legs %zu",
			         path->x, path->y, mover->radius, path->skin, cosine, mover->move_x, mover->move_y, sine, path->leg_count);
	}
}

static void
check_end(const struct world_def *def, const struct mover *mover, const struct space_filter *filter,
          const struct mover_path *path, bool in_something)
{
	assert_double_near(path->remaining_x, mover->move_x * (1 - path->fraction), 1e-9 * fabs(mover->move_x));
	assert_double_near(path->remaining_y, mover->move_y * (1 - path->fraction), 1e-9 * fabs(mover->move_y));
	assert_true((path->end == MOVER_DONE) == (path->fraction == 1));
	if (path->end == MOVER_LEGS)
		assert_int_equal(path->leg_count, mover->legs_max);
	if (!in_something)
		assert_double_same_bits(path->depth, 0.0);
	if (path->end == MOVER_BLOCKED && !in_something && path->skin < 0.02 * mover->radius)
		check_blocked(def, mover, filter, path);
}

static bool
starts_in_something(const struct world_def *def, const struct mover *mover, const struct space_filter *filter)
{
	for (size_t shape = 0; shape < mover_check_count(def); shape++)
		if (mover_check_meets(def, shape, filter) &&
		    mover_check_gap(def, shape, mover, mover->x, mover->y, mover->x, mover->y) < 0)
			return true;
	return false;
}

static void
test_it_goes_into_nothing(void **state)
{
	(void)state;
	static struct space_scene scene;
	uint64_t random = 17;
	struct mover_path path = { .leg_count = 0 };
	unsigned ends[3] = { 0 }, deep = 0, legs_most = 0;

	for (unsigned done = 0; done < moves;) {
		space_scene_make(&scene, (enum space_scene_kind)random_below(&random, SPACE_SCENE_KINDS), &random);

		struct space *space = space_scene_space(&scene);
		struct space_filter filter = space_filter_default();

		filter.mask = random_below(&random, 4) ? UINT32_MAX : (uint32_t)random_below(&random, 8);
		for (unsigned i = 0; i < 50 && done < moves; i++, done++) {
			double place[2], way[2];
			struct mover mover = { .legs_max = random_below(&random, 8) ? MOVER_LEGS_MAX
				                                                        : 1 + (uint32_t)random_below(&random, 4) };

			do
				mover.radius = space_scene_radius(&scene, &random);
			while (mover.radius == 0);
			space_scene_place(&scene, &random, place);
			space_scene_way(&scene, &random, way);
			mover.x = place[0];
			mover.y = place[1];
			mover.move_x = way[0];
			mover.move_y = way[1];
			if (random_below(&random, 4) == 0)
				mover.skin = mover.radius * 0.01;

			bool in_something = starts_in_something(&scene.def, &mover, &filter);

			/* Where another left it, it goes on: at its skin from what it was at. */
			for (int again = 0; again < 3; again++) {
				assert_int_equal(space_move(space, &mover, &filter, &path), STATUS_OK);
				mover_check_legs(&scene.def, &mover, &filter, &path);
				check_end(&scene.def, &mover, &filter, &path, in_something);
				ends[path.end]++;
				deep += path.depth > 0;
				if (path.leg_count > legs_most)
					legs_most = (unsigned)path.leg_count;
				if (fabs(path.x) > 1e12 || fabs(path.y) > 1e12)
					break;
				in_something = path.depth > 0;
				mover.x = path.x;
				mover.y = path.y;
				space_scene_way(&scene, &random, way);
				mover.move_x = way[0];
				mover.move_y = way[1];
			}
		}
		space_destroy(space);
	}
	printf("done %u, blocked %u, out of legs %u; overlapping at the end %u; at most %u legs\n", ends[0], ends[1], ends[2], deep,
	       legs_most);
	for (int i = 0; i < 3; i++)
		assert_true(ends[i] > moves / 100);
	mover_path_finish(&path);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_it_goes_into_nothing) };

	if (argc > 1)
		moves = (unsigned)strtoul(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
