/* What each right allows, row by row of a table; and when a circle is a seat's own no more. */
#include "worlds/one_command.h"

#define SEAT 1
#define OTHER_SEAT 2
#define OWN_CIRCLE 1000 /* spawned by the seat, the first of its ids */
#define GIVEN_CIRCLE 10 /* of the scene, given to it */
#define FREE_CIRCLE 11  /* of the scene, no one's */
#define OTHERS_CIRCLE 12
#define GONE_CIRCLE 13 /* given to the seat, and then to another */

/* By a seat with ids 1000 .. 1009. `field`: why a seat with RIGHT_OWN may not; NULL: it may. */
static const struct rights_row {
	const char *name;
	void (*make)(void);
	uint32_t id;
	const char *own_field;
} rights[] = {
	{ "spawn its id", one_spawn, 1009, NULL },
	{ "spawn below", one_spawn, 999, "commands.spawn.id[0]" },
	{ "spawn above", one_spawn, 1010, "commands.spawn.id[0]" },
	{ "velocities own", one_velocities, OWN_CIRCLE, NULL },
	{ "velocities given", one_velocities, GIVEN_CIRCLE, NULL },
	{ "velocities free", one_velocities, FREE_CIRCLE, "commands.velocities.id[0]" },
	{ "velocities other", one_velocities, OTHERS_CIRCLE, "commands.velocities.id[0]" },
	{ "velocities gone", one_velocities, GONE_CIRCLE, "commands.velocities.id[0]" },
	{ "add own", one_add_velocities, OWN_CIRCLE, NULL },
	{ "add other", one_add_velocities, OTHERS_CIRCLE, "commands.add_velocities.id[0]" },
	{ "places own", one_places, OWN_CIRCLE, NULL },
	{ "places other", one_places, OTHERS_CIRCLE, "commands.places.id[0]" },
	{ "pushes own", one_pushes, GIVEN_CIRCLE, NULL },
	{ "pushes free", one_pushes, FREE_CIRCLE, "commands.pushes.id[0]" },
	{ "changes own", one_changes, OWN_CIRCLE, NULL },
	{ "changes other", one_changes, OTHERS_CIRCLE, "commands.changes.id[0]" },
	{ "give other", one_give, OTHERS_CIRCLE, "commands.give.id[0]" },
	{ "give own", one_give, GIVEN_CIRCLE, NULL },
	{ "remove other", one_removal, OTHERS_CIRCLE, "commands.remove[0]" },
	{ "remove free", one_removal, FREE_CIRCLE, "commands.remove[0]" },
	{ "remove own", one_removal, OWN_CIRCLE, NULL },
	{ "disable", one_disable_segments, 0, "commands.disable_segments[0]" },
	{ "enable", one_enable_segments, 0, "commands.enable_segments[0]" },
	{ "spawn a wall", one_spawn_segments, 0, "commands.spawn_segments.id[0]" },
	{ "remove a wall", one_remove_segments, 0, "commands.remove_segments[0]" },
	{ "explode", one_explosions, 0, "commands.explosions[0]" },
	{ "gravity", one_gravity, 0, "commands.gravity" },
};

static struct post *
right_post(const struct stage *stage, uint32_t seat, enum seat_right right, uint64_t sequence)
{
	struct post *post = stage_batch(stage, seat, right, sequence, 0, &one.message);

	post->batch.id_first = 1000;
	post->batch.id_count = 10;
	return post;
}

/* A world with a circle of each kind of owner. */
static void
owners_open(struct stage *stage, uint64_t *sequence)
{
	static struct stage_scene scene;
	static const uint32_t given[][2] = {
		{ GIVEN_CIRCLE, SEAT }, { OTHERS_CIRCLE, OTHER_SEAT }, { GONE_CIRCLE, SEAT }, { GONE_CIRCLE, OTHER_SEAT }
	};

	stage_init(stage);
	scene_gas(&scene, 16);
	stage_open(stage, &scene);
	one_begin(OWN_CIRCLE);
	one_spawn();
	one.x[0] = 23;
	live_world_post(stage->world, right_post(stage, SEAT, SEAT_OWN, ++*sequence));
	for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
		one_begin(given[i][0]);
		one_give();
		one.seat[0] = given[i][1];
		live_world_post(stage->world, right_post(stage, 9, SEAT_ALL, i + 1));
	}
	stage_step(stage, 1);
	assert_int_equal(stage->effective[9], 4);
	assert_int_equal(stage->effective[SEAT], 1);
}

static void
test_rights(void **state)
{
	static const enum seat_right all[] = { SEAT_LOOK, SEAT_OWN, SEAT_ALL, SEAT_STEP };
	static struct stage stage;

	(void)state;
	for (size_t r = 0; r < sizeof all / sizeof all[0]; r++) {
		for (size_t i = 0; i < sizeof rights / sizeof rights[0]; i++) {
			const struct rights_row *row = &rights[i];
			bool may = all[r] != SEAT_LOOK && (all[r] != SEAT_OWN || !row->own_field);
			uint64_t sequence = 0;

			owners_open(&stage, &sequence);
			one_begin(row->id);
			row->make();
			live_world_post(stage.world, right_post(&stage, SEAT, all[r], ++sequence));
			stage_step(&stage, 1);

			const struct told *told = stage_told(&stage, SEAT, sequence);

			if ((told->code == 0) != may)
				fail_msg("%s by right %d: %s %s", row->name, (int)all[r], told->reason, told->field);
			if (!may) {
				assert_int_equal(told->code, COLLIDE__V1__CODE__CODE_PERMISSION_DENIED);
				assert_string_equal(told->reason, "RIGHT");
				assert_int_equal(told->tick, 0);
			}
			if (all[r] == SEAT_OWN && row->own_field)
				assert_string_equal(told->field, row->own_field);
			stage_finish(&stage);
		}
	}
}

/* Of a world with so many circles that it may have no more by the join secret. `removal`: one goes in the same batch. */
static const struct bounds_row {
	const char *name;
	enum seat_right right;
	int over; /* how many more than there may be, before */
	bool bounded, removal, may;
} bounds[] = {
	{ "one less", SEAT_OWN, -1, true, false, true },
	{ "as many", SEAT_OWN, 0, true, false, false },
	{ "as many, one goes", SEAT_OWN, 0, true, true, true },
	{ "more", SEAT_OWN, 1, true, false, false },
	{ "more, one goes", SEAT_OWN, 1, true, true, true },
	{ "the owner's own", SEAT_OWN, 0, false, false, true },
	{ "the owner's all", SEAT_ALL, 1, false, false, true },
	{ "the owner's step", SEAT_STEP, 1, false, false, true },
	{ "another right, bounded", SEAT_ALL, 0, true, false, false },
};

static void
test_circles_max(void **state)
{
	static struct stage stage;
	(void)state;
	for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
		const struct bounds_row *row = &bounds[i];
		uint64_t sequence = 0;
		owners_open(&stage, &sequence);
		size_t before = stage.stats.circles;
		one_begin(row->removal ? OWN_CIRCLE : 1009);
		if (row->removal)
			one_removal();
		one_spawn();
		struct post *post = right_post(&stage, SEAT, row->right, ++sequence);
		post->batch.circles_max = row->bounded ? (uint32_t)((int)before - row->over) : 0;
		live_world_post(stage.world, post);
		stage_step(&stage, 1);
		const struct told *told = stage_told(&stage, SEAT, sequence);
		if ((told->code == 0) != row->may)
			fail_msg("%s: %s %s", row->name, told->reason, told->field);
		if (!row->may) {
			assert_int_equal(told->code, COLLIDE__V1__CODE__CODE_RESOURCE_EXHAUSTED);
			assert_string_equal(told->reason, "LIMIT");
			assert_string_equal(told->field, "commands.spawn");
		}
		assert_int_equal(stage.stats.circles, before + (row->may && !row->removal));
		stage_finish(&stage);
	}
}

/* A circle that has ended, or was spawned anew by another, is no seat's own any more; nor is one of a seat that has ended. */
static void
test_owners_end(void **state)
{
	static struct stage stage;
	uint64_t sequence = 0;

	(void)state;
	owners_open(&stage, &sequence);
	/* Removed by another seat and spawned by it: now that one's. */
	one_begin(GIVEN_CIRCLE);
	one_removal();
	one_spawn();
	live_world_post(stage.world, right_post(&stage, 9, SEAT_ALL, 5));
	stage_step(&stage, 1);
	one_begin(GIVEN_CIRCLE);
	one_velocities();
	live_world_post(stage.world, right_post(&stage, SEAT, SEAT_OWN, ++sequence));
	stage_step(&stage, 1);
	assert_string_equal(stage_told(&stage, SEAT, sequence)->reason, "RIGHT");

	/* What waits of a seat that ends still takes effect; then its circles are free. */
	one_begin(OWN_CIRCLE);
	one_velocities();
	struct post *post = right_post(&stage, SEAT, SEAT_OWN, ++sequence);
	post->batch.tick = stage.stats.tick + 3;
	live_world_post(stage.world, post);
	post = post_create(POST_SEAT_ENDED, 0);
	post->seat_ended = SEAT;
	live_world_post(stage.world, post);
	stage_step(&stage, 3);
	assert_int_equal(stage_told(&stage, SEAT, sequence)->code, 0);
	/* Even for a seat of the same number. */
	one_begin(OWN_CIRCLE);
	one_velocities();
	live_world_post(stage.world, right_post(&stage, SEAT, SEAT_OWN, ++sequence));
	stage_step(&stage, 1);
	assert_string_equal(stage_told(&stage, SEAT, sequence)->reason, "RIGHT");
	stage_finish(&stage);

	/* The lifetime of a circle is over. */
	sequence = 0;
	owners_open(&stage, &sequence);
	one_begin(1001);
	one_spawn();
	one.ticks[0] = 2;
	one.circles.n_lifetime_ticks = 1, one.circles.lifetime_ticks = one.ticks;
	live_world_post(stage.world, right_post(&stage, SEAT, SEAT_OWN, ++sequence));
	stage_step(&stage, 3);
	one_begin(1001);
	one_spawn();
	live_world_post(stage.world, right_post(&stage, 9, SEAT_ALL, 5));
	stage_step(&stage, 1);
	assert_int_equal(stage_told(&stage, 9, 5)->code, 0);
	one_begin(1001);
	one_velocities();
	live_world_post(stage.world, right_post(&stage, SEAT, SEAT_OWN, ++sequence));
	stage_step(&stage, 1);
	assert_string_equal(stage_told(&stage, SEAT, sequence)->reason, "RIGHT");
	stage_finish(&stage);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rights), cmocka_unit_test(test_circles_max),
		                                cmocka_unit_test(test_owners_end) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
