/* The table itself: every name once, every scene one that this engine takes, at the step that its source has. */
#include "physics/peers/peers.h"

#include <string.h>

static void
test_names_are_unique(void **state)
{
	(void)state;
	for (size_t i = 0; i < peer_scene_count; i++) {
		assert_true(peer_scenes[i].name[0] != 0 && peer_scenes[i].source[0] != 0);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(peer_scenes[i].name, peer_scenes[k].name);
		assert_ptr_equal(peer_scene(peer_scenes[i].name), &peer_scenes[i]);
	}
}

static void
test_every_scene_is_taken(void **state)
{
	(void)state;
	for (size_t i = 0; i < peer_scene_count; i++) {
		struct scenario scenario;
		struct def_problem problem = { .text = "" };
		struct world *world = NULL;
		struct tick_report report;
		scenario_init(&scenario);
		peer_scenes[i].build(&scenario);
		if (world_create(scenario_def(&scenario), &problem, &world) != STATUS_OK)
			fail_msg("%s: field %d of %zu: %s", peer_scenes[i].name, (int)problem.field, problem.index, problem.text);
		assert_int_equal(world_step(world, peer_scenes[i].dt, &report), STATUS_OK);
		assert_true(scenario.circle_count + scenario.segment_count > 0);
		world_destroy(world);
		scenario_finish(&scenario);
	}
	peer_tell("table", "%zu scenes", peer_scene_count);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_unique),
		cmocka_unit_test(test_every_scene_is_taken),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
