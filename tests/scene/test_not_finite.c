/* A tick that leads to a state that is not finite ends the request, with the circle's id. No scene does that, so the linker's
 * --wrap spoils a world while it is restored. */
#include "scene/outcome.h"

#include "physics/world/world.h"

#include <stdio.h>

enum status __real_world_restore(const void *snapshot, size_t size, unsigned flags, struct snapshot_problem *problem,
                                 struct world **out);
enum status __wrap_world_restore(const void *snapshot, size_t size, unsigned flags, struct snapshot_problem *problem,
                                 struct world **out);

static uint32_t spoilt_id;

enum status
__wrap_world_restore(const void *snapshot, size_t size, unsigned flags, struct snapshot_problem *problem, struct world **out)
{
	enum status status = __real_world_restore(snapshot, size, flags, problem, out);

	if (status == STATUS_OK) {
		(*out)->bodies.paths[7].vy = 1e200;
		spoilt_id = (*out)->bodies.ids[7];
	}
	return status;
}

static void
test_the_request_ends_with_the_circle(void **state)
{
	struct scene_limits limits = scene_limits_default();
	struct outcome outcome;
	struct gas gas;
	struct wire_problem problem;
	char text[100];

	(void)state;
	snapshot_make(&gas, 10, &outcome);
	Collide__V1__Simulate from = request_from(&gas.request, &outcome.snapshots, 60);
	run_failing(&from, &limits, &problem);
	assert_int_equal(problem.status, STATUS_OUT_OF_RANGE);
	assert_string_equal(problem.reason, "NOT_FINITE");
	(void)snprintf(text, sizeof text, "tick 11: circle %u has vx that is not finite", (unsigned)spoilt_id);
	assert_string_equal(problem.text, text);
	outcome_finish(&outcome);
	gas_finish(&gas);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_the_request_ends_with_the_circle) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
