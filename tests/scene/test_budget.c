/* The arena budget of a request: any scene within the limits fits, whatever its form. Its exhaustion is test_wire_hostile's. */
#include "support/assert_double.h"

#include "wire/message_bytes.h"

#include "scene/definition/define.h"
#include "scene/limits.h"
#include "scene/scene.h"

#include <stdlib.h>

#define CIRCLES 50000
#define HAND_WRITTEN 10000

static struct scene_limits
limits_small(void)
{
	struct scene_limits limits = scene_limits_default();

	limits.circles_max = CIRCLES;
	limits.segments_max = CIRCLES;
	return limits;
}

/* Unpacks and defines with the budget; prints what it took. */
static enum status
outcome_of(const char *name, const struct buffer *bytes, struct wire_problem *problem)
{
	struct scene_limits limits = limits_small();
	struct wire_limits wire_limits = scene_limits_wire(&limits);
	const Collide__V1__ClientMessage *message = NULL;
	struct diagnostics first = { .problem = problem }; /* up to the values, which take no memory */
	struct world_def def;
	struct arena arena;

	arena_init(&arena, scene_arena_bytes(&limits, bytes->count));
	enum status status = wire_request_unpack(&arena, &wire_limits, bytes->bytes, bytes->count, &message, problem);
	if (status == STATUS_OK)
		status = scene_define(&arena, message->simulate->scene, &limits, "simulate.scene", &def, &first);
	print_message("%-34s %8zu bytes: %8zu of %8zu in the arena, %s\n", name, bytes->count, arena.used_bytes, arena.budget_bytes,
	              status_name(status));
	arena_finish(&arena);
	return status;
}

static void
test_full_columns_fit(void **state)
{
	static double doubles[CIRCLES];
	static uint32_t numbers[CIRCLES];
	static uint8_t kinds[CIRCLES];
	struct buffer bytes, scene, columns;
	struct wire_problem problem;

	(void)state;
	buffer_init(&bytes);
	buffer_init(&scene);
	buffer_init(&columns);
	for (uint32_t i = 0; i < CIRCLES; i++) {
		numbers[i] = i;
		kinds[i] = 1;
	}
	put_bytes(&columns, 2, numbers, sizeof numbers);
	for (uint32_t number = 3; number <= 9; number++)
		put_bytes(&columns, number, doubles, sizeof doubles);
	put_bytes(&columns, 10, kinds, sizeof kinds);
	put_bytes(&columns, 11, numbers, sizeof numbers);
	put_bytes(&columns, 12, numbers, sizeof numbers);
	put_message(&scene, 1, &columns);
	put_scene_request(&bytes, &scene);
	assert_int_equal(outcome_of("every column full", &bytes, &problem), STATUS_OK);
	bytes.count = 0;
	put_number(&columns, 1, CIRCLES);
	put_bytes(&columns, 7, doubles, 8);
	put_bytes(&columns, 10, kinds, sizeof kinds);
	put_message(&scene, 1, &columns);
	put_number(&columns, 1, CIRCLES);
	put_message(&scene, 3, &columns);
	put_scene_request(&bytes, &scene);
	assert_int_equal(outcome_of("a count and a column of enums", &bytes, &problem), STATUS_OK);
	buffer_finish(&bytes);
	buffer_finish(&scene);
	buffer_finish(&columns);
}

static void
test_the_most_by_hand_fits(void **state)
{
	struct buffer bytes, scene, shape;
	struct wire_problem problem;

	(void)state;
	buffer_init(&bytes);
	buffer_init(&scene);
	buffer_init(&shape);
	for (uint64_t i = 0; i < HAND_WRITTEN; i++) {
		put_number(&shape, 1, i);
		for (uint32_t number = 2; number <= 8; number++)
			put_double(&shape, number, 1);
		put_number(&shape, 9, 1);
		put_number(&shape, 10, 1);
		put_number(&shape, 11, 1);
		put_message(&scene, 2, &shape);
		put_number(&shape, 1, i);
		put_double(&shape, 4, (double)i);
		put_message(&scene, 4, &shape);
	}
	put_scene_request(&bytes, &scene);
	assert_int_equal(outcome_of("the most by hand", &bytes, &problem), STATUS_OK);
	bytes.count = 0;
	for (uint64_t i = 0; i < HAND_WRITTEN; i++) {
		put_bytes(&scene, 2, NULL, 0);
		put_bytes(&scene, 4, NULL, 0);
	}
	put_scene_request(&bytes, &scene);
	assert_int_equal(outcome_of("the most by hand, empty", &bytes, &problem), STATUS_OK);
	buffer_finish(&bytes);
	buffer_finish(&scene);
	buffer_finish(&shape);
}

static void
test_elements_one_by_one_fit(void **state)
{
	struct buffer bytes, scene, columns;
	struct wire_problem problem;

	(void)state;
	buffer_init(&bytes);
	buffer_init(&scene);
	buffer_init(&columns);
	for (size_t i = 0; i < CIRCLES; i++) {
		for (uint32_t number = 3; number <= 9; number++)
			put_double(&columns, number, 1);
		put_number(&columns, 10, 1);
		put_tag(&columns, 11, PUT_FIXED32);
		buffer_append(&columns, "\1\0\0", 4);
	}
	put_message(&scene, 1, &columns);
	put_scene_request(&bytes, &scene);
	assert_int_equal(outcome_of("elements one by one", &bytes, &problem), STATUS_OK);
	buffer_finish(&bytes);
	buffer_finish(&scene);
	buffer_finish(&columns);
}

static void
test_never_above_the_memory_of_a_scene(void **state)
{
	struct scene_limits limits = limits_small();

	(void)state;
	limits.memory_bytes_max = 1000;
	assert_int_equal(scene_arena_bytes(&limits, 1 << 20), 1000);
	limits.memory_bytes_max = UINT64_MAX;
	assert_true(scene_arena_bytes(&limits, UINT32_MAX) > UINT32_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full_columns_fit),
		cmocka_unit_test(test_the_most_by_hand_fits),
		cmocka_unit_test(test_elements_one_by_one_fit),
		cmocka_unit_test(test_never_above_the_memory_of_a_scene),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
