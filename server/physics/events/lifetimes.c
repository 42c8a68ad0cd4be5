/* Happy path: few lifetimes end in a tick, and none at all in most worlds. What can go wrong: memory (world->failed). */
#include "physics/events/lifetimes.h"

#include "physics/events/ends.h"
#include "physics/math/sort.h"
#include "physics/resting/sleep.h"
#include "physics/world/body_rule.h"
#include "physics/world/ledger.h"

#include <stdlib.h>

static int
life_compare(const void *left, const void *right)
{
	const struct life *l = left, *r = right;

	if (l->time != r->time)
		return l->time < r->time ? -1 : 1;
	return l->body < r->body ? -1 : l->body > r->body;
}

static void
life_add(struct world *world, uint32_t body, double time)
{
	struct tick_scratch *scratch = &world->scratch;

	if (!array_reserve(&scratch->lives, &scratch->life_capacity, scratch->life_count + 1, sizeof *scratch->lives)) {
		world->failed = true;
		return;
	}
	scratch->lives[scratch->life_count++] = (struct life){ time, body };
}

/* Takes a tick from one lifetime. */
static void
life_spend(struct world *world, uint32_t body)
{
	struct body_rule *rule = &world->bodies.rules[body];
	double dt = world->step.dt;

	if (rule->lifetime_ticks > 0) {
		rule->lifetime_ticks--;
		if (rule->lifetime_ticks == 0 && rule->lifetime_s == 0.0)
			life_add(world, body, dt);
	} else if (rule->lifetime_s > 0.0) {
		if (rule->lifetime_s <= dt)
			life_add(world, body, rule->lifetime_s);
		else
			rule->lifetime_s -= dt;
	}
}

void
lifetimes_begin(struct world *world)
{
	struct tick_scratch *scratch = &world->scratch;

	scratch->life_count = scratch->life_next = 0;
	for (uint32_t i = 0; i < world->bodies.count && world->settings.lifetimes && !pause_after(1); i++)
		life_spend(world, i);
	if (scratch->life_count > 1)
		array_sort(scratch->lives, scratch->life_count, sizeof *scratch->lives, life_compare);
}

void
life_end(struct world *world)
{
	const struct life *life = &world->scratch.lives[world->scratch.life_next++];

	if (world->bodies.infos[life->body].mode == MODE_GONE)
		return;

	struct ledger_part before = ledger_part_take(world);

	world->report.events++;
	if (world->bodies.asleep_count > 0)
		sleep_wake(world, life->body, life->time);
	body_end(world, life->body, life->time, END_LIFETIME);
	ledger_part_add(world, &before);
}
