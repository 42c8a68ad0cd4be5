/* Two scenes in one world that never meet: by their masks, their filter groups, a relation, or as they are far apart. Each goes
 * on as if it were alone, to the last bit. So cells, clusters, islands, joints of walls and the order of events are each
 * layer's own.
 *
 * argv: a first seed and how many soups are tried. */
#include "physics/soup.h"

#include "support/effort.h"

#include <stdlib.h>

enum apart { BY_MASK, BY_FILTER_GROUP, BY_RELATION, BY_DISTANCE, APART_WAYS };

/* Of each world's first circles. */
enum { ANCHORS = 12, AWAY = 1000, FENCES = 90 };

static const struct relation_def strangers = { .group_a = 1, .group_b = 2, .kind = RELATION_KIND_NONE };

static uint64_t seed_first = 1;
static uint64_t ticks_most = 120;
static size_t soups = 0;

/* What both kinds of definition have. */
#define KEEP_APART(def, way, layer)                                               \
	do {                                                                          \
		if ((way) == BY_MASK) {                                                   \
			(def)->category = ((def)->category & 0xf) << 4 * (layer);             \
			(def)->mask = ((def)->mask & 0xf) << 4 * (layer);                     \
			(def)->filter_group *= 1 + 10 * (layer); /* another for each layer */ \
		} else if ((way) == BY_FILTER_GROUP) {                                    \
			(def)->mask = 0;                                                      \
			(def)->filter_group = 1 + (layer);                                    \
		} else if ((way) == BY_RELATION) {                                        \
			(def)->group = (uint32_t)(1 + (layer));                               \
			(def)->filter_group *= 1 + 10 * (layer);                              \
		}                                                                         \
	} while (0)

/* Adds a soup as it is, or its mirror image, as a layer. */
static void
layer_add(struct scenario *to, const struct scenario *from, enum apart way, int layer)
{
	const double side = layer ? -1 : 1, shift = layer && way == BY_DISTANCE ? 5 * AWAY : 0;
	for (size_t i = 0; i < from->circle_count; i++) {
		struct circle_def circle = from->circles[i], *added = scenario_circle(to, 0, 0, 0, 0, 1);
		circle.id = added->id;
		circle.x = side * circle.x + shift;
		circle.vx *= side;
		circle.angular_velocity *= side;
		KEEP_APART(&circle, way, layer);
		*added = circle;
	}
	for (size_t i = 0; i < from->segment_count; i++) {
		struct segment_def segment = from->segments[i], *added = scenario_segment(to, 0, 0, 1, 1);
		const double x1 = segment.x1;
		segment.id = added->id;
		/* Its left side stays the same. */
		segment.x1 = layer ? -segment.x2 : x1;
		segment.x2 = layer ? -x1 : segment.x2;
		if (layer) {
			const double y1 = segment.y1;
			segment.y1 = segment.y2;
			segment.y2 = y1;
		}
		segment.x1 += shift;
		segment.x2 += shift;
		segment.vx *= side;
		KEEP_APART(&segment, way, layer);
		*added = segment;
	}
}

/* The rest solver divides a tick for the whole world if enough rests in it. So something does in each of the worlds, far away:
 * circles without a rebound in a case as wide as they are, which never sleep. */
static void
anchor_add(struct scenario *to)
{
	to->def.sleep_after = 1000;
	for (int i = 0; i < ANCHORS; i++) {
		struct circle_def *circle = scenario_circle(to, AWAY + i, AWAY, 0, 0, 0.5);
		circle->restitution = 0;
	}
	scenario_box(to, AWAY - 0.5, AWAY - 0.5, AWAY + ANCHORS - 0.5, AWAY + 0.5);
	for (size_t i = 0; i < 4; i++)
		to->segments[i].restitution = 0;
}

/* So many walls that nothing comes near to that they are searched in another way. */
static void
fences_add(struct scenario *to)
{
	scenario_segment(to, 0, 2 * AWAY, FENCES, 2 * AWAY);
	for (int i = 0; i < FENCES; i++)
		scenario_segment(to, i, 2 * AWAY, i, 2 * AWAY + 1 + i % 2);
}

static struct world *
world_of(struct scenario *to, const struct soup *soup, enum apart way, int first, int last)
{
	struct def_problem problem;
	struct world *world;
	scenario_init(to);
	to->def = soup->scenario.def;
	to->def.relations = &strangers;
	to->def.relation_count = way == BY_RELATION;
	anchor_add(to);
	for (int layer = first; layer <= last; layer++)
		layer_add(to, &soup->scenario, way, layer);
	if (last > first)
		fences_add(to);
	assert_int_equal(world_create(scenario_def(to), &problem, &world), STATUS_OK);
	return world;
}

static void
bodies_check(const struct world *both, size_t first, const struct world *alone, uint64_t seed, uint64_t tick)
{
	for (size_t i = ANCHORS; i < world_body_count(alone); i++) {
		const struct body_state a = world_body(both, first + i), b = world_body(alone, i);
		if (a.x != b.x || a.y != b.y || a.vx != b.vx || a.vy != b.vy || a.angular_velocity != b.angular_velocity)
			fail_msg("soup %llu, tick %llu, body %zu: at %.17g %.17g, alone at %.17g %.17g", (unsigned long long)seed,
			         (unsigned long long)tick, first + i, a.x, a.y, b.x, b.y);
	}
}

static size_t
contacts_of_layers(const struct tick_report *report)
{
	size_t count = 0;
	for (size_t i = 0; i < report->contact_count; i++)
		count += report->contacts[i].a >= ANCHORS;
	return count;
}

static void
soup_check(uint64_t seed)
{
	struct scenario scenarios[3];
	struct world *worlds[3];
	struct soup soup;
	const enum apart way = (enum apart)(seed % APART_WAYS);
	soup_make(&soup, seed, false);
	if (soup.ticks > ticks_most)
		soup.ticks = ticks_most;
	for (int i = 0; i < 3; i++)
		worlds[i] = world_of(&scenarios[i], &soup, way, i == 1, i > 0);
	for (uint64_t tick = 1; tick <= soup.ticks; tick++) {
		struct tick_report reports[3];
		for (int i = 0; i < 3; i++)
			assert_int_equal(world_step(worlds[i], soup.dt, &reports[i]), STATUS_OK);
		/* The rest of a tick with too many events is cut for the whole world. */
		if (reports[2].shortfall_count > 0)
			break;
		bodies_check(worlds[2], 0, worlds[0], seed, tick);
		bodies_check(worlds[2], soup.scenario.circle_count, worlds[1], seed, tick);
		assert_int_equal(contacts_of_layers(&reports[2]), contacts_of_layers(&reports[0]) + contacts_of_layers(&reports[1]));
	}
	for (int i = 0; i < 3; i++) {
		world_destroy(worlds[i]);
		scenario_finish(&scenarios[i]);
	}
	soup_finish(&soup);
}

static void
test_layers_are_alone(void **state)
{
	(void)state;
	for (uint64_t seed = seed_first; seed < seed_first + soups; seed++)
		soup_check(seed);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_layers_are_alone) };
	seed_first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	soups = argc > 2 ? strtoull(argv[2], NULL, 10) : effort_most(20, 150, 400);
	ticks_most = effort(20, 120);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
