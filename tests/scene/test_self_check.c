/* Simulate.self_check: nothing differs in a good run. One bit of one body, made wrong while it is restored, ends the request.
 * The linker's --wrap does that, so that nothing in the server is there for this test. */
#include "base/pause.h"
#include "support/assert_double.h"

#include "scene/outcome.h"

#include "physics/world/world.h"

#include <math.h>
#include <string.h>

enum status __real_world_restore(const void *snapshot, size_t size, unsigned flags, struct snapshot_problem *problem,
                                 struct world **out);
enum status __wrap_world_restore(const void *snapshot, size_t size, unsigned flags, struct snapshot_problem *problem,
                                 struct world **out);

static uint64_t spoilt_tick = UINT64_MAX; /* worlds restored at this tick are off by one bit */

enum status
__wrap_world_restore(const void *snapshot, size_t size, unsigned flags, struct snapshot_problem *problem, struct world **out)
{
	enum status status = __real_world_restore(snapshot, size, flags, problem, out);

	if (status == STATUS_OK && (*out)->tick == spoilt_tick)
		(*out)->bodies.paths[3].x = nextafter((*out)->bodies.paths[3].x, 1e9);
	return status;
}

static void
test_self_check_changes_nothing(void **state)
{
	struct outcome plain, checked;
	struct gas gas;

	(void)state;
	heap_init(&gas);
	gas.request.ticks = 60;
	outcome_run(&gas.request, SIZE_MAX, &plain);
	gas.request.self_check = true;
	outcome_run(&gas.request, SIZE_MAX, &checked);
	assert_int_equal(plain.frames.count, checked.frames.count);
	assert_memory_equal(plain.frames.bytes, checked.frames.bytes, plain.frames.count);
	/* Two snapshots and a world more, counted. */
	assert_true(checked.peak_bytes > plain.peak_bytes * 3 / 2);
	outcome_finish(&plain);
	outcome_finish(&checked);
	gas_finish(&gas);
}

/* One bit of one position, in the tick that is made a second time. Also where the server says so, and after a restore. */
static void
test_self_check_finds_one_bit(void **state)
{
	struct scene_limits limits = scene_limits_default();
	struct outcome outcome;
	struct gas gas;
	struct wire_problem problem;

	(void)state;
	snapshot_make(&gas, 10, &outcome);
	gas.request.ticks = 60;
	gas.request.self_check = true;
	spoilt_tick = 23;
	run_failing(&gas.request, &limits, &problem);
	assert_int_equal(problem.status, STATUS_INTERNAL);
	assert_string_equal(problem.reason, "SELF_CHECK");
	assert_non_null(strstr(problem.text, "tick 24 made twice is not the same: "));
	assert_non_null(strstr(problem.text, " in the run, "));
	Collide__V1__Simulate from = request_from(&gas.request, &outcome.snapshots, 60);
	run_failing(&from, &limits, &problem);
	assert_non_null(strstr(problem.text, "tick 24 made twice is not the same: "));
	gas.request.self_check = false;
	struct wire_problem none_found = { .status = STATUS_OK };
	assert_int_equal(refused(&gas.request, &limits, &none_found), STATUS_OK);
	limits.self_check = 1;
	run_failing(&gas.request, &limits, &problem);
	assert_string_equal(problem.reason, "SELF_CHECK");
	spoilt_tick = UINT64_MAX;
	outcome_finish(&outcome);
	gas_finish(&gas);
}

static bool
give_up(void *context)
{
	(void)context;
	return true;
}

/* A tick that is cancelled while it is made a second time is cancelled, not different. */
static void
test_self_check_can_be_cancelled(void **state)
{
	struct scene_limits limits = scene_limits_default();
	struct simulation *simulation = NULL;
	struct wire_problem problem;
	struct arena arena;
	struct pause before;
	struct buffer out;
	struct gas gas;

	(void)state;
	gas_init(&gas, 20, 5000);
	gas.request.self_check = true;
	gas.request.dt = 1;
	buffer_init(&out);
	arena_init(&arena, (size_t)1 << 28);
	assert_int_equal(simulation_create(&gas.request, &limits, NULL, REQUEST_ID, &arena, &simulation, &problem), STATUS_OK);
	arena_finish(&arena);
	pause_begin(&before, give_up, NULL);
	assert_int_equal(simulation_run(simulation, SIZE_MAX, stop_never, NULL, &out, &problem), SIMULATION_FAILED);
	pause_end(&before);
	assert_int_equal(problem.status, STATUS_CANCELLED);
	simulation_destroy(simulation);
	buffer_finish(&out);
	gas_finish(&gas);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_self_check_changes_nothing),
		cmocka_unit_test(test_self_check_finds_one_bit),
		cmocka_unit_test(test_self_check_can_be_cancelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
