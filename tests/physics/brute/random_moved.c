#include "physics/brute/random_kinds.h"
#include "support/random.h"

void
random_moved_add(struct random_scene *scene, uint64_t *state)
{
	bool belts = random_chance(state, 50), swept_boxes = random_chance(state, 30), damped = random_chance(state, 50);
	bool scaled = random_chance(state, 60), slides = random_chance(state, 40), stops = random_chance(state, 30);

	scene->def.speed_max = random_chance(state, 20) ? random_between(state, 1, 1000) : 0;
	for (size_t i = 0; i < scene->def.circle_count; i++) {
		struct circle_def *circle = &scene->circles[i];

		circle->surface_speed = swept_boxes && random_chance(state, 30) ? random_between(state, -50, 50) : 0;
		circle->linear_damping = damped && random_chance(state, 50) ? random_between(state, 0, 20) : 0;
		circle->angular_damping = damped && random_chance(state, 50) ? random_between(state, 0, 20) : 0;
		if (scaled)
			circle->gravity_scale = random_chance(state, 50) ? random_between(state, -2, 2) : random_chance(state, 50);
		circle->response = stops && random_chance(state, 20)    ? RESPONSE_STOP
		                   : slides && random_chance(state, 20) ? RESPONSE_SLIDE
		                                                        : RESPONSE_BOUNCE;
	}
	for (size_t i = 0; i < scene->def.segment_count; i++)
		scene->segments[i].surface_speed = belts && random_chance(state, 50) ? random_between(state, -50, 50) : 0;
}
