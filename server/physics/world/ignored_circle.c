/* Circles that ignore another one until they have parted: finding out that they have. */
#include "physics/world/ignored_circle.h"

#include "base/pause.h"
#include "physics/world/body_rule.h"
#include "physics/world/skins.h"

uint32_t
world_circle_index(const struct world *world, uint32_t id)
{
	uint32_t low = 0, high = world->bodies.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (world->bodies.ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < world->bodies.count && world->bodies.ids[low] == id ? low : NONE;
}

static void
circle_part(struct world *world, uint32_t body, uint32_t other)
{
	struct body_rule *rule = &world->bodies.rules[body];

	if (rule->ignore == IGNORE_UNTIL_APART && rule->ignored == world->bodies.infos[other].id)
		rule->ignore = IGNORE_NONE;
}

void
circles_part(struct world *world, uint32_t a, uint32_t b)
{
	circle_part(world, a, b);
	circle_part(world, b, a);
}

/* At a time of both paths. */
static bool
circles_are_apart(const struct world *world, uint32_t a, uint32_t b, double time)
{
	const struct body *i = &world->bodies.paths[a], *j = &world->bodies.paths[b];
	two d = body_place_at(i, time).position - body_place_at(j, time).position, square = d * d;
	double apart = i->radius + j->radius + 2.0 * circles_skin(i, j);

	return square[0] + square[1] > apart * apart;
}

/* The index of the one that a circle ignores until they are apart; NONE: there is none. */
static uint32_t
ignored_index(const struct world *world, uint32_t body)
{
	const struct body_rule *rule = &world->bodies.rules[body];

	return rule->ignore == IGNORE_UNTIL_APART ? world_circle_index(world, rule->ignored) : NONE;
}

/* For a circle and the one that it ignores. */
static void
ignorer_part_at(struct world *world, uint32_t body, double time)
{
	uint32_t other = ignored_index(world, body);

	if (other == NONE || !circles_are_apart(world, body, other, time))
		return;
	body_touch(world, body);
	circle_part(world, body, other);
}

void
circle_part_at(struct world *world, uint32_t body, double time)
{
	ignorer_part_at(world, body, time);
	for (uint32_t k = world->bodies.rules[body].first_ignorer; k != NONE; k = world->bodies.rules[k].next_ignorer)
		if (!world->gate.domain || world->gate.has(world->gate.domain, k, time))
			ignorer_part_at(world, k, time);
}

/* All lists of ignorers, each ascending. */
static void
ignorers_link(struct world *world)
{
	struct body_rule *rules = world->bodies.rules;

	for (uint32_t i = 0; i < world->bodies.count && !pause_after(2); i++)
		rules[i].first_ignorer = NONE;
	for (uint32_t i = world->bodies.count; i-- > 0 && !pause_after(2);) {
		uint32_t other = ignored_index(world, i);

		rules[i].next_ignorer = NONE;
		if (other == NONE)
			continue;
		rules[i].next_ignorer = rules[other].first_ignorer;
		rules[other].first_ignorer = i;
	}
}

void
circles_part_within(struct world *world, double time)
{
	const struct body_info *infos = world->bodies.infos;

	for (uint32_t i = 0; i < world->bodies.count && world->settings.ignores && !pause_after(2); i++) {
		uint32_t other = ignored_index(world, i);

		if (other != NONE && (infos[i].mode == MODE_LED || infos[other].mode == MODE_LED))
			ignorer_part_at(world, i, time);
	}
}

void
circles_part_all(struct world *world)
{
	if (!world->settings.ignores)
		return;
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(2); i++)
		ignorer_part_at(world, i, world->bodies.paths[i].t0);
	ignorers_link(world);
}
