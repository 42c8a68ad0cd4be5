/* The mover in scenes told by hand. */
#include "physics/mover.h"
#include "physics/mover_check.h"
#include "physics/space_scene.h"
#include "support/assert_double.h"
#include "support/effort.h"
#include "support/random.h"

struct room {
	struct circle_def circles[8];
	struct segment_def segments[128];
	struct world_def def;
};

static struct room *
room_empty(void)
{
	static struct room room;

	room.def = world_def_default();
	room.def.circles = room.circles;
	room.def.segments = room.segments;
	return &room;
}

static void
room_wall(struct room *room, double x1, double y1, double x2, double y2)
{
	struct segment_def *s = &room->segments[room->def.segment_count];

	*s = segment_def_default();
	s->id = (uint32_t)room->def.segment_count++;
	s->x1 = x1;
	s->y1 = y1;
	s->x2 = x2;
	s->y2 = y2;
}

static void
room_post(struct room *room, double x, double y, double radius)
{
	struct circle_def *c = &room->circles[room->def.circle_count];

	*c = circle_def_default();
	c->id = (uint32_t)room->def.circle_count++;
	c->x = x;
	c->y = y;
	c->radius = radius;
}

static void
go(const struct room *room, const struct mover *mover, struct mover_path *path)
{
	struct def_problem problem;
	struct space *space;
	struct space_filter filter = space_filter_default();
	assert_int_equal(space_create(&room->def, &problem, &space), STATUS_OK);
	assert_int_equal(space_move(space, mover, &filter, path), STATUS_OK);
	mover_check_legs(&room->def, mover, &filter, path);
	space_destroy(space);
}

static const struct mover ball = { .x = 0, .y = 1, .radius = 0.5, .move_x = 10, .legs_max = 32 };

static void
test_nothing_in_the_way(void **state)
{
	(void)state;
	struct mover_path path = { .leg_count = 0 };
	struct mover still = ball;

	go(room_empty(), &ball, &path);
	assert_int_equal(path.end, MOVER_DONE);
	assert_int_equal(path.leg_count, 1);
	assert_int_equal(path.contact_count, 0);
	assert_double_same_bits(path.x, 10.0);
	assert_double_same_bits(path.y, 1.0);
	assert_double_same_bits(path.remaining_x, 0.0);
	still.move_x = 0;
	go(room_empty(), &still, &path);
	assert_int_equal(path.end, MOVER_DONE);
	assert_int_equal(path.leg_count, 0);
	assert_double_same_bits(path.x, 0.0);
	mover_path_finish(&path);
}

/* A floor in a hundred pieces, along an axis and along (4, 3): pushed down onto it, it comes down, then slides in one leg. */
static void
test_a_floor_in_pieces(void **state)
{
	(void)state;
	const double directions[2][2] = { { 1, 0 }, { 0.8, 0.6 } };
	struct mover_path path = { .leg_count = 0 };

	for (int i = 0; i < 2; i++) {
		const double *u = directions[i];
		struct room *room = room_empty();
		struct mover mover = ball;

		for (int k = 0; k < 100; k++)
			room_wall(room, k * u[0], k * u[1], (k + 1) * u[0], (k + 1) * u[1]);
		/* 2 over the floor at 5 along it; by 80 along it and 10 down. */
		mover.x = 5 * u[0] - 2 * u[1];
		mover.y = 5 * u[1] + 2 * u[0];
		mover.move_x = 80 * u[0] + 10 * u[1];
		mover.move_y = 80 * u[1] - 10 * u[0];
		for (int again = 0; again < 2; again++) {
			go(room, &mover, &path);
			assert_int_equal(path.end, MOVER_DONE);
			assert_int_equal(path.leg_count, again == 0 ? 2 : 1);
			assert_int_equal(path.contact_count, 1);
			assert_double_near(path.x * u[0] + path.y * u[1], again == 0 ? 85 : 5, 1e-6);
			assert_double_in_range(path.y * u[0] - path.x * u[1], 0.5, 0.5 + path.skin * 1.01);
			/* And back, from where it is at its skin. */
			mover.x = path.x;
			mover.y = path.y;
			mover.move_x = -80 * u[0] + 10 * u[1];
			mover.move_y = -80 * u[1] - 10 * u[0];
		}
	}
	mover_path_finish(&path);
}

/* In a corner it stops, at its skin from both walls, and says that it was blocked and by what. */
static void
test_a_corner(void **state)
{
	(void)state;
	struct room *room = room_empty();
	struct mover_path path = { .leg_count = 0 };
	struct mover mover = ball;

	room_wall(room, -20, 0, 8, 0);
	room_wall(room, 8, 0, 8, 20);
	mover.move_y = -5;
	go(room, &mover, &path);
	assert_int_equal(path.end, MOVER_BLOCKED);
	assert_int_equal(path.leg_count, 2);
	assert_double_near(path.x, 7.5, 2e-6);
	assert_double_near(path.y, 0.5, 2e-6);
	assert_true(path.x < 7.5 && path.y > 0.5);
	assert_int_equal(path.contact_count, 2);
	assert_int_equal(path.contacts[0].leg, 1);
	assert_int_equal(path.contacts[0].id, 0);
	assert_double_same_bits(path.contacts[0].normal[1], 1.0);
	assert_int_equal(path.contacts[1].leg, 2);
	assert_int_equal(path.contacts[1].id, 1);
	assert_double_same_bits(path.contacts[1].normal[0], -1.0);
	/* It came down after a tenth of the push, and got 0.75 of it. */
	assert_double_near(path.legs[0].fraction, 0.1, 1e-6);
	assert_double_near(path.fraction, 0.75, 1e-6);
	assert_double_near(path.remaining_x, 2.5, 1e-5);
	assert_double_near(path.remaining_y, -1.25, 1e-5);
	mover_path_finish(&path);
}

/* Walls that come together at a tenth of a degree, and a post on a floor: it goes in as far as it fits. */
static void
test_wedges(void **state)
{
	(void)state;
	struct room *room = room_empty();
	struct mover_path path = { .leg_count = 0 };
	struct mover mover = ball;
	double slope = 0.00087266, length = sqrt(1 + slope * slope);

	room_wall(room, 0, 0, -1000, -1000 * slope);
	room_wall(room, 0, 0, -1000, 1000 * slope);
	mover.x = -900;
	mover.y = 0;
	mover.move_x = 2000;
	mover.move_y = 3;
	go(room, &mover, &path);
	assert_int_equal(path.end, MOVER_BLOCKED);
	assert_double_near(path.x, -0.5 * length / slope, 2e-3 / slope * 0.1);

	room = room_empty();
	room_wall(room, -50, 0, 50, 0);
	room_post(room, 10, 1, 1);
	mover = ball;
	mover.y = 0.6;
	mover.move_x = 40;
	mover.move_y = -1;
	go(room, &mover, &path);
	/* On the floor the centres are 0.5 apart in height and 1.5 from each other; the post is too steep to go over. */
	assert_int_equal(path.end, MOVER_BLOCKED);
	assert_double_near(path.x, 10 - sqrt(1.5 * 1.5 - 0.5 * 0.5), 1e-5);
	assert_double_near(path.y, 0.5, 1e-5);
	mover_path_finish(&path);
}

/* Pushed against a post off its middle, it leaves along the tangent. */
static void
test_a_post_is_left_along_its_tangent(void **state)
{
	(void)state;
	struct room *room = room_empty();
	struct mover_path path = { .leg_count = 0 };
	struct mover mover = ball;

	room_post(room, 5, 0, 0.75);
	mover.y = 0.75; /* it meets at the angle of 3 : 5, so 4 along */
	go(room, &mover, &path);
	assert_int_equal(path.end, MOVER_DONE);
	assert_int_equal(path.leg_count, 2);
	assert_double_near(path.legs[0].x, 4, 1e-5);
	/* 6 are left, of which the tangent (0.6, 0.8) gets 0.6. */
	assert_double_near(path.x, 4 + 6 * 0.6 * 0.6, 1e-5);
	assert_double_near(path.y, 0.75 + 6 * 0.6 * 0.8, 1e-5);
	assert_int_equal(path.contact_count, 1);
	assert_double_near(path.contacts[0].normal[0], -0.8, 1e-5);
	/* Straight at the middle there is no tangent to take. */
	mover.y = 0;
	go(room, &mover, &path);
	assert_int_equal(path.end, MOVER_BLOCKED);
	assert_double_near(path.x, 3.75, 1e-5);
	mover_path_finish(&path);
}

/* What it starts in it leaves before anything else, in no time; where there is no room it tells how deep it is. */
static void
test_it_backs_out_of_what_it_starts_in(void **state)
{
	(void)state;
	struct room *room = room_empty();
	struct mover_path path = { .leg_count = 0 };
	struct mover mover = ball;

	room_wall(room, -20, 0, 20, 0);
	mover.y = 0.25;
	go(room, &mover, &path);
	assert_int_equal(path.end, MOVER_DONE);
	assert_int_equal(path.leg_count, 2);
	assert_double_same_bits(path.legs[0].x, 0.0);
	assert_double_same_bits(path.legs[0].fraction, 0.0);
	assert_double_near(path.legs[0].y, 0.5, 1e-5);
	assert_double_near(path.x, 10, 1e-12);
	assert_double_same_bits(path.depth, 0.0);
	/* Concentric with a post: out to one side. */
	room = room_empty();
	room_post(room, 0, 1, 2);
	go(room, &ball, &path);
	assert_int_equal(path.end, MOVER_DONE);
	assert_double_same_bits(path.depth, 0.0);
	assert_double_near(path.legs[0].x, 2.5, 1e-5);
	/* A corridor narrower than it is: it may go along it, no deeper into either wall. */
	room = room_empty();
	room_wall(room, -20, 0.75, 20, 0.75);
	room_wall(room, -20, 1.25, 20, 1.25);
	go(room, &ball, &path);
	assert_int_equal(path.end, MOVER_DONE);
	assert_double_same_bits(path.x, 10.0);
	assert_double_near(path.depth, 0.25, 1e-12);
	/* One that fits exactly, without room for a skin. */
	room = room_empty();
	room_wall(room, -20, 0.5, 20, 0.5);
	room_wall(room, -20, 1.5, 20, 1.5);
	go(room, &ball, &path);
	assert_int_equal(path.end, MOVER_DONE);
	assert_double_same_bits(path.x, 10.0);
	assert_double_same_bits(path.y, 1.0);
	assert_double_same_bits(path.depth, 0.0);
	mover_path_finish(&path);
}

/* A row of posts to slide over takes legs; when they run out it says so, and another call goes on. */
static void
test_legs_run_out(void **state)
{
	(void)state;
	struct room *room = room_empty();
	struct mover_path path = { .leg_count = 0 };
	struct mover mover = ball;
	unsigned calls = 0;

	for (int i = 0; i < 40; i++) /* a bowl: forty walls that bend upwards */
		room_wall(room, i * 0.5, i * i * 0.01, (i + 1) * 0.5, (i + 1) * (i + 1) * 0.01);
	mover.x = 1;
	mover.move_x = 19;
	mover.move_y = -1;
	mover.legs_max = 5;
	for (;; calls++) {
		go(room, &mover, &path);
		if (path.end != MOVER_LEGS)
			break;
		assert_int_equal(path.leg_count, 5);
		assert_true(path.fraction < 1 && path.remaining_x > 0);
		mover.x = path.x;
		mover.y = path.y;
		mover.move_x = path.remaining_x;
		mover.move_y = path.remaining_y;
		assert_true(calls < 20);
	}
	assert_true(calls >= 4);
	assert_int_equal(path.end, MOVER_DONE);
	assert_true(path.x > 10 && path.y > 3);
	mover_path_finish(&path);
}

/* From places that are too near to some of five posts and two walls: it backs off leg by leg, and never more legs than asked.
 */
static void
test_backing_off_counts_as_legs(void **state)
{
	(void)state;
	uint64_t random = 3;
	unsigned twice = 0;

	for (int k = 0; k < 400; k++) {
		struct room *room = room_empty();
		struct mover_path path = { .leg_count = 0 };
		struct mover mover = ball;
		struct def_problem problem;
		struct space *space;
		const struct space_filter filter = space_filter_default();

		room->def.circle_count = room->def.segment_count = 0;
		for (int i = 0; i < 5; i++)
			room_post(room, random_between(&random, -1, 1), random_between(&random, 0, 2), random_between(&random, 0.1, 0.4));
		room_wall(room, -5, random_between(&random, 0, 1), 5, random_between(&random, -1, 0.5));
		room_wall(room, -5, random_between(&random, 1.2, 2), 5, random_between(&random, 1.2, 2));
		assert_int_equal(space_create(&room->def, &problem, &space), STATUS_OK);
		for (uint32_t most = 1; most <= 3; most++) {
			mover.legs_max = most;
			assert_int_equal(space_move(space, &mover, &filter, &path), STATUS_OK);
			assert_in_range(path.leg_count, 0, most);
			twice += path.leg_count >= 2 && path.legs[1].fraction == 0;
		}
		space_destroy(space);
		mover_path_finish(&path);
	}
	assert_true(twice > 10);
}

/* However fast, from within a box. */
static void
test_a_closed_box_is_not_left(void **state)
{
	(void)state;
	struct room *room = room_empty();
	struct mover_path path = { .leg_count = 0 };
	uint64_t random = 3;

	room_wall(room, -3, -2, 4, -3);
	room_wall(room, 4, -3, 5, 4);
	room_wall(room, 5, 4, -4, 5);
	room_wall(room, -4, 5, -3, -2);
	for (int i = 0; i < (int)effort(200, 2000); i++) {
		struct mover mover = ball;
		double speed = ldexp(1.0, (int)random_below(&random, 40));

		mover.x = random_between(&random, -2, 3);
		mover.y = random_between(&random, -1, 3);
		mover.move_x = speed * random_between(&random, -1, 1);
		mover.move_y = speed * random_between(&random, -1, 1);
		go(room, &mover, &path);
		assert_true(fabs(path.x) < 5 && path.y > -3 && path.y < 5);
		assert_int_not_equal(path.end, MOVER_LEGS);
	}
	mover_path_finish(&path);
}

/* The order in which shapes are given changes no bit. */
static void
test_order_changes_nothing(void **state)
{
	(void)state;
	static struct space_scene scene, other;
	uint64_t random = 23;
	struct mover_path path = { .leg_count = 0 }, path_2 = { .leg_count = 0 };
	struct space_filter filter = space_filter_default();

	for (int round = 0; round < (int)effort(30, 200); round++) {
		space_scene_make(&scene, (enum space_scene_kind)(round % SPACE_SCENE_KINDS), &random);
		other = scene;
		other.def.circles = other.circles;
		other.def.segments = other.segments;
		for (size_t i = 0; i < scene.def.circle_count; i++)
			other.circles[i] = scene.circles[scene.def.circle_count - 1 - i];
		for (size_t i = 0; i < scene.def.segment_count; i++)
			other.segments[i] = scene.segments[scene.def.segment_count - 1 - i];

		struct space *space = space_scene_space(&scene), *space_2 = space_scene_space(&other);

		for (int i = 0; i < 20; i++) {
			double place[2], way[2];

			space_scene_place(&scene, &random, place);
			space_scene_way(&scene, &random, way);

			const struct mover mover = { place[0], place[1], 0.25, way[0], way[1], 0, 64 };

			assert_int_equal(space_move(space, &mover, &filter, &path), STATUS_OK);
			assert_int_equal(space_move(space_2, &mover, &filter, &path_2), STATUS_OK);
			assert_int_equal(path.leg_count, path_2.leg_count);
			assert_int_equal(path.contact_count, path_2.contact_count);
			assert_double_same_bits(path.x, path_2.x);
			assert_double_same_bits(path.y, path_2.y);
		}
		space_destroy(space);
		space_destroy(space_2);
	}
	mover_path_finish(&path);
	mover_path_finish(&path_2);
}

static void
test_wrong_numbers_are_refused(void **state)
{
	(void)state;
	struct def_problem problem;
	struct space *space;
	struct mover_path path = { .leg_count = 0 };
	const struct space_filter filter = space_filter_default();
	struct mover wrong[9];

	for (int i = 0; i < 9; i++)
		wrong[i] = ball;
	wrong[0].x = (double)NAN;
	wrong[1].y = 2e12;
	wrong[2].radius = 0;
	wrong[3].radius = 2e9;
	wrong[4].move_x = (double)INFINITY;
	wrong[5].move_y = 2e13;
	wrong[6].skin = -1;
	wrong[7].legs_max = 0;
	wrong[8].legs_max = MOVER_LEGS_MAX + 1;
	assert_int_equal(space_create(&room_empty()->def, &problem, &space), STATUS_OK);
	for (int i = 0; i < 9; i++)
		assert_int_equal(space_move(space, &wrong[i], &filter, &path), STATUS_INVALID_ARGUMENT);
	space_destroy(space);
	mover_path_finish(&path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_in_the_way),
		cmocka_unit_test(test_backing_off_counts_as_legs),
		cmocka_unit_test(test_a_floor_in_pieces),
		cmocka_unit_test(test_a_corner),
		cmocka_unit_test(test_wedges),
		cmocka_unit_test(test_a_post_is_left_along_its_tangent),
		cmocka_unit_test(test_it_backs_out_of_what_it_starts_in),
		cmocka_unit_test(test_legs_run_out),
		cmocka_unit_test(test_a_closed_box_is_not_left),
		cmocka_unit_test(test_order_changes_nothing),
		cmocka_unit_test(test_wrong_numbers_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
