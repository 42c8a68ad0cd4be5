#include "jobs/background.h"

#include <stddef.h>

void
background_plan_init(struct background_plan *plan)
{
	*plan = (struct background_plan){ .running = 0 };
	plan->end = &plan->first;
}

void
background_plan_push(struct background_plan *plan, struct background_item *item)
{
	item->next = NULL;
	*plan->end = item;
	plan->end = &item->next;
}

/* Whether so many may run at once. */
static bool
fits(const struct background_load *load, unsigned count)
{
	return load->waiting == 0 && load->busy + count <= load->permits;
}

struct background_item *
background_plan_begin(struct background_plan *plan, const struct background_load *load)
{
	struct background_item *item = plan->first;
	if (!item || plan->paused > 0 || !fits(load, plan->running + 1))
		return NULL;
	plan->first = item->next;
	if (!plan->first)
		plan->end = &plan->first;
	plan->running++;
	return item;
}

bool
background_plan_pause(struct background_plan *plan, const struct background_load *load)
{
	if (fits(load, plan->running))
		return false;
	plan->running--;
	plan->paused++;
	return true;
}

bool
background_plan_resume(struct background_plan *plan, const struct background_load *load)
{
	if (!fits(load, plan->running + 1))
		return false;
	plan->paused--;
	plan->running++;
	return true;
}

void
background_plan_end(struct background_plan *plan, bool paused)
{
	*(paused ? &plan->paused : &plan->running) -= 1;
}
