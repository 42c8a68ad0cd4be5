/* The importer: which lines become walls, where circles may be, and that a map that is not closed is refused. Small maps made
 * here, and every map of the first episode of Freedoom where Debian's package is installed. */
#include "client/cli/commands/commands.h"
#include "client/cli/maps/import.h"
#include "client/cli/maps/map_region.h"
#include "client/cli/scene/scene_json.h"
#include "client/content/wad_maker.h"

#include "support/assert_double.h"
#include "support/effort.h"
#include "support/freedoom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct wad_maker maker;

static struct import_options
options_make(uint64_t circles, double radius)
{
	return (struct import_options){ .circles = circles,
		                            .seed = 1,
		                            .radii = { radius },
		                            .radius_count = 1,
		                            .speed = 600,
		                            .radii_per_tick_least = (double)NAN,
		                            .radii_per_tick_most = (double)NAN,
		                            .dt = 1.0 / 60,
		                            .gap = 0.01,
		                            .restitution = 1 };
}

/* The scene of the map made so far; false with a text. */
static bool
scene_make(const struct import_options *options, struct scene_build *build, char error[300])
{
	struct wad_map map;
	double area = 0;
	wad_maker_map(&maker, "E1M1");
	wad_maker_end(&maker);
	assert_true(wad_map_parse("test.wad", maker.bytes, maker.count, "E1M1", &map, error, 300));
	scene_build_init(build);
	bool good = import_scene(options, &map, build, &area, error, 300);
	wad_map_finish(&map);
	assert_true(!good || area > 0);
	return good;
}

static void
assert_refused(struct import_options options, const char *expected)
{
	struct scene_build build;
	char error[300] = "";
	bool good = scene_make(&options, &build, error);
	scene_build_finish(&build);
	assert_false(good);
	assert_string_equal(error, expected);
}

/* The distance between a point and a wall by trying its foot and its ends. */
static double
distance_to(const struct build_segment *s, double x, double y)
{
	double dx = s->x2 - s->x1, dy = s->y2 - s->y1, length = hypot(dx, dy);
	double along = ((x - s->x1) * dx + (y - s->y1) * dy) / length;
	double ends = fmin(hypot(x - s->x1, y - s->y1), hypot(x - s->x2, y - s->y2));
	return along > 0 && along < length ? fabs((x - s->x1) * dy - (y - s->y1) * dx) / length : ends;
}

/* No circle within its gap of any other or of any wall. */
static void
assert_clear(const struct scene_build *build, double gap)
{
	for (size_t i = 0; i < build->circle_count; i++) {
		const struct build_circle *a = &build->circles[i];
		for (size_t j = 0; j < i; j++) {
			const struct build_circle *b = &build->circles[j];
			double apart = hypot(a->x - b->x, a->y - b->y) - a->radius - b->radius;
			assert_true(apart >= gap * fmin(a->radius, b->radius) * (1 - 1e-9));
		}
		for (size_t j = 0; j < build->segment_count; j++)
			assert_true(distance_to(&build->segments[j], a->x, a->y) >= a->radius * (1 + gap) * (1 - 1e-9));
	}
}

static void
solid_lines_become_walls_once(void **state)
{
	(void)state;
	struct import_options options = options_make(10, 8);
	struct scene_build build;
	char error[300] = "";
	wad_maker_init(&maker);
	wad_maker_box(&maker, -200, -200, 200, 200);
	wad_maker_line(&maker, -200, 0, 200, 0, 4, 0);            /* two-sided, open: a door */
	wad_maker_line(&maker, 50, -200, 50, -100, 5, 0);         /* two-sided, impassable */
	wad_maker_line(&maker, 50, -100, 50, -200, 5, 0);         /* the same the other way round */
	wad_maker_line(&maker, 50, -200, 50, -100, 1, 0);         /* and again */
	wad_maker_line(&maker, 60, 60, 60, 60, 1, WAD_ONE_SIDED); /* no length */
	wad_maker_thing(&maker, 0, 0, 1);
	assert_true(scene_make(&options, &build, error));
	assert_int_equal(build.segment_count, 5);
	assert_double_same_bits(build.segments[4].x1, 50);
	assert_double_same_bits(build.segments[4].y1, -200);
	assert_int_equal(build.circle_count, 10);
	assert_clear(&build, 0.01);
	for (size_t i = 0; i < build.circle_count; i++)
		assert_double_near(hypot(build.circles[i].vx, build.circles[i].vy), 600, 2e-9);
	scene_build_finish(&build);
}

/* Faces of doors that open by hand become sensors, behind the walls; other actions, walls and lines of no length do not. */
static void
doors_become_sensors(void **state)
{
	(void)state;
	struct import_options options = options_make(10, 8);
	struct scene_build build;
	char error[300] = "";
	options.doors = true;
	options.friction = 0.25;
	options.gravity_x = 3;
	options.gravity_y = -4;
	wad_maker_init(&maker);
	wad_maker_box(&maker, -200, -200, 200, 200);
	wad_maker_line(&maker, -200, 0, 200, 0, 4, 0);
	wad_maker_action(&maker, 1); /* a door */
	wad_maker_line(&maker, 200, 16, -200, 16, 4, 0);
	wad_maker_action(&maker, 33); /* one that wants a key */
	wad_maker_line(&maker, -200, 50, 200, 50, 4, 0);
	wad_maker_action(&maker, 97); /* a teleporter */
	wad_maker_line(&maker, 50, -200, 50, -100, 5, 0);
	wad_maker_action(&maker, 1); /* impassable: a wall */
	wad_maker_line(&maker, 60, 60, 60, 60, 4, 0);
	wad_maker_action(&maker, 1); /* no length */
	wad_maker_thing(&maker, 0, -50, 1);
	assert_true(scene_make(&options, &build, error));
	assert_int_equal(build.segment_count, 7);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(build.segments[i].sensor, i >= 5);
	assert_double_same_bits(build.segments[5].y1, 0);
	assert_double_same_bits(build.segments[6].x1, 200);
	assert_double_same_bits(build.segments[0].friction, 0.25);
	assert_double_same_bits(build.circles[0].friction, 0.25);
	Collide__V1__Scene *scene = scene_build_message(&build);
	assert_non_null(scene);
	assert_double_same_bits(scene->gravity_x, 3);
	assert_double_same_bits(scene->gravity_y, -4);
	assert_false(scene->segments[4]->sensor);
	assert_true(scene->segments[5]->sensor);
	scene_json_free(scene);
	scene_build_finish(&build);
}

/* Two rooms, the second behind a wall; a third inside the first, closed. Only the first is reached, all of it. */
static void
circles_stay_where_the_player_can_go(void **state)
{
	(void)state;
	struct import_options options = options_make(300, 4);
	struct scene_build build;
	char error[300] = "";
	wad_maker_init(&maker);
	wad_maker_box(&maker, 0, 0, 400, 400);
	wad_maker_box(&maker, 400, 0, 800, 400);
	wad_maker_box(&maker, 150, 150, 250, 250);
	wad_maker_thing(&maker, 50, 50, 1);
	assert_true(scene_make(&options, &build, error));
	/* The rooms share a wall. */
	assert_int_equal(build.segment_count, 11);
	int quarters[4] = { 0 };
	for (size_t i = 0; i < build.circle_count; i++) {
		const struct build_circle *circle = &build.circles[i];
		assert_true(circle->x > 4 && circle->x < 396 && circle->y > 4 && circle->y < 396);
		assert_false(circle->x > 146 && circle->x < 254 && circle->y > 146 && circle->y < 254);
		quarters[(circle->x > 200) + 2 * (circle->y > 200)]++;
	}
	for (int i = 0; i < 4; i++)
		assert_in_range(quarters[i], 40, 110);
	scene_build_finish(&build);
}

/* A doorway of 40: a circle of radius 15 gets to the other room, one of radius 24 does not. */
static void
doorway_lets_small_circles_through(void **state)
{
	(void)state;
	for (int large = 0; large < 2; large++) {
		struct import_options options = options_make(60, large ? 24 : 15);
		struct scene_build build;
		char error[300] = "";
		wad_maker_init(&maker);
		wad_maker_box(&maker, 0, 0, 1600, 800);
		wad_maker_line(&maker, 800, 0, 800, 380, 1, WAD_ONE_SIDED);
		wad_maker_line(&maker, 800, 420, 800, 800, 1, WAD_ONE_SIDED);
		wad_maker_thing(&maker, 100, 100, 1);
		assert_true(scene_make(&options, &build, error));
		bool beyond = false;
		for (size_t i = 0; i < build.circle_count; i++)
			beyond = beyond || build.circles[i].x > 800;
		assert_int_equal(beyond, !large);
		scene_build_finish(&build);
	}
}

static void
radii_are_mixed_with_masses(void **state)
{
	(void)state;
	struct import_options options = options_make(200, 4);
	options.radii[1] = 8;
	options.radii[2] = 16;
	options.radius_count = 3;
	options.radii_per_tick_least = options.radii_per_tick_most = 10;
	struct scene_build build;
	char error[300] = "";
	wad_maker_init(&maker);
	wad_maker_box(&maker, 0, 0, 2000, 1000);
	wad_maker_thing(&maker, 100, 100, 1);
	assert_true(scene_make(&options, &build, error));
	assert_clear(&build, 0.01);
	int seen[3] = { 0 };
	for (size_t i = 0; i < build.circle_count; i++) {
		const struct build_circle *circle = &build.circles[i];
		seen[circle->radius == 4 ? 0 : circle->radius == 8 ? 1 : 2]++;
		assert_double_same_bits(circle->mass, circle->radius * circle->radius / 16);
		assert_double_near(hypot(circle->vx, circle->vy), 600 * circle->radius, 1e-6);
	}
	assert_true(seen[0] > 40 && seen[1] > 40 && seen[2] > 40);
	scene_build_finish(&build);
}

/* Three rooms; the player can teleport from the first to the third, where there is room for small circles only. */
static void
teleporters_lead_to_other_rooms(void **state)
{
	(void)state;
	for (int large = 0; large < 2; large++) {
		struct import_options options = options_make(60, large ? 24 : 8);
		struct scene_build build;
		char error[300] = "";
		wad_maker_init(&maker);
		wad_maker_box(&maker, 0, 0, 1000, 500);
		wad_maker_box(&maker, 1000, 0, 1500, 500);
		wad_maker_box(&maker, 1500, 0, 6000, 40);
		wad_maker_thing(&maker, 100, 100, 1);
		wad_maker_thing(&maker, 1600, 20, 14);
		wad_maker_thing(&maker, 700, 20, 14); /* in the first room, to which nothing is added */
		assert_true(scene_make(&options, &build, error));
		int rooms[3] = { 0 };
		for (size_t i = 0; i < build.circle_count; i++)
			rooms[(build.circles[i].x > 1000) + (build.circles[i].x > 1500)]++;
		assert_true(rooms[0] > 30 && rooms[1] == 0 && (large ? rooms[2] == 0 : rooms[2] > 2));
		scene_build_finish(&build);
	}
	/* One that leads outside. */
	wad_maker_init(&maker);
	wad_maker_box(&maker, 0, 0, 1000, 500);
	wad_maker_thing(&maker, 100, 100, 1);
	wad_maker_thing(&maker, 100, -16, 14);
	assert_refused(options_make(5, 8), "the map is not closed: a circle of radius 8 gets outside of it");
}

static void
speeds_are_spread_over_a_range(void **state)
{
	(void)state;
	struct import_options options = options_make(200, 4);
	options.radii_per_tick_least = 5;
	options.radii_per_tick_most = 20;
	struct scene_build build;
	char error[300] = "";
	wad_maker_init(&maker);
	wad_maker_box(&maker, 0, 0, 2000, 1000);
	wad_maker_thing(&maker, 100, 100, 1);
	assert_true(scene_make(&options, &build, error));
	int thirds[3] = { 0 };
	for (size_t i = 0; i < build.circle_count; i++) {
		double radii = hypot(build.circles[i].vx, build.circles[i].vy) / (4 * 60);
		assert_double_in_range(radii, 5 - 1e-9, 20 + 1e-9);
		thirds[radii < 10 ? 0 : radii < 15 ? 1 : 2]++;
	}
	assert_true(thirds[0] > 40 && thirds[1] > 40 && thirds[2] > 40);
	scene_build_finish(&build);
}

static void
open_map_is_refused(void **state)
{
	(void)state;
	wad_maker_init(&maker);
	wad_maker_line(&maker, 0, 0, 0, 400, 1, WAD_ONE_SIDED);
	wad_maker_line(&maker, 0, 400, 400, 400, 1, WAD_ONE_SIDED);
	wad_maker_line(&maker, 400, 400, 400, 0, 1, WAD_ONE_SIDED);
	wad_maker_line(&maker, 400, 0, 220, 0, 1, WAD_ONE_SIDED);
	wad_maker_line(&maker, 180, 0, 0, 0, 1, WAD_ONE_SIDED);
	wad_maker_thing(&maker, 200, 200, 1);
	struct wad_maker holed = maker;
	assert_refused(options_make(5, 8), "the map is not closed: a circle of radius 8 gets outside of it");
	/* The hole of 40 holds back a circle of radius 24. */
	maker = holed;
	struct import_options options = options_make(5, 24);
	struct scene_build build;
	char error[300] = "";
	assert_true(scene_make(&options, &build, error));
	scene_build_finish(&build);
	/* With the player outside, there is nothing around it. */
	maker = holed;
	maker.things[0][1] = -16;
	assert_refused(options_make(5, 8), "the map is not closed: a circle of radius 8 gets outside of it");
}

static void
impossible_maps_are_refused(void **state)
{
	(void)state;
	wad_maker_init(&maker);
	wad_maker_box(&maker, 0, 0, 400, 400);
	struct wad_maker room = maker;
	assert_refused(options_make(5, 8), "the map has no start for player 1");
	maker = room;
	wad_maker_thing(&maker, 200, 200, 1);
	assert_refused(options_make(5, 300), "there is no room for a circle of radius 300 at player 1's start");
	maker = room;
	wad_maker_thing(&maker, 200, 200, 1);
	struct import_options many = options_make(1000, 20);
	struct scene_build build;
	char error[300] = "";
	assert_false(scene_make(&many, &build, error));
	/* As many as random places hold: at most a lattice's 100 or so, at least half of that. */
	assert_in_range(build.circle_count, 50, 100);
	scene_build_finish(&build);
	assert_non_null(strstr(error, " of 1000 circles fit; try fewer, or a smaller radius"));
	maker = room;
	maker.vertices[0][0] = -32768;
	maker.vertices[1][1] = 32767;
	wad_maker_thing(&maker, 200, 200, 1);
	assert_refused(options_make(5, 1), "radius 1 is too small for a map of 33168 by 32767; at least 8.5");
	wad_maker_init(&maker);
	wad_maker_line(&maker, 0, 0, 100, 0, 4, 0);
	wad_maker_thing(&maker, 200, 200, 1);
	assert_refused(options_make(5, 8), "the map has no walls");
}

/* The player stands in a corner, nearer to both walls than the radius; a wall away there is another room. */
static void
start_near_a_wall_looks_on_its_own_side(void **state)
{
	(void)state;
	struct import_options options = options_make(20, 16);
	struct scene_build build;
	char error[300] = "";
	wad_maker_init(&maker);
	wad_maker_box(&maker, 0, 0, 300, 300);
	wad_maker_box(&maker, -300, 0, 0, 300);
	wad_maker_thing(&maker, 3, 3, 1);
	assert_true(scene_make(&options, &build, error));
	for (size_t i = 0; i < build.circle_count; i++)
		assert_true(build.circles[i].x > 16);
	scene_build_finish(&build);
}

static bool
ways_cross(const double a[2], const double b[2], const struct build_segment *wall)
{
	double dx = wall->x2 - wall->x1, dy = wall->y2 - wall->y1, ex = b[0] - a[0], ey = b[1] - a[1];
	double one = dx * (a[1] - wall->y1) - dy * (a[0] - wall->x1), two = dx * (b[1] - wall->y1) - dy * (b[0] - wall->x1);
	double three = ex * (wall->y1 - a[1]) - ey * (wall->x1 - a[0]), four = ex * (wall->y2 - a[1]) - ey * (wall->x2 - a[0]);
	return one * two < 0 && three * four < 0;
}

/* A random walk in steps that keep the circle clear of all walls is how a circle could ever move: it must stay in the region.
 */
static void
walks_stay_in_the_region(const struct scene_build *build, const struct map_region *region, double radius)
{
	struct random random;
	random_init(&random, 5);
	for (size_t i = 0; i < build->circle_count && i < 20; i++) {
		double at[2] = { build->circles[i].x, build->circles[i].y };
		for (int step = 0; step < 3000; step++) {
			double dx, dy;
			random_direction(&random, random_between(&random, 0, 1.9 * radius), &dx, &dy);
			double to[2] = { at[0] + dx, at[1] + dy };
			bool clear = scene_build_is_clear(build, to[0], to[1], radius);
			for (size_t j = 0; j < build->segment_count && clear; j++)
				clear = !ways_cross(at, to, &build->segments[j]);
			if (clear) {
				memcpy(at, to, sizeof at);
				assert_true(map_region_holds(region, at[0], at[1]));
			}
		}
	}
}

static void
freedoom_maps_are_imported(void **state)
{
	(void)state;
	if (access(freedoom_path(1), R_OK) != 0)
		skip();
	for (int number = 1; number <= (int)effort(1, 9); number++) {
		char name[8], error[300] = "";
		(void)snprintf(name, sizeof name, "E1M%d", number);
		struct import_options options = options_make(500, 8);
		struct scene_build build;
		struct wad_map map;
		double area = 0;
		assert_true(wad_map_load(freedoom_path(1), name, &map, error, sizeof error));
		scene_build_init(&build);
		if (!import_scene(&options, &map, &build, &area, error, sizeof error))
			fail_msg("%s: %s", name, error);
		assert_int_equal(build.circle_count, 500);
		assert_clear(&build, 0.01);
		struct map_region *region = map_region_create(build.segments, build.segment_count, map.start_x, map.start_y, 8, error,
		                                              sizeof error);
		assert_non_null(region);
		walks_stay_in_the_region(&build, region, 8);
		map_region_destroy(region);
		scene_build_finish(&build);
		wad_map_finish(&map);
	}
}

/* Words of a command line, and its status. */
static enum exit_status
import_run(const char *line)
{
	static char words[400];
	char *arguments[24] = { words };
	(void)snprintf(words, sizeof words, "import %s", line);
	int count = 0;
	char *rest = NULL;
	for (char *word = strtok_r(words, " ", &rest); word && count < 23; word = strtok_r(NULL, " ", &rest))
		arguments[count++] = word;
	return cmd_import(count, arguments);
}

static void
command_line_works(void **state)
{
	(void)state;
	char wad[] = "/tmp/test_import_wad_XXXXXX", line[300], error[300];
	int descriptor = mkstemp(wad);
	assert_true(descriptor >= 0);
	wad_maker_init(&maker);
	wad_maker_box(&maker, 0, 0, 1000, 1000);
	wad_maker_thing(&maker, 500, 500, 1);
	wad_maker_map(&maker, "MAP07");
	wad_maker_end(&maker);
	assert_int_equal(write(descriptor, maker.bytes, maker.count), maker.count);
	assert_int_equal(close(descriptor), 0);

	static const char *const wrong[] = { "",
		                                 "%s",
		                                 "--map MAP07",
		                                 "%s --map MAP07 --radius 0",
		                                 "%s --map MAP07 --radius ,",
		                                 "%s --map MAP07 --radius 1,2,3,4,5,6,7,8,9",
		                                 "%s --map MAP07 --circles x",
		                                 "%s --map MAP07 --speed 1 --radii-per-tick 1",
		                                 "%s --map MAP07 --radii-per-tick 1:",
		                                 "%s --map MAP07 --radii-per-tick :1",
		                                 "%s --map MAP07 --radii-per-tick 2:1",
		                                 "%s --map MAP07 extra",
		                                 "%s --map MAP07 --dt 0",
		                                 "%s --map MAP07 --nonsense" };
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		const char *place = strstr(wrong[i], "%s");
		(void)snprintf(line, sizeof line, "%s%s", place ? wad : "", place ? place + 2 : wrong[i]);
		assert_int_equal(import_run(line), 2);
	}
	(void)snprintf(line, sizeof line, "%s --map MAP08", wad);
	assert_int_equal(import_run(line), 1);
	(void)snprintf(line, sizeof line, "%s --map MAP07 --circles 7 --radii-per-tick 10:10 --dt 0.1 --restitution 0.5 -o %s.json",
	               wad, wad);
	assert_int_equal(import_run(line), 0);
	Collide__V1__Scene *scene;
	(void)snprintf(line, sizeof line, "%s.json", wad);
	assert_true(scene_json_load(line, &scene, error, sizeof error));
	assert_int_equal(scene->n_circles, 7);
	assert_int_equal(scene->n_segments, 4);
	assert_double_near(hypot(scene->circles[3]->vx, scene->circles[3]->vy), 800, 2e-9);
	assert_double_same_bits(scene->circles[3]->restitution, 0.5);
	assert_double_same_bits(scene->segments[3]->restitution, 0.5);
	scene_json_free(scene);
	(void)unlink(line);
	(void)unlink(wad);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(solid_lines_become_walls_once),        cmocka_unit_test(doors_become_sensors),
		cmocka_unit_test(circles_stay_where_the_player_can_go), cmocka_unit_test(doorway_lets_small_circles_through),
		cmocka_unit_test(radii_are_mixed_with_masses),          cmocka_unit_test(teleporters_lead_to_other_rooms),
		cmocka_unit_test(speeds_are_spread_over_a_range),       cmocka_unit_test(open_map_is_refused),
		cmocka_unit_test(impossible_maps_are_refused),          cmocka_unit_test(start_near_a_wall_looks_on_its_own_side),
		cmocka_unit_test(freedoom_maps_are_imported),           cmocka_unit_test(command_line_works),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
