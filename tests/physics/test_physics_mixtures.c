/* Mixtures: small random worlds of everything that the engine has, edited while they run (mixture.h). Each runs in two ways.
 * One is defined in the order of ids. The other is defined in another order, stepped in domains, and has a workspace. It begins
 * in a map of its walls, is restored from snapshots, and makes each tick again from a kept state. Both must say the same, bit
 * for bit: reports, refusals, snapshots, and the answers to questions of space. Blocks of memory are refused to the other one
 * now and then: what it was asked to do has then failed as a whole, and is asked for again. Nothing may be written beyond a
 * block, nor be left over.
 *
 * What they say is pinned too, in a file: argv[1]. It tells of any change of the bits; which of them are right is for the other
 * tests. Its last column is what they cost: counted work, predicted events, looks, memory, and how often it asked. A change of
 * that alone may be meant: none of it is in a result. The file is written anew with argv "write" and the file, as after a
 * change of PHYSICS_SEMANTICS. Or argv "seeds", a first seed and a count: only the comparison, of other mixtures. Those from
 * 2^40 on are ruled, and those from 2^41 on are wide; some of both are pinned after the chosen ones. */
#include "base/pause.h"
#include "bits/digest.h"
#include "physics/answer_digest.h"
#include "physics/followers.h"
#include "physics/keep.h"
#include "physics/mixture.h"
#include "physics/mixture_seeds.h"
#include "physics/mover.h"
#include "physics/partition/partition.h"
#include "physics/scenario.h"
#include "physics/snapshot_spoil.h"
#include "physics/velocities.h"
#include "physics/wall_map.h"

#include "support/effort.h"
#include "support/random.h"

#ifdef COLLIDED_TESTS_BLOCKS
#include "support/blocks.h"
#else
/* A sanitizer has its own. */
static size_t blocks_count, blocks_room;
static bool blocks_refuse_once, blocks_refused;
#endif

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One line of the file is the digest of so many seeds. */
#define SEEDS_PER_LINE 10

/* And so many ruled ones, and wide ones. */
#define RULED 70
#define WIDE 150

static const char *pinned_path, *written_path;
/* 0: those chosen. */
static uint64_t seed_first, seed_count = sizeof chosen / sizeof *chosen + RULED + WIDE;
static uint64_t ticks_made, edits_made, edits_refused, ticks_returned, pairs_told, asleep_seen, led_seen, hits_seen,
	refused_seen, domain_ticks, ends_seen, mapped_seen, spoiled_seen, taken_seen;

struct course {
	struct mixture mixture;
	struct world *plain, *other;
	struct workspace *workspace;
	struct world_kept *kept;
	struct wall_map *map; /* that the other begins in; NULL: in none */
	struct workers workers;
	unsigned hands;
	uint64_t seed, digest, cost; /* digests of what was said, and of what it cost */
	uint64_t asked;              /* questions whether work may go on (base/pause.h) */
	uint64_t hunger;             /* random: when memory is refused */
};

static unsigned
hands_count(void *context)
{
	return ((struct course *)context)->hands;
}

static void
hands_run(void *context, unsigned count, void (*piece)(void *argument, unsigned index), void *argument)
{
	(void)context;
	for (unsigned i = 0; i < count; i++)
		piece(argument, count - 1 - i);
}

/* From here on a block may be refused, in half of the mixtures. */
static void
starve(struct course *course)
{
	blocks_refused = false;
	if (course->seed % 2 || random_below(&course->hunger, 2))
		return;
	blocks_refuse_once = random_below(&course->hunger, 2);
	blocks_room = (size_t)random_below(&course->hunger, random_below(&course->hunger, 2) ? 4 : 40);
}

/* No block is refused any more. True: what was called has failed for want of one, and must be called again. */
static bool
starved(enum status status)
{
	const bool failed = blocks_refused && status == STATUS_RESOURCE_EXHAUSTED;
	blocks_room = SIZE_MAX;
	refused_seen += failed;
	return failed;
}

static bool
question(void *asked)
{
	++*(uint64_t *)asked;
	return false;
}

static void
other_lend(struct course *course)
{
	world_stop_set(course->other, question, &course->asked);
	if (course->seed % 2 || course->mixture.gas)
		world_workers_set(course->other, &course->workers);
	if (course->seed % 3)
		world_workspace_set(course->other, course->workspace);
}

/* In some mixtures the other begins in a map: where no wall moves. */
static void
other_map(struct course *course, struct world_def *def)
{
	struct def_problem problem;
	if (course->seed % 4 != 1)
		return;
	for (size_t i = 0; i < def->segment_count; i++)
		if (def->segments[i].vx != 0 || def->segments[i].vy != 0)
			return;
	assert_int_equal(wall_map_create(def->segments, def->segment_count, &problem, &course->map), STATUS_OK);
	assert_int_equal(wall_map_segment_count(course->map), def->segment_count);
	def->map = course->map;
	def->segment_count = 0;
	mapped_seen++;
}

/* False: it is refused, as both say. */
static bool
course_start(struct course *course, uint64_t seed)
{
	struct def_problem problem;
	static struct mixture shuffled;
	*course = (struct course){ .seed = seed, .hunger = seed ^ 0x68756e67, .hands = 2 + (unsigned)(seed % 3) };
	course->workers = (struct workers){ hands_count, hands_run, course, .bodies_min = 1, .rows_min = 1 };
	mixture_make(&course->mixture, seed);
	const enum status status = world_create(&course->mixture.def, &problem, &course->plain);
	shuffled = course->mixture;
	shuffled.def.circles = shuffled.circles;
	shuffled.def.segments = shuffled.segments;
	shuffled.def.relations = shuffled.relations;
	mixture_shuffle(&shuffled, seed);
	digest_number(&course->digest, (uint64_t)status);
	if (status != STATUS_OK) {
		digest_number(&course->digest, problem.index << 8 | problem.field);
		assert_int_equal(world_create(&shuffled.def, &problem, &course->other), status);
		return false;
	}
	world_stop_set(course->plain, question, &course->asked);
	other_map(course, &shuffled.def);
	starve(course);
	if (starved(world_create(&shuffled.def, &problem, &course->other)))
		assert_null(course->other);
	if (!course->other)
		assert_int_equal(world_create(&shuffled.def, &problem, &course->other), STATUS_OK);
	assert_int_equal(workspace_create(&course->workspace), STATUS_OK);
	assert_int_equal(world_kept_create(&course->kept), STATUS_OK);
	other_lend(course);
	return true;
}

static void
course_finish(struct course *course)
{
	world_destroy(course->plain);
	world_destroy(course->other);
	workspace_destroy(course->workspace);
	world_kept_destroy(course->kept);
	wall_map_release(course->map);
}

static void
snapshots_same(const struct course *course)
{
	struct snapshot a = snapshot_take(course->plain), b = snapshot_take(course->other);
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.bytes, b.bytes, a.size);
	free(a.bytes);
	free(b.bytes);
}

/* Of the other world, before it is gone. */
static void
domains_count(struct course *course)
{
	const struct partition_counts counts = partition_counts(course->other);
	domain_ticks += counts.ticks;
	if (course->seed % 2 == 0)
		return;
	digest_number(&course->cost, world_memory_bytes(course->other));
	digest_number(&course->cost, workspace_memory_bytes(course->workspace));
	digest_number(&course->cost, world_kept_memory_bytes(course->kept));
	digest_number(&course->cost, counts.ticks);
	digest_number(&course->cost, counts.events);
	digest_number(&course->cost, counts.left_events);
}

/* The other world from its own snapshot. */
static void
other_restore(struct course *course)
{
	struct snapshot snapshot = snapshot_take(course->other);
	struct world *restored = NULL;
	struct snapshot_problem problem;
	starve(course);
	if (starved(world_restore(snapshot.bytes, snapshot.size, 0, &problem, &restored)))
		assert_null(restored);
	world_destroy(restored);
	restored = snapshot_restored(&snapshot);
	domains_count(course);
	world_destroy(course->other);
	course->other = restored;
	other_lend(course);
	free(snapshot.bytes);
}

static void
other_edit(struct course *course, const struct edit *edits, size_t count, enum status status)
{
	struct def_problem problem;
	const uint64_t hash = world_hash(course->other);
	starve(course);
	const enum status first = world_edit(course->other, edits, count, &problem);
	if (!starved(first)) {
		assert_int_equal(first, status);
		return;
	}
	assert_true(world_hash(course->other) == hash);
	assert_int_equal(world_edit(course->other, edits, count, &problem), status);
}

/* In the other world the batch's order is reversed. */
static void
course_edit(struct course *course)
{
	struct edit edits[MIXTURE_EDITS_MAX], reversed[MIXTURE_EDITS_MAX];
	struct def_problem problem;
	const size_t count = mixture_edits(&course->mixture, course->plain, edits);
	for (size_t i = 0; i < count; i++)
		reversed[i] = edits[count - 1 - i];
	const enum status status = world_edit(course->plain, edits, count, &problem);
	other_edit(course, reversed, count, status);
	digest_number(&course->digest, (uint64_t)status);
	edits_made += status == STATUS_OK;
	edits_refused += status != STATUS_OK;
	if (status != STATUS_INVALID_ARGUMENT)
		return;
	digest_number(&course->digest, problem.index << 8 | problem.field);
	digest_text(&course->digest, problem.text);
}

/* Sets by columns, and in the other world by edits. */
static void
course_throw(struct course *course)
{
	uint32_t ids[8];
	double vx[8], vy[8];
	struct edit edits[8];
	struct def_problem problem;
	size_t count = 0;
	uint64_t *random = &course->mixture.random;
	for (size_t i = (size_t)random_below(random, 3); i < world_body_count(course->plain) && count < 8; i += 2) {
		struct circle_def circle = world_circle(course->plain, i);
		if (circle.kind == BODY_STATIC)
			continue;
		circle.vx = vx[count] = course->mixture.scale * random_between(random, -5, 5);
		circle.vy = vy[count] = course->mixture.scale * random_between(random, -5, 5);
		edits[count] = edit_circle_change(&circle, edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY));
		ids[count++] = circle.id;
	}
	assert_int_equal(world_velocities_set(course->plain, ids, vx, vy, count, &problem), STATUS_OK);
	other_edit(course, edits, count, STATUS_OK);
}

/* Goes ahead from where it is, by an edit of circles and a tick, and comes back as if it had not. */
static void
other_look_ahead(struct course *course)
{
	struct tick_report report;
	struct def_problem problem;
	starve(course);
	if (starved(world_keep(course->other, course->kept)) || random_below(&course->hunger, 2))
		assert_int_equal(world_keep(course->other, course->kept), STATUS_OK);
	if (course->seed % 2 && world_body_count(course->other) > 1) {
		struct circle_def circle = world_circle(course->other, 1);
		circle.vx = circle.kind == BODY_STATIC ? 0 : 3;
		const struct edit edits[] = { edit_circle_remove(world_body(course->other, 0).id),
			                          edit_circle_change(&circle, edit_field(DEF_CIRCLE_VX)) };
		assert_int_equal(world_edit(course->other, edits, 2, &problem), STATUS_OK);
	}
	if (world_step(course->other, course->mixture.dt, &report) != STATUS_OK)
		return;
	starve(course);
	if (starved(world_return(course->other, course->kept)) || random_below(&course->hunger, 2))
		assert_int_equal(world_return(course->other, course->kept), STATUS_OK);
	assert_int_equal(world_kept_tick(course->kept), world_tick(course->other));
	ticks_returned++;
}

/* A tick that failed leaves no world: another one goes on from before it. */
static void
other_step(struct course *course, struct tick_report *report)
{
	struct snapshot before = snapshot_take(course->other);
	starve(course);
	const enum status status = world_step(course->other, course->mixture.dt, report);
	if (starved(status)) {
		world_destroy(course->other);
		course->other = snapshot_restored(&before);
		other_lend(course);
		assert_int_equal(world_step(course->other, course->mixture.dt, report), STATUS_OK);
	} else {
		assert_int_equal(status, STATUS_OK);
	}
	free(before.bytes);
}

static void
course_tick(struct course *course, uint64_t tick)
{
	struct tick_report report, same;
	if (tick % 3 == course->seed % 3)
		other_look_ahead(course);
	const enum status status = world_step(course->plain, course->mixture.dt, &report);
	assert_int_equal(status, STATUS_OK);
	other_step(course, &same);
	reports_same(&report, &same);
	assert_int_equal(report.work, same.work);
	digest_report(&course->digest, world_hash(course->plain), &report);
	places_digest(&course->digest, &report);
	cost_digest(&course->cost, &report);
	digest_number(&course->cost, world_memory_bytes(course->plain));
	/* To these no memory is refused, so that they are the same with any allocator. */
	if (course->seed % 2)
		cost_digest(&course->cost, &same);
	ticks_made++;
	pairs_told += report.pair_event_count;
	asleep_seen += report.asleep;
	ends_seen += report.end_count;
	for (size_t i = 0; i < report.path_change_count; i++)
		led_seen += report.path_changes[i].kind == PATH_LED;
}

static void
hits_digest(uint64_t *digest, enum status status, const struct space_hits *hits)
{
	assert_int_equal(status, STATUS_OK);
	digest_number(digest, hits->count);
	hits_seen += hits->count;
	for (size_t i = 0; i < hits->count; i++)
		hit_digest(digest, &hits->hits[i]);
}

/* The same questions, always: of the same answers the same digest. */
static uint64_t
space_digest(const struct space *space, const struct mixture *m, uint64_t seed)
{
	uint64_t digest = 0, *random = &seed;
	struct space_hits hits = { 0 };
	struct mover_path path = { 0 };
	const double s = m->size * m->scale;
	for (int i = 0; i < 6; i++) {
		const double x = m->at_x + random_between(random, -s, s), y = m->at_y + random_between(random, -s, s);
		const double x1 = m->at_x + random_between(random, -s, s), y1 = m->at_y + random_between(random, -s, s);
		const double radius = m->scale * MIXTURE_PICK(random, 0, 0.1, 0.5, 2);
		const struct tolerance tolerance = { MIXTURE_PICK(random, 0, 0.1), MIXTURE_PICK(random, 0, 0.01) };
		const size_t limit = (size_t)MIXTURE_PICK(random, 1, 3, 100);
		const uint32_t ignored[] = { 0, 7, 11 };
		struct space_filter filter = space_filter_default();
		filter.mask = random_below(random, 2) ? UINT32_MAX : 1;
		filter.filter_group = (int32_t)random_below(random, 3) - 1;
		filter.ignore_circles = filter.ignore_segments = ignored;
		filter.ignore_circle_count = (size_t)random_below(random, 3);
		filter.ignore_segment_count = (size_t)random_below(random, 3);
		const struct space_cast cast = { x, y, x1 - x, y1 - y, radius, (enum space_start)random_below(random, 3) };
		hits_digest(&digest, space_cast(space, &cast, &filter, limit, &hits), &hits);
		const struct space_circle circle = { x, y, radius };
		hits_digest(&digest, space_overlap_circle(space, &circle, &tolerance, &filter, limit, &hits), &hits);
		const struct space_box box = { x < x1 ? x : x1, y < y1 ? y : y1, x < x1 ? x1 : x, y < y1 ? y1 : y };
		hits_digest(&digest, space_overlap_box(space, &box, &tolerance, &filter, limit, &hits), &hits);
		const struct wall wall = { .x1 = x, .y1 = y, .x2 = x1, .y2 = y1, .radius = 0.5 * radius };
		hits_digest(&digest, space_overlap_segment(space, &wall, &tolerance, &filter, limit, &hits), &hits);
		const double gap_max = m->scale * MIXTURE_PICK(random, 0, 1, 1e3);
		hits_digest(&digest, space_nearest(space, &circle, gap_max, &tolerance, &filter, limit, &hits), &hits);
		const struct mover mover = {
			x, y, radius > 0 ? radius : 0.2 * m->scale, 3 * (x1 - x), 3 * (y1 - y), 0, i % 2 ? 16 : 2
		};
		assert_int_equal(space_move(space, &mover, &filter, &path), STATUS_OK);
		path_digest(&digest, &path);
	}
	space_hits_finish(&hits);
	mover_path_finish(&path);
	return digest;
}

static void
course_ask(struct course *course)
{
	struct space *space, *same;
	assert_int_equal(space_create_of_world(course->plain, &space), STATUS_OK);
	starve(course);
	if (starved(space_create_of_world(course->other, &same)))
		assert_int_equal(space_create_of_world(course->other, &same), STATUS_OK);
	const uint64_t digest = space_digest(space, &course->mixture, course->seed);
	assert_true(digest == space_digest(same, &course->mixture, course->seed));
	digest_number(&course->digest, digest);
	digest_number(&course->cost, space_memory_bytes(space));
	space_destroy(space);
	space_destroy(same);
}

/* All pairs of the definition, as they begin and as they move. */
static void
course_survey(struct course *course)
{
	const struct all_pairs_settings settings = { .tolerance = { 0.01, 0 },
		                                         .duration = course->seed % 3 ? 0.25 : 0,
		                                         .reading = course->seed % 2 ? READING_FILLED : READING_OUTLINE,
		                                         .skin = course->seed % 5 == 0 };
	struct all_pairs *all_pairs;
	struct all_pairs_row row;
	struct def_problem problem;
	enum all_pairs_progress progress;
	assert_int_equal(all_pairs_create(&course->mixture.def, &settings, &problem, &all_pairs), STATUS_OK);
	while ((progress = all_pairs_next(all_pairs, &row)) != SURVEY_DONE) {
		assert_int_not_equal(progress, SURVEY_NO_MEMORY);
		if (progress != SURVEY_PAIR)
			continue;
		digest_number(&course->digest, (uint64_t)row.a << 32 | (uint64_t)row.segment << 16 | row.b);
		distance_digest(&course->digest, &row.distance);
		if (settings.duration > 0)
			sweep_digest(&course->digest, &row.sweep);
	}
	const struct all_pairs_counts *counts = all_pairs_counts(all_pairs);
	for (size_t i = 0; i < 3; i++)
		digest_number(&course->digest, counts->relations[i]);
	for (size_t i = 0; i < SWEEP_OUTCOMES; i++)
		digest_number(&course->digest, counts->sweeps[i]);
	digest_number(&course->cost, all_pairs_memory_bytes(all_pairs));
	all_pairs_destroy(all_pairs);
}

struct digests {
	uint64_t said, cost;
};

/* Some of a snapshot is made up, and it is sealed again: what is refused of it, or what is taken. */
static void
course_spoil(struct course *course, uint64_t random)
{
	const struct snapshot snapshot = snapshot_take(course->plain);
	struct snapshot spoiled = { .bytes = malloc(snapshot.size), .size = snapshot.size };
	assert_non_null(spoiled.bytes);
	for (int i = 0; i < 8; i++) {
		struct snapshot_problem problem = { .field = "", .text = "" };
		struct world *restored = NULL;
		snapshot_spoil(&spoiled, &snapshot, &random);
		const enum status status = world_restore(spoiled.bytes, spoiled.size, 0, &problem, &restored);
		digest_number(&course->digest, (uint64_t)status);
		if (status == STATUS_OK) {
			struct snapshot again = snapshot_take(restored);
			digest_number(&course->digest, number_get(again.bytes + again.size - 8, 8));
			free(again.bytes);
			world_destroy(restored);
			taken_seen++;
			continue;
		}
		digest_number(&course->digest, problem.index);
		digest_text(&course->digest, problem.field);
		digest_text(&course->digest, problem.text);
		spoiled_seen++;
	}
	free(snapshot.bytes);
	free(spoiled.bytes);
}

static void
mixture_run(struct digests *digests, uint64_t seed)
{
	static struct course course;
	const size_t blocks = blocks_count;
	struct pause before;
	pause_begin(&before, question, &course.asked);
	if (course_start(&course, seed)) {
		course_survey(&course);
		for (uint64_t tick = 0; tick < course.mixture.ticks; tick++) {
			if (random_below(&course.mixture.random, course.mixture.gas ? 8 : 4) == 0)
				course_edit(&course);
			if (random_below(&course.mixture.random, 10) == 0)
				course_throw(&course);
			if (random_below(&course.mixture.random, 16) == 0 && !course.mixture.gas) {
				const unsigned events = (unsigned)random_below(&course.mixture.random, 8);
				assert_int_equal(world_events_set(course.plain, events), STATUS_OK);
				starve(&course);
				if (starved(world_events_set(course.other, events)))
					assert_int_equal(world_events_set(course.other, events), STATUS_OK);
			}
			course_tick(&course, tick);
			if (tick % 5 == 4) {
				snapshots_same(&course);
				course_spoil(&course, seed ^ tick << 32);
				other_restore(&course);
			}
		}
		domains_count(&course);
		course_ask(&course);
	}
	course_finish(&course);
	pause_end(&before);
	if (seed % 2)
		digest_number(&course.cost, course.asked);
	assert_int_equal(blocks_count, blocks);
	digest_number(&digests->said, course.digest);
	digest_number(&digests->cost, course.cost);
}

static uint64_t
seed_at(uint64_t index)
{
	const uint64_t count = sizeof chosen / sizeof *chosen;
	if (seed_first)
		return seed_first + index;
	return index < count           ? chosen[index]
	       : index < count + RULED ? MIXTURE_RULED + (index - count)
	                               : MIXTURE_WIDE + (index - count - RULED);
}

static void
test_mixtures(void **state)
{
	(void)state;
	FILE *pinned = pinned_path ? fopen(pinned_path, "r") : NULL, *written = written_path ? fopen(written_path, "w") : NULL;
	assert_true((!pinned_path || pinned) && (!written_path || written));
	unsigned wrong = 0;
	for (uint64_t i = 0; i < seed_count;) {
		const uint64_t begin = i;
		struct digests digests = { 0 };
		char line[96], wanted[96] = "";
		if (pinned && begin / SEEDS_PER_LINE % effort(3, 1) > 0) {
			assert_non_null(fgets(wanted, sizeof wanted, pinned));
			i += SEEDS_PER_LINE;
			continue;
		}
		for (; i < seed_count && i < begin + SEEDS_PER_LINE; i++)
			mixture_run(&digests, seed_at(i));
		(void)snprintf(line, sizeof line, "mixtures_%-3" PRIu64 " %016" PRIx64 " %016" PRIx64 "\n", begin, digests.said,
		               digests.cost);
		if (written)
			(void)fputs(line, written);
		if (!pinned)
			continue;
		if (!fgets(wanted, sizeof wanted, pinned) || strcmp(line, wanted) != 0) {
			print_error("is     %spinned %sThe first one that differs. To write all anew: test_physics_mixtures write FILE\n",
			            line, wanted);
			wrong++;
			break;
		}
	}
	if (pinned)
		(void)fclose(pinned);
	if (written)
		(void)fclose(written);
	print_message("%" PRIu64 " ticks, %" PRIu64 " of them made twice, %" PRIu64 " batches of edits and %" PRIu64
	              " refused, %" PRIu64 " events of pairs, %" PRIu64 " sleepers, %" PRIu64 " driven by the rest solver, %" PRIu64
	              " hits of queries\n",
	              ticks_made, ticks_returned, edits_made, edits_refused, pairs_told, asleep_seen, led_seen, hits_seen);
	print_message("%" PRIu64 " times no memory, %" PRIu64 " ticks in domains, %" PRIu64 " ends, %" PRIu64 " in a map\n",
	              refused_seen, domain_ticks, ends_seen, mapped_seen);
	print_message("spoiled snapshots: %" PRIu64 " refused, %" PRIu64 " taken\n", spoiled_seen, taken_seen);
	assert_int_equal(wrong, 0);
	/* All of it was there. */
	assert_true(edits_refused > 0 && asleep_seen > 0 && led_seen > 0 && pairs_told > 0 && hits_seen > 0 && domain_ticks > 0 &&
	            mapped_seen > 0 && spoiled_seen > 0 && taken_seen > 0);
}

int
main(int argc, char **argv)
{
	if (argc == 2)
		pinned_path = argv[1];
	else if (argc == 3)
		written_path = argv[2];
	else if (argc == 4) {
		seed_first = strtoull(argv[2], NULL, 10);
		seed_count = strtoull(argv[3], NULL, 10);
	}
	pause_units_set(64); /* so that each kind of work is asked about */
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_mixtures) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
