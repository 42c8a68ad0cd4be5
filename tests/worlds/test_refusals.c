/* What is told of a batch that cannot be: reason, code and field, row by row of a table; limits; batches that are late; forces.
 */
#include "worlds/one_command.h"

#include <string.h>

static void
missing(void)
{
	one_velocities();
	one.velocities.n_id = one.velocities.n_vx = 2, one.velocities.n_vy = 1;
	one.id[1] = 77777;
}

static void
not_a_number(void)
{
	missing();
	one.id[1] = 11;
	one.x[1] = __builtin_nan("");
}

static void
too_fast(void)
{
	missing();
	one.id[1] = 11;
	one.y[0] = 1e13;
}

static void
lengths(void)
{
	missing();
	one.id[1] = 11;
	one.velocities.n_vx = 0;
	one.velocities.n_angular_velocity = 2, one.velocities.angular_velocity = one.z;
	one.velocities.n_id = 1;
}

static void
twice(void)
{
	missing();
	one.id[1] = one.id[0];
}

static void
taken(void)
{
	one_spawn();
	one.id[0] = 11;
}

static void
no_radius(void)
{
	one_spawn();
	one.circles.n_radius = 0;
}

static void
negative_radius(void)
{
	one_spawn();
	one.z[0] = -1;
}

static void
no_id(void)
{
	one_spawn();
	one.circles.n_id = 0;
}

static void
odd_kind(void)
{
	one_spawn();
	one.kind[0] = (Collide__V1__BodyKind)9;
	one.circles.n_kind = 1, one.circles.kind = one.kind;
}

static void
change_of_place(void)
{
	one_changes();
	one.circles.n_x = 1, one.circles.x = one.x;
}

static void
change_radius(void)
{
	one_changes();
	one.z[0] = 0;
}

static void
change_to_dynamic(void)
{
	one_changes();
	one.circles.n_radius = 0;
	one.kind[0] = COLLIDE__V1__BODY_KIND__BODY_KIND_STATIC;
	one.circles.n_kind = 1, one.circles.kind = one.kind;
}

static void
no_wall(void)
{
	one_disable_segments();
	one.id[0] = 99;
}

static void
wall_taken(void)
{
	one_spawn_segments();
	one.id[0] = 2;
}

static void
wall_point(void)
{
	one_spawn_segments();
	one.y[0] = one.x[0];
}

static void
force_without_ticks(void)
{
	one_pushes();
	one.pushes.n_force_x = 1, one.pushes.force_x = one.x;
}

static void
force_for_long(void)
{
	force_without_ticks();
	one.ticks[0] = WORLDS_FORCE_TICKS_MAX + 1;
	one.pushes.n_ticks = 1, one.pushes.ticks = one.ticks;
}

static void
force_infinite(void)
{
	force_for_long();
	one.ticks[0] = 1;
	one.z[0] = 1e308 * 10;
	one.pushes.force_x = one.z;
}

static void
impulse_infinite(void)
{
	one_pushes();
	one.x[0] = __builtin_inf();
}

static void
explosion_radius(void)
{
	one_explosions();
	one.explosion.radius = -1;
}

static void
explosion_impulse(void)
{
	one_explosions();
	one.explosion.impulse_per_length = __builtin_nan("");
}

static void
gift_without_seat(void)
{
	one_give();
	one.owners.n_seat = 0;
}

static void
gift_twice(void)
{
	one_give();
	one.owners.n_id = 2;
	one.id[1] = one.id[0];
}

static void
spawned_and_moved(void)
{
	one_spawn();
	one.id[0] = 11;
	one_removal();
	one.velocities.n_id = one.velocities.n_vx = 1, one.velocities.id = one.id, one.velocities.vx = one.y;
	one.message.velocities = &one.velocities;
	one.message.optional_velocities_case = COLLIDE__V1__COMMANDS__OPTIONAL_VELOCITIES_VELOCITIES;
}

static const struct refusal_row {
	void (*make)(void);
	int code;
	const char *reason, *field;
} refusals[] = {
	{ missing, STATUS_NOT_FOUND, "NO_SUCH_ID", "commands.velocities.id[1]" },
	{ not_a_number, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.velocities.vx[1]" },
	{ too_fast, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.velocities.vy[0]" },
	{ lengths, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.velocities.angular_velocity" },
	{ twice, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.velocities.id[1]" },
	{ taken, STATUS_ALREADY_EXISTS, "ID_TAKEN", "commands.spawn.id[0]" },
	{ no_radius, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.spawn.radius" },
	{ negative_radius, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.spawn.radius[0]" },
	{ no_id, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.spawn.id" },
	{ odd_kind, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.spawn.kind[0]" },
	{ change_of_place, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.changes.x" },
	{ change_radius, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.changes.radius[0]" },
	{ change_to_dynamic, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.changes.vx" },
	{ no_wall, STATUS_NOT_FOUND, "NO_SUCH_ID", "commands.disable_segments[0]" },
	{ wall_taken, STATUS_ALREADY_EXISTS, "ID_TAKEN", "commands.spawn_segments.id[0]" },
	{ wall_point, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.spawn_segments.x2[0]" },
	{ force_without_ticks, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.pushes.ticks" },
	{ force_for_long, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.pushes.ticks[0]" },
	{ force_infinite, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.pushes.force_x[0]" },
	{ impulse_infinite, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.pushes.impulse_x[0]" },
	{ explosion_radius, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.explosions[0].radius" },
	{ explosion_impulse, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.explosions[0].impulse_per_length" },
	{ gift_without_seat, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.give.seat" },
	{ gift_twice, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.give.id[1]" },
	{ spawned_and_moved, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "commands.velocities.id[0]" },
};

/* Nothing of a batch that is refused happens; others of the tick do. */
static void
test_refusals(void **state)
{
	static struct stage_scene scene;
	static struct stage stage;
	struct tick_report report;
	uint64_t sequence = 0;

	(void)state;
	stage_init(&stage);
	scene_gas(&scene, 16);
	stage_open(&stage, &scene);
	struct world *plain = scene_world(&scene, &stage);

	for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
		const struct refusal_row *row = &refusals[i];

		one_begin(10);
		row->make();
		stage_send(&stage, 1, ++sequence, 0, &one.message);
		stage_step(&stage, 1);

		const struct told *told = stage_told(&stage, 1, sequence);

		if (told->code != row->code || strcmp(told->reason, row->reason) != 0 || strcmp(told->field, row->field) != 0)
			fail_msg("%zu, instead of %s %s: %d %s %s: %s", i, row->reason, row->field, told->code, told->reason, told->field,
			         told->text);
		assert_true(told->text[0] != '\0' && told->exceptional);
		assert_int_equal(world_step(plain, stage.policy.dt, &report), STATUS_OK);
		assert_int_equal(stage.answer.hash, world_hash(plain));
	}
	assert_int_equal(stage.effective[1], 0);
	world_destroy(plain);
	stage_finish(&stage);
}

/* Too many rows, circles and forces. */
static void
test_limits(void **state)
{
	static struct stage_scene scene;
	static struct stage stage;

	(void)state;
	stage_init(&stage);
	scene_gas(&scene, 16);
	stage.limits.batch_rows_max = 1;
	stage.scene_limits.circles_max = 17;
	stage.scene_limits.segments_max = 5;
	stage_open(&stage, &scene);

	one_begin(10);
	missing();
	one.id[1] = 11;
	stage_send(&stage, 1, 1, 0, &one.message); /* two rows of one table: refused by the scan */
	one_begin(10);
	one_velocities();
	one.seat[0] = 1;
	one_give();
	stage_send(&stage, 1, 2, 0, &one.message); /* of two tables */
	one_begin(2000);
	one_spawn();
	stage_send(&stage, 1, 3, 0, &one.message);
	one_begin(2001);
	one_spawn();
	one.x[0] = 20;
	stage_send(&stage, 1, 4, 0, &one.message);
	one_begin(0);
	one_spawn_segments();
	stage_send(&stage, 1, 5, 0, &one.message);
	one_begin(0);
	one_spawn_segments();
	one.id[0] = 501;
	stage_send(&stage, 1, 6, 0, &one.message);
	for (uint64_t sequence = 7; sequence < 7 + WORLDS_FORCES_PER_CIRCLE_MAX + 1; sequence++) {
		one_begin(10);
		force_for_long();
		one.ticks[0] = 100;
		stage_send(&stage, 1, sequence, 0, &one.message);
	}
	stage_step(&stage, 1);

	static const struct {
		uint64_t sequence;
		const char *field;
	} limited[] = {
		{ 1, "commands.velocities.id" }, { 2, "commands" }, { 4, "commands.spawn" }, { 6, "commands.spawn_segments" },
		{ 15, "commands.pushes.id[0]" },
	};

	for (size_t i = 0; i < sizeof limited / sizeof limited[0]; i++) {
		const struct told *told = stage_told(&stage, 1, limited[i].sequence);

		assert_int_equal(told->code, STATUS_RESOURCE_EXHAUSTED);
		assert_string_equal(told->reason, "LIMIT");
		assert_string_equal(told->field, limited[i].field);
	}
	assert_int_equal(stage.decided[1], 15);
	assert_int_equal(stage.effective[1], 10);
	stage_finish(&stage);
}

/* A batch for a tick that was made: at the next one, or refused; and never out of the order of its seat. */
static void
test_late(void **state)
{
	static struct stage_scene scene;
	static struct stage stage;

	(void)state;
	for (int refuse = 0; refuse < 2; refuse++) {
		stage_init(&stage);
		scene_gas(&scene, 4);
		stage.policy.late = refuse ? WORLD_LATE_REFUSE : WORLD_LATE_NEXT_TICK;
		stage_open(&stage, &scene);
		stage_step(&stage, 10);
		one_begin(10);
		one_velocities();
		stage_send(&stage, 1, 1, 10, &one.message); /* just too late */
		stage_send(&stage, 2, 1, 11, &one.message); /* just in time */
		stage_send(&stage, 2, 2, 14, &one.message);
		stage_send(&stage, 2, 3, 3, &one.message); /* behind one that waits */
		stage_step(&stage, 1);
		if (refuse) {
			assert_string_equal(stage_told(&stage, 1, 1)->reason, "TOO_LATE");
			assert_int_equal(stage_told(&stage, 1, 1)->code, STATUS_FAILED_PRECONDITION);
		} else {
			assert_int_equal(stage_told(&stage, 1, 1)->tick, 11);
		}
		assert_true(stage_told(&stage, 1, 1)->exceptional);
		assert_true(stage.margin_ns[1] < 0);
		assert_int_equal(stage_told(&stage, 2, 1)->tick, 11);
		assert_false(stage_told(&stage, 2, 1)->exceptional);
		assert_int_equal(stage.through[2], 1);
		stage_step(&stage, 3);
		assert_int_equal(stage.through[2], 3);
		assert_int_equal(stage_told(&stage, 2, 2)->tick, 14);
		assert_int_equal(stage_told(&stage, 2, 3)->tick, refuse ? 0 : 14);
		stage_finish(&stage);
	}
}

/* k ticks of a force f on a free circle of mass m give it k * dt * f / m. */
static void
test_force(void **state)
{
	static struct stage_scene scene;
	static struct stage stage;

	(void)state;
	stage_init(&stage);
	scene_gas(&scene, 1);
	scene.x[0] = 3, scene.y[0] = 14, scene.vx[0] = scene.vy[0] = 0;
	stage_open(&stage, &scene);
	one_begin(10);
	force_for_long();
	one.pushes.n_impulse_x = 0;
	one.z[0] = 2.5, one.ticks[0] = 30;
	one.pushes.force_x = one.z;
	stage_send(&stage, 1, 1, 0, &one.message);
	stage_step(&stage, 30);
	stage_step(&stage, 10); /* it acts no more */

	struct post *post = post_create(POST_SNAPSHOT, 0);
	post->snapshot.as_scene = true;
	live_world_post(stage.world, post);
	stage_turn(&stage);

	Collide__V1__Scene *now = collide__v1__scene__unpack(NULL, stage.answer.snapshot->count, stage.answer.snapshot->bytes);
	double speed = now->circle_columns->vx[0], expected = 30 * 2.5 / 60.0;

	assert_true(speed > expected * (1 - 1e-12) && speed < expected * (1 + 1e-12));
	/* x = sum over ticks of the speed in each, times dt. */
	double x = 3 + 2.5 / 3600.0 * (30 * 31 / 2) + expected * 10 / 60.0;
	assert_true(now->circle_columns->x[0] > x - 1e-9 && now->circle_columns->x[0] < x + 1e-9);
	collide__v1__scene__free_unpacked(now, NULL);
	stage_finish(&stage);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_refusals), cmocka_unit_test(test_limits),
		                                cmocka_unit_test(test_late), cmocka_unit_test(test_force) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
