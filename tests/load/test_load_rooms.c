/* What a load of rooms reads of messages, against the generated code; where its circles and walls are; when rooms hold. */
#include "client/load/process_cpu.h"
#include "client/load/rooms/room_make.h"
#include "client/load/rooms/room_reply.h"
#include "collide/v1/collide.pb-c.h"

#include "support/assert_double.h"

#include <stdlib.h>
#include <unistd.h>

static struct room_reply
read_back(const Collide__V1__ServerMessage *message)
{
	struct room_reply reply;
	size_t count = collide__v1__server_message__get_packed_size(message);
	uint8_t *bytes = malloc(count + 1);
	assert_non_null(bytes);
	collide__v1__server_message__pack(message, bytes);
	assert_true(room_reply_read(bytes, count, &reply));
	for (size_t cut = 1; cut < count; cut++)
		(void)room_reply_read(bytes, cut, &(struct room_reply){ 0 }); /* whatever it says, within the bytes */
	free(bytes);
	reply.bytes = NULL;
	return reply;
}

static void
updates_are_read(void **state)
{
	Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
	Collide__V1__Key key = COLLIDE__V1__KEY__INIT;
	Collide__V1__Frame frame = COLLIDE__V1__FRAME__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	(void)state;
	message.request_id = 301;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE;
	message.world_update = &update;
	update.tick = UINT64_C(1) << 40;
	update.ticks = 3;
	update.missed_ticks = 6;
	update.hash = 99;
	update.lost_ticks = 7;
	update.late_ns = 123456;
	frame.tick = 5;
	update.optional_frame_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_FRAME_FRAME;
	update.frame = &frame;
	struct room_reply reply = read_back(&message);
	assert_int_equal(reply.kind, ROOM_UPDATE);
	assert_int_equal(reply.request_id, 301);
	assert_int_equal(reply.tick, UINT64_C(1) << 40);
	assert_int_equal(reply.missed_ticks, 6);
	assert_int_equal(reply.lost_ticks, 7);
	assert_int_equal(reply.late_ns, 123456);
	assert_true(reply.has_frame);
	assert_false(reply.has_key);
	update.optional_key_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY;
	update.key = &key;
	assert_true(read_back(&message).has_key);
}

static void
acks_and_seats_are_read(void **state)
{
	Collide__V1__Outcome outcome = COLLIDE__V1__OUTCOME__INIT, *outcomes[] = { &outcome, &outcome };
	Collide__V1__Acks acks = COLLIDE__V1__ACKS__INIT;
	Collide__V1__Attached attached = COLLIDE__V1__ATTACHED__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	(void)state;
	message.request_id = 16;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_ACKS;
	message.acks = &acks;
	acks.through = 40;
	acks.margin_min_ns = -5000000;
	outcome.sequence = 3;
	acks.outcomes = outcomes;
	acks.n_outcomes = 2;
	struct room_reply reply = read_back(&message);
	assert_int_equal(reply.kind, ROOM_ACKS);
	assert_int_equal(reply.through, 40);
	assert_int_equal(reply.margin_ns, -5000000);
	assert_int_equal(reply.outcomes, 2);
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_ATTACHED;
	message.attached = &attached;
	attached.handle = 9;
	attached.tick = 11;
	attached.next_due_ns = 12;
	reply = read_back(&message);
	assert_int_equal(reply.kind, ROOM_ATTACHED);
	assert_int_equal(reply.handle, 9);
	assert_int_equal(reply.tick, 11);
	assert_int_equal(reply.next_due_ns, 12);
}

/* Of sizes that a load may have: every circle has its place on the grid, and so has every wall. */
static void
the_grid_has_room(void **state)
{
	static const uint64_t sizes[][2] = { { 1, 4 }, { 64, 390 }, { 4096, 4 }, { 1, 16384 }, { 100, 104 }, { 101, 104 } };
	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		const struct rooms_plan plan = { .circles = sizes[i][0], .walls = sizes[i][1] };
		const struct room_grid grid = room_grid_of(&plan);
		assert_true(grid.side * grid.side >= plan.circles);
		assert_true(grid.side * grid.side >= plan.walls - 4);
	}
}

static void
rooms_hold_if_nothing_is_lost(void **state)
{
	struct rooms_result *result = calloc(1, sizeof *result);
	(void)state;
	assert_non_null(result);
	histogram_clear(&result->late);
	assert_false(rooms_hold(result, 1000)); /* nothing was measured */
	for (uint64_t i = 0; i < 1000; i++)
		histogram_add(&result->late, i < 995 ? 900 : 50000);
	result->updates = 1000;
	assert_true(rooms_hold(result, 1000));
	assert_false(rooms_hold(result, 800));
	result->lost_ticks = 1;
	assert_false(rooms_hold(result, 1000));
	result->lost_ticks = 0;
	result->updates_missed = 1;
	assert_false(rooms_hold(result, 1000));
	result->updates_missed = 0;
	result->failed_worlds = 1;
	assert_false(rooms_hold(result, 1000));
	free(result);
}

static void
cpu_time_of_a_process(void **state)
{
	double seconds = -1;
	(void)state;
	assert_true(process_cpu_seconds((uint64_t)getpid(), &seconds));
	assert_true(seconds >= 0);
	assert_false(process_cpu_seconds(UINT64_MAX, &seconds));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(updates_are_read),      cmocka_unit_test(acks_and_seats_are_read),
		cmocka_unit_test(the_grid_has_room),     cmocka_unit_test(rooms_hold_if_nothing_is_lost),
		cmocka_unit_test(cpu_time_of_a_process),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
