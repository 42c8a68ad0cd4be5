/* The library's follower: against numbers worked out by hand, and against bytes that are no stream. */
#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"
#include "support/effort.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DT 0.125

static bool
feed(struct collide_follower *follower, const Collide__V1__WorldUpdate *update, struct collide_error *error)
{
	uint8_t bytes[4096];
	size_t count = collide__v1__world_update__get_packed_size(update);

	assert_in_range(count, 0, sizeof bytes);
	(void)collide__v1__world_update__pack(update, bytes);
	return collide_follower_update(follower, bytes, count, error);
}

/* A key of that tick: circle 3 flies, circle 5 falls, 7 stands. */
static void
begin(struct collide_follower *follower, uint64_t tick, uint64_t epoch)
{
	Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
	Collide__V1__Key key = COLLIDE__V1__KEY__INIT;
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	Collide__V1__CircleColumns circles = COLLIDE__V1__CIRCLE_COLUMNS__INIT;
	uint32_t ids[] = { 3, 5, 7 };
	double x[] = { 0, 10, 20 }, vx[] = { 2, 0, 0 }, radius = 0.5, scale[] = { 0, 1, 0 };
	Collide__V1__BodyKind kinds[] = { COLLIDE__V1__BODY_KIND__BODY_KIND_DYNAMIC, COLLIDE__V1__BODY_KIND__BODY_KIND_DYNAMIC,
		                              COLLIDE__V1__BODY_KIND__BODY_KIND_STATIC };

	assert_non_null(follower);
	circles.id = ids, circles.n_id = 3;
	circles.x = x, circles.n_x = 3;
	circles.vx = vx, circles.n_vx = 3;
	circles.gravity_scale = scale, circles.n_gravity_scale = 3;
	circles.kind = kinds, circles.n_kind = 3;
	circles.radius = &radius, circles.n_radius = 1;
	scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	scene.circle_columns = &circles;
	scene.gravity_y = -8;
	key.optional_scene_case = COLLIDE__V1__KEY__OPTIONAL_SCENE_SCENE;
	key.scene = &scene;
	key.dt = DT;
	key.epoch = epoch;
	update.tick = tick;
	update.optional_key_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY;
	update.key = &key;
	assert_true(feed(follower, &update, NULL));
}

/* A world at tick 8. */
static struct collide_follower *
begun(void)
{
	struct collide_follower *follower = collide_follower_create(4);

	begin(follower, 8, 77);
	return follower;
}

static void
test_free_flight(void **state)
{
	struct collide_follower *follower = begun();
	Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
	struct collide_place place;
	size_t index;

	(void)state;
	update.tick = 16, update.ticks = 8;
	assert_true(feed(follower, &update, NULL));

	struct collide_followed world = collide_follower_world(follower);

	assert_true(world.ready && world.epoch == 77 && world.tick == 16 && world.circle_count == 3);
	assert_true(collide_follower_find(follower, 3, &index) && index == 0);
	assert_true(collide_follower_circle(follower, 0).x == 2.0);
	/* A second of falling by 8 length units per square second. */
	assert_true(collide_follower_circle(follower, 1).y == -4.0 && collide_follower_circle(follower, 1).vy == -8.0);
	assert_true(collide_follower_circle(follower, 2).x == 20.0);
	assert_false(collide_follower_find(follower, 4, &index));
	/* Half a tick ago; and longer ago than is kept, and what is not there. */
	assert_true(collide_follower_place(follower, 3, 16 * DT - DT / 2, &place) && place.x == 2.0 - DT);
	assert_true(collide_follower_place(follower, 5, 16 * DT - DT, &place) && place.y == -8.0 * 0.5 * 0.875 * 0.875);
	assert_false(collide_follower_place(follower, 3, 11 * DT, &place));
	assert_false(collide_follower_place(follower, 4, 16 * DT, &place));
	collide_follower_destroy(follower);
}

/* Another past: of the one before nothing is left, its hash neither. A key of the same past leaves that as it was told. */
static void
test_another_past(void **state)
{
	struct collide_follower *follower = begun();
	Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
	struct collide_place place;

	(void)state;
	update.tick = 10, update.ticks = 2;
	update.hash = 1234, update.hash_tick = 10;
	assert_true(feed(follower, &update, NULL));
	begin(follower, 12, 77);
	assert_true(collide_follower_world(follower).hash == 1234 && collide_follower_world(follower).hash_tick == 10);
	begin(follower, 4, 78);

	struct collide_followed world = collide_follower_world(follower);

	assert_true(world.ready && world.epoch == 78 && world.tick == 4);
	assert_true(world.hash == 0 && world.hash_tick == 0);
	assert_false(collide_follower_place(follower, 3, 9.5 * DT, &place));
	update.tick = 5, update.ticks = 1;
	update.hash = 99, update.hash_tick = 5;
	assert_true(feed(follower, &update, NULL));
	assert_true(collide_follower_world(follower).hash == 99);
	assert_true(collide_follower_place(follower, 3, 4.5 * DT, &place) && place.x == DT);
	collide_follower_destroy(follower);
}

/* Circle 3 turns back a quarter of a tick after tick 9 began, and ends at its half. */
static void
test_rows(void **state)
{
	struct collide_follower *follower = begun();
	Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
	Collide__V1__Paths paths = COLLIDE__V1__PATHS__INIT;
	uint32_t rows[] = { 0, 2 }, body[] = { 0, 0 };
	uint32_t what[] = { COLLIDE__V1__PATH_WHAT__PATH_TIME | COLLIDE__V1__PATH_WHAT__PATH_VX,
		                COLLIDE__V1__PATH_WHAT__PATH_TIME | COLLIDE__V1__PATH_WHAT__PATH_REMOVED };
	/* 0.03125 and 0.0625 by their first two bytes; the velocity as the base times -1. */
	uint8_t codes[] = { 0x62, 0x02 }, values[] = { 0x3f, 0xa0, 0x3f, 0xb0 };
	struct collide_place place;

	(void)state;
	update.tick = 10, update.ticks = 2;
	update.optional_paths_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_PATHS_PATHS;
	update.paths = &paths;
	paths.rows_in_tick = rows, paths.n_rows_in_tick = 2;
	paths.body = body, paths.n_body = 2;
	paths.what = what, paths.n_what = 2;
	paths.codes = (ProtobufCBinaryData){ sizeof codes, codes };
	paths.values = (ProtobufCBinaryData){ sizeof values, values };
	assert_true(feed(follower, &update, NULL));
	assert_int_equal(collide_follower_world(follower).circle_count, 2);
	assert_true(collide_follower_place(follower, 3, 9 * DT + 0.015625, &place) && place.x == 0.25 + 0.03125);
	assert_true(collide_follower_place(follower, 3, 9 * DT + 0.046875, &place) && place.x == 0.25 + 0.03125);
	assert_false(collide_follower_place(follower, 3, 9 * DT + 0.0625, &place));
	collide_follower_destroy(follower);
}

/* Circle 3 is driven from tick 9 on: to the right, and from the tick's half on back. In tick 10 nothing is told of that, and
 * its new place is what its own velocity makes of the old one; in tick 11 it stands. */
static void
test_legs(void **state)
{
	struct collide_follower *follower = begun();
	Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
	Collide__V1__Paths paths = COLLIDE__V1__PATHS__INIT;
	const uint32_t leg = COLLIDE__V1__PATH_WHAT__PATH_VX | COLLIDE__V1__PATH_WHAT__PATH_VY;
	uint32_t rows[] = { 3, 1 }, body[] = { 0, 0, 0, 0 };
	uint32_t what[] = { COLLIDE__V1__PATH_WHAT__PATH_DRIVEN | leg, COLLIDE__V1__PATH_WHAT__PATH_TIME | leg,
		                COLLIDE__V1__PATH_WHAT__PATH_END | COLLIDE__V1__PATH_WHAT__PATH_VY,
		                COLLIDE__V1__PATH_WHAT__PATH_END | COLLIDE__V1__PATH_WHAT__PATH_X };
	/* The velocity (4, 8); the time 0.0625, and that velocity times -1 and as it is; its own (2, 1); the base. */
	uint8_t codes[] = { 0x22, 0x62, 0x27, 0x07 }, values[] = { 0x40, 0x10, 0x40, 0x20, 0x3f, 0xb0, 0x3f, 0xf0 };
	struct collide_place place;

	(void)state;
	update.tick = 11, update.ticks = 3;
	update.optional_paths_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_PATHS_PATHS;
	update.paths = &paths;
	paths.rows_in_tick = rows, paths.n_rows_in_tick = 2;
	paths.body = body, paths.n_body = 4;
	paths.what = what, paths.n_what = 4;
	paths.codes = (ProtobufCBinaryData){ sizeof codes, codes };
	paths.values = (ProtobufCBinaryData){ sizeof values, values };
	assert_true(feed(follower, &update, NULL));
	assert_true(collide_follower_place(follower, 3, 8 * DT + 0.03125, &place) && place.x == 0.125 && place.y == 0.25);
	assert_true(collide_follower_place(follower, 3, 8 * DT + 0.09375, &place) && place.x == 0.125 && place.y == 0.75);
	/* From 0 straight to dt * 2. */
	assert_true(collide_follower_place(follower, 3, 9 * DT + 0.0625, &place) && place.x == 0.125 && place.y == 1.0);
	assert_true(collide_follower_place(follower, 3, 10 * DT + 0.0625, &place) && place.x == 0.25 && place.y == 1.0);

	struct collide_followed_circle circle = collide_follower_circle(follower, 0);

	assert_true(circle.driven && circle.x == 0.25 && circle.y == 1.0 && circle.vx == 2.0 && circle.vy == 1.0);
	collide_follower_destroy(follower);
}

static void
test_gaps(void **state)
{
	struct collide_follower *follower = begun(), *fresh = collide_follower_create(0);
	Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
	Collide__V1__Paths paths = COLLIDE__V1__PATHS__INIT;
	uint32_t row = 1, body = 3, what = 0;
	struct collide_error error;

	(void)state;
	update.tick = 10, update.ticks = 1;
	assert_false(feed(fresh, &update, &error));
	assert_false(feed(follower, &update, &error));
	assert_string_equal(error.reason, "MALFORMED");
	assert_false(collide_follower_world(follower).ready);
	collide_follower_destroy(follower);
	/* More ticks than any `every` has: it is refused before the first is made. */
	follower = begun();
	update.tick = 8 + 3601, update.ticks = 3601;
	assert_false(feed(follower, &update, &error));
	assert_string_equal(error.reason, "MALFORMED");
	collide_follower_destroy(follower);
	follower = begun();
	update.tick = 8 + 3600, update.ticks = 3600;
	assert_true(feed(follower, &update, &error));
	collide_follower_destroy(follower);
	update.ticks = 1;
	/* A row of a circle that is not there; a row that no tick has; a number that does not come. */
	update.tick = 9;
	update.optional_paths_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_PATHS_PATHS;
	update.paths = &paths;
	paths.body = &body, paths.n_body = 1;
	paths.what = &what, paths.n_what = 1;
	for (int i = 0; i < 3; i++) {
		follower = begun();
		paths.rows_in_tick = &row, paths.n_rows_in_tick = i == 1 ? 0 : 1;
		body = i == 0 ? 3 : 0;
		what = i == 2 ? COLLIDE__V1__PATH_WHAT__PATH_X : 0;
		assert_false(feed(follower, &update, &error));
		collide_follower_destroy(follower);
	}
	assert_false(collide_follower_update(fresh, "\xff\xff", 2, &error));
	collide_follower_destroy(fresh);
}

/* A few bytes that say that they are of very many circles, or segments. */
static void
test_shapes_without_ids(void **state)
{
	Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
	Collide__V1__Key key = COLLIDE__V1__KEY__INIT;
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	Collide__V1__CircleColumns circles = COLLIDE__V1__CIRCLE_COLUMNS__INIT;
	Collide__V1__SegmentColumns segments = COLLIDE__V1__SEGMENT_COLUMNS__INIT;
	struct collide_error error;

	(void)state;
	key.optional_scene_case = COLLIDE__V1__KEY__OPTIONAL_SCENE_SCENE;
	key.scene = &scene;
	key.dt = DT;
	update.optional_key_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY;
	update.key = &key;
	circles.count = segments.count = UINT32_MAX;
	for (int i = 0; i < 2; i++) {
		struct collide_follower *follower = collide_follower_create(4);

		scene.circle_columns = i == 0 ? &circles : NULL;
		scene.optional_circle_columns_case = i == 0 ? COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS
		                                            : COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS__NOT_SET;
		scene.segment_columns = i == 1 ? &segments : NULL;
		scene.optional_segment_columns_case = i == 1 ? COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS
		                                             : COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS__NOT_SET;
		assert_false(feed(follower, &update, &error));
		assert_string_equal(error.reason, "MALFORMED");
		collide_follower_destroy(follower);
	}
}

/* ---- bytes that are no stream */

static uint8_t stream[1 << 18];
static size_t stream_bytes;

static void
stream_read(const char *name)
{
	char path[512];

	(void)snprintf(path, sizeof path, "%s/%s", GOLDEN_FOLDER, name);
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	stream_bytes = fread(stream, 1, sizeof stream, file);
	fclose(file);
}

/* Feeds all updates, of which some bytes are changed; what comes of it does not matter. */
static size_t
stream_feed(uint64_t *random, unsigned one_in)
{
	static uint8_t update[1 << 18];
	struct collide_follower *follower = collide_follower_create(2);
	struct collide_place place;
	struct collide_error error;
	size_t refused = 0, placed = 0;

	for (size_t at = 0; at < stream_bytes;) {
		size_t count = 0;

		for (unsigned shift = 0;; shift += 7) {
			count |= (size_t)(stream[at] & 127) << shift;
			if (stream[at++] < 128)
				break;
		}
		memcpy(update, stream + at, count);
		if (one_in > 0 && random_below(random, one_in) == 0)
			update[random_below(random, count)] ^= (uint8_t)(1 << random_below(random, 8));
		refused += !collide_follower_update(follower, update, count, &error);
		struct collide_followed world = collide_follower_world(follower);
		double time = ((double)world.tick - random_between(random, 0, 3)) * world.dt;
		placed += collide_follower_place(follower, (uint32_t)random_below(random, 50), time, &place);
		at += count;
	}
	assert_true(one_in > 0 || placed > 0);
	collide_follower_destroy(follower);
	return refused;
}

/* A coder that is as sure as none can be: its range would become empty, and be widened for ever. */
static void
test_a_coder_that_cannot_be(void **state)
{
	static uint8_t update[1 << 18];
	struct collide_follower *follower = collide_follower_create(2);
	struct collide_error error;
	size_t head = 1;

	(void)state;
	stream_read("within-gas.stream");
	while (stream[head - 1] >= 128)
		head++;

	size_t first = 0;

	for (size_t i = 0; i < head; i++)
		first |= (size_t)(stream[i] & 127) << 7 * i;

	Collide__V1__WorldUpdate *key = collide__v1__world_update__unpack(NULL, first, stream + head);

	assert_non_null(key);
	if (!key || !key->key)
		abort();
	for (int high = 0; high < 2; high++) {
		for (size_t i = 0; i < key->key->coder.len; i++)
			key->key->coder.data[i] = high && i % 2 == 1 ? 0x80 : 0;

		size_t count = collide__v1__world_update__pack(key, update);

		assert_false(collide_follower_update(follower, update, count, &error));
		assert_string_equal(error.reason, "MALFORMED");
	}
	collide__v1__world_update__free_unpacked(key, NULL);
	collide_follower_destroy(follower);
}

static void
test_mutations(void **state)
{
	static const char *const names[] = { "gas-acted.stream",  "moving-acted.stream",   "damped.stream",  "bullets-acted.stream",
		                                 "within-gas.stream", "within-bullets.stream", "legs-few.stream" };
	uint64_t random = 5;
	size_t refused = 0;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		stream_read(names[i]);
		assert_int_equal(stream_feed(&random, 0), 0);
		for (int k = 0; k < (int)effort(100, 300); k++)
			refused += stream_feed(&random, 1 + (unsigned)random_below(&random, 20));
	}
	assert_true(refused > effort(330, 1000));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_free_flight),
		cmocka_unit_test(test_another_past),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_legs),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_a_coder_that_cannot_be),
		cmocka_unit_test(test_shapes_without_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
