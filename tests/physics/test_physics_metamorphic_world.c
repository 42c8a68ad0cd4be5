/* What must not change the contacts of a tick by one bit: lengths and times scaled by powers of two, quarter turns, mirrors,
 * the two bodies exchanged. One pair a world, many worlds; test_physics_invariance has one world of many. */
#include "physics/physics.h"
#include "support/assert_double.h"
#include "support/effort.h"
#include "support/random.h"

enum { CONTACTS_MAX = 64 };

#define WORLDS ((int)effort(1000, 2000))

/* Two circles, or one and a segment, for one tick. */
struct duel {
	struct circle_def circles[2];
	struct segment_def segment;
	bool has_segment;
	double gravity[2], dt;
};

struct meeting {
	double time, speed;
	int other, feature;
};

struct meetings {
	struct meeting of[CONTACTS_MAX];
	size_t count;
};

/* Aimed at each other more or less, and at the segment's ends as often as at its face. */
static struct duel
random_duel(uint64_t *random, bool has_segment)
{
	struct duel duel = { .has_segment = has_segment, .dt = random_between(random, 0.2, 1) };
	double size = ldexp(1.0, (int)random_below(random, 6)), reach = random_below(random, 2) ? 0.2 : 2;

	for (uint32_t i = 0; i < 2; i++) {
		struct circle_def *c = &duel.circles[i];

		*c = circle_def_default();
		c->id = i;
		c->x = random_between(random, -1, 1) + (i == 0 ? 4 * size : 0);
		c->y = random_between(random, -1, 1);
		c->radius = random_between(random, 0.05, 0.5) * size;
		c->mass = random_between(random, 0.5, 2);
		c->vx = random_between(random, i == 0 ? -12 : -2, i == 0 ? -6 : 2) * size;
		c->vy = random_between(random, -2, 2) * size;
		duel.gravity[i] = random_below(random, 2) ? random_between(random, -9, 9) : 0;
	}
	duel.segment = segment_def_default();
	duel.segment.x1 = random_between(random, -1, 1);
	duel.segment.y1 = random_between(random, -1, 1);
	duel.segment.x2 = duel.segment.x1 + random_between(random, -1, 1) * reach * size;
	duel.segment.y2 = duel.segment.y1 + random_between(random, -2, 2) * reach * size;
	return duel;
}

static struct meetings
meetings_of(const struct duel *duel)
{
	struct meetings meetings = { .count = 0 };
	struct world_def def = world_def_default();
	struct def_problem problem;
	struct tick_report report;
	struct world *world;

	def.gravity_x = duel->gravity[0];
	def.gravity_y = duel->gravity[1];
	def.circles = duel->circles;
	def.circle_count = duel->has_segment ? 1 : 2;
	def.segments = &duel->segment;
	def.segment_count = duel->has_segment ? 1 : 0;
	assert_int_equal(world_create(&def, &problem, &world), STATUS_OK);
	assert_int_equal(world_step(world, duel->dt, &report), STATUS_OK);
	assert_in_range(report.contact_count, 0, CONTACTS_MAX);
	meetings.count = report.contact_count;
	for (size_t i = 0; i < report.contact_count; i++) {
		const struct contact *c = &report.contacts[i];

		meetings.of[i] = (struct meeting){ c->time, c->approach_speed, c->other, c->feature };
	}
	world_destroy(world);
	return meetings;
}

/* Of the worlds of one test: what happened in them. */
struct tally {
	unsigned worlds, circles, face, end_1, end_2, none, falling;
};

static void
assert_meetings(struct tally *tally, const struct duel *duel, const struct meetings *expected, double time, double speed)
{
	struct meetings actual = meetings_of(duel);

	tally->worlds++;
	tally->none += actual.count == 0;
	tally->falling += actual.count > 0 && (duel->gravity[0] != 0 || duel->gravity[1] != 0);
	assert_int_equal(actual.count, expected->count);
	for (size_t i = 0; i < actual.count; i++) {
		const struct meeting *a = &actual.of[i], *e = &expected->of[i];

		assert_double_same_bits(a->time, e->time * time);
		assert_double_same_bits(a->speed, e->speed * speed);
		assert_int_equal(a->other, e->other);
		assert_int_equal(a->feature, e->feature);
		tally->circles += a->other == CONTACT_CIRCLE;
		tally->face += a->other == CONTACT_SEGMENT && a->feature == FEATURE_FACE;
		tally->end_1 += a->feature == FEATURE_END_1;
		tally->end_2 += a->feature == FEATURE_END_2;
	}
}

static void
assert_tally(const struct tally *tally, bool has_segment)
{
	unsigned least = tally->worlds / 20;

	assert_true(tally->none > least);
	assert_true(tally->falling > least);
	if (has_segment)
		assert_true(tally->face > least && tally->end_1 > least && tally->end_2 > least);
	else
		assert_true(tally->circles > least);
}

static struct duel
scaled(struct duel duel, double length, double time)
{
	double speed = length / time;

	for (int i = 0; i < 2; i++) {
		struct circle_def *c = &duel.circles[i];

		c->x *= length;
		c->y *= length;
		c->radius *= length;
		c->vx *= speed;
		c->vy *= speed;
		duel.gravity[i] *= speed / time;
	}
	duel.segment.x1 *= length;
	duel.segment.y1 *= length;
	duel.segment.x2 *= length;
	duel.segment.y2 *= length;
	duel.dt *= time;
	return duel;
}

/* (x, y) becomes (m[0] x + m[1] y, m[2] x + m[3] y). */
static void
turn(double *x, double *y, const int m[4])
{
	double from_x = *x, from_y = *y;

	*x = m[0] * from_x + m[1] * from_y;
	*y = m[2] * from_x + m[3] * from_y;
}

static struct duel
turned(struct duel duel, const int m[4])
{
	for (int i = 0; i < 2; i++) {
		turn(&duel.circles[i].x, &duel.circles[i].y, m);
		turn(&duel.circles[i].vx, &duel.circles[i].vy, m);
	}
	turn(&duel.segment.x1, &duel.segment.y1, m);
	turn(&duel.segment.x2, &duel.segment.y2, m);
	turn(&duel.gravity[0], &duel.gravity[1], m);
	return duel;
}

static void
turns_run(uint64_t random, bool has_segment, const int (*turns)[4], size_t count)
{
	struct tally tally = { 0 };

	for (int i = 0; i < WORLDS; i++) {
		struct duel duel = random_duel(&random, has_segment);
		struct meetings meetings = meetings_of(&duel);

		for (size_t k = 0; k < count; k++) {
			struct duel other = turned(duel, turns[k]);

			assert_meetings(&tally, &other, &meetings, 1, 1);
		}
	}
	assert_tally(&tally, has_segment);
}

static void
test_scaling_by_powers_of_two(void **state)
{
	(void)state;
	for (int has_segment = 0; has_segment < 2; has_segment++) {
		uint64_t random = 1;
		struct tally tally = { 0 };

		for (int i = 0; i < WORLDS; i++) {
			struct duel duel = random_duel(&random, has_segment);
			struct meetings meetings = meetings_of(&duel);
			double length = ldexp(1.0, (int)random_below(&random, 40) - 20),
				   time = ldexp(1.0, (int)random_below(&random, 12) - 6);
			struct duel other = scaled(duel, length, time);

			assert_meetings(&tally, &other, &meetings, time, length / time);
		}
		assert_tally(&tally, has_segment);
	}
}

static void
test_rotation_by_90_degrees(void **state)
{
	static const int turns[3][4] = { { 0, -1, 1, 0 }, { -1, 0, 0, -1 }, { 0, 1, -1, 0 } };

	(void)state;
	turns_run(2, false, turns, effort(1, 3));
	turns_run(3, true, turns, effort(1, 3));
}

static void
test_reflection(void **state)
{
	static const int mirrors[4][4] = { { -1, 0, 0, 1 }, { 1, 0, 0, -1 }, { 0, 1, 1, 0 }, { 0, -1, -1, 0 } };

	(void)state;
	turns_run(4, false, mirrors, effort(1, 4));
	turns_run(5, true, mirrors, effort(1, 4));
}

/* Ids exchanged, so that a becomes b; and, which must not matter either, places in the definition. */
static void
test_exchange_of_the_bodies(void **state)
{
	(void)state;
	uint64_t random = 6;
	struct tally tally = { 0 };

	for (int i = 0; i < WORLDS; i++) {
		struct duel duel = random_duel(&random, false), other = duel;
		struct meetings meetings = meetings_of(&duel);

		other.circles[0].id = 1;
		other.circles[1].id = 0;
		assert_meetings(&tally, &other, &meetings, 1, 1);
		other.circles[0] = duel.circles[1];
		other.circles[1] = duel.circles[0];
		assert_meetings(&tally, &other, &meetings, 1, 1);
	}
	assert_tally(&tally, false);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scaling_by_powers_of_two),
		cmocka_unit_test(test_rotation_by_90_degrees),
		cmocka_unit_test(test_reflection),
		cmocka_unit_test(test_exchange_of_the_bodies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
