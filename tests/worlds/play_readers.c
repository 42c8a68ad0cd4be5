/* The readers of a play: they subscribe to paths, and follow by the library's follower, which shares nothing with the server's
 * encoder. After each tick what they have must be the model's, to the bit. */
#include "worlds/play.h"

#include <assert.h>
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
	if (!seen)
		seen = past->seen[model->tick] = malloc(MODEL_CIRCLES * sizeof *seen);
	assert_non_null(seen);
	memset(seen, 0, MODEL_CIRCLES * sizeof *seen);
	for (size_t i = 0; i < world_body_count(model->world); i++) {
		struct body_state body = world_body(model->world, i);
		assert_true(body.id < MODEL_CIRCLES);
		seen[body.id] = (struct play_seen){ digest_of(body.x, body.y, body.vx, body.vy, body.angle, body.angular_velocity),
			                                body.x, body.y };
	}
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
	const double *box = reader->box, reach = 0.25;
	return !reader->has_region ||
	       (seen->x >= box[0] - reach && seen->x <= box[2] + reach && seen->y >= box[1] - reach && seen->y <= box[3] + reach);
}

/* What it has is as it was, and what is near to its region it has. */
static void
reader_check(void *context, const struct collide_follower *follower)
{
	const struct reader *reader = context;
	struct collide_followed world = collide_follower_world(follower);
	const struct play_past *past = past_of(reader->world, world.epoch);
	assert_true(world.tick < PAST_TICKS && past->seen[world.tick]);
	const struct play_seen *seen = past->seen[world.tick];
	size_t near = 0, index;
	for (size_t i = 0; i < world.circle_count; i++) {
		struct collide_followed_circle circle = collide_follower_circle(follower, i);
		assert_int_equal(digest_of(circle.x, circle.y, circle.vx, circle.vy, circle.angle, circle.spin),
		                 seen[circle.id].digest);
	}
	for (uint32_t id = 0; id < MODEL_CIRCLES; id++) {
		if (seen[id].digest == 0 || !is_near(reader, &seen[id]))
			continue;
		assert_true(collide_follower_find(follower, id, &index));
		near++;
	}
	assert_true(reader->has_region || near == world.circle_count);
	play_here->followed++;
	play_here->partly += near < world.circle_count;
}

void
reader_subscribe(struct play *play, struct reader *reader)
{
	Collide__V1__Subscribe subscribe = COLLIDE__V1__SUBSCRIBE__INIT;
	Collide__V1__SpectatorOf spectator = COLLIDE__V1__SPECTATOR_OF__INIT;
	Collide__V1__Region region = COLLIDE__V1__REGION__INIT;
	Collide__V1__Bounds box = COLLIDE__V1__BOUNDS__INIT;
	struct wire_problem problem = { .status = STATUS_OK };
	struct play_world *world = &play->world[random_below(&play->random, WORLDS)];
	if (reader->connection || world->gone)
		return;
	reader->world = world;
	reader->connection = play_connection_any(play);
	reader->request_id = ++play->requests_next;
	reader->follower = collide_follower_create(4);
	assert_non_null(reader->follower);
	collide_follower_on_tick(reader->follower, reader_check, reader);
	spectator.world = world->name;
	spectator.secret = (ProtobufCBinaryData){ WORLDS_SECRET_BYTES, world->owner_secret };
	subscribe.of_case = COLLIDE__V1__SUBSCRIBE__OF_SPECTATOR;
	subscribe.spectator = &spectator;
	subscribe.stream = COLLIDE__V1__STREAM__STREAM_PATHS;
	subscribe.every = 1 + (uint32_t)random_below(&play->random, 5);
	subscribe.contacts = random_below(&play->random, 3) == 0;
	if (random_below(&play->random, 2) == 0) {
		double x = random_between(&play->random, 0, 20), y = random_between(&play->random, 0, 20);
		box.x_min = reader->box[0] = x, box.y_min = reader->box[1] = y;
		box.x_max = reader->box[2] = x + random_between(&play->random, 0, 8);
		box.y_max = reader->box[3] = y + random_between(&play->random, 0, 8);
		region.what_case = COLLIDE__V1__REGION__WHAT_BOX;
		region.box = &box;
		subscribe.optional_region_case = COLLIDE__V1__SUBSCRIBE__OPTIONAL_REGION_REGION;
		subscribe.region = &region;
		reader->has_region = true;
	}
	assert_int_equal(worlds_subscribe(&reader->connection->client, reader->request_id, &subscribe, &problem), STATUS_OK);
}

static struct reader *
reader_of(const struct play_connection *connection, uint64_t request_id)
{
	for (size_t i = 0; i < READERS; i++)
		if (play_here->reader[i].connection == connection && play_here->reader[i].request_id == request_id)
			return &play_here->reader[i];
	return NULL;
}

static void
reader_end(struct reader *reader)
{
	collide_follower_destroy(reader->follower);
	*reader = (struct reader){ .connection = NULL };
}

void
readers_of_connection_end(const struct play_connection *connection)
{
	for (size_t i = 0; i < READERS; i++)
		if (play_here->reader[i].connection == connection)
			reader_end(&play_here->reader[i]);
}

void
reader_unsubscribed(const struct play_connection *connection, uint64_t request_id)
{
	struct reader *reader = reader_of(connection, request_id);
	assert_non_null(reader);
	if (reader)
		reader_end(reader);
}

void
reader_update(const struct play_connection *connection, uint64_t request_id, const uint8_t *bytes, size_t count)
{
	struct reader *reader = reader_of(connection, request_id);
	struct collide_error error;
	assert_non_null(reader);
	if (!reader)
		return;
	uint32_t missed = collide_follower_world(reader->follower).missed_ticks;
	if (!collide_follower_update(reader->follower, bytes, count, &error))
		fail_msg("%s", error.text);
	if (collide_follower_world(reader->follower).ready)
		reader_check(reader, reader->follower);
	play_here->gaps += collide_follower_world(reader->follower).missed_ticks != missed;
}
