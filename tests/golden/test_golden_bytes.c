/* Every reader and writer of protobuf's binary form that the daemon and the client have, against the golden bytes. */
#include "golden/golden_files.h"

#include "support/assert_double.h"

#include "client/cli/recording/message_scan.h"
#include "client/lib/request_append.h"
#include "wire/wire.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BYTES ((size_t)1 << 20)
#define ROWS_MAX 64
#define NARROW_MAX 6

static void
there_are_requests_and_replies(void **state)
{
	const struct goldens *goldens = *state;
	size_t clients = 0;

	for (size_t i = 0; i < goldens->count; i++)
		clients += golden_is_client(&goldens->items[i]);
	assert_true(clients >= 20);
	assert_true(goldens->count - clients >= 19);
}

static void
protobuf_c_reads_and_writes(void **state)
{
	const struct goldens *goldens = *state;

	for (size_t i = 0; i < goldens->count; i++)
		if (!goldens->items[i].minus_zero)
			golden_same_packed(&goldens->items[i], "protobuf-c", goldens->items[i].message);
}

/* protobuf-c takes a -0 outside columns and oneofs for a default when it writes. Reading is not to blame. */
static void
minus_zero_is_read(void **state)
{
	const struct goldens *goldens = *state;
	size_t found = 0;

	for (size_t i = 0; i < goldens->count; i++) {
		const struct golden *golden = &goldens->items[i];

		if (!golden->minus_zero)
			continue;
		const Collide__V1__Scene *scene = golden_client(golden)->simulate->scene;
		assert_true(signbit(scene->circles[0]->x) && signbit(scene->circles[0]->vy) && signbit(scene->gravity_y));
		/* Three fields of a tag and eight bytes; the lengths in front have one byte with and without them. */
		assert_int_equal(protobuf_c_message_get_packed_size(golden->message), golden->byte_count - (size_t)3 * 9);
		found++;
	}
	assert_int_equal(found, 1);
}

static void
the_daemon_reads_requests(void **state)
{
	const struct goldens *goldens = *state;
	const struct wire_limits limits = { .hand_written_max = 1000, .circles_max = 1000, .segments_max = 1000 };

	for (size_t i = 0; i < goldens->count; i++) {
		const struct golden *golden = &goldens->items[i];
		const Collide__V1__ClientMessage *expected = golden_client(golden), *message = NULL;
		struct wire_problem problem;
		uint32_t field;
		uint64_t request_id;
		struct arena arena;

		if (!golden_is_client(golden))
			continue;
		assert_true(wire_request_peek(golden->bytes, golden->byte_count, &request_id, &field));
		assert_int_equal(field, expected->request_case);
		assert_true(request_id == expected->request_id);
		arena_init(&arena, ARENA_BYTES);
		if (wire_request_unpack(&arena, &limits, golden->bytes, golden->byte_count, &message, &problem) != STATUS_OK)
			fail_msg("%s: %s: %s", golden->name, problem.field, problem.text);
		if (!golden->minus_zero)
			golden_same_packed(golden, "the daemon's reader", &message->base);
		arena_finish(&arena);
	}
}

/* protobuf-c's four bytes a number as the one byte of the engine's. */
static const uint8_t *
narrowed(uint8_t out[static ROWS_MAX], const void *numbers, size_t count)
{
	assert_true(count <= ROWS_MAX);
	for (size_t i = 0; i < count; i++) {
		uint32_t number;

		memcpy(&number, (const char *)numbers + i * sizeof number, sizeof number);
		assert_true(number <= UINT8_MAX);
		out[i] = (uint8_t)number;
	}
	return out;
}

static void
contacts_lend(const Collide__V1__ContactColumns *from, struct wire_frame *to, uint8_t narrow[static 2][ROWS_MAX])
{
	const double *values[] = { from->point_x,        from->point_y,       from->normal_x,         from->normal_y,
		                       from->approach_speed, from->impulse,       from->a_vx_before,      from->a_vy_before,
		                       from->a_vx_after,     from->a_vy_after,    from->b_vx_before,      from->b_vy_before,
		                       from->b_vx_after,     from->b_vy_after,    from->friction_impulse, from->a_spin_before,
		                       from->a_spin_after,   from->b_spin_before, from->b_spin_after };

	to->contact_count = from->n_tick;
	to->contact_tick = from->tick;
	to->contact_time = from->time;
	to->contact_a = from->a;
	to->contact_b = from->b;
	to->contact_feature = narrowed(narrow[0], from->feature, from->n_feature);
	to->contact_flags = narrowed(narrow[1], from->flags, from->n_flags);
	memcpy(to->contact_values, values, sizeof values);
}

static void
pair_events_lend(const Collide__V1__PairEventColumns *from, struct wire_frame *to, uint8_t narrow[static 2][ROWS_MAX])
{
	const double *values[] = {
		from->approach_speed, from->impulse, from->normal_x, from->normal_y, from->point_x, from->point_y
	};

	to->pair_event_count = from->n_tick;
	to->pair_event_tick = from->tick;
	to->pair_event_time = from->time;
	to->pair_event_kind = narrowed(narrow[0], from->kind, from->n_kind);
	to->pair_event_a = from->a;
	to->pair_event_b = from->b;
	to->pair_event_feature = narrowed(narrow[1], from->feature, from->n_feature);
	memcpy(to->pair_event_values, values, sizeof values);
}

static void
paths_lend(const Collide__V1__PathColumns *from, struct wire_frame *to)
{
	const double *values[] = { from->x, from->y, from->vx, from->vy, from->ax, from->ay };

	to->piece_count = from->n_tick;
	to->piece_tick = from->tick;
	to->piece_time = from->time;
	to->piece_body = from->body;
	memcpy(to->piece_values, values, sizeof values);
}

/* The frame as the engine hands it over; `narrow` is lent to it. */
static struct wire_frame
frame_lend(const Collide__V1__Frame *from, uint8_t narrow[static NARROW_MAX][ROWS_MAX])
{
	struct wire_frame to = { .tick = from->tick, .time = from->time, .hash = from->hash, .more = from->more };

	to.events = from->events;
	to.collisions = from->collisions;
	to.clusters = from->clusters;
	to.clips = from->clips;
	to.asleep = from->asleep;
	to.momentum = from->momentum;
	to.energy = from->energy;
	if (from->bodies) {
		to.body_count = from->bodies->n_id;
		to.body_id = from->bodies->id;
		to.body_x = from->bodies->x;
		to.body_y = from->bodies->y;
		to.body_vx = from->bodies->vx;
		to.body_vy = from->bodies->vy;
		to.body_angle = from->bodies->angle;
		to.body_spin = from->bodies->angular_velocity;
	}
	if (from->contacts)
		contacts_lend(from->contacts, &to, narrow);
	if (from->path_changes) {
		to.path_change_count = from->path_changes->n_tick;
		to.path_tick = from->path_changes->tick;
		to.path_time = from->path_changes->time;
		to.path_body = from->path_changes->body;
		to.path_kind = narrowed(narrow[2], from->path_changes->kind, from->path_changes->n_kind);
		to.path_vector_x = from->path_changes->vector_x;
		to.path_vector_y = from->path_changes->vector_y;
	}
	if (from->shortfalls) {
		to.shortfall_count = from->shortfalls->n_tick;
		to.shortfall_tick = from->shortfalls->tick;
		to.shortfall_body = from->shortfalls->body;
		to.shortfall_flag = narrowed(narrow[3], from->shortfalls->flag, from->shortfalls->n_flag);
		to.shortfall_amount = from->shortfalls->amount;
	}
	if (from->pair_events)
		pair_events_lend(from->pair_events, &to, narrow + 4);
	if (from->moving_segments) {
		const Collide__V1__MovingSegmentColumns *moving = from->moving_segments;
		const double *const values[] = { moving->x1, moving->y1, moving->x2, moving->y2 };

		to.moving_count = moving->n_id;
		to.moving_id = moving->id;
		memcpy(to.moving_values, values, sizeof values);
	}
	if (from->paths)
		paths_lend(from->paths, &to);
	return to;
}

static void
the_daemon_writes_frames(void **state)
{
	const struct goldens *goldens = *state;
	size_t found = 0;

	for (size_t i = 0; i < goldens->count; i++) {
		const Collide__V1__ServerMessage *message = golden_server(&goldens->items[i]);
		uint8_t narrow[NARROW_MAX][ROWS_MAX];
		struct buffer out;

		if (golden_is_client(&goldens->items[i]) || message->reply_case != COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME)
			continue;
		struct wire_frame frame = frame_lend(message->frame, narrow);
		buffer_init(&out);
		wire_frame_append(&out, message->request_id, &frame);
		golden_same_framed(&goldens->items[i], "the daemon's frame writer", out.bytes, out.count);
		buffer_finish(&out);
		found++;
	}
	assert_int_equal(found, 10);
}

static void
the_daemon_writes_replies(void **state)
{
	const struct goldens *goldens = *state;

	for (size_t i = 0; i < goldens->count; i++) {
		const Collide__V1__ServerMessage *message = golden_server(&goldens->items[i]);
		struct buffer out;

		if (golden_is_client(&goldens->items[i]))
			continue;
		buffer_init(&out);
		wire_reply_append(&out, message);
		golden_same_framed(&goldens->items[i], "the daemon's reply writer", out.bytes, out.count);
		buffer_finish(&out);
	}
}

static void
the_daemon_writes_errors(void **state)
{
	const struct goldens *goldens = *state;
	struct wire_problem problem;
	struct buffer out;
	size_t found = 0;

	(void)wire_problem_set(&problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "simulate.scene.circle_columns.radius[17]",
	                       "must be greater than %d", 0);
	for (size_t i = 0; i < goldens->count; i++) {
		if (strcmp(goldens->items[i].name, "error_field") != 0)
			continue;
		buffer_init(&out);
		wire_error_append(&out, golden_server(&goldens->items[i])->request_id, &problem);
		golden_same_framed(&goldens->items[i], "the daemon's error writer", out.bytes, out.count);
		buffer_finish(&out);
		found++;
	}
	assert_int_equal(found, 1);
}

/* The part of a request that libcollide places by itself, from bytes it is given. */
static void
body_append(struct bytes *out, const Collide__V1__ClientMessage *message)
{
	const ProtobufCMessage *request = &message->simulate->base; /* a member of the union as good as any */
	size_t count = protobuf_c_message_get_packed_size(request);
	uint8_t *packed = malloc(count + 1);
	const struct request_body body = { .field = message->request_case, .message = packed, .message_bytes = count };

	assert_non_null(packed);
	assert_int_equal(protobuf_c_message_pack(request, packed), count);
	assert_true(request_append_body(out, message->request_id, &body, 0, NULL));
	free(packed);
}

static void
the_client_library_writes_requests(void **state)
{
	const struct goldens *goldens = *state;

	for (size_t i = 0; i < goldens->count; i++) {
		const struct golden *golden = &goldens->items[i];
		const Collide__V1__ClientMessage *message = golden_client(golden);
		struct bytes out = { 0 };

		if (!golden_is_client(golden) || golden->minus_zero)
			continue;
		assert_true(request_append(&out, message, 0, NULL));
		golden_same_framed(golden, "libcollide", out.memory + out.start, bytes_count(&out));
		bytes_finish(&out);
		if (message->request_case != COLLIDE__V1__CLIENT_MESSAGE__REQUEST__NOT_SET && !golden->unknown_fields) {
			body_append(&out, message);
			golden_same_framed(golden, "libcollide, from parts,", out.memory + out.start, bytes_count(&out));
			bytes_finish(&out);
		}
	}
}

static void
the_command_scans(void **state)
{
	const struct goldens *goldens = *state;

	for (size_t i = 0; i < goldens->count; i++) {
		const struct golden *golden = &goldens->items[i];
		struct message_unknown unknown;
		struct message_fault fault;

		if (!message_scan(golden->type, golden->bytes, golden->byte_count, &unknown, &fault))
			fail_msg("%s: %s", golden->name, fault.text);
		assert_int_equal(unknown.outer > 0, golden->unknown_fields);
		assert_int_equal(unknown.inner, 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_are_requests_and_replies),
		cmocka_unit_test(protobuf_c_reads_and_writes),
		cmocka_unit_test(minus_zero_is_read),
		cmocka_unit_test(the_daemon_reads_requests),
		cmocka_unit_test(the_daemon_writes_frames),
		cmocka_unit_test(the_daemon_writes_replies),
		cmocka_unit_test(the_daemon_writes_errors),
		cmocka_unit_test(the_client_library_writes_requests),
		cmocka_unit_test(the_command_scans),
	};

	return cmocka_run_group_tests(tests, goldens_load, goldens_free);
}
