/* Random soups that are edited all the time: spawned into, removed from, teleported, swept, changed, up to nothing and back,
 * some under a gravity that turns. A twin that is restored from snapshots and gets the edits in another order stays the same
 * bit for bit. Every tick of the sane ones is certified, and every begin of a touch or a sensing has its end. argv[1]: soups
 * (default 30), argv[2]: the first one's seed. */
#include "physics/living.h"
#include "physics/scenes.h"
#include "physics/soup.h"

#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_MAX 12

/* In radii of the smaller one: what a hostile tick that was told of may overlap by is not judged here; a ledger is. */
#define LEDGER_PART 1e-9

static uint64_t edits_made, ticks_made, woken_seen, events_seen, groups_changed, piles_edited, excused, sweeps_made, turns_made;

struct gardener {
	struct living living;
	struct soup *soup;
	uint64_t seed, random;
	uint32_t next_id;
	struct edit batch[BATCH_MAX];
	uint64_t used[BATCH_MAX]; /* shapes that the batch has: id, and a bit for segments */
	size_t count;
};

static double
pick(struct gardener *g, double low, double high)
{
	return random_between(&g->random, low, high);
}

static bool
taken(const struct gardener *g, uint64_t shape)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->used[i] == shape)
			return true;
	return false;
}

static void
add(struct gardener *g, struct edit edit, uint64_t shape)
{
	g->used[g->count] = shape;
	g->batch[g->count++] = edit;
}

#define SEGMENT_BIT (UINT64_C(1) << 32)

/* A place for a circle that nothing of the batch can make wrong: others of it are far. */
static bool
place_find(struct gardener *g, double radius, double *x, double *y)
{
	const bool sane = !g->soup->hostile;
	for (int tries = 0; tries < 20; tries++) {
		*x = pick(g, -6, 6);
		*y = pick(g, -6, 6);
		bool free = !sane || living_room(&g->living, *x, *y, radius) > 0.02 * radius;
		for (size_t i = 0; i < g->count && sane; i++) {
			const struct edit *e = &g->batch[i];
			if (e->kind <= EDIT_CIRCLE_CHANGE)
				free = free && hypot(e->circle.x - *x, e->circle.y - *y) > 1.02 * (e->circle.radius + radius);
			else if (e->kind >= EDIT_SEGMENT_SPAWN)
				free = false;
		}
		if (free)
			return true;
	}
	return false;
}

static void
spawn_circle(struct gardener *g)
{
	const struct scenario *scenario = &g->soup->scenario;
	struct circle_def circle = scenario->circles[random_below(&g->random, scenario->circle_count)];
	/* Between others, as often as behind them; sometimes one that went. */
	circle.id = random_below(&g->random, 2) ? (uint32_t)random_below(&g->random, 400) : g->next_id++;
	size_t index;
	if (world_body_find(g->living.world, circle.id, &index) || taken(g, circle.id) ||
	    !place_find(g, circle.radius, &circle.x, &circle.y))
		return;
	if (circle.kind == BODY_DYNAMIC && random_below(&g->random, 2)) {
		circle.vx *= 0.1;
		circle.vy = circle.angular_velocity = 0;
	}
	add(g, edit_circle_spawn(&circle), circle.id);
}

/* Whether the circle can begin to meet anything without being in it: what overlaps would be pushed apart. */
static bool
stands_free(const struct gardener *g, const struct circle_def *circle)
{
	bool free = true;
	for (size_t i = 0; i < world_body_count(g->living.world); i++) {
		const struct body_state body = world_body(g->living.world, i);
		free = free &&
		       (body.id == circle->id || hypot(body.x - circle->x, body.y - circle->y) > 1.02 * (body.radius + circle->radius));
	}
	for (size_t i = 0; i < world_segment_count(g->living.world); i++) {
		const struct segment_def segment = world_segment(g->living.world, i);
		free = free && segment_distance(&segment, circle->x, circle->y) > 1.02 * circle->radius;
	}
	return free && g->count == 0;
}

static void
change_circle(struct gardener *g, size_t index)
{
	struct circle_def circle = world_circle(g->living.world, index);
	uint64_t fields = 0;
	if (taken(g, circle.id))
		return;
	switch (random_below(&g->random, g->soup->hostile ? 9 : 7)) {
	case 0:
		if (circle.kind == BODY_STATIC)
			return;
		circle.vx = pick(g, -10, 10);
		circle.vy = pick(g, -10, 10);
		circle.angular_velocity = pick(g, -3, 3);
		fields = edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY) | edit_field(DEF_CIRCLE_ANGULAR_VELOCITY);
		break;
	case 1:
		if (!place_find(g, circle.radius, &circle.x, &circle.y))
			return;
		fields = edit_field(DEF_CIRCLE_X) | edit_field(DEF_CIRCLE_Y);
		break;
	case 2:
		circle.radius *= g->soup->hostile ? pick(g, 0.5, 1.5) : pick(g, 0.5, 1);
		fields = edit_field(DEF_CIRCLE_RADIUS);
		break;
	case 3:
		circle.kind = circle.kind == BODY_DYNAMIC ? BODY_STATIC : BODY_DYNAMIC;
		circle.vx = circle.vy = circle.angular_velocity = 0;
		circle.mass = circle.radius * circle.radius;
		fields = edit_field(DEF_CIRCLE_KIND) | edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY) |
		         edit_field(DEF_CIRCLE_ANGULAR_VELOCITY) | edit_field(DEF_CIRCLE_MASS);
		break;
	case 4:
		circle.friction = pick(g, 0, 1);
		circle.restitution = pick(g, 0, 1);
		circle.mass *= 2;
		fields = edit_field(DEF_CIRCLE_FRICTION) | edit_field(DEF_CIRCLE_RESTITUTION) |
		         (circle.kind == BODY_DYNAMIC && circle.mass < 1e9 ? edit_field(DEF_CIRCLE_MASS) : 0);
		break;
	case 5:
		/* Only where a push is no surprise, or there is none. */
		if (!g->soup->hostile && !stands_free(g, &circle))
			return;
		circle.mask = (uint32_t)random_below(&g->random, 4) + 1;
		circle.group = (uint32_t)random_below(&g->random, 4);
		circle.filter_group = random_below(&g->random, 2) ? 0 : (int32_t)random_below(&g->random, 5) - 2;
		fields = (random_below(&g->random, 2) ? edit_field(DEF_CIRCLE_MASK) : 0) | edit_field(DEF_CIRCLE_GROUP) |
		         edit_field(DEF_CIRCLE_FILTER_GROUP);
		groups_changed++;
		break;
	case 7:
	case 8:
		circle.sensor = !circle.sensor;
		fields = edit_field(DEF_CIRCLE_SENSOR);
		break;
	default: fields = edit_field(DEF_CIRCLE_VX); break; /* to what it is */
	}
	add(g, edit_circle_change(&circle, fields), circle.id);
}

static void
edit_segment(struct gardener *g)
{
	const size_t count = world_segment_count(g->living.world);
	struct segment_def segment = segment_def_default();
	size_t index;
	if (count > 0 && random_below(&g->random, 2)) {
		segment = world_segment(g->living.world, (size_t)random_below(&g->random, count));
		if (taken(g, segment.id | SEGMENT_BIT))
			return;
		if (random_below(&g->random, 2)) {
			add(g, edit_segment_remove(segment.id), segment.id | SEGMENT_BIT);
			return;
		}
		segment.friction = pick(g, 0, 1);
		uint64_t fields = edit_field(DEF_SEGMENT_FRICTION);
		if (random_below(&g->random, 2) &&
		    (g->soup->hostile || (g->count == 0 && living_wall_room(&g->living, &segment) > 0.01))) {
			segment.group = (uint32_t)random_below(&g->random, 4);
			segment.filter_group = random_below(&g->random, 2) ? 0 : (int32_t)random_below(&g->random, 5) - 2;
			segment.one_sided = random_below(&g->random, 2);
			segment.sensor = g->soup->hostile && random_below(&g->random, 2);
			fields |= edit_field(DEF_SEGMENT_GROUP) | edit_field(DEF_SEGMENT_FILTER_GROUP) | edit_field(DEF_SEGMENT_ONE_SIDED) |
			          edit_field(DEF_SEGMENT_SENSOR);
			groups_changed++;
		}
		add(g, edit_segment_change(&segment, fields), segment.id | SEGMENT_BIT);
		return;
	}
	segment.id = (uint32_t)random_below(&g->random, 100);
	segment.x1 = pick(g, -6, 6);
	segment.y1 = pick(g, -6, 6);
	segment.x2 = segment.x1 + pick(g, -4, 4);
	segment.y2 = segment.y1 + pick(g, -4, 4);
	segment.restitution = pick(g, 0, 1);
	/* Two edits of one batch must not meet, if they are to be sane. */
	if (taken(g, segment.id | SEGMENT_BIT) || world_segment_find(g->living.world, segment.id, &index) ||
	    (!g->soup->hostile && (g->count > 0 || living_wall_room(&g->living, &segment) < 0.01)))
		return;
	add(g, edit_segment_spawn(&segment), segment.id | SEGMENT_BIT);
}

static void
edit_something(struct gardener *g)
{
	const size_t count = world_body_count(g->living.world);
	const uint64_t what = random_below(&g->random, 10);
	if (what < 3 || count == 0)
		spawn_circle(g);
	else if (what < 5) {
		const uint32_t id = world_body(g->living.world, (size_t)random_below(&g->random, count)).id;
		if (!taken(g, id))
			add(g, edit_circle_remove(id), id);
	} else if (what < 9)
		change_circle(g, (size_t)random_below(&g->random, count));
	else
		edit_segment(g);
}

static void
everything_goes_and_returns(struct gardener *g)
{
	const size_t circles = world_body_count(g->living.world), segments = world_segment_count(g->living.world);
	struct edit *edits = calloc(circles + segments + 1, sizeof *edits);
	assert_non_null(edits);
	size_t count = 0;
	for (size_t i = 0; i < circles; i++)
		edits[count++] = edit_circle_remove(world_body(g->living.world, i).id);
	for (size_t i = 0; i < segments; i++)
		edits[count++] = edit_segment_remove(world_segment(g->living.world, i).id);
	struct circle_def *kept = calloc(circles + 1, sizeof *kept);
	struct segment_def *walls = calloc(segments + 1, sizeof *walls);
	assert_true(kept && walls);
	for (size_t i = 0; i < circles; i++)
		kept[i] = world_circle(g->living.world, i);
	for (size_t i = 0; i < segments; i++)
		walls[i] = world_segment(g->living.world, i);
	living_edited(&g->living, edits, count);
	assert_int_equal(world_body_count(g->living.world), 0);
	living_step(&g->living, g->soup->dt);
	assert_int_equal(g->living.book.open_count, 0);
	for (size_t i = 0; i < circles; i++)
		edits[i] = edit_circle_spawn(&kept[i]);
	for (size_t i = 0; i < segments; i++)
		edits[circles + i] = edit_segment_spawn(&walls[i]);
	living_edited(&g->living, edits, count);
	free(edits);
	free(kept);
	free(walls);
}

static void
tick_judge(const struct gardener *g)
{
	const struct energy_ledger *e = &g->living.report.energy;
	const double off = e->kinetic_after - e->kinetic_before + e->potential_after - e->potential_before -
	                   (e->contact + e->work + e->push + e->clip + e->support + e->sleep + e->damping);
	const double size = fabs(e->kinetic_before) + fabs(e->kinetic_after) + fabs(e->potential_before) +
	                    fabs(e->potential_after) + fabs(e->support) + fabs(e->work);
	assert_at_most(fabs(off), LEDGER_PART * (size + 1e-30));
	if (g->soup->hostile || g->living.flags)
		return;
	if (!certified_clean(g->living.certified))
		print_error("soup %llu\n", (unsigned long long)g->seed);
	living_certify(&g->living);
}

static uint64_t soup_first = 1, soup_count = 30;

/* Piles that sleep, wake where they are edited, and fall asleep again. */
static void
pile_garden(uint64_t seed)
{
	struct soup soup = { .dt = 1.0 / 60 };
	struct gardener g = { .soup = &soup, .seed = seed, .random = seed * 13 + 1, .next_id = 1000 };
	struct def_problem problem;
	scenario_init(&soup.scenario);
	scene_pile(&soup.scenario, 60, 10, 0.5, 0.5, seed);
	soup.scenario.def.sleep_after = 0.1;
	for (size_t i = 0; i < soup.scenario.circle_count; i++)
		soup.scenario.circles[i].rolling_resistance = 0.1;
	living_start(&g.living, scenario_def(&soup.scenario), true, seed);
	size_t nights = 0;
	for (int i = 0; i < 600; i++) {
		const bool asleep = g.living.report.asleep > 20;
		g.count = 0;
		for (uint64_t k = asleep && random_below(&g.random, 10) == 0 ? 1 + random_below(&g.random, 2) : 0; k > 0; k--)
			edit_something(&g);
		nights += g.count > 0;
		if (g.count > 0 && living_edit(&g.living, g.batch, g.count, &problem) != STATUS_OK)
			fail_msg("pile %llu: edit %zu: %s", (unsigned long long)seed, problem.index, problem.text);
		living_step(&g.living, soup.dt);
		tick_judge(&g);
	}
	piles_edited += nights > 2;
	woken_seen += g.living.woken;
	living_finish(&g.living);
	soup_finish(&soup);
}

static void
test_piles_that_sleep(void **state)
{
	(void)state;
	const uint64_t piles = soup_count / 15;
	woken_seen = piles_edited = 0;
	for (uint64_t seed = soup_first; seed < soup_first + piles; seed++)
		pile_garden(seed);
	print_message("%llu woken\n", (unsigned long long)woken_seen);
	assert_true(piles == 0 || woken_seen > 100);
	/* Chance leaves one or the other alone. */
	assert_true(10 * piles_edited >= 9 * piles);
}

/* Circles are swept somewhere, or gravity turns: nothing can overlap that did not. */
static void
sweep_something(struct gardener *g)
{
	const size_t count = world_body_count(g->living.world);
	for (uint64_t k = random_below(&g->random, 5); k > 0 && count > 0; k--) {
		const struct circle_def circle = world_circle(g->living.world, (size_t)random_below(&g->random, count));
		if (taken(g, circle.id))
			continue;
		add(g, edit_circle_sweep(circle.id, pick(g, -7, 7), pick(g, -7, 7)), circle.id);
		sweeps_made++;
	}
	if (random_below(&g->random, 4) > 0)
		return;
	const struct edit edit = edit_gravity(pick(g, -12, 12), pick(g, -12, 12));
	add(g, edit, UINT64_MAX);
	g->living.def.gravity_x = edit.gravity[0];
	g->living.def.gravity_y = edit.gravity[1];
	turns_made++;
}

static void
soup_garden(uint64_t seed, bool sweeps)
{
	struct soup soup;
	struct gardener g = { .soup = &soup, .seed = seed, .random = seed * 77 + 5, .next_id = 1000 };
	soup_make(&soup, seed, seed % 4 == 0);
	struct world *probe = NULL;
	struct def_problem problem;
	if (soup.scenario.circle_count == 0 || world_create(scenario_def(&soup.scenario), &problem, &probe) != STATUS_OK) {
		soup_finish(&soup);
		return;
	}
	world_destroy(probe);
	/* Every second tells of touches; the hostile ones, which are not certified, have sensors. */
	soup.scenario.def.events = seed % 2 ? 0 : WORLD_EVENTS_TOUCH | (seed % 8 ? 0 : WORLD_EVENTS_PERSIST);
	for (size_t i = 0; soup.hostile && i < soup.scenario.circle_count; i += 4)
		soup.scenario.circles[i].sensor = true;
	living_start(&g.living, scenario_def(&soup.scenario), !soup.hostile, seed);
	const uint64_t ticks = soup.ticks < 60 ? 60 : soup.ticks;
	for (uint64_t i = 0; i < ticks; i++) {
		g.count = 0;
		for (uint64_t k = random_below(&g.random, 3) ? 0 : random_below(&g.random, BATCH_MAX); k > 0; k--)
			if (!sweeps)
				edit_something(&g);
			else if (g.count == 0)
				sweep_something(&g);
		/* A batch that places nothing into another is accepted. */
		if (g.count > 0 && living_edit(&g.living, g.batch, g.count, &problem) != STATUS_OK)
			fail_msg("seed %llu: edit %zu: %s", (unsigned long long)seed, problem.index, problem.text);
		if (i == ticks / 2 && seed % 3 == 0)
			everything_goes_and_returns(&g);
		living_step(&g.living, soup.dt);
		tick_judge(&g);
	}
	edits_made += g.living.edits;
	ticks_made += ticks;
	woken_seen += g.living.woken;
	for (size_t i = 0; i <= PAIR_EVENT_EXIT; i++)
		events_seen += g.living.book.counts[i];
	excused += !soup.hostile && g.living.flags;
	living_finish(&g.living);
	soup_finish(&soup);
}

/* Soups that showed something wrong once. */
static void
test_soups_found(void **state)
{
	static const uint64_t found[] = {
		109894,  /* two circles in almost the same place press on a third: their impulses were not all of its change */
		3000358, /* what is taken as rounding is measured by belts too; the judge thought of circles only */
		4000630, /* a sleeper that is woken by being given a spin has it; the judge thought that all wake at rest */
	};
	(void)state;
	for (size_t i = 0; i < sizeof found / sizeof found[0]; i++)
		soup_garden(found[i], false);
}

static void
test_soups(void **state)
{
	(void)state;
	for (uint64_t seed = soup_first; seed < soup_first + soup_count; seed++) {
		if (soup_count < 5)
			print_message("soup %llu\n", (unsigned long long)seed);
		soup_garden(seed, false);
	}
	print_message("%llu edits in %llu ticks, %llu events, %llu woken, %llu changes of groups, %llu sane soups excused\n",
	              (unsigned long long)edits_made, (unsigned long long)ticks_made, (unsigned long long)events_seen,
	              (unsigned long long)woken_seen, (unsigned long long)groups_changed, (unsigned long long)excused);
	assert_true(soup_count < 5 || groups_changed > 10);
}

static void
test_swept_soups(void **state)
{
	(void)state;
	sweeps_made = turns_made = 0;
	for (uint64_t seed = soup_first; seed < soup_first + soup_count; seed++)
		soup_garden(seed + 5000000, true);
	print_message("%llu sweeps, %llu turns of gravity\n", (unsigned long long)sweeps_made, (unsigned long long)turns_made);
	assert_true(soup_count < 5 || (sweeps_made > 10 && turns_made > 10));
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		soup_count = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		soup_first = strtoull(argv[2], NULL, 10);

	const struct CMUnitTest tests[] = { cmocka_unit_test(test_soups_found), cmocka_unit_test(test_soups),
		                                cmocka_unit_test(test_swept_soups), cmocka_unit_test(test_piles_that_sleep) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
