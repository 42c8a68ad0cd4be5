/* Random soups: small scenes of everything that the engine has (soup.h), certified after each tick: nothing overlaps, nothing
 * is crossed, nothing is not a number, both ledgers close. Every few ticks the world is replaced by one restored from its
 * snapshot, which must not show.
 *
 * argv: number of ticks (default 20,000); or "seed" and a seed, which tells what that soup does. Or "shrink" and a seed, which
 * prints the least scene that still fails, or, with flags behind the seed, that has such a shortfall. */
#include "physics/followers.h"
#include "physics/soup.h"

#include "support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the energies around: what the ledger may be off by. */
#define LEDGER_PART 1e-9
/* Relative to the speeds or impulses around: what the stream may leave unexplained. Above the certificate's own measure, which
 * is a few ulp: in a jam of masses of 1 : 1e6 rounding is taken away again and again, untold each time. */
#define JUMP_MAX 1e-9
/* Of hostile ticks: how many may have overlap, all of which the engine has told of. Stated, not tuned: one in a hundred. */
#define EXCUSED_PART_MAX 0.01
/* Of hostile ticks in which bodies were crushed: how many may have an impulse that the stream does not explain. Two in the
 * first million: jams of dozens of circles in one place, with others that do not yield. */
#define UNEXPLAINED_PART_MAX 1e-5
/* In radii of the smaller one: what a tick that was told of may overlap by. */
#define EXCUSED_DEPTH_MAX 5e-3

/* What one soup did. */
struct outcome {
	uint64_t ticks, excused, unexplained;
	double depth; /* in excused ticks, radii */
	double jump;  /* the largest that is rounding, relative */
	uint32_t flags;
	char problem[256]; /* empty: none */
};

static double
larger(double a, double b)
{
	return a > b ? a : b;
}

/* What the energies of a state are made of, without what cancels. */
static double
energy_size(const struct world *world, const struct world_def *def)
{
	double sum = 0;
	for (size_t i = 0; i < world_body_count(world); i++) {
		const struct body_state body = world_body(world, i);
		if (body.kind == BODY_DYNAMIC)
			sum += body.mass * ((body.vx * body.vx + body.vy * body.vy) / 2 + fabs(def->gravity_x * body.x) +
			                    fabs(def->gravity_y * body.y));
	}
	return sum;
}

static bool
state_is_finite(const struct world *world)
{
	for (size_t i = 0; i < world_body_count(world); i++) {
		const struct body_state body = world_body(world, i);
		if (!isfinite(body.x) || !isfinite(body.y) || !isfinite(body.vx) || !isfinite(body.vy) || !isfinite(body.angle) ||
		    !isfinite(body.angular_velocity))
			return false;
	}
	return true;
}

/* How much the ledgers are off, in parts of their terms; `size` is energy_size at the tick's start. */
static double
ledger_error(const struct tick_report *report, double size)
{
	const struct energy_ledger *e = &report->energy;
	const double terms[] = { e->kinetic_before, e->kinetic_after, e->contact, e->work,    e->push,
		                     e->clip,           e->support,       e->sleep,   e->damping, size };
	const double off = e->kinetic_after - e->kinetic_before + e->potential_after - e->potential_before -
	                   (e->contact + e->work + e->push + e->clip + e->support + e->sleep + e->damping);
	double most = 1e-300;
	for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
		most = larger(most, fabs(terms[i]));
	return fabs(off) / most;
}

/* Judges a tick; false when it failed, or ended unexplained. */
static bool
tick_judge(const struct soup *soup, const struct world *world, const struct certified *certified,
           const struct certificate_report *before, const struct tick_report *report, double size, struct outcome *outcome)
{
	const struct certificate_report *now = certified_report(certified);
	const unsigned long long tick = report->tick;
	uint32_t flags = 0;
	for (size_t i = 0; i < report->shortfall_count; i++)
		flags |= report->shortfalls[i].flag;
	outcome->ticks++;
	outcome->flags |= flags;
	if (!state_is_finite(world))
		return snprintf(outcome->problem, sizeof outcome->problem, "tick %llu: a state is not finite", tick) < 0;
	const double off = ledger_error(report, size + energy_size(world, &soup->scenario.def));
	if (!(off <= LEDGER_PART))
		return snprintf(outcome->problem, sizeof outcome->problem, "tick %llu: the ledger is off by %g", tick, off) < 0;
	if (soup->hostile && (flags & BODY_FLAG_CRUSHED) && now->escapes == before->escapes && now->largest_jump > JUMP_MAX) {
		outcome->unexplained++;
		return false;
	}
	outcome->jump = larger(outcome->jump, now->largest_jump);
	if (now->escapes > before->escapes || now->largest_jump > JUMP_MAX || now->energy_faults > before->energy_faults)
		return snprintf(outcome->problem, sizeof outcome->problem, "tick %llu (flags %x): %s", tick, flags,
		                now->first_problem) < 0;
	if (now->overlaps == before->overlaps)
		return true;
	if (!soup->hostile || !flags || now->largest_overlap_radii > EXCUSED_DEPTH_MAX)
		return snprintf(outcome->problem, sizeof outcome->problem, "tick %llu (flags %x): %g radii: %s", tick, flags,
		                now->largest_overlap_radii, now->first_problem) < 0;
	outcome->excused++;
	outcome->depth = larger(outcome->depth, now->largest_overlap_radii);
	return true;
}

static struct world *
world_replace(struct world *world)
{
	struct snapshot snapshot = snapshot_take(world);
	struct world *restored = snapshot_restored(&snapshot);
	assert_true(world_hash(restored) == world_hash(world));
	free(snapshot.bytes);
	world_destroy(world);
	return restored;
}

static struct outcome
soup_run(struct soup *soup, bool verbose)
{
	struct outcome outcome = { 0 };
	struct def_problem problem;
	struct world *world = NULL;
	/* So many overlaps that the engine refuses it. */
	if (world_create(scenario_def(&soup->scenario), &problem, &world) != STATUS_OK) {
		assert_true(soup->hostile);
		return outcome;
	}
	struct certified *certified = certified_create(scenario_def(&soup->scenario));
	assert_non_null(certified);
	for (uint64_t i = 0; i < soup->ticks; i++) {
		const struct certificate_report before = *certified_report(certified);
		const double size = energy_size(world, &soup->scenario.def);
		struct tick_report report;
		if (i % 8 == 7)
			world = world_replace(world);
		assert_int_equal(world_step(world, soup->dt, &report), STATUS_OK);
		const enum status status = certified_tick(certified, world, soup->dt, &report);
		if (verbose && certified_report(certified)->overlaps > before.overlaps)
			print_message("tick %llu: %s, largest %g radii\n", (unsigned long long)report.tick,
			              certified_report(certified)->first_problem, certified_report(certified)->largest_overlap_radii);
		if (!tick_judge(soup, world, certified, &before, &report, size, &outcome))
			break;
		assert_int_equal(status, STATUS_OK);
	}
	certified_destroy(certified);
	world_destroy(world);
	return outcome;
}

/* Removes one of an array's elements. */
static void
element_drop(void *array, size_t *count, size_t index, size_t size)
{
	memmove((char *)array + index * size, (char *)array + (index + 1) * size, (*count - index - 1) * size);
	--*count;
}

/* Shortfalls that "shrink" looks for too. */
static uint32_t flags_sought;

static bool
soup_fails(struct soup *soup)
{
	const struct outcome outcome = soup_run(soup, false);
	return outcome.problem[0] != '\0' || (outcome.flags & flags_sought) != 0;
}

/* Drops circles and walls that the failure does not need. */
static void
soup_shrink(struct soup *soup)
{
	struct scenario *s = &soup->scenario;
	for (bool dropped = true; dropped;) {
		dropped = false;
		for (size_t i = s->circle_count; i-- > 0;) {
			const struct circle_def kept = s->circles[i];
			element_drop(s->circles, &s->circle_count, i, sizeof kept);
			if (soup_fails(soup)) {
				dropped = true;
				continue;
			}
			memmove(&s->circles[i + 1], &s->circles[i], (s->circle_count++ - i) * sizeof kept);
			s->circles[i] = kept;
		}
		for (size_t i = s->segment_count; i-- > 0;) {
			const struct segment_def kept = s->segments[i];
			element_drop(s->segments, &s->segment_count, i, sizeof kept);
			if (soup_fails(soup)) {
				dropped = true;
				continue;
			}
			memmove(&s->segments[i + 1], &s->segments[i], (s->segment_count++ - i) * sizeof kept);
			s->segments[i] = kept;
		}
	}
}

static void
soup_print(const struct soup *soup)
{
	const struct world_def *w = &soup->scenario.def;
	printf("gravity %.17g %.17g mixes %d %d threshold %.17g events %u dt %.17g sleep %.17g fastest %.17g\n", w->gravity_x,
	       w->gravity_y, (int)w->restitution_mix, (int)w->friction_mix, w->restitution_threshold, w->events_per_body_max,
	       soup->dt, w->sleep_after, w->speed_max);
	for (size_t i = 0; i < soup->scenario.circle_count; i++) {
		const struct circle_def *c = &soup->scenario.circles[i];
		printf("circle %u kind %d at %.17g %.17g v %.17g %.17g r %.17g m %.17g e %.17g mu %.17g roll %.17g spin %.17g I %.17g "
		       "layers %x %x surface %.17g damping %.17g %.17g scale %.17g response %d\n",
		       c->id, (int)c->kind, c->x, c->y, c->vx, c->vy, c->radius, c->mass, c->restitution, c->friction,
		       c->rolling_resistance, c->angular_velocity, c->moment_of_inertia, c->category, c->mask, c->surface_speed,
		       c->linear_damping, c->angular_damping, c->gravity_scale, (int)c->response);
	}
	for (size_t i = 0; i < soup->scenario.segment_count; i++) {
		const struct segment_def *s = &soup->scenario.segments[i];
		printf("wall %u %.17g %.17g %.17g %.17g e %.17g mu %.17g roll %.17g layers %x %x surface %.17g moves %.17g %.17g\n",
		       s->id, s->x1, s->y1, s->x2, s->y2, s->restitution, s->friction, s->rolling_resistance, s->category, s->mask,
		       s->surface_speed, s->vx, s->vy);
	}
}

static bool
seed_is_hostile(uint64_t seed)
{
	return seed % 2 == 1;
}

static int
soup_tell(uint64_t seed, bool shrink)
{
	struct soup soup;
	soup_make(&soup, seed, seed_is_hostile(seed));
	if (shrink && soup_fails(&soup))
		soup_shrink(&soup);
	if (shrink)
		soup_print(&soup);
	const struct outcome outcome = soup_run(&soup, true);
	printf("seed %llu: %llu ticks, %llu excused, deepest %g radii, largest jump %g, flags %x: %s\n", (unsigned long long)seed,
	       (unsigned long long)outcome.ticks, (unsigned long long)outcome.excused, outcome.depth, outcome.jump, outcome.flags,
	       outcome.problem[0] ? outcome.problem : "clean");
	soup_finish(&soup);
	return outcome.problem[0] != '\0';
}

static uint64_t ticks_asked = 20000, seed_first = 1;

static void
test_soups(void **state)
{
	(void)state;
	uint64_t ticks[2] = { 0, 0 }, flagged[2] = { 0, 0 }, excused = 0, unexplained = 0, failed = 0, told = 0;
	double depth = 0, jump = 0;
	for (uint64_t seed = seed_first; ticks[0] + ticks[1] < ticks_asked; seed++) {
		struct soup soup;
		soup_make(&soup, seed, seed_is_hostile(seed));
		const struct outcome outcome = soup_run(&soup, false);
		soup_finish(&soup);
		if (outcome.problem[0])
			print_error("seed %llu (%s): %s\n", (unsigned long long)seed, seed_is_hostile(seed) ? "hostile" : "sane",
			            outcome.problem);
		failed += outcome.problem[0] != '\0';
		ticks[seed_is_hostile(seed)] += outcome.ticks;
		excused += outcome.excused;
		unexplained += outcome.unexplained;
		flagged[seed_is_hostile(seed)] += outcome.flags != 0;
		depth = larger(depth, outcome.depth);
		jump = larger(jump, outcome.jump);
		if ((ticks[0] + ticks[1]) / 50000 > told) {
			told = (ticks[0] + ticks[1]) / 50000;
			print_message("%llu ticks, seed %llu\n", (unsigned long long)(ticks[0] + ticks[1]), (unsigned long long)seed);
		}
	}
	print_message(
		"%llu sane and %llu hostile ticks; %llu and %llu soups with shortfalls, %llu ticks excused, deepest %g radii; "
		"largest jump %g, %llu ticks unexplained\n",
		(unsigned long long)ticks[0], (unsigned long long)ticks[1], (unsigned long long)flagged[0],
		(unsigned long long)flagged[1], (unsigned long long)excused, depth, jump, (unsigned long long)unexplained);
	assert_int_equal(failed, 0);
	assert_true((double)excused <= EXCUSED_PART_MAX * (double)ticks[1]);
	assert_true((double)unexplained <= UNEXPLAINED_PART_MAX * (double)ticks[1]);
	/* Both kinds were there, and hostility was felt. */
	assert_true(ticks[0] > ticks_asked / 4 && ticks[1] > ticks_asked / 4 && flagged[1] > 0);
}

int
main(int argc, char **argv)
{
	if (argc > 3)
		flags_sought = (uint32_t)strtoul(argv[3], NULL, 0);
	if (argc > 2 && (strcmp(argv[1], "seed") == 0 || strcmp(argv[1], "shrink") == 0))
		return soup_tell(strtoull(argv[2], NULL, 10), argv[1][1] == 'h');
	if (argc > 1)
		ticks_asked = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		seed_first = strtoull(argv[2], NULL, 10);

	const struct CMUnitTest tests[] = { cmocka_unit_test(test_soups) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
