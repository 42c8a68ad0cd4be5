/* What a load of rooms reads of messages, against the generated code; where its circles and walls are; when rooms hold. */
#include "client/load/process_cpu.h"
#include "client/load/rooms/room_make.h"
#include "client/load/rooms/room_reply.h"
#include "collide/v1/collide.pb-c.h"

#include "support/assert_double.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
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

/* However a step lies to the ticks of its rooms, updates are due in it: twenty, or as many as there are in the longest step. */
static void
updates_are_due_in_every_step(void **state)
{
	static const uint64_t hz[] = { 1, 10, 60, 1000 }, every[] = { 1, 3, 60, 1000 }, rooms[] = { 1, 3, 19, 20, 21, 5000 };
	(void)state;
	for (size_t i = 0; i < 4 * 4 * 6; i++) {
		const struct rooms_plan plan = { .tick_hz = hz[i % 4], .every = every[i / 4 % 4], .seconds = 1 };
		uint64_t count = rooms[i / 16];
		double seconds = rooms_step_seconds(&plan, count), update = rooms_update_seconds(&plan);
		double due = (double)count * floor(seconds / update * (1 + 1e-12));
		assert_true(seconds >= 1 && seconds <= 10);
		assert_true(due >= 20 || seconds == 10);
		assert_true(seconds == 1 || (seconds - update) / update * (double)count < 20);
		assert_true(due > 0 || update > 10); /* which is refused */
	}
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

struct busy {
	const char *name;
	enum thread_kind kind;
	double seconds; /* that it is to compute */
	bool told;
};

/* Computes until the system says that threads of its kind have. */
static void *
busy_main(void *context)
{
	static struct process_threads before, now;
	struct busy *busy = context;
	double seconds = 0;
	assert_int_equal(prctl(PR_SET_NAME, busy->name, 0, 0, 0), 0);
	busy->told = process_threads_read((uint64_t)getpid(), &before);
	while (busy->told && seconds < busy->seconds) {
		double kinds[THREAD_KINDS] = { 0 };
		busy->told = process_threads_read((uint64_t)getpid(), &now);
		process_threads_since(&before, &now, kinds);
		seconds = kinds[busy->kind];
	}
	return NULL;
}

static void
cpu_time_by_thread(void **state)
{
	static struct busy kinds[] = { { "keeper", THREAD_TICKS, 0.01, false },
		                           { "worker", THREAD_REQUESTS, 0.01, false },
		                           { "background", THREAD_BACKGROUND, 0.01, false },
		                           { "disk", THREAD_DISK, 0.01, false },
		                           { "some", THREAD_OTHER, 0.01, false } };
	static struct process_threads none, now;
	double seconds[THREAD_KINDS] = { 0 }, whole = 0, sum = 0;
	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		pthread_t thread;
		assert_int_equal(pthread_create(&thread, NULL, busy_main, &kinds[i]), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_true(kinds[i].told);
	}
	/* They are gone. The first thread is the loop, and what it has computed is all that is left. */
	assert_true(process_threads_read((uint64_t)getpid(), &now));
	process_threads_since(&none, &now, seconds);
	assert_true(process_cpu_seconds((uint64_t)getpid(), &whole));
	for (size_t i = 0; i < THREAD_KINDS; i++)
		sum += seconds[i];
	assert_true(seconds[THREAD_LOOP] > 0 && sum <= whole);
	assert_false(process_threads_read(UINT64_MAX, &now));
}

/* A thread that did something else before is counted as what it does now, and only with what it has done since. */
static void
cpu_time_of_threads_that_change(void **state)
{
	static const struct process_threads before = { 2, { { 7, THREAD_TICKS, 1000000000 }, { 8, THREAD_REQUESTS, 2000000000 } } };
	static const struct process_threads now = { 2, { { 7, THREAD_REQUESTS, 1500000000 }, { 9, THREAD_TICKS, 250000000 } } };
	double seconds[THREAD_KINDS] = { 0 };
	(void)state;
	process_threads_since(&before, &now, seconds);
	assert_double_near(seconds[THREAD_REQUESTS], 0.5, 0);
	assert_double_near(seconds[THREAD_TICKS], 0.25, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(updates_are_read),
		cmocka_unit_test(acks_and_seats_are_read),
		cmocka_unit_test(the_grid_has_room),
		cmocka_unit_test(rooms_hold_if_nothing_is_lost),
		cmocka_unit_test(updates_are_due_in_every_step),
		cmocka_unit_test(cpu_time_of_a_process),
		cmocka_unit_test(cpu_time_by_thread),
		cmocka_unit_test(cpu_time_of_threads_that_change),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
