/* Snapshots as bytes: the format is the one described, and what is damaged, foreign or made up is refused with the reason, or
 * harmless. argv[1]: the golden snapshot, which make_snapshot.py wrote without the engine. */
#include "physics/followers.h"
#include "physics/scenes.h"
#include "physics/snapshot_layout.h"

#include "support/effort.h"
#include "support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *golden_path;

static struct snapshot
golden_read(void)
{
	struct snapshot s = { .bytes = malloc(65536) };
	FILE *file = fopen(golden_path, "rb");
	assert_non_null(s.bytes);
	assert_non_null(file);
	s.size = fread(s.bytes, 1, 65536, file);
	fclose(file);
	assert_true(s.size > AT_BODIES && s.size < 65536);
	return s;
}

static struct snapshot
copy_of(const struct snapshot *from)
{
	struct snapshot s = { .bytes = malloc(from->size), .size = from->size };
	assert_non_null(s.bytes);
	memcpy(s.bytes, from->bytes, from->size);
	return s;
}

/* Twelve rough circles of several radii in a box, on their way to rest: each table has rows. */
static struct snapshot
small_heap(void)
{
	static const struct relation_def relations[] = {
		{ .group_a = 9, .group_b = 4, .kind = RELATION_KIND_MOVE, .has_weight_a = true, .weight_a = 2 },
		{ .group_a = 0, .group_b = 4, .kind = RELATION_KIND_BOUNCE, .has_elasticity = true, .elasticity = 0.5 },
	};
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scene_pile(&scenario, 12, 3, 0.4, 0.5, 3);
	scenario.circles[3].rolling_resistance = 0.1;
	scenario.circles[3].group = 4;
	scenario.circles[3].report_groups = 1 << 9; /* nothing is in it */
	scenario.circles[3].lifetime_s = 1000;
	scenario.circles[5].ignored_circle = 3;
	scenario.circles[5].tag = 5;
	scenario.def.has_bounds = true;
	scenario.def.bounds_x_min = scenario.def.bounds_y_min = -1e3;
	scenario.def.bounds_x_max = scenario.def.bounds_y_max = 1e3;
	scenario.def.relations = relations;
	scenario.def.relation_count = 2;
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 60, 100);
	struct snapshot s = snapshot_take(run.world);
	assert_true(number_get(s.bytes + AT_COUNTS + 24, 8) > 10); /* pairs */
	run_finish(&run);
	scenario_finish(&scenario);
	return s;
}

/* From a copy on the heap of just that size, so that a read beyond it is seen. */
static enum status
try_restore(const uint8_t *bytes, size_t size, struct snapshot_problem *problem, struct world **world)
{
	uint8_t *exact = malloc(size ? size : 1);
	assert_non_null(exact);
	memcpy(exact, bytes, size);
	const enum status status = world_restore(exact, size, 0, problem, world);
	free(exact);
	return status;
}

static void
assert_refused(const uint8_t *bytes, size_t size)
{
	struct snapshot_problem problem;
	struct world *world = NULL;
	assert_int_equal(try_restore(bytes, size, &problem, &world), STATUS_INVALID_ARGUMENT);
	assert_null(world);
	assert_true(problem.field[0] != '\0' && problem.text[0] != '\0');
}

static void
test_the_golden_snapshot_has_the_future_that_it_was_made_for(void **state)
{
	(void)state;
	struct snapshot golden = golden_read();
	struct snapshot_problem problem;
	struct tick_report report;
	struct world *world = NULL;
	/* Its future does not depend on what engines differ in. */
	assert_int_equal(world_restore(golden.bytes, golden.size, RESTORE_OTHER_SEMANTICS, &problem, &world), STATUS_OK);
	assert_int_equal(world_tick(world), 1234);
	for (int tick = 0; tick < 128; tick++) {
		assert_int_equal(world_step(world, 1.0 / 64, &report), STATUS_OK);
		assert_int_equal(report.shortfall_count, 0);
		assert_int_equal(report.contact_count, tick == 63 ? 1 : 0);
		if (tick == 63) /* at one second less what a skin takes off the way of 1 */
			assert_double_near(report.contacts[0].time, 1.0 / 64, 1e-9);
	}
	/* Two seconds: swapped at x = -0.5 and 0.5, the fall goes on: 40 + 4 * 2 - 8 * 4 / 2. */
	const struct body_state left = world_body(world, 0), right = world_body(world, 1);
	assert_double_near(left.x, -1.5, 1e-8);
	assert_double_near(right.x, 1.5, 1e-8);
	assert_double_near(left.vx, -1, 1e-12);
	assert_double_near(left.y, 32, 1e-12);
	assert_double_near(right.vy, -12, 1e-12);
	const struct body_state turner = world_body(world, 2), resting = world_body(world, 3);
	assert_double_near(turner.x, 21, 1e-12);
	assert_double_near(turner.y, 7.5, 1e-12);
	assert_double_near(turner.angle, 4.25, 1e-12);
	/* The solver's own tolerance is a part of the cushion of 0.005. */
	assert_double_near(resting.x, 4, 1e-12);
	assert_double_near(resting.y, 0.505, 1e-4);
	assert_double_near(resting.vy, 0, 1e-3);
	assert_double_near(resting.angular_velocity, 0, 1e-12);
	/* It was at (-29, -1.5). */
	assert_int_equal(report.place_count, 1);
	assert_true(report.places[0].id == 8 && report.places[0].x1 == -28 && report.places[0].y1 == -2 &&
	            report.places[0].x2 == -28 && report.places[0].y2 == 0);
	world_destroy(world);
	free(golden.bytes);
}

/* Another hand wrote it; the engine reads it and writes the same. */
static void
test_the_engine_writes_the_golden_snapshot_as_it_is(void **state)
{
	(void)state;
	struct snapshot golden = golden_read();
	number_put(golden.bytes + AT_SEMANTICS, 4, PHYSICS_SEMANTICS);
	snapshot_seal(&golden);
	world_destroy(snapshot_restored(&golden));
	free(golden.bytes);
}

static void
test_semantics_of_another_engine(void **state)
{
	(void)state;
	struct snapshot s = small_heap();
	struct snapshot_problem problem;
	struct world *world = NULL;
	number_put(s.bytes + AT_SEMANTICS, 4, PHYSICS_SEMANTICS + 1);
	snapshot_seal(&s);
	assert_int_equal(world_restore(s.bytes, s.size, 0, &problem, &world), STATUS_INVALID_ARGUMENT);
	assert_string_equal(problem.field, "header.semantics");
	assert_int_equal(world_restore(s.bytes, s.size, RESTORE_OTHER_SEMANTICS, &problem, &world), STATUS_OK);
	world_destroy(world);
	free(s.bytes);
}

static void
test_every_length_but_the_right_one_is_refused(void **state)
{
	(void)state;
	struct snapshot s = small_heap();
	for (size_t size = 0; size < s.size; size++)
		assert_refused(s.bytes, size);
	uint8_t *longer = calloc(s.size + 1, 1);
	assert_non_null(longer);
	memcpy(longer, s.bytes, s.size);
	assert_refused(longer, s.size + 1);
	free(longer);
	free(s.bytes);
}

static void
test_every_byte_changed_is_refused(void **state)
{
	(void)state;
	struct snapshot s = small_heap();
	for (size_t at = 0; at < s.size; at++) {
		for (unsigned flip = 1; flip < 256; flip = flip < 128 ? 2 * flip : flip + 127) {
			s.bytes[at] ^= (uint8_t)flip;
			assert_refused(s.bytes, s.size);
			s.bytes[at] ^= (uint8_t)flip;
		}
	}
	free(s.bytes);
}

static bool
asked_enough(void *context)
{
	unsigned *asked = context;
	return ++*asked > 200;
}

/* With checksum and hash put right: what the fields themselves say is all there is to go by. Whatever is taken can be stepped
 * and written; it need not be a sensible world. */
static void
made_up_try(struct snapshot *s, uint64_t *taken)
{
	struct snapshot_problem problem;
	struct world *world = NULL;
	snapshot_rehash(s);
	snapshot_seal(s);
	const enum status status = try_restore(s->bytes, s->size, &problem, &world);
	if (status != STATUS_OK) {
		assert_true(status == STATUS_RESOURCE_EXHAUSTED || problem.field[0] != '\0');
		return;
	}
	++*taken;
	unsigned asked = 0;
	struct tick_report report;
	world_stop_set(world, asked_enough, &asked);
	for (int tick = 0; tick < 3; tick++)
		if (world_step(world, 1.0 / 60, &report) != STATUS_OK)
			break;
	struct snapshot again = { .bytes = malloc(world_snapshot_bytes(world)), .size = world_snapshot_bytes(world) };
	assert_non_null(again.bytes);
	const enum status written = world_snapshot(world, again.bytes, again.size);
	assert_true(written == STATUS_OK || written == STATUS_FAILED_PRECONDITION);
	free(again.bytes);
	world_destroy(world);
}

static void
test_made_up_snapshots_do_no_harm(void **state)
{
	(void)state;
	struct snapshot s = small_heap();
	const size_t bodies_end = AT_BODIES + 12 * BODY_BYTES;
	uint64_t random = 9, taken = 0, tried = 0;
	for (size_t at = AT_COUNTS + 32; at < s.size - 8; at += effort(13, 1)) {
		/* Of the pairs and bodies a part: there are many alike. */
		if (at > AT_BODIES + 3 * BODY_BYTES && at < bodies_end - BODY_BYTES)
			continue;
		struct snapshot other = copy_of(&s);
		other.bytes[at] = (uint8_t)random_bits(&random);
		made_up_try(&other, &taken);
		tried++;
		free(other.bytes);
	}
	/* Whole numbers of every size in every body's, listing's and pair's columns. */
	static const double values[] = { 0, -1, 1e-300, 1e12, 1e99, 1e300, INFINITY, NAN };
	for (int i = 0; i < (int)effort(60, 1500); i++) {
		struct snapshot other = copy_of(&s);
		for (uint64_t k = 1 + random_below(&random, 4); k > 0; k--) {
			const size_t at = AT_WORLD + random_below(&random, s.size - 16 - AT_WORLD);
			if (random_below(&random, 2))
				double_put(other.bytes + at, values[random_below(&random, sizeof values / sizeof *values)]);
			else
				double_put(other.bytes + AT_BODIES + random_below(&random, 12) * BODY_BYTES + IN_BODY_X +
				               8 * random_below(&random, 6),
				           values[random_below(&random, sizeof values / sizeof *values)]);
		}
		made_up_try(&other, &taken);
		tried++;
		free(other.bytes);
	}
	/* Both happen, or the test says nothing. */
	assert_true(taken > tried / 20 && taken < tried);
	free(s.bytes);
}

/* A change, and what is told of it. */
struct refusal {
	size_t at, size;
	uint64_t number;
	const char *field, *text;
};

static void
test_what_is_wrong_is_told(void **state)
{
	(void)state;
	struct snapshot s = small_heap();
	const uint64_t nan = UINT64_C(0x7ff8000000000000), one = UINT64_C(0x3ff0000000000000);
	const uint64_t minus_zero = UINT64_C(0x8000000000000000);
	const size_t segments = AT_BODIES + 12 * BODY_BYTES, relations = segments + 3 * SEGMENT_BYTES;
	const size_t listings = relations + 2 * RELATION_BYTES;
	const size_t pairs = listings + 12 * LISTING_BYTES;
	const size_t rules = s.size - 8 - 12 * (RULE_BYTES + TAG_BYTES);
	assert_int_equal(number_get(s.bytes + AT_COUNTS + 8, 8), 3);
	const struct refusal refusals[] = {
		{ 0, 1, 'x', "header.magic", "is not that of a snapshot" },
		{ AT_FORMAT, 4, 1, "header.format", "is one that this engine does not know" },
		{ AT_SIZE, 8, s.size + 1, "header.size", "is more than there is: the snapshot is cut short" },
		{ AT_SIZE, 8, s.size - 1, "header.size", "is less than there is" },
		{ AT_COUNTS, 8, UINT64_MAX, "counts.bodies", "is out of its range" },
		{ AT_COUNTS, 8, 13, "counts.listings", "must be as many as bodies, or none" },
		{ AT_COUNTS + 8, 8, 4, "counts", "do not make up the snapshot's size" },
		{ AT_COUNTS + 16, 8, 0, "counts.pairs", "must be 0 without listings" },
		{ AT_COUNTS + 24, 8, 0x7ffffffe, "counts", "do not make up the snapshot's size" },
		{ AT_HASH, 8, 1, "world.hash", "is not that of the state" },
		{ AT_MIX, 4, 4, "world.restitution_mix", "is out of its range" },
		{ AT_TURNS, 1, 0, "world.turns", "must be true: something turns, or could" },
		{ AT_TURNS, 1, 2, "world.turns", "is out of its range" },
		{ AT_BODIES + BODY_BYTES, 4, 0, "bodies.id", "must ascend" },
		{ AT_BODIES + IN_BODY_KIND, 1, 3, "bodies.kind", "is out of its range" },
		{ AT_BODIES + IN_BODY_KIND, 1, 1, "bodies.mass", "must be infinite: the body is not dynamic" },
		{ AT_BODIES + IN_BODY_MASS, 8, nan, "bodies.mass", "is out of its range" },
		{ AT_BODIES + IN_BODY_X, 8, nan, "bodies.x", "is out of its range" },
		{ AT_BODIES + IN_BODY_X, 8, one, "world.hash", "is not that of the state" },
		{ AT_BODIES + IN_BODY_RESPONSE, 1, 3, "bodies.response", "is out of its range" },
		{ AT_BODIES + IN_BODY_GRAVITY_SCALE, 8, nan, "bodies.gravity_scale", "is out of its range" },
		{ AT_BODIES + IN_BODY_SETTLE, 1, 64, "bodies.settle", "is out of its range" },
		{ AT_BODIES + IN_BODY_SETTLE, 1, 8, "bodies.settle", "must be awake: nothing may sleep here" },
		{ AT_BODIES + IN_BODY_SETTLE, 1, 36, "bodies.settle", "must be awake: nothing may sleep here" },
		{ AT_COUNTS + 32, 8, 3, "counts.calms", "must be as many as bodies, or none" },
		{ AT_COUNTS + 40, 8, 1, "counts", "do not make up the snapshot's size" },
		{ AT_TURNS + 2, 8, nan, "world.sleep_after", "is out of its range" },
		{ AT_COUNTS + 48, 8, 1, "counts", "do not make up the snapshot's size" },
		{ AT_EVENTS, 4, 8, "world.events", "is out of its range" },
		{ AT_EVENTS + 4, 8, nan, "world.hit_speed", "is out of its range" },
		{ AT_BODIES + BODY_BYTES - 10, 1, 2, "bodies.sensor", "is out of its range" },
		{ segments + SEGMENT_BYTES - 33 - 19, 1, 2, "segments.sensor", "is out of its range" },
		{ segments + SEGMENT_BYTES, 4, 0, "segments.id", "must ascend" },
		{ segments + SEGMENT_BYTES - 33 - 14, 8, nan, "segments.radius", "is out of its range" },
		{ segments + SEGMENT_BYTES - 33 - 14, 8, 1, "segments.radius", "must be 0, or 1e-9 and more" },
		{ segments + SEGMENT_BYTES - 33 - 6, 1, 2, "segments.one_sided", "is out of its range" },
		{ AT_BODIES + IN_BODY_GROUP, 1, 64, "bodies.group", "is out of its range" },
		{ segments + SEGMENT_BYTES - 33 - 1, 1, 64, "segments.group", "is out of its range" },
		{ segments + SEGMENT_BYTES - 33, 8, nan, "segments.vx", "is out of its range" },
		{ segments + SEGMENT_BYTES - 33, 8, minus_zero, "segments.vx", "must be 0, not -0" },
		{ segments + SEGMENT_BYTES - 25, 8, nan, "segments.vy", "is out of its range" },
		{ segments + SEGMENT_BYTES - 25, 8, minus_zero, "segments.vy", "must be 0, not -0" },
		{ segments + SEGMENT_BYTES - 17, 8, nan, "segments.moved_x", "is out of its range" },
		{ segments + SEGMENT_BYTES - 9, 8, nan, "segments.moved_y", "is out of its range" },
		{ AT_WALL_ROOM, 8, nan, "world.wall_room", "is out of its range" },
		{ AT_WALL_ROOM + 8, 8, 0, "world.work_per_tick_max", "is out of its range" },
		{ AT_WALL_ROOM + 8, 8, 1000000000001, "world.work_per_tick_max", "is out of its range" },
		{ AT_WALL_ROOM + 16, 8, 0, "world.work_per_body_max", "is out of its range" },
		{ AT_WALL_ROOM + 16, 8, 1000000001, "world.work_per_body_max", "is out of its range" },
		{ AT_COUNTS + 64, 8, 2081, "counts.relations", "is out of its range" },
		{ AT_COUNTS + 72, 8, 3, "counts.rules", "must be as many as bodies, or none" },
		{ AT_COUNTS + 72, 8, 0, "counts", "do not make up the snapshot's size" },
		{ AT_COUNTS + 80, 8, 3, "counts.tags", "must be as many as bodies, or none" },
		{ AT_COUNTS + 80, 8, 0, "counts", "do not make up the snapshot's size" },
		{ AT_BOUNDS, 1, 2, "world.has_bounds", "is out of its range" },
		{ AT_BOUNDS, 1, 0, "world.bounds_x_max", "must be 0, as all bounds of a world without" },
		{ AT_DT, 8, nan, "world.dt", "is out of its range" },
		{ AT_BOUNDS + 1, 8, nan, "world.bounds_x_min", "is out of its range" },
		{ AT_BOUNDS + 25, 8, nan, "world.bounds_y_max", "is out of its range" },
		{ AT_BOUNDS + 1, 8, UINT64_C(0x40c3880000000000), "world.bounds_x_max",
		  "must not be less than x_min, nor y_max than y_min" },
		{ segments + SEGMENT_BYTES - 1, 1, 2, "segments.disabled", "is out of its range" },
		{ rules + 3 * RULE_BYTES, 8, 512, "rules.report_groups", "must have no group of stop_groups or remove_groups" },
		{ rules + 3 * RULE_BYTES + 24, 8, nan, "rules.lifetime_s", "is out of its range" },
		{ rules + 3 * RULE_BYTES + 32, 4, 7, "world.hash", "is not that of the state" },
		{ rules + 3 * RULE_BYTES + 40, 1, 3, "rules.ignore", "is out of its range" },
		{ AT_COUNTS + 64, 8, 1, "counts", "do not make up the snapshot's size" },
		{ relations, 4, 64, "relations.group_a", "is out of its range" },
		{ relations + RELATION_BYTES, 4, 0, "relations.group_b", "must ascend" },
		{ relations + 8, 4, 5, "relations.kind", "is out of its range" },
		{ relations + 12, 1, 2, "relations.has_weight_a", "is out of its range" },
		{ relations + 31, 8, nan, "relations.elasticity", "is out of its range" },
		{ relations + RELATION_BYTES + 14, 1, 1, "relations.elasticity", "has no meaning for this kind; leave it out" },
		{ relations + RELATION_BYTES + 8, 4, 1, "relations.weight_a", "has no meaning for this kind; leave it out" },
		{ listings, 1, 2, "listings.listed", "is out of its range" },
		{ listings, 1, 0, "listings.x", "must be 0, as the rest: the body is not listed" },
		{ listings + 17, 8, nan, "listings.share", "is out of its range" },
		{ pairs, 4, 12, "pairs.a", "must be the index of a listed body" },
		{ pairs + 4, 4, 0x80000003, "pairs.b", "must be the index of a listed body behind the first, or of a segment" },
		{ pairs + 4, 4, 0, "pairs.b", "must be the index of a listed body behind the first, or of a segment" },
		{ pairs + PAIR_BYTES + 4, 4, 1, "pairs.b", "must ascend" },
		{ pairs + 8, 8, nan, "pairs.normal", "is out of its range" },
	};
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		const struct refusal *r = &refusals[i];
		struct snapshot other = copy_of(&s);
		struct snapshot_problem problem;
		struct world *world = NULL;
		number_put(other.bytes + r->at, r->size, r->number);
		snapshot_seal(&other);
		assert_int_equal(try_restore(other.bytes, other.size, &problem, &world), STATUS_INVALID_ARGUMENT);
		assert_string_equal(problem.field, r->field);
		assert_string_equal(problem.text, r->text);
		/* There is one world. */
		if (strncmp(r->field, "world.", 6) == 0)
			assert_int_equal(problem.index, 0);
		free(other.bytes);
	}
	free(s.bytes);
}

/* What has no meaning, and is not kept, is 0 to the bit: else the world would be written otherwise than it was read. */
static void
test_a_minus_zero_that_would_be_lost_is_refused(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scene_pile(&scenario, 5, 3, 0.4, 0.5, 3);
	scenario_circle(&scenario, 90, 90, 0, 0, 1)->kind = BODY_STATIC;
	(void)scenario_circle(&scenario, 50, 50, 1, 0, 1);
	run_start(&run, &scenario);
	run_ticks_unlogged(&run, 1.0 / 60, 60);
	struct snapshot s = snapshot_take(run.world);
	const size_t segments = number_get(s.bytes + AT_COUNTS + 8, 8);
	const size_t listings = AT_BODIES + 7 * BODY_BYTES + segments * SEGMENT_BYTES, last = listings + 6 * LISTING_BYTES;
	assert_int_equal(number_get(s.bytes + AT_COUNTS + 16, 8), 7);
	assert_int_equal(s.bytes[last], 0);
	const size_t places[] = { AT_BODIES + 5 * BODY_BYTES + IN_BODY_GRAVITY_SCALE, last + 1, last + 9, last + 17 };
	for (size_t k = 0; k < 4; k++) {
		struct snapshot other = copy_of(&s);
		struct snapshot_problem problem;
		struct world *world = NULL;
		double_put(other.bytes + places[k], -0.0);
		snapshot_seal(&other);
		assert_int_equal(try_restore(other.bytes, other.size, &problem, &world), STATUS_INVALID_ARGUMENT);
		assert_string_equal(problem.field, k == 0 ? "bodies.gravity_scale" : "listings.x");
		assert_int_equal(problem.index, k == 0 ? 5 : 6);
		free(other.bytes);
	}
	free(s.bytes);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A sleeper that has a velocity, or a spin, of any size and alone. */
static void
test_a_sleeper_that_moves_is_refused(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scene_pile(&scenario, 5, 3, 0.4, 0.5, 3);
	scenario.def.sleep_after = 0.2;
	for (size_t i = 0; i < 5; i++)
		scenario.circles[i].rolling_resistance = 0.2;
	run_start(&run, &scenario);
	for (int i = 0; i < 3000 && !world_body(run.world, 2).asleep; i++)
		run_ticks_unlogged(&run, 1.0 / 60, 1);
	assert_true(world_body(run.world, 2).asleep);
	struct snapshot s = snapshot_take(run.world);
	static const size_t places[] = { IN_BODY_VX, IN_BODY_VX + 8, IN_BODY_ANGLE + 8 };
	for (size_t k = 0; k < 6; k++) {
		struct snapshot other = copy_of(&s);
		struct snapshot_problem problem;
		struct world *world = NULL;
		double_put(other.bytes + AT_BODIES + 2 * BODY_BYTES + places[k / 2], k % 2 ? -1 : 1e-300);
		snapshot_seal(&other);
		assert_int_equal(try_restore(other.bytes, other.size, &problem, &world), STATUS_INVALID_ARGUMENT);
		assert_string_equal(problem.field, "bodies.vx");
		assert_int_equal(problem.index, 2);
		free(other.bytes);
	}
	free(s.bytes);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_a_snapshot_of_another_size_is_not_written(void **state)
{
	(void)state;
	struct snapshot s = small_heap();
	struct world *world = snapshot_restored(&s);
	assert_int_equal(world_snapshot(world, s.bytes, s.size - 1), STATUS_INVALID_ARGUMENT);
	assert_int_equal(world_snapshot(world, s.bytes, s.size + 1), STATUS_INVALID_ARGUMENT);
	world_destroy(world);
	free(s.bytes);
}

static bool
always(void *context)
{
	(void)context;
	return true;
}

static void
test_a_world_given_up_within_a_tick_has_no_snapshot(void **state)
{
	(void)state;
	struct scenario scenario;
	struct def_problem problem;
	struct world *world;
	struct tick_report report;
	scenario_init(&scenario);
	scene_gas(&scenario, 400, 100, 1);
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_OK);
	world_stop_set(world, always, NULL);
	assert_int_equal(world_step(world, 1, &report), STATUS_CANCELLED);
	const size_t size = world_snapshot_bytes(world);
	uint8_t *bytes = malloc(size);
	assert_non_null(bytes);
	assert_int_equal(world_snapshot(world, bytes, size), STATUS_FAILED_PRECONDITION);
	free(bytes);
	world_destroy(world);
	scenario_finish(&scenario);
}

int
main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	golden_path = argv[1];

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_golden_snapshot_has_the_future_that_it_was_made_for),
		cmocka_unit_test(test_the_engine_writes_the_golden_snapshot_as_it_is),
		cmocka_unit_test(test_semantics_of_another_engine),
		cmocka_unit_test(test_every_length_but_the_right_one_is_refused),
		cmocka_unit_test(test_every_byte_changed_is_refused),
		cmocka_unit_test(test_made_up_snapshots_do_no_harm),
		cmocka_unit_test(test_what_is_wrong_is_told),
		cmocka_unit_test(test_a_minus_zero_that_would_be_lost_is_refused),
		cmocka_unit_test(test_a_sleeper_that_moves_is_refused),
		cmocka_unit_test(test_a_snapshot_of_another_size_is_not_written),
		cmocka_unit_test(test_a_world_given_up_within_a_tick_has_no_snapshot),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
