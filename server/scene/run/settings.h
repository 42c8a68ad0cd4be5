/* settings: the fields of a Simulate request apart from its scene, checked and with their defaults.
 *
 * Any thread. */
#ifndef COLLIDED_SCENE_RUN_SETTINGS_H
#define COLLIDED_SCENE_RUN_SETTINGS_H

#include "scene/scene.h"

struct settings {
	double dt;
	uint64_t ticks;
	uint64_t every;          /* >= 1 */
	bool contacts;           /* contacts and path changes are sent */
	unsigned events;         /* bits of enum world_event */
	uint64_t snapshot_every; /* 0: none */
	bool self_check;
};

/* Also that there is a scene or snapshot. Paths begin with "simulate". */
STATUS_MUST_USE enum status settings_read(const Collide__V1__Simulate *request, const struct scene_limits *limits,
                                          struct settings *out, struct wire_problem *problem);

#endif
