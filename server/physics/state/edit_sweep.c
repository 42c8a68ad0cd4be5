/* Circles that are placed, but stop at the first thing on their way. Happy path: one circle, and nothing in its way. What can
 * go wrong: a place out of range, before anything is written. */
#include "physics/prediction/first_impact.h"
#include "physics/state/edit.h"

#include <math.h>

bool
sweep_plan(struct planned *planned, const struct circle_def *to, size_t index, struct def_problem *problem)
{
	const uint64_t place = edit_field(DEF_CIRCLE_X) | edit_field(DEF_CIRCLE_Y);
	struct circle_def there = planned->circle;

	circle_fields_copy(&there, to, place);

	const struct circle_def judged = circle_judged(there, place);

	if (!circle_def_check(&judged, index, problem))
		return false;
	planned->swept = circle_fields_differing(&planned->circle, &there) != 0;
	planned->sweep_x = to->x;
	planned->sweep_y = to->y;
	planned->changed |= planned->swept ? place : 0;
	return true;
}

/* The circle is where its sweep begins. */
static void
sweep_make(struct world *next, const struct planned *planned)
{
	struct body *body = &next->bodies.paths[planned->to];
	const struct body way = {
		.x = body->x, .y = body->y, .vx = planned->sweep_x - body->x, .vy = planned->sweep_y - body->y, .radius = body->radius
	};
	const double impact = first_impact(next, planned->to, &way);
	const bool free = !(impact < (double)INFINITY);

	body->x = free ? planned->sweep_x : way.x + impact * way.vx;
	body->y = free ? planned->sweep_y : way.y + impact * way.vy;
}

void
sweeps_make(struct world *next, const struct edit_plan *plan)
{
	for (size_t k = 0; k < plan->circle_count && !pause_after(BODY_UNITS); k++)
		if (plan->circles[k].swept && plan->circles[k].action == PLAN_CHANGE)
			sweep_make(next, &plan->circles[k]);
}
