/* Walls that are switched off and on at random while their worlds run. Three worlds of each scene must say the same, to the
 * bit. One switches; one does so by edits, in all its state; in the third the walls are removed and spawned. Scenes are soups,
 * heaps, and maps of walls between points of a lattice, with corners, collinear joints, T-junctions, thick, one-sided and
 * moving walls. */
#include "physics/followers.h"
#include "physics/keep.h"
#include "physics/scenes.h"
#include "physics/soup.h"

#include "support/effort.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

static uint64_t switches, contacts_seen, sleepers_woken, ended, pushed, cuts;

struct trio {
	struct world *world, *edited, *remade;
	struct segment_def *walls;
	bool *off;
	size_t wall_count;
	double dt;
	uint64_t random;
};

/* Walls between points of a lattice, so that many have ends in common or on each other. */
static void
scene_lattice(struct scenario *scenario, uint64_t *random)
{
	const size_t walls = 6 + (size_t)random_below(random, 20);
	for (size_t i = 0; i < walls; i++) {
		const double x = (double)random_below(random, 5) * 2 - 4, y = (double)random_below(random, 5) * 2 - 4;
		const uint64_t way = random_below(random, 4);
		const double length = random_below(random, 3) ? 2 : 4;
		struct segment_def *wall = scenario_segment(scenario, x, y, x + (way == 0 || way == 2 ? length : 0),
		                                            y + (way == 1   ? length
		                                                 : way == 2 ? length
		                                                 : way == 3 ? -length
		                                                            : 0));
		if (way == 0 && random_below(random, 4) == 0)
			wall->x2 = x + 3; /* ends within others */
		wall->radius = random_below(random, 6) ? 0 : 0.1;
		wall->one_sided = random_below(random, 6) == 0;
		wall->restitution = random_below(random, 2) ? 1 : 0.3;
		wall->friction = random_below(random, 3) ? 0 : 0.5;
		wall->vx = random_below(random, 12) ? 0 : 0.5;
		wall->disabled = random_below(random, 5) == 0;
	}
	scenario_box(scenario, -6, -6, 6, 6);
	for (size_t i = 0; i < 14; i++) {
		struct circle_def *circle = scenario_circle(scenario, random_between(random, -5, 5), random_between(random, -5, 5),
		                                            random_between(random, -6, 6), random_between(random, -6, 6),
		                                            random_between(random, 0.1, 0.4));
		circle->restitution = random_below(random, 2) ? 1 : 0.2;
	}
	scenario->def.gravity_y = random_below(random, 2) ? 0 : -10;
}

static struct world *
world_of(const struct world_def *def)
{
	struct world *world = NULL;
	struct def_problem problem;
	assert_int_equal(world_create(def, &problem, &world), STATUS_OK);
	return world;
}

/* Walls that are far from all and stay: a world with friction or moving walls stays one, whatever is switched. */
static void
scene_prepare(struct scenario *scenario)
{
	bool rough = false, moving = false;
	for (size_t i = 0; i < scenario->segment_count; i++) {
		rough = rough || scenario->segments[i].friction > 0;
		moving = moving || scenario->segments[i].vx != 0 || scenario->segments[i].vy != 0;
	}
	struct segment_def *wall = scenario_segment(scenario, 90, 90, 91, 90);
	wall->friction = rough ? 0.5 : 0;
	wall->vx = moving ? 0.01 : 0;
}

static bool
trio_begin(struct trio *t, const struct world_def *def)
{
	struct def_problem problem;
	struct segment_def *there = calloc(def->segment_count + 1, sizeof *there);
	struct world_def remade = *def;
	t->wall_count = def->segment_count - 1; /* the last one stays */
	t->walls = calloc(def->segment_count + 1, sizeof *t->walls);
	t->off = calloc(def->segment_count + 1, sizeof *t->off);
	memcpy(t->walls, def->segments, def->segment_count * sizeof *t->walls);
	remade.segments = there;
	remade.segment_count = 0;
	for (size_t i = 0; i < def->segment_count; i++) {
		t->off[i] = def->segments[i].disabled;
		t->walls[i].disabled = false;
		if (!t->off[i])
			there[remade.segment_count++] = t->walls[i];
	}
	const bool good = world_create(def, &problem, &t->world) == STATUS_OK;
	if (good) {
		t->edited = world_of(def);
		t->remade = world_of(&remade);
	}
	free(there);
	return good;
}

static void
trio_finish(struct trio *t)
{
	world_destroy(t->world);
	world_destroy(t->edited);
	world_destroy(t->remade);
	free(t->walls);
	free(t->off);
}

/* A wall that moved cannot be spawned where it is with the same rounding: it stays off. */
static void
trio_switch(struct trio *t)
{
	const size_t k = (size_t)random_below(&t->random, t->wall_count);
	const struct segment_def change = { .id = t->walls[k].id, .disabled = !t->off[k] };
	const struct edit edit = edit_segment_change(&change, edit_field(DEF_SEGMENT_DISABLED));
	const struct edit remake = t->off[k] ? edit_segment_spawn(&t->walls[k]) : edit_segment_remove(t->walls[k].id);
	struct def_problem problem;
	if (t->off[k] && (t->walls[k].vx != 0 || t->walls[k].vy != 0))
		return;
	const enum status status = world_segment_enable(t->world, t->walls[k].id, t->off[k]);
	assert_int_equal(world_edit(t->edited, &edit, 1, &problem), status);
	assert_int_equal(world_edit(t->remade, &remake, 1, &problem), status);
	if (status != STATUS_OK)
		return;
	t->off[k] = !t->off[k];
	switches++;
	const struct snapshot first = snapshot_take(t->world), second = snapshot_take(t->edited);
	assert_int_equal(first.size, second.size);
	assert_memory_equal(first.bytes, second.bytes, first.size);
	free(first.bytes);
	free(second.bytes);
	size_t index = 0;
	assert_true(world_segment_find(t->world, t->walls[k].id, &index));
	assert_true(world_segment(t->world, index).disabled == t->off[k]);
}

static void
bodies_same(const struct world *a, const struct world *b)
{
	assert_int_equal(world_body_count(a), world_body_count(b));
	for (size_t i = 0; i < world_body_count(a); i++) {
		const struct body_state s = world_body(a, i), o = world_body(b, i);
		assert_int_equal(s.id, o.id);
		assert_double_same_bits(s.x, o.x);
		assert_double_same_bits(s.y, o.y);
		assert_double_same_bits(s.vx, o.vx);
		assert_double_same_bits(s.vy, o.vy);
		assert_double_same_bits(s.angle, o.angle);
		assert_double_same_bits(s.angular_velocity, o.angular_velocity);
		assert_true(s.asleep == o.asleep);
	}
}

/* Whether the tick's work was used up: then the two stop at another event, as a disabled sensor or a wall that moves counts. */
static bool
work_is_up(const struct tick_report *report)
{
	bool cut = false;
	for (size_t k = 0; k < report->shortfall_count; k++)
		cut = cut || report->shortfalls[k].flag == BODY_FLAG_BUDGET;
	return cut && 10 * report->work > 9 * report->work_max;
}

/* All but what is told of walls as such. */
static void
tick_judge(const struct trio *t, const struct tick_report *report, const struct tick_report *remade)
{
	struct tick_report own = *report, other = *remade;
	own.places = other.places = NULL;
	own.place_count = other.place_count = 0;
	own.work = other.work = 0; /* a disabled sensor counts */
	reports_same(&own, &other);
	bodies_same(t->world, t->remade);
	contacts_seen += report->contact_count;
	for (size_t k = 0; k < report->path_change_count; k++) {
		sleepers_woken += report->path_changes[k].kind == PATH_WOKEN;
		pushed += report->path_changes[k].kind == PATH_PUSHED;
	}
	for (size_t k = 0; k < report->pair_event_count; k++)
		ended += report->pair_events[k].kind == PAIR_EVENT_END && report->pair_events[k].time == 0;
}

static void
trio_run(struct trio *t, uint64_t ticks)
{
	struct tick_report report, edited, remade;
	for (uint64_t i = 0; i < ticks; i++) {
		while (random_below(&t->random, 3) == 0)
			trio_switch(t);
		const enum status status = world_step(t->world, t->dt, &report);
		assert_int_equal(world_step(t->edited, t->dt, &edited), status);
		assert_int_equal(world_step(t->remade, t->dt, &remade), status);
		if (status != STATUS_OK)
			return;
		reports_same(&report, &edited);
		assert_true(world_hash(t->world) == world_hash(t->edited));
		if (work_is_up(&report) || work_is_up(&remade)) {
			cuts++;
			return;
		}
		tick_judge(t, &report, &remade);
	}
}

static void
scene_run(uint64_t seed)
{
	struct trio t = { .random = seed * 977 + 5, .dt = 1.0 / 60 };
	struct soup soup = { .dt = 1.0 / 60 };
	uint64_t ticks = 40;
	if (seed % 3 == 0) {
		soup_make(&soup, seed, seed % 12 == 0);
		t.dt = soup.dt;
	} else {
		scenario_init(&soup.scenario);
		if (seed % 3 == 1)
			scene_lattice(&soup.scenario, &t.random);
		else
			scene_pile(&soup.scenario, 12 + seed % 20, 6, seed % 2 ? 0.5 : 0, 0.5, seed);
		ticks = seed % 3 == 2 ? 150 : 60;
		if (seed % 3 == 2)
			soup.scenario.def.sleep_after = seed % 4 ? 0.1 : 0;
	}
	if (seed % 2)
		soup.scenario.def.events = WORLD_EVENTS_PERSIST;
	const bool walls = soup.scenario.segment_count > 0;
	scene_prepare(&soup.scenario);
	if (walls && trio_begin(&t, scenario_def(&soup.scenario)))
		trio_run(&t, ticks);
	if (t.world)
		trio_finish(&t);
	else
		free(t.walls), free(t.off);
	if (seed % 3 == 0)
		soup_finish(&soup);
	else
		scenario_finish(&soup.scenario);
}

static void
test_worlds_remade(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= (uint64_t)effort_most(8, 250, 500); seed++)
		scene_run(seed);
	assert_true(cuts <= effort(2, 20));
	assert_true(switches > effort(60, 500) && contacts_seen > effort(120, 1000) && ended > effort(1, 20));
	assert_true(sleepers_woken + effort(1, 0) > effort(0, 5) && pushed + effort(1, 0) > effort(0, 5));
}

/* A door in a line of walls, with a ball that comes when it is open, and when it is shut. Another flies past the end of a
 * neighbour, which is felt only while the door is open. */
static void
test_door(void **state)
{
	(void)state;
	struct scenario scenario;
	struct tick_report report;
	scenario_init(&scenario);
	(void)scenario_segment(&scenario, 0, -4, 0, -1);
	(void)scenario_segment(&scenario, 0, -1, 0, 1);
	(void)scenario_segment(&scenario, 0, 1, 0, 4);
	(void)scenario_circle(&scenario, -3, 0, 4, 0, 0.5);
	struct world *world = world_of(scenario_def(&scenario));
	struct world_kept *kept;
	assert_int_equal(world_kept_create(&kept), STATUS_OK);
	assert_int_equal(world_segment_enable(world, 7, false), STATUS_INVALID_ARGUMENT);
	assert_int_equal(world_segment_enable(world, 1, false), STATUS_OK);
	assert_int_equal(world_keep(world, kept), STATUS_OK);
	assert_int_equal(world_step(world, 1, &report), STATUS_OK);
	assert_int_equal(report.contact_count, 0);
	assert_double_near(world_body(world, 0).x, 1, 1e-12);
	/* Shut again, from an earlier state: it bounces at x = -0.5, after 0.625 s. */
	assert_int_equal(world_segment_enable(world, 1, true), STATUS_OK);
	assert_int_equal(world_return(world, kept), STATUS_OK);
	assert_true(world_segment(world, 1).disabled);
	assert_int_equal(world_segment_enable(world, 1, true), STATUS_OK);
	assert_int_equal(world_step(world, 1, &report), STATUS_OK);
	assert_int_equal(report.contact_count, 1);
	assert_int_equal(report.contacts[0].b, 1);
	assert_double_near(report.contacts[0].time, 0.625, 1e-8);
	/* Open, a ball that is off the middle hits the neighbour's end: at x = -0.3 where y = 0.6. */
	struct circle_def circle = { .id = 0, .x = -3, .y = 0.6, .vx = 4 };
	struct edit edit = edit_circle_change(&circle, edit_field(DEF_CIRCLE_X) | edit_field(DEF_CIRCLE_Y) |
	                                                   edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY));
	struct def_problem problem;
	assert_int_equal(world_edit(world, &edit, 1, &problem), STATUS_OK);
	assert_int_equal(world_segment_enable(world, 1, false), STATUS_OK);
	assert_int_equal(world_step(world, 1, &report), STATUS_OK);
	assert_true(report.contact_count >= 1);
	assert_int_equal(report.contacts[0].b, 2);
	assert_int_equal(report.contacts[0].feature, FEATURE_END_1);
	assert_double_near(report.contacts[0].time, 2.7 / 4, 1e-8);
	world_kept_destroy(kept);
	world_destroy(world);
	scenario_finish(&scenario);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_worlds_remade), cmocka_unit_test(test_door) };
	(void)argc;
	(void)argv;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
