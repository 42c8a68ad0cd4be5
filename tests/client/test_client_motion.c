/* Motion: the paths rebuilt from contacts and changes, against the engine's own paths (Frame.paths). On every kind of scene
 * that collide gen makes, and on one with all that changes paths. And what motion answers. */
#include "client/cli/gen/gen_kinds.h"
#include "client/cli/motion/motion.h"
#include "client/cli/scene/scene_json.h"
#include "client/local_client.h"
#include "support/assert_double.h"
#include "support/effort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct told {
	uint64_t tick;
	double t; /* of the run */
	uint32_t body;
	double x, y, vx, vy, ax, ay;
};

/* A run with the paths that the engine tells, and the motion rebuilt without them. */
struct both {
	struct run_motion motion;
	struct told *rows;
	size_t count, capacity;
	uint64_t every;
};

static bool
frame_take(void *context, const struct collide_frame *frame)
{
	struct both *both = context;
	const struct collide_paths *paths = &frame->paths;
	for (size_t i = 0; i < paths->count; i++) {
		if (both->count == both->capacity) {
			both->capacity = 2 * both->capacity + 1000;
			both->rows = realloc(both->rows, both->capacity * sizeof *both->rows);
			assert_non_null(both->rows);
		}
		both->rows[both->count++] = (struct told){
			paths->tick[i], (double)(paths->tick[i] - 1) * both->motion.dt + paths->time[i],
			paths->body[i], paths->x[i],
			paths->y[i],    paths->vx[i],
			paths->vy[i],   paths->ax[i],
			paths->ay[i],
		};
	}
	return motion_frame(&both->motion, frame);
}

static void
both_run(struct both *both, const Collide__V1__Scene *scene, double dt, uint64_t ticks, uint64_t every)
{
	char error[300];
	*both = (struct both){ .every = every };
	if (!motion_init(&both->motion, &(struct start){ .scene = scene }, dt, error, sizeof error))
		fail_msg("%s", error);
	size_t bytes = collide__v1__scene__get_packed_size(scene);
	uint8_t *packed = malloc(bytes + 1);
	assert_non_null(packed);
	collide__v1__scene__pack(scene, packed);
	const struct collide_scene message = { .message = packed, .message_bytes = bytes };
	const struct collide_simulation simulation = { .scene = &message, .dt = dt, .ticks = ticks, .every = every, .paths = true };
	struct collide_client *client = local_client();
	struct collide_error problem;
	if (!collide_simulate(client, &simulation, frame_take, both, NULL, &problem))
		fail_msg("%s", problem.text);
	collide_close(client);
	free(packed);
}

static void
both_finish(struct both *both)
{
	motion_finish(&both->motion);
	free(both->rows);
}

/* The end of a row: the start of the circle's next one, or of the tick's. */
static double
row_end(const struct both *both, size_t i)
{
	const struct told *row = &both->rows[i];
	if (i + 1 < both->count && row[1].tick == row->tick && row[1].body == row->body)
		return row[1].t;
	size_t circle;
	assert_true(motion_scene_circle(&both->motion.scene, row->body, &circle));
	return fmin((double)row->tick * both->motion.dt, both->motion.tracks[circle].end);
}

/* The largest distance between the two, at three times of each row. */
static double
difference(const struct both *both)
{
	double most = 0;
	for (size_t i = 0; i < both->count; i++) {
		const struct told *row = &both->rows[i];
		double end = row_end(both, i);
		size_t circle;
		assert_true(motion_scene_circle(&both->motion.scene, row->body, &circle));
		for (int k = 0; k < 3; k++) {
			double t = row->t + (end - row->t) * (k + 0.25) / 3, s = t - row->t;
			if (!(t >= row->t && end > row->t))
				continue;
			struct piece_point at = piece_at(motion_piece(&both->motion, circle, t), t);
			double off = hypot(at.x - (row->x + row->vx * s + row->ax * s * s / 2),
			                   at.y - (row->y + row->vy * s + row->ay * s * s / 2));
			most = fmax(most, isfinite(off) ? off : HUGE_VAL);
		}
	}
	return most;
}

static Collide__V1__Scene *
scene_of(const struct gen_kind *kind, double friction)
{
	char error[200];
	struct gen_options options = kind->defaults;
	struct scene_build build;
	uint64_t most = effort(60, 200);
	if (kind->count_max > 100 && options.count > most)
		options.count = most;
	options.friction = fmax(options.friction, friction);
	scene_build_init(&build);
	if (!kind->build(&options, &build, error, sizeof error))
		fail_msg("%s: %s", kind->name, error);
	Collide__V1__Scene *scene = scene_build_message(&build);
	scene_build_finish(&build);
	assert_non_null(scene);
	return scene;
}

static void
scene_compare(const char *name, const Collide__V1__Scene *scene, double dt, uint64_t ticks, uint64_t every)
{
	struct both both;
	both_run(&both, scene, dt, ticks, every);
	double off = difference(&both);
	if (both.count == 0 || !(off <= 1e-9))
		fail_msg("%s, a frame every %d ticks of %g: %zu rows, off by %g", name, (int)every, dt, both.count, off);
	assert_true(both.motion.piece_count <= both.count + both.motion.scene.circle_count);
	both_finish(&both);
}

static void
paths_are_the_engines(void **state)
{
	(void)state;
	for (size_t k = 0; k < GEN_KIND_COUNT; k++)
		for (int rough = 0; rough <= 1; rough++) {
			Collide__V1__Scene *scene = scene_of(&gen_kinds[k], 0.3 * rough);
			scene_compare(gen_kinds[k].name, scene, 1.0 / 60, effort(40, 400), 1);
			scene_compare(gen_kinds[k].name, scene, 0.25, effort(3, 30), 1);
			/* With friction the resting solver drives more, and what it gives is told with frames. */
			if (rough == 0)
				scene_compare(gen_kinds[k].name, scene, 1.0 / 60, effort(40, 400), 9);
			scene_json_free(scene);
		}
}

/* Every kind of path change, and what moves by itself. */
static const char mixed[] =
	"{\"gravityY\": -10, \"sleepAfter\": 0.25, \"speedMax\": 30, \"bounds\": {\"xMin\": -20, \"yMin\": -20, \"xMax\": 40, "
	"\"yMax\": 90}, \"circles\": ["
	"{\"id\": 1, \"x\": 0, \"y\": 1, \"radius\": 1}, {\"id\": 2, \"x\": 0.5, \"y\": 2, \"radius\": 1},"
	"{\"id\": 3, \"x\": 5, \"y\": 8, \"vx\": 90, \"radius\": 0.3, \"linearDamping\": 2},"
	"{\"id\": 4, \"x\": 8, \"y\": 4, \"vx\": -1, \"vy\": 2, \"radius\": 0.7, \"kind\": \"BODY_KIND_KINEMATIC\"},"
	"{\"id\": 5, \"x\": 9, \"y\": 9, \"radius\": 0.5, \"gravityScale\": -0.5, \"friction\": 0.5},"
	"{\"id\": 6, \"x\": 3, \"y\": 6, \"vy\": -40, \"radius\": 0.2, \"group\": 3, \"stopGroups\": 1},"
	"{\"id\": 7, \"x\": 2, \"y\": 9, \"vx\": 9, \"radius\": 0.2, \"removeGroups\": 1},"
	"{\"id\": 8, \"x\": 6, \"y\": 6, \"radius\": 0.4, \"lifetimeS\": 0.33, \"angularVelocity\": 3, \"friction\": 1},"
	"{\"id\": 9, \"x\": 15, \"y\": 1, \"vx\": 20, \"radius\": 0.5},"
	"{\"id\": 12, \"x\": 1, \"y\": 30, \"radius\": 0.5, \"kind\": \"BODY_KIND_STATIC\"},"
	"{\"id\": 13, \"x\": 4, \"y\": 0.5, \"radius\": 0.5, \"restitution\": 0},"
	"{\"id\": 14, \"x\": 4.2, \"y\": 1.6, \"radius\": 0.5, \"restitution\": 0, \"friction\": 0.4}],"
	"\"segments\": [{\"x1\": -10, \"x2\": 12, \"restitution\": 0.3, \"friction\": 0.2}, {\"x1\": -10, \"x2\": -10, \"y2\": 20},"
	"{\"x1\": 11, \"y1\": 0.5, \"x2\": 11, \"y2\": 12, \"vx\": -1.5}, {\"x1\": -10, \"y1\": 10, \"x2\": 12, \"y2\": 10.5, "
	"\"radius\": 0.25}]}";

static Collide__V1__Scene *
scene_parse(const char *text)
{
	Collide__V1__Scene *scene = NULL;
	char error[300];
	if (!scene_json_parse("test", text, strlen(text), &scene, error, sizeof error))
		fail_msg("%s", error);
	return scene;
}

static void
all_that_changes_paths_is_rebuilt(void **state)
{
	(void)state;
	Collide__V1__Scene *scene = scene_parse(mixed);
	scene_compare("mixed", scene, 1.0 / 60, 200, 1);
	scene_compare("mixed", scene, 0.1, 40, 1);
	scene_compare("mixed", scene, 1, 6, 1);
	scene_json_free(scene);
}

/* What is asked of a motion, against frames: angles, ends, walls, the part of the plane. */
static bool
frame_check(void *context, const struct collide_frame *frame)
{
	struct run_motion *motion = context;
	assert_true(motion_frame(motion, frame));
	double t = motion->duration;
	for (size_t i = 0; i < frame->bodies.count; i++) {
		size_t row;
		assert_true(motion_scene_circle(&motion->scene, frame->bodies.id[i], &row));
		assert_true(motion_there(motion, row, t));
		struct piece_point at = piece_at(motion_piece(motion, row, t), t);
		assert_double_near(at.x, frame->bodies.x[i], 1e-10);
		assert_double_near(at.y, frame->bodies.y[i], 1e-10);
		assert_double_near(motion_angle(motion, row, t), frame->bodies.angle[i], 1e-9);
		assert_double_near(motion_spin(motion, row, t), frame->bodies.angular_velocity[i], 1e-9);
	}
	for (size_t i = 0; i < frame->moving_segments.count; i++) {
		size_t row;
		assert_true(motion_scene_wall(&motion->scene, frame->moving_segments.id[i], &row));
		const struct motion_wall *wall = &motion->scene.walls[row];
		assert_double_near(wall->x1 + wall->vx * t, frame->moving_segments.x1[i], 1e-10);
	}
	return true;
}

static void
motion_answers_as_frames_do(void **state)
{
	(void)state;
	Collide__V1__Scene *scene = scene_parse(mixed);
	struct run_motion motion;
	char error[300];
	assert_true(motion_init(&motion, &(struct start){ .scene = scene }, 1.0 / 60, error, sizeof error));
	uint8_t packed[4000];
	size_t bytes = collide__v1__scene__pack(scene, packed);
	assert_in_range(bytes, 1, sizeof packed);
	const struct collide_scene message = { .message = packed, .message_bytes = bytes };
	const struct collide_simulation simulation = { .scene = &message, .dt = 1.0 / 60, .ticks = 120 };
	struct collide_client *client = local_client();
	assert_true(collide_simulate(client, &simulation, frame_check, &motion, NULL, NULL));
	collide_close(client);
	size_t eighth, ninth, hint = 0;
	assert_true(motion_scene_circle(&motion.scene, 8, &eighth));
	assert_double_near(motion.tracks[eighth].end, 0.33, 1e-9);
	assert_true(motion_there(&motion, eighth, 0.32) && !motion_there(&motion, eighth, 0.34));
	assert_true(motion_scene_circle(&motion.scene, 9, &ninth));
	assert_true(motion.tracks[ninth].end < 2); /* out of bounds */
	/* Asked in any order, with a hint or without: the same. */
	for (int i = 0; i < 1000; i++) {
		double t = fmod(i * 0.7377, 2.1);
		assert_ptr_equal(motion_piece_near(&motion, eighth, t, &hint), motion_piece(&motion, eighth, t));
	}
	struct motion_extent extent = motion_extent(&motion);
	assert_true(extent.x1 <= -10 && extent.x2 >= 40 && extent.y2 >= 30.5 && extent.y1 < -5);
	motion_finish(&motion);
	scene_json_free(scene);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_the_engines),
		cmocka_unit_test(all_that_changes_paths_is_rebuilt),
		cmocka_unit_test(motion_answers_as_frames_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
