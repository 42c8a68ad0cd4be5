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
digest_of_world(const struct world *world)
{
	size_t count = world_body_count(world);
	uint64_t digest = count + 1;
	for (size_t i = 0; i < count; i++) {
		struct body_state body = world_body(world, i);
		digest = digest_add(digest, body.id);
		digest = digest_add(digest_add(digest, body.x), body.y);
		digest = digest_add(digest_add(digest, body.vx), body.vy);
		digest = digest_add(digest_add(digest, body.angle), body.angular_velocity);
	}
	return digest;
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
	assert_true(world->model.tick < PAST_TICKS);
	past->digest[world->model.tick] = digest_of_world(world->model.world);
}

/* ---- following */

static uint64_t
digest_of_follower(const struct collide_follower *follower)
{
	size_t count = collide_follower_world(follower).circle_count;
	uint64_t digest = count + 1;
	for (size_t i = 0; i < count; i++) {
		struct collide_followed_circle circle = collide_follower_circle(follower, i);
		digest = digest_add(digest, circle.id);
		digest = digest_add(digest_add(digest, circle.x), circle.y);
		digest = digest_add(digest_add(digest, circle.vx), circle.vy);
		digest = digest_add(digest_add(digest, circle.angle), circle.spin);
	}
	return digest;
}

static void
reader_check(void *context, const struct collide_follower *follower)
{
	struct reader *reader = context;
	struct collide_followed seen = collide_follower_world(follower);
	const struct play_past *past = past_of(reader->world, seen.epoch);
	assert_true(seen.tick < PAST_TICKS);
	assert_int_equal(digest_of_follower(follower), past->digest[seen.tick]);
	play_here->followed++;
}

void
reader_subscribe(struct play *play, struct reader *reader)
{
	Collide__V1__Subscribe subscribe = COLLIDE__V1__SUBSCRIBE__INIT;
	Collide__V1__SpectatorOf spectator = COLLIDE__V1__SPECTATOR_OF__INIT;
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
