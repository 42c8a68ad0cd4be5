/* Soups (soup.h) with contact rules, lifetimes and ignored circles. Every tick is made three times: also from a snapshot, and
 * after a return (self_check.h). Another world has a shuffled definition, tasks and a workspace. Ledgers close, no two overlap
 * that meet, what has ended is not there. The certificate follows each path, and knows the rules from the scene. And a gas with
 * rules, in domains.
 *
 * argv: number of soups (default 150), and the first seed. */
#include "physics/certified.h"
#include "physics/followers.h"
#include "physics/scenes.h"
#include "physics/self_check.h"
#include "physics/soup.h"
#include "support/effort.h"
#include "support/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t soups = 150, first_seed = 1;

/* What the soups came to. */
static struct {
	uint64_t ticks, contacts, ends[3], stops, releases, enters, refused, jumps;
} seen;

static bool
chance(uint64_t *random, double part)
{
	return random_between(random, 0, 1) < part;
}

static uint64_t
groups_pick(uint64_t *random, uint64_t except)
{
	return random_below(random, 8) & ~except;
}

/* Rules for some of the circles: all groups are 0..2. */
static void
rules_add(struct soup *soup, uint64_t seed)
{
	struct scenario *scenario = &soup->scenario;
	uint64_t random = seed ^ UINT64_C(0x72756c6573);
	double ruled = random_between(&random, 0, 0.6), living = chance(&random, 0.6) ? 0.5 : 0,
		   ignoring = chance(&random, 0.5) ? 0.4 : 0;

	for (size_t i = 0; i < scenario->circle_count; i++) {
		struct circle_def *c = &scenario->circles[i];

		if (scenario->def.relation_count == 0)
			c->group = (uint32_t)random_below(&random, 3);
		if (chance(&random, ruled)) {
			c->stop_groups = chance(&random, 0.5) ? groups_pick(&random, 0) : 0;
			c->remove_groups = chance(&random, 0.3) ? groups_pick(&random, c->stop_groups) : 0;
			c->report_groups = chance(&random, 0.3) ? groups_pick(&random, c->stop_groups | c->remove_groups) : 0;
		}
		if (chance(&random, living)) {
			c->lifetime_ticks = chance(&random, 0.5) ? (uint32_t)random_below(&random, 20) : 0;
			c->lifetime_s = chance(&random, 0.5) ? random_between(&random, 0, 30 * soup->dt) : 0;
		}
		if (chance(&random, ignoring)) {
			c->ignore = (enum ignore)random_below(&random, 3);
			c->ignored_circle = scenario->circles[random_below(&random, scenario->circle_count)].id;
		}
		c->tag = chance(&random, 0.2) ? random_bits(&random) : 0;
	}
	for (size_t i = 0; i < scenario->segment_count && scenario->def.relation_count == 0; i++)
		scenario->segments[i].group = (uint32_t)random_below(&random, 3);
	scenario->def.events = (unsigned)random_below(&random, 8);
}

static double
larger(double a, double b)
{
	return a > b ? a : b;
}

/* By how much the ledger is off, in parts of its terms. */
static double
ledger_error(const struct tick_report *report)
{
	const struct energy_ledger *e = &report->energy;
	const double terms[] = {
		e->kinetic_before, e->kinetic_after, e->potential_before, e->potential_after, e->contact, e->work,
		e->push,           e->clip,          e->support,          e->sleep,           e->damping, e->removed
	};
	double off = e->kinetic_after - e->kinetic_before + e->potential_after - e->potential_before, most = 1e-300;

	for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
		most = larger(most, fabs(terms[i]));
		off -= i < 4 ? 0 : terms[i];
	}
	return fabs(off) / most;
}

static bool
filters_meet(const struct circle_def *a, const struct circle_def *b)
{
	if (a->filter_group == b->filter_group && a->filter_group != 0)
		return a->filter_group > 0;
	return (a->category & b->mask) && (b->category & a->mask);
}

static bool
circles_meet(const struct circle_def *a, const struct circle_def *b)
{
	return filters_meet(a, b) && !a->sensor && !b->sensor && (a->kind == BODY_DYNAMIC || b->kind == BODY_DYNAMIC) &&
	       !(a->report_groups >> b->group & 1) && !(b->report_groups >> a->group & 1) &&
	       !(a->ignore != IGNORE_NONE && a->ignored_circle == b->id) &&
	       !(b->ignore != IGNORE_NONE && b->ignored_circle == a->id);
}

/* Nothing overlaps that meets, by more than the rounding of touching at the start; of worlds without relations. */
static void
overlaps_check(const struct world *world, uint64_t seed)
{
	for (size_t i = 0; i < world_body_count(world); i++) {
		struct circle_def a = world_circle(world, i);

		for (size_t j = i + 1; j < world_body_count(world); j++) {
			struct circle_def b = world_circle(world, j);
			double depth = a.radius + b.radius - hypot(a.x - b.x, a.y - b.y);

			if (depth > 1e-12 * (a.radius + b.radius) && circles_meet(&a, &b))
				fail_msg("seed %" PRIu64 ": %u and %u overlap by %g", seed, a.id, b.id, depth);
		}
	}
}

static void
report_count(const struct world *world, const struct tick_report *report, uint64_t seed)
{
	double last = 0;

	seen.ticks++;
	seen.contacts += report->contact_count;
	for (size_t k = 0; k < report->end_count; k++) {
		const struct body_end *end = &report->ends[k];
		size_t index;

		seen.ends[end->reason]++;
		if (world_body_find(world, end->body, &index) || end->time < last)
			fail_msg("seed %" PRIu64 ": %u has ended, and is there", seed, end->body);
		last = end->time;
		for (size_t c = 0; c < report->contact_count; c++)
			if ((report->contacts[c].a == end->body ||
			     (report->contacts[c].other == CONTACT_CIRCLE && report->contacts[c].b == end->body)) &&
			    report->contacts[c].time > end->time)
				fail_msg("seed %" PRIu64 ": %u is hit after its end", seed, end->body);
		for (size_t c = 0; c < report->pair_event_count; c++)
			if ((report->pair_events[c].a == end->body ||
			     (report->pair_events[c].other == CONTACT_CIRCLE && report->pair_events[c].b == end->body)) &&
			    (report->pair_events[c].time > end->time || report->pair_events[c].kind == PAIR_EVENT_PERSIST))
				fail_msg("seed %" PRIu64 ": %u has a pair after its end", seed, end->body);
	}
	for (size_t k = 0; k < report->path_change_count; k++) {
		seen.stops += report->path_changes[k].kind == PATH_STOPPED;
		seen.releases += report->path_changes[k].kind == PATH_RELEASED;
	}
	for (size_t k = 0; k < report->pair_event_count; k++)
		seen.enters += report->pair_events[k].kind == PAIR_EVENT_ENTER;
}

static void
shuffle(struct scenario *scenario, uint64_t seed)
{
	uint64_t random = seed;

	for (size_t i = scenario->circle_count; i > 1; i--) {
		size_t j = random_below(&random, i);
		struct circle_def other = scenario->circles[j];

		scenario->circles[j] = scenario->circles[i - 1];
		scenario->circles[i - 1] = other;
	}
}

/* Whether the certificate can follow on: of the order of contacts and stops at one time it knows less than the engine. */
static bool
certified_follow(struct certified *certified, const struct world *world, double dt, const struct tick_report *report,
                 uint64_t seed)
{
	const enum status status = certified_tick(certified, world, dt, report);
	const struct certificate_report *found = certified_report(certified);

	if (found->overlaps > 0 || found->escapes > 0 || found->energy_faults > 0 || found->event_faults > 0)
		fail_msg("seed %" PRIu64 ": %s", seed, found->first_problem);
	if (found->jumps == 0)
		return status == STATUS_OK;
	print_message("seed %" PRIu64 ": %s\n", seed, found->first_problem);
	seen.jumps++;
	return false;
}

static void
soup_run(uint64_t seed)
{
	bool hostile = seed % 3 == 0;
	struct soup soup;
	struct world *world, *shuffled;
	struct workspace *workspace;
	struct def_problem problem;
	struct selfcheck check = { 0 };

	soup_make(&soup, seed, hostile);
	rules_add(&soup, seed);
	if (world_create(scenario_def(&soup.scenario), &problem, &world) != STATUS_OK) {
		assert_true(hostile);
		seen.refused++;
		soup_finish(&soup);
		return;
	}
	struct certified *certified = certified_create(scenario_def(&soup.scenario));
	bool followed = !hostile;

	assert_non_null(certified);
	shuffle(&soup.scenario, seed);
	assert_int_equal(world_create(scenario_def(&soup.scenario), &problem, &shuffled), STATUS_OK);
	assert_int_equal(workspace_create(&workspace), STATUS_OK);
	world_workspace_set(shuffled, workspace);
	world_workers_set(shuffled, &workers_in_turn);
	for (uint64_t tick = 0; tick < soup.ticks && tick < 60; tick++) {
		struct tick_report report, other;
		enum status status = selfcheck_step(&check, world, soup.dt, &report);

		if (status == STATUS_INTERNAL)
			fail_msg("seed %" PRIu64 ", tick %" PRIu64 ": %s", seed, tick, check.difference.text);
		assert_int_equal(status, world_step(shuffled, soup.dt, &other));
		if (status != STATUS_OK)
			break;
		reports_same(&report, &other);
		if (world_hash(world) != world_hash(shuffled))
			fail_msg("seed %" PRIu64 ", tick %" PRIu64 ": another hash", seed, tick);
		report_count(world, &report, seed);
		followed = followed && certified_follow(certified, world, soup.dt, &report, seed);
		if (!(ledger_error(&report) <= 1e-9) && !hostile)
			fail_msg("seed %" PRIu64 ", tick %" PRIu64 ": the ledger is off by %g", seed, tick, ledger_error(&report));
		if (!hostile && soup.scenario.def.relation_count == 0 && report.shortfall_count == 0)
			overlaps_check(world, seed);
	}
	certified_destroy(certified);
	selfcheck_finish(&check);
	world_destroy(world);
	world_destroy(shuffled);
	workspace_destroy(workspace);
	soup_finish(&soup);
}

static void
test_soups(void **state)
{
	(void)state;
	for (uint64_t seed = first_seed; seed < first_seed + soups; seed++)
		soup_run(seed);
	print_message("%" PRIu64 " ticks, %" PRIu64 " contacts, %" PRIu64 " soups refused\n", seen.ticks, seen.contacts,
	              seen.refused);
	print_message("ends %" PRIu64 " by contact, %" PRIu64 " by lifetime\n", seen.ends[0], seen.ends[1]);
	print_message("%" PRIu64 " stops, %" PRIu64 " released, %" PRIu64 " enters\n", seen.stops, seen.releases, seen.enters);
	assert_true(seen.jumps <= 1 + soups / 200);
	assert_true(soups < 100 || (seen.ends[0] > soups / 8 && seen.ends[1] > soups && seen.stops > soups && seen.enters > 0));
}

static unsigned
hands(void *context)
{
	return *(const unsigned *)context;
}

static void
tasks_run(void *context, unsigned count, void (*piece)(void *argument, unsigned index), void *argument)
{
	(void)context;
	/* The last first: the order must not matter. */
	while (count-- > 0)
		piece(argument, count);
}

/* Rules, lifetimes and ignored circles at random; some are so fast that domains meet what they did not expect. */
static void
gas_rule(struct scenario *scenario, uint64_t seed)
{
	uint64_t random = seed;

	for (size_t k = 0; k < scenario->circle_count; k++) {
		struct circle_def *c = &scenario->circles[k];

		c->group = k % 50 == 0;
		if (random_below(&random, 10) == 0)
			c->stop_groups = 2;
		else if (random_below(&random, 10) == 0)
			c->remove_groups = 2;
		else if (random_below(&random, 10) == 0)
			c->lifetime_s = random_between(&random, 0, 40.0 / 60);
		else if (random_below(&random, 40) == 0)
			c->lifetime_ticks = 1 + (uint32_t)random_below(&random, 40);
		if (random_below(&random, 10) == 0) {
			c->ignore = IGNORE_UNTIL_APART;
			c->ignored_circle = scenario->circles[(k + 1) % scenario->circle_count].id;
		}
		if (seed % 3 == 0 && random_below(&random, 500) == 0)
			c->vx *= 100;
	}
}

/* A gas with bullets and mines, stepped in domains by several numbers of tasks, and by one thread: the same rows and hash. */
static void
test_domains(void **state)
{
	static unsigned counts[] = { 2, 3, 8 };
	uint64_t ends = 0, stops = 0, partitioned = 0, again = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= effort(1, 8); seed++) {
		struct scenario scenario;
		struct world *worlds[4];
		struct def_problem problem;

		scenario_init(&scenario);
		scene_gas(&scenario, 3000, seed % 2 ? 5 : 60, seed);
		gas_rule(&scenario, seed);
		for (size_t w = 0; w < 4; w++) {
			assert_int_equal(world_create(scenario_def(&scenario), &problem, &worlds[w]), STATUS_OK);
			if (w < 3)
				world_workers_set(
					worlds[w], &(struct workers){
								   .count = hands, .run = tasks_run, .context = &counts[w], .bodies_min = 1, .rows_min = 8 });
		}
		for (int tick = 0; tick < 40; tick++) {
			struct tick_report one;

			assert_int_equal(world_step(worlds[3], 1.0 / 60, &one), STATUS_OK);
			assert_true(ledger_error(&one) <= 1e-9);
			ends += one.end_count;
			for (size_t k = 0; k < one.path_change_count; k++)
				stops += one.path_changes[k].kind == PATH_STOPPED;
			for (size_t w = 0; w < 3; w++) {
				struct tick_report several;

				assert_int_equal(world_step(worlds[w], 1.0 / 60, &several), STATUS_OK);

				reports_same(&one, &several);
				assert_true(world_hash(worlds[w]) == world_hash(worlds[3]));
				partitioned += several.cost.partition;
				again += several.cost.again;
			}
		}
		for (size_t w = 0; w < 4; w++)
			world_destroy(worlds[w]);
		scenario_finish(&scenario);
	}
	print_message("%d ends, %d stops, %d ticks in domains, %d again\n", (int)ends, (int)stops, (int)partitioned, (int)again);
	assert_true(ends > effort(200, 1000) && stops > effort(15, 100) && partitioned > effort(40, 100) && again >= effort(0, 1));
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_soups), cmocka_unit_test(test_domains) };

	if (argc > 1)
		soups = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		first_seed = strtoull(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
