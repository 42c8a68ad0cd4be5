/* test_schedules [SEED [COUNT]]: so many schedules (schedule.h), each played over sessions in memory, five times:
 *
 * - Nothing is lost, and the seats take turns.
 * - Twice the order between the seats is shuffled, and their connections are cut at random: within a message, before what was
 * told is read, while ticks are made. They resume, and send again what the server may have. Whatever was lost, each tick has
 * the same hash, each batch the same outcome, and took effect once.
 * - The same while allocations fail at random, in sessions, the registry and the live world. A batch may be refused for want of
 * memory then, but each has one outcome.
 * - What was so refused, and nothing else, is refused again where nothing is lost: it comes to the hashes and outcomes of the
 * fourth. */
#include "session/conversation_worlds.h"
#include "session/link.h"
#include "session/schedule.h"
#include "session/schedule_result.h"
#include "support/failing.h"
#include "support/random.h"

#include "base/memory.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ATTACH = 2, STEP = 3, CREATE = 4, DESTROY = 5, RUNS_WITH_CUTS = 2, FOR_A_WHILE = 8 };
enum mode { PLAIN, CUTS, NO_MEMORY };

static enum mode failing_mode;

static uint64_t first_seed = 1, seed_count = 40, failing_seed;
static uint64_t batches, refused, undone, moved, cuts, cuts_within, again, told_again, steps_again, failures, closed,
	refused_memory, worlds_failed, other_pasts;

/* ---- a seat */

struct scheduled_seat {
	struct memory_link link;
	Collide__V1__Right right;
	bool was_attached;
	uint32_t handle, number, id_first;
	uint8_t token[16];
	size_t delivered; /* batches, whole */
	bool unsure;      /* whether the last one of them was received: the connection has ended. It asks by a new one */
	uint64_t through, acked;
	struct outcome_told told[SCHEDULE_BATCHES];
};

struct schedule_run {
	const struct seat_schedule *schedule;
	struct service service;
	struct conversation_worlds worlds;
	uint64_t chance;
	enum mode mode;
	char name[80];
	uint8_t owner_secret[16];
	struct scheduled_seat stepper, seat[SCHEDULE_SEATS];
	struct schedule_result *result;
};

static void
outcome_take(struct scheduled_seat *seat, const Collide__V1__Outcome *outcome)
{
	struct outcome_told told = {
		.is_told = true, .tick = outcome->tick, .code = (int)outcome->code, .missing = outcome->missing
	};
	assert_true(outcome->sequence >= 1 && outcome->sequence <= seat->delivered && !outcome->not_received);
	assert_true(strlen(outcome->reason) < sizeof told.reason && strlen(outcome->field) < sizeof told.field);
	(void)memcpy(told.reason, outcome->reason, strlen(outcome->reason) + 1);
	(void)memcpy(told.field, outcome->field, strlen(outcome->field) + 1);
	struct outcome_told *before = &seat->told[outcome->sequence - 1];
	if (before->is_told && strcmp(told.reason, "UNDONE") != 0) {
		told_again++;
		assert_memory_equal(before, &told, sizeof told);
	}
	*before = told;
}

static void
seat_take(struct scheduled_seat *seat, const Collide__V1__ServerMessage *message)
{
	if (message->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ATTACHED) {
		const Collide__V1__Attached *attached = message->attached;
		seat->handle = attached->handle;
		if (!seat->was_attached) {
			seat->number = attached->seat;
			seat->id_first = attached->id_first;
			memcpy(seat->token, attached->token.data, sizeof seat->token);
		}
		seat->was_attached = true;
		assert_int_equal(attached->seat, seat->number);
		/* The server has all that came whole, and nothing else. */
		seat->delivered -= seat->unsure && attached->sequence + 1 == seat->delivered;
		seat->unsure = false;
		assert_int_equal(attached->sequence, seat->delivered);
		return;
	}
	/* For a batch that was lost: the last that it is told. */
	if (seat->link.closed && message->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR) {
		assert_string_equal(message->error->reason, "SERVER_MEMORY");
		return;
	}
	assert_int_equal(message->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ACKS);
	assert_int_equal(message->request_id, ATTACH);
	assert_true(message->acks->through >= seat->through && message->acks->through <= seat->delivered);
	seat->through = message->acks->through;
	for (size_t i = 0; i < message->acks->n_outcomes; i++)
		outcome_take(seat, message->acks->outcomes[i]);
}

static void
seat_read(struct scheduled_seat *seat, size_t messages_max)
{
	Collide__V1__ServerMessage *message = NULL;
	for (; messages_max > 0 && (message = link_next(&seat->link)); messages_max--) {
		seat_take(seat, message);
		collide__v1__server_message__free_unpacked(message, NULL);
	}
}

/* By a new connection; by its token, if it has been there. */
static void
seat_attach(struct schedule_run *run, struct scheduled_seat *seat)
{
	Collide__V1__Attach attach = COLLIDE__V1__ATTACH__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	link_open(&seat->link, &run->service);
	attach.world = run->name;
	attach.right = seat->right;
	attach.ids = SCHEDULE_IDS;
	attach.outcomes_after = seat->acked;
	if (seat->was_attached)
		attach.token = (ProtobufCBinaryData){ sizeof seat->token, seat->token };
	else
		attach.secret = (ProtobufCBinaryData){ sizeof run->owner_secret, run->owner_secret };
	message.request_id = ATTACH;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_ATTACH;
	message.attach = &attach;
	seat->handle = 0;
	link_say(&seat->link, &message);
	seat_read(seat, 1);
	assert_int_not_equal(seat->handle, 0);
}

/* From now on allocations may fail: once in so many times. */
static void
memory_short(struct schedule_run *run, uint64_t one_in)
{
	allocations = 0;
	if (run->mode != NO_MEMORY || random_below(&run->chance, one_in) != 0)
		return;
	fail_count = 1 + random_below(&run->chance, 2);
	fail_from = 1 + random_below(&run->chance, 24);
}

static void
memory_enough(void)
{
	failures += fail_from != 0 && allocations >= fail_from;
	fail_from = 0;
}

static void
worlds_go_on(struct schedule_run *run)
{
	memory_short(run, 16);
	conversation_worlds_run(&run->worlds);
	memory_enough();
}

/* The batch, or the beginning of it. */
static void
seat_send(struct schedule_run *run, size_t index, size_t batch, bool whole)
{
	struct scheduled_seat *seat = &run->seat[index];
	struct buffer bytes;
	buffer_init(&bytes);
	schedule_pack(&bytes, &run->schedule->batches[index][batch], seat->handle, seat->id_first, batch + 1, seat->acked);
	size_t count = whole ? bytes.count : random_below(&run->chance, bytes.count);
	bool is_new = whole && batch == seat->delivered;
	seat->delivered += is_new; /* it may be decided at once */
	memory_short(run, 6);
	link_say_bytes(&seat->link, bytes.bytes, count);
	seat->unsure = is_new && seat->link.closed;
	memory_enough();
	buffer_finish(&bytes);
}

static bool
happens(struct schedule_run *run, uint64_t one_in)
{
	return run->mode != PLAIN && random_below(&run->chance, one_in) == 0;
}

static void
seat_cut(struct schedule_run *run, struct scheduled_seat *seat)
{
	seat_read(seat, random_below(&run->chance, 4));
	link_cut(&seat->link);
	cuts++;
}

/* Those of which the session has ended for want of memory. What it had to say before may still be read, or not. */
static void
closed_leave(struct schedule_run *run)
{
	for (size_t i = 0; i < SCHEDULE_SEATS; i++) {
		if (run->seat[i].link.session && run->seat[i].link.closed) {
			seat_cut(run, &run->seat[i]);
			closed++;
		}
	}
}

/* With some that the server has. */
static void
seat_resume(struct schedule_run *run, size_t index)
{
	struct scheduled_seat *seat = &run->seat[index];
	seat_attach(run, seat);
	size_t back = random_below(&run->chance, 4);
	for (size_t i = seat->delivered < back ? 0 : seat->delivered - back; i < seat->delivered && !seat->link.closed;
	     i++, again++)
		seat_send(run, index, i, true);
}

/* One step of a seat that has something to send. */
static void
seat_go_on(struct schedule_run *run, size_t index)
{
	struct scheduled_seat *seat = &run->seat[index];
	if (!seat->link.session) {
		seat_resume(run, index);
		return;
	}
	if (happens(run, 8)) {
		if (random_below(&run->chance, 2) == 0) {
			seat_send(run, index, seat->delivered, false);
			cuts_within++;
		}
		seat_cut(run, seat);
		return;
	}
	seat_send(run, index, seat->delivered, true);
	if (happens(run, 3))
		seat_read(seat, random_below(&run->chance, 4));
	if (happens(run, 2))
		seat->acked = seat->through;
}

/* ---- a run */

static uint64_t
clock_stands(void)
{
	return UINT64_C(1000000000);
}

static bool
has_to_send(const struct schedule_run *run, size_t index, uint32_t phase)
{
	size_t next = run->seat[index].delivered;
	return run->seat[index].unsure ||
	       (next < run->schedule->count[index] && run->schedule->batches[index][next].phase <= phase);
}

/* All batches of a phase are sent: seat by seat, or in any order of the seats. */
static void
phase_send(struct schedule_run *run, uint32_t phase)
{
	for (;;) {
		size_t order[SCHEDULE_SEATS], count = 0;
		for (size_t i = 0; i < SCHEDULE_SEATS; i++)
			if (has_to_send(run, i, phase))
				order[count++] = i;
		if (count == 0)
			return;
		seat_go_on(run, order[run->mode == PLAIN ? 0 : random_below(&run->chance, count)]);
		if (happens(run, 16))
			worlds_go_on(run);
		closed_leave(run);
	}
}

/* Takes the answer to a StepWorld. False: it is to be asked for again, or the world has failed. */
static bool
step_is_done(struct schedule_run *run, uint64_t tick)
{
	Collide__V1__ServerMessage *reply = link_next(&run->stepper.link);
	while (reply && reply->request_id == ATTACH) {
		seat_take(&run->stepper, reply);
		collide__v1__server_message__free_unpacked(reply, NULL);
		reply = link_next(&run->stepper.link);
	}
	bool done = reply && reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_STEPPED;
	if (done) {
		assert_int_equal(reply->stepped->tick, tick + 1);
		run->result->hash[tick] = reply->stepped->hash;
	} else {
		assert_true(run->mode == NO_MEMORY && reply && reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
		run->result->failed = reply && strcmp(reply->error->reason, "WORLD_FAILED") == 0;
		worlds_failed += run->result->failed;
	}
	collide__v1__server_message__free_unpacked(reply, NULL);
	return done;
}

/* One tick; the connection that asks for it may be cut before the answer comes. */
static void
phase_step(struct schedule_run *run, uint64_t tick)
{
	Collide__V1__StepWorld step = COLLIDE__V1__STEP_WORLD__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	struct scheduled_seat *stepper = &run->stepper;
	message.request_id = STEP;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_STEP_WORLD;
	message.step_world = &step;
	step.ticks = 1;
	step.optional_expect_tick_case = COLLIDE__V1__STEP_WORLD__OPTIONAL_EXPECT_TICK_EXPECT_TICK;
	step.expect_tick = tick;
	for (bool done = false; !done && !run->result->failed;) {
		step.handle = stepper->handle;
		link_say(&stepper->link, &message);
		bool cut = happens(run, 8);
		if (!cut || random_below(&run->chance, 2) == 0)
			worlds_go_on(run);
		if (cut || stepper->link.closed) {
			link_cut(&stepper->link);
			worlds_go_on(run);
			seat_attach(run, stepper);
			steps_again++;
		} else {
			done = step_is_done(run, tick);
		}
		closed_leave(run);
	}
}

static Collide__V1__ServerMessage *
ask(struct memory_link *link, uint64_t request_id)
{
	Collide__V1__ServerMessage *reply = link_next(link);
	assert_non_null(reply);
	assert_int_equal(reply->request_id, request_id);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_INFO);
	return reply;
}

static void
run_begin(struct schedule_run *run)
{
	struct session_limits limits = session_limits_default();
	struct buffer create;
	struct memory_link link;
	limits.worlds.batches_per_second_max = UINT32_MAX;
	service_init(&run->service, &limits, 42, clock_stands);
	conversation_worlds_start(&run->worlds, &run->service);
	link_open(&link, &run->service);
	buffer_init(&create);
	schedule_pack_world(&create, run->schedule, CREATE);
	link_say_bytes(&link, create.bytes, create.count);
	buffer_finish(&create);
	Collide__V1__ServerMessage *reply = ask(&link, CREATE);
	(void)snprintf(run->name, sizeof run->name, "%s", reply->world_info->name);
	memcpy(run->owner_secret, reply->world_info->owner_secret.data, sizeof run->owner_secret);
	collide__v1__server_message__free_unpacked(reply, NULL);
	link_cut(&link);
	run->stepper.right = COLLIDE__V1__RIGHT__RIGHT_STEP;
	seat_attach(run, &run->stepper);
	for (size_t i = 0; i < SCHEDULE_SEATS; i++) {
		run->seat[i].right = run->schedule->right[i];
		seat_attach(run, &run->seat[i]);
	}
}

/* Every batch is decided, and the world has taken as many as no refusal says of. */
static void
run_end(struct schedule_run *run)
{
	Collide__V1__DestroyWorld destroy = COLLIDE__V1__DESTROY_WORLD__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	uint64_t effective = 0;
	conversation_worlds_run(&run->worlds);
	closed_leave(run);
	for (size_t i = 0; i < SCHEDULE_SEATS; i++) {
		struct scheduled_seat *seat = &run->seat[i];
		if (!seat->link.session)
			seat_attach(run, seat);
		seat_read(seat, SIZE_MAX);
		assert_int_equal(seat->delivered, run->schedule->count[i]);
		assert_int_equal(seat->through, seat->delivered);
		for (size_t k = 0; k < seat->delivered; k++)
			effective += seat->told[k].code == 0 || strcmp(seat->told[k].reason, "UNDONE") == 0;
		memcpy(run->result->told[i], seat->told, sizeof seat->told);
		link_cut(&seat->link);
	}
	destroy.name = run->name;
	destroy.secret = (ProtobufCBinaryData){ sizeof run->owner_secret, run->owner_secret };
	message.request_id = DESTROY;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DESTROY_WORLD;
	message.destroy_world = &destroy;
	seat_read(&run->stepper, SIZE_MAX);
	link_say(&run->stepper.link, &message);
	conversation_worlds_run(&run->worlds);
	Collide__V1__ServerMessage *detached = link_next(&run->stepper.link);
	assert_int_equal(detached->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_DETACHED);
	Collide__V1__ServerMessage *reply = ask(&run->stepper.link, DESTROY);
	if (!run->result->failed) {
		assert_int_equal(detached->detached->hash, run->result->hash[SCHEDULE_TICKS - 1]);
		assert_int_equal(reply->world_info->tick, SCHEDULE_TICKS);
		assert_int_equal(reply->world_info->hash, run->result->hash[SCHEDULE_TICKS - 1]);
	}
	collide__v1__server_message__free_unpacked(detached, NULL);
	run->result->effective = reply->world_info->batches;
	/* What is undone later, the world may have counted or not. */
	if (run->schedule->late != COLLIDE__V1__LATE__LATE_RESIMULATE && !run->result->failed)
		assert_int_equal(run->result->effective, effective);
	collide__v1__server_message__free_unpacked(reply, NULL);
	link_cut(&run->stepper.link);
	conversation_worlds_finish(&run->worlds);
	service_finish(&run->service);
}

static void
run_schedule(const struct seat_schedule *schedule, uint64_t chance, enum mode mode, struct schedule_result *result)
{
	static struct schedule_run run;
	failing_mode = mode;
	memset(&run, 0, sizeof run);
	memset(result, 0, sizeof *result);
	run.schedule = schedule;
	run.chance = chance;
	run.mode = mode;
	run.result = result;
	run_begin(&run);
	for (uint32_t tick = 0; tick < SCHEDULE_TICKS; tick++) {
		phase_send(&run, tick);
		/* Ticks are made while some are away. */
		for (size_t i = 0; i < SCHEDULE_SEATS; i++)
			if (run.seat[i].link.session && happens(&run, FOR_A_WHILE))
				seat_cut(&run, &run.seat[i]);
		phase_step(&run, tick);
		for (size_t i = 0; i < SCHEDULE_SEATS; i++)
			if (run.seat[i].link.session)
				seat_read(&run.seat[i], happens(&run, 2) ? random_below(&run.chance, 3) : SIZE_MAX);
	}
	run_end(&run);
}

static void
count_outcomes(const struct seat_schedule *schedule, const struct schedule_result *result)
{
	for (size_t i = 0; i < SCHEDULE_SEATS; i++) {
		for (size_t k = 0; k < schedule->count[i]; k++) {
			const struct outcome_told *told = &result->told[i][k];
			batches++;
			refused += told->code != 0 && strcmp(told->reason, "UNDONE") != 0;
			undone += strcmp(told->reason, "UNDONE") == 0;
			moved += told->is_told && told->code == 0;
		}
	}
}

static void
play(uint64_t seed)
{
	static struct seat_schedule schedule;
	static struct schedule_result first, other;
	static uint64_t last_hash;
	schedule_make(&schedule, seed);
	run_schedule(&schedule, 0, PLAIN, &first);
	assert_int_not_equal(first.hash[SCHEDULE_TICKS - 1], last_hash);
	last_hash = first.hash[SCHEDULE_TICKS - 1];
	for (uint64_t i = 0; i < RUNS_WITH_CUTS; i++) {
		run_schedule(&schedule, seed * 4 + i, CUTS, &other);
		assert_memory_equal(first.hash, other.hash, sizeof first.hash);
		assert_memory_equal(first.told, other.told, sizeof first.told);
		assert_int_equal(first.effective, other.effective);
	}
	count_outcomes(&schedule, &first);
	run_schedule(&schedule, seed * 4 + 3, NO_MEMORY, &first);
	if (first.failed)
		return;
	schedule_refuse_again(&schedule, &first);
	run_schedule(&schedule, 0, PLAIN, &other);
	other_pasts += !schedule_results_alike(&schedule, &first, &other, &refused_memory);
}

static void
test_one_hash(void **state)
{
	(void)state;
	for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++) {
		uint64_t used = memory_used();
		failing_seed = seed;
		play(seed);
		assert_int_equal(memory_used(), used);
	}
	printf("%llu schedules of %d seats. Batches: %llu, of which %llu refused, %llu undone and %llu told otherwise.\n",
	       (unsigned long long)seed_count, SCHEDULE_SEATS, (unsigned long long)batches, (unsigned long long)refused,
	       (unsigned long long)undone, (unsigned long long)moved);
	printf("Connections cut: %llu, of which %llu within a message.\n", (unsigned long long)cuts,
	       (unsigned long long)cuts_within);
	printf("Again: %llu batches sent, %llu outcomes told, %llu steps asked for.\n", (unsigned long long)again,
	       (unsigned long long)told_again, (unsigned long long)steps_again);
	printf("%llu times memory failed: %llu connections closed, %llu batches refused, %llu worlds failed, %llu other pasts.\n",
	       (unsigned long long)failures, (unsigned long long)closed, (unsigned long long)refused_memory,
	       (unsigned long long)worlds_failed, (unsigned long long)other_pasts);
	assert_true(seed_count < 20 ||
	            (refused > 10 * seed_count && undone > 0 && moved > seed_count && cuts > 10 * seed_count &&
	             cuts_within > seed_count && again > seed_count && told_again > seed_count && steps_again > seed_count));
	assert_true(seed_count < 20 || (failures > seed_count && closed > seed_count / 4 && refused_memory > seed_count / 4 &&
	                                worlds_failed < seed_count));
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		first_seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		seed_count = strtoull(argv[2], NULL, 10);
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_one_hash) };
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (failed != 0)
		(void)fprintf(stderr, "seed %llu%s\n", (unsigned long long)failing_seed,
		              failing_mode == PLAIN  ? ""
		              : failing_mode == CUTS ? ", with cuts"
		                                     : ", without memory");
	return failed;
}
