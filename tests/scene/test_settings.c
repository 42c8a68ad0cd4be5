/* What a Simulate may not ask for, and how one ends before its last tick. */
#include "support/assert_double.h"

#include "scene/gas.h"

#include "scene/limits.h"
#include "scene/run/simulation.h"

struct fixture {
	struct gas gas;
	struct scene_limits limits;
	struct arena arena;
	struct simulation *simulation;
	struct buffer out;
	struct wire_problem problem;
	size_t stop_asked, stop_at;
};

static int
fixture_setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){ .limits = scene_limits_default() };
	gas_init(&f.gas, 6, 60);
	arena_init(&f.arena, 1 << 20);
	buffer_init(&f.out);
	*state = &f;
	return 0;
}

static int
fixture_teardown(void **state)
{
	struct fixture *f = *state;

	simulation_destroy(f->simulation);
	gas_finish(&f->gas);
	arena_finish(&f->arena);
	buffer_finish(&f->out);
	return 0;
}

static bool
stop_at(void *context)
{
	struct fixture *f = context;

	return f->stop_asked++ == f->stop_at;
}

static enum status
create(struct fixture *f)
{
	return simulation_create(&f->gas.request, &f->limits, NULL, 9, &f->arena, &f->simulation, &f->problem);
}

static void
assert_refused(struct fixture *f, enum status status, const char *reason, const char *field)
{
	assert_int_equal(create(f), status);
	assert_null(f->simulation);
	assert_string_equal(f->problem.field, field);
	assert_string_equal(f->problem.reason, reason);
	assert_true(f->problem.text[0] != '\0');
}

static void
assert_bad(struct fixture *f, const char *field)
{
	assert_refused(f, STATUS_INVALID_ARGUMENT, "BAD_FIELD", field);
}

static void
test_scene_is_required(void **state)
{
	struct fixture *f = *state;

	f->gas.request.optional_scene_case = COLLIDE__V1__SIMULATE__OPTIONAL_SCENE__NOT_SET;
	assert_bad(f, "simulate.scene");
}

static void
test_dt(void **state)
{
	static const double bad[] = { 0, -0.0, -1, 9e-10, 1001, (double)INFINITY, (double)NAN };
	static const double good[] = { 1e-9, 1000 };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		f->gas.request.dt = bad[i];
		assert_bad(f, "simulate.dt");
	}
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		f->gas.request.dt = good[i];
		assert_int_equal(create(f), STATUS_OK);
		simulation_destroy(f->simulation);
		f->simulation = NULL;
	}
}

static void
test_ticks_detail_and_deadline(void **state)
{
	struct fixture *f = *state;
	Collide__V1__Simulate *request = &f->gas.request;

	request->ticks = 0;
	assert_bad(f, "simulate.ticks");
	f->limits.ticks_max = 10;
	request->ticks = 11;
	assert_refused(f, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "simulate.ticks");
	request->ticks = 10;
	request->detail = (Collide__V1__Detail)3;
	assert_bad(f, "simulate.detail");
	request->detail = COLLIDE__V1__DETAIL__DETAIL_CONTACTS;
	f->limits.deadline_ms_max = 1000;
	request->deadline_ms = 1001;
	assert_refused(f, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "simulate.deadline_ms");
	request->deadline_ms = 1000;
	assert_int_equal(create(f), STATUS_OK);
	simulation_destroy(f->simulation);
	f->simulation = NULL;
	f->limits.deadline_ms_max = 0; /* none */
	request->deadline_ms = UINT32_MAX;
	assert_int_equal(create(f), STATUS_OK);
}

static void
test_errors_of_the_scene_have_its_path(void **state)
{
	struct fixture *f = *state;

	f->gas.values[17] = (double)NAN;
	assert_bad(f, "simulate.scene.circle_columns.x[17]");
}

/* Asked before each tick, the first included; nothing is lost by stopping. */
static void
test_stop_between_ticks(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(create(f), STATUS_OK);
	f->stop_at = 0;
	enum simulation_progress progress = simulation_run(f->simulation, SIZE_MAX, stop_at, f, &f->out, &f->problem);
	assert_int_equal(progress, SIMULATION_MORE);
	assert_int_equal(f->out.count, 0);
	f->stop_asked = 0;
	f->stop_at = 4;
	progress = simulation_run(f->simulation, SIZE_MAX, stop_at, f, &f->out, &f->problem);
	assert_int_equal(progress, SIMULATION_MORE);
	assert_int_equal(f->stop_asked, 5);
	assert_true(f->out.count > 0);
	f->stop_asked = 0;
	f->stop_at = 100;
	progress = simulation_run(f->simulation, SIZE_MAX, stop_at, f, &f->out, &f->problem);
	assert_int_equal(progress, SIMULATION_DONE);
	assert_int_equal(f->stop_asked, 6); /* four ticks are made, six were left */
	size_t before = f->out.count;
	progress = simulation_run(f->simulation, SIZE_MAX, stop_at, f, &f->out, &f->problem);
	assert_int_equal(progress, SIMULATION_DONE);
	assert_int_equal(f->out.count, before);
}

static void
test_too_many_contacts_name_the_tick(void **state)
{
	struct fixture *f = *state;

	f->limits.contacts_per_tick_max = 3;
	f->gas.request.ticks = 1000;
	assert_int_equal(create(f), STATUS_OK);
	f->stop_at = SIZE_MAX;
	enum simulation_progress progress = simulation_run(f->simulation, SIZE_MAX, stop_at, f, &f->out, &f->problem);
	assert_int_equal(progress, SIMULATION_FAILED);
	assert_int_equal(f->problem.status, STATUS_RESOURCE_EXHAUSTED);
	assert_string_equal(f->problem.reason, "LIMIT");
	assert_int_equal(strncmp(f->problem.text, "tick ", 5), 0);
	assert_int_equal(strtoul(f->problem.text + 5, NULL, 10), f->stop_asked); /* asked once before each tick */
	f->problem.text[0] = '\0';
	progress = simulation_run(f->simulation, SIZE_MAX, stop_at, f, &f->out, &f->problem);
	assert_int_equal(progress, SIMULATION_FAILED); /* and stays so */
	assert_int_equal(strncmp(f->problem.text, "tick ", 5), 0);
}

static void
test_memory_is_measured_after_each_tick(void **state)
{
	struct fixture *f = *state;

	/* Just what is estimated before building: enough for the world, too little for the rows of its frames as well. */
	f->limits.memory_bytes_max = 36 * SCENE_BYTES_PER_CIRCLE + 4 * SCENE_BYTES_PER_SEGMENT;
	f->gas.request.ticks = 1000;
	f->gas.request.every = 1000;
	assert_int_equal(create(f), STATUS_OK);
	assert_true(simulation_memory_bytes(f->simulation) <= f->limits.memory_bytes_max);
	f->stop_at = SIZE_MAX;
	enum simulation_progress progress = simulation_run(f->simulation, SIZE_MAX, stop_at, f, &f->out, &f->problem);
	assert_int_equal(progress, SIMULATION_FAILED);
	assert_int_equal(f->problem.status, STATUS_RESOURCE_EXHAUSTED);
	assert_string_equal(f->problem.reason, "MEMORY");
	assert_int_equal(strncmp(f->problem.text, "after tick ", 11), 0);
	assert_int_equal(strtoul(f->problem.text + 11, NULL, 10), f->stop_asked);
}

/* The most that it ever takes is allowed, and one byte less is not. */
static void
test_memory_at_the_limit(void **state)
{
	struct fixture *f = *state;
	uint64_t most = 0;

	f->gas.request.ticks = 1000;
	f->gas.request.every = 1000;
	f->stop_at = 1; /* after each tick */
	assert_int_equal(create(f), STATUS_OK);
	for (size_t tick = 1; tick <= 200; tick++) {
		f->stop_asked = 0;
		assert_int_equal(simulation_run(f->simulation, SIZE_MAX, stop_at, f, &f->out, &f->problem), SIMULATION_MORE);
		most = most < simulation_memory_bytes(f->simulation) ? simulation_memory_bytes(f->simulation) : most;
	}
	for (uint64_t less = 0; less < 2; less++) {
		simulation_destroy(f->simulation);
		f->out.count = 0;
		f->limits.memory_bytes_max = most - less;
		assert_int_equal(create(f), STATUS_OK);
		f->stop_asked = 0;
		f->stop_at = 200;
		assert_int_equal(simulation_run(f->simulation, SIZE_MAX, stop_at, f, &f->out, &f->problem),
		                 less == 0 ? SIMULATION_MORE : SIMULATION_FAILED);
	}
	assert_string_equal(f->problem.reason, "MEMORY");
}

/* A reply that found no memory fails the simulation rather than losing a frame in silence. */
static void
test_no_memory_for_the_output(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(create(f), STATUS_OK);
	f->stop_at = SIZE_MAX;
	assert_null(buffer_extend(&f->out, SIZE_MAX));
	enum simulation_progress progress = simulation_run(f->simulation, SIZE_MAX, stop_at, f, &f->out, &f->problem);
	assert_int_equal(progress, SIMULATION_FAILED);
	assert_int_equal(f->problem.status, STATUS_RESOURCE_EXHAUSTED);
	assert_string_equal(f->problem.reason, "MEMORY");
}

/* Of the counted work of a tick: asked for within the limits, else the usual, or the limit where that is less. */
static void
test_work(void **state)
{
	static const struct {
		uint32_t per_tick, per_body;
		uint64_t defined_per_tick, defined_per_body;
		const char *refused;
	} cases[] = {
		{ 0, 0, 100, 10, NULL },
		{ 100, 10, 100, 10, NULL },
		{ 99, 0, 99, 10, NULL },
		{ 0, 9, 100, 9, NULL },
		{ 101, 1, 0, 0, "scene.work_per_tick_max" },
		{ 1, 11, 0, 0, "scene.work_per_body_max" },
	};
	struct fixture *f = *state;
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	struct world_def def;

	assert_int_equal(scene_world_def(&f->arena, &scene, &f->limits, "scene", &def, &f->problem), STATUS_OK);
	assert_int_equal(def.work_per_tick_max, PHYSICS_WORK_PER_TICK);
	assert_int_equal(def.work_per_body_max, PHYSICS_WORK_PER_BODY);
	f->limits.work_per_tick_max = 100;
	f->limits.work_per_body_max = 10;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		scene.work_per_tick_max = cases[i].per_tick;
		scene.work_per_body_max = cases[i].per_body;

		enum status status = scene_world_def(&f->arena, &scene, &f->limits, "scene", &def, &f->problem);

		assert_int_equal(status, !cases[i].refused ? STATUS_OK : STATUS_RESOURCE_EXHAUSTED);
		if (cases[i].refused) {
			assert_string_equal(f->problem.field, cases[i].refused);
			assert_string_equal(f->problem.reason, "LIMIT");
			continue;
		}
		assert_int_equal(def.work_per_tick_max, cases[i].defined_per_tick);
		assert_int_equal(def.work_per_body_max, cases[i].defined_per_body);
	}
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_scene_is_required),
		TEST(test_dt),
		TEST(test_ticks_detail_and_deadline),
		TEST(test_errors_of_the_scene_have_its_path),
		TEST(test_stop_between_ticks),
		TEST(test_too_many_contacts_name_the_tick),
		TEST(test_memory_is_measured_after_each_tick),
		TEST(test_memory_at_the_limit),
		TEST(test_no_memory_for_the_output),
		TEST(test_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
