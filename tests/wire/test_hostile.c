/* The hostile inputs that were measured against protobuf-c alone (server/README.md), a megabyte each: refused by the scan
 * before a byte is allocated, or unpacked within a budget. The figures are printed. */
#include "support/assert_double.h"

#include "support/effort.h"
#include "wire/message_bytes.h"

#include "wire/limits.h"
#include "wire/wire.h"

#include <stdlib.h>

#define MESSAGE_BYTES ((size_t)1 << 20)

static const struct wire_limits limits = { .hand_written_max = 10000, .circles_max = 1000000, .segments_max = 1000000 };

struct outcome {
	enum status status;
	size_t used_bytes;
	struct wire_problem problem;
};

/* Unpacks with a budget, prints what it took, and gives the arena back. */
static struct outcome
outcome_of(const char *name, const struct buffer *bytes, size_t budget_bytes)
{
	struct outcome outcome = { .used_bytes = 0 };
	const Collide__V1__ClientMessage *message = NULL;
	struct arena arena;

	arena_init(&arena, budget_bytes);
	outcome.status = wire_request_unpack(&arena, &limits, bytes->bytes, bytes->count, &message, &outcome.problem);
	outcome.used_bytes = arena.used_bytes;
	assert_true(outcome.used_bytes <= budget_bytes);
	assert_int_equal(outcome.status == STATUS_OK, message != NULL);
	arena_finish(&arena);
	print_message("%-46s %8zu bytes: %-18s %-13s arena %5.2f x\n", name, bytes->count, status_name(outcome.status),
	              outcome.status == STATUS_OK ? "" : outcome.problem.reason, (double)outcome.used_bytes / (double)bytes->count);
	return outcome;
}

/* The scene in a request, with nothing else. */
static struct outcome
scene_outcome(const char *name, struct buffer *scene, size_t budget_bytes)
{
	struct buffer bytes;

	buffer_init(&bytes);
	put_scene_request(&bytes, scene);
	struct outcome outcome = outcome_of(name, &bytes, budget_bytes);
	buffer_finish(&bytes);
	return outcome;
}

static void
test_repeated_empty_messages(void **state)
{
	struct buffer scene;

	(void)state;
	buffer_init(&scene);
	while (scene.count < MESSAGE_BYTES)
		put_bytes(&scene, 2, NULL, 0);
	struct outcome outcome = scene_outcome("repeated empty sub-messages", &scene, MESSAGE_BYTES);
	assert_int_equal(outcome.status, STATUS_RESOURCE_EXHAUSTED);
	assert_string_equal(outcome.problem.reason, "LIMIT");
	assert_string_equal(outcome.problem.field, "simulate.scene.circles");
	assert_int_equal(outcome.used_bytes, 0);

	/* As many as are allowed: what they cost is known, about 240 bytes each, and 20 KB suffice to send them. */
	for (uint32_t i = 0; i < limits.hand_written_max; i++)
		put_bytes(&scene, 2, NULL, 0);
	outcome = scene_outcome("the most empty sub-messages allowed", &scene, MESSAGE_BYTES * 4);
	assert_int_equal(outcome.status, STATUS_OK);
	assert_true(outcome.used_bytes < 400 * (size_t)limits.hand_written_max);
	buffer_finish(&scene);
}

static void
test_unknown_varints(void **state)
{
	struct buffer bytes;

	(void)state;
	buffer_init(&bytes);
	while (bytes.count < MESSAGE_BYTES)
		put_number(&bytes, 2000, 1);
	struct outcome outcome = outcome_of("unknown varint fields", &bytes, MESSAGE_BYTES);
	assert_int_equal(outcome.status, STATUS_INVALID_ARGUMENT);
	assert_string_equal(outcome.problem.reason, "UNKNOWN_FIELD");
	assert_int_equal(outcome.used_bytes, 0);
	buffer_finish(&bytes);
}

static void
test_unpacked_scalars(void **state)
{
	struct buffer columns, scene;

	(void)state;
	buffer_init(&columns);
	buffer_init(&scene);
	while (columns.count < MESSAGE_BYTES)
		put_number(&columns, 10, 1);
	put_message(&scene, 1, &columns);
	struct outcome outcome = scene_outcome("unpacked repeated scalars, a budget of 1 x", &scene, MESSAGE_BYTES);
	assert_int_equal(outcome.status, STATUS_RESOURCE_EXHAUSTED);
	assert_string_equal(outcome.problem.reason, "MEMORY");
	/* Four bytes in memory for two that came, and nothing for having come one by one. */
	outcome = scene_outcome("the same, a budget of 3 x", &scene, 3 * MESSAGE_BYTES);
	assert_int_equal(outcome.status, STATUS_OK);
	assert_true(outcome.used_bytes < 2 * MESSAGE_BYTES + 4096);
	buffer_finish(&columns);
	buffer_finish(&scene);
}

/* A number that would be cut off when it is kept is refused, packed too. Of 32 bits the least and the largest whole number are
 * read, and the ones beside them are not. */
static void
test_packed_numbers_of_more_than_32_bits(void **state)
{
	static const struct {
		uint64_t value;
		bool good;
	} cases[] = { { INT32_MAX, true },
		          { UINT64_C(1) << 31, false },
		          { UINT64_C(1) << 32, false },
		          { (uint64_t)INT32_MIN, true },
		          { (uint64_t)INT32_MIN - 1, false } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct buffer columns, scene, numbers;

		buffer_init(&columns);
		buffer_init(&scene);
		buffer_init(&numbers);
		put_varint(&numbers, 1);
		put_varint(&numbers, cases[i].value);
		put_message(&columns, 10, &numbers);
		put_message(&scene, 1, &columns);
		struct outcome outcome = scene_outcome("a packed number", &scene, MESSAGE_BYTES);
		assert_int_equal(outcome.status, cases[i].good ? STATUS_OK : STATUS_INVALID_ARGUMENT);
		if (!cases[i].good) {
			assert_string_equal(outcome.problem.reason, "MALFORMED");
			assert_string_equal(outcome.problem.field, "simulate.scene.circle_columns.kind[1]");
		}
		buffer_finish(&columns);
		buffer_finish(&scene);
		buffer_finish(&numbers);
	}
}

static void
test_packed_doubles_cost_their_bytes(void **state)
{
	struct buffer columns, scene;
	uint8_t *doubles = calloc(1, MESSAGE_BYTES);

	(void)state;
	assert_non_null(doubles);
	buffer_init(&columns);
	buffer_init(&scene);
	put_bytes(&columns, 3, doubles, MESSAGE_BYTES);
	put_message(&scene, 1, &columns);
	struct outcome outcome = scene_outcome("packed doubles", &scene, 2 * MESSAGE_BYTES);
	assert_int_equal(outcome.status, STATUS_OK);
	assert_true(outcome.used_bytes < MESSAGE_BYTES + 4096);
	buffer_finish(&columns);
	buffer_finish(&scene);
	free(doubles);
}

/* Merged pairwise this took 4.3 GB; here the second is refused. */
static void
test_one_singular_message_65000_times(void **state)
{
	struct buffer bytes, simulate;

	(void)state;
	buffer_init(&bytes);
	buffer_init(&simulate);
	for (int i = 0; i < 65000; i++)
		put_bytes(&simulate, 1, NULL, 0);
	put_message(&bytes, 6, &simulate);
	struct outcome outcome = outcome_of("one singular sub-message 65,000 times", &bytes, MESSAGE_BYTES);
	assert_int_equal(outcome.status, STATUS_INVALID_ARGUMENT);
	assert_string_equal(outcome.problem.reason, "FIELD_TWICE");
	assert_string_equal(outcome.problem.field, "simulate.scene");
	assert_int_equal(outcome.used_bytes, 0);
	for (int i = 0; i < 65000; i++)
		put_bytes(&bytes, 3, NULL, 0);
	outcome = outcome_of("the same at the top", &bytes, MESSAGE_BYTES);
	assert_string_equal(outcome.problem.reason, "FIELD_TWICE");
	assert_int_equal(outcome.used_bytes, 0);
	buffer_finish(&bytes);
	buffer_finish(&simulate);
}

/* Field 1 in field 1 in field 1, 20,000 deep: no known field is a message that far down, so depth costs nothing. */
static void
test_deep_nesting(void **state)
{
	static const uint32_t numbers[] = { 6, 1, 1, 2 };
	struct outcome outcome;

	(void)state;
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		uint8_t *message = NULL;
		size_t count = 0;
		struct buffer outer, inner;

		buffer_init(&outer);
		buffer_init(&inner);
		for (int depth = 0; depth < (int)effort(5000, 20000); depth++) {
			put_bytes(&outer, depth % 2 == 0 ? numbers[i] : 1, inner.bytes, inner.count);
			buffer_finish(&inner);
			buffer_take(&outer, &message, &count);
			inner = (struct buffer){ .bytes = message, .count = count, .capacity = count };
		}
		outcome = outcome_of("thousands of levels", &inner, MESSAGE_BYTES);
		assert_int_equal(outcome.status, STATUS_INVALID_ARGUMENT);
		assert_int_equal(outcome.used_bytes, 0);
		buffer_finish(&inner);
	}
}

/* Hostile in the other direction: eight unknown fields are let through, and may be large. They cost a copy. */
static void
test_large_unknown_fields_cost_a_copy(void **state)
{
	struct buffer bytes;
	uint8_t *filler = calloc(1, MESSAGE_BYTES / WIRE_UNKNOWN_FIELDS_MAX);

	(void)state;
	assert_non_null(filler);
	buffer_init(&bytes);
	for (uint32_t i = 0; i < WIRE_UNKNOWN_FIELDS_MAX; i++)
		put_bytes(&bytes, 50 + i, filler, MESSAGE_BYTES / WIRE_UNKNOWN_FIELDS_MAX);
	struct outcome outcome = outcome_of("eight large unknown fields", &bytes, 2 * MESSAGE_BYTES);
	assert_int_equal(outcome.status, STATUS_OK);
	assert_true(outcome.used_bytes < bytes.count + 4096);
	buffer_finish(&bytes);
	free(filler);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repeated_empty_messages),
		cmocka_unit_test(test_unknown_varints),
		cmocka_unit_test(test_unpacked_scalars),
		cmocka_unit_test(test_packed_numbers_of_more_than_32_bits),
		cmocka_unit_test(test_packed_doubles_cost_their_bytes),
		cmocka_unit_test(test_one_singular_message_65000_times),
		cmocka_unit_test(test_deep_nesting),
		cmocka_unit_test(test_large_unknown_fields_cost_a_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
