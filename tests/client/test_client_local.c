/* The engine in this process, behind the protocol; and the audit of its frames, which must see what is wrong with them. */
#include "client/cli/check/audit.h"
#include "client/local_client.h"
#include "support/assert_double.h"

#include <stdlib.h>

/* Two balls of radius 1 that meet head-on in the second tick, in a scene of the hand-written form. */
static const double X[] = { -4, 4 }, VX[] = { 2, -2 }, RADIUS = 1;
static const struct collide_scene HEAD_ON = {
	.circles = { .x = { X, 2 }, .vx = { VX, 2 }, .radius = { &RADIUS, 1 } },
};

static Collide__V1__Scene *
head_on_message(void)
{
	static Collide__V1__Circle circles[2];
	static Collide__V1__Circle *list[2];
	static Collide__V1__Scene scene;
	collide__v1__scene__init(&scene);
	for (size_t i = 0; i < 2; i++) {
		collide__v1__circle__init(&circles[i]);
		circles[i].x = X[i];
		circles[i].vx = VX[i];
		circles[i].radius = RADIUS;
		list[i] = &circles[i];
	}
	scene.circles = list;
	scene.n_circles = 2;
	return &scene;
}

struct seen {
	uint64_t frames, contacts, most;
	uint64_t hash;
};

static bool
count(void *context, const struct collide_frame *frame)
{
	struct seen *seen = context;
	seen->frames++;
	seen->contacts += frame->contacts.count;
	seen->hash = frame->hash;
	return seen->frames < seen->most;
}

static void
frames_and_done_come_as_from_a_daemon(void **state)
{
	(void)state;
	struct collide_client *client = local_client();
	struct seen seen = { .most = 100 };
	struct collide_done done;
	const struct collide_simulation simulation = { .scene = &HEAD_ON, .dt = 1, .ticks = 7, .every = 3 };
	assert_true(collide_simulate(client, &simulation, count, &seen, &done, NULL));
	assert_int_equal(seen.frames, 3); /* after 3, 6 and 7 */
	assert_int_equal(seen.contacts, 1);
	assert_int_equal(done.ticks, 7);
	assert_int_equal(done.collisions, 1);
	assert_true(done.hash == seen.hash);
	collide_close(client);
}

/* On several threads, and one request after the other. */
static void
threads_change_nothing(void **state)
{
	(void)state;
	const struct collide_simulation simulation = { .scene = &HEAD_ON, .dt = 1, .ticks = 7, .every = 3 };
	struct collide_client *one = local_client(), *three = local_open(3, NULL, NULL);
	struct collide_done done, again;
	assert_non_null(three);
	assert_true(collide_simulate(one, &simulation, NULL, NULL, &done, NULL));
	for (int i = 0; i < 3; i++) {
		assert_true(collide_simulate(three, &simulation, NULL, NULL, &again, NULL));
		assert_true(again.hash == done.hash);
	}
	assert_true(collide_ping(three, NULL, NULL));
	collide_close(three);
	collide_close(one);
}

/* All of the conversation is there, not only what runs a scene. */
static void
limits_and_the_schema_are_told(void **state)
{
	(void)state;
	struct collide_client *client = local_client();
	const void *schema;
	size_t bytes;
	assert_int_equal(collide_client_welcome(client)->limits.circles_max, 1000000);
	assert_int_equal(collide_client_descriptor(client), -1);
	assert_true(collide_describe(client, &schema, &bytes, NULL));
	assert_true(bytes > 1000);
	collide_close(client);
}

static void
refusals_name_the_field_as_the_daemon_would(void **state)
{
	(void)state;
	struct collide_client *client = local_client();
	struct collide_error error;
	struct collide_simulation simulation = { .scene = &HEAD_ON, .dt = 0, .ticks = 7 };
	assert_false(collide_simulate(client, &simulation, NULL, NULL, NULL, &error));
	assert_int_equal(error.origin, COLLIDE_FROM_SERVER);
	assert_int_equal(error.code, COLLIDE_INVALID_ARGUMENT);
	assert_int_equal(error.violation_count, 1);
	assert_string_equal(error.violations[0].field, "simulate.dt");

	const double bad = -1;
	const struct collide_scene scene = { .circles = { .count = 3, .radius = { &bad, 1 } } };
	simulation = (struct collide_simulation){ .scene = &scene, .dt = 1, .ticks = 1 };
	assert_false(collide_simulate(client, &simulation, NULL, NULL, NULL, &error));
	assert_string_equal(error.violations[0].field, "simulate.scene.circle_columns.radius[0]");

	const struct collide_scene noise = { .message = "\xff\xff\xff", .message_bytes = 3 };
	simulation.scene = &noise;
	assert_false(collide_simulate(client, &simulation, NULL, NULL, NULL, &error));
	assert_int_equal(error.code, COLLIDE_INVALID_ARGUMENT);
	collide_close(client);
}

static void
a_callback_can_end_it(void **state)
{
	(void)state;
	struct collide_client *client = local_client();
	struct seen seen = { .most = 2 };
	struct collide_error error;
	const struct collide_simulation simulation = { .scene = &HEAD_ON, .dt = 1, .ticks = 1000000 };
	assert_false(collide_simulate(client, &simulation, count, &seen, NULL, &error));
	assert_int_equal(error.code, COLLIDE_CANCELLED);
	assert_int_equal(seen.frames, 2);
	collide_close(client);
}

/* What a test does to the frames before the audit sees them. */
enum damage { DAMAGE_NONE, DAMAGE_CONTACT_LOST, DAMAGE_BODY_MOVED, DAMAGE_BODY_MISSING, DAMAGE_OTHER_ID };

struct damaged {
	struct audit *audit;
	enum damage damage;
};

static bool
audit_damaged(void *context, const struct collide_frame *frame)
{
	struct damaged *damaged = context;
	struct collide_frame copy = *frame;
	double x[2] = { frame->bodies.x[0], frame->bodies.x[1] };
	const uint32_t ids[2] = { 0, 2 };
	if (frame->tick == 2) {
		switch (damaged->damage) {
		case DAMAGE_NONE: break;
		case DAMAGE_CONTACT_LOST: copy.contacts.count = 0; break;
		case DAMAGE_BODY_MOVED:
			x[1] += 0.5;
			copy.bodies.x = x;
			break;
		case DAMAGE_BODY_MISSING: copy.bodies.count = 1; break;
		case DAMAGE_OTHER_ID: copy.bodies.id = ids; break;
		}
	}
	return audit_frame(damaged->audit, &copy);
}

static void
the_audit_sees_every_kind_of_damage(void **state)
{
	(void)state;
	struct collide_client *client = local_client();
	const struct collide_simulation simulation = { .scene = &HEAD_ON, .dt = 1, .ticks = 4, .every = 1 };
	for (int damage = DAMAGE_NONE; damage <= DAMAGE_OTHER_ID; damage++) {
		char error[100];
		struct damaged damaged = { .audit = audit_create(head_on_message(), 1, COLLIDE_EVENTS_NONE, error, sizeof error),
			                       .damage = (enum damage)damage };
		assert_non_null(damaged.audit);
		assert_true(collide_simulate(client, &simulation, audit_damaged, &damaged, NULL, NULL));
		assert_int_equal(audit_found(damaged.audit), damage != DAMAGE_NONE);
		const char *problem = audit_report(damaged.audit)->first_problem;
		assert_int_equal(problem[0] != '\0', damage != DAMAGE_NONE);
		audit_destroy(damaged.audit);
	}
	collide_close(client);
}

/* The first ball is removed at the hit: after a second and a half, but for a skin. */
struct ended {
	struct audit *audit;
	uint64_t frames, every;
	bool lie; /* about the time of the end */
};

static bool
end_check(void *context, const struct collide_frame *frame)
{
	struct ended *ended = context;
	const bool before = frame->tick < 2;
	struct collide_frame copy = *frame;
	double time = 0.25;
	ended->frames++;
	assert_int_equal(frame->bodies.count, before ? 2 : 1);
	assert_non_null(frame->bodies.tag);
	assert_true(frame->bodies.tag[frame->bodies.count - 1] == UINT64_MAX - 1);
	assert_int_equal(frame->ends.count, frame->tick == (ended->every == 1 ? 2 : 4));
	if (frame->ends.count > 0) {
		const struct collide_ends *ends = &frame->ends;
		assert_int_equal(ends->tick[0], 2);
		assert_int_equal(ends->body[0], 0);
		assert_int_equal(ends->reason[0], COLLIDE_END_CONTACT);
		assert_true(ends->tag[0] == 7);
		assert_double_near(ends->time[0], 0.5, 1e-8);
		assert_double_near(ends->x[0], -1, 1e-8);
		assert_double_near(ends->y[0], 0, 0);
		assert_double_near(ends->vx[0], -2, 1e-12);
		/* Half of the energy, which was 4, and the momentum of one. */
		assert_double_near(frame->energy.removed, -2, 1e-12);
		assert_double_near(frame->energy.kinetic_after, 2, 1e-12);
		assert_double_near(frame->momentum.after_x, 2, 1e-12);
		assert_double_near(frame->momentum.outside_x, 2, 1e-12);
		if (ended->lie)
			copy.ends.time = &time;
	}
	if (!before)
		assert_int_equal(frame->bodies.id[0], 1);
	return !ended->audit || audit_frame(ended->audit, &copy);
}

static void
an_end_is_told_and_is_in_no_later_frame(void **state)
{
	(void)state;
	static const uint64_t groups[] = { 1, 0 }, tags[] = { 7, UINT64_MAX - 1 };
	struct collide_scene scene = HEAD_ON;
	scene.circles.remove_groups = (struct collide_uint64s){ groups, 2 };
	scene.circles.tag = (struct collide_uint64s){ tags, 2 };
	Collide__V1__Scene *message = head_on_message();
	message->circles[0]->remove_groups = 1;
	struct collide_client *client = local_client();
	for (int way = 0; way < 3; way++) {
		char error[100];
		struct ended ended = { .every = way == 2 ? 4 : 1, .lie = way == 1 };
		const struct collide_simulation simulation = { .scene = &scene, .dt = 1, .ticks = 4, .every = ended.every };
		ended.audit = way < 2 ? audit_create(message, 1, COLLIDE_EVENTS_NONE, error, sizeof error) : NULL;
		assert_true(collide_simulate(client, &simulation, end_check, &ended, NULL, NULL));
		assert_int_equal(ended.frames, way == 2 ? 1 : 4);
		if (ended.audit)
			assert_int_equal(audit_found(ended.audit), ended.lie);
		audit_destroy(ended.audit);
	}
	collide_close(client);
}

static void
the_audit_refuses_a_scene_that_cannot_be_read(void **state)
{
	(void)state;
	char error[100] = "";
	Collide__V1__Scene *scene = head_on_message();
	/* An id on one circle and none on the other. */
	scene->circles[0]->optional_id_case = COLLIDE__V1__CIRCLE__OPTIONAL_ID_ID;
	scene->circles[0]->id = 4;
	struct audit *audit = audit_create(scene, 1, COLLIDE_EVENTS_NONE, error, sizeof error);
	assert_null(audit);
	assert_non_null(strstr(error, "simulate.scene.circles"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_and_done_come_as_from_a_daemon),
		cmocka_unit_test(threads_change_nothing),
		cmocka_unit_test(limits_and_the_schema_are_told),
		cmocka_unit_test(refusals_name_the_field_as_the_daemon_would),
		cmocka_unit_test(a_callback_can_end_it),
		cmocka_unit_test(the_audit_sees_every_kind_of_damage),
		cmocka_unit_test(an_end_is_told_and_is_in_no_later_frame),
		cmocka_unit_test(the_audit_refuses_a_scene_that_cannot_be_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
