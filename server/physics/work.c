#include "physics/work.h"

#include "physics/predict.h"
#include "physics/resolve.h"

void
work_begin(struct world *world)
{
	world->work = (struct work_meter){ .most = world->work_per_tick_max + world->work_per_body_max * world->body_count };
}

static void
body_cut(struct world *world, uint32_t body, double time)
{
	struct body_info *info = &world->infos[body];

	if (info->kind != BODY_DYNAMIC || mode_stands(info->mode))
		return;
	body_touch(world, body);
	info->events++;
	body_park(world, body, time, MODE_PARKED);
}

void
event_cut(struct world *world, const struct event *event)
{
	body_cut(world, event->a, event->time);
	if (event->kind == EVENT_CIRCLES)
		body_cut(world, event->b, event->time);
	predict_body(world, event->a);
	if (event->kind == EVENT_CIRCLES)
		predict_body(world, event->b);
}
