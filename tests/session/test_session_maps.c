/* Requests between the same walls, with a cache of maps and without: the same frames, byte for byte. */
#include "session/fixture.h"

#include "scene/map_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WALLS 12
#define CIRCLES 20
#define TICKS 40

static void
say_room(uint64_t id, double wall)
{
	Collide__V1__CircleColumns circles = COLLIDE__V1__CIRCLE_COLUMNS__INIT;
	Collide__V1__SegmentColumns segments = COLLIDE__V1__SEGMENT_COLUMNS__INIT;
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	Collide__V1__Simulate simulate = COLLIDE__V1__SIMULATE__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	double x[CIRCLES], y[CIRCLES], vx[CIRCLES], radius = 0.3, x1[WALLS], y1[WALLS], x2[WALLS], y2[WALLS];
	for (int i = 0; i < CIRCLES; i++)
		x[i] = 1 + i % 5, y[i] = 1 + (int)(i / 5), vx[i] = 10 * (i % 3 - 1);
	for (int i = 0; i < WALLS; i++)
		x1[i] = i % 6, x2[i] = i % 6 + wall, y1[i] = y2[i] = i < 6 ? 0 : 5;
	x1[0] = x2[0] = 0, y2[0] = 5;
	x1[1] = x2[1] = 6, y2[1] = 5;
	circles.n_x = circles.n_y = circles.n_vx = CIRCLES, circles.n_radius = 1;
	circles.x = x, circles.y = y, circles.vx = vx, circles.radius = &radius;
	segments.n_x1 = segments.n_y1 = segments.n_x2 = segments.n_y2 = WALLS;
	segments.x1 = x1, segments.y1 = y1, segments.x2 = x2, segments.y2 = y2;
	scene.gravity_y = -5;
	scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	scene.circle_columns = &circles;
	scene.optional_segment_columns_case = COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS;
	scene.segment_columns = &segments;
	simulate.optional_scene_case = COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SCENE;
	simulate.scene = &scene;
	simulate.dt = 0.02;
	simulate.ticks = TICKS;
	message.request_id = id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE;
	message.simulate = &simulate;
	say_message(&conversation, &message);
}

/* The bytes of all its frames; the caller frees them. SimulateDone, the last message, has times in it. */
static struct buffer
frames_of(uint64_t id, double wall)
{
	struct buffer frames;
	const size_t before = conversation.arrived.count;
	buffer_init(&frames);
	say_room(id, wall);
	run_all(&conversation);
	for (size_t last = before; conversation.arrived_read < conversation.arrived.count;) {
		Collide__V1__ServerMessage *reply = next_reply(&conversation);
		assert_non_null(reply);
		if (reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME)
			last = conversation.arrived_read;
		else
			assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE);
		release_reply(reply);
		if (conversation.arrived_read == conversation.arrived.count)
			buffer_append(&frames, conversation.arrived.bytes + before, last - before);
	}
	assert_true(frames.count > (size_t)TICKS * CIRCLES * 16);
	return frames;
}

static void
the_same_frames_with_maps(void **state)
{
	(void)state;
	const double walls[] = { 0.7, 1, 0.7, 0.7, 1, 0.25 };
	enum { REQUESTS = sizeof walls / sizeof walls[0] };
	struct buffer without[REQUESTS];
	for (size_t i = 0; i < REQUESTS; i++)
		without[i] = frames_of(7, walls[i]);
	struct map_cache *cache = map_cache_create(&(struct map_cache_options){ .bytes_max = 1 << 20, .key = 3 });
	assert_non_null(cache);
	conversation.service.maps = cache;
	for (size_t i = 0; i < REQUESTS; i++) {
		struct buffer with = frames_of(7, walls[i]);
		assert_int_equal(with.count, without[i].count);
		assert_memory_equal(with.bytes, without[i].bytes, with.count);
		buffer_finish(&with);
		buffer_finish(&without[i]);
	}
	const struct map_cache_stats stats = map_cache_stats(cache);
	assert_int_equal(stats.hits, 3);
	assert_int_equal(stats.misses, 3);
	map_cache_destroy(cache);
	conversation.service.maps = NULL;
}

int
main(void)
{
	const struct CMUnitTest tests[] = { TEST(the_same_frames_with_maps) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
