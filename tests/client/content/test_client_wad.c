/* The WAD reader on good files, on files wrong in one place each, cut at every byte, and with random bytes changed. */
#include "client/cli/maps/wad.h"
#include "client/content/wad_maker.h"

#include "support/assert_double.h"
#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct wad_maker maker;

/* A room of 200 by 100 with a door line in it. */
static void
room_make(const char *map)
{
	wad_maker_init(&maker);
	wad_maker_box(&maker, -100, -50, 100, 50);
	wad_maker_line(&maker, 0, -50, 0, 50, 4, 0);
	wad_maker_line(&maker, 50, -50, 50, -10, 1, 0);
	wad_maker_thing(&maker, 7, 8, 3004);
	wad_maker_thing(&maker, -50, 20, 1);
	wad_maker_map(&maker, map);
	wad_maker_end(&maker);
}

static bool
maker_parse(const char *map_name, struct wad_map *map, char error[300])
{
	/* On the heap and of exact size, so that a sanitizer sees a read behind the end. */
	uint8_t *bytes = malloc(maker.count);
	assert_non_null(bytes);
	memcpy(bytes, maker.bytes, maker.count);
	bool good = wad_map_parse("test.wad", bytes, maker.count, map_name, map, error, 300);
	free(bytes);
	return good;
}

static void
assert_refused(const char *map_name, const char *expected)
{
	struct wad_map map = { 0 };
	char error[300] = "";
	bool good = maker_parse(map_name, &map, error);
	wad_map_finish(&map);
	assert_false(good);
	assert_string_equal(error, expected);
}

static void
map_is_read(void **state)
{
	(void)state;
	struct wad_map map;
	char error[300] = "";
	room_make("E1M1");
	assert_true(maker_parse("e1m1", &map, error));
	assert_int_equal(map.line_count, 6);
	assert_int_equal(map.destination_count, 0);
	assert_double_same_bits(map.lines[1].x2, 100);
	assert_double_same_bits(map.lines[0].y1, -50);
	assert_true(map.lines[0].solid);
	assert_false(map.lines[4].solid);
	assert_true(map.lines[5].solid);
	assert_true(map.has_start);
	assert_double_same_bits(map.start_x, -50);
	assert_double_same_bits(map.start_y, 20);
	wad_map_finish(&map);
}

static void
teleport_destinations_are_read(void **state)
{
	(void)state;
	struct wad_map map;
	char error[300] = "";
	wad_maker_init(&maker);
	wad_maker_box(&maker, 0, 0, 100, 100);
	wad_maker_thing(&maker, 10, 20, 14);
	wad_maker_thing(&maker, 50, 50, 1);
	wad_maker_thing(&maker, 60, 60, 11); /* a start for deathmatch is neither */
	wad_maker_thing(&maker, -30, 40, 14);
	wad_maker_map(&maker, "MAP01");
	wad_maker_end(&maker);
	assert_true(maker_parse("MAP01", &map, error));
	assert_double_same_bits(map.start_x, 50);
	assert_int_equal(map.destination_count, 2);
	assert_double_same_bits(map.destinations[0].x, 10);
	assert_double_same_bits(map.destinations[0].y, 20);
	assert_double_same_bits(map.destinations[1].x, -30);
	assert_double_same_bits(map.destinations[1].y, 40);
	wad_map_finish(&map);
}

static void
last_map_of_a_name_counts(void **state)
{
	(void)state;
	struct wad_map map;
	char error[300] = "";
	wad_maker_init(&maker);
	wad_maker_box(&maker, 0, 0, 10, 10);
	wad_maker_map(&maker, "MAP01");
	wad_maker_box(&maker, 0, 0, 20, 20);
	wad_maker_map(&maker, "MAP01");
	wad_maker_end(&maker);
	assert_true(maker_parse("MAP01", &map, error));
	assert_int_equal(map.line_count, 8);
	assert_false(map.has_start);
	wad_map_finish(&map);
}

static void
missing_map_is_refused_with_those_there_are(void **state)
{
	(void)state;
	room_make("E1M1");
	assert_refused("E1M2", "test.wad: has no map 'E1M2'; did you mean \"E1M1\"?");
	assert_refused("E1M1X", "test.wad: has no map 'E1M1X'; did you mean \"E1M1\"?");
	assert_refused("MAP32", "test.wad: has no map 'MAP32'; it has 1 maps: E1M1");
	assert_refused(NULL, "test.wad: --map is missing; there are 1 maps: E1M1");
	assert_refused("E1M", "test.wad: has no map 'E1M'; did you mean \"E1M1\"?");
	assert_refused("", "test.wad: has no map ''; it has 1 maps: E1M1");
	assert_refused("THINGS", "test.wad: has no map 'THINGS'; it has 1 maps: E1M1");
	assert_refused("ALONGNAMEINDEED", "test.wad: has no map 'ALONGNAM'; it has 1 maps: E1M1");
	room_make("\033[2J");
	assert_refused("E1M1", "test.wad: has no map 'E1M1'; it has 1 maps: ");
	wad_maker_init(&maker);
	wad_maker_end(&maker);
	assert_refused("E1M1", "test.wad: has no map 'E1M1'; it has 0 maps");
}

static void
bad_header_is_refused(void **state)
{
	(void)state;
	room_make("E1M1");
	maker.bytes[0] = 'X';
	assert_refused("E1M1", "test.wad: not a WAD file");
	maker.count = 0;
	assert_refused("E1M1", "test.wad: not a WAD file");
	room_make("E1M1");
	wad_maker_put(&maker, 4, 0xffffffff, 4);
	char expected[200];
	(void)snprintf(expected, sizeof expected,
	               "test.wad: the directory (4294967295 lumps at %zu) does not fit the file (%zu bytes)",
	               maker.count - 16 * maker.lump_count, maker.count);
	assert_refused("E1M1", expected);
	room_make("E1M1");
	wad_maker_put(&maker, 8, 0xfffffff0, 4);
	(void)snprintf(expected, sizeof expected,
	               "test.wad: the directory (6 lumps at 4294967280) does not fit the file (%zu bytes)", maker.count);
	assert_refused("E1M1", expected);
}

static void
bad_lumps_are_refused(void **state)
{
	(void)state;
	char expected[200];
	room_make("E1M1");
	wad_maker_put(&maker, wad_maker_entry(&maker, "LINEDEFS") + 4, 0xfffffffc, 4);
	(void)snprintf(expected, sizeof expected,
	               "test.wad: lump LINEDEFS (4294967292 bytes at 32) does not fit the file (%zu bytes)", maker.count);
	assert_refused("E1M1", expected);
	room_make("E1M1");
	wad_maker_put(&maker, wad_maker_entry(&maker, "VERTEXES"), 0xffffffff, 4);
	(void)snprintf(expected, sizeof expected,
	               "test.wad: lump VERTEXES (48 bytes at 4294967295) does not fit the file (%zu bytes)", maker.count);
	assert_refused("E1M1", expected);
	room_make("E1M1");
	wad_maker_put(&maker, wad_maker_entry(&maker, "THINGS") + 4, 19, 4);
	assert_refused("E1M1", "test.wad: lump THINGS has 19 bytes, no multiple of 10");
	room_make("E1M1");
	wad_maker_put(&maker, wad_maker_entry(&maker, "LINEDEFS") + 4, 0, 4);
	assert_refused("E1M1", "test.wad: the map has 0 lines; 1 to 32767 are supported");
	room_make("E1M1");
	memcpy(maker.bytes + wad_maker_entry(&maker, "VERTEXES") + 8, "VERTICES", 8);
	assert_refused("E1M1", "test.wad: the map has no lump VERTEXES");
}

static void
lumps_of_the_next_map_are_not_taken(void **state)
{
	(void)state;
	room_make("E1M1");
	struct wad_maker *two = &maker;
	wad_maker_init(two);
	wad_maker_lump(two, "E1M1", NULL, 0);
	wad_maker_lump(two, "THINGS", NULL, 0);
	wad_maker_box(two, 0, 0, 10, 10);
	wad_maker_map(two, "E1M2");
	wad_maker_end(two);
	assert_refused("E1M1", "test.wad: the map has no lump LINEDEFS");
}

static void
vertex_out_of_range_is_refused(void **state)
{
	(void)state;
	room_make("E1M1");
	wad_maker_put(&maker, 32 + 14 * 3 + 2, 12, 2);
	assert_refused("E1M1", "test.wad: line 3 ends at vertex 12, but there are 12");
	wad_maker_put(&maker, 32 + 14 * 2, 65535, 2);
	assert_refused("E1M1", "test.wad: line 2 ends at vertex 65535, but there are 12");
}

static void
other_formats_are_refused(void **state)
{
	(void)state;
	wad_maker_init(&maker);
	wad_maker_lump(&maker, "MAP01", NULL, 0);
	wad_maker_lump(&maker, "TEXTMAP", NULL, 0);
	wad_maker_end(&maker);
	assert_refused("MAP01", "test.wad: the map is in the UDMF format; only Doom's binary format is supported");
	wad_maker_init(&maker);
	wad_maker_box(&maker, 0, 0, 10, 10);
	wad_maker_map(&maker, "MAP01");
	wad_maker_lump(&maker, "BEHAVIOR", NULL, 0);
	wad_maker_end(&maker);
	assert_refused("MAP01", "test.wad: the map is in Hexen's format; only Doom's is supported");
}

static void
every_cut_is_refused(void **state)
{
	(void)state;
	room_make("E1M1");
	size_t whole = maker.count;
	for (size_t count = 0; count < whole; count++) {
		struct wad_map map = { 0 };
		char error[300] = "";
		maker.count = count;
		assert_false(maker_parse("E1M1", &map, error));
		assert_true(strlen(error) > 0);
	}
}

/* Whatever the bytes, the reader ends with a map that has all its lines, or with a text. */
static void
random_changes_do_no_harm(void **state)
{
	(void)state;
	uint64_t random = 42;
	int read = 0;
	const int rounds = (int)effort(3000, 20000);
	for (int round = 0; round < rounds; round++) {
		room_make("E1M1");
		for (uint64_t changes = 1 + random_below(&random, 4); changes > 0; changes--)
			maker.bytes[random_below(&random, maker.count)] = (uint8_t)random_bits(&random);
		maker.count -= random_below(&random, 10) == 0 ? random_below(&random, maker.count) : 0;
		struct wad_map map = { 0 };
		char error[300] = "";
		if (maker_parse("E1M1", &map, error)) {
			read++;
			for (size_t i = 0; i < map.line_count; i++) {
				assert_double_in_range(map.lines[i].x1, -32768, 32767);
				assert_double_in_range(map.lines[i].y2, -32768, 32767);
			}
			wad_map_finish(&map);
		} else {
			assert_true(strlen(error) > 0);
		}
	}
	/* Most changes hit coordinates or flags, so both outcomes are seen. */
	assert_true(read > rounds / 20 && read < rounds - rounds / 20);
}

static void
unreadable_files_are_refused(void **state)
{
	(void)state;
	struct wad_map map;
	char error[300];
	assert_false(wad_map_load("/nonexistent.wad", "E1M1", &map, error, sizeof error));
	assert_string_equal(error, "/nonexistent.wad: No such file or directory");
	assert_false(wad_map_load("/", "E1M1", &map, error, sizeof error));
	assert_string_equal(error, "/: Is a directory");
	assert_false(wad_map_load("/dev/null", "E1M1", &map, error, sizeof error));
	assert_string_equal(error, "/dev/null: not a WAD file");
}

static void
endless_file_is_refused(void **state)
{
	(void)state;
	struct wad_map map;
	char error[300];
	assert_false(wad_map_load("/dev/zero", "E1M1", &map, error, sizeof error));
	assert_string_equal(error, "/dev/zero: File too large");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(map_is_read),
		cmocka_unit_test(teleport_destinations_are_read),
		cmocka_unit_test(last_map_of_a_name_counts),
		cmocka_unit_test(missing_map_is_refused_with_those_there_are),
		cmocka_unit_test(bad_header_is_refused),
		cmocka_unit_test(bad_lumps_are_refused),
		cmocka_unit_test(lumps_of_the_next_map_are_not_taken),
		cmocka_unit_test(vertex_out_of_range_is_refused),
		cmocka_unit_test(other_formats_are_refused),
		cmocka_unit_test(every_cut_is_refused),
		cmocka_unit_test(random_changes_do_no_harm),
		cmocka_unit_test(unreadable_files_are_refused),
		long_case(endless_file_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
