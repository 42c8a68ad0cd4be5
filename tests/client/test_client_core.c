/* The conversation without a socket: what requests look like, and what becomes of replies, however they are cut up. */
#include "client/replies.h"

#include "support/assert_double.h"
#include "support/random.h"

#include <stdio.h>
#include <stdlib.h>

static const double ONE_RADIUS = 1;
static const struct collide_scene SMALL_SCENE = { .circles = { .count = 1, .radius = { &ONE_RADIUS, 1 } } };
static const struct collide_simulation SMALL = { .scene = &SMALL_SCENE, .dt = 0.5, .ticks = 3 };

/* A core that has been welcomed by a server that takes messages of up to message_bytes_max. */
static struct collide_core *
core_welcomed(uint32_t message_bytes_max)
{
	struct collide_core *core = core_new();
	struct replies replies = { 0 };
	struct collide_event event;
	uint64_t hello = collide_core_hello(core, NULL);
	assert_int_not_equal(hello, 0);
	collide__v1__client_message__free_unpacked(request_take(core), NULL);
	replies_append_welcome(&replies, hello, message_bytes_max);
	replies_give(&replies, core);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_WELCOME);
	replies_finish(&replies);
	return core;
}

static void
hello_offers_the_version_and_names(void **state)
{
	(void)state;
	uint8_t token[] = { 1, 0, 2 };
	struct collide_options options = { .client_name = "a test", .client_version = "3", .token = token, .token_bytes = 3 };
	struct collide_core *core = collide_core_create(&options);
	assert_non_null(core);
	uint64_t id = collide_core_hello(core, NULL);
	Collide__V1__ClientMessage *message = request_take(core);
	assert_int_equal(message->request_id, id);
	assert_int_equal(message->request_case, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_HELLO);
	assert_int_equal(message->hello->version_min, 1);
	assert_int_equal(message->hello->version_max, 1);
	assert_int_equal(message->hello->client_name.len, 6);
	assert_memory_equal(message->hello->client_name.data, "a test", 6);
	assert_int_equal(message->hello->token.len, 3);
	assert_memory_equal(message->hello->token.data, token, 3);
	collide__v1__client_message__free_unpacked(message, NULL);
	assert_null(request_take(core));
	collide_core_destroy(core);
}

static void
welcome_tells_limits_and_hides_control_characters(void **state)
{
	(void)state;
	struct collide_core *core = core_new();
	struct replies replies = { 0 };
	struct collide_event event;
	replies_append_welcome(&replies, collide_core_hello(core, NULL), 4096);
	replies_give(&replies, core);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_WELCOME);
	assert_string_equal(event.as.welcome->server, "collided 9.8.7?[2J");
	assert_int_equal(event.as.welcome->instance_id, 77);
	assert_int_equal(event.as.welcome->ping_interval_ms, 1500000);
	assert_int_equal(event.as.welcome->limits.message_bytes_max, 4096);
	assert_int_equal(event.as.welcome->limits.ticks_max, 1000);
	assert_false(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_NONE);
	replies_finish(&replies);
	collide_core_destroy(core);
}

static void
simulate_sends_every_column_and_setting(void **state)
{
	(void)state;
	struct collide_core *core = core_welcomed(0);
	const double x[] = { 1, 2, 3 }, radius = 0.5;
	const uint32_t ids[] = { 7, 9, 8 }, kinds[] = { COLLIDE_STATIC, COLLIDE_DYNAMIC, COLLIDE_KINEMATIC }, mask = 6;
	const int32_t filter_groups[] = { 0, -3, INT32_MAX };
	const struct collide_group_relation relations[] = {
		{ .group_a = 8, .group_b = 9, .kind = COLLIDE_RELATION_MOVE, .has_weight_b = true, .weight_b = 0.5 },
		{ .has_elasticity = true },
	};
	const struct collide_scene scene = {
		.circles = { .count = 3,
		             .id = { ids, 3 },
		             .x = { x, 3 },
		             .radius = { &radius, 1 },
		             .kind = { kinds, 3 },
		             .filter_group = { filter_groups, 3 },
		             .group = { ids, 3 } },
		.segments = { .x1 = { x, 3 },
		              .y2 = { x, 3 },
		              .mask = { &mask, 1 },
		              .filter_group = { filter_groups + 1, 1 },
		              .group = { &mask, 1 } },
		.relations = relations,
		.relation_count = 2,
		.gravity_y = -9.81,
		.restitution_mix = COLLIDE_MIX_MIN,
		.restitution_threshold = 0.125,
		.events_per_body_max = 55,
	};
	const struct collide_simulation simulation = {
		.scene = &scene,
		.dt = 0.25,
		.ticks = 12,
		.every = 4,
		.states_only = true,
		.deadline_ms = 900,
	};
	uint64_t id = collide_core_simulate(core, &simulation, NULL);
	Collide__V1__ClientMessage *message = request_take(core);
	assert_int_equal(message->request_id, id);
	assert_int_equal(message->request_case, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE);
	const Collide__V1__Simulate *simulate = message->simulate;
	assert_double_same_bits(simulate->dt, 0.25);
	assert_int_equal(simulate->ticks, 12);
	assert_int_equal(simulate->every, 4);
	assert_int_equal(simulate->detail, COLLIDE__V1__DETAIL__DETAIL_STATES);
	assert_int_equal(simulate->deadline_ms, 900);
	const Collide__V1__CircleColumns *circles = simulate->scene->circle_columns;
	assert_int_equal(circles->count, 3);
	assert_int_equal(circles->n_id, 3);
	assert_memory_equal(circles->id, ids, sizeof ids);
	assert_memory_equal(circles->x, x, sizeof x);
	assert_int_equal(circles->n_radius, 1);
	assert_int_equal(circles->n_y, 0);
	assert_memory_equal(circles->kind, kinds, sizeof kinds);
	const Collide__V1__SegmentColumns *segments = simulate->scene->segment_columns;
	assert_memory_equal(segments->y2, x, sizeof x);
	assert_int_equal(segments->mask[0], 6);
	assert_memory_equal(circles->filter_group, filter_groups, sizeof filter_groups);
	assert_memory_equal(circles->group, ids, sizeof ids);
	assert_int_equal(segments->filter_group[0], -3);
	assert_int_equal(segments->group[0], 6);
	assert_int_equal(simulate->scene->n_relations, 2);
	const Collide__V1__GroupRelation *relation = simulate->scene->relations[0];
	assert_true(relation->group_a == 8 && relation->group_b == 9);
	assert_int_equal(relation->kind, COLLIDE__V1__RELATION_KIND__RELATION_KIND_MOVE);
	assert_int_equal(relation->optional_weight_a_case, COLLIDE__V1__GROUP_RELATION__OPTIONAL_WEIGHT_A__NOT_SET);
	assert_double_same_bits(relation->weight_b, 0.5);
	relation = simulate->scene->relations[1];
	assert_int_equal(relation->optional_elasticity_case, COLLIDE__V1__GROUP_RELATION__OPTIONAL_ELASTICITY_ELASTICITY);
	assert_double_same_bits(simulate->scene->gravity_y, -9.81);
	assert_int_equal(simulate->scene->restitution_mix, COLLIDE__V1__RESTITUTION_MIX__RESTITUTION_MIX_MIN);
	assert_double_same_bits(simulate->scene->restitution_threshold, 0.125);
	assert_int_equal(simulate->scene->events_per_body_max, 55);
	collide__v1__client_message__free_unpacked(message, NULL);
	collide_core_destroy(core);
}

/* A scene given as bytes arrives as if it had been part of the message from the start. */
static void
simulate_sends_a_serialized_scene_as_it_is(void **state)
{
	(void)state;
	struct collide_core *core = core_welcomed(0);
	Collide__V1__Circle circle = COLLIDE__V1__CIRCLE__INIT;
	circle.radius = 3;
	Collide__V1__Circle *circles[] = { &circle, &circle };
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	scene.circles = circles;
	scene.n_circles = 2;
	uint8_t bytes[64];
	size_t count = collide__v1__scene__pack(&scene, bytes);
	const struct collide_scene given = { .message = bytes, .message_bytes = count };
	const struct collide_simulation simulation = { .scene = &given, .dt = 1, .ticks = 2 };
	assert_int_not_equal(collide_core_simulate(core, &simulation, NULL), 0);
	Collide__V1__ClientMessage *message = request_take(core);
	assert_int_equal(message->simulate->scene->n_circles, 2);
	assert_double_same_bits(message->simulate->scene->circles[1]->radius, 3);
	assert_int_equal(message->simulate->ticks, 2);
	collide__v1__client_message__free_unpacked(message, NULL);
	collide_core_destroy(core);
}

static void
requests_that_cannot_be_sent_are_refused_here(void **state)
{
	(void)state;
	struct collide_core *core = core_welcomed(40);
	struct collide_error error;
	const double x[8] = { 0 };
	const struct collide_scene big = { .circles = { .x = { x, 8 } } }, broken = { .circles = { .x = { NULL, 8 } } },
							   unrelated = { .relation_count = 1 };
	struct collide_simulation simulation = { .scene = &big, .dt = 1, .ticks = 1 };
	assert_int_equal(collide_core_simulate(core, &simulation, &error), 0);
	assert_string_equal(error.reason, "FRAME_TOO_LARGE");
	assert_int_equal(error.origin, COLLIDE_FROM_LIBRARY);
	simulation.scene = &broken;
	assert_int_equal(collide_core_simulate(core, &simulation, &error), 0);
	assert_string_equal(error.reason, "NULL_COLUMN");
	simulation.scene = &unrelated;
	assert_int_equal(collide_core_simulate(core, &simulation, &error), 0);
	assert_string_equal(error.reason, "NULL_COLUMN");
	simulation.scene = NULL;
	assert_int_equal(collide_core_simulate(core, &simulation, &error), 0);
	assert_string_equal(error.reason, "NO_SCENE");
	uint8_t payload[65] = { 0 };
	assert_int_equal(collide_core_ping(core, payload, sizeof payload, &error), 0);
	assert_string_equal(error.reason, "BAD_ARGUMENT");
	assert_null(request_take(core)); /* nothing of them went out */
	collide_core_destroy(core);
}

/* Contacts of frame k are 10 k .. 10 k + 5, in two parts; bodies 0..6 in three. */
static void
frame_in_parts_append(struct replies *replies, uint64_t id, uint64_t tick)
{
	uint32_t first = (uint32_t)(10 * tick);
	replies_append_part(replies, id, tick, true, 0, 3, first, 4);
	replies_append_part(replies, id, tick, true, 3, 3, 0, 0);
	replies_append_part(replies, id, tick, false, 6, 1, first + 4, 2);
}

static void
frame_expect(const struct collide_frame *frame, uint64_t tick)
{
	assert_int_equal(frame->tick, tick);
	assert_double_same_bits(frame->time, (double)tick / 8);
	assert_int_equal(frame->hash, tick * 1000);
	assert_int_equal(frame->collisions, tick + 1);
	assert_true(frame->has_energy);
	assert_double_same_bits(frame->energy.kinetic_after, 12.5);
	assert_int_equal(frame->bodies.count, 7);
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(frame->bodies.id[i], i);
		assert_double_same_bits(frame->bodies.vy[i], (double)i / 4);
	}
	assert_int_equal(frame->contacts.count, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(frame->contacts.tick[i], 10 * tick + i);
		assert_int_equal(frame->contacts.b[i], 10 * tick + i);
		assert_double_same_bits(frame->contacts.time[i], (double)(10 * tick + i) / 4);
		assert_double_same_bits(frame->contacts.b_vy_after[i], (double)(10 * tick + i) / 4);
	}
}

/* Two simulations and a ping with interleaved replies, cut at random: the same events in the same order each time. */
static void
fragments_of_any_size_give_the_same_events(void **state)
{
	(void)state;
	uint64_t random = 20240607;
	for (int round = 0; round < 200; round++) {
		struct collide_core *core = core_welcomed(0);
		struct replies replies = { 0 };
		uint64_t first = collide_core_simulate(core, &SMALL, NULL), second = collide_core_simulate(core, &SMALL, NULL);
		uint64_t ping = collide_core_ping(core, "abc", 3, NULL);
		replies_append_part(&replies, first, 1, true, 0, 3, 10, 4);
		frame_in_parts_append(&replies, second, 1);
		replies_append_pong(&replies, ping, "abc", 3);
		replies_append_part(&replies, first, 1, false, 3, 4, 14, 2);
		frame_in_parts_append(&replies, second, 2);
		replies_append_done(&replies, second, 2, 2000);
		replies_append_done(&replies, first, 1, 1000);

		const struct {
			enum collide_event_kind kind;
			uint64_t id, tick;
		} expected[] = {
			{ COLLIDE_EVENT_FRAME, second, 1 },         { COLLIDE_EVENT_PONG, ping, 0 },
			{ COLLIDE_EVENT_FRAME, first, 1 },          { COLLIDE_EVENT_FRAME, second, 2 },
			{ COLLIDE_EVENT_SIMULATE_DONE, second, 2 }, { COLLIDE_EVENT_SIMULATE_DONE, first, 1 },
		};
		size_t seen = 0;
		for (size_t at = 0; at < replies.count;) {
			size_t piece = 1 + (size_t)random_below(&random, round % 2 == 0 ? 7 : 900);
			if (piece > replies.count - at)
				piece = replies.count - at;
			bytes_give(replies.bytes + at, piece, core);
			at += piece;
			struct collide_event event;
			while (collide_core_next(core, &event)) {
				assert_true(seen < sizeof expected / sizeof expected[0]);
				assert_int_equal(event.kind, expected[seen].kind);
				assert_int_equal(event.request_id, expected[seen].id);
				if (event.kind == COLLIDE_EVENT_FRAME)
					frame_expect(event.as.frame, expected[seen].tick);
				if (event.kind == COLLIDE_EVENT_PONG)
					assert_memory_equal(event.as.data.bytes, "abc", 3);
				if (event.kind == COLLIDE_EVENT_SIMULATE_DONE)
					assert_int_equal(event.as.done->hash, expected[seen].tick * 1000);
				seen++;
			}
		}
		assert_int_equal(seen, sizeof expected / sizeof expected[0]);
		uint64_t sent, received;
		collide_core_traffic(core, &sent, &received);
		assert_true(received > replies.count); /* and the Welcome */
		replies_finish(&replies);
		collide_core_destroy(core);
	}
}

static void
errors_keep_code_text_and_fields(void **state)
{
	(void)state;
	struct collide_core *core = core_welcomed(0);
	struct replies replies = { 0 };
	struct collide_event event;
	uint64_t id = collide_core_simulate(core, &SMALL, NULL);
	char text[400];
	memset(text, 'x', sizeof text);
	text[sizeof text - 1] = '\0';
	text[0] = '\a';
	replies_append_error(&replies, id, COLLIDE__V1__CODE__CODE_INVALID_ARGUMENT, text);
	replies_give(&replies, core);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_ERROR);
	assert_int_equal(event.request_id, id);
	const struct collide_error *error = event.as.error;
	assert_int_equal(error->code, COLLIDE_INVALID_ARGUMENT);
	assert_int_equal(error->origin, COLLIDE_FROM_SERVER);
	assert_string_equal(error->reason, "SOME_REASON");
	assert_int_equal(error->retry_after_ms, 250);
	assert_int_equal(strlen(error->text), sizeof error->text - 1);
	assert_int_equal(error->text[0], '?');
	assert_int_equal(error->violation_count, COLLIDE_VIOLATIONS_MAX);
	assert_string_equal(error->violations[7].field, "simulate.dt");
	assert_string_equal(error->violations[7].text, "must be greater than 0");
	/* The connection goes on. */
	assert_int_not_equal(collide_core_ping(core, NULL, 0, NULL), 0);
	replies_finish(&replies);
	collide_core_destroy(core);
}

static void
bytes_that_are_not_the_protocol_end_it(void **state)
{
	(void)state;
	static const struct {
		const char *bytes;
		size_t count;
	} noise[] = {
		{ "HTTP/1.1 400 Bad Request\r\n\r\nand so on, longer than its first byte says as a length, which is 72", 95 },
		{ "\xff\xff\xff\xff\xff\xff", 6 }, /* a length that never ends */
		{ "\x81\x00", 2 },                 /* not canonical */
		{ "\xff\xff\xff\xff\x0f", 5 },     /* 4 GiB */
		{ "\x02\x0a\x7f", 3 },             /* a field longer than its message */
	};
	for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++) {
		struct collide_core *core = core_welcomed(0);
		bytes_give(noise[i].bytes, noise[i].count, core);
		failure_expect(core, "MALFORMED_REPLY");
		collide_core_destroy(core);
	}
}

static void
replies_that_do_not_fit_end_it(void **state)
{
	(void)state;
	struct replies replies = { 0 };

	struct collide_core *core = core_welcomed(0); /* an id that was never given */
	replies_append_pong(&replies, 99, "", 0);
	replies_fail(&replies, core, "MALFORMED_REPLY");

	core = core_welcomed(0); /* the wrong kind */
	replies_append_pong(&replies, collide_core_simulate(core, &SMALL, NULL), "", 0);
	replies_fail(&replies, core, "MALFORMED_REPLY");

	core = core_welcomed(0); /* a second final reply */
	uint64_t id = collide_core_ping(core, NULL, 0, NULL);
	replies_append_pong(&replies, id, "", 0);
	replies_give(&replies, core);
	struct collide_event event;
	assert_true(collide_core_next(core, &event));
	replies_fail(&replies, core, "MALFORMED_REPLY");

	core = core_welcomed(0); /* parts of different ticks */
	id = collide_core_simulate(core, &SMALL, NULL);
	replies_append_part(&replies, id, 1, true, 0, 1, 0, 0);
	replies_append_part(&replies, id, 2, false, 1, 1, 0, 0);
	replies_fail(&replies, core, "MALFORMED_REPLY");

	core = core_welcomed(0); /* the end within a frame */
	id = collide_core_simulate(core, &SMALL, NULL);
	replies_append_part(&replies, id, 1, true, 0, 1, 0, 0);
	replies_append_done(&replies, id, 1, 0);
	replies_fail(&replies, core, "MALFORMED_REPLY");
}

static void
columns_of_unequal_length_end_it(void **state)
{
	(void)state;
	struct collide_core *core = core_welcomed(0);
	struct replies replies = { 0 };
	double values[2] = { 0 };
	uint32_t ids[2] = { 0, 1 };
	Collide__V1__BodyColumns bodies = COLLIDE__V1__BODY_COLUMNS__INIT;
	bodies.id = ids;
	bodies.x = bodies.y = bodies.vx = bodies.vy = values;
	bodies.n_id = bodies.n_x = bodies.n_y = bodies.n_vx = 2;
	bodies.n_vy = 1;
	Collide__V1__Frame frame = COLLIDE__V1__FRAME__INIT;
	frame.optional_bodies_case = COLLIDE__V1__FRAME__OPTIONAL_BODIES_BODIES;
	frame.bodies = &bodies;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	message.request_id = collide_core_simulate(core, &SMALL, NULL);
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME;
	message.frame = &frame;
	replies_append(&replies, &message);
	replies_fail(&replies, core, "MALFORMED_REPLY");
}

/* A part of a frame with two events, tagged or not. */
static void
events_append(struct replies *replies, uint64_t id, bool more, bool tagged)
{
	uint64_t ticks[] = { 1, 1 }, tags[] = { 5, UINT64_MAX };
	uint32_t ids[] = { 1, 2 };
	double v[] = { 0, 0 };
	Collide__V1__PairEventKind kinds[] = { COLLIDE__V1__PAIR_EVENT_KIND__PAIR_EVENT_KIND_HIT,
		                                   COLLIDE__V1__PAIR_EVENT_KIND__PAIR_EVENT_KIND_END };
	Collide__V1__Feature features[] = { COLLIDE__V1__FEATURE__FEATURE_CIRCLE, COLLIDE__V1__FEATURE__FEATURE_CIRCLE };
	Collide__V1__PairEventColumns events = COLLIDE__V1__PAIR_EVENT_COLUMNS__INIT;
	events.n_tick = events.n_time = events.n_kind = events.n_a = events.n_b = events.n_feature = 2;
	events.n_approach_speed = events.n_impulse = events.n_normal_x = events.n_normal_y = events.n_point_x = events.n_point_y =
		2;
	events.tick = ticks, events.kind = kinds, events.a = events.b = ids, events.feature = features;
	events.time = events.approach_speed = events.impulse = events.normal_x = events.normal_y = v;
	events.point_x = events.point_y = v;
	events.n_a_tag = events.n_b_tag = tagged ? 2 : 0;
	events.a_tag = events.b_tag = tags;
	Collide__V1__Frame frame = COLLIDE__V1__FRAME__INIT;
	frame.tick = 1;
	frame.more = more;
	frame.optional_pair_events_case = COLLIDE__V1__FRAME__OPTIONAL_PAIR_EVENTS_PAIR_EVENTS;
	frame.pair_events = &events;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	message.request_id = id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME;
	message.frame = &frame;
	replies_append(replies, &message);
}

/* Tags of events come in the parts of a frame that have some. */
static void
tags_may_come_in_some_parts(void **state)
{
	(void)state;
	for (unsigned mask = 0; mask < 8; mask++) {
		struct collide_core *core = core_welcomed(0);
		struct replies replies = { 0 };
		struct collide_event event;
		uint64_t id = collide_core_simulate(core, &SMALL, NULL);
		for (unsigned part = 0; part < 3; part++)
			events_append(&replies, id, part < 2, (mask >> part & 1) != 0);
		replies_give(&replies, core);
		assert_true(collide_core_next(core, &event));
		assert_int_equal(event.kind, COLLIDE_EVENT_FRAME);
		const struct collide_pair_events *events = &event.as.frame->pair_events;
		assert_int_equal(events->count, 6);
		assert_int_equal(events->a_tag != NULL, mask != 0);
		for (size_t i = 0; i < 6 && mask != 0; i++) {
			const uint64_t expected = (mask >> i / 2 & 1) == 0 ? 0 : i % 2 ? UINT64_MAX : 5;
			assert_true(events->a_tag[i] == expected && events->b_tag[i] == expected);
		}
		replies_finish(&replies);
		collide_core_destroy(core);
	}
}

static void
a_frame_over_the_limit_ends_it(void **state)
{
	(void)state;
	struct collide_options options = { .frame_bytes_max = 36 * 100 }; /* a body is 36 bytes */
	struct collide_event event;
	struct replies replies = { 0 };
	struct collide_core *core = collide_core_create(&options);
	uint64_t id = collide_core_simulate(core, &SMALL, NULL);
	replies_append_part(&replies, id, 1, false, 0, 100, 0, 0);
	replies_append_part(&replies, id, 2, true, 0, 60, 0, 0);
	replies_append_part(&replies, id, 2, false, 60, 41, 0, 0);
	replies_give(&replies, core);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_FRAME);
	assert_int_equal(event.as.frame->bodies.count, 100);
	failure_expect(core, "FRAME_TOO_LARGE");
	replies_finish(&replies);
	collide_core_destroy(core);
	/* Tags come when the events before are nearly all that may be. One is 80 bytes, with tags 96. */
	options.frame_bytes_max = 4 * 80 + 20;
	core = collide_core_create(&options);
	id = collide_core_simulate(core, &SMALL, NULL);
	for (int part = 0; part < 3; part++)
		events_append(&replies, id, part < 2, part == 2);
	replies_fail(&replies, core, "FRAME_TOO_LARGE");
}

/* Reads every value of a frame, so that a column that is too short is found by the sanitizers. */
static double
frame_sum(const struct collide_frame *frame)
{
	double sum = 0;
	for (size_t i = 0; i < frame->bodies.count; i++)
		sum += frame->bodies.id[i] + frame->bodies.x[i] + frame->bodies.y[i] + frame->bodies.vx[i] + frame->bodies.vy[i];
	const struct collide_contacts *c = &frame->contacts;
	for (size_t i = 0; i < c->count; i++)
		sum += (double)c->tick[i] + c->time[i] + c->a[i] + c->b[i] + c->feature[i] + c->flags[i] + c->point_x[i] +
		       c->point_y[i] + c->normal_x[i] + c->normal_y[i] + c->approach_speed[i] + c->impulse[i] + c->a_vx_before[i] +
		       c->a_vy_before[i] + c->a_vx_after[i] + c->a_vy_after[i] + c->b_vx_before[i] + c->b_vy_before[i] +
		       c->b_vx_after[i] + c->b_vy_after[i];
	return sum;
}

/* What a hostile server sends: replies with some bytes changed. Whatever comes of it, nothing is read that was not sent, and
 * a conversation that failed stays so. Some rounds must fail and some must get through, or the test would show nothing. */
static void
replies_with_changed_bytes_do_no_harm(void **state)
{
	(void)state;
	uint64_t random = 4711;
	int failed_rounds = 0, frames = 0;
	double sum = 0;
	for (int round = 0; round < 3000; round++) {
		struct collide_core *core = core_welcomed(0);
		struct replies replies = { 0 };
		uint64_t id = collide_core_simulate(core, &SMALL, NULL);
		frame_in_parts_append(&replies, id, 1);
		replies_append_error(&replies, collide_core_ping(core, NULL, 0, NULL), COLLIDE__V1__CODE__CODE_UNKNOWN, "text");
		replies_append_done(&replies, id, 1, 1000);
		for (uint64_t changes = 1 + random_below(&random, 4); changes > 0; changes--)
			replies.bytes[random_below(&random, replies.count)] = (uint8_t)random_bits(&random);
		replies_give(&replies, core);
		struct collide_event event;
		bool failed = false;
		while (!failed && collide_core_next(core, &event)) {
			failed = event.kind == COLLIDE_EVENT_FAILED;
			if (event.kind == COLLIDE_EVENT_FRAME) {
				sum += frame_sum(event.as.frame);
				frames++;
			}
		}
		if (failed) {
			assert_true(collide_core_next(core, &event));
			assert_int_equal(event.kind, COLLIDE_EVENT_FAILED);
			failed_rounds++;
		}
		replies_finish(&replies);
		collide_core_destroy(core);
	}
	assert_true(failed_rounds > 100 && frames > 100);
	assert_true(sum != 0);
}

/* A later server may push kinds of messages that this library does not know. */
static void
unknown_messages_are_passed_over(void **state)
{
	(void)state;
	struct collide_core *core = core_welcomed(0);
	struct collide_event event;
	struct replies replies = { 0 };
	bytes_give("\x04\xfa\x01\x01\x00", 5, core); /* field 31, a sub-message of one byte */
	replies_append_pong(&replies, collide_core_ping(core, NULL, 0, NULL), "", 0);
	replies_give(&replies, core);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_PONG);
	replies_finish(&replies);
	collide_core_destroy(core);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hello_offers_the_version_and_names),
		cmocka_unit_test(welcome_tells_limits_and_hides_control_characters),
		cmocka_unit_test(simulate_sends_every_column_and_setting),
		cmocka_unit_test(simulate_sends_a_serialized_scene_as_it_is),
		cmocka_unit_test(requests_that_cannot_be_sent_are_refused_here),
		cmocka_unit_test(fragments_of_any_size_give_the_same_events),
		cmocka_unit_test(errors_keep_code_text_and_fields),
		cmocka_unit_test(bytes_that_are_not_the_protocol_end_it),
		cmocka_unit_test(replies_that_do_not_fit_end_it),
		cmocka_unit_test(columns_of_unequal_length_end_it),
		cmocka_unit_test(tags_may_come_in_some_parts),
		cmocka_unit_test(a_frame_over_the_limit_ends_it),
		cmocka_unit_test(replies_with_changed_bytes_do_no_harm),
		cmocka_unit_test(unknown_messages_are_passed_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
