#include "physics/brute/random_kinds.h"
#include "support/random.h"

#include <math.h>

/* A kinematic circle starts clear of everything, or its pairs would be overlaps from the start. */
static double
room_around(const struct random_scene *scene, size_t index)
{
	const struct circle_def *circle = &scene->circles[index];
	double room = 4;

	for (size_t i = 0; i < scene->def.circle_count; i++) {
		const struct circle_def *other = &scene->circles[i];

		if (i != index)
			room = fmin(room, hypot(circle->x - other->x, circle->y - other->y) - other->radius);
	}
	return room;
}

void
random_driven_add(struct random_scene *scene, uint64_t *state)
{
	double speed = random_chance(state, 25) ? 400 : 40;

	/* An elastic circle between two that cannot yield bounces ever faster. */
	scene->def.events_per_body_max = 200;

	for (size_t i = 0; i < scene->def.circle_count; i++) {
		struct circle_def *circle = &scene->circles[i];

		if (!random_chance(state, 15))
			continue;
		circle->kind = BODY_KINEMATIC;
		circle->vx = random_between(state, -speed, speed);
		circle->vy = random_between(state, -speed, speed);
		if (random_chance(state, 50))
			circle->radius = fmax(circle->radius, 0.99 * room_around(scene, i));
	}
}
