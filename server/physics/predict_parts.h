/* predict_parts: what the files of the prediction share. Internal. */
#ifndef COLLIDED_PHYSICS_PREDICT_PARTS_H
#define COLLIDED_PHYSICS_PREDICT_PARTS_H

#include "physics/predict.h"

static inline void
event_push(struct world *world, const struct event *event)
{
	if (!event_queue_push(&world->queue, event))
		world->failed = true;
}

/* Up to when a body's present path holds. */
static inline double
path_end(const struct world *world, uint32_t body)
{
	return world->infos[body].mode == MODE_LED ? world->until : world->dt;
}

static inline bool
supported_by(const struct world *world, uint32_t body, uint8_t kind, uint32_t other)
{
	for (uint32_t s = world->infos[body].support; s != NONE; s = world->supports[s].next)
		if (world->supports[s].kind == kind && world->supports[s].other == other)
			return true;
	return false;
}

/* A resting pair follows its surface to third order; half of the skin lets it do so without an event at once. */
static inline double
resting_distance(double radii, double skin)
{
	return radii + 0.5 * skin;
}

static inline bool
body_lies(const struct body_info *info)
{
	return info->mode == MODE_ASLEEP || info->kind == BODY_STATIC;
}

/* predict_walls.c: a body against the walls that are listed in a cell of its level. */
void predict_walls(struct world *world, uint32_t body, uint32_t cell);

#endif
