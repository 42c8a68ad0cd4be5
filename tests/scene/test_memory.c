/* The memory of a world that is built of a scene: measured again when it is there. */
#include "scene/good_scene.h"

#include "support/assert_double.h"

#include "scene/limits.h"
#include "scene/scene.h"

/* At the limit and one byte over it. */
static void
test_memory_of_a_world(void **state)
{
	struct fixture *f = *state;
	struct world *world = NULL;

	assert_int_equal(scene_world_create(&f->arena, &f->scene, &f->limits, "simulate.scene", &world, &f->problem), STATUS_OK);
	uint64_t bytes = world_memory_bytes(world);
	world_destroy(world);
	assert_true(bytes > 6 * SCENE_BYTES_PER_CIRCLE + 3 * SCENE_BYTES_PER_SEGMENT); /* which the estimate lets pass */
	f->limits.memory_bytes_max = bytes;
	assert_accepted(f);
	f->limits.memory_bytes_max = bytes - 1;
	assert_refused(f, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_memory_of_a_world, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
