#include "physics/brute/random_kinds.h"
#include "support/random.h"

void
random_drift_add(struct random_scene *scene, uint64_t *state)
{
	double speed = random_chance(state, 25) ? 200 : random_chance(state, 50) ? 20 : 1;
	unsigned int part = random_chance(state, 50) ? 100 : 30;
	double x = random_between(state, -speed, speed), y = random_between(state, -speed, speed);
	bool alike = random_chance(state, 40);

	if (random_chance(state, 30))
		random_walls_add(scene, state);
	if (random_chance(state, 40))
		random_rough_add(scene, state);
	/* An elastic circle between two that cannot yield bounces ever faster. */
	scene->def.events_per_body_max = 200;
	for (size_t i = 0; i < scene->def.segment_count; i++) {
		struct segment_def *segment = &scene->segments[i];

		if (!alike && !random_chance(state, part))
			continue;
		segment->vx = alike ? x : random_between(state, -speed, speed);
		segment->vy = alike ? y : random_between(state, -speed, speed);
	}
}
