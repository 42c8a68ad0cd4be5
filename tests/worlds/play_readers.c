/* The readers of a play: they subscribe to paths, or to states within a tolerance, and follow by the library's follower, which
 * shares nothing with the server's encoders. After each tick what they have must be the model's, to the bit; or, after each
 * update, within the tolerance. Some are mirrors. */
#include "worlds/play.h"

#include "client/lib/follow/batch_reader.h"

#include <assert.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- what there was to see */

static uint64_t
digest_add(uint64_t digest, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	digest = (digest ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
	return digest ^ digest >> 29;
}

static uint64_t
digest_of(double x, double y, double vx, double vy, double angle, double spin)
{
	uint64_t digest = digest_add(digest_add(1, x), y);
	digest = digest_add(digest_add(digest, vx), vy);
	return digest_add(digest_add(digest, angle), spin) | 1;
}

static struct play_past *
past_of(struct play_world *world, uint64_t epoch)
{
	for (size_t i = 0; i < world->past_count; i++)
		if (world->past[i].epoch == epoch)
			return &world->past[i];
	assert_true(world->past_count < PASTS);
	struct play_past *past = &world->past[world->past_count++];
	*past = (struct play_past){ .epoch = epoch };
	return past;
}

void
play_past_note(struct play_world *world)
{
	struct play_past *past = past_of(world, world->task.live->epoch);
	const struct model *model = &world->model;
	assert_true(model->tick < PAST_TICKS);
	struct play_seen *seen = past->seen[model->tick];
	past->unseen[model->tick] = false;
	if (!seen)
		seen = past->seen[model->tick] = malloc(MODEL_CIRCLES * sizeof *seen);
	assert_non_null(seen);
	memset(seen, 0, MODEL_CIRCLES * sizeof *seen);
	past->hash[model->tick] = world_hash(model->world);
	for (size_t i = 0; i < world_body_count(model->world); i++) {
		struct body_state body = world_body(model->world, i);
		assert_true(body.id < MODEL_CIRCLES);
		seen[body.id] = (struct play_seen){ digest_of(body.x, body.y, body.vx, body.vy, body.angle, body.angular_velocity),
			                                body.x, body.y };
	}
}

bool
play_unseen(const struct play_world *world, uint64_t tick)
{
	for (size_t i = 0; i < world->past_count; i++)
		if (tick < PAST_TICKS && world->past[i].unseen[tick])
			return true;
	return false;
}

void
play_past_free(struct play_world *world)
{
	for (size_t i = 0; i < world->past_count; i++)
		for (size_t t = 0; t < PAST_TICKS; t++)
			free(world->past[i].seen[t]);
}

/* ---- following */

/* A circle of a play has a radius of 0.25 or more. */
static bool
is_near(const struct reader *reader, const struct play_seen *seen)
{
	const double *box = reader->region.box, reach = 0.25;
	return !reader->region.is_box ||
	       (seen->x >= box[0] - reach && seen->x <= box[2] + reach && seen->y >= box[1] - reach && seen->y <= box[3] + reach);
}

/* A circle within the tolerance, or known not to be. */
static void
within_check(const struct reader *reader, const struct collide_followed_circle *circle, const struct play_seen *seen,
             double stale_error)
{
	double off = hypot(circle->x - seen->x, circle->y - seen->y);
	assert_true(seen->digest != 0);
	assert_true(off <= (circle->stale > 0 ? stale_error : reader->tolerance));
	assert_true(circle->stale == 0 || reader->bytes_per_second > 0);
	play_here->stale += circle->stale > 0;
}

/* What it has is as it was, and what is near to its region it has. */
static void
reader_check(void *context, const struct collide_follower *follower)
{
	const struct reader *reader = context;
	struct collide_followed world = collide_follower_world(follower);
	const struct play_past *past = past_of(reader->world, world.epoch);
	assert_true(world.tick < PAST_TICKS && (past->seen[world.tick] || past->unseen[world.tick]));
	const struct play_seen *seen = past->seen[world.tick];
	if (past->unseen[world.tick])
		return;
	size_t near = 0, waiting = 0, index;
	for (size_t i = 0; i < world.circle_count; i++) {
		struct collide_followed_circle circle = collide_follower_circle(follower, i);
		if (reader->tolerance > 0.0) {
			within_check(reader, &circle, &seen[circle.id], world.stale_error);
		} else {
			assert_int_equal(digest_of(circle.x, circle.y, circle.vx, circle.vy, circle.angle, circle.spin),
			                 seen[circle.id].digest);
		}
	}
	for (uint32_t id = 0; id < MODEL_CIRCLES; id++) {
		if (seen[id].digest == 0 || !is_near(reader, &seen[id]))
			continue;
		near++;
		waiting += !collide_follower_find(follower, id, &index);
	}
	assert_true(waiting <= world.waiting_circles);
	assert_true(reader->region.is_box || near == world.circle_count + waiting);
	play_here->followed += reader->tolerance == 0.0;
	play_here->within += reader->tolerance > 0.0;
	play_here->partly += near < world.circle_count;
}

static struct reader_region
region_any(struct play *play)
{
	struct reader_region region = { .is_box = random_below(&play->random, 2) == 0 };
	double x = random_between(&play->random, 0, 20), y = random_between(&play->random, 0, 20);
	region.box[0] = x, region.box[2] = x + random_between(&play->random, 0, 8);
	region.box[1] = y, region.box[3] = y + random_between(&play->random, 0, 8);
	return region;
}

struct region_bounds {
	Collide__V1__Region region;
	Collide__V1__Bounds box;
};

static Collide__V1__Region *
region_message(const struct reader_region *region, struct region_bounds *out)
{
	collide__v1__region__init(&out->region);
	collide__v1__bounds__init(&out->box);
	out->box.x_min = region->box[0], out->box.y_min = region->box[1];
	out->box.x_max = region->box[2], out->box.y_max = region->box[3];
	out->region.what_case = COLLIDE__V1__REGION__WHAT_BOX;
	out->region.box = &out->box;
	return &out->region;
}

static void
reader_begin(struct play *play, struct reader *reader)
{
	reader->world = &play->world[random_below(&play->random, WORLDS)];
	if (random_below(&play->random, 4) == 0) {
		reader->mirror = collide_mirror_create();
		assert_non_null(reader->mirror);
		reader->coded = random_below(&play->random, 2) == 0 ? batch_reader_create() : NULL;
	} else {
		reader->follower = collide_follower_create(4);
		assert_non_null(reader->follower);
		collide_follower_on_tick(reader->follower, reader_check, reader);
	}
	reader->every = 1 + (uint32_t)random_below(&play->random, 5);
	reader->contacts = random_below(&play->random, 3) == 0;
	reader->region = region_any(play);
	if (!reader->mirror && random_below(&play->random, 4) == 0)
		reader->tolerance = random_below(&play->random, 2) == 0 ? 0.001 : 0.1;
	/* So little that something is left out even in worlds as small as these. */
	if (reader->tolerance > 0.0 && random_below(&play->random, 2) == 0) {
		reader->bytes_per_second = random_below(&play->random, 4) == 0 ? 2048 : 256;
		reader->tolerance *= 0.001;
	}
	if (reader->tolerance == 0.0)
		reader->legs = !reader->mirror && random_below(&play->random, 2) == 0;
}

/* Reads no more. */
static void
reader_end(struct reader *reader)
{
	collide_follower_destroy(reader->follower);
	collide_mirror_destroy(reader->mirror);
	batch_reader_destroy(reader->coded);
	*reader = (struct reader){ .connection = NULL };
}

void
reader_subscribe(struct play *play, struct reader *reader)
{
	Collide__V1__Subscribe subscribe = COLLIDE__V1__SUBSCRIBE__INIT;
	Collide__V1__SpectatorOf spectator = COLLIDE__V1__SPECTATOR_OF__INIT;
	struct region_bounds region;
	struct wire_problem problem = { .status = STATUS_OK };
	if (reader->connection)
		return;
	if (!reader->follower && !reader->mirror)
		reader_begin(play, reader);
	if (reader->world->gone) {
		reader_end(reader);
		return;
	}
	uint64_t tick = reader->mirror ? collide_mirror_state(reader->mirror).tick : collide_follower_world(reader->follower).tick;
	bool ready = reader->mirror ? collide_mirror_state(reader->mirror).ready : collide_follower_world(reader->follower).ready;
	reader->connection = play_connection_any(play);
	reader->request_id = ++play->requests_next;
	spectator.world = reader->world->name;
	spectator.secret = (ProtobufCBinaryData){ WORLDS_SECRET_BYTES, reader->world->owner_secret };
	subscribe.of_case = COLLIDE__V1__SUBSCRIBE__OF_SPECTATOR;
	subscribe.spectator = &spectator;
	subscribe.stream = reader->mirror            ? COLLIDE__V1__STREAM__STREAM_COMMANDS
	                   : reader->tolerance > 0.0 ? COLLIDE__V1__STREAM__STREAM_STATES
	                                             : COLLIDE__V1__STREAM__STREAM_PATHS;
	subscribe.tolerance = reader->tolerance;
	subscribe.bytes_per_second = reader->bytes_per_second;
	subscribe.driven_legs = reader->legs;
	subscribe.coded = reader->coded != NULL;
	subscribe.every = reader->every;
	subscribe.contacts = reader->contacts && !reader->mirror;
	subscribe.after_tick = tick;
	subscribe.after_encoding = ready ? reader->encoding : 0;
	if (reader->region.is_box && !reader->mirror) {
		subscribe.optional_region_case = COLLIDE__V1__SUBSCRIBE__OPTIONAL_REGION_REGION;
		subscribe.region = region_message(&reader->region, &region);
	}
	reader->returns = ready;
	reader->deaf = false;
	server_enter();
	enum status status = worlds_subscribe(&reader->connection->client, reader->request_id, &subscribe, &problem);
	server_leave();
	if (!play_allows(play, status, &problem))
		reader->connection = NULL;
}

void
reader_steer(struct play *play, struct reader *reader)
{
	Collide__V1__Steer steer = COLLIDE__V1__STEER__INIT;
	struct region_bounds region;
	struct wire_problem problem = { .status = STATUS_OK };
	if (!reader->connection || reader->steer_count == STEERS || reader->mirror)
		return;
	struct reader_region *next = &reader->steers[reader->steer_count];
	*next = region_any(play);
	uint64_t steer_id = ++play->requests_next;
	reader->steer_ids[reader->steer_count++] = steer_id;
	reader->every = random_below(&play->random, 2) == 0 ? reader->every : 1 + (uint32_t)random_below(&play->random, 5);
	steer.subscription = reader->request_id;
	steer.every = reader->every;
	if (next->is_box) {
		steer.optional_region_case = COLLIDE__V1__STEER__OPTIONAL_REGION_REGION;
		steer.region = region_message(next, &region);
	}
	server_enter();
	enum status status = worlds_steer(&reader->connection->client, steer_id, &steer, &problem);
	server_leave();
	/* It is where it was. */
	if (!play_allows(play, status, &problem))
		reader->steer_count--;
}

static struct reader *
reader_of(const struct play_connection *connection, uint64_t request_id)
{
	for (size_t i = 0; i < READERS; i++)
		if (play_here->reader[i].connection == connection && play_here->reader[i].request_id == request_id)
			return &play_here->reader[i];
	return NULL;
}

void
readers_end(struct play *play)
{
	for (size_t i = 0; i < READERS; i++)
		reader_end(&play->reader[i]);
}

void
readers_of_connection_lost(const struct play_connection *connection)
{
	for (size_t i = 0; i < READERS; i++) {
		struct reader *reader = &play_here->reader[i];
		if (reader->connection != connection)
			continue;
		/* What it has may be of the region before its Steer. */
		if (reader->steer_count > 0 || random_below(&play_here->random, 4) == 0)
			reader_end(reader);
		else
			reader->connection = NULL;
	}
}

void
reader_unsubscribed(const struct play_connection *connection, uint64_t request_id, const char *reason)
{
	struct reader *reader = reader_of(connection, request_id);
	bool lost = strcmp(reason, "MEMORY") == 0;
	assert_true(!lost || play_here->short_of_memory);
	play_here->lost_readers += lost;
	assert_non_null(reader);
	if (reader)
		reader_end(reader);
}

/* The region of a Steer is in force; those that were asked for before it never will be. */
static void
reader_steered(struct reader *reader, uint64_t request_id)
{
	size_t at = 0;
	while (at < reader->steer_count && reader->steer_ids[at] != request_id)
		at++;
	assert_true(at < reader->steer_count);
	reader->region = reader->steers[at];
	reader->steer_count -= at + 1;
	memmove(reader->steers, &reader->steers[at + 1], reader->steer_count * sizeof reader->steers[0]);
	memmove(reader->steer_ids, &reader->steer_ids[at + 1], reader->steer_count * sizeof reader->steer_ids[0]);
}

void
play_mirror_take(struct collide_mirror *mirror, struct play_world *world, const Collide__V1__WorldUpdate *update)
{
	struct collide_error error;
	uint8_t *bytes = malloc(collide__v1__world_update__get_packed_size(update) + 1);
	assert_non_null(bytes);
	size_t count = collide__v1__world_update__pack(update, bytes);
	if (!collide_mirror_update(mirror, bytes, count, &error))
		fail_msg("%s: %s", error.reason, error.text);
	free(bytes);
	struct collide_mirrored has = collide_mirror_state(mirror);
	if (!has.ready)
		return; /* a part of a key */
	const struct play_past *past = past_of(world, has.epoch);
	assert_true(has.tick < PAST_TICKS && (past->seen[has.tick] || past->unseen[has.tick]));
	if (!past->unseen[has.tick])
		assert_int_equal(world_hash(mirror_world(mirror)), past->hash[has.tick]);
}

/* As it is, or with the batches that are coded in it. */
static void
update_mirror(struct reader *reader, const Collide__V1__WorldUpdate *update)
{
	Collide__V1__WorldUpdate plain = *update;
	struct collide_error error;
	assert_true(reader->coded || update->coded.len == 0);
	if (reader->coded && !batch_reader_take(reader->coded, update, &plain, &error))
		fail_msg("%s: %s", error.reason, error.text);
	play_here->coded += update->coded.len > 0;
	play_mirror_take(reader->mirror, reader->world, &plain);
	play_here->mirrored += collide_mirror_state(reader->mirror).ready;
}

void
reader_update(const struct play_connection *connection, uint64_t request_id, const uint8_t *bytes, size_t count)
{
	struct reader *reader = reader_of(connection, request_id);
	struct collide_error error;
	assert_non_null(reader);
	if (!reader || reader->deaf)
		return;
	Collide__V1__WorldUpdate *update = collide__v1__world_update__unpack(NULL, count, bytes);
	assert_non_null(update);
	bool has_key = update->optional_key_case == COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY;
	uint64_t steered = update->steered, rows = update->optional_frame_case;
	assert_true((update->encoding != 0) == (has_key || steered != 0));
	reader->encoding = update->encoding != 0 ? update->encoding : reader->encoding;
	if (reader->mirror)
		update_mirror(reader, update);
	collide__v1__world_update__free_unpacked(update, NULL);
	if (reader->mirror) {
		play_here->went_on += reader->returns && !has_key;
		reader->returns = false;
		reader->deaf = random_below(&play_here->random, 24) == 0;
		return;
	}
	uint32_t missed = collide_follower_world(reader->follower).missed_ticks;
	/* Up to here, the region before it. */
	if (steered != 0)
		reader->region = (struct reader_region){ .is_box = true, .box = { 1e9, 1e9, 1e9, 1e9 } };
	if (!collide_follower_update(reader->follower, bytes, count, &error))
		fail_msg("%s", error.text);
	if (steered != 0)
		reader_steered(reader, steered);
	if (collide_follower_world(reader->follower).ready)
		reader_check(reader, reader->follower);
	play_here->gaps += collide_follower_world(reader->follower).missed_ticks != missed;
	play_here->went_on += reader->returns && !has_key && !rows;
	play_here->bridged += steered != 0 && !has_key;
	reader->returns = reader->returns && rows;
	/* From here on nothing arrives: its connection will be lost. */
	reader->deaf = random_below(&play_here->random, 24) == 0;
}
