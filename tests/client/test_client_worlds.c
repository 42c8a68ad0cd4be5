/* Requests and replies about worlds: what goes out is read with the generated code, what comes in is made with it. */
#include "client/replies.h"

#include "client/lib/core.h"

#include "support/assert_double.h"

static Collide__V1__ServerMessage
reply_to(uint64_t request_id, Collide__V1__ServerMessage__ReplyCase kind)
{
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	message.request_id = request_id;
	message.reply_case = kind;
	return message;
}

static void
a_batch_has_all_its_tables(void **state)
{
	const double one = 1, ids_x[] = { 1, 2 };
	const uint32_t id[] = { 7, 8 }, ticks = 3, seat = 2;
	const struct collide_circles spawn = { .id = { id, 2 }, .x = { ids_x, 2 }, .radius = COLUMN(one) };
	const struct collide_circles changes = { .id = { id, 1 }, .mass = COLUMN(one) };
	const struct collide_segments walls = { .x1 = COLUMN(one), .y2 = COLUMN(one) };
	const struct collide_explosion explosions[] = { { .radius = 2, .has_mask = true, .mask = 5 }, { .x = 3 } };
	const struct collide_batch batch = {
		.tick = 9,
		.spawn = &spawn,
		.remove = { id, 2 },
		.velocities = { .id = { id, 1 }, .vx = COLUMN(one), .vy = COLUMN(one) },
		.add_velocities = { .id = { id, 2 }, .vx = { ids_x, 2 }, .angular_velocity = { ids_x, 2 } },
		.places = { .id = { id, 1 }, .x = COLUMN(one), .angle = COLUMN(one), .swept = true },
		.has_gravity = true,
		.gravity_y = -9.5,
		.pushes = { .id = { id, 1 }, .force_x = COLUMN(one), .ticks = { &ticks, 1 } },
		.changes = &changes,
		.spawn_segments = &walls,
		.remove_segments = { id, 1 },
		.enable_segments = { id + 1, 1 },
		.disable_segments = { id, 2 },
		.explosions = explosions,
		.explosion_count = 2,
		.give = { .id = { id, 1 }, .seat = { &seat, 1 } },
		.skip_missing = true,
	};
	const struct collide_numbers numbers = { .handle = 4, .sequence = 300, .acked = 299 };
	struct collide_core *core = core_new();
	(void)state;
	uint64_t request_id = collide_core_commands(core, &numbers, &batch, true, NULL);
	assert_int_not_equal(request_id, 0);
	Collide__V1__ClientMessage *message = request_take(core);
	assert_int_equal(message->request_id, request_id);
	assert_int_equal(message->request_case, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_COMMANDS);
	const Collide__V1__Commands *commands = message->commands;
	assert_int_equal(commands->handle, 4);
	assert_int_equal(commands->sequence, 300);
	assert_int_equal(commands->acked, 299);
	assert_int_equal(commands->tick, 9);
	assert_true(commands->skip_missing);
	assert_int_equal(commands->spawn->n_id, 2);
	assert_double_same_bits(commands->spawn->x[1], 2);
	assert_int_equal(commands->n_remove, 2);
	assert_double_same_bits(commands->velocities->vy[0], 1);
	assert_int_equal(commands->add_velocities->n_angular_velocity, 2);
	assert_int_equal(commands->places->n_angle, 1);
	assert_true(commands->places->swept);
	assert_true(commands->gravity->x == 0 && commands->gravity->y == -9.5);
	assert_int_equal(commands->pushes->ticks[0], 3);
	assert_int_equal(commands->changes->n_mass, 1);
	assert_int_equal(commands->spawn_segments->n_y2, 1);
	assert_int_equal(commands->remove_segments[0], 7);
	assert_int_equal(commands->enable_segments[0], 8);
	assert_int_equal(commands->n_disable_segments, 2);
	assert_int_equal(commands->n_explosions, 2);
	assert_int_equal(commands->explosions[0]->mask, 5);
	assert_int_equal(commands->explosions[1]->optional_mask_case, 0);
	assert_int_equal(commands->give->seat[0], 2);
	collide__v1__client_message__free_unpacked(message, NULL);
	collide_core_destroy(core);
}

static void
a_batch_as_a_message_loses_its_old_numbers(void **state)
{
	uint32_t id = 5;
	uint8_t bytes[64];
	Collide__V1__Commands given = COLLIDE__V1__COMMANDS__INIT;
	const struct collide_numbers numbers = { .handle = 1, .sequence = 2 };
	struct collide_core *core = core_new();
	struct collide_error error;
	(void)state;
	given.handle = 77;
	given.sequence = 88;
	given.acked = 99;
	given.tick = 6;
	given.remove = &id;
	given.n_remove = 1;
	const struct collide_batch batch = { .message = bytes, .message_bytes = collide__v1__commands__pack(&given, bytes) };
	assert_int_equal(collide_core_commands(core, &numbers, &batch, false, NULL), 1);
	Collide__V1__ClientMessage *message = request_take(core);
	assert_int_equal(message->request_id, 0);
	assert_int_equal(message->commands->handle, 1);
	assert_int_equal(message->commands->sequence, 2);
	assert_int_equal(message->commands->acked, 0);
	assert_int_equal(message->commands->tick, 6);
	assert_int_equal(message->commands->remove[0], 5);
	collide__v1__client_message__free_unpacked(message, NULL);
	const struct collide_batch nonsense = { .message = "\xff\xff", .message_bytes = 2 };
	assert_int_equal(collide_core_commands(core, &numbers, &nonsense, false, &error), 0);
	assert_string_equal(error.reason, "BAD_ARGUMENT");
	const struct collide_batch missing = { .remove = { NULL, 3 } };
	assert_int_equal(collide_core_commands(core, &numbers, &missing, false, &error), 0);
	assert_string_equal(error.reason, "NULL_COLUMN");
	collide_core_destroy(core);
}

static void
a_world_is_created_with_all_that_is_said(void **state)
{
	const double radius = 1;
	const struct collide_scene scene = { .circles = { .radius = COLUMN(radius) }, .gravity_y = -9 };
	const struct collide_world_policy policy = { .dt = 0.5, .clock = COLLIDE_CLOCK_CLIENT, .history_ticks = 9 };
	const struct collide_label labels[] = { { "mode", "duel" }, { "empty", NULL } };
	struct collide_world_creation creation = { .name = "a",
		                                       .scene = &scene,
		                                       .map = "m",
		                                       .policy = &policy,
		                                       .ticket = "0123456789abcdef",
		                                       .labels = labels,
		                                       .label_count = 2 };
	struct collide_core *core = core_new();
	struct collide_error error;
	(void)state;
	assert_int_not_equal(collide_core_create_world(core, &creation, NULL), 0);
	Collide__V1__ClientMessage *message = request_take(core);
	const Collide__V1__CreateWorld *create = message->create_world;
	assert_string_equal(create->name, "a");
	assert_string_equal(create->map, "m");
	assert_int_equal(create->ticket.len, 16);
	assert_int_equal(create->n_labels, 2);
	assert_string_equal(create->labels[0]->value, "duel");
	assert_double_same_bits(create->policy->dt, 0.5);
	assert_int_equal(create->policy->clock, COLLIDE__V1__CLOCK__CLOCK_CLIENT);
	assert_double_same_bits(create->scene->gravity_y, -9);
	collide__v1__client_message__free_unpacked(message, NULL);
	creation.label_count = 17;
	assert_int_equal(collide_core_create_world(core, &creation, &error), 0);
	assert_string_equal(error.reason, "BAD_ARGUMENT");
	creation = (struct collide_world_creation){ .name = "a" };
	assert_int_equal(collide_core_create_world(core, &creation, &error), 0);
	assert_string_equal(error.reason, "BAD_ARGUMENT");
	creation.snapshot = "bytes";
	creation.snapshot_bytes = 5;
	assert_int_not_equal(collide_core_create_world(core, &creation, &error), 0);
	message = request_take(core);
	assert_memory_equal(message->create_world->snapshot.data, "bytes", 5);
	assert_int_equal(message->create_world->optional_policy_case, 0);
	collide__v1__client_message__free_unpacked(message, NULL);
	collide_core_destroy(core);
}

/* An update in two parts: key, changes and the first rows; then the last rows and the scalars. */
static void
update_append(struct replies *replies, uint64_t request_id, bool more, uint32_t first_id, uint64_t tick)
{
	double two[] = { 1, 2 }, columns[4][2] = { { 1, 2 }, { 3, 4 }, { 0, 0 }, { 0, 0 } };
	uint32_t ids[] = { first_id, first_id + 1 }, removed = 55;
	Collide__V1__CircleColumns circles = COLLIDE__V1__CIRCLE_COLUMNS__INIT;
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	Collide__V1__Key key = COLLIDE__V1__KEY__INIT;
	Collide__V1__WorldChange changes = COLLIDE__V1__WORLD_CHANGE__INIT;
	Collide__V1__BodyColumns bodies = COLLIDE__V1__BODY_COLUMNS__INIT;
	Collide__V1__Frame frame = COLLIDE__V1__FRAME__INIT;
	Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
	bodies.id = ids;
	bodies.x = columns[0];
	bodies.y = columns[1];
	bodies.vx = columns[2];
	bodies.vy = columns[3];
	bodies.n_id = bodies.n_x = bodies.n_y = bodies.n_vx = bodies.n_vy = 2;
	frame.tick = update.tick = tick;
	frame.more = more;
	frame.optional_bodies_case = COLLIDE__V1__FRAME__OPTIONAL_BODIES_BODIES;
	frame.bodies = &bodies;
	update.optional_frame_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_FRAME_FRAME;
	update.frame = &frame;
	if (more) {
		circles.id = ids;
		circles.n_id = 2;
		circles.radius = two;
		circles.n_radius = 2;
		circles.mass = two;
		circles.n_mass = 1;
		scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
		scene.circle_columns = &circles;
		scene.gravity_x = 3;
		key.optional_scene_case = COLLIDE__V1__KEY__OPTIONAL_SCENE_SCENE;
		key.scene = &scene;
		key.epoch = 12;
		changes.removed_circles = &removed;
		changes.n_removed_circles = 1;
		update.optional_key_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY;
		update.key = &key;
		update.optional_changes_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_CHANGES_CHANGES;
		update.changes = &changes;
		update.late_ns = 1234;
	}
	Collide__V1__ServerMessage message = reply_to(request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE);
	message.world_update = &update;
	replies_append(replies, &message);
}

static uint64_t
subscribed(struct collide_core *core)
{
	const struct collide_interest interest = { .world = "w", .every = 1 };
	return collide_core_subscribe(core, &interest, NULL);
}

static void
an_update_in_parts_is_joined(void **state)
{
	struct collide_core *core = core_new();
	struct replies replies = { 0 };
	struct collide_event event;
	(void)state;
	uint64_t request_id = subscribed(core);
	update_append(&replies, request_id, true, 10, 4);
	update_append(&replies, request_id, false, 20, 4);
	update_append(&replies, request_id, false, 30, 5);
	replies_give(&replies, core);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_WORLD_UPDATE);
	const struct collide_world_update *update = event.as.world_update;
	assert_int_equal(update->tick, 4);
	assert_int_equal(update->late_ns, 1234);
	assert_int_equal(update->key->epoch, 12);
	assert_int_equal(update->key->scene.circles.count, 2);
	assert_double_same_bits(update->key->scene.circles.radius.values[1], 2);
	assert_int_equal(update->key->scene.circles.mass.count, 1); /* of all of them */
	assert_double_same_bits(update->key->scene.gravity_x, 3);
	assert_int_equal(update->changes->removed_circles.values[0], 55);
	assert_int_equal(update->frame->bodies.count, 4);
	assert_int_equal(update->frame->bodies.id[2], 20);
	assert_true(collide_core_next(core, &event));
	update = event.as.world_update;
	assert_null(update->key);
	assert_null(update->changes);
	assert_int_equal(update->frame->bodies.count, 2);
	assert_int_equal(update->tick, 5);
	replies_finish(&replies);
	collide_core_destroy(core);
}

/* Rows that late batches may still change: in an update of one part, and of two. */
static void
what_may_still_change_says_so(void **state)
{
	(void)state;
	for (int parts = 1; parts <= 2; parts++) {
		struct collide_core *core = core_new();
		struct replies replies = { 0 };
		struct collide_event event;
		uint64_t request_id = subscribed(core);
		for (int part = 0; part <= parts; part++) {
			Collide__V1__Frame frame = COLLIDE__V1__FRAME__INIT;
			Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
			Collide__V1__ServerMessage message = reply_to(request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE);
			frame.tick = update.tick = part < parts ? 4 : 5;
			frame.more = part + 1 < parts;
			update.optional_frame_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_FRAME_FRAME;
			update.frame = &frame;
			update.provisional = part < parts;
			message.world_update = &update;
			replies_append(&replies, &message);
		}
		replies_give(&replies, core);
		assert_true(collide_core_next(core, &event));
		assert_int_equal(event.as.world_update->tick, 4);
		assert_true(event.as.world_update->provisional);
		assert_true(collide_core_next(core, &event));
		assert_int_equal(event.as.world_update->tick, 5);
		assert_false(event.as.world_update->provisional);
		replies_finish(&replies);
		collide_core_destroy(core);
	}
}

static void
parts_that_do_not_fit_end_the_conversation(void **state)
{
	(void)state;
	for (int how = 0; how < 3; how++) {
		struct collide_core *core = core_new();
		struct replies replies = { 0 };
		uint64_t request_id = subscribed(core);
		Collide__V1__Unsubscribed end = COLLIDE__V1__UNSUBSCRIBED__INIT;
		Collide__V1__WorldUpdate empty = COLLIDE__V1__WORLD_UPDATE__INIT;
		Collide__V1__ServerMessage message = reply_to(request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_UNSUBSCRIBED);
		update_append(&replies, request_id, true, 10, 4);
		if (how == 0)
			update_append(&replies, request_id, false, 20, 5);
		message.unsubscribed = &end;
		if (how == 1)
			replies_append(&replies, &message);
		message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE;
		empty.tick = 4;
		message.world_update = &empty;
		if (how == 2)
			replies_append(&replies, &message);
		replies_fail(&replies, core, "MALFORMED_REPLY");
	}
}

/* Columns of unequal length, and rows without an id of their own: one stands for none but its own row, and a number of rows
 * alone says nothing of them. */
static void
shapes_without_an_id_each_end_the_conversation(void **state)
{
	static const struct {
		size_t ids, radii;
		uint32_t count;
	} bad[] = { { 3, 2, 0 }, { 0, 3, 0 }, { 1, 3, 0 }, { 1, 1, 3 }, { 0, 0, UINT32_MAX } };
	static double values[3];
	static uint32_t ids[3];
	(void)state;
	for (size_t i = 0; i < 2 * sizeof bad / sizeof bad[0]; i++) {
		struct collide_core *core = core_new();
		struct replies replies = { 0 };
		Collide__V1__CircleColumns circles = COLLIDE__V1__CIRCLE_COLUMNS__INIT;
		Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
		Collide__V1__Key key = COLLIDE__V1__KEY__INIT;
		Collide__V1__WorldChange changes = COLLIDE__V1__WORLD_CHANGE__INIT;
		Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
		Collide__V1__ServerMessage message = reply_to(subscribed(core), COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE);
		circles.radius = values, circles.n_radius = bad[i / 2].radii;
		circles.id = ids, circles.n_id = bad[i / 2].ids;
		circles.count = bad[i / 2].count;
		scene.circle_columns = changes.circles = &circles;
		scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
		changes.optional_circles_case = COLLIDE__V1__WORLD_CHANGE__OPTIONAL_CIRCLES_CIRCLES;
		key.optional_scene_case = COLLIDE__V1__KEY__OPTIONAL_SCENE_SCENE;
		key.scene = &scene;
		update.key = &key;
		update.changes = &changes;
		if (i % 2 == 0)
			update.optional_key_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY;
		else
			update.optional_changes_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_CHANGES_CHANGES;
		message.world_update = &update;
		replies_append(&replies, &message);
		replies_fail(&replies, core, "MALFORMED_REPLY");
	}
}

/* The same of a map's. */
static void
segments_without_an_id_each_end_the_conversation(void **state)
{
	const struct collide_map_key key = { .name = "m" };
	struct collide_core *core = core_new();
	struct replies replies = { 0 };
	Collide__V1__SegmentColumns segments = COLLIDE__V1__SEGMENT_COLUMNS__INIT;
	Collide__V1__MapSegments part = COLLIDE__V1__MAP_SEGMENTS__INIT;
	(void)state;
	Collide__V1__ServerMessage message = reply_to(collide_core_get_map(core, &key, NULL),
	                                              COLLIDE__V1__SERVER_MESSAGE__REPLY_MAP_SEGMENTS);
	segments.count = UINT32_MAX;
	part.optional_segments_case = COLLIDE__V1__MAP_SEGMENTS__OPTIONAL_SEGMENTS_SEGMENTS;
	part.segments = &segments;
	message.map_segments = &part;
	replies_append(&replies, &message);
	replies_fail(&replies, core, "MALFORMED_REPLY");
}

static void
a_fork_says_what_it_goes_on_from(void **state)
{
	const struct collide_world_key key = { .name = "trunk", .epoch = 5, .secret = "s", .secret_bytes = 1 };
	const struct collide_label label = { .key = "mode", .value = "duel" };
	const struct collide_world_fork fork = { .name = "branch",
		                                     .has_tick = true,
		                                     .clock = COLLIDE_CLOCK_CLIENT,
		                                     .ticket = "0123456789abcdef",
		                                     .labels = &label,
		                                     .label_count = 1 };
	struct collide_core *core = core_new();
	(void)state;
	assert_true(collide_core_fork_world(core, &key, &fork, NULL) != 0);
	Collide__V1__ClientMessage *sent = request_take(core);
	const Collide__V1__ForkWorld *asked = sent->fork_world;
	assert_string_equal(asked->world, "trunk");
	assert_string_equal(asked->name, "branch");
	assert_int_equal(asked->epoch, 5);
	assert_int_equal(asked->optional_at_case, COLLIDE__V1__FORK_WORLD__OPTIONAL_AT_AT_TICK);
	assert_int_equal(asked->at_tick, 0);
	assert_int_equal(asked->clock, COLLIDE__V1__CLOCK__CLOCK_CLIENT);
	assert_int_equal(asked->ticket.len, COLLIDE_SECRET_BYTES);
	assert_int_equal(asked->n_labels, 1);
	assert_string_equal(asked->labels[0]->value, "duel");
	collide__v1__client_message__free_unpacked(sent, NULL);
	collide_core_destroy(core);
}

static void
a_worlds_snapshot_is_the_final_reply(void **state)
{
	uint8_t bytes[] = "abcdef";
	const struct collide_world_key key = { .name = "w", .secret = "s", .secret_bytes = 1 };
	const struct collide_world_moment moment = { .has_tick = true, .at_tick = 3, .handover = true };
	struct collide_core *core = core_new();
	struct replies replies = { 0 };
	struct collide_event event;
	(void)state;
	uint64_t request_id = collide_core_snapshot_world(core, &key, &moment, NULL);
	Collide__V1__ClientMessage *sent = request_take(core);
	assert_int_equal(sent->snapshot_world->at_tick, 3);
	assert_true(sent->snapshot_world->handover);
	assert_int_equal(sent->snapshot_world->secret.len, 1);
	collide__v1__client_message__free_unpacked(sent, NULL);
	for (int part = 0; part < 2; part++) {
		Collide__V1__Snapshot snapshot = COLLIDE__V1__SNAPSHOT__INIT;
		Collide__V1__ServerMessage message = reply_to(request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_SNAPSHOT);
		snapshot.tick = 3;
		snapshot.size = 6;
		snapshot.more = part == 0;
		snapshot.data = (ProtobufCBinaryData){ 3, bytes + 3 * part };
		message.snapshot = &snapshot;
		replies_append(&replies, &message);
	}
	replies_give(&replies, core);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_SNAPSHOT);
	assert_int_equal(event.as.snapshot->count, 6);
	assert_memory_equal(event.as.snapshot->bytes, "abcdef", 6);
	/* It was final: anything more belongs to no request. */
	replies_fail(&replies, core, "MALFORMED_REPLY");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_batch_has_all_its_tables),
		cmocka_unit_test(a_batch_as_a_message_loses_its_old_numbers),
		cmocka_unit_test(a_world_is_created_with_all_that_is_said),
		cmocka_unit_test(an_update_in_parts_is_joined),
		cmocka_unit_test(what_may_still_change_says_so),
		cmocka_unit_test(parts_that_do_not_fit_end_the_conversation),
		cmocka_unit_test(shapes_without_an_id_each_end_the_conversation),
		cmocka_unit_test(segments_without_an_id_each_end_the_conversation),
		cmocka_unit_test(a_fork_says_what_it_goes_on_from),
		cmocka_unit_test(a_worlds_snapshot_is_the_final_reply),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
