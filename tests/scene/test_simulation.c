/* Simulations against the engine stepped directly: what is streamed is what happened, however it is cut into parts. */
#include "support/assert_double.h"
#include "support/effort.h"
#include "support/long_case.h"

#include "scene/gas.h"
#include "wire/reply_reader.h"

#include "scene/limits.h"
#include "scene/run/simulation.h"

#include <inttypes.h>

#define REQUEST_ID 77

static const struct simulation_times TIMES = { .read = 0.25, .world = 0.5, .worker = 2, .waiting = 3 };

static bool
stop_never(void *context)
{
	(void)context;
	return false;
}

/* Each look at it is a microsecond later than the one before. */
static uint64_t clock_ns;

static uint64_t
clock_tick(void)
{
	return clock_ns += 1000;
}

/* Runs to the end in slices, collecting everything; counts the calls. Returns the bytes before SimulateDone. */
static size_t
run_all(const struct gas *gas, const struct scene_limits *limits, size_t slice_bytes, struct buffer *out, size_t *calls)
{
	struct simulation *simulation = NULL;
	struct wire_problem problem;
	enum simulation_progress progress;
	struct arena arena;

	arena_init(&arena, (size_t)1 << 28);
	assert_int_equal(simulation_create(&gas->request, limits, NULL, REQUEST_ID, &arena, &simulation, &problem), STATUS_OK);
	arena_finish(&arena); /* nothing of it is needed any more */
	simulation_clock_set(simulation, clock_tick);
	buffer_init(out);
	*calls = 0;
	do {
		size_t before = out->count;

		progress = simulation_run(simulation, slice_bytes, stop_never, NULL, out, &problem);
		assert_true(slice_bytes == SIZE_MAX || out->count - before <= slice_bytes + SCENE_PART_BYTES_MAX);
		++*calls;
	} while (progress == SIMULATION_MORE);
	assert_int_equal(progress, SIMULATION_DONE);

	size_t count = out->count;

	simulation_done_append(simulation, &TIMES, out);
	simulation_destroy(simulation);
	return count;
}

static void
assert_contact_row(const Collide__V1__ContactColumns *columns, size_t row, uint64_t tick, const struct contact *contact)
{
	assert_true(columns->tick[row] == tick);
	assert_double_same_bits(columns->time[row], contact->time);
	assert_int_equal(columns->a[row], contact->a);
	assert_int_equal(columns->b[row], contact->b);
	assert_int_equal(columns->feature[row], contact->other == CONTACT_CIRCLE ? 1 : 2 + contact->feature);
	assert_int_equal(columns->flags[row], contact->flags);
	assert_double_same_bits(columns->point_x[row], contact->point[0]);
	assert_double_same_bits(columns->point_y[row], contact->point[1]);
	assert_double_same_bits(columns->normal_x[row], contact->normal[0]);
	assert_double_same_bits(columns->normal_y[row], contact->normal[1]);
	assert_double_same_bits(columns->approach_speed[row], contact->approach_speed);
	assert_double_same_bits(columns->impulse[row], contact->impulse);
	assert_double_same_bits(columns->a_vx_before[row], contact->a_before[0]);
	assert_double_same_bits(columns->a_vy_before[row], contact->a_before[1]);
	assert_double_same_bits(columns->a_vx_after[row], contact->a_after[0]);
	assert_double_same_bits(columns->a_vy_after[row], contact->a_after[1]);
	assert_double_same_bits(columns->b_vx_before[row], contact->b_before[0]);
	assert_double_same_bits(columns->b_vy_before[row], contact->b_before[1]);
	assert_double_same_bits(columns->b_vx_after[row], contact->b_after[0]);
	assert_double_same_bits(columns->b_vy_after[row], contact->b_after[1]);
}

/* Reads a stream while stepping a world of its own. */
struct follower {
	struct world *world;
	struct tick_report report; /* of the present tick */
	size_t contacts_seen;      /* of it */
	size_t bodies_seen;        /* of the present frame */
	struct tick_report sum;    /* events, collisions, clusters and energy since the last frame */
	uint64_t contacts_total, shortfalls_total, parts, frames, collisions_total;
	struct tick_cost cost; /* of all ticks */
	uint64_t sum_of_work;  /* the same */
	double work_share_max; /* of any */
	uint64_t every, ticks;
	double dt;
	bool with_contacts;
};

static void
follower_step(struct follower *follower)
{
	struct energy_ledger *energy = &follower->sum.energy;
	const struct energy_ledger *more = &follower->report.energy;
	bool first = follower->report.tick % follower->every == 0;

	if (follower->with_contacts)
		assert_int_equal(follower->contacts_seen, follower->report.contact_count); /* none was lost */
	assert_int_equal(world_step(follower->world, follower->dt, &follower->report), STATUS_OK);
	const double share = (double)follower->report.work / (double)follower->report.work_max;
	follower->contacts_seen = 0;
	if (first) {
		follower->sum = (struct tick_report){ .tick = 0 };
		energy->kinetic_before = more->kinetic_before;
		energy->potential_before = more->potential_before;
	}
	energy->kinetic_after = more->kinetic_after;
	energy->potential_after = more->potential_after;
	energy->contact += more->contact;
	energy->work += more->work;
	energy->push += more->push;
	energy->support += more->support;
	follower->sum.events += follower->report.events;
	follower->sum.collisions += follower->report.collisions;
	follower->sum.clusters += follower->report.clusters;
	follower->cost.looks += follower->report.cost.looks;
	follower->cost.foreseen += follower->report.cost.foreseen;
	follower->cost.transfers += follower->report.cost.transfers;
	follower->cost.sweeps += follower->report.cost.sweeps;
	follower->sum_of_work += follower->report.work;
	if (share > follower->work_share_max)
		follower->work_share_max = share;
	follower->collisions_total += follower->report.collisions;
	follower->shortfalls_total += follower->report.shortfall_count;
	follower->contacts_total += follower->report.contact_count;
}

static void
follow_contacts(struct follower *follower, const Collide__V1__Frame *frame)
{
	if (frame->optional_contacts_case == COLLIDE__V1__FRAME__OPTIONAL_CONTACTS__NOT_SET)
		return;
	assert_true(follower->with_contacts);
	assert_in_range(frame->contacts->n_tick, 1, SCENE_CONTACT_ROWS_MAX);
	for (size_t i = 0; i < frame->contacts->n_tick; i++) {
		while (follower->report.tick < frame->contacts->tick[i])
			follower_step(follower);
		assert_true(follower->contacts_seen < follower->report.contact_count);
		assert_contact_row(frame->contacts, i, follower->report.tick, &follower->report.contacts[follower->contacts_seen++]);
	}
}

static void
follow_bodies(struct follower *follower, const Collide__V1__Frame *frame)
{
	if (frame->optional_bodies_case == COLLIDE__V1__FRAME__OPTIONAL_BODIES__NOT_SET)
		return;
	while (follower->report.tick < frame->tick)
		follower_step(follower);
	assert_in_range(frame->bodies->n_id, 1, SCENE_BODY_ROWS_MAX);
	for (size_t i = 0; i < frame->bodies->n_id; i++) {
		struct body_state body = world_body(follower->world, follower->bodies_seen++);

		assert_int_equal(frame->bodies->id[i], body.id);
		assert_double_same_bits(frame->bodies->x[i], body.x);
		assert_double_same_bits(frame->bodies->y[i], body.y);
		assert_double_same_bits(frame->bodies->vx[i], body.vx);
		assert_double_same_bits(frame->bodies->vy[i], body.vy);
	}
}

static void
follow_last_part(struct follower *follower, const Collide__V1__Frame *frame)
{
	const struct energy_ledger *energy = &follower->sum.energy;

	assert_int_equal(follower->bodies_seen, world_body_count(follower->world));
	assert_true(frame->tick % follower->every == 0 || frame->tick == follower->ticks);
	assert_true(frame->hash == world_hash(follower->world));
	assert_double_same_bits(frame->time, (double)frame->tick * follower->dt);
	assert_int_equal(frame->events, follower->sum.events);
	assert_int_equal(frame->collisions, follower->sum.collisions);
	assert_int_equal(frame->clusters, follower->sum.clusters);
	assert_int_equal(frame->optional_energy_case, COLLIDE__V1__FRAME__OPTIONAL_ENERGY_ENERGY);
	assert_double_same_bits(frame->energy->kinetic_before, energy->kinetic_before);
	assert_double_same_bits(frame->energy->kinetic_after, energy->kinetic_after);
	assert_double_same_bits(frame->energy->potential_before, energy->potential_before);
	assert_double_same_bits(frame->energy->potential_after, energy->potential_after);
	assert_double_near(frame->energy->contact, energy->contact, 0);
	assert_double_near(frame->energy->work, energy->work, 0);
	assert_double_near(frame->energy->push, energy->push, 0);
	assert_double_near(frame->energy->support, energy->support, 0);
	follower->bodies_seen = 0;
	follower->frames++;
}

/* The world that follows has no clock, and comes to the same counts. */
static void
assert_cost(const Collide__V1__SimulateDone *done, const struct follower *follower)
{
	const Collide__V1__Cost *cost = done->cost;
	double phases = cost->begin_seconds + cost->rest_seconds + cost->predict_seconds + cost->event_seconds +
	                cost->strip_seconds + cost->end_seconds;
	uint64_t timed = done->ticks;

	/* One tick in 16 of those that are as small. */
	if (world_body_count(follower->world) <= 256)
		timed = (REQUEST_ID + done->ticks + 15) / 16 - (REQUEST_ID + 15) / 16;
	assert_double_same_bits(cost->read_seconds, TIMES.read);
	assert_double_same_bits(cost->world_seconds, TIMES.world);
	assert_true(cost->looks == follower->cost.looks);
	assert_true(cost->foreseen == follower->cost.foreseen);
	assert_true(cost->transfers == follower->cost.transfers);
	assert_true(cost->sweeps == follower->cost.sweeps);
	assert_true(cost->work == follower->sum_of_work);
	assert_double_same_bits(cost->work_share_max, follower->work_share_max);
	assert_true(cost->looks >= (world_body_count(follower->world) > 0) && cost->foreseen >= cost->transfers);
	assert_true(cost->timed_ticks == timed);
	/* As often as the clock is read: at least for begin, prediction, events and end of each tick, and for the tick from
	 * outside.
	 */
	assert_true(phases >= 3.999e-6 * (double)timed);
	assert_double_near(done->engine_seconds, phases + 2e-6 * (double)timed + 1e-6 * (double)(done->ticks - timed), 1e-12);
	assert_true(cost->reply_seconds >= 1e-6 && cost->strip_seconds == 0);
}

/* Checks the whole stream, SimulateDone included. */
static struct follower
follow(const struct gas *gas, const struct buffer *stream)
{
	struct follower follower = { .every = gas->request.every == 0 ? 1 : gas->request.every,
		                         .ticks = gas->request.ticks,
		                         .dt = gas->request.dt,
		                         .with_contacts = gas->request.detail != COLLIDE__V1__DETAIL__DETAIL_STATES };
	struct scene_limits limits = scene_limits_default();
	Collide__V1__ServerMessage *message;
	struct wire_problem problem;
	struct arena arena;
	size_t at = 0;

	arena_init(&arena, (size_t)1 << 28);
	assert_int_equal(scene_world_create(&arena, &gas->scene, &limits, "", &follower.world, &problem), STATUS_OK);
	arena_finish(&arena);
	for (message = reply_next(stream, &at); message->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME;
	     message = reply_next(stream, &at)) {
		assert_int_equal(message->request_id, REQUEST_ID);
		follow_contacts(&follower, message->frame);
		follow_bodies(&follower, message->frame);
		follower.parts++;
		if (!message->frame->more) {
			while (follower.report.tick < message->frame->tick) /* a scene without bodies */
				follower_step(&follower);
			follow_last_part(&follower, message->frame);
		}
		collide__v1__server_message__free_unpacked(message, NULL);
	}
	assert_int_equal(message->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE);
	assert_int_equal(message->simulate_done->ticks, follower.ticks);
	assert_int_equal(message->simulate_done->collisions, follower.collisions_total);
	assert_int_equal(message->simulate_done->shortfalls, follower.shortfalls_total);
	assert_true(message->simulate_done->hash == world_hash(follower.world));
	assert_double_same_bits(message->simulate_done->worker_seconds, TIMES.worker);
	assert_double_same_bits(message->simulate_done->waiting_seconds, TIMES.waiting);
	assert_cost(message->simulate_done, &follower);
	collide__v1__server_message__free_unpacked(message, NULL);
	assert_int_equal(at, stream->count);
	assert_int_equal(follower.report.tick, follower.ticks);
	world_destroy(follower.world);
	return follower;
}

static void
test_stream_is_what_the_engine_did(void **state)
{
	static const uint64_t everys[] = { 0, 1, 3, 10, 11, UINT64_MAX };
	static const uint64_t frames[] = { 10, 10, 4, 1, 1, 1 };
	struct scene_limits limits = scene_limits_default();

	(void)state;
	for (size_t i = 0; i < sizeof everys / sizeof everys[0]; i++) {
		struct gas gas;
		struct buffer stream;
		size_t calls;

		gas_init(&gas, 12, 100);
		gas.request.every = everys[i];
		(void)run_all(&gas, &limits, SIZE_MAX, &stream, &calls);
		assert_int_equal(calls, 1);
		struct follower follower = follow(&gas, &stream);
		assert_int_equal(follower.frames, frames[i]);
		assert_int_equal(follower.parts, frames[i]);
		assert_true(follower.contacts_total > 100);
		buffer_finish(&stream);
		gas_finish(&gas);
	}
}

/* How the caller slices changes when bytes come, never which. */
static void
test_slices_do_not_change_the_bytes(void **state)
{
	static const size_t slices[] = { 0, 1, 5000, 100000 };
	struct scene_limits limits = scene_limits_default();
	struct buffer whole;
	struct gas gas;
	size_t calls;

	(void)state;
	gas_init(&gas, 12, 100);
	(void)run_all(&gas, &limits, SIZE_MAX, &whole, &calls);
	for (size_t i = 1; i < sizeof slices / sizeof slices[0]; i++) {
		struct buffer sliced;

		(void)run_all(&gas, &limits, slices[i], &sliced, &calls);
		assert_true(calls > 1 || slices[i] > whole.count);
		assert_int_equal(sliced.count, whole.count);
		assert_memory_equal(sliced.bytes, whole.bytes, whole.count);
		buffer_finish(&sliced);
	}
	buffer_finish(&whole);
	gas_finish(&gas);
}

/* More bodies than a part holds. */
static void
test_many_bodies_come_in_parts(void **state)
{
	struct scene_limits limits = scene_limits_default();
	struct buffer stream;
	struct gas gas;
	size_t calls;

	(void)state;
	gas_init(&gas, 370, 1); /* 136,900 */
	gas.request.ticks = 2;
	(void)run_all(&gas, &limits, 1, &stream, &calls);
	assert_true(calls >= 6);
	struct follower follower = follow(&gas, &stream);
	assert_int_equal(follower.frames, 2);
	assert_int_equal(follower.parts, 6);
	buffer_finish(&stream);
	gas_finish(&gas);
}

/* The same in a workspace that another uses between the slices, with parts that end amid a tick's contacts. */
static void
test_a_workspace_does_not_change_the_bytes(void **state)
{
	static const double speeds[] = { 5000, 3000 }; /* tens of thousands of contacts in a tick */
	struct scene_limits limits = scene_limits_default();
	struct simulation *simulations[2] = { NULL };
	struct buffer wholes[2], streams[2];
	struct workspace *workspace;
	struct wire_problem problem;
	struct arena arena;
	struct gas gas;
	size_t calls, counts[2], running = 2;

	(void)state;
	assert_int_equal(workspace_create(&workspace), STATUS_OK);
	for (size_t i = 0; i < 2; i++) {
		gas_init(&gas, effort(26, 30), speeds[i]);
		gas.request.ticks = 2;
		counts[i] = run_all(&gas, &limits, SIZE_MAX, &wholes[i], &calls);
		assert_true(wholes[i].count > 2 * 2 * (size_t)SCENE_CONTACT_ROWS_MAX * 100); /* more than two parts a tick */
		arena_init(&arena, 1 << 22);
		assert_int_equal(simulation_create(&gas.request, &limits, NULL, REQUEST_ID, &arena, &simulations[i], &problem),
		                 STATUS_OK);
		arena_finish(&arena);
		buffer_init(&streams[i]);
		gas_finish(&gas);
	}
	for (size_t slice = 0; running > 0; slice++) {
		struct simulation *simulation = simulations[slice % 2];

		if (!simulation)
			continue;
		simulation_workspace_set(simulation, workspace);
		enum simulation_progress progress = simulation_run(simulation, 1, stop_never, NULL, &streams[slice % 2], &problem);
		assert_int_not_equal(progress, SIMULATION_FAILED);
		simulation_workspace_set(simulation, NULL);
		if (progress == SIMULATION_DONE) {
			simulation_destroy(simulation);
			simulations[slice % 2] = NULL;
			running--;
		}
	}
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(streams[i].count, counts[i]);
		assert_memory_equal(streams[i].bytes, wholes[i].bytes, counts[i]);
		buffer_finish(&streams[i]);
		buffer_finish(&wholes[i]);
	}
	workspace_destroy(workspace);
}

/* Contacts of the ticks between frames do not pile up: parts go out early, and what is held stays bounded. */
static void
test_contacts_between_frames_go_out_early(void **state)
{
	struct scene_limits limits = scene_limits_default();
	struct simulation *simulation = NULL;
	struct wire_problem problem;
	struct buffer stream;
	struct arena arena;
	struct gas gas;
	size_t calls, memory_max = 0;

	(void)state;
	gas_init(&gas, 30, (double)effort(400, 100));
	gas.request.ticks = gas.request.every = (uint32_t)effort(5, 60);
	(void)run_all(&gas, &limits, SIZE_MAX, &stream, &calls);
	struct follower follower = follow(&gas, &stream);
	assert_int_equal(follower.frames, 1);
	assert_true(follower.contacts_total > 2 * SCENE_CONTACT_ROWS_MAX);
	assert_int_equal(follower.parts, (follower.contacts_total - 1) / SCENE_CONTACT_ROWS_MAX + 1);
	buffer_finish(&stream);

	arena_init(&arena, 1 << 22);
	assert_int_equal(simulation_create(&gas.request, &limits, NULL, 1, &arena, &simulation, &problem), STATUS_OK);
	arena_finish(&arena);
	buffer_init(&stream);
	while (simulation_run(simulation, 1, stop_never, NULL, &stream, &problem) == SIMULATION_MORE) {
		size_t memory = simulation_memory_bytes(simulation);

		memory_max = memory > memory_max ? memory : memory_max;
		stream.count = 0;
	}
	print_message("%" PRIu64 " contacts in one frame: at most %zu bytes held\n", follower.contacts_total, memory_max);
	assert_true(memory_max < 2 * SCENE_PART_BYTES_MAX);
	simulation_destroy(simulation);
	buffer_finish(&stream);
	gas_finish(&gas);
}

/* DETAIL_STATES leaves contacts out, but what fell short always comes. */
static void
test_states_only_keep_shortfalls(void **state)
{
	struct scene_limits limits = scene_limits_default();
	struct buffer stream;
	struct gas gas;
	size_t calls, at = 0;

	(void)state;
	gas_init(&gas, 2, 0);
	gas.values[9] = 3e8; /* leaves to the right, at five million radii a tick */
	gas.values[10] = 60; /* meets its neighbour */
	gas.scene.optional_segment_columns_case = COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS__NOT_SET;
	gas.request.ticks = 1;
	gas.request.detail = COLLIDE__V1__DETAIL__DETAIL_STATES;
	(void)run_all(&gas, &limits, SIZE_MAX, &stream, &calls);
	Collide__V1__ServerMessage *message = reply_next(&stream, &at);
	assert_int_equal(message->frame->optional_contacts_case, COLLIDE__V1__FRAME__OPTIONAL_CONTACTS__NOT_SET);
	assert_int_equal(message->frame->optional_path_changes_case, COLLIDE__V1__FRAME__OPTIONAL_PATH_CHANGES__NOT_SET);
	assert_int_equal(message->frame->optional_shortfalls_case, COLLIDE__V1__FRAME__OPTIONAL_SHORTFALLS_SHORTFALLS);
	assert_true(message->frame->collisions > 0);
	assert_true(message->frame->shortfalls->n_body >= 1);
	assert_int_equal(message->frame->shortfalls->n_flag, message->frame->shortfalls->n_body);
	assert_true(message->frame->shortfalls->tick[0] == 1);
	assert_int_equal(message->frame->shortfalls->flag[0], COLLIDE__V1__BODY_FLAG__BODY_FLAG_FAST);
	assert_true(message->frame->shortfalls->amount[0] > PHYSICS_TRAVEL_MAX_RADII);
	collide__v1__server_message__free_unpacked(message, NULL);
	follow(&gas, &stream);
	buffer_finish(&stream);
	gas_finish(&gas);
}

/* An overlap at the start: the push-out is a path change, streamed with its tick and kind. */
static void
test_path_changes_are_streamed(void **state)
{
	struct scene_limits limits = scene_limits_default();
	struct buffer stream;
	struct gas gas;
	size_t calls, at = 0;

	(void)state;
	gas_init(&gas, 2, 0);
	gas.values[1] = 2.25; /* the second is one apart from the first, radii are 1 */
	gas.request.ticks = 1;
	(void)run_all(&gas, &limits, SIZE_MAX, &stream, &calls);
	Collide__V1__ServerMessage *message = reply_next(&stream, &at);
	assert_int_equal(message->frame->optional_path_changes_case, COLLIDE__V1__FRAME__OPTIONAL_PATH_CHANGES_PATH_CHANGES);
	const Collide__V1__PathChangeColumns *changes = message->frame->path_changes;
	assert_true(changes->n_body >= 1);
	assert_int_equal(changes->n_vector_x, changes->n_body);
	assert_int_equal(changes->kind[0], COLLIDE__V1__PATH_KIND__PATH_KIND_PUSHED);
	assert_true(changes->tick[0] == 1);
	assert_double_same_bits(changes->time[0], 0);
	assert_true(fabs(changes->vector_x[0]) > 0.1);
	collide__v1__server_message__free_unpacked(message, NULL);
	buffer_finish(&stream);
	gas_finish(&gas);
}

static void
test_empty_scene(void **state)
{
	struct scene_limits limits = scene_limits_default();
	struct buffer stream;
	struct gas gas;
	size_t calls;

	(void)state;
	gas_init(&gas, 1, 0);
	gas.scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS__NOT_SET;
	(void)run_all(&gas, &limits, SIZE_MAX, &stream, &calls);
	struct follower follower = follow(&gas, &stream);
	assert_int_equal(follower.frames, 10);
	buffer_finish(&stream);
	gas_finish(&gas);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stream_is_what_the_engine_did),
		cmocka_unit_test(test_slices_do_not_change_the_bytes),
		long_case(test_many_bodies_come_in_parts),
		long_case(test_a_workspace_does_not_change_the_bytes),
		long_case(test_contacts_between_frames_go_out_early),
		cmocka_unit_test(test_states_only_keep_shortfalls),
		cmocka_unit_test(test_path_changes_are_streamed),
		cmocka_unit_test(test_empty_scene),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
