/* Edits without conditions, made from what they need. */
#include "physics/physics.h"

struct edit
edit_circle_spawn(const struct circle_def *circle)
{
	return (struct edit){ .kind = EDIT_CIRCLE_SPAWN, .circle = *circle };
}

struct edit
edit_circle_change(const struct circle_def *circle, uint64_t fields)
{
	return (struct edit){ .kind = EDIT_CIRCLE_CHANGE, .fields = fields, .circle = *circle };
}

struct edit
edit_circle_remove(uint32_t id)
{
	return (struct edit){ .kind = EDIT_CIRCLE_REMOVE, .circle = { .id = id } };
}

struct edit
edit_segment_spawn(const struct segment_def *segment)
{
	return (struct edit){ .kind = EDIT_SEGMENT_SPAWN, .segment = *segment };
}

struct edit
edit_segment_change(const struct segment_def *segment, uint64_t fields)
{
	return (struct edit){ .kind = EDIT_SEGMENT_CHANGE, .fields = fields, .segment = *segment };
}

struct edit
edit_segment_remove(uint32_t id)
{
	return (struct edit){ .kind = EDIT_SEGMENT_REMOVE, .segment = { .id = id } };
}

struct edit
edit_circle_add_velocity(uint32_t id, double vx, double vy)
{
	return (struct edit){ .kind = EDIT_CIRCLE_ADD_VELOCITY, .push = { .id = id, .x = vx, .y = vy } };
}

struct edit
edit_circle_impulse(const struct circle_push *impulse)
{
	return (struct edit){ .kind = EDIT_CIRCLE_IMPULSE, .push = *impulse };
}

struct edit
edit_explosion(const struct explosion *explosion)
{
	return (struct edit){ .kind = EDIT_EXPLOSION, .explosion = *explosion };
}

struct edit
edit_circle_sweep(uint32_t id, double x, double y)
{
	return (struct edit){ .kind = EDIT_CIRCLE_SWEEP, .circle = { .id = id, .x = x, .y = y } };
}

struct edit
edit_gravity(double x, double y)
{
	return (struct edit){ .kind = EDIT_GRAVITY, .gravity = { x, y } };
}
