#include "scene/answers.h"

#include <string.h>

struct scene_limits limits;
struct wire_problem problem;

int
answers_setup(void **state)
{
	(void)state;
	limits = scene_limits_default();
	return 0;
}

bool
stop_never(void *context)
{
	(void)context;
	return false;
}

bool
stop_always(void *context)
{
	++*(unsigned *)context;
	return true;
}

size_t
run_all(struct query *query, size_t slice_bytes, struct buffer *out)
{
	size_t calls = 0;
	enum query_progress progress;

	buffer_init(out);
	do {
		size_t before = out->count;

		progress = query_run(query, slice_bytes, stop_never, NULL, out, &problem);
		assert_true(slice_bytes == SIZE_MAX || out->count - before <= slice_bytes + SCENE_PART_BYTES_MAX);
		calls++;
	} while (progress == QUERY_MORE);
	assert_int_equal(progress, QUERY_DONE);
	query_done_append(query, out);
	query_destroy(query);
	return calls;
}

Collide__V1__ServerMessage *
answer_of(enum status status, struct query *query, uint64_t request_id)
{
	struct buffer out;
	size_t at = 0;

	assert_int_equal(status, STATUS_OK);
	(void)run_all(query, SIZE_MAX, &out);
	Collide__V1__ServerMessage *message = reply_next(&out, &at);
	assert_int_equal(at, out.count);
	assert_true(message->request_id == request_id);
	buffer_finish(&out);
	return message;
}

void
release(Collide__V1__ServerMessage *message)
{
	collide__v1__server_message__free_unpacked(message, NULL);
}

void
refusal_check(enum status given, const struct query *query, enum status status, const char *reason, const char *field)
{
	assert_int_equal(given, status);
	assert_null(query);
	assert_string_equal(problem.reason, reason);
	assert_string_equal(problem.field, field);
	assert_true(problem.text[0] != '\0');
}

void
columns_are_full(const ProtobufCMessage *message, size_t rows, unsigned full_below)
{
	for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
		size_t count;

		memcpy(&count, (const char *)message + field->quantifier_offset, sizeof count);
		assert_int_equal(count, field->id < full_below ? rows : 0);
	}
}
