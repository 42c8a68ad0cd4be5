/* The judge of the benchmark on made-up states of known overlap, escapes, misses and drift. */
#include "bench/judge.h"
#include "bench/region.h"

#include "support/assert_double.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double dt = 0.1;

enum { CIRCLES_MAX = 8 };

/* A scene of one world on the stack: the room from (0, 0) to (10, 10) in four walls. */
struct made {
	struct scene scene;
	struct scene_world world;
	struct scene_circle circles[CIRCLES_MAX];
	struct scene_segment walls[16];
	struct judge *judge;
	struct frame_state frame[CIRCLES_MAX];
};

static void
wall_add(struct made *made, double x1, double y1, double x2, double y2)
{
	made->walls[made->world.segment_count++] = (struct scene_segment){ x1, y1, x2, y2, 1, 0 };
}

static void
box_add(struct made *made, double x1, double y1, double x2, double y2)
{
	wall_add(made, x1, y1, x2, y1);
	wall_add(made, x2, y1, x2, y2);
	wall_add(made, x2, y2, x1, y2);
	wall_add(made, x1, y2, x1, y1);
}

static void
made_init(struct made *made, unsigned flags)
{
	memset(made, 0, sizeof *made);
	made->scene.head = (struct scene_head){ .dt = dt, .flags = flags, .bounds = { 0, 0, 10, 10 }, .worlds = 1 };
	made->world.circles = made->circles;
	made->world.segments = made->walls;
	box_add(made, 0, 0, 10, 10);
}

/* Radius 0.5, mass 1. */
static void
circle_add(struct made *made, double x, double y, double vx, double vy)
{
	const size_t i = made->world.circle_count++;
	made->circles[i] = (struct scene_circle){ x, y, vx, vy, 0.5, 1, 1, 0 };
	made->frame[i] = (struct frame_state){ x, y, vx, vy };
}

/* No circle is added any more; the first frame is the scene's own. */
static void
made_begin(struct made *made)
{
	made->scene.worlds = &made->world;
	made->judge = judge_create(&made->scene);
	assert_non_null(made->judge);
	assert_true(judge_frame(made->judge, made->frame));
}

static void
fly(struct frame_state *state)
{
	state->x += dt * state->vx;
	state->y += dt * state->vy;
}

static struct verdict
made_tick(struct made *made)
{
	assert_true(judge_frame(made->judge, made->frame));
	return judge_verdict(made->judge);
}

static void
test_nothing_wrong(void **state)
{
	(void)state;
	struct made made;
	made_init(&made, SCENE_CLOSED | SCENE_ELASTIC);
	circle_add(&made, 2, 2, 10, 0);
	circle_add(&made, 2, 4, 10, 0);
	made_begin(&made);
	fly(&made.frame[0]);
	fly(&made.frame[1]);
	const struct verdict verdict = made_tick(&made);
	assert_int_equal(verdict.frames, 1);
	assert_int_equal(verdict.circles, 2);
	assert_int_equal(verdict.escapes + verdict.overlaps + verdict.missed_pairs + verdict.missed_walls, 0);
	assert_true(verdict.overlap_max == 0 && verdict.overlap_mean == 0 && verdict.energy_drift == 0 && verdict.misses_judged);
	judge_destroy(made.judge);
}

static void
test_overlap_of_pairs_and_walls(void **state)
{
	(void)state;
	struct made made;
	made_init(&made, SCENE_CLOSED);
	circle_add(&made, 3, 3, 0, 0);
	circle_add(&made, 5, 3, 0, 0);
	circle_add(&made, 8, 8, 0, 0);
	made.circles[1].radius = 0.25;
	made_begin(&made);
	/* 0.05 deep: a fifth of the smaller radius; and 0.2 deep in a wall: 0.4 of its own. */
	made.frame[1].x = 3.7;
	made.frame[2].x = 9.7;
	struct verdict verdict = made_tick(&made);
	assert_int_equal(verdict.overlaps, 2);
	assert_double_near(verdict.overlap_max, 0.4, 1e-12);
	assert_double_near(verdict.overlap_mean, 0.3, 1e-12);
	/* The worst of all frames stays. */
	made.frame[2].x = 8;
	verdict = made_tick(&made);
	assert_int_equal(verdict.overlaps, 3);
	assert_double_near(verdict.overlap_max, 0.4, 1e-12);
	assert_double_near(verdict.overlap_mean, (0.2 + 0.4 + 0.2) / 3, 1e-12);
	judge_destroy(made.judge);
}

static void
test_escapes(void **state)
{
	(void)state;
	struct made made;
	made_init(&made, SCENE_CLOSED);
	circle_add(&made, 3, 3, 0, 0);
	circle_add(&made, 5, 3, 0, 0);
	circle_add(&made, 8, 8, 0, 0);
	made_begin(&made);
	made.frame[0].x = -0.001;
	made.frame[1].vy = (double)NAN;
	assert_int_equal(made_tick(&made).escapes, 2);
	/* It comes back, and counts once; what it does outside or in others is not looked at any more. */
	made.frame[0].x = 8;
	made.frame[0].y = 8;
	const struct verdict verdict = made_tick(&made);
	assert_int_equal(verdict.escapes, 2);
	assert_int_equal(verdict.overlaps, 0);
	judge_destroy(made.judge);
}

/* A second room beside the first, 4 wide: within the bounds, but no circle was in it. */
static void
test_escape_into_another_room(void **state)
{
	(void)state;
	struct made made;
	made_init(&made, SCENE_CLOSED | SCENE_REGIONS);
	made.scene.head.bounds[2] = 14;
	box_add(&made, 10, 0, 14, 10);
	circle_add(&made, 8, 5, 0, 0);
	circle_add(&made, 2, 5, 0, 0);
	made_begin(&made);
	/* In its room; in the wall, where it cannot be told; in the other room. */
	made.frame[0].x = 9.4;
	assert_int_equal(made_tick(&made).escapes, 0);
	made.frame[0].x = 10.2;
	assert_int_equal(made_tick(&made).escapes, 0);
	made.frame[0].x = 12;
	assert_int_equal(made_tick(&made).escapes, 1);
	assert_false(judge_verdict(made.judge).rooms_open);
	judge_destroy(made.judge);
}

static void
test_rooms_that_do_not_close(void **state)
{
	(void)state;
	struct made made;
	made_init(&made, SCENE_REGIONS);
	/* A hole in the right wall that a circle fits through. */
	made.walls[1] = (struct scene_segment){ 10, 0, 10, 4, 1, 0 };
	wall_add(&made, 10, 6, 10, 10);
	circle_add(&made, 5, 5, 0, 0);
	made_begin(&made);
	made.frame[0].x = 20;
	const struct verdict verdict = made_tick(&made);
	assert_true(verdict.rooms_open);
	assert_int_equal(verdict.escapes, 0);
	judge_destroy(made.judge);
	/* A hole that it does not fit through is none. */
	made.walls[1].y2 = 4.6;
	made.walls[4].y1 = 5.4;
	struct region *region = region_create(&made.world);
	assert_non_null(region);
	assert_false(region_is_open(region));
	assert_false(region_is_outside(region, 5, 5));
	assert_true(region_is_outside(region, 20, 5));
	region_destroy(region);
}

static void
test_energy_drift(void **state)
{
	(void)state;
	struct made made;
	made_init(&made, SCENE_CLOSED);
	made.scene.head.gravity[1] = -10;
	circle_add(&made, 5, 2, 3, 0);
	circle_add(&made, 2, 2, 0, 0);
	made.circles[1].mass = 2;
	made_begin(&made);
	/* 4.5 of movement and 20 + 40 of height; then 2 more of height, in the other one 8 less of both. */
	made.frame[1].y = 2.1;
	assert_double_near(made_tick(&made).energy_drift, 2 / 64.5, 1e-12);
	made.frame[0].vx = 1;
	made.frame[0].y = 1.4;
	struct verdict verdict = made_tick(&made);
	assert_double_near(verdict.energy_drift, -8 / 64.5, 1e-12);
	assert_false(verdict.misses_judged);
	judge_destroy(made.judge);
}

/* Two that fly through each other in one tick. `late`: the tick ends before they are nearest. */
static struct verdict
flight_through(double y, bool late, bool turned)
{
	struct made made;
	made_init(&made, SCENE_CLOSED);
	circle_add(&made, 3, 5, 30, 0);
	circle_add(&made, late ? 9.5 : 6, 5 + y, -30, 0);
	made_begin(&made);
	fly(&made.frame[0]);
	fly(&made.frame[1]);
	if (turned)
		made.frame[0].vx = -30;
	const struct verdict verdict = made_tick(&made);
	judge_destroy(made.judge);
	return verdict;
}

static void
test_missed_pairs(void **state)
{
	(void)state;
	assert_int_equal(flight_through(0, false, false).missed_pairs, 1);
	assert_int_equal(flight_through(0.9, false, false).missed_pairs, 1);
	/* Past each other, or nearly. */
	assert_int_equal(flight_through(0.97, false, false).missed_pairs, 0);
	assert_int_equal(flight_through(1.1, false, false).missed_pairs, 0);
	/* Still on their way, or one has changed its own. */
	assert_int_equal(flight_through(0, true, false).missed_pairs, 0);
	assert_int_equal(flight_through(0, false, true).missed_pairs, 0);
}

static void
test_missed_walls(void **state)
{
	(void)state;
	struct made made;
	made_init(&made, 0);
	wall_add(&made, 5, 4, 5, 6);
	circle_add(&made, 4, 5, 20, 0);   /* through the wall inside */
	circle_add(&made, 4, 6.5, 20, 0); /* past it */
	circle_add(&made, 9, 2, 20, 0);   /* through the room's wall */
	circle_add(&made, 4, 1, 20, 0);   /* it comes to its place, but by another way */
	made_begin(&made);
	for (int i = 0; i < 4; i++)
		fly(&made.frame[i]);
	made.frame[3].vx = 19;
	const struct verdict verdict = made_tick(&made);
	assert_int_equal(verdict.missed_walls, 2);
	assert_int_equal(verdict.missed_pairs, 0);
	judge_destroy(made.judge);
}

static void
test_pairs_head_on(void **state)
{
	(void)state;
	struct made made;
	made_init(&made, SCENE_PAIRS);
	for (int i = 0; i < 3; i++) {
		circle_add(&made, 3, 2 + 2 * i, 4, 1);
		circle_add(&made, 6, 2 + 2 * i, -2, 1);
		made.circles[2 * i + 1].mass = 3;
	}
	made_begin(&made);
	/* 1 and 3, approaching by 6: elastic impact gives -5 and 1. */
	made.frame[0].vx = -5;
	made.frame[1].vx = 1;
	/* Off by 0.6, a tenth of the approach. */
	made.frame[2].vx = -5.6;
	made.frame[3].vx = 1;
	/* Slower, but not turned: no hit. */
	made.frame[4].vx = 2;
	made.frame[5].vx = -1;
	const struct verdict verdict = made_tick(&made);
	assert_int_equal(verdict.pairs_hit, 2);
	assert_double_near(verdict.pair_error_max, 0.1, 1e-12);
	assert_double_near(verdict.pair_error_median, 0.1, 1e-12);
	judge_destroy(made.judge);
}

/* Each world has its own circles and walls: the same places are no overlap. */
static void
test_worlds_are_apart(void **state)
{
	(void)state;
	struct made made;
	made_init(&made, SCENE_CLOSED);
	circle_add(&made, 5, 5, 0, 0);
	circle_add(&made, 5.5, 5, 0, 0);
	struct scene_world worlds[2] = { made.world, made.world };
	worlds[0].circle_count = worlds[1].circle_count = 1;
	made.scene.head.worlds = 2;
	made.scene.worlds = worlds;
	struct judge *judge = judge_create(&made.scene);
	assert_non_null(judge);
	assert_true(judge_frame(judge, made.frame) && judge_frame(judge, made.frame));
	assert_int_equal(judge_verdict(judge).overlaps, 0);
	made.frame[1].x = 9.9;
	assert_true(judge_frame(judge, made.frame));
	assert_int_equal(judge_verdict(judge).overlaps, 1);
	judge_destroy(judge);
}

/* A hand sets the velocity of the first circle before each tick: it is with that one that it flies. */
static void
test_missed_by_what_is_steered(void **state)
{
	(void)state;
	struct scene_velocity rows[2] = { { 0, 0 }, { 40, 0 } };
	struct made made;
	made_init(&made, SCENE_CLOSED);
	wall_add(&made, 5, 2, 5, 8);
	circle_add(&made, 2, 5, 0, 0);
	circle_add(&made, 2, 8, 0, 0);
	made.scene.steering = (struct scene_steering){ 2, 1, rows };
	made_begin(&made);
	struct verdict verdict = made_tick(&made);
	assert_int_equal(verdict.missed_walls, 0);
	/* From 2 to 6 in a tenth of a second, through the wall at 5. */
	made.frame[0] = (struct frame_state){ 6, 5, 40, 0 };
	verdict = made_tick(&made);
	assert_int_equal(verdict.missed_walls, 1);
	/* Stopped by the hand, and moved all the same: it did not fly straight. */
	made.frame[0] = (struct frame_state){ 2, 5, 0, 0 };
	verdict = made_tick(&made);
	assert_int_equal(verdict.missed_walls, 1);
	judge_destroy(made.judge);
}

static void
test_energy_gained(void **state)
{
	(void)state;
	struct made made;
	made_init(&made, SCENE_CLOSED);
	made.scene.head.gravity[1] = -10;
	circle_add(&made, 2, 5, 0, 0);
	circle_add(&made, 7, 5, 0, 0);
	made.circles[1].mass = HUGE_VAL; /* static: it has no energy */
	made_begin(&made);
	/* 50 at first; 40 and 4.5; then 41 and 12.5. */
	made.frame[0] = (struct frame_state){ 2, 4, 3, 0 };
	struct verdict verdict = made_tick(&made);
	assert_true(verdict.energy_gain == 0);
	assert_double_near(verdict.energy_drift, -0.11, 1e-12);
	made.frame[0] = (struct frame_state){ 2, 4.1, 3, 4 };
	verdict = made_tick(&made);
	assert_double_near(verdict.energy_gain, 0.07, 1e-12);
	judge_destroy(made.judge);
}

static void
test_scene_file_and_back(void **state)
{
	(void)state;
	char path[] = "/tmp/bench_scene_XXXXXX";
	const int fd = mkstemp(path);
	assert_true(fd >= 0);
	(void)close(fd);
	struct made made;
	made_init(&made, SCENE_CLOSED);
	memcpy(made.scene.head.magic, SCENE_MAGIC, 8);
	made.scene.head.version = SCENE_VERSION;
	circle_add(&made, 5, 4, 3, 2);
	made.scene.worlds = &made.world;
	struct scene_velocity rows[3] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
	made.scene.steering = (struct scene_steering){ 3, 1, rows };
	struct scene back;
	const char *problem;
	assert_true(scene_write(path, &made.scene, &problem));
	assert_true(scene_read(path, &back, &problem));
	assert_memory_equal(&back.head, &made.scene.head, sizeof back.head);
	assert_int_equal(back.worlds[0].circle_count, 1);
	assert_int_equal(back.worlds[0].segment_count, 4);
	assert_memory_equal(back.worlds[0].circles, made.circles, sizeof *made.circles);
	assert_memory_equal(back.worlds[0].segments, made.walls, 4 * sizeof *made.walls);
	assert_memory_equal(scene_steered(&back, 0), &rows[0], sizeof rows[0]);
	assert_memory_equal(scene_steered(&back, 5), &rows[2], sizeof rows[2]);
	scene_finish(&back);
	assert_null(scene_steered(&back, 0));
	/* Cut short: in the velocities, and in the walls. More are steered than there are. Not a scene at all. */
	assert_int_equal(truncate(path, 80 + 16 + 64 + 4 * 48 + 16 + 3 * 16 - 1), 0);
	assert_false(scene_read(path, &back, &problem));
	assert_string_equal(problem, "ends too early");
	assert_int_equal(truncate(path, 80 + 16 + 64 + 4 * 48 - 1), 0);
	assert_false(scene_read(path, &back, &problem));
	assert_string_equal(problem, "ends too early");
	made.scene.steering = (struct scene_steering){ 1, 2, rows };
	assert_true(scene_write(path, &made.scene, &problem));
	assert_false(scene_read(path, &back, &problem));
	made.scene.head.magic[0] = 'X';
	assert_true(scene_write(path, &made.scene, &problem));
	assert_false(scene_read(path, &back, &problem));
	(void)unlink(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_wrong),
		cmocka_unit_test(test_overlap_of_pairs_and_walls),
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_escape_into_another_room),
		cmocka_unit_test(test_rooms_that_do_not_close),
		cmocka_unit_test(test_energy_drift),
		cmocka_unit_test(test_missed_pairs),
		cmocka_unit_test(test_missed_walls),
		cmocka_unit_test(test_pairs_head_on),
		cmocka_unit_test(test_worlds_are_apart),
		cmocka_unit_test(test_missed_by_what_is_steered),
		cmocka_unit_test(test_energy_gained),
		cmocka_unit_test(test_scene_file_and_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
