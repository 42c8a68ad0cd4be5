/* Plain hits (contact/plain_hit.h), resolved as such and as clusters, if with friction by the iterations for any cluster.
 * Worlds that differ in nothing else stay equal: hash, ledgers, counted work, contacts and events of pairs. plain_hit_resolve
 * and cluster_bounce are replaced by the linker's --wrap, so that nothing in the engine is there for this test. */
#include "physics/contact/plain_hit.h"
#include "physics/scenario.h"
#include "physics/scenes.h"
#include "physics/soup.h"
#include "support/effort.h"

#include <string.h>

enum { TICKS_MAX = 40 };

static bool as_clusters;
static size_t plain_hits;

bool __real_plain_hit_resolve(struct world *world, struct cluster *cluster, const struct event *event);
bool __wrap_plain_hit_resolve(struct world *world, struct cluster *cluster, const struct event *event);

bool
__wrap_plain_hit_resolve(struct world *world, struct cluster *cluster, const struct event *event)
{
	if (as_clusters || !__real_plain_hit_resolve(world, cluster, event))
		return false;
	plain_hits++;
	return true;
}

bool __real_cluster_bounce(struct cluster *cluster);
bool __wrap_cluster_bounce(struct cluster *cluster);

bool
__wrap_cluster_bounce(struct cluster *cluster)
{
	/* Without friction it takes less work than the iterations, by definition. */
	bool rough = cluster->pair_count == 1 && cluster->pairs[0].friction > 0.0;
	return !(as_clusters && rough) && __real_cluster_bounce(cluster);
}

static struct world *
world_of(struct scenario *scenario, unsigned events)
{
	struct def_problem problem;
	struct world *world = NULL;
	struct world_def def = *scenario_def(scenario);

	def.events |= events;
	return world_create(&def, &problem, &world) == STATUS_OK ? world : NULL;
}

static void
contacts_assert_equal(const struct contact *a, const struct contact *b)
{
	assert_memory_equal(&a->time, &b->time, sizeof a->time);
	assert_true(a->a == b->a && a->b == b->b);
	assert_true(a->other == b->other && a->feature == b->feature && a->flags == b->flags);
	/* The rest of the row has no gaps. */
	assert_memory_equal(a->point, b->point, sizeof *a - offsetof(struct contact, point));
}

static void
reports_assert_equal(const struct tick_report *a, const struct tick_report *b)
{
	assert_memory_equal(&a->energy, &b->energy, sizeof a->energy);
	assert_memory_equal(&a->momentum, &b->momentum, sizeof a->momentum);
	assert_true(a->events == b->events && a->collisions == b->collisions && a->clusters == b->clusters && a->work == b->work);
	assert_int_equal(a->contact_count, b->contact_count);
	for (size_t i = 0; i < a->contact_count; i++)
		contacts_assert_equal(&a->contacts[i], &b->contacts[i]);
	assert_int_equal(a->path_change_count, b->path_change_count);
	assert_int_equal(a->shortfall_count, b->shortfall_count);
	assert_int_equal(a->pair_event_count, b->pair_event_count);
	for (size_t i = 0; i < a->pair_event_count; i++)
		assert_true(a->pair_events[i].kind == b->pair_events[i].kind && a->pair_events[i].time == b->pair_events[i].time &&
		            a->pair_events[i].a == b->pair_events[i].a && a->pair_events[i].b == b->pair_events[i].b);
	assert_int_equal(a->path_count, b->path_count);
}

/* Steps two worlds of a scenario, one of which has no plain hits; how many the other has. */
static size_t
ways_compare(struct scenario *scenario, double dt, uint64_t ticks, unsigned events)
{
	struct world *clusters = world_of(scenario, events), *plain = world_of(scenario, events);
	size_t before = plain_hits;
	for (uint64_t tick = 0; clusters && plain && tick < ticks; tick++) {
		struct tick_report a, b;
		as_clusters = true;
		enum status status = world_step(clusters, dt, &a);
		as_clusters = false;
		assert_int_equal(world_step(plain, dt, &b), status);
		if (status != STATUS_OK)
			break;
		reports_assert_equal(&a, &b);
		assert_true(world_hash(clusters) == world_hash(plain));
	}
	world_destroy(clusters);
	world_destroy(plain);
	return plain_hits - before;
}

/* With gravity and without, elastic and not, with events of pairs and paths and without. */
static void
test_gases_are_the_same(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 8; kind++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scene_gas(&scenario, 250, 30.0, kind + 1);
		scenario.def.gravity_y = -9.81 * (kind & 1);
		if (kind & 2)
			scenario_restitution(&scenario, 0.9);
		assert_true(ways_compare(&scenario, 1.0 / 60.0, 60, kind & 4 ? WORLD_EVENTS_TOUCH | WORLD_EVENTS_PATHS : 0) > 1000);
		scenario_finish(&scenario);
	}
}

/* Walls everywhere, their faces and ends; with friction, which turns what it hits, and without. */
static void
test_walls_are_the_same(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 6; kind++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scene_bullets(&scenario, 20.0, kind + 1);
		for (size_t i = 0; i < scenario.circle_count && kind > 0; i++) {
			scenario.circles[i].friction = 0.1 * kind;
			scenario.circles[i].angular_velocity = (double)(i % 7) - 3.0;
		}
		for (size_t i = 0; i < scenario.segment_count && kind > 0; i++)
			scenario.segments[i].friction = 0.3;
		scenario.def.gravity_y = kind > 3 ? -9.81 : 0.0;
		if (kind % 2)
			scenario_restitution(&scenario, 0.6);
		assert_true(ways_compare(&scenario, 1.0 / 60.0, effort(20, 60), 0) > 500);
		scenario_finish(&scenario);
	}
}

/* Radii that differ have cells of several levels. */
static void
test_mixed_gases_are_the_same(void **state)
{
	(void)state;
	for (unsigned large = 1; large <= 20; large += 19) {
		struct scenario scenario;
		scenario_init(&scenario);
		scene_gas_sizes(&scenario, 200, 20.0, large, 30.0, large);
		assert_true(ways_compare(&scenario, 1.0 / 60.0, 60, 0) > 100);
		scenario_finish(&scenario);
	}
}

/* Walls by the hundred, of which no cell has many: hits are plain as without them, also beside walls. */
static void
test_many_walls_make_no_clusters(void **state)
{
	(void)state;
	size_t hits[2];
	for (int many = 0; many < 2; many++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scene_gas(&scenario, 400, 20.0, 1);
		for (int i = 0; i < 600 * many; i++)
			(void)scenario_segment(&scenario, -3 - 2 * (i % 25), 2 * (i / 25), -2 - 2 * (i % 25), 2 * (i / 25));
		hits[many] = ways_compare(&scenario, 1.0 / 60.0, 40, 0);
		scenario_finish(&scenario);
	}
	assert_true(hits[0] > 50);
	assert_int_equal(hits[1], hits[0]);
}

/* The tick's work, its contacts, or the events of a circle run out in the middle of a tick. */
static void
test_limits_are_the_same(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 3; kind++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scene_gas(&scenario, 250, 100.0, kind + 1);
		if (kind == 0)
			scenario.def.work_per_tick_max = scenario.def.work_per_body_max = 200;
		if (kind == 1)
			scenario.def.contacts_per_tick_max = 150;
		if (kind == 2)
			scenario.def.events_per_body_max = 3;
		assert_true(ways_compare(&scenario, 1.0 / 60.0, 30, 0) > 50);
		scenario_finish(&scenario);
	}
}

/* Takes from a soup what no plain hit has: relations and contact rules. */
static void
soup_smooth(struct soup *soup)
{
	struct scenario *scenario = &soup->scenario;
	scenario->def.relation_count = 0;
	for (size_t i = 0; i < scenario->circle_count; i++) {
		struct circle_def *circle = &scenario->circles[i];
		circle->rolling_resistance = 0.0;
		circle->stop_groups = circle->remove_groups = 0;
	}
}

static void
test_soups_are_the_same(void **state)
{
	(void)state;
	size_t with_hits = 0;
	for (uint64_t seed = 1; seed <= effort(60, 1500); seed++) {
		struct soup soup;
		soup_make(&soup, seed, seed % 4 == 0);
		if (seed % 2)
			soup_smooth(&soup);
		with_hits += ways_compare(&soup.scenario, soup.dt, soup.ticks < TICKS_MAX ? soup.ticks : TICKS_MAX,
		                          seed % 3 == 0 ? WORLD_EVENTS_TOUCH : 0) > 0;
		soup_finish(&soup);
	}
	assert_true(with_hits >= effort(3, 100));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gases_are_the_same),       cmocka_unit_test(test_walls_are_the_same),
		cmocka_unit_test(test_mixed_gases_are_the_same), cmocka_unit_test(test_limits_are_the_same),
		cmocka_unit_test(test_soups_are_the_same),       cmocka_unit_test(test_many_walls_make_no_clusters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
